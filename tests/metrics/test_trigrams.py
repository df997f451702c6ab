"""Trigram similarity against sums done by hand and against its own symmetries."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.metrics.trigrams import TrigramSimilarity

TEXTS = ["Peru", "a peruvian dish", "rice", "ICE"]


def test_two_words_by_hand() -> None:
    """ "rice" is ri, ric, ice, ce; "ICE" is ic, ice, ce: of these, "ice" and "ce " are in both, each in two of four texts."""
    alike = TrigramSimilarity(TEXTS)
    one, both = math.log(5 / 2) + 1, math.log(5 / 3) + 1
    by_hand = 2 * both * both / math.sqrt((2 * one**2 + 2 * both**2) * (one**2 + 2 * both**2))
    assert alike("rice", "ICE") == pytest.approx(by_hand)


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
