"""The scores of one model on one benchmark as the aggregate document of the schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from folkways.benchmarks.base import Task
from folkways.records import Metric, State
from folkways.releases.base import ReleaseRecord

SCHEMA_VERSION = "0.3.0"

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
_SETTINGS = {"temperature": float, "top_p": float, "max_tokens": int}


def result_id(task: str, profile: str, metric: str, facet: str = "all", value: str = "all") -> str:
    """The name of a score, the same in every run: ``blend/saq|strict|sem_b|culture=KR``."""
    return f"{task}|{profile}|{metric}|{facet}={value}"


def result(
    row: Row, task: Task, release: ReleaseRecord, data: str, references: Iterable[Row], began: str
) -> dict[str, Any]:
    """One of ``evaluation_results``.

    row: a score that is a number. data: release and fingerprint. references: the scores of people and
    baselines at the same place.
    """
    metric = metric_of(task, row["metric"])
    whole = row["facet"] == "all"
    config: dict[str, Any] = {
        "evaluation_description": f"{task.title}. {metric.about}",
        "metric_id": f"folkways.{task.name.replace('/', '.')}.{metric.name}",
        "metric_name": metric.label,
        "metric_unit": "percent" if metric.scale == 100 else "points",
        "metric_parameters": {"scale": metric.scale, "profile": row["profile"]},
        "lower_is_better": metric.lower_is_better,
        "score_type": "continuous",
        "min_score": metric.bounds[0] * metric.scale if metric.bounds else "-Infinity",
        "max_score": metric.bounds[1] * metric.scale if metric.bounds else "Infinity",
    }
    if beside := dict(pair for reference in references for pair in _reference(reference)):
        config["additional_details"] = beside
    made = {
        "evaluation_result_id": result_id(task.name, row["profile"], metric.name, row["facet"], row["value"]),
        "evaluation_name": task.name if whole else f"{task.name} {row['facet']}={row['value']}",
        "evaluation_timestamp": began,
        "source_data": _source(release, data),
        "metric_config": config,
        "score_details": {
            "score": row["score"],
            "details": {name: str(row[name]) for name in _TOLD if row[name] is not None},
            "uncertainty": _uncertainty(row),
        },
    }
    settings = _part(row["signature"], "settings")
    if settings:
        made["generation_config"] = {
            "generation_args": _arguments(settings),
            "additional_details": {"settings": settings},
        }
    return made


def metric_of(task: Task, name: str) -> Metric:
    """The task's metric of that name; one without bounds where the task has none of it any more."""
    return next(
        (metric for metric in task.metrics if metric.name == name),
        Metric(name, name, "", "mean", bounds=None),
    )


def _uncertainty(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {"num_samples": row["n"] - row["left_out"]}
    if row["low"] is not None and row["high"] is not None:
        level = re.search(r"([\d.]+)\s?%", row["interval"])
        found["confidence_interval"] = {
            "lower": row["low"],
            "upper": row["high"],
            **({"confidence_level": float(level[1]) / 100} if level else {}),
            "method": row["interval"],
        }
    return found


def _reference(row: Row) -> Iterable[tuple[str, str]]:
    """The score of people or of a baseline, and its interval: strings, as the schema wants them here."""
    for column, ending in (("score", ""), ("low", "_low"), ("high", "_high")):
        if row[column] is not None:
            yield f"{row['endpoint']}{ending}", str(row[column])


def _source(release: ReleaseRecord, data: str) -> dict[str, Any]:
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
        return {**common, "source_type": "hf_dataset", "hf_repo": release.repository}
    if release.source != "folder" and release.homepage:
        return {**common, "source_type": "url", "url": [release.homepage]}
    return {**common, "source_type": "other"}


def _part(signature: str, name: str) -> str:
    """The value of one part of a signature's text; empty where it has none."""
    parts = (part.partition(":") for part in signature.split("|"))
    return next((value for key, _, value in parts if key == name), "")


def _arguments(settings: str) -> dict[str, Any]:
    """What the schema has names for, of a single set of settings (``temperature=0.0,max_tokens=16``)."""
    pairs = dict(pair.partition("=")[::2] for pair in settings.split(","))
    found: dict[str, Any] = {}
    for name, kind in _SETTINGS.items():
        try:
            found[name] = kind(pairs[name])
        except (KeyError, ValueError):  # not set, or several sets
            continue
    return found
