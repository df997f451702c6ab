"""Marked spans of a text and its tokens: splitting a text, tags of tokens in IOB2 and back, and offsets in
UTF-16."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence

Span = tuple[int, int, str]
"""Start and end (exclusive) in code points of a text, and the label."""

Token = tuple[int, int]
"""Start and end (exclusive) of a token in code points of its text."""

TAG = re.compile(r"O|[BIESLUM]-\S+")
"""A tag of IOB1, IOB2, IOBES or BILOU."""

JOINER = "\u200d"
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af]"
)
"""Letters of scripts that put no space between words: Thai, Lao, Burmese, Khmer, kana and Han."""


def tokens_of(text: str, spans: Iterable[Span] = ()) -> list[Token]:
    """The tokens of a text: words, and every other character with what combines with it. A word ends where a
    span begins or ends; scripts that put no space between words have a token per letter."""
    cuts = {position for start, end, _ in spans for position in (start, end)}
    tokens: list[list[int]] = []
    before = " "
    for position, character in enumerate(text):
        if character.isspace():
            before = character
            continue
        joined = before == JOINER or unicodedata.category(character)[0] == "M" or character == JOINER
        joined = joined or "\U0001f3fb" <= character <= "\U0001f3ff"  # the colour of somebody's skin
        same = not before.isspace() and (joined or (_in_word(before) and _in_word(character)))
        if same and position not in cuts:
            tokens[-1][1] = position + 1
        else:
            tokens.append([position, position + 1])
        if not (same and joined and character != JOINER):
            before = character
    return [(start, end) for start, end in tokens]


def with_white_space(text: str, tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a text as spaCy has them: a space after a token belongs to it, and any more white space
    makes a token of its own."""
    spaced: list[Token] = []
    position = 0
    for start, end in tokens:
        first = position + (position > 0 and text[position] == " ")
        spaced += [(first, start)] if first < start else []
        spaced.append((start, end))
        position = end
    return spaced


def _in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN" and not UNSPACED.match(character)


def cut_words(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans that begin or end within a word: tokenizers that split at spaces have no token for them."""
    bounds = {position for token in tokens_of(text) for position in token} if spans else set()
    return [span for span in spans if not {span[0], span[1]} <= bounds]


def overlapping(spans: Iterable[Span]) -> bool:
    """Whether two spans share a character."""
    ordered = sorted(spans)
    return any(later[0] < earlier[1] for earlier, later in itertools.pairwise(ordered))


def iob2(tokens: Sequence[Token], spans: Iterable[Span]) -> list[str]:
    """The tag of each token. tokens: as ``tokens_of`` makes them with these spans, which do not overlap."""
    tags = []
    ordered = sorted(spans)
    at = 0
    for start, _ in tokens:
        while at < len(ordered) and ordered[at][1] <= start:
            at += 1
        inside = at < len(ordered) and ordered[at][0] <= start
        tags.append(f"{'B' if start == ordered[at][0] else 'I'}-{ordered[at][2]}" if inside else "O")
    return tags


def bilou(tags: Sequence[str]) -> list[str]:
    """Tags of IOB2 as those of BILOU: the last token of a span is L, the only one U."""
    following = [*tags[1:], "O"]
    ends = {"B": "U", "I": "L", "O": "O"}
    return [
        tag if after.startswith("I") else f"{ends[tag[0]]}{tag[1:]}"
        for tag, after in zip(tags, following, strict=True)
    ]


def spans_of_tags(tokens: Sequence[Token], tags: Sequence[str]) -> list[Span]:
    """The spans that tags of IOB1, IOB2, IOBES or BILOU give, from the first token of each to its last."""
    spans: list[list[int | str]] = []
    open_label = None
    for (start, end), tag in zip(tokens, tags, strict=True):
        prefix, _, label = tag.partition("-")
        if prefix == "O":
            open_label = None
            continue
        if prefix in "BSU" or label != open_label:
            spans.append([start, end, label])
        else:
            spans[-1][1] = end
        open_label = None if prefix in "ESLU" else label
    return [(int(start), int(end), str(label)) for start, end, label in spans]


def from_utf16(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Offsets in UTF-16 code units of a text as offsets in code points; None if one of them is outside the
    text or within a character."""
    positions = {0: 0}
    units = 0
    for number, character in enumerate(text, 1):
        units += 2 if character > "\uffff" else 1
        positions[units] = number
    return (positions[start], positions[end]) if start in positions and end in positions else None


def stripped(text: str) -> tuple[str, int]:
    """A text without outer white space, as items store it, and how many characters are gone before it."""
    return text.strip(), len(text) - len(text.lstrip())
