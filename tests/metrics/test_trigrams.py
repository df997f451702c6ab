"""Trigram similarity against sums done by hand and against its own symmetries."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.metrics.strings import TrigramSimilarity

TEXTS = ["Peru", "a peruvian dish", "rice", "ICE"]


def test_two_words_by_hand() -> None:
    """ "rice" is ri, ric, ice, ce; "ICE" is ic, ice, ce: of these, "ice" and "ce " are in both, each in two
    of four texts."""
    alike = TrigramSimilarity(TEXTS)
    one, both = math.log(5 / 2) + 1, math.log(5 / 3) + 1
    by_hand = 2 * both * both / math.sqrt((2 * one**2 + 2 * both**2) * (one**2 + 2 * both**2))
    assert alike("rice", "ICE") == pytest.approx(by_hand)


def naive(texts: list[str], one: str, other: str) -> float:
    """The cosine, trigram by trigram; of letters and blanks alone."""

    def found(text: str) -> list[str]:
        return [
            "".join(three)
            for word in text.lower().split()
            for three in zip(f" {word}", word, f"{word} "[1:], strict=False)
        ]

    def weight(trigram: str, text: str) -> float:
        having = sum(trigram in found(each) for each in texts)
        return found(text).count(trigram) * (math.log((1 + len(texts)) / (1 + having)) + 1)

    every = {*found(one), *found(other)}
    product, first, second = (
        sum(weight(trigram, left) * weight(trigram, right) for trigram in every)
        for left, right in ((one, other), (one, one), (other, other))
    )
    return product / math.sqrt(first * second)


@pytest.mark.parametrize(
    ("one", "other"),
    [("rice", "rice"), ("Peruvian rice rice", "a rice dish"), ("banana", "bananas"), ("Peru a", "a")],
)
def test_any_texts_against_a_naive_cosine(one: str, other: str) -> None:
    assert TrigramSimilarity(TEXTS)(one, other) == pytest.approx(naive(TEXTS, one, other))


def test_rare_trigrams_weigh_more() -> None:
    alike = TrigramSimilarity(["the cat", "the dog", "the owl", "the Andes"])
    assert alike("Andes", "the Andes") > alike("the", "the Andes") > 0


def test_words_without_a_trigram_in_common_are_not_alike() -> None:
    assert TrigramSimilarity(TEXTS)("Peru", "rice") == 0.0
    assert TrigramSimilarity(TEXTS)("", "rice") == TrigramSimilarity([])("?!", "rice") == 0.0


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_from_0_to_1_and_1_for_itself(one: str, other: str) -> None:
    alike = TrigramSimilarity(TEXTS)
    assert alike(one, other) == pytest.approx(alike(other, one))
    assert 0 <= alike(one, other) <= 1 + 1e-9
    if any(character.isalnum() for character in one.casefold()):
        assert alike(one, one) == pytest.approx(1)
