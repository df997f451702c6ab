"""The scores of one model on one task, from a log of another program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, get_args

import orjson
import polars as pl

from folkways.benchmarks.registry import tasks
from folkways.benchmarks.summary import summarise_means
from folkways.cultures import cultures
from folkways.errors import DataError
from folkways.evidence.contributions import Contribution
from folkways.records import JUDGEMENTS, SCORES, Metric, Signature, State, Unit

UNKNOWN = math.nan
"""Score of a sample that was not scored, for example because it failed: it must not count as 0."""

WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values that Inspect's scorers give instead of numbers: correct, partially correct, incorrect, no answer."""

SCALE = ("kind", "scale", "bounds", "lower_is_better", "per", "headline_by", "mean_over")
"""What of a metric its values do not tell; logs of folkways state it."""

STATED = "folkways_metrics"
"""Where they do: in the metadata of a log, metric -> its SCALE."""

SIGNATURE = "signature"
"""Where they state how their scores were made: in the metadata of a log, the text of a records.Signature."""


def scales_of(metrics: Iterable[Metric]) -> dict[str, dict[str, Any]]:
    """Name -> SCALE of these metrics."""
    return {metric.name: {name: getattr(metric, name) for name in SCALE} for metric in metrics}


def scale_of(about: Mapping[str, Any]) -> dict[str, Any]:
    """The SCALE that a log states. ValueError, TypeError or KeyError for anything but a SCALE."""
    ends = about["bounds"] and [float(end) for end in about["bounds"]]
    sound = (
        about["kind"] in ("proportion", "mean", "distribution")
        and about["per"] in get_args(Unit)
        and about["lower_is_better"] in (True, False)
        and (ends is None or (len(ends) == 2 and ends[0] < ends[1]))
        and 0 < float(about["scale"]) < math.inf
    )
    if not sound:
        raise ValueError(f"a metric cannot be {about}")
    facets_of = {name: about[name] for name in ("headline_by", "mean_over")}
    return {
        **{name: about[name] for name in SCALE},
        "lower_is_better": bool(about["lower_is_better"]),
        "scale": float(about["scale"]),
        "bounds": ends and tuple(ends),
        **{name: None if facet is None else str(facet) for name, facet in facets_of.items()},
    }


AVERAGES = ("per", "headline_by", "mean_over")
"""What of it says which rows a score is a mean of; records of folkways state it where these are not all."""


def averaged(metric: Metric) -> dict[str, Any]:
    """Those of a metric's AVERAGES that are not a metric's usual ones."""
    usual = {one.name: one.default for one in fields(Metric)}
    stated = {name: getattr(metric, name) for name in AVERAGES}
    return {name: value for name, value in stated.items() if value != usual[name]}


NUMBERS = tuple(name for name in SCORES if name not in ("endpoint", "task", "profile", "metric", "signature"))
"""The columns of records.SCORES of a score that a log states."""

UNTOLD = (State.REFUSED.value, State.UNREADABLE.value, State.TRUNCATED.value, "cut")
"""Columns of records.SCORES that logs of other programs do not tell."""

Scores = Mapping[str, Sequence[float | None]]

Value = TypeVar("Value")


@contextmanager
def of_schema(path: Path) -> Iterator[None]:
    """DataError where what the block reads in the file, or in one of its folder, is of another kind than the
    program writes."""
    try:
        yield
    except KeyError as error:
        raise DataError(f"is not of the schema: it lacks {error}", file=path) from error
    except (TypeError, ValueError, AttributeError, OverflowError, pl.exceptions.PolarsError) as error:
        raise DataError(f"has a value that is not of the schema ({error})", file=path) from error


class UnscoredLogError(DataError):
    """A log without a score of any sample: of a run that ended at once, or of means over whole documents."""


