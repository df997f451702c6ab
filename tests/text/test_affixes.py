"""Affixes: the first that fits goes, once, from the end where it belongs, however often the word has it."""

from __future__ import annotations

import pytest

from folkways.text.languages.affixes import longest_first, without_prefix, without_suffix

SUFFIXES = longest_first("na nana", "ana a")


def test_the_longest_come_first_and_each_once() -> None:
    assert longest_first("b aa", "aa c ab") == ("aa", "ab", "b", "c")


@pytest.mark.parametrize(
    ("word", "shortest", "stem"),
    [
        ("bananana", 2, "bana"),  # the longest, and once
        ("nanana", 2, "na"),
        ("nanana", 3, "nan"),  # too little would stay of the longest, and enough of the next
        ("nanana", 4, "nana"),
        ("nanana", 5, "nanan"),
        ("nanana", 6, "nanana"),
        ("nab", 1, "nab"),  # it stands elsewhere in the word
        ("nananab", 1, "nananab"),
        ("na", 1, "n"),
        ("na", 0, ""),
        ("", 0, ""),
    ],
)
def test_a_suffix_goes_from_the_end(word: str, shortest: int, stem: str) -> None:
    assert without_suffix(word, SUFFIXES, shortest) == stem


@pytest.mark.parametrize(
    ("word", "shortest", "stem"),
    [
        ("menmenmain", 4, "menmain"),
        ("mememain", 4, "memain"),
        ("menain", 4, "nain"),  # the longer would leave three letters
        ("menain", 3, "ain"),
        ("menain", 5, "menain"),
        ("inmen", 1, "inmen"),
        ("men", 0, ""),
    ],
)
def test_a_prefix_goes_from_the_beginning(word: str, shortest: int, stem: str) -> None:
    assert without_prefix(word, longest_first("me men"), shortest) == stem
