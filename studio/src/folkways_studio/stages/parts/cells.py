"""Answers to the parts of a form as cells of a spreadsheet: how people write each type, and how it is read
again."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from folkways_studio.stages.base import Say
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import Content, Part, options_of, shown_options
from folkways_studio.stages.parts.cell_texts import (
    Options,
    brackets_for,
    listed,
    marked,
    only_place,
    things,
    things_and_marks,
)
from folkways_studio.stages.parts.form_fields import in_digits
from folkways_studio.stages.parts.types import Scale, Texts

TIE = "No difference"
"""As a page says it in English."""


class Cell(ABC):
    """How people write an answer to one type of part in a cell. ``content`` is empty where any item is
    meant."""

    @abstractmethod
    def how(self, part: Part, content: Content, say: Say) -> str:
        """What to write, to follow "write"."""

    @abstractmethod
    def read(self, cell: str, part: Part, content: Content) -> Any:
        """The answer in a cell, which is not empty; CellError. The part's own type still has to take it."""

    def shown(self, part: Part, content: Content) -> Mapping[str, str]:
        """Column -> what a row shows so that the part can be answered."""
        return {}

    def words(self, part: Part, content: Content, say: Say) -> Mapping[Any, str]:
        """Answer -> the words to choose it by, of all that there are; empty where people write in their
        own."""
        return {}

    def offered(self, part: Part, content: Content, say: Say) -> Sequence[str]:
        """The cells to choose from: the words, if there are any."""
        return [*self.words(part, content, say).values()]


class ChoiceCell(Cell):
    """The words of an option."""

    several = "one of"

    def how(self, part: Part, content: Content, say: Say) -> str:
        if "options_from" in part and not content:
            return f"{self.several} what stands in {item_column(part['options_from'])!r}"
        return f"{self.several}: {listed(self.words(part, content, say).values())}"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        return Options(_named(part, content)).meant(cell)

    def shown(self, part: Part, content: Content) -> Mapping[str, str]:
        if "options_from" not in part:
            return {}
        return {item_column(part["options_from"]): listed(value for value, _ in options_of(part, content))}

    def words(self, part: Part, content: Content, say: Say) -> Mapping[Any, str]:
        options = Options(_named(part, content))
        labels = {value: say(label) for value, label in options_of(part, content)}
        return {value: words if options.find(words) == value else value for value, words in labels.items()}


class PairCell(ChoiceCell):
    """``1`` or ``2`` of a pair in the person's order of it."""

    def how(self, part: Part, content: Content, say: Say) -> str:
        first, second = (_pair_column(part, number) for number in (1, 2))
        tie = f", or {TIE}" if part.get("tie") else ""
        return f"1 for what stands in {first!r}, 2 for {second!r}{tie}"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        return Options(_pair(part, content)).meant(cell)

    def shown(self, part: Part, content: Content) -> Mapping[str, str]:
        pair = [words for _, value, words in shown_options(part, content) if value in part["between"]]
        return {_pair_column(part, number): words for number, words in enumerate(pair, 1)}

    def words(self, part: Part, content: Content, say: Say) -> Mapping[Any, str]:
        return {
            value: names[0] if content or value == "tie" else "1 or 2"
            for value, names in _pair(part, content)
        }


class SeveralCell(ChoiceCell):
    """The words of each option."""

    several = "any of"

    def how(self, part: Part, content: Content, say: Say) -> str:
        return f"{super().how(part, content, say)}{_bounds(part)}, with ; between them"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        return [*map(Options(_named(part, content)).meant, things(cell))]

    def offered(self, part: Part, content: Content, say: Say) -> Sequence[str]:
        return ()


class RankingCell(SeveralCell):
    """The words of all options in order."""

    several = "all of"

    def how(self, part: Part, content: Content, say: Say) -> str:
        return f"{super().how(part, content, say)}, the first one first"


class GroupingCell(SeveralCell):
    """The words of all options, those of a group joined by ``=``."""

    several = "all of"

    def how(self, part: Part, content: Content, say: Say) -> str:
        return f"{super().how(part, content, say)}, those that belong together joined by =, as in A = B; C"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        options, groups = Options(_named(part, content)), list[list[Any]]([[]])
        for thing, mark in things_and_marks(cell, ";=\n"):
            if thing:
                groups[-1].append(options.meant(thing))
            if mark != "=":
                groups.append([])
        return [group for group in groups if group]