@dataclass(frozen=True)
class ScoredLog:
    """The samples of one log in its order; every sequence has one entry per sample.

    task, model: names as in the log.
    items: ids of the samples.
    repeats: the epoch, from 1.
    questions: the sampling unit: the item, unless the log says that several items are one question.
    contents: a digest of question and target; samples with the same id and different contents are different
        samples. Empty where the log has no texts.
    scores: name -> values; None where a score does not apply, UNKNOWN for samples that were not scored.
    facets: name -> values to group samples by.
    settings: how the model was asked, for a note where two logs differ.
    notes: sentences that a reader must know.
    lower_is_better: score -> whether less is better, where the log says it.
    stated: score -> its SCALE, or the part of it that the log states.
    numbers: score -> its NUMBERS over everything and in groups, where the log states them.
    created: when it was asked, ISO 8601 in UTC; that of the file where the log does not say.
    profiles: those that a score may be of, ``NAME (PROFILE)``, where the log has several.
    """

    path: Path
    task: str
    model: str
    items: Sequence[str]
    repeats: Sequence[int]
    questions: Sequence[str]
    contents: Sequence[str]
    scores: Scores
    facets: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    lower_is_better: Mapping[str, bool] = field(default_factory=dict)
    stated: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    numbers: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    created: str = ""
    profiles: Sequence[str] = ()

    def in_profile(self, profile: str) -> ScoredLog:
        """The log with the scores of one of its ``profiles``, as a log of that alone names them."""
        end = f" ({profile})"
        names = {name: name.removesuffix(end) for name in self.scores if name.endswith(end)}
        return replace(
            self,
            scores=_renamed(self.scores, names),
            lower_is_better=_renamed(self.lower_is_better, names),
            stated=_renamed(self.stated, names),
            settings={**self.settings, "profile": profile},
            profiles=(),
        )

    @property
    def data(self) -> str:
        """The release with its fingerprint; empty where the log does not say. In logs of the same, an id is
        the same question, however it was put."""
        data = self.settings.get("data", "")
        return data if "#" in data else ""

    def metric(self, score: str, values: Sequence[float | None] | None = None) -> Metric:
        """A score as a metric. Values that all lie between 0 and 1 are shown in percent, unless the log
        states another scale.

        score: one of ``scores``. values: to tell that by; those of this log if None.
        """
        seen = self.scores[score] if values is None else values
        shares = all(0 <= value <= 1 for value in seen if value is not None and not math.isnan(value))
        scale, bounds = (100.0, (0.0, 1.0)) if shares else (1.0, None)
        name = score if score not in JUDGEMENTS else f"score {score}"
        told_by_values = {"kind": "mean", "scale": scale, "bounds": bounds}
        told_by_values["lower_is_better"] = self.lower_is_better.get(score, False)
        return Metric(name, score, "", **{**told_by_values, **self.stated.get(score, {})})

    def untold(self, score: str) -> str:
        """That the log does not say whether less of a score is better, which right and wrong answers need
        not; empty where it does."""
        values = (value for value in self.scores[score] if value is not None and not math.isnan(value))
        if score in self.lower_is_better or {*WORDS.values()}.issuperset(values):
            return ""
        return f"nothing says whether less of {score} is better; more is taken to be better"

    def judgements(
        self,
        values: Sequence[float | None],
        metric: Metric,
        facet: str = "",
        *,
        ours: bool = False,
        lost: float | None = None,
    ) -> pl.DataFrame:
        """records.JUDGEMENTS in the order of the log; a sample that was not scored is missing.

        values: one of ``scores``, which go in the column of the ``metric``. facet: a further column of
        ``facets``, as are the groups that the metric is averaged over; null where there is none. ours:
        whether the samples are of a task of folkways, whose facets name the item, and may name the sample.
        lost: what a missing sample is worth; the worst value if None.
        """
        nothing: Sequence[str | None] = [None] * len(self.items)
        column, names = metric.name, filter(None, (*OWN_COLUMNS, facet, metric.mean_over))
        texts = {name: self.facets.get(name, nothing) for name in names}
        with of_schema(self.path):
            frame = pl.DataFrame(
                {
                    "item": self.facets["item"] if ours else self.items,
                    "question": self.questions,
                    "sample": self._sample_numbers() if ours else self.repeats,
                    column: values,
                    **texts,
                },
                schema={
                    **{"item": pl.String, "question": pl.String, "sample": pl.Int64, column: pl.Float64},
                    **dict.fromkeys(texts, pl.String),
                },
            )
        nobody = pl.lit(None, dtype=pl.String)
        state = (
            pl.when(pl.col(column).is_nan())
            .then(pl.lit(State.MISSING.value))
            .otherwise(pl.lit(State.ANSWERED.value))
        )
        return frame.with_columns(
            pl.col(column).fill_nan(worst_of(metric, values) if lost is None else lost),
            pl.col("language", "variant").fill_null(""),
            task=pl.lit(self.task), counted=pl.lit(True), state=state, answer=nobody, reason=nobody,
        )  # fmt: skip

    def _sample_numbers(self) -> list[int]:
        """As runs count: from 0."""
        if "sample" in self.facets:
            return [int(text or 0) for text in self.facets["sample"]]
        return [repeat - 1 for repeat in self.repeats]

    def scores_of(self, metric: Metric, judgements: pl.DataFrame) -> pl.DataFrame:
        """The score over everything, then that of each culture, as columns of records.SCORES without UNTOLD:
        intervals are clustered by question, and a sample that was not scored stays in the denominator.

        metric: with a column in the ``judgements``, which are those of this log.
        """
        scores = summarise_means(judgements, self.task, [metric], (), [(), ("culture",)])
        return scores.with_columns(pl.lit(None, pl.Int64).alias(name) for name in UNTOLD)

    def contribution(self) -> Contribution:
        """The first of its scores, with its judgements, for a report or a leaderboard;
        UnscoredLogError where it has none."""
        if not self.scores:
            raise UnscoredLogError(f"has no number for any sample of {self.task}", file=self.path)
        score = next(iter(self.scores))
        metric = self.metric(score)
        registered = tasks()
        created = self.created or _moment(datetime.fromtimestamp(self.path.stat().st_mtime, UTC))
        made = Signature({"task": self.task, **self.settings})
        profile = self.settings.get("profile", "")
        by_model = {"endpoint": pl.lit(self.model), "profile": pl.lit(profile)}
        ours = bool(self.data) and None not in self.facets.get("item", [None])
        judged = self.judgements(self.scores[score], metric, ours=ours)
        judgements = judged.with_columns(known_culture(), **by_model)
        if score in self.numbers:  # which may be no plain mean of the samples
            scores = self.numbers[score].with_columns(task=pl.lit(self.task), metric=pl.lit(metric.name))
        else:
            scores = self.scores_of(metric, judgements)
        scores = scores.with_columns(**by_model, signature=pl.lit(made.text()))
        return Contribution(
            self.path.name,
            created,
            scores.select(list(SCORES)),
            judgements,
            {made.text(): made},
            {self.task: metric},
            {
                self.task: registered[self.task].title
                if self.stated and self.task in registered
                else self.task
            },
            notes=[
                *(f"{self.model} on {self.task}: {note}" for note in self.notes),
                *(f"{self.task}: {note}" for note in filter(None, [self.untold(score)])),
            ],
        )


