"""Placebos of retrieved texts: other items' texts, as long and in the same script."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from folkways.benchmarks.placebo_texts import EQUAL, OtherTexts
from folkways.text.scripts import script_counts

WORDS = st.lists(st.sampled_from(["rice", "tea", "a", "festival", "wedding"]), max_size=12).map(" ".join)
HANGUL = st.lists(st.sampled_from(["밥을", "먹는다", "차"]), max_size=12).map(" ".join)


@example(["차 밥을"], "밥을", 1, "")  # cut between its words, half of so short a text is left
@given(st.lists(WORDS | HANGUL, max_size=30), WORDS | HANGUL, st.integers(0, 3), st.text(max_size=3))
def test_they_are_other_texts_as_long_in_the_same_script(
    texts: list[str], text: str, number: int, lot: str
) -> None:
    texts = [*texts, text]
    drawn = OtherTexts(texts).like(text, number, lot)
    assert drawn == OtherTexts(reversed(texts)).like(text, number, lot)
    assert len(drawn) <= number
    if not text:
        assert drawn == [""] * number
        return
    assert text not in drawn
    for other in drawn:
        assert len(text) * (1 - 2 * EQUAL) <= len(other) <= len(text) * (1 + EQUAL)
        assert [*script_counts(other)][:1] == [*script_counts(text)][:1]
        assert any(full.startswith(other) for full in texts)
    usable = {
        other
        for other in texts
        if not (other.startswith(text) and len(other) > len(text) * (1 + EQUAL))
        and other != text
        and len(other) >= len(text) * (1 - EQUAL)
        and [*script_counts(other)][:1] == [*script_counts(text)][:1]
    }
    assert len(drawn) == min(number, len(usable))


def test_texts_as_long_go_before_the_beginnings_of_longer_ones() -> None:
    texts = ["a" * 10, "b" * 10, "c" * 12, "d" * 13, "e" * 8, "f" * 7]
    assert sorted(OtherTexts(texts).like("a" * 10, 4, "")) == ["b" * 10, "c" * 12, "d" * 10, "e" * 8]


def test_a_longer_text_is_cut_between_words_where_that_leaves_enough() -> None:
    def cut(text: str, length: int) -> list[str]:
        return OtherTexts([text]).like("x" * length, 1, "")

    assert cut("tea at seven and more of it later", 12) == ["tea at seven"]
    assert cut("tea at seven and more of it later", 14) == ["tea at seven"]
    assert cut("tea at seventeenhundredhours today", 14) == ["tea at sevente"]


def test_the_lot_decides_which() -> None:
    texts = [f"{word} and then some" for word in ("tea", "soy", "rye", "fig", "yam", "nut", "egg", "oat")]
    chosen = {tuple(OtherTexts(texts).like(texts[0], 3, str(lot))) for lot in range(20)}
    assert len(chosen) > 10
    assert {text for some in chosen for text in some} == {*texts[1:]}
    assert all(first != second for some in chosen for first, second in pairwise(some))


def test_the_same_are_drawn_in_every_version() -> None:
    """Else a run could not be asked again."""
    texts = [f"{word} and then some" for word in ("tea", "soy", "rye", "fig", "yam", "nut", "egg", "oat")]
    words = {lot: [text[:3] for text in OtherTexts(texts).like(texts[0], 3, lot)] for lot in ("0", "KR/1")}
    assert words == {"0": ["rye", "oat", "egg"], "KR/1": ["soy", "rye", "oat"]}
