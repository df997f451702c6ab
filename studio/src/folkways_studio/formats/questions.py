"""What a stage asks, as other projects' formats need it: the parts of an item, their options in words, and
answers that can be read by any of them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from folkways_studio.formats.spans import Span, stripped
from folkways_studio.stages.parts.base import Content, Part, options_of
from folkways_studio.workflows.wordings import StudyTexts


class MismatchError(ValueError):
    """Another project's answer does not fit the stage; says what does not, and what is valid."""


SINGLE, SEVERAL = ("choice", "pairwise"), ("several",)
"""Types of parts whose answer is one option, or some of them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answers of one person to the parts of an item, or what was decided.

    by: their pseudonym; None for what was decided. values: key of a part -> value, of the parts that were
    answered. seconds: how long it took. created: seconds since 1970. None where that is not known.
    """

    by: str | None
    values: Mapping[str, Any]
    seconds: float | None = None
    created: float | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Answers that a model suggests: its name, version ("" for none) and score (0 to 1, or None)."""

    model: str
    version: str
    score: float | None
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Model and version in one, for formats that have no place for both."""
        return f"{self.model} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class AnnotatedItem:
    """An item with everything that was said of it.

    key: unique within its stage. content: as stored. parts: what is asked of it. answers: one per person, in
    order of arrival. decided: what they came to, if anything. meta: population, culture, language, round.
    """

    key: str
    content: Content
    parts: Sequence[Part]
    answers: Sequence[Answer]
    decided: Answer | None = None
    suggestions: Sequence[Suggestion] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class PeerRow:
    """What a row of another project's file says of an item.

    content: its fields, texts without outer white space. answers: of people; ``by`` names them, and is None
    for what was decided. notes: what is left out -> how often.
    """

    content: dict[str, Any]
    answers: list[Answer] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class AnnotatedStage:
    """A stage with its items. show: field -> type (text, image, audio) of what people see. labels: key of a
    part -> the question in the study's own language."""

    name: str
    title: str
    show: Mapping[str, str]
    parts: Sequence[Part]
    labels: Mapping[str, str]
    items: Sequence[AnnotatedItem]


def option_words(part: Part, content: Content) -> dict[Any, str]:
    """Value of an option of a part -> its words, different for each. content: of the item, which may have the
    options."""
    plain = StudyTexts({}, ())
    words = {value: plain.pick(label).text for value, label in options_of(part, content)}
    return words if len({*words.values()}) == len(words) else {value: str(value) for value in words}


def slug(name: str) -> str:
    """A name as keys of parts are written: small letters, digits and _."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[^\w]+", "_", plain).strip("_")


def named(name: str, names: Iterable[str]) -> str | None:
    """The one of ``names`` that another project's name means: the same, else the only one that is the same
    but for case and punctuation; None where there is none."""
    names = [*names]
    if name in names:
        return name
    same = [each for each in names if slug(each) == slug(name)]
    return same[0] if len(same) == 1 else None


def marked_parts(parts: Iterable[Part]) -> dict[str, list[Part]]:
    """Field of the content -> the parts in which people mark its text."""
    by_field: dict[str, list[Part]] = {}
    for part in parts:
        if part["type"] == "spans":
            by_field.setdefault(part["of"], []).append(part)
    return by_field


def spans_in(values: Mapping[str, Any], parts: Iterable[Part]) -> list[Span]:
    """The marks of these parts in somebody's answers, in the order of the text; the label of each is the key
    of its part."""
    return sorted(
        (start, end, part["key"]) for part in parts for start, end, *_ in values.get(part["key"]) or ()
    )


def asked_once(items: Iterable[AnnotatedItem]) -> list[Part]:
    """Every part that is asked of one of the items, the first of each key."""
    parts: dict[str, Part] = {}
    for item in items:
        for part in item.parts:
            parts.setdefault(part["key"], part)
    return [*parts.values()]


Shifts = Mapping[str, int]
"""Field -> how many characters of white space are gone before its text."""


def without_outer_space(fields: Mapping[str, Any]) -> tuple[dict[str, Any], Shifts]:
    """Fields of an item with their texts as items store them, and what is gone before each."""
    content, shifts = dict(fields), dict[str, int]()
    for name, value in fields.items():
        if isinstance(value, str):
            content[name], shifts[name] = stripped(value)
    return content, shifts


def unmarked(values: Mapping[str, Any], parts: Iterable[Part]) -> dict[str, Any]:
    """The answers of somebody who marked nothing where they could have."""
    optional = (part for part in parts if part["type"] == "spans" and part.get("required", True) is False)
    return {**{part["key"]: [] for part in optional if "if" not in part}, **values}


def part_for_label(label: str, to_name: str, marks: Mapping[str, Mapping[str, Part]]) -> tuple[str, str]:
    """The field and the key of the part that a label means; MismatchError where there is none."""
    candidates = [(field, key) for field, parts in marks.items() if (key := named(label, parts)) is not None]
    if len(candidates) > 1:
        candidates = [pair for pair in candidates if pair[0] == named(to_name, marks)]
    if len(candidates) != 1:
        valid = ", ".join(key for parts in marks.values() for key in parts) or "(the stage asks for no marks)"
        raise MismatchError(f"the label {label!r} is no part in which words are marked; valid: {valid}")
    return candidates[0]


def options_meant(chosen: Sequence[str], part: Part, content: Content) -> list[Any]:
    """The values of the options of a part that another project's words mean; MismatchError for any other."""
    if "between" in part:
        sides = dict(zip(("left", "right"), part["between"], strict=True))
        chosen = [sides.get(each, each) for each in chosen]
    words = {**option_words(part, content)}
    by_words = {text: value for value, text in words.items()}
    by_value = {str(value): value for value in words if not part.get("positions")}
    values = []
    for each in chosen:
        name = named(each, by_words) or named(each, by_value)
        if name is None:
            raise MismatchError(f"{each!r} is no option of {part['key']}; valid: {', '.join(by_words)}")
        values.append(by_words[name] if name in by_words else by_value[name])
    return values