def _renamed(by_name: Mapping[str, Value], names: Mapping[str, str]) -> dict[str, Value]:
    """What is there of these names, by their new ones."""
    return {new: by_name[name] for name, new in names.items() if name in by_name}


def _moment(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")


def moment_of(text: object) -> str:
    """A time in ISO 8601 as one in UTC, to the second; empty where the text is none."""
    try:
        return _moment(datetime.fromisoformat(str(text)))
    except (ValueError, OverflowError):
        return ""


def worst_of(metric: Metric, values: Iterable[float | None]) -> float:
    """What a sample without a score is worth: where less is better and no bound is known, as much as the
    worst of these values."""
    if metric.bounds is None and metric.lower_is_better:
        return max((value for value in values if value is not None and not math.isnan(value)), default=0.0)
    return metric.worst


OWN_COLUMNS = ("culture", "language", "variant")
"""Columns of records.JUDGEMENTS that a log may fill."""


def known_culture() -> pl.Expr:
    """The column ``culture``, null where other people call something else so: reports name and draw cultures
    by their codes."""
    return pl.when(pl.col("culture").is_in([*cultures()])).then("culture")


def number(value: Any) -> float | None:
    """A score as a number; UNKNOWN for text without a numeric meaning and for what no mean can be made of,
    None for lists and other structures."""
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else UNKNOWN
    if isinstance(value, str):
        from_word = WORDS.get(value, WORDS.get(value.lower()))
        if from_word is not None:
            return from_word
        try:
            return number(float(value))
        except ValueError:
            return UNKNOWN
    return None


def columns(rows: Sequence[Mapping[str, float | None]]) -> dict[str, list[float | None]]:
    """Score -> values, for the scores that at least one sample has.

    A score does not apply to a sample that has others alone; one without any was not scored.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    by_name = {name: [row.get(name, None if row else UNKNOWN) for row in rows] for name in names}
    return {
        name: values
        for name, values in by_name.items()
        if any(value is not None and math.isfinite(value) for value in values)
    }


def facets(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str | None]]:
    """Name -> values as text, for keys with a string, number or boolean in every sample that has them."""
    by_name: dict[str, list[str | None]] = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        values = [row.get(name) for row in rows]
        kinds = {*map(type, values)} - {type(None)}
        if kinds and kinds <= {str, int, float, bool}:
            by_name[name] = (
                values if kinds == {str} else [None if value is None else str(value) for value in values]
            )
    return by_name


def digest(*parts: Any) -> str:
    """A short text that is the same for the same parts."""
    return blake2b(orjson.dumps(parts, default=str), digest_size=8).hexdigest()


def told(values: Mapping[str, Any]) -> str:
    """``name=value`` pairs of the values that are not None."""
    return ",".join(f"{name}={value}" for name, value in sorted(values.items()) if value is not None)
