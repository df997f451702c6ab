"""Sentence embeddings against sentence-transformers, and what is said of models that would be read
wrongly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from folkways.errors import DataError
from folkways.metrics.neural.folder import open_folder
from folkways.metrics.neural.sentences import Pooling, SentenceComparer, read_pooling
from tests.support.tiny_bert import make_bert, make_sentence_model, write_json

pytestmark = pytest.mark.local_model

TEXTS = ["We split the bill.", " tea ", "", "dates and bread at the market", "TEA", "water " * 60]


@pytest.mark.parametrize(
    ("mode", "longest", "lower"),
    [("mean_tokens", 32, False), ("cls_token", None, True), ("mean_tokens", None, True)],
)
def test_vectors_are_those_of_sentence_transformers(
    mode: str, longest: int | None, lower: bool, tmp_path: Path
) -> None:
    library = pytest.importorskip(
        "sentence_transformers", reason="needs sentence-transformers (dependency group oracles)"
    )
    model = make_sentence_model(tmp_path / "model", mode, longest=longest, lower=lower)
    theirs = library.SentenceTransformer(str(model), device="cpu")
    ours = SentenceComparer(open_folder(model))
    np.testing.assert_allclose(ours.embed(TEXTS), theirs.encode(TEXTS), atol=2e-6)
    pairs = [(TEXTS[0], TEXTS[3]), (TEXTS[1], TEXTS[4]), (TEXTS[2], TEXTS[5])]
    expected = [float(library.util.cos_sim(*theirs.encode(list(pair)))) for pair in pairs]
    assert ours.compare(pairs) == pytest.approx(expected, abs=2e-6)
    assert ours.compare([]).shape == (0,)


def test_pooling_is_read_from_the_folder(tmp_path: Path) -> None:
    assert read_pooling(make_bert(tmp_path / "plain")) == Pooling("mean", None, False)
    model = make_sentence_model(tmp_path / "model", "cls_token", longest=16, lower=True)
    assert read_pooling(model) == Pooling("cls", 16, True)
    write_json(model / "1_Pooling" / "config.json", {"embedding_dimension": 32, "pooling_mode": "mean"})
    assert read_pooling(model).mode == "mean"


def test_parts_that_are_not_known_are_refused(tmp_path: Path) -> None:
    model = make_sentence_model(tmp_path / "model", "max_tokens")
    with pytest.raises(DataError, match="pools by pooling_mode_max_tokens; those known are mean, cls"):
        read_pooling(model)
    write_json(model / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    write_json(
        model / "config_sentence_transformers.json",
        {"default_prompt_name": "query", "prompts": {"query": "query: "}},
    )
    with pytest.raises(DataError, match="puts a prompt before every text"):
        read_pooling(model)
    write_json(model / "modules.json", [{"path": "", "type": "sentence_transformers.models.Dense"}])
    with pytest.raises(
        DataError, match="has the part 'Dense'; those known are Transformer, Pooling, Normalize"
    ):
        read_pooling(model)
    write_json(model / "modules.json", [{"path": "", "type": "sentence_transformers.models.Transformer"}])
    with pytest.raises(DataError, match="names no Pooling"):
        read_pooling(model)
    write_json(model / "modules.json", {"0": "Transformer"})
    with pytest.raises(DataError, match="is not a list of parts"):
        read_pooling(model)


@pytest.mark.parametrize("mode", ["mean_tokens", "cls_token"])
def test_vectors_of_sentences_are_found_again_where_they_were_stored(mode: str, tmp_path: Path) -> None:
    model = open_folder(make_sentence_model(tmp_path / "model", mode))
    told: list[tuple[int, int]] = []

    def comparer() -> SentenceComparer:
        return SentenceComparer(model, cache=tmp_path / "cache", tell=lambda *counts: told.append(counts))

    first = comparer().embed(TEXTS)
    assert told and told[-1] == (len({text.strip() for text in TEXTS}),) * 2
    told.clear()
    again = comparer()
    np.testing.assert_array_equal(again.embed(TEXTS), first)
    assert told == []
    assert again.name == f"model#{model.revision} {mode.partition('_')[0]} fp32"
    assert again.embed([]).shape == (0, 0)
