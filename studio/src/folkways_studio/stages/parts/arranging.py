"""Parts in which people mark words of a text, or put things in an order or into groups; see ``types``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways_studio.stages.consensus import Found, common_groups, common_order, same_value
from folkways_studio.stages.fields import spans_of
from folkways_studio.stages.parts.base import (
    Content,
    Part,
    PartType,
    Translate,
    UnfitError,
    field_of,
    values_of,
)
from folkways_studio.stages.parts.form_fields import FormFields, spans, text, whole
from folkways_studio.stages.parts.types import Choice, Number, Pairwise, Scale, Several, Text, Texts


class Spans(PartType):
    """Stretches of a text field of the item (``of``): [start, end, words] in code points, the end
    exclusive."""

    settings = ("of",)
    needs = (("of",),)
    empty: ClassVar[Any] = []

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        return spans(fields, field_of(part))

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        marked, problems = str(content.get(part["of"], "")), dict[str, str]()
        pairs = (
            [each[:2] if isinstance(each, list) else each for each in value]
            if isinstance(value, list)
            else value
        )
        clean_pairs = spans_of({"marks": pairs}, "marks", marked, problems)
        if problems:
            raise UnfitError("Mark words of the text, no word twice.", problems["marks"])
        return (
            clean_pairs
            if "field" in part
            else [[start, end, marked[start:end]] for start, end in clean_pairs]
        )

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        common, settled = same_value([tuple(tuple(mark) for mark in each or ()) for each in values], needed)
        return [list(mark) for mark in common or ()] if settled else None, settled

    def label(self, value: Any) -> Any:
        return frozenset((start, end) for start, end, *_ in value)

    def told(self, value: Any, part: Part, content: Content, translate: Translate) -> list[str]:
        return [content[part["of"]][start:end] for start, end in value]

    def line(self, value: Any) -> str:
        return " | ".join(words for _, _, words in value)


class Ranking(PartType):
    """All options from first to last."""

    settings = ("options", "options_from")
    needs = (("options", "options_from"),)

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        placed: list[Any] = [
            [value, rank]
            for number, value in enumerate(values_of(part, content))
            if (rank := whole(text(fields, f"{field_of(part)}-{number}"))) is not None
        ]
        places = sorted(rank for _, rank in placed)
        complete = len(placed) == len(values_of(part, content)) and places == [*range(1, len(placed) + 1)]
        return [value for value, _ in sorted(placed, key=lambda pair: pair[1])] if complete else placed

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        values = values_of(part, content)
        if (
            not isinstance(value, list)
            or not all(isinstance(each, str) for each in value)
            or sorted(value) != sorted(values)
        ):
            raise UnfitError("Give each of them a place of its own.")
        return value

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        orders = [each for each in values if each]
        return common_order(orders, needed) if len(orders) >= needed else (None, not orders)

    def label(self, value: Any) -> Any:
        return tuple(value)

    def line(self, value: Any) -> str:
        return " > ".join(value)


class Grouping(PartType):
    """All options, those that belong together in one group."""

    settings = ("options", "options_from")
    needs = (("options", "options_from"),)

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        groups: dict[int, list[str]] = {}
        for number, value in enumerate(values_of(part, content)):
            group = whole(text(fields, f"{field_of(part)}-{number}"))
            if group is not None:
                groups.setdefault(group, []).append(value)
        return [groups[group] for group in sorted(groups)]

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        values = values_of(part, content)
        groups: list[Any] = (
            [group for group in value if isinstance(group, list)] if isinstance(value, list) else []
        )
        placed: list[str] = [each for group in groups for each in group if isinstance(each, str)]
        if sorted(placed) != sorted(values):
            raise UnfitError("Put each of them into one group.")
        ordered: list[list[str]] = [[each for each in values if each in group] for group in groups if group]
        return sorted(ordered, key=lambda group: values.index(group[0]))

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        groupings = [each for each in values if each]
        return common_groups(groupings, needed) if len(groupings) >= needed else (None, not groupings)

    def label(self, value: Any) -> Any:
        return frozenset(map(frozenset, value))

    def line(self, value: Any) -> str:
        return " | ".join(" = ".join(group) for group in value)


PART_TYPES: Mapping[str, PartType] = {
    "choice": Choice(),
    "several": Several(),
    "scale": Scale(),
    "text": Text(),
    "texts": Texts(),
    "number": Number(),
    "spans": Spans(),
    "pairwise": Pairwise(),
    "ranking": Ranking(),
    "grouping": Grouping(),
}
"""Every type by its name in a study's file."""
