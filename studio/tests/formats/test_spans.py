"""Tokens of texts in many scripts, tags in IOB2, IOB1 and BILOU, and offsets in UTF-16."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways_studio.formats.spans import (
    Span,
    bilou,
    cut_words,
    from_utf16,
    iob2,
    overlapping,
    spans_of_tags,
    stripped,
    tokens_of,
    with_white_space,
)
from studio.tests.support.spans import spans_within, texts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("🍲🍲 injera, don't", ["🍲", "🍲", "injera", ",", "don", "'", "t"]),
        ("እንጀራ በላን፡", ["እንጀራ", "በላን", "፡"]),
        ("أكلنا الكُشَري", ["أكلنا", "الكُشَري"]),
        ("김치👩‍👩‍👧 떡국👍🏽", ["김치", "👩‍👩‍👧", "떡국", "👍🏽"]),
        ("我们吃饺子", ["我", "们", "吃", "饺", "子"]),
        ("กินข้าว", ["กิ", "น", "ข้", "า", "ว"]),
        ("ラーメン2杯", ["ラ", "ー", "メ", "ン", "2", "杯"]),
        ("cafe\u0301 noir", ["cafe\u0301", "noir"]),
        (" \n", []),
    ],
)
def test_words_of_many_scripts(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in tokens_of(text)] == words


def test_a_word_ends_where_a_span_does() -> None:
    text, spans = "우리가 간다", [(0, 2, "who")]
    assert [text[start:end] for start, end in tokens_of(text, spans)] == ["우리", "가", "간다"]
    assert cut_words(text, [*spans, (4, 6, "what")]) == spans


@given(texts().flatmap(lambda text: st.tuples(st.just(text), spans_within(text))))
def test_tags_keep_every_span(drawn: tuple[str, list[Span]]) -> None:
    text, spans = drawn
    tokens = tokens_of(text, spans)
    tags = iob2(tokens, spans)
    assert "".join(text[start:end] for start, end in tokens) == "".join(text.split())
    assert spans_of_tags(tokens, tags) == spans
    assert spans_of_tags(tokens, bilou(tags)) == spans
    assert not overlapping(spans)


@given(texts())
def test_white_space_as_spacy_has_it(text: str) -> None:
    """A token and the space after it make the text; other white space is a token."""
    tokens = with_white_space(text, tokens_of(text))
    ends = [start for start, _ in tokens[1:]] + [len(text)]
    assert all(text[end:after] in ("", " ") for (_, end), after in zip(tokens, ends, strict=True))
    assert tokens[:1] in ([], [(0, tokens[0][1])])
    assert [token for token in tokens if text[slice(*token)].strip()] == tokens_of(text)


@given(texts(), st.data())
def test_offsets_in_utf16(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(0, end))
    units = [len(text[:each].encode("utf-16-le")) // 2 for each in (start, end)]
    assert from_utf16(text, *units) == (start, end)


def test_half_of_a_character_and_the_end() -> None:
    assert from_utf16("a🍲b", 2, 3) is None
    assert from_utf16("a🍲b", 1, 5) is None
    assert from_utf16("\uffffa", 1, 2) == (1, 2)  # the last character of one unit


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("I-X I-X O I-X B-X", [(0, 3, "X"), (6, 7, "X"), (8, 9, "X")]),  # IOB1
        ("B-X I-Y I-Y B-Y", [(0, 1, "X"), (2, 5, "Y"), (6, 7, "Y")]),
        ("S-X U-X B-X E-X", [(0, 1, "X"), (2, 3, "X"), (4, 7, "X")]),
        ("B-X L-X I-X M-X", [(0, 3, "X"), (4, 7, "X")]),
        ("B-X O I-X O", [(0, 1, "X"), (4, 5, "X")]),
    ],
)
def test_schemes_of_tags(tags: str, spans: list[Span]) -> None:
    tokens = [(2 * number, 2 * number + 1) for number in range(len(tags.split()))]
    assert spans_of_tags(tokens, tags.split()) == spans


def test_spans_that_touch_do_not_overlap() -> None:
    assert not overlapping([(2, 4, "b"), (0, 2, "a")])
    assert overlapping([(0, 3, "a"), (2, 4, "b")])


def test_outer_white_space_is_counted() -> None:
    assert stripped("\n  🍲 soup ") == ("🍲 soup", 3)