class ScaleCell(Cell):
    """A point of the scale, or the words at one of its ends."""

    def how(self, part: Part, content: Content, say: Say) -> str:
        points, (least, most) = (
            Scale.points(part),
            [f" ({say(end)})" for end in part.get("ends", ())] or ("", ""),
        )
        return f"a whole number from {points[0]}{least} to {points[-1]}{most}"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        points = Scale.points(part)
        if re.fullmatch(r"[+-]?\d{1,9}", cell):
            return int(cell)
        ends = zip((points[0], points[-1]), part.get("ends", ()), strict=False)
        return Options([(point, [*_texts(end)]) for point, end in ends]).meant(cell)

    def words(self, part: Part, content: Content, say: Say) -> Mapping[Any, str]:
        return {point: str(point) for point in Scale.points(part)}


class NumberCell(Cell):
    """A number as a page takes it."""

    def how(self, part: Part, content: Content, say: Say) -> str:
        return f"a number{_bounds(part)}, with a point before decimals and nothing between its thousands"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        return PART_TYPES["number"].read(_OneField(cell), part, content)


class TextCell(Cell):
    """Words of one's own."""

    def how(self, part: Part, content: Content, say: Say) -> str:
        return f"it in your own words{_bounds(part, ' characters')}"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        return cell


class TextsCell(Cell):
    """A few texts of one's own."""

    def how(self, part: Part, content: Content, say: Say) -> str:
        return f"it in your own words, at most {Texts.most(part)} answers with ; between them"

    def read(self, cell: str, part: Part, content: Content) -> Any:
        return things(cell)


class SpansCell(Cell):
    """The text again with brackets around each mark; or the words alone, if the text has each once."""

    def how(self, part: Part, content: Content, say: Say) -> str:
        pair = brackets_for(str(content.get(part["of"], "")))
        words = "only the words that you mark, with ; between them"
        if pair is None:
            return words
        other = "" if content else " ({ } where the text has [ or ] itself)"
        return (
            f"what stands in {item_column(part['of'])!r} again, with {pair[0]} {pair[1]} around what "
            f"you mark{other}, or {words}"
        )

    def shown(self, part: Part, content: Content) -> Mapping[str, str]:
        return {item_column(part["of"]): str(content.get(part["of"], ""))}

    def read(self, cell: str, part: Part, content: Content) -> Any:
        text = str(content.get(part["of"], ""))
        pair = brackets_for(text)
        if pair and (pair[0] in cell or pair[1] in cell or "".join(cell.split()) == "".join(text.split())):
            return marked(cell, text, *pair)
        return [only_place(words, text) for words in things(cell)]


CELLS: Mapping[str, Cell] = {
    "choice": ChoiceCell(),
    "several": SeveralCell(),
    "scale": ScaleCell(),
    "text": TextCell(),
    "texts": TextsCell(),
    "number": NumberCell(),
    "spans": SpansCell(),
    "pairwise": PairCell(),
    "ranking": RankingCell(),
    "grouping": GroupingCell(),
}
"""Every type of part (``PART_TYPES``) by its name."""


def item_column(field: str) -> str:
    """The column with a field of the item; ``assignment`` is the workbook's own."""
    return f"{field}: item" if field == "assignment" else field


def _texts(words: Any) -> Iterable[str]:
    """A text, or texts by language, in all of its languages."""
    return words.values() if isinstance(words, Mapping) else (words,)


def _named(part: Part, content: Content) -> list[tuple[Any, list[str]]]:
    """Each option and its words in every language."""
    return [(value, [value, *_texts(words)]) for value, words in options_of(part, content)]


def _pair(part: Part, content: Content) -> list[tuple[Any, list[str]]]:
    """Each of a pair by its number in the person's order, its field and its text; and no difference."""
    pair = enumerate(shown_options(part, content), 1)
    return [
        (value, [TIE if value == "tie" else str(number), value, words]) for number, (_, value, words) in pair
    ]


def _bounds(part: Part, unit: str = "") -> str:
    return "".join(f", at {name} {in_digits(part[name])}{unit}" for name in ("least", "most") if name in part)


def _pair_column(part: Part, number: int) -> str:
    return f"{part['key']}: {number}"


class _OneField:
    """A cell as the one field that a part is read of."""

    def __init__(self, cell: str) -> None:
        self.cell = cell

    def get(self, key: str, default: str, /) -> str:
        return self.cell

    def getlist(self, key: str, /) -> list[str]:
        return [self.cell]
