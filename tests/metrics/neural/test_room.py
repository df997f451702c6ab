"""Memory that does not suffice: smaller batches with a warning, the same vectors, and an error where not one
text fits."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.errors import FolkwaysError
from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.encoder import Encoder, MemoryGuard
from folkways.metrics.neural.folder import ModelFolder, open_folder
from tests.support.tiny_bert import make_bert


class FullError(Exception):
    """What a device raises that has no room."""


class Device:
    """A device with room for so many tokens; it remembers what it was handed."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.tried: list[int] = []
        self.emptied = 0

    def work(self, batch: Sequence[list[int]]) -> list[int]:
        padded = len(batch) * max(map(len, batch))
        self.tried.append(padded)
        if padded > self.tokens:
            raise FullError
        return [sum(text) for text in batch]

    def empty(self) -> None:
        self.emptied += 1


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=8), min_size=1, max_size=12),
    st.integers(8, 100),
)
def test_every_text_comes_back_once_and_in_order(batch: list[list[int]], tokens: int) -> None:
    device = Device(tokens)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = MemoryGuard("tiny", FullError, device.empty).run(device.work, batch)
    assert made == [sum(text) for text in batch]
    refused = sum(padded > tokens for padded in device.tried)
    assert device.emptied == refused == len(said)


def test_what_did_not_fit_is_not_tried_again() -> None:
    device = Device(16)
    room = MemoryGuard("tiny", FullError, device.empty)
    with pytest.warns(
        RuntimeWarning, match=r"8 texts of up to 4 tokens do not fit .* goes on with 16 tokens at a time"
    ):
        room.run(device.work, [[1] * 4] * 8)
    device.tried.clear()
    room.run(device.work, [[1] * 4] * 8)
    assert device.tried == [16, 16]


def test_one_text_without_room_is_an_error_that_says_what_to_do() -> None:
    device = Device(3)
    with (
        pytest.warns(RuntimeWarning),
        pytest.raises(
            FolkwaysError, match=r"one text of 4 tokens with the model tiny; .*another device.*precision bf16"
        ),
    ):
        MemoryGuard("tiny", FullError, device.empty).run(device.work, [[1] * 4] * 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return open_folder(make_bert(tmp_path_factory.mktemp("tiny")))


@pytest.mark.local_model
@pytest.mark.parametrize("workers", [1, 2])
def test_an_encoder_goes_on_with_smaller_batches(
    folder: ModelFolder, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from transformers import BertModel

    texts = [f"{word} tea" for word in ("we", "they", "rice", "a", "the", "bread", "water", "dates")]
    expected = dict(Encoder(folder, compute=Compute(("cpu",))).encode(texts))
    forward = BertModel.forward

    def crowded(self: Any, input_ids: Any, **more: Any) -> Any:
        if input_ids.numel() > 12:
            raise torch.cuda.OutOfMemoryError
        return forward(self, input_ids, **more)

    monkeypatch.setattr(BertModel, "forward", crowded)
    with pytest.warns(RuntimeWarning, match="tokens at a time"):
        found = dict(Encoder(folder, compute=Compute(("cpu",), workers)).encode(texts))
    assert found.keys() == expected.keys()
    for place, vectors in expected.items():
        np.testing.assert_allclose(found[place].states, vectors.states, atol=1e-5)


@pytest.mark.local_model
def test_what_is_no_number_is_an_error_not_a_score(
    folder: ModelFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import BertModel

    forward = BertModel.forward

    def overflowing(self: Any, input_ids: Any, **more: Any) -> Any:
        out = forward(self, input_ids, **more)
        out.last_hidden_state[0, 0, 0] = float("inf")
        return out

    monkeypatch.setattr(BertModel, "forward", overflowing)
    with pytest.raises(FolkwaysError, match=r"what is not a number in float32; .*its weights are broken"):
        list(Encoder(folder, compute=Compute(("cpu",))).encode(["tea", "bread"]))
