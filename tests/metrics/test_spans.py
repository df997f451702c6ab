"""Span metrics: the authors' exact values on synthetic systems, and properties that hold for any text."""

from __future__ import annotations

import csv
import itertools
import re
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.metrics.spans import (
    SpanMatch,
    exact_spans,
    hi_csi,
    hp_csi,
    hp_csi_per_gold,
    si_csi,
    tagged_spans,
)
from folkways.metrics.strings import edit_similarity

pieces = st.sampled_from(
    ["<CSI>", "</CSI>", " ", "\n", "\r", "\u2028", "tea", "Tea", "ß", "İ", "<csi>", "pub quiz", "<CSI/>"]
)
texts = st.lists(pieces | st.text(max_size=3), max_size=14).map("".join)
words = st.text(st.characters(exclude_characters="<>\n", exclude_categories=["Cs"]), max_size=8)
sentences = st.lists(words, max_size=4).map(
    lambda spans: " and ".join(f"<CSI> {span} </CSI>" for span in spans)
)


@pytest.fixture(scope="session")
def systems(xcr_systems: Path) -> Path:
    return xcr_systems / "inputs"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.shared
@pytest.mark.parametrize("system", ["id_gold", "id_mixA", "id_adversarial"])
def test_identification_equals_the_authors_values_row_by_row(
    system: str, systems: Path, shared: Path
) -> None:
    expected = rows(shared / "parity" / "xcr" / "expected" / "identification" / f"{system}.csv")
    given_rows = rows(systems / "identification" / f"{system}.csv")
    assert len(given_rows) == len(expected) == 1034
    for row, wanted in zip(given_rows, expected, strict=True):
        gold, reply = row["Sentence"], row["CSI Output"]
        assert len(tagged_spans(reply, across_lines=False)) == int(wanted["n_pred_hi"])
        assert len(tagged_spans(reply, across_lines=True)) == int(wanted["n_pred_si"])
        assert hi_csi(gold, reply) == float(wanted["hi_csi"])
        soft = si_csi(gold, reply)
        assert soft.precision == pytest.approx(float(wanted["si_precision"]), abs=1e-12)
        assert soft.recall == pytest.approx(float(wanted["si_recall"]), abs=1e-12)
        assert soft.f1 == pytest.approx(float(wanted["si_csi"]), abs=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("system", ["pr_gold", "pr_mixA", "pr_adversarial"])
def test_prediction_equals_the_authors_values_row_by_row(system: str, systems: Path, shared: Path) -> None:
    expected = rows(shared / "parity" / "xcr" / "expected" / "prediction" / f"{system}.csv")
    given_rows = rows(systems / "prediction" / f"{system}.csv")
    assert len(given_rows) == len(expected) == 1034
    for row, wanted in zip(given_rows, expected, strict=True):
        assert hp_csi(row["Sentence"], row["CSI Output"]) == float(wanted["hp_csi"])


@given(texts)
def test_spans_are_those_of_the_plain_regular_expression(text: str) -> None:
    assert tagged_spans(text, across_lines=False) == [
        span.strip() for span in re.findall(r"<CSI>(.*?)</CSI>", text)
    ]
    assert tagged_spans(text, across_lines=True) == [
        span.strip() for span in re.findall(r"(?s)<CSI>(.*?)</CSI>", text)
    ]


def test_a_million_unclosed_tags_are_read_at_once() -> None:
    assert tagged_spans("<CSI>" * 1_000_000, across_lines=False) == []


@given(sentences)
def test_a_copy_of_the_gold_is_perfect(gold: str) -> None:
    assert hi_csi(gold, gold) == 1.0
    assert si_csi(gold, gold).f1 == pytest.approx(1.0)
    assert exact_spans(gold, gold).f1 == 1.0
    assert hp_csi(gold, gold) == len(tagged_spans(gold, across_lines=False))
    assert hp_csi_per_gold(gold, gold) in (None, 1.0)


@given(texts, texts)
def test_scores_stay_in_range_and_the_soft_one_is_never_below_the_exact_one(gold: str, reply: str) -> None:
    gold, reply = gold.replace("\n", " "), reply.replace("\n", " ")
    exact, soft = exact_spans(gold, reply), si_csi(gold, reply)
    for match in (exact, soft):
        assert 0.0 <= match.precision <= 1.0 + 1e-12
        assert 0.0 <= match.recall <= 1.0 + 1e-12
    assert soft.f1 >= exact.f1 - 1e-12
    assert 0.0 <= hi_csi(gold, reply) <= 1.0


@given(sentences, sentences)
def test_swapping_gold_and_reply_swaps_precision_and_recall(one: str, other: str) -> None:
    for metric in (si_csi, exact_spans):
        forth, back = metric(one, other), metric(other, one)
        assert forth.precision == pytest.approx(back.recall)
        assert forth.f1 == pytest.approx(back.f1)


def naive_soft(gold: str, reply: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of the best pairing, found by trying all."""
    expected, found = (
        [span.lower() for span in tagged_spans(text, across_lines=True)] for text in (gold, reply)
    )
    if not expected or not found:
        return (float(expected == found),) * 3
    few, many = sorted((expected, found), key=len)
    best = max(sum(map(edit_similarity, few, chosen)) for chosen in itertools.permutations(many, len(few)))
    precision, recall = best / len(found), best / len(expected)
    return precision, recall, 2 * precision * recall / (precision + recall) if best else 0.0


@given(texts, texts)
def test_the_soft_score_is_that_of_the_best_of_all_pairings(gold: str, reply: str) -> None:
    soft = si_csi(gold, reply)
    assert (soft.precision, soft.recall, soft.f1) == pytest.approx(naive_soft(gold, reply))


def test_only_the_soft_score_reads_across_lines() -> None:
    """Two gold items, the second over two lines; of the three tagged, one is right, one alike, one only for
    who reads lines."""
    gold, reply = "<CSI>tea</CSI> <CSI>high\ntea</CSI>", "<CSI>Tea</CSI> <CSI>high\ntea</CSI>\n<CSI>tea</CSI>"
    assert hi_csi(gold, reply) == hp_csi_per_gold(gold, reply) == 1.0
    assert hp_csi(gold, reply) == 1.0
    assert astuple(exact_spans(gold, reply)) == pytest.approx((0.5, 1.0, 2 / 3))
    assert astuple(si_csi(gold, reply)) == pytest.approx((2 / 3, 1.0, 4 / 5))
    # Had lines been joined in gold alone, the items in the second place would be different ones.
    assert hp_csi("<CSI>a\nb</CSI> <CSI>c</CSI>", "<CSI>c</CSI>") == 1.0
    assert hi_csi("<CSI>a\nb</CSI> <CSI>c</CSI>", "<CSI>c</CSI> <CSI>a\nb</CSI>") == 1.0
    assert exact_spans("<CSI>a\nb</CSI>", "<CSI>a\nb</CSI>") == SpanMatch(1.0, 1.0, 1.0)
    assert (
        exact_spans("<CSI>a\nb</CSI>", "<CSI>a</CSI>")
        == exact_spans("<CSI>a</CSI>", "")
        == SpanMatch(0.0, 0.0, 0.0)
    )
    assert exact_spans("<CSI>a</CSI>", "<CSI>b</CSI>") == SpanMatch(0.0, 0.0, 0.0)


def test_tagging_every_word_is_free_for_hi_and_costs_precision() -> None:
    gold = "We met at the <CSI> pub </CSI>."
    reply = " ".join(f"<CSI> {word} </CSI>" for word in ("We", "met", "at", "the", "pub"))
    assert hi_csi(gold, reply) == 1.0
    assert exact_spans(gold, reply).precision == pytest.approx(0.2)
    assert exact_spans(gold, reply).recall == 1.0


@pytest.mark.parametrize(
    ("gold", "reply", "hi", "soft"),
    [
        ("no item", "no item", 1.0, 1.0),
        ("no item", "<CSI>one</CSI>", 0.0, 0.0),
        ("<CSI>one</CSI>", "no item", 0.0, 0.0),
        ("<CSI>Tea</CSI>", "<CSI> tea </CSI>", 0.0, 1.0),
        ("<CSI>tea</CSI>", "<CSI>\ntea\n</CSI>", 0.0, 1.0),
        ("<CSI>kiss</CSI>", "<CSI>kiß</CSI>", 0.0, 2 / 4),
    ],
)
def test_edges_of_identification(gold: str, reply: str, hi: float, soft: float) -> None:
    assert hi_csi(gold, reply) == hi
    assert si_csi(gold, reply).f1 == pytest.approx(soft)


def test_prediction_counts_pairs_in_order_and_strict_divides_by_gold() -> None:
    gold = "<CSI>tea</CSI> then <CSI>scones</CSI>"
    assert hp_csi(gold, "<CSI>TEA</CSI> then <CSI>scones</CSI> <CSI>jam</CSI>") == 2.0
    assert hp_csi(gold, "<CSI>scones</CSI> then <CSI>tea</CSI>") == 0.0
    assert hp_csi_per_gold(gold, "<CSI>tea</CSI>") == 0.5
    assert hp_csi_per_gold("plain", "<CSI>tea</CSI>") is None
