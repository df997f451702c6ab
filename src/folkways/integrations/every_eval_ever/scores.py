"""Reads aggregates of Every Eval Ever as scores: ours exactly as they were written, other people's as far as
they say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import tasks as known_tasks
from folkways.errors import DataError
from folkways.evidence.contributions import Contribution
from folkways.integrations.every_eval_ever.samples import (
    averages_of,
    changed,
    details_of,
    is_aggregate,
    is_ours,
    metric_name,
    read_aggregate,
)
from folkways.integrations.scored_log import UNTOLD, ScoredLog, digest, known_culture, of_schema, worst_of
from folkways.json_lines import read_json
from folkways.names import WHOLE
from folkways.records import JUDGEMENTS, SCORES, Metric, Signature, State, empty, headline_of
from folkways.reports.data import PEOPLE

Row = Mapping[str, Any]

TINY = 1e-6
"""How far the mean of single judgements may be from the score of an aggregate and be the same number."""


@dataclass(frozen=True)
class _Result:
    """One entry of ``evaluation_results``: what it is of, and its numbers in the unit of our scores."""

    task: str
    profile: str
    metric: Metric
    facet: str
    value: str
    unit: float
    entry: Row

    @property
    def key(self) -> str:
        return str(self.entry.get("evaluation_result_id"))


def read_contribution(path: Path) -> Contribution:
    """The headline scores of an aggregate, with the single judgements that lie in its folder, if they do.

    DataError where the file is not an aggregate, or a score or a count in it is not a number.
    """
    try:
        document = read_json(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"cannot be read as JSON ({error})", file=path) from None
    if not is_aggregate(document):
        raise DataError("is not an aggregate of Every Eval Ever: it has no 'evaluation_results'", file=path)
    with of_schema(path):
        return _Aggregate(path, document).contribution()


class _Aggregate:
    def __init__(self, path: Path, document: Row) -> None:
        self.path, self.document = path, document
        self.model = str(document["model_info"]["id"])
        self.tasks = known_tasks()
        self.metrics: dict[tuple[str, str], Metric] = {}
        results = list(map(self._result, document["evaluation_results"]))
        by_task: dict[str, dict[str, _Result]] = {}
        for one in results:
            by_task.setdefault(one.task, {}).setdefault(one.metric.name, one)
        self.headline: dict[str, _Result] = {}
        for name, by_metric in by_task.items():
            metrics = self.tasks[name].metrics if name in self.tasks else ()
            headline = headline_of(metrics, by_metric).name if metrics else ""
            self.headline[name] = by_metric.get(headline, next(iter(by_metric.values())))
        self.results = [one for one in results if self._is_shown(one)]

    def _is_shown(self, one: _Result) -> bool:
        first = self.headline[one.task]
        facets = (WHOLE, "culture", first.metric.headline_by)
        alike = (one.profile, one.metric.name) == (first.profile, first.metric.name) and one.facet in facets
        return alike and (one is first or is_ours(one.entry))

    def _result(self, entry: Row) -> _Result:
        """Ours have an id of four parts; of other people's the name is the task."""
        config = entry.get("metric_config") or {}
        if is_ours(entry):
            task, profile, name, group = str(entry["evaluation_result_id"]).split("|", 3)
            facet, _, value = group.partition("=")
            if (task, name) not in self.metrics:
                self.metrics[task, name] = _metric_of(self.tasks.get(task), name, config)
            metric = self.metrics[task, name]
            scale = float((config.get("metric_parameters") or {}).get("scale") or metric.scale)
            return _Result(task, profile, metric, facet, value, metric.scale / scale, entry)
        metric = _foreign_metric(config)
        unit = 100.0 if metric.scale == 100.0 and float(config.get("max_score", 1)) == 1.0 else 1.0
        return _Result(str(entry["evaluation_name"]), "", metric, WHOLE, WHOLE, unit, entry)

    def contribution(self) -> Contribution:
        """The whole of it."""
        signatures = {}
        rows: list[dict[str, Any]] = []
        people: list[dict[str, Any]] = []
        for one in self.results:
            made = self._signature(one)
            signatures[made.text()] = made
            rows.append(self._row(one, made.text()))
            if is_ours(one.entry) and (beyond := _beyond(one.metric, rows[-1], ("score", "low", "high"))):
                raise DataError(f"{one.key}: {beyond}", file=self.path)
            if rows[-1]["low"] is None and not is_ours(one.entry):
                rows[-1]["interval"] = f"none: {self._why_none(one)}"
            people += self._people(one, rows[-1])
        scores = pl.DataFrame(rows, schema=dict(SCORES))
        judgements, faults = [], {}
        for task, first in self.headline.items():
            values = self._values(first)
            if fault := self._fault(first, values):
                faults[self.model, task] = fault
            elif values is not None:
                judged = _judgements(*values, first, self.model)
                judgements.append(judged)
                if not is_ours(first.entry):
                    scores = _summarised(scores, judged, values[0], first)
        return Contribution(
            str(self.document.get("evaluation_id") or self.path.name),
            _time(self.document),
            scores,
            pl.concat(judgements, how="diagonal")
            if judgements
            else empty({**JUDGEMENTS, "endpoint": pl.String}),
            signatures,
            {task: first.metric for task, first in self.headline.items()},
            {task: self.tasks[task].title if task in self.tasks else task for task in self.headline},
            pl.DataFrame(people, schema=dict(SCORES)),
            faults,
        )

    def _row(self, one: _Result, signature: str) -> dict[str, Any]:
        """The row of records.SCORES."""
        details, scored = details_of(one.entry), one.entry["score_details"]
        uncertainty = scored.get("uncertainty") or {}
        ends = _stated(one.entry)
        if float(ends.get("confidence_level") or 0.95) != 0.95:
            ends = {}
        low, high = (
            None if ends.get(end) is None else one.unit * float(ends[end]) for end in ("lower", "upper")
        )
        n = int(
            details.get("n")
            or uncertainty.get("num_samples")
            or (one.entry.get("source_data") or {}).get("samples_number")
            or 0
        )
        counts: dict[str, int | None] = {
            name: int(details.get(name, 0)) for name in (*(state.value for state in State), "cut")
        }
        if "n" not in details:
            counts |= {**dict.fromkeys(UNTOLD), State.ANSWERED.value: n}
        return {
            "endpoint": self.model, "task": one.task, "profile": one.profile, "metric": one.metric.name,
            "facet": one.facet, "value": one.value, "score": one.unit * float(scored["score"]),
            "low": low, "high": high,
            "interval": str(details.get("interval") or ends.get("method") or ""), "n": n,
            "questions": int(details.get("questions", n)),
            "effective_questions": _number(details.get("effective_questions")), **counts,
            "left_out": int(details.get("left_out", 0)),
            "why_left_out": details.get("why_left_out"), "coverage": _number(details.get("coverage")),
            "at_best": _number(details.get("at_best")), "signature": signature,
        }  # fmt: skip

    def _why_none(self, one: _Result) -> str:
        """Why a score of other people has no interval, unless its single judgements give one."""
        level = _stated(one.entry).get("confidence_level")
        stated = f"; it states one of {100 * float(level):g} %" if level else ""
        which = "" if self._samples is None else " that make it"
        return f"the record has no single judgements{which}{stated}"

    def _people(self, one: _Result, row: Row) -> Iterator[dict[str, Any]]:
        """The score of people of the cultures, where the aggregate has it."""
        about = (one.entry.get("metric_config") or {}).get("additional_details") or {}
        if PEOPLE in about:
            numbers = {
                name: _number(about.get(f"{PEOPLE}{end}"))
                for name, end in (("score", ""), ("low", "_low"), ("high", "_high"))
            }
            scaled = {name: None if value is None else one.unit * value for name, value in numbers.items()}
            yield {**row, "endpoint": PEOPLE, **scaled}

    def _signature(self, one: _Result) -> Signature:
        """That of our scores; for others, what the aggregate says of data, prompt and settings."""
        if text := details_of(one.entry).get("signature"):
            return Signature.of_text(str(text))
        source, made = one.entry.get("source_data") or {}, one.entry.get("generation_config") or {}
        arguments = dict(made.get("generation_args") or {})
        prompt = arguments.pop("prompt_template", None)
        arguments.pop("execution_command", None)  # it names the model, so that no two would be alike
        parts = {
            "task": one.task,
            "data": str(source.get("hf_repo") or source.get("dataset_name") or ""),
            "prompts": f"elsewhere#{digest(prompt)}" if prompt else "",
            "settings": ",".join(f"{name}={value}" for name, value in sorted(arguments.items())),
            "by": str((self.document.get("eval_library") or {}).get("name") or ""),
        }
        return Signature({name: value for name, value in parts.items() if value})

    @cached_property
    def _samples(self) -> Path | None:
        named = self.document.get("detailed_evaluation_results")
        name = named.get("file_path") if isinstance(named, dict) else None
        return self.path.with_name(Path(name).name) if isinstance(name, str) else None

    @cached_property
    def _logs(self) -> Sequence[ScoredLog]:
        has_samples = self._samples is not None and self._samples.is_file()
        return read_aggregate(self.path, dict(self.document)) if has_samples else ()

    def _values(self, first: _Result) -> tuple[ScoredLog, Sequence[float | None]] | None:
        """The log of a headline and its values; of rows that do not name their result, those of the only
        score."""
        for log in self._logs:
            if (log.task, log.model) == (first.task, self.model):
                name = metric_name(first.key, first.entry, log.profiles)
                only = next(iter(log.scores.values())) if len(log.scores) == 1 else None
                values = log.scores.get(name, only)
                if values is not None:
                    return log, values
        return None

    def _fault(self, first: _Result, values: tuple[ScoredLog, Sequence[float | None]] | None) -> str:
        """What is wrong with the single judgements of a headline; empty if nothing is, or there are none."""
        samples = self._samples
        # Intervals from a standard error, as most programs state, often end beyond the metric.
        if beyond := _beyond(first.metric, self._row(first, ""), ("score",)):
            return beyond
        if samples is None:
            return ""
        if not samples.is_file():
            return (
                f"{samples.name}, which has the single judgements, does not lie in the folder of the record"
            )
        if changed := self._changed:
            return changed
        if values is None:
            return f"{samples.name} has no judgement of {first.task} by {first.metric.label}"
        rows = [value for value in values[1] if value is not None]
        expected = (first.entry["score_details"].get("uncertainty") or {}).get("num_samples")
        if expected is not None and len(rows) != int(expected):
            return f"{len(rows)} single judgements came, and the score is of {expected}"
        if first.metric.mean_over or "sampling" in self._signature(first).parts:
            return ""  # no plain mean of its rows
        if _lost(first, rows) is None:
            mean, score = _mean(first, rows, worst_of(first.metric, rows)), _score(first)
            return f"the single judgements have the mean {mean:.6g}, and the score is {score:.6g}"
        return ""

    @cached_property
    def _changed(self) -> str:
        return "" if self._samples is None else changed(self._samples, self.document)


