"""BERTScore against the package of its authors, against the definition, and by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.metrics.neural import bertscore
from folkways.metrics.neural.bertscore import Baseline, BertScorer, BertScores, match_tokens
from folkways.metrics.neural.encoder import TokenVectors
from folkways.metrics.neural.folder import ModelFolder, open_folder
from folkways.metrics.neural.vectors import unit
from tests.support.tiny_bert import make_bert

PAIRS = [
    ("we split the bill", "they split the bill"),
    ("tea at home", "bread at the market"),
    ("<CSI> dates </CSI> and water", "<CSI> rice </CSI> and tea in the morning"),
    ("the house of bread", "the house of bread"),
    ("rice", "a a a a a a a a"),
    ("water " * 90, "tea " * 80),
]


def text(rows: Sequence[Sequence[float]], words: Sequence[bool] | None = None) -> TokenVectors:
    states = np.array(rows, np.float32)
    return TokenVectors(states, np.ones(len(rows), np.bool_) if words is None else np.array(words))


def test_by_hand() -> None:
    # Candidate tokens at 0 and 90 degrees, reference tokens at 0 and 60: the best matches are 1 and cos 30,
    # then 1 and cos 30.
    half, root = 0.5, 3**0.5 / 2
    scores = match_tokens([(text([(1, 0), (0, 1)]), text([(1, 0), (half, root)]))])
    assert scores.precision[0] == pytest.approx((1 + root) / 2)
    assert scores.recall[0] == pytest.approx((1 + root) / 2)
    marked = match_tokens(
        [(text([(1, 0), (0, 1)], [False, True]), text([(1, 0), (half, root)], [True, False]))]
    )
    assert (marked.precision[0], marked.recall[0]) == (pytest.approx(root), pytest.approx(1))
    assert marked.f1[0] == pytest.approx(2 * root / (1 + root))


def test_padding_never_wins_over_a_negative_cosine() -> None:
    against = (text([(1, 0)]), text([(-1, 0)]))
    long = (text([(1, 0)] * 3), text([(0, 1)] * 9))
    alone, beside = match_tokens([against]), match_tokens([against, long])
    assert alone.precision[0] == beside.precision[0] == -1
    assert alone.recall[0] == beside.recall[0] == -1


def test_a_text_without_words_scores_nothing_before_it_is_rescaled() -> None:
    nothing, something = text([(1, 0), (1, 0)], [False, False]), text([(1, 0)])
    raw = match_tokens([(nothing, something), (something, nothing), (nothing, nothing)])
    assert raw.f1.tolist() == raw.precision.tolist() == raw.recall.tolist() == [0, 0, 0]
    assert Baseline(0.2, 0.2, 0.5).rescale(raw).f1.tolist() == [-1, -1, -1]


def test_baselines_are_of_each_of_the_three() -> None:
    raw = BertScores(*(np.array([value, 1.0], np.float32) for value in (0.6, 0.7, 0.8)))
    scaled = Baseline(0.2, 0.4, 0.6).rescale(raw)
    assert scaled.precision == pytest.approx([0.5, 1])
    assert scaled.recall == pytest.approx([0.5, 1])
    assert scaled.f1 == pytest.approx([0.5, 1])


sizes = st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), min_size=1, max_size=8)


@given(sizes, st.integers(0, 2**32 - 1), st.sampled_from([1, 200, 10_000]))
@settings(max_examples=60)
def test_batches_give_the_definition(lengths: list[tuple[int, int]], seed: int, budget: int) -> None:
    generator = np.random.default_rng(seed)

    def drawn(length: int) -> TokenVectors:
        return TokenVectors(
            unit(generator.normal(size=(length, 5)).astype(np.float32)), generator.random(length) < 0.8
        )

    pairs = [(drawn(one), drawn(other)) for one, other in lengths]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bertscore, "NUMBERS_PER_BATCH", budget)
        found = match_tokens(pairs)
    for place, (candidate, reference) in enumerate(pairs):
        cosines = candidate.states @ reference.states.T
        there = candidate.words.any() and reference.words.any()
        precision = cosines.max(axis=1)[candidate.words].mean() if there else 0.0
        recall = cosines.max(axis=0)[reference.words].mean() if there else 0.0
        assert found.precision[place] == pytest.approx(precision, abs=1e-6)
        assert found.recall[place] == pytest.approx(recall, abs=1e-6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return open_folder(make_bert(tmp_path_factory.mktemp("tiny"), layers=5))


@pytest.mark.local_model
@pytest.mark.parametrize("layer", [2, 5])
def test_the_package_of_its_authors_gives_the_same(folder: ModelFolder, layer: int) -> None:
    package = pytest.importorskip("bert_score", reason="needs bert-score (dependency group oracles)")
    theirs = package.BERTScorer(model_type=str(folder.path), num_layers=layer)
    ours = BertScorer(folder, layer).score(PAIRS)
    for place, (candidate, reference) in enumerate(PAIRS):  # one by one: in a batch of theirs padding can win
        expected = theirs.score([candidate], [reference])
        found = (ours.precision[place], ours.recall[place], ours.f1[place])
        assert found == pytest.approx([float(values[0]) for values in expected], abs=2e-6)


@pytest.mark.local_model
def test_rescaling_is_that_of_the_package(folder: ModelFolder, tmp_path: Path) -> None:
    package = pytest.importorskip("bert_score", reason="needs bert-score (dependency group oracles)")
    rows = [f"{layer},{0.1 + layer / 100},{0.2 + layer / 100},{0.3 + layer / 100}" for layer in range(6)]
    (tmp_path / "baseline.tsv").write_text("\n".join(["LAYER,P,R,F", *rows]), encoding="utf-8")
    theirs = package.BERTScorer(
        model_type=str(folder.path),
        num_layers=3,
        lang="en",
        rescale_with_baseline=True,
        baseline_path=str(tmp_path / "baseline.tsv"),
    )
    ours = BertScorer(folder, 3).score(PAIRS[:1], Baseline(0.13, 0.23, 0.33))
    expected = [float(values[0]) for values in theirs.score([PAIRS[0][0]], [PAIRS[0][1]])]
    assert (ours.precision[0], ours.recall[0], ours.f1[0]) == pytest.approx(expected, abs=2e-6)


@pytest.mark.local_model
def test_order_company_and_normal_form_do_not_matter(folder: ModelFolder, tmp_path: Path) -> None:
    scorer = BertScorer(folder, cache=tmp_path)
    together = scorer.score([*PAIRS, ("cafe\u0301 ", "tea")]).f1
    alone = [BertScorer(folder).score([pair]).f1[0] for pair in [*PAIRS, ("caf\u00e9", "tea")]]
    assert together == pytest.approx(alone, abs=2e-6)
    assert BertScorer(folder, cache=tmp_path).score(PAIRS[::-1]).f1[::-1] == pytest.approx(
        together[: len(PAIRS)], abs=0
    )
    assert scorer.name == f"{folder.name}#{folder.revision} layer 5 fp32"
    assert scorer.compare([]).shape == (0,)
