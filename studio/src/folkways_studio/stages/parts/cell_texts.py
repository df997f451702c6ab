"""What people put into one cell of a spreadsheet: the words of an answer, several of them, or a text with
marks.

Several things are separated by ``;`` or lines. One that contains such a mark is put in quotes, as in CSV.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from folkways_studio.stages.fields import plain

BRACKETS = ("[]", "{}", "<>", "⟦⟧")
"""What marks stand in: the first of these pairs that the text has none of."""


class CellError(ValueError):
    """A cell that cannot be read; says what is wrong with it."""


class Options:
    """Answers and the words that mean them, by which they are found again. named: answer -> its names, the
    surest one first."""

    def __init__(self, named: Iterable[tuple[Any, Sequence[str]]]) -> None:
        self._named = [*named]
        self._tiers = [(same, self._by_name(same, most)) for same in (str, plain) for most in (1, None)]

    def _by_name(self, same: Callable[[str], str], most: int | None) -> dict[str, list[Any]]:
        values: dict[str, list[Any]] = {}
        for value, names in self._named:
            for name in {same(each) for each in names[:most]}:
                values.setdefault(name, []).append(value)
        return values

    def find(self, words: str) -> Any:
        """The answer of that first name, else of any such name, else the same without case and spacing; None
        where there is none or several share it.
        """
        for same, by_name in self._tiers:
            if len(values := by_name.get(same(words), [])) == 1:
                return values[0]
        return None

    def meant(self, words: str) -> Any:
        """The same; CellError in place of None."""
        if (value := self.find(words)) is None:
            raise CellError(f"{shortened(words)} is none of the answers")
        return value


def listed(texts: Iterable[str]) -> str:
    """Things as one cell."""
    return "; ".join(
        '"{}"'.format(each.replace('"', '""')) if re.search('[;="\n]', each) else each for each in texts
    )


def things(cell: str) -> list[str]:
    """The things that ``listed`` or a person put into a cell."""
    return [thing for thing, _ in things_and_marks(cell, ";\n") if thing]


def shortened(text: str) -> str:
    """A cell in quotes, as an error shows it."""
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def things_and_marks(cell: str, marks: str) -> Iterator[tuple[str, str]]:
    """Each thing and the mark after it. Quotes hold only where a mark or the end follows them: 5" is 5"."""
    quoted, bare = rf'"((?:[^"]|"")*+)"[^\S\n]*+(?=[{marks}]|\Z)', f"([^{marks}]*+)"
    for match in re.finditer(rf"\s*+(?:{quoted}|{bare})([{marks}]|\Z)", cell):
        yield (match[2].strip() if match[1] is None else match[1].replace('""', '"')), match[3]


def brackets_for(text: str) -> str | None:
    """The brackets for marks in this text: the first pair that it has none of; None if it has some of
    every pair."""
    return next((pair for pair in BRACKETS if not set(pair) & set(text)), None)


def marked(cell: str, text: str, opening: str, closing: str) -> list[list[int]]:
    """[start, end) of every mark in a cell that repeats the text with brackets (opening, closing).
    CellError if the cell is not that text, or brackets do not pair."""
    places = [index for index, letter in enumerate(text) if not letter.isspace()]
    spans: list[list[int]] = []
    start: int | None = None
    at = 0
    for number, letter in enumerate(cell):
        if letter.isspace():
            continue
        if letter in (opening, closing):
            if (letter == opening) != (start is None) or start == at:
                raise CellError(
                    f"{shortened(cell[number:])}: every {opening} needs a {closing} after it, and words "
                    "between them"
                )
            if start is not None:
                spans.append([places[start], places[at - 1] + 1])
            start = at if start is None else None
        elif at < len(places) and text[places[at]] == letter:
            at += 1
        else:
            rest = shortened(text[places[at] :]) if at < len(places) else "nothing"
            raise CellError(f"the text goes on with {rest}, not with {shortened(cell[number:])}")
    if start is not None or at < len(places):
        raise CellError(
            f"{shortened(cell)} lacks the end of the text"
            if start is None
            else f"{shortened(cell)} lacks a {closing}"
        )
    return spans


def only_place(words: str, text: str) -> list[int]:
    """[start, end) of these words in a text; CellError unless it has them once."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    matches = [*re.finditer(pattern, text)] or [*re.finditer(pattern, text, re.IGNORECASE)]
    if len(matches) == 1:
        return [*matches[0].span()]
    raise CellError(f"{shortened(words)} is {'not' if not matches else f'{len(matches)} times'} in the text")
