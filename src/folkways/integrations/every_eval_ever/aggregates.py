"""Scores as the results of an Every Eval Ever aggregate."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from folkways.benchmarks.base import Task
from folkways.integrations.every_eval_ever.instances import result_id
from folkways.integrations.scored_log import averaged
from folkways.integrations.stored_run import generation_arguments, metric_of, signature_part
from folkways.records import Metric, State
from folkways.releases.release_records import ReleaseRecord
from folkways.stats.clusters import jackknife
from folkways.workspace.judged_rows import JudgedRow

Row = Mapping[str, Any]
"""A row of records.SCORES."""

_COUNTS = (
    "n",
    "questions",
    "effective_questions",
    *(state.value for state in State),
    "cut",
    "left_out",
    "why_left_out",
)
_TOLD = ("facet", "value", *_COUNTS, "coverage", "at_best", "interval", "profile", "signature")


@dataclass(slots=True)
class Spread:
    """The values of one metric in the rows of one group: what its standard error is made of.

    sums, counts: of each question. squares: of all rows. languages: those asked in.
    """

    sums: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    counts: Counter[str] = field(default_factory=Counter)
    squares: float = 0.0
    languages: dict[str, None] = field(default_factory=dict)

    def add(self, row: JudgedRow, value: float) -> None:
        """Count a row in."""
        self.sums[row.question] += value
        self.counts[row.question] += 1
        self.squares += value * value
        self.languages[row.language] = None

    def uncertainty(self, mean: float, unit: float) -> dict[str, Any]:
        """Standard error and deviation in the unit of the score; empty where the score is not the plain mean
        of these rows.

        mean: the score, divided by ``unit``.
        """
        n = self.counts.total()
        counts = np.array([self.counts[question] for question in self.sums], float)
        sums = np.array(list(self.sums.values()))
        if n < 2 or abs(sums.sum() / n - mean) > TINY:
            return {}
        variance = max(0.0, self.squares - n * mean * mean) / (n - 1)
        numbers: dict[str, Any] = {"standard_deviation": unit * variance**0.5}
        if counts.size > 1:
            error = float(jackknife(sums, counts)[0][()])
            how = "jackknife over questions" if counts.max() > 1 else "jackknife"
            numbers["standard_error"] = {"value": unit * error, "method": how}
        return numbers


TINY = 1e-9
"""How far a mean of rows may be from the score and still be the same number."""


class Spreads(dict[str, Spread]):
    """evaluation_result_id -> the spread of its rows, for scores over everything and over groups."""

    def __init__(self, scored: Iterable[Row]) -> None:
        super().__init__()
        self._facets: defaultdict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
        for row in scored:
            self._facets[row["task"], row["profile"], row["metric"]][row["facet"]] = None

    def add(self, row: JudgedRow, task: str, profile: str, metrics: Sequence[Metric]) -> None:
        """Count a judgement in, in every group that it belongs to.

        row: the judgement, of ``task`` in ``profile``. metrics: those to look at.
        """
        for metric in metrics:
            value = row.details.get(metric.name)
            if value is None:
                continue
            for facet in self._facets[task, profile, metric.name]:
                group = _group(row, facet)
                if group is not None:
                    key = result_id(task, profile, metric.name, facet, group)
                    self.setdefault(key, Spread()).add(row, float(value))


def _group(row: JudgedRow, facet: str) -> str | None:
    """The group of a row by a facet of scores; None if it is in none that can be named."""
    if facet == "all":
        return facet
    values = [getattr(row, name, row.details.get(name)) for name in facet.split("+")]
    return None if None in values else "+".join(map(str, values))


def result(
    row: Row,
    task: Task,
    release: ReleaseRecord,
    data: str,
    references: Iterable[Row],
    began: str,
    spread: Spread | None = None,
    made_by: Mapping[str, str | None] = MappingProxyType({}),
) -> dict[str, Any]:
    """An entry of ``evaluation_results`` for a score of ``task``.

    row: the score, which must be a number. data: release and fingerprint. references: the same score of
    people and baselines. began: when the run began. spread: of the rows of the score. made_by:
    further generation arguments of the schema: the prompt, and a command that asks the same.
    """
    metric = metric_of(task, row["metric"])
    whole = row["facet"] == "all"
    accuracy = metric.accuracy
    unit = metric.scale if accuracy else 1.0
    scale = 1.0 if accuracy else metric.scale
    config: dict[str, Any] = {
        "evaluation_description": f"{task.title}. {metric.explained}",
        "metric_id": ACCURACY if accuracy else f"folkways.{task.name.replace('/', '.')}.{metric.name}",
        "metric_name": metric.label,
        "metric_kind": ACCURACY if accuracy else metric.kind,
        "metric_unit": "proportion" if accuracy else "percent" if metric.scale == 100 else "points",
        "metric_parameters": {"scale": scale, "profile": row["profile"], **averaged(metric)},
        "lower_is_better": metric.lower_is_better,
        "score_type": "continuous",
        "min_score": metric.bounds[0] * scale if metric.bounds else "-Infinity",
        "max_score": metric.bounds[1] * scale if metric.bounds else "Infinity",
    }
    if details := dict(pair for reference in references for pair in _reference(reference, unit)):
        config["additional_details"] = details
    details_of_score = {name: str(row[name]) for name in _TOLD if row[name] is not None}
    if accuracy:
        details_of_score["score_in_percent"] = str(row["score"])
    if spread is not None:
        details_of_score["languages"] = ",".join(spread.languages)
        details_of_score["samples"] = "all" if whole else " and ".join(_same(row["facet"], row["value"]))
    made = {
        "evaluation_result_id": result_id(task.name, row["profile"], metric.name, row["facet"], row["value"]),
        "evaluation_name": task.name if whole else f"{task.name} {row['facet']}={row['value']}",
        "evaluation_timestamp": began,
        "source_data": _source(release, data, row["n"]),
        "metric_config": config,
        "score_details": {
            "score": row["score"] / unit,
            "details": details_of_score,
            "uncertainty": _uncertainty(row, unit)
            | (spread.uncertainty(row["score"] / metric.scale, scale) if spread is not None else {}),
        },
    }
    settings = signature_part(row["signature"], "settings")
    arguments = generation_arguments(settings) | {name: value for name, value in made_by.items() if value}
    if settings or arguments:
        made["generation_config"] = {
            "generation_args": arguments,
            "additional_details": {"settings": settings},
        }
    return made


ACCURACY = "accuracy"
"""The id that the store has for it."""


def _same(facet: str, value: str) -> Iterator[str]:
    """Which instances make up a group, by what their ``metadata`` say."""
    names = facet.split("+")
    for name, part in zip(names, value.split("+", len(names) - 1), strict=False):
        yield f"metadata.{name}={part}"


def _uncertainty(row: Row, unit: float) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": row["n"] - row["left_out"]}
    if row["low"] is not None and row["high"] is not None:
        level = re.search(r"([\d.]+)\s?%", row["interval"])
        uncertainty["confidence_interval"] = {
            "lower": row["low"] / unit,
            "upper": row["high"] / unit,
            **({"confidence_level": float(level[1]) / 100} if level else {}),
            "method": row["interval"],
        }
    return uncertainty


def _reference(row: Row, unit: float) -> Iterable[tuple[str, str]]:
    """The score of people or of a baseline, and its interval, as strings, which the schema demands."""
    for column, ending in (("score", ""), ("low", "_low"), ("high", "_high")):
        if row[column] is not None:
            yield f"{row['endpoint']}{ending}", str(row[column] / unit)


def _source(release: ReleaseRecord, data: str, n: int) -> dict[str, Any]:
    about = {
        "release": data,
        "licence": release.licence,
        "revision": release.revision,
        "homepage": release.homepage,
    }
    common = {
        "dataset_name": release.benchmark,
        "additional_details": {key: value for key, value in about.items() if value},
    }
    if release.source == "hub":
        return {**common, "source_type": "hf_dataset", "hf_repo": release.repository, "samples_number": n}
    if release.source != "folder" and release.homepage:
        return {**common, "source_type": "url", "url": [release.homepage]}
    return {**common, "source_type": "other"}
