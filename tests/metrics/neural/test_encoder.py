"""The hidden states of a layer: those that transformers itself gives, however texts are batched and spread
over devices."""

from __future__ import annotations

import gc
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.errors import FolkwaysError, MissingExtraError, UnknownNameError
from folkways.metrics.neural.bertscore import BertScorer
from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.encoder import Encoder, TokenVectors
from folkways.metrics.neural.folder import ModelFolder, open_folder
from folkways.metrics.neural.sentences import SentenceComparer
from tests.support.tiny_bert import WORDS, make_bert

pytestmark = pytest.mark.local_model

TEXTS = [
    "We split the bill.",
    "tea",
    "",
    "<CSI> dates </CSI> and bread at the market in the morning",
    "Tea",
    "water " * 100,
    "tea",
]


@pytest.fixture(scope="module")
def encoder(folder: ModelFolder) -> Encoder:
    return Encoder(folder, compute=Compute(("cpu",)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return open_folder(make_bert(tmp_path_factory.mktemp("tiny")))


def encoded(encoder: Encoder, texts: list[str]) -> list[TokenVectors]:
    found = dict(encoder.encode(texts))
    return [found[place] for place in range(len(texts))]


@pytest.mark.parametrize("layer", [1, 3, 4])
def test_states_are_those_of_the_layer_text_by_text(folder: ModelFolder, layer: int) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = (
        AutoTokenizer.from_pretrained(folder.path),
        AutoModel.from_pretrained(folder.path).eval(),
    )
    for text, vectors in zip(TEXTS, encoded(Encoder(folder, layer), TEXTS), strict=True):
        with torch.no_grad():
            inputs = tokenizer(text, return_tensors="pt", truncation=True)
            states = model(**inputs, output_hidden_states=True).hidden_states[layer][0].numpy()
        np.testing.assert_allclose(vectors.states, states, atol=1e-5)
        assert vectors.words.tolist() == [number not in (2, 3) for number in inputs["input_ids"][0].tolist()]


def test_several_copies_of_the_model_give_what_one_gives(
    folder: ModelFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    gpus = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    monkeypatch.setattr("folkways.metrics.neural.encoder.TOKENS_PER_BATCH", {"cpu": 16, "other": 16})
    texts = [f"{word} {text}" for word in ("we", "they", "rice") for text in TEXTS]
    for device in ("cpu", *gpus):
        one = encoded(Encoder(folder, compute=Compute((device,))), texts)
        both = encoded(Encoder(folder, compute=Compute((device,), workers=2)), texts)
        assert all(np.array_equal(left.states, right.states) for left, right in zip(one, both, strict=True))


@settings(max_examples=settings().max_examples * 2 // 5)  # each computes several whole batches
@given(
    st.lists(st.integers(0, 70), min_size=1, max_size=24),
    st.randoms(use_true_random=False),
    st.sampled_from([1, 2]),
)
def test_company_changes_no_digit(
    encoder: Encoder, counts: list[int], draw: random.Random, threads: int
) -> None:
    import torch

    usual = torch.get_num_threads()
    text = " ".join(draw.choices(WORDS, k=counts[0]))
    others = [" ".join(draw.choices(WORDS, k=count)) for count in counts[1:]]
    place = draw.randint(0, len(others))
    (alone,) = encoded(encoder, [text])
    torch.set_num_threads(threads)
    try:
        together = encoded(encoder, [*others[:place], text, *others[place:]])[place]
    finally:
        torch.set_num_threads(usual)
    assert np.array_equal(alone.states, together.states)


def test_the_model_is_only_given_batches_of_one_shape_for_each_length(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which is why company changes no digit, also on processors where a batch of another size would."""
    from transformers import BertModel

    shapes: list[tuple[int, ...]] = []
    forward = BertModel.forward

    def noted(self: BertModel, input_ids: Any, **more: Any) -> Any:
        shapes.append(tuple(input_ids.shape))
        return forward(self, input_ids, **more)

    monkeypatch.setattr(BertModel, "forward", noted)
    for count in (1, 3, 5):
        encoded(encoder, [" ".join(["rice"] * words) for words in range(0, 70, 3) for _ in range(count)])
    assert {padded for _, padded in shapes} <= {*range(8, 64, 8), 64}
    assert len({padded for _, padded in shapes}) >= 5
    assert {rows * padded for rows, padded in shapes if 256 % padded == 0} == {256}
    assert len(set(shapes)) == len({padded for _, padded in shapes})


def test_progress_tells_every_text_once(folder: ModelFolder) -> None:
    told: list[tuple[int, int]] = []
    list(Encoder(folder).encode(TEXTS, lambda done, total: told.append((done, total))))
    assert told[-1] == (len(TEXTS), len(TEXTS))
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_texts_are_cut_at_the_longest_asked_for(folder: ModelFolder) -> None:
    lengths = [len(vectors.words) for vectors in encoded(Encoder(folder, longest=8), TEXTS)]
    assert max(lengths) == 8
    assert lengths[2] == 2
    assert max(len(vectors.words) for vectors in encoded(Encoder(folder), TEXTS)) == 64


@pytest.mark.parametrize(
    ("kind", "limit", "longest", "expected"),
    [
        ("bert", None, None, 64),
        ("bert", None, 63, 63),
        ("bert", 10, None, 10),
        ("bert", 10, 64, 10),
        ("bert", 1_000_000, 64, 64),
        *((kind, None, None, 62) for kind in ("roberta", "xlm-roberta", "camembert", "mpnet")),
        ("roberta", None, 64, 62),
        ("roberta", 62, None, 62),
    ],
)
def test_texts_are_cut_at_the_first_of_all_limits(
    tmp_path: Path, kind: str, limit: int | None, longest: int | None, expected: int
) -> None:
    """The positions of RoBERTa and its kin begin at 2."""
    model = Encoder(
        open_folder(make_bert(tmp_path / "tiny", kind=kind, layers=1, limit=limit)), longest=longest
    )
    (vectors,) = encoded(model, ["water " * 100])
    assert len(vectors.words) == expected


def test_a_layer_that_the_model_has_not(folder: ModelFolder) -> None:
    with pytest.raises(FolkwaysError, match="has 4 layers, and layer 9 is asked for"):
        Encoder(folder, 9)


def test_places_and_precisions_that_are_not_there() -> None:
    import torch

    with pytest.raises(UnknownNameError, match="valid: bf16, fp16, fp32"):
        Compute(precision="fp8")
    with pytest.raises(FolkwaysError, match="workers must be at least 1"):
        Compute(workers=0)
    with pytest.raises(FolkwaysError, match="there is no device 'warp:0'"):
        Compute(("warp:0",)).places(torch)
    with pytest.raises(FolkwaysError, match="there is no device 'meta'"):
        Compute(("meta",)).places(torch)
    with pytest.raises(FolkwaysError, match="fp16 is for GPUs"):
        Compute(("cpu",), precision="fp16").places(torch)


def test_every_metric_computes_where_it_is_told_to(folder: ModelFolder) -> None:
    nowhere = Compute(("warp:0",))
    for embed in (
        lambda: list(Encoder(folder, compute=nowhere).encode(["tea"])),
        lambda: BertScorer(folder, compute=nowhere).score([("tea", "water")]),
        lambda: SentenceComparer(folder, compute=nowhere).embed(["tea"]),
    ):
        with pytest.raises(FolkwaysError, match="there is no device 'warp:0'"):
            embed()


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_is_collected_as_before_when_a_model_is_loaded(folder: ModelFolder, collecting: bool) -> None:
    try:
        gc.enable() if collecting else gc.disable()
        encoded(Encoder(folder, compute=Compute(("cpu",))), ["tea"])
        assert gc.isenabled() == collecting
    finally:
        gc.enable()


def test_without_torch_the_install_line_is_named(
    folder: ModelFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    encoder = Encoder(folder)
    assert list(encoder.encode([])) == []
    with pytest.raises(MissingExtraError, match=r"pip install 'folkways\[neural\]'"):
        list(encoder.encode(["tea"]))


def test_weights_that_are_broken_are_said(tmp_path: Path) -> None:
    broken = make_bert(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(FolkwaysError, match=r"the model broken in .* cannot be loaded"):
        list(Encoder(open_folder(broken)).encode(["tea"]))


@pytest.mark.parametrize(("level", "bars"), [(10, True), (30, False)])
def test_what_the_library_tells_of_itself_is_as_before(folder: ModelFolder, level: int, bars: bool) -> None:
    from transformers.utils import logging

    before, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    try:
        logging.set_verbosity(level)
        (logging.enable_progress_bar if bars else logging.disable_progress_bar)()
        list(Encoder(folder, compute=Compute(("cpu",))).encode(["tea"]))
        assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == (level, bars)
    finally:
        logging.set_verbosity(before)
        (logging.enable_progress_bar if had_bars else logging.disable_progress_bar)()