def _beyond(metric: Metric, row: Row, names: Sequence[str]) -> str:
    """Which of these numbers of a row is beyond the ends of its metric; empty if none is."""
    low, high = (metric.scale * end for end in metric.bounds or (-math.inf, math.inf))
    words = {"low": "lower end", "high": "upper end"}
    for name in names:
        value, what = row[name], words.get(name, name)
        if value is not None and not (math.isnan(value) or low - TINY <= value <= high + TINY):
            return f"the {what} {value:.6g} does not lie between {low:g} and {high:g}, as {metric.label} does"
    return ""


def _summarised(scores: pl.DataFrame, judged: pl.DataFrame, log: ScoredLog, first: _Result) -> pl.DataFrame:
    """The scores with those of one task made anew of its single judgements, which have intervals and cultures
    where a record of another program has neither."""
    old = scores.filter(task=first.task).row(0, named=True)
    whose = {name: pl.lit(old[name], pl.String) for name in ("endpoint", "profile", "signature")}
    made = log.scores_of(first.metric, judged).with_columns(**whose).select(list(SCORES))
    return pl.concat([scores.filter(pl.col("task") != first.task), made])


def _judgements(log: ScoredLog, values: Sequence[float | None], first: _Result, model: str) -> pl.DataFrame:
    """The judgements of a log, with the headline's column."""
    judged = log.judgements(values, first.metric, ours=is_ours(first.entry), lost=_lost(first, values))
    whose = {"endpoint": pl.lit(model), "profile": pl.lit(first.profile)}
    return judged.with_columns(known_culture(), **whose)


