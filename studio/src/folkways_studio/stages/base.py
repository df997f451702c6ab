"""What a stage decides, its settings, and how its items look in a workbook. No input or output happens
here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from folkways.sdk.studies import Vote

Content = Mapping[str, Any]
Config = Mapping[str, Any]
Translate = Callable[..., str]
Say = Callable[[Any], str]
"""A text of a study's file, or its texts by language -> the one in the reader's language."""

SAID_THE_SAME = "everybody said the same"
CHOICES_DIFFER = "the judges chose differently"
MARKS_DIFFER = "the marks differ"
AUTHOR_LEFT = "its author has withdrawn"
REASONS = (SAID_THE_SAME, CHOICES_DIFFER, MARKS_DIFFER, AUTHOR_LEFT)
"""Reasons of decisions that are stored in English and shown in the reader's language; those with numbers or
names are not."""

Outcome = Literal["wait", "done", "dropped", "subpopulation"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the judgements of an item come to.

    outcome: ``wait`` for ``missing`` more answers; ``done`` with a ``result``; ``dropped`` for a ``reason``;
        ``subpopulation``: asked again of the populations that are parts of this one, or dropped if there are
        none.
    branch: which of the stage's ``next`` stages a done item goes on to: ``done``, or ``disagree`` if somebody
        has to settle it.
    """

    outcome: Outcome
    missing: int = 0
    result: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    branch: str = "done"


@dataclass(frozen=True, slots=True)
class Arrival:
    """The stage that an item comes from: its kind, its settings and its judgements of the item."""

    kind: str
    config: Config
    votes: Sequence[Vote]


@dataclass(frozen=True, slots=True)
class WorkbookSchema:
    """How items look in a workbook.

    row_of: content -> the cells that a row shows.
    columns: the columns to fill in.
    read: cells and content -> a submission; SubmissionError by column.
    help: column -> how to fill it in, if its name does not say it.
    choices: content -> column -> the cells to choose from.
    """

    row_of: Callable[[Content], dict[str, str]]
    columns: tuple[str, ...]
    read: Callable[[Mapping[str, str], Content], dict[str, Any]]
    help: Mapping[str, str] = field(default_factory=dict)
    choices: Callable[[Content], Mapping[str, Sequence[str]]] = lambda _: {}


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a stage in a study's file: its default, what it may be, and what it does. choices: the
    only texts that it may be."""

    default: Any
    about: str
    kind: Literal["count", "number", "flag", "text", "texts", "parts"] = "count"
    least: float = 0
    choices: tuple[str, ...] = ()

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value; None if nothing is. None is valid if it is the default."""
        if value is None and self.default is None:
            return None
        if self.choices and value not in self.choices:
            return f"has to be one of {', '.join(self.choices)}, not {value!r}"
        if not self._fits(value):
            return f"has to be {_NAMES[self.kind]}, not {value!r}"
        if self.kind in ("count", "number") and value < self.least:
            return f"has to be at least {self.least:g}, not {value}"
        return None

    def _fits(self, value: Any) -> bool:
        match self.kind:
            case "count":
                return isinstance(value, int) and not isinstance(value, bool)
            case "number":
                return isinstance(value, int | float) and not isinstance(value, bool)
            case "flag":
                return isinstance(value, bool)
            case "text":
                return isinstance(value, str)
            case "parts":
                return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)
        return isinstance(value, list) and all(isinstance(each, str) and each for each in value)


_NAMES = {
    "count": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "text": "text",
    "texts": "a list of texts",
    "parts": "a list of mappings",
}

SHOWN, HIDDEN, HALF = SUGGESTIONS = ("shown", "hidden", "half")

COMMON_OPTIONS: Mapping[str, Option] = {
    "answers": Option(1, "how many people answer each item", least=1),
    "lease_minutes": Option(
        30.0, "how long an item is kept for a person who does not answer", "number", least=0.01
    ),
    "cap": Option(None, "how many items of this stage one person answers or writes at most"),
    "least": Option(None, "how many items one person should answer or write; fewer are flagged"),
    "quota": Option(None, "how many items of this stage one population writes at most"),
    "check_every": Option(None, "every how many items one of known answer comes, an attention check"),
    "min_seconds": Option(None, "answers faster than this are flagged as speeding", "number"),
    "guidelines": Option("", "what people read beside the task", "text"),
    "manual": Option(
        "", "guidelines in full: a text, or the name of a shipped one such as verification/verify", "text"
    ),
    "training": Option(True, "whether people go through the cases of the manual before the work", "flag"),
    "minutes": Option(
        None, "how many minutes one answer is expected to take, before any is timed", "number", 0.01
    ),
    "suggestions": Option(
        "shown",
        "who sees what models suggest for an item: everybody (shown), nobody (hidden), or half, drawn at "
        "random for each person and item, to measure what it does",
        "text",
        choices=SUGGESTIONS,
    ),
    "suggestions_from": Option(
        "", "the model whose suggestion is shown; empty for the one with the highest score", "text"
    ),
    "for_each_population": Option(
        False, "an item that arrives here is asked of every population that has no parts", "flag"
    ),
}
"""Settings that every stage has."""

REDACTED = "[redacted]"
"""Replaces somebody's words."""


def masked(value: Any) -> Any:
    """A JSON value with REDACTED in place of every text that is not empty."""
    if isinstance(value, str):
        return REDACTED if value else value
    if isinstance(value, Mapping):
        return {name: masked(each) for name, each in value.items()}
    return [masked(each) for each in value] if isinstance(value, list) else value


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, but for empty ones."""
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)
