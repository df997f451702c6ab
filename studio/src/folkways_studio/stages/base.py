"""What a kind of stage is. No input or output happens here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from folkways.sdk.studies import Study, Vote
from folkways_studio.stages.fields import raise_if, text_of
from folkways_studio.stages.known_answers import HasKnownAnswers
from folkways_studio.stages.parts.form_fields import FormFields

if TYPE_CHECKING:
    import polars as pl

Content = Mapping[str, Any]
Config = Mapping[str, Any]
Translate = Callable[..., str]
Say = Callable[[Any], str]
"""A text of a study's file, or its texts by language -> the one for whoever reads it."""

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
    ``subpopulation``:
             to be asked again of the populations that are parts of this one, or dropped where there are none.
    branch:  which of the stage's ``next`` stages a done item goes on to: ``done``, or ``disagree`` where
             somebody has to settle it.
    """

    outcome: Outcome
    missing: int = 0
    result: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    branch: str = "done"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where an item comes from: the kind and settings of the stage that it leaves, and that stage's
    judgements of it."""

    kind: str
    config: Config
    votes: Sequence[Vote]


@dataclass(frozen=True, slots=True)
class Sheet:
    """How items look in a workbook: what a row shows, the columns to fill in, how a row becomes a submission
    (SubmissionError by column), help (column -> words) where the names of the columns do not say it, and the
    words that a column offers.
    """

    shown: Callable[[Content], dict[str, str]]
    filled: tuple[str, ...]
    read: Callable[[Mapping[str, str], Content], dict[str, Any]]
    help: Mapping[str, str] = field(default_factory=dict)
    offered: Callable[[Content], Mapping[str, Sequence[str]]] = lambda _: {}


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a stage in a study's file: its default, what it may be, and what it does."""

    default: Any
    about: str
    kind: Literal["count", "number", "flag", "text", "texts", "parts"] = "count"
    least: float = 0

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value, None if nothing is. Where the default is nothing, nothing may be
        given."""
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


class StageKind(HasKnownAnswers):
    """One kind of stage: its rules, its form on a page, its sheet in a workbook, and what leaves the studio
    of it. What a kind asks is read, shown and told by ``asking.Asking``.

    Payloads and contents are JSON; the docstring of each kind gives their fields. Everything here is a pure
    function. What a kind does not need stays as it is here.
    """

    name: ClassVar[str]  # as studies' files call it
    about: ClassVar[str]
    authored: ClassVar[bool] = False  # people write new items instead of being given some
    asks_models: ClassVar[bool] = False  # its authors may ask the study's helper and verifier
    judges_replies: ClassVar[bool] = False  # its items are replies of models, drawn from a run
    can_be_decided: ClassVar[bool] = (
        True  # a researcher or expert may put one result in place of what people said
    )
    options: ClassVar[Mapping[str, Option]] = {}  # besides COMMON_OPTIONS
    branches: ClassVar[tuple[str, ...]] = ("done",)  # the ends that a stage's ``next`` may lead on from
    example: ClassVar[
        Mapping[str, str]
    ] = {}  # a row of a table of items for it: column -> cell; empty where none can be imported
    own_columns: ClassVar[
        tuple[str, ...]
    ] = ()  # columns of an imported table that are its content here, though ids elsewhere
    hidden: ClassVar[
        tuple[str, ...]
    ] = ()  # fields of the content that the people of this stage are not to see
    copied: ClassVar[tuple[str, ...]] = ()  # fields of the content that repeat judgements of an earlier stage
    content_texts: ClassVar[
        Mapping[str, int]
    ] = {}  # texts that an imported item has to have -> the most characters
    compared: ClassVar[
        tuple[str, ...]
    ] = ()  # texts of the content by which repeats among the stage's items are found
    sheet: ClassVar[Sheet | None] = None  # None where it cannot be worked on off line

    # Rules

    def check_config(self, config: Config) -> Mapping[str, str]:
        """What is wrong with settings that fit their kinds one by one: setting -> problem."""
        return {}

    def answers_wanted(self, config: Config) -> int:
        """Answers that an item needs at first."""
        return 1 if self.authored else int(config["answers"])

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """The content of an imported item as it is stored; SubmissionError where a field is missing or
        wrong."""
        problems: dict[str, str] = {}
        texts = {
            name: text_of(content, name, problems, most=most) for name, most in self.content_texts.items()
        }
        more = self.check_fields(content, texts, problems)
        raise_if(problems)
        return {**content, **texts, **more}

    def check_fields(
        self, content: Content, texts: Mapping[str, str], problems: dict[str, str]
    ) -> Mapping[str, Any]:
        """What ``check_content`` stores besides ``content_texts``; notes what is wrong with other fields."""
        return {}

    def media(self, content: Content, config: Config) -> tuple[str, ...]:
        """The names of the files that an item shows: pictures, recordings."""
        return ()

    def example_row(self, config: Config) -> Mapping[str, str]:
        """``example`` with the columns that a stage with these settings needs."""
        return self.example

    @abstractmethod
    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The payload of a judgement: the submission with only known fields, cleaned. SubmissionError names
        every wrong field, in words for the person who filled it in.
        """

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """What the judgements so far come to; they are in order of arrival and without those of people who
        withdrew."""
        missing = config["answers"] - len(votes)
        return Decision("wait", missing) if missing > 0 else self.resolve(votes, content, config)

    @abstractmethod
    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """``decide`` where as many people have answered as the stage asks."""

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The result of an item over which this one judgement decides: a unanimous one, or an expert's."""
        return dict(payload)

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        """The content that a done item hands to the next stage."""
        return {**content, **result}

    def take_over(self, content: Content, arrival: Arrival, config: Config) -> Mapping[str, Any]:
        """The content of an item that comes to this stage from another."""
        return content

    def on_arrival(self, content: Content, config: Config) -> Decision | None:
        """What an item that comes from another stage is settled with at once; None where people have to be
        asked."""
        return None

    def in_common(self, payloads: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The part of a judgement in which all of these, two or more, say the same."""
        first, *others = payloads
        return {
            name: value
            for name, value in first.items()
            if value and all(other.get(name) == value for other in others)
        }

    def redacted(
        self, payload: Mapping[str, Any], fields: Collection[str], content: Content
    ) -> Mapping[str, Any]:
        """The payload with REDACTED in place of every text of these of its fields."""
        return {name: masked(value) if name in fields else value for name, value in payload.items()}

    # Page

    @property
    def form_template(self) -> str:
        """The part of the page with its fields."""
        return f"stages/kinds/{self.name}.html.j2"

    @property
    def help_template(self) -> str:
        """The part of the page with its guidelines and keys."""
        return f"stages/help/{self.name}.html.j2"

    def presented(self, content: Content, seed: str) -> Mapping[str, Any]:
        """What a person is shown: the content without ``hidden`` fields. seed: their pseudonym, for orders of
        their own."""
        return {name: value for name, value in content.items() if name not in self.hidden}

    @abstractmethod
    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the form's template needs besides content, config and draft."""

    @abstractmethod
    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """The submission, as far as it has been filled in; kept as a draft too. Never raises: half a form is
        a fine draft."""

    def draft_of(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """A judgement, or some fields of one, as ``read_form`` would have read it: what its form is filled
        with again."""
        return dict(payload)

    def subject(self, content: Content) -> Content:
        """What an item is about, for the pages of researchers."""
        return content

    def undecided(self, submission: Mapping[str, Any]) -> Mapping[str, str]:
        """Why a whole answer still decides nothing, where somebody decides over an item by it: field -> what
        to do."""
        return {}

    # Workbook

    def sheet_of(self, config: Config, say: Say) -> Sheet | None:
        """``sheet`` with the columns that a stage with these settings needs."""
        return self.sheet

    # Exports

    def tables(self, study: Study) -> Mapping[str, pl.DataFrame]:
        """Name -> table that a study with judgements of this kind exports besides those of every study."""
        return {}

    def codebook(self, config: Config) -> Sequence[Mapping[str, Any]]:
        """What the columns of its tables mean where the study's file says so: ``column``, ``type``,
        ``label``, ``values``, ``required``, ``asked_if``.
        """
        return ()


COMMON_OPTIONS: Mapping[str, Option] = {
    "answers": Option(1, "how many people answer each item", least=1),
    "lease_minutes": Option(
        30.0, "how long an item is kept for a person who does not answer", "number", least=0.01
    ),
    "cap": Option(None, "how many items of this stage one person answers or writes at most"),
    "quota": Option(None, "how many items of this stage one population writes at most"),
    "check_every": Option(None, "every how many items one of known answer comes, an attention check"),
    "min_seconds": Option(None, "answers faster than this are flagged as speeding", "number"),
    "guidelines": Option("", "what people read beside the task", "text"),
    "for_each_population": Option(
        False, "an item that arrives here is asked of every population that has no parts", "flag"
    ),
}
"""Settings that every stage has."""


SUGGESTIONS = Option(True, "a model may suggest an answer, where the study names a suggester", "flag")
"""A setting of the kinds for which ``workflows.suggesting`` has something to suggest."""

REDACTED = "[redacted]"
"""Stands where somebody's words stood."""


def masked(value: Any) -> Any:
    """REDACTED in place of every text in a JSON value; its form stays."""
    if isinstance(value, str):
        return REDACTED if value else value
    if isinstance(value, Mapping):
        return {name: masked(each) for name, each in value.items()}
    return [masked(each) for each in value] if isinstance(value, list) else value
