"""The nouns of folkways: frozen records for single things, column schemas for tables. No input or output
happens here.

Everything flows one way (release -> items -> prompts -> responses -> answers -> judgements -> scores ->
report), and each table below is one stretch of that way. A table may carry more columns than its schema names
(facets, metrics, a benchmark's own gold data); ``require_columns`` checks that it carries at least these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Literal, TypeVar

import polars as pl
import polars.selectors as cs

from folkways.errors import DataError, MissingExtraError


class State(StrEnum):
    """How an expected item ended. Every expected item has exactly one state."""

    ANSWERED = "answered"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    TRUNCATED = "truncated"  # unreadable, and the provider says that the token limit cut it
    FAILED = "failed"
    MISSING = "missing"


class Subject(StrEnum):
    """Whose score it is."""

    MODEL = "model"  # an endpoint that was asked, whatever it knows
    PEOPLE = "people"  # people of the culture, under the rule that models are judged by
    # guessing by a rule that knows nothing: the expectation over the items, nobody was asked
    BASELINE = "baseline"


LOST = (State.FAILED.value, State.MISSING.value)
"""The states of items that got no reply: we know nothing about the model on these items; do not score them as
0."""

BASELINE_PREFIX = "baseline/"
"""Endpoints with this prefix are baselines without knowledge: shown next to the models, for scale, and never
counted as models."""


def is_baseline(endpoint: str) -> bool:
    """Whether this endpoint only marks what knowing nothing would score."""
    return endpoint.startswith(BASELINE_PREFIX)


Unit = Literal["item", "question", "orders"]
"""What one value of a metric is of (``Metric.per``)."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One number per judgement, and how it is shown.

    name: column in the judgements (``sem_b``), a float per row or null where it does not apply.
    label: what people read (``SEM-B``).
    scale: what the mean is multiplied with in scores (100 for percentages); above 0, else ValueError.
    kind: ``proportion`` when every value is 0 or 1; ``distribution`` when it compares the answers to a
        question with those of people, where nothing is right or wrong; else ``mean``.
    about: one sentence with the paper's section.
    bounds: between which every value lies, and the interval too, the lower first (else ValueError); None for
        counts and the like, which have no such limits.
    leaves_out: True where the rule of a profile may leave a reply out: null, where the judgement's LEFT_OUT
        says why.
    lower_is_better: True where the metric counts what should not be (refusals, replies in another script).
    per: ``question`` where one value is for a whole question of several rows, and only one of these has it;
        ``orders`` where one value is so for all orders of a question's options.
    mean_over: a facet: the score of the whole is the unweighted mean over its groups, and a limited run asks
        as many of each.
    headline_by: a facet of the scores whose groups are shown in place of the whole, where the two are never
        pooled.
    accuracy: True for the share of right answers, the one number that benchmarks have in common: other
        programs know it by that name, from 0 to 1. ValueError where the values are not 0 or 1, or lower is
        better.
    """

    name: str
    label: str
    about: str
    kind: Literal["proportion", "mean", "distribution"] = "proportion"
    scale: float = 100.0
    bounds: tuple[float, float] | None = (0.0, 1.0)
    leaves_out: bool = False
    lower_is_better: bool = False
    per: Unit = "item"
    mean_over: str | None = None
    headline_by: str | None = None
    accuracy: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf or (self.bounds is not None and not self.bounds[0] < self.bounds[1]):
            raise ValueError(
                f"the metric {self.name} has the scale {self.scale} and the bounds {self.bounds}; give a "
                "scale above 0, and bounds as (lowest, highest), or None for a count"
            )
        if self.accuracy and (self.kind, self.bounds, self.lower_is_better) != (
            "proportion",
            (0.0, 1.0),
            False,
        ):
            raise ValueError(
                f"the metric {self.name} cannot be an accuracy: its values are not 0 (wrong) and 1 (right)"
            )

    @property
    def explained(self) -> str:
        """``about``, and which way is better where it is not the usual one."""
        return f"{self.about} Lower is better.".strip() if self.lower_is_better else self.about

    @property
    def has_direction(self) -> bool:
        """Whether one way is better. Not of a difference from people's mean, which is best at 0."""
        return self.kind != "distribution" or self.bounds is not None

    @property
    def best(self) -> float | None:
        """The value that no reply can beat: the lower bound where lower is better; None without bounds."""
        return None if self.bounds is None else self.bounds[0 if self.lower_is_better else 1]

    @property
    def worst(self) -> float:
        """What no answer is worth unless the task says otherwise: the other bound; 0.0 without bounds."""
        return 0.0 if self.bounds is None else self.bounds[1 if self.lower_is_better else 0]


