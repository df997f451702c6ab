"""Fields of submissions and of items that several kinds of stages read; what is wrong with one is noted under
its name."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folkways.sdk.display import storable
from folkways_studio.errors import Message, SubmissionError

NO_LINES = "has to be a list of texts, none of them empty"
LONGEST_OPTION = 1000
SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(f"[{SPACELESS}]|[^\\s{SPACELESS}]+")
"""A word; or a letter of Thai, Lao, Burmese, Khmer, Japanese or Chinese, which put no spaces between
words."""

MOST_OF_OTHERS = 0.999
"""How much marks share at most that are not the same: one mark of two words is not two marks."""


UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {*map(chr, range(0xFE00, 0xFE10))}
"""Letters and marks of which nothing is seen: fillers of Hangul, the empty cell of Braille, variation
selectors."""

SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Signs before or around numbers, such as the end of a verse, which Unicode counts as Cf too."""


def said(value: str) -> str:
    """A text without outer white space; "" where nothing of it is seen, as of a zero-width space alone."""
    value = storable(value).strip()
    seen = (
        each in SEEN or (each not in BLANKS and unicodedata.category(each) not in UNSEEN) for each in value
    )
    return value if any(seen) else ""


def text_of(
    source: Mapping[str, Any],
    name: str,
    problems: dict[str, str],
    *,
    least: int = 1,
    most: int = 4000,
    ask: str | None = None,
) -> str:
    """The field ``name`` of a source without outer white space.

    problems: gets a sentence if it has fewer than ``least`` characters (``ask``, if given) or more than
    ``most``.
    """
    value = source.get(name, "")
    if not isinstance(value, str):
        problems[name] = "must be text"
        return ""
    value = said(value)
    if len(value) < least:
        problems[name] = ask or (
            Message("This has to be answered.", "must not be empty")
            if least == 1
            else Message(
                "This is too short; characters needed: %(least)s.",
                f"needs at least {least} characters; it has {len(value)}",
                least=least,
            )
        )
    elif len(value) > most:
        named = f"has {len(value)} characters; {most} is the most"
        problems[name] = Message("This is too long; characters allowed: %(most)s.", named, most=most)
    return value


def raise_if(problems: Mapping[str, str]) -> None:
    """Raise a SubmissionError where there are problems."""
    if problems:
        raise SubmissionError(problems)


def options_of(
    source: Mapping[str, Any], problems: dict[str, str], least: int, most: int, ask: str = NO_LINES
) -> list[str]:
    """The field ``options`` of a source: ``least`` to ``most`` different texts.

    problems: gets a sentence otherwise; ``ask`` if some are missing.
    """
    options = source.get("options")
    if not isinstance(options, list) or not all(isinstance(each, str) and said(each) for each in options):
        problems["options"] = ask
        return []
    options = [said(each) for each in options]
    if not least <= len(options) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        problems["options"] = f"needs {wanted} options; there are {len(options)}"
    elif len({each.casefold() for each in options}) < len(options):
        problems["options"] = Message("Two options say the same.")
    elif any(len(each) > LONGEST_OPTION for each in options):
        named = f"an option has more than {LONGEST_OPTION} characters"
        problems["options"] = Message(
            "This is too long; characters allowed: %(most)s.", named, most=LONGEST_OPTION
        )
    return options


