"""What is hidden of a text, and how far a reply gives it again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.probing.hidden_text import (
    after,
    cut,
    drawn,
    keyword,
    overlap,
    reworded,
    room,
    same,
    tokens,
)

LINES = st.text(st.characters(categories=("L", "M", "N", "P", "Zs")), max_size=80)


@pytest.mark.parametrize(
    ("reply", "hidden", "expected"),
    [
        ("the cat sat", "the cat sat", 1.0),
        ("The  cat, SAT!", "the cat sat", 1.0),
        ("cat the sat", "the cat sat", 2 / 3),  # the longest common subsequence has two words
        ("the cat", "the cat sat", 2 * 2 / (2 + 3)),
        ("the cat sat on a mat until noon", "the cat sat", 1.0),  # what goes on past the end does not count
        ("Sure! Here it is: the cat sat", "the cat sat", 0.0),  # nor does what stands too late
        ("月饼和茶", "月饼", 1.0),
        ("茶", "月饼", 0.0),
        ("", "the cat", 0.0),
        ("cat\nB. hen\nC. owl", "ox\nB. ant\nC. bee", 0.0),  # labels are the same in every item
        ("B", "b.", 1.0),
    ],
)
def test_overlap_by_hand(reply: str, hidden: str, expected: float) -> None:
    assert overlap(reply, hidden) == pytest.approx(expected)


@given(LINES, LINES)
def test_overlap_is_whole_for_the_text_itself_and_never_more(one: str, other: str) -> None:
    assert overlap(one, one) == (1.0 if tokens(one) else 0.0)
    assert 0 <= overlap(one, other) <= 1


def test_what_stands_between_spaces_is_a_word_with_its_vowel_signs() -> None:
    assert tokens("हिन्दी में, क्या?") == ["हिन्दी", "में", "क्या"]
    assert tokens("ABC-д 1.") == ["abc-д", "1"]
    assert tokens("ข้าว") == tokens("ข้าว ")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Rice cake", True),
        ('B. "rice cake."', True),
        ("\n rice cake\nbecause", True),
        ("a rice cake", False),
        ("rice", False),
    ],
)
def test_the_same_text_whatever_stands_around_it(reply: str, expected: bool) -> None:
    assert same(reply, "rice cake") is expected


@pytest.mark.parametrize(
    ("reply", "beginning", "rest"),
    [
        ("In the US, people eat pie", "In the US", " people eat pie"),
        ('"in the us" people', "In the US", " people"),
        ("people eat pie", "In the US", "people eat pie"),
        ("In the UK people", "In the US", "In the UK people"),
        ("中国人过中秋节吃月饼", "中国人过中秋节", "吃月饼"),
        ("In", "In the US", "In"),
    ],
)
def test_a_beginning_that_is_repeated_does_not_count(reply: str, beginning: str, rest: str) -> None:
    assert after(reply, beginning) == rest


@given(
    st.lists(st.sampled_from(["rice", "tea", "who", "eats?"]), min_size=10, max_size=40), st.text(max_size=8)
)
def test_a_text_is_cut_in_two_at_the_same_place_each_time(words: list[str], name: str) -> None:
    found = cut(" ".join(words), name)
    assert found is not None and found == cut(" ".join(words), name)
    first, rest = found
    assert f"{first} {rest}" == " ".join(words)
    assert 0.35 <= len(first.split()) / len(words) <= 0.75


def test_short_texts_are_not_cut_and_unspaced_ones_are() -> None:
    assert cut("Why so?", "x") is None
    first, rest = cut("在中国最受欢迎的圣诞歌曲是什么", "x") or ("", "")
    assert 0.4 <= len(first) / (len(first) + len(rest)) <= 0.7


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("a b c d e f", r"\S+"),  # six words
        ("one two three four five", r"."),  # five, and letters enough
        ("abcdefghijkl", r"."),
        ("abcdefghijk", ""),  # eleven letters
        ("a b c d e", ""),
    ],
)
def test_where_a_text_is_cut_by_how_long_it_is(text: str, unit: str) -> None:
    found = {cut(text, str(number)) for number in range(50)}
    if not unit:
        assert found == {None}
        return
    pieces = re.findall(unit, text)
    shares = set()
    for both in found:
        assert both is not None and "".join(both).replace(" ", "") == text.replace(" ", "")
        assert (
            re.findall(unit, both[1].strip())
            == re.findall(unit, text)[-len(re.findall(unit, both[1].strip())) :]
        )
        shares.add(1 - len(re.findall(unit, both[1])) / len(pieces))
    assert 0.33 <= min(shares) < 0.5 < max(shares) <= 0.75


def test_a_reply_has_room_for_two_bytes_a_token_in_steps_up_to_256() -> None:
    rooms = {0: 32, 31: 32, 32: 64, 95: 64, 96: 96, 415: 224, 416: 256, 5000: 256}
    assert {length: room("a" * length) for length in rooms} == rooms
    assert room("क" * 32) == 96, "three bytes each"


def test_the_keyword_is_the_longest_word_that_stands_once() -> None:
    assert keyword("Do grandparents eat what grandparents cooked?") == "cooked"
    assert keyword("Who is it?") is None
    assert keyword("中国人吃什么") is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Which sport do women in the US play most?", "Which sport do women in the US play most?"),
        ('"Which sport do women in the US play most?"\n\nDone.', "Which sport do women in the US play most?"),
        ("What sport do women play in the US?", None),  # the same
        ("Women in the US play football.", None),  # an answer
        ("What is the answer?", None),  # another question
        (f"What sport do women play, {'so ' * 25}so?", f"What sport do women play, {'so ' * 25}so?"),
        (f"What sport do women play, {'so ' * 25}sos?", None),  # thrice as long: a model that does not stop
        ("", None),
    ],
)
def test_what_counts_as_the_question_in_other_words(reply: str, expected: str | None) -> None:
    assert reworded(reply, "What sport do women play in the US?") == expected


def test_lots_are_spread_and_repeatable() -> None:
    lots = [drawn(f"item-{number}", 4) for number in range(400)]
    assert lots == [drawn(f"item-{number}", 4) for number in range(400)]
    assert all(70 < lots.count(lot) < 130 for lot in range(4))