def headline_of(metrics: Sequence[Metric], measured: Container[str]) -> Metric:
    """The metric that a task is shown, compared and decided by: the first of its ``metrics`` that was
    measured, as some before it need a language model; the first where none was.

    measured: names of metrics, such as the columns of judgements.
    """
    return next((metric for metric in metrics if metric.name in measured), metrics[0])


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a model's maker has said about it. None is what nobody has said, or what folkways does not know.

    provider: who makes it, not who serves it.
    family: models that are compared with one another by size or date.
    size: billions of parameters, all of them.
    released: the day on which it was announced.
    home: code of the culture in which its maker is at home.
    reasoning_of: for a model that reasons, the family of models that do not, with which it is compared.
    line, generation: the line of families that succeed one another under names of their own, and the position
        of its family in it, from 1.
    """

    provider: str | None = None
    family: str | None = None
    size: float | None = None
    released: date | None = None
    home: str | None = None
    reasoning_of: str | None = None
    line: str | None = None
    generation: int | None = None


@dataclass(frozen=True, slots=True)
class DataIssue:
    """Something odd about a release: where it is, what kind it is, the value and what it means. Nothing is
    dropped in silence.

    row is 1-based and counts data rows (the header of a CSV is not a row); for JSON files ``key`` names the
    entry instead.
    """

    file: str
    kind: str
    message: str
    row: int | None = None
    key: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """How a number was made. Same signature and same inputs give the same number; see ``text()`` for the
    one-line form."""

    parts: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """``key:value`` pairs joined by ``|``, in the manner of sacreBLEU. A ``|`` inside a value is written
        ``/``."""
        return "|".join(f"{key}:{value.replace('|', '/')}" for key, value in self.parts.items())

    @classmethod
    def of_text(cls, text: str) -> Signature:
        """The signature that ``text()`` wrote; without parts where it is empty."""
        pairs = (part.partition(":") for part in text.split("|") if part)
        return cls({name: value for name, _, value in pairs})

    def json(self) -> str:
        """The parts in order, as they are stored."""
        return json.dumps(dict(self.parts), ensure_ascii=False)


Schema = Mapping[str, pl.DataType | type[pl.DataType]]

ITEMS: Schema = {
    "task": pl.String,  # "blend/saq"
    "item": pl.String,  # stable id, unique within the task: "KR/Al-en-01"
    # the release's own id ("Al-en-01"), which need not be unique across cultures; null if it has none
    "release_id": pl.String,
    "question": pl.String,  # the unit that is sampled independently; intervals are clustered by it
    "culture": pl.String,  # a code of folkways.cultures
    "text": pl.String,  # the question as a person would read it, for display and search
    "gold": pl.String,  # the accepted answers as a person would read them, for display
}

PROMPTS: Schema = {
    "task": pl.String,
    "item": pl.String,
    "language": pl.String,  # the language it is asked in (a code of folkways.cultures.languages())
    "variant": pl.String,  # prompt template, persona or option order: "inst-4"
    "system": pl.String,  # null without a system prompt
    "user": pl.String,
    # the labels that may be answered (["A", "B", "C", "D"]); null for free text
    "choices": pl.List(pl.String),
    "prompt_source": pl.String,  # "release" (the authors' wording) or "folkways" (ours) or "file:NAME"
}

RESPONSES: Schema = {
    **dict.fromkeys(("task", "item", "language", "variant"), pl.String),
    "sample": pl.Int64,
    # answered, refused (the provider withheld the text), failed or missing; judging refines "answered"
    "state": pl.String,
    "response": pl.String,  # null unless the endpoint said something
    "reason": pl.String,  # why it was refused or failed; null otherwise
}

JUDGEMENTS: Schema = {
    **dict.fromkeys(("task", "item", "question", "culture", "language", "variant"), pl.String),
    "sample": pl.Int64,
    # false where the benchmark's rule takes the item out of the denominator (reason says why)
    "counted": pl.Boolean,
    "state": pl.String,
    "answer": pl.String,  # what was read out of the response
    "reason": pl.String,  # why it was judged as it was
}

LEFT_OUT = "left_out"
"""A column that judgements may have: why the profile's rule leaves the reply out of metrics with
``leaves_out``; null otherwise."""

CUT = "cut"
"""A column that judgements have while they are scored: whether the token limit cut the reply. None is where
it is not there."""

OTHER_LANGUAGE = "other_language"
"""The metric, in tasks that have it, of replies in another language or script than asked: 1 for these, null
where none can tell."""

MANY_IN_OTHER_LANGUAGE = 0.1
"""Share of such replies from which on a score is not of the language that was asked for."""

JUDGED_ITEMS: Schema = {
    **JUDGEMENTS,
    "endpoint": pl.String,
    "profile": pl.String,
    # the question as a person would read it; one with a free answer in the language that it was asked in
    "text": pl.String,
    "gold": pl.String,  # the accepted answers as a person would read them
    "response": pl.String,  # what the model said; untrusted
}
"""Judgements as people read them; facets and one column per metric come besides."""

SCORES: Schema = {
    **dict.fromkeys(("endpoint", "task", "profile", "metric"), pl.String),
    # what the row is grouped by: "all", "culture", "language", "variant", "topic", "culture+language", ...
    "facet": pl.String,
    "value": pl.String,  # the group: "KR", "Food", "KR+ko"; "all" for the whole
    # over n less left_out, times the metric's scale; null where none of these got a reply
    "score": pl.Float64,
    "low": pl.Float64,  # null, as is high, without an interval
    "high": pl.Float64,
    "interval": pl.String,  # "wilson 95%", "modified wilson 95% by question", or why there is none
    "n": pl.Int64,  # the fixed denominator: every counted item that was expected
    "questions": pl.Int64,  # how many independent questions the score rests on
    # how many of equal size would tell as much (Kish); null where that is half of them or more
    "effective_questions": pl.Float64,
    # null, as is cut, where the log of another program does not tell
    **{state.value: pl.Int64 for state in State},
    "cut": pl.Int64,  # of n, how many replies the token limit cut, whatever their state
    "left_out": pl.Int64,  # of n, what the profile's rule leaves out of the score, whatever its state
    "why_left_out": pl.String,  # how many for which reason, as a JSON object; null where nothing is left out
    "coverage": pl.Float64,  # share of n with a reply that the score rests on: all that came, less left_out
    # the score had every failed and missing item been worth the metric's best; equals score at full coverage,
    # and is null below it for a metric without bounds
    "at_best": pl.Float64,
    "signature": pl.String,
}

SCORE_NUMBERS = ("score", "low", "high", "interval", "at_best")
"""The columns of SCORES that depend on how a mean is taken; the others say what it is of, and are counts."""


LIKELIHOODS = "loglik"
"""How the finish reason of a reply begins that is the likeliest of some options."""


def listed_likelihoods(values: Iterable[float]) -> str:
    """The log-probabilities of the options, in their order, as a finish reason: ``loglik -1.2 -0.35667``."""
    return " ".join([LIKELIHOODS, *(f"{value:.5f}" for value in values)])


def likelihoods_of(finish_reason: str | None) -> list[float]:
    """The inverse of ``listed_likelihoods``; empty for any other finish reason."""
    words = (finish_reason or "").split()
    try:
        return [float(word) for word in words[1:]] if words[:1] == [LIKELIHOODS] else []
    except ValueError:
        return []


def with_numbers(row: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, Any]:
    """A row of SCORES with the numbers of another mean. ValueError unless these are exactly SCORE_NUMBERS: a
    number left out would be that of the old mean."""
    if numbers.keys() != {*SCORE_NUMBERS}:
        wrong = ", ".join(sorted({*SCORE_NUMBERS} ^ numbers.keys()))
        raise ValueError(f"another mean has all of records.SCORE_NUMBERS and nothing else: {wrong}")
    return {**row, **numbers}


class Frame(pl.DataFrame):
    """A polars frame as people get it: its ``to_pandas`` says how to install what it lacks."""

    def to_pandas(self, *arguments: Any, **options: Any) -> Any:
        """As polars has it; MissingExtraError with the line that installs pandas and pyarrow where they are
        not there."""
        try:
            return super().to_pandas(*arguments, **options)
        except ModuleNotFoundError as error:
            raise MissingExtraError("to_pandas()", "pandas", error.name or "pandas") from error


def empty(schema: Schema) -> pl.DataFrame:
    """A frame of no rows with exactly these columns."""
    return pl.DataFrame(schema=dict(schema))


def of_rows(rows: Iterable[Sequence[Any]], schema: Schema) -> pl.DataFrame:
    """The frame of these rows, each with a value for every column of the ``schema``, in its order. Polars
    alone may take as many rows as there are columns for columns."""
    return pl.DataFrame(list(rows), schema=dict(schema), orient="row")


def without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with null wherever a float is not a number: what is not known is null, in every frame, file
    and document."""
    return frame.with_columns_seq(cs.float().fill_nan(None))