def checked_fields(content: Mapping[str, Any], wanted: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Name -> the cleaned value of every wanted field of an item's content; SubmissionError by name.

    wanted: name -> ``type`` and its settings: text (``least`` and ``most`` characters; the default), options
    (``least`` and ``most`` of them), spans (``of`` a field above, ``least`` of them, and ``tagged``: the
    field for the text with tags), or any, with the value of another field (``otherwise``) or a ``default`` if
    it is missing.
    """
    problems: dict[str, str] = {}
    values: dict[str, Any] = {}
    for name, field in wanted.items():
        match field.get("type", "text"):
            case "text":
                values[name] = text_of(
                    content, name, problems, least=field.get("least", 1), most=field.get("most", 4000)
                )
            case "options":
                values[name] = options_of(content, problems, field["least"], field["most"])
            case "spans":
                text = values[field["of"]]
                values[name] = spans_of(content, name, text, problems)
                values[field["tagged"]] = tag(text, values[name])
                if len(values[name]) < field.get("least", 0):
                    problems.setdefault(name, "needs at least one item")
            case "any" if "otherwise" in field:
                values[name] = content.get(name) or values[field["otherwise"]]
            case _:
                values[name] = content.get(name, field["default"])
    raise_if(problems)
    return values


def spans_of(source: Mapping[str, Any], name: str, text: str, problems: dict[str, str]) -> list[list[int]]:
    """The field ``name`` of a source: a list of [start, end) in code points of ``text``, in order and
    apart, without white space at their ends.

    problems: gets a sentence for spans outside the text, empty ones, and ones that overlap.
    """
    marks = source.get(name)
    if not isinstance(marks, list) or not all(_is_pair(each) for each in marks):
        problems[name] = "has to be a list of [start, end]"
        return []
    spans: list[list[int]] = []
    for start, end in sorted(marks):
        if not 0 <= start < end <= len(text):
            problems[name] = f"[{start}, {end}] lies outside the text of {len(text)} characters"
            return []
        piece = text[start:end]
        start, end = start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
        if start >= end:
            problems[name] = "marks nothing but white space"
            return []
        if spans and start < spans[-1][1]:
            problems[name] = "two marks overlap"
            return []
        spans.append([start, end])
    return spans


def positions(letters: str) -> list[int]:
    """Letters (A C, or A, C) as positions from 0, in order."""
    words = letters.upper().replace(",", " ").split()
    return sorted({ord(letter) - ord("A") for letter in words if len(letter) == 1})


def shared(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> float:
    """How much two sets of marks share, 0 to 1: characters in both, of those in either; 1 only where they are
    the same."""
    if sorted(map(list, first)) == sorted(map(list, second)):
        return 1.0
    ours, theirs = (
        {position for start, end in spans for position in range(start, end)} for spans in (first, second)
    )
    return min(len(ours & theirs) / max(len(ours | theirs), 1), MOST_OF_OTHERS)


def plain(value: Any) -> Any:
    """A value without what makes no other answer of it: case, spacing, and the ways of encoding a letter."""
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(each, int) and not isinstance(each, bool) for each in value)
    )


def tag(text: str, spans: list[list[int]]) -> str:
    """The text with ``<CSI>`` tags around its spans, in the spacing of the released corpus."""
    pieces, last = [], 0
    for start, end in spans:
        pieces += [text[last:start], "<CSI> ", text[start:end], " </CSI>"]
        last = end
    return "".join((*pieces, text[last:]))


@dataclass(frozen=True, slots=True)
class FieldParts:
    """One field of an answer, to be compared with a suggestion. whole: equal where both say the same. parts:
    what it is made of: the words of a text, the entries of a list or mapping, or the value alone."""

    whole: Hashable = ""
    parts: frozenset[Hashable] = frozenset()


def parts_of_field(value: Any, *, is_text: bool) -> FieldParts:
    """The parts of a field's value, compared as ``plain`` does; none of an empty one. is_text: words of one's
    own, which are compared word by word (in writing without spaces, letter by letter)."""
    value = plain(value)
    if value in (None, "", [], {}):
        return FieldParts()
    if is_text and isinstance(value, str):
        words: Counter[str] = Counter()
        parts = []
        for word in WORD.findall(value):
            parts.append((word, words[word]))  # the second "the" is another part than the first
            words[word] += 1
        return FieldParts(value, frozenset(parts))
    if isinstance(value, list):
        return FieldParts(canonical(value), frozenset(map(canonical, value)))
    if isinstance(value, dict):
        return FieldParts(
            canonical(value), frozenset((name, canonical(each)) for name, each in value.items())
        )
    return FieldParts(canonical(value), frozenset([canonical(value)]))


def canonical(value: Any) -> str:
    """A JSON value as text that is the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