def _lost(first: _Result, values: Sequence[float | None]) -> float | None:
    """What the record counts for a sample without a reply: the worst value, as we do, or 0 as others; None
    where its score is the mean with neither."""
    scale = first.metric.scale / first.unit
    rows = [value for value in values if value is not None]
    fits = (
        lost
        for lost in (worst_of(first.metric, rows), 0.0)
        if abs(_mean(first, rows, lost) - _score(first)) <= TINY * max(1.0, scale)
    )
    return next(fits, None)


def _mean(first: _Result, rows: Sequence[float], lost: float) -> float:
    """The mean of single judgements in the unit of the record."""
    counted = [value if value == value else lost for value in rows]
    return first.metric.scale / first.unit * sum(counted) / len(counted)


def _score(first: _Result) -> float:
    return float(first.entry["score_details"]["score"])


def _stated(entry: Row) -> Row:
    """The interval that a record states."""
    uncertainty = entry["score_details"].get("uncertainty") or {}
    return uncertainty.get("confidence_interval") or {}


def _number(text: Any) -> float | None:
    return None if text is None else float(text)


def _time(document: Row) -> str:
    """When it was asked, in ISO 8601; other programs write seconds since the epoch."""
    text = str(document.get("evaluation_timestamp") or document.get("retrieved_timestamp") or "0")
    try:
        return datetime.fromtimestamp(float(text), UTC).isoformat(timespec="seconds")
    except ValueError:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="seconds")


def _metric_of(task: Task | None, name: str, config: Row) -> Metric:
    """The metric of one of our scores, also of a benchmark that is not installed."""
    for metric in task.metrics if task is not None else ():
        if metric.name == name:
            return metric
    return replace(_foreign_metric(config), name=name, **averages_of(config))


def _foreign_metric(config: Row) -> Metric:
    """A metric as a record describes it: shares are shown in percent."""
    label = str(config.get("metric_name") or config.get("metric_id") or "score")
    low, high = (_finite(config.get(name)) for name in ("min_score", "max_score"))
    percent = (low, high) in ((0.0, 1.0), (0.0, 100.0))
    scale = 100.0 if percent else 1.0
    bounds = (0.0, 1.0) if percent else (low, high) if low is not None and high is not None else None
    if bounds is not None and not bounds[0] < bounds[1]:
        bounds = None  # the record says nothing of them that could be true
    about = str(config.get("evaluation_description") or "")
    lower = config.get("lower_is_better") is True
    return Metric(
        str(config.get("metric_id") or label), label, about, "mean", scale, bounds, lower_is_better=lower
    )


def _finite(value: Any) -> float | None:
    number = _number(value)
    return None if number is None or abs(number) == float("inf") else number