Frames = TypeVar("Frames", pl.DataFrame, pl.LazyFrame)


SAID = ("answer", "response")
"""Texts that differ from judgement to judgement: as categories they would take several times their size."""


def compact(frame: pl.DataFrame) -> pl.DataFrame:
    """The same judgements in half the memory: text but SAID as categories, one byte for a number where all
    are small and whole."""

    def smaller(column: pl.Series) -> pl.Series:
        if column.dtype == pl.String and column.name not in SAID:
            return column.cast(pl.Categorical)
        if column.dtype == pl.Float64:
            small = column.cast(pl.UInt8, strict=False)
            return small if small.cast(pl.Float64).eq_missing(column).all() else column
        return column

    return frame.select(smaller(column) for column in frame)


def chosen_rows(rows: pl.DataFrame, wanted: pl.Series) -> pl.DataFrame:
    """The rows for which ``wanted`` holds; not copied where they follow one another, as those of a model
    do."""
    number = int(wanted.sum())
    stretch = rows.slice(wanted.arg_max() or 0, number)
    together = wanted.slice(wanted.arg_max() or 0, number).all(ignore_nulls=False)
    return stretch if together else rows.filter(wanted)


def by_slices(rows: pl.DataFrame, size: int, make: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """What ``make`` makes of ``size`` rows at a time, in their order: of a million at once it may take more
    memory than all else. Without rows, what it makes of none.

    rows: of any columns. make: called with some of them, or once with all.
    """
    if rows.height <= size:
        return make(rows)
    return pl.concat(make(part) for part in rows.iter_slices(size))


def plain(frame: Frames) -> Frames:
    """Inverse of ``compact``."""
    return frame.with_columns(cs.categorical().cast(pl.String), cs.by_dtype(pl.UInt8).cast(pl.Float64))


def require_columns(frame: pl.DataFrame, columns: Iterable[str], what: str) -> pl.DataFrame:
    """Return ``frame`` if it has all ``columns`` (names, or a schema); otherwise raise a DataError naming the
    missing ones."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise DataError(
            f"{what} lack the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; "
            f"they have: {', '.join(frame.columns) or '(none)'}"
        )
    return frame
