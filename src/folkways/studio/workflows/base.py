"""What a kind of stage is: pure functions from what people submit to what becomes of an item. No input or output happens here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from folkways.endpoints.clean import storable
from folkways.studio.errors import SubmissionError

Content = Mapping[str, Any]
Config = Mapping[str, Any]

Outcome = Literal["wait", "done", "dropped", "subpopulation"]


@dataclass(frozen=True, slots=True)
class Vote:
    """One judgement as rules see it: who gave it (a pseudonym) and its payload."""

    participant: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the judgements of an item come to.

    outcome: ``wait`` for ``missing`` more answers; ``done`` with a ``result``; ``dropped`` for a ``reason``; ``subpopulation``:
             to be asked again of the populations that are parts of this one, or dropped where there are none.
    branch:  which of the stage's ``next`` stages a done item goes on to: ``done``, or ``disagree`` where somebody has to settle it.
    """

    outcome: Outcome
    missing: int = 0
    result: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    branch: str = "done"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where an item comes from: the kind and settings of the stage that it leaves, and that stage's judgements of it."""

    kind: str
    config: Config
    votes: Sequence[Vote]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a stage in a study's file: its default, what it may be, and what it does."""

    default: Any
    about: str
    kind: Literal["count", "number", "flag", "text", "texts"] = "count"
    least: float = 0

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value, None if nothing is. Where the default is nothing, nothing may be given."""
        if value is None and self.default is None:
            return None
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
        return isinstance(value, list) and all(isinstance(each, str) and each for each in value)


_NAMES = {
    "count": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "text": "text",
    "texts": "a list of texts",
}


class Handler(ABC):
    """One kind of stage. Payloads and contents are JSON; each handler's docstring gives their fields."""

    kind: ClassVar[str]
    about: ClassVar[str]
    authored: ClassVar[bool] = False  # people write new items instead of being given some
    options: ClassVar[Mapping[str, Option]] = {}  # besides COMMON_OPTIONS
    branches: ClassVar[tuple[str, ...]] = ("done",)  # the ends that a stage's ``next`` may lead on from
    example: ClassVar[Mapping[str, str]] = {}  # a row of a table of items for it: column -> cell; empty where none can be imported
    own_columns: ClassVar[tuple[str, ...]] = ()  # columns of an imported table that are its content here, though ids elsewhere
    texts: ClassVar[tuple[str, ...]] = ()  # fields of the payload in a person's own words, which can be redacted
    hidden: ClassVar[tuple[str, ...]] = ()  # fields of the content that the people of this stage are not to see

    def check_config(self, config: Config) -> Mapping[str, str]:
        """What is wrong with settings that fit their kinds one by one: setting -> problem."""
        return {}

    def wanted(self, config: Config) -> int:
        """Answers that an item needs at first."""
        return 1 if self.authored else int(config["answers"])

    @abstractmethod
    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """The content of an imported item as it is stored; SubmissionError where a field is missing or wrong."""

    @abstractmethod
    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The payload of a judgement: the submission with only known fields, cleaned. SubmissionError names every wrong field."""

    @abstractmethod
    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """What the judgements so far come to; they are in order of arrival and without those of people who withdrew."""

    def onward(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """The content that a done item hands to the next stage."""
        return {**content, **result}

    def arriving(self, content: Content, arrival: Arrival, config: Config) -> Mapping[str, Any]:
        """The content of an item that comes to this stage from another."""
        return content

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        """What a person is shown: the content without ``hidden`` fields. seed: their pseudonym, for orders of their own."""
        return {name: value for name, value in content.items() if name not in self.hidden}

    def settled(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The result of an item over which this one judgement decides: an unanimous one, or an expert's."""
        return dict(payload)

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Field -> what agreement is computed over: text, number, or a frozenset where several may be chosen. Empty for none."""
        return {}

    def redacted(self, payload: Mapping[str, Any], fields: Collection[str], content: Content) -> Mapping[str, Any]:
        """The payload with REDACTED in place of every text of these of its fields."""
        return {name: masked(value) if name in fields else value for name, value in payload.items()}

    def passes(self, payload: Mapping[str, Any], check: Mapping[str, Any]) -> bool:
        """Whether a judgement of an attention check is right: it says what the check says, in every field of the check."""
        return all(payload.get(name) == value for name, value in check.items())


COMMON_OPTIONS: Mapping[str, Option] = {
    "answers": Option(1, "how many people answer each item", least=1),
    "lease_minutes": Option(30.0, "how long an item is kept for a person who does not answer", "number", least=0.01),
    "cap": Option(None, "how many items of this stage one person answers or writes at most"),
    "quota": Option(None, "how many items of this stage one population writes at most"),
    "check_every": Option(None, "every how many items an attention check comes"),
    "min_seconds": Option(None, "answers faster than this are flagged as speeding", "number"),
    "guidelines": Option("", "what people read beside the task", "text"),
    "for_each_population": Option(False, "an item that arrives here is asked of every population that has no parts", "flag"),
}
"""Settings that every stage has."""


REDACTED = "[redacted]"
"""Stands where somebody's words stood."""


def masked(value: Any) -> Any:
    """REDACTED in place of every text in a JSON value; its form stays."""
    if isinstance(value, str):
        return REDACTED if value else value
    if isinstance(value, Mapping):
        return {name: masked(each) for name, each in value.items()}
    return [masked(each) for each in value] if isinstance(value, list) else value


def fail(**problems: str) -> SubmissionError:
    """A SubmissionError for these fields."""
    return SubmissionError(problems)


def text_of(source: Mapping[str, Any], name: str, problems: dict[str, str], *, least: int = 1, most: int = 4000) -> str:
    """A text field without outer white space; a problem is noted where it is missing, too short or too long."""
    value = source.get(name, "")
    if not isinstance(value, str):
        problems[name] = "must be text"
        return ""
    value = storable(value).strip()
    if len(value) < least:
        problems[name] = "must not be empty" if least == 1 else f"needs at least {least} characters; it has {len(value)}"
    elif len(value) > most:
        problems[name] = f"has {len(value)} characters; {most} is the most"
    return value


def one_of(source: Mapping[str, Any], name: str, valid: Sequence[str], problems: dict[str, str]) -> str:
    """A field that is one of ``valid``; a problem is noted otherwise."""
    value = source.get(name)
    if value not in valid:
        problems[name] = f"choose one of: {', '.join(valid)}"
        return ""
    return str(value)


def raise_if(problems: Mapping[str, str]) -> None:
    """Raise a SubmissionError where there are problems."""
    if problems:
        raise SubmissionError(problems)
