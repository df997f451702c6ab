"""The headlines of tasks whose first score is not the one that is shown: exports name the groups that are never
pooled, and take the first metric that was measured."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import folkways
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.summary import ASKED_IN
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.integrations.every_eval_ever.export import export_run as export_every_eval_ever
from folkways.integrations.hub.eval_results import HubAddresses, export_eval_results
from folkways.integrations.hub.judgements import config_name, export_judgements
from folkways.records import headline_of
from folkways.workspace.run_records import RunRecord, find_asked_run
from tests.support.papers_data import write_papers_data
from tests.support.semeval_data import write_semeval

SPLIT = [
    task.name
    for benchmark in benchmarks().values()
    for task in benchmark.tasks
    if any(metric.headline_by for metric in task.metrics)
]
TASKS = tuple(dict.fromkeys([*SPLIT, "semeval2026/saq", "xcr/adaptation"]))
LABELS = ("local language", "English")


@dataclass(frozen=True)
class Asked:
    """A run of TASKS with a model that knows a part, and its scores."""

    run: folkways.Run
    record: RunRecord

    def scores(self, task: str) -> pl.DataFrame:
        return self.run.scores().filter(task=task)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("headlines")
    releases = write_papers_data(folder)
    used = {name: releases[name] for name in ("blend", "xcr")}
    used["semeval2026"] = str(write_semeval(folder / "semeval"))
    model = BaselineEndpoint("lab/model", "lab/model", lambda request: _reply(request.item, request.language))
    done = folkways.run(
        TASKS, models=[model], releases=used,
        workspace=folder / "w.db", profile="strict",
    )  # fmt: skip
    yield Asked(done, find_asked_run(done.workspace, done.name))


def _reply(item: str, language: str) -> str:
    if item.startswith("KR/") and language == "ko":
        return "krish" + "abcdefghij"[int(item[-1])]
    return "coffee" if language == "en" else "tea"


def test_some_tasks_have_headlines_that_are_never_pooled() -> None:
    assert {"blend/saq"} <= {*SPLIT}


@pytest.mark.parametrize("task", [*SPLIT, "semeval2026/saq"])
def test_exported_judgements_come_to_the_score_in_each_language(
    asked: Asked, task: str, tmp_path: Path
) -> None:
    """Also where the licence keeps the items here."""
    metric = headline_of(get_task(task).metrics, asked.scores(task)["metric"])
    export_judgements(asked.run.workspace, asked.record, tmp_path)
    rows = pl.read_parquet(tmp_path / config_name(task)).filter("counted")
    means = rows.group_by(ASKED_IN).agg(100 * pl.col(metric.name).mean(), pl.len())
    scores = asked.scores(task).filter(facet=ASKED_IN, metric=metric.name)
    exported = {value: (pytest.approx(mean), n) for value, mean, n in means.iter_rows()}
    assert {
        value: (score, n) for value, score, n in scores.select("value", "score", "n").iter_rows()
    } == exported
    assert {*exported} == {*LABELS}


def test_each_score_of_a_record_is_that_of_the_instances_it_names(asked: Asked, tmp_path: Path) -> None:
    export_every_eval_ever(asked.run.workspace, asked.record, tmp_path, unlicensed_items=True)
    split = set[str]()
    for path in tmp_path.rglob("*.json"):
        document = json.loads(path.read_bytes())
        instances = defaultdict(list)
        if "detailed_evaluation_results" not in document:
            continue
        lines = (tmp_path / document["detailed_evaluation_results"]["file_path"]).read_text("utf-8")
        for line in lines.splitlines():
            row = json.loads(line)
            instances[row["evaluation_result_id"]].append(row)
        for score in document["evaluation_results"]:
            task, profile, metric, group = score["evaluation_result_id"].split("|")
            rows = instances[f"{task}|{profile}|{metric}|all=all"]
            values = [row["evaluation"]["score"] for row in rows if _named(score, row)]
            assert values, score["evaluation_result_id"] + score["score_details"]["details"]["samples"]
            scale = score["metric_config"]["metric_parameters"]["scale"]
            assert sum(values) / len(values) * scale == pytest.approx(score["score_details"]["score"])
            split |= {task} if group.partition("=")[2] in LABELS else set()
    assert {*SPLIT} <= split


def _named(score: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether a score names an instance as one of those that it is of."""
    said = score["score_details"]["details"]["samples"]
    if said == "all":
        return True
    pairs = (part.removeprefix("metadata.").split("=", 1) for part in re.split(r" and (?=metadata\.)", said))
    return all(row["metadata"][name] == value for name, value in pairs)


@pytest.mark.parametrize("task", TASKS)
def test_a_models_page_has_the_first_score_that_was_measured_and_its_groups(
    asked: Asked, task: str, tmp_path: Path
) -> None:
    addresses = HubAddresses({task.split("/")[0]: "lab/data"})
    files, _ = export_eval_results(
        asked.run.workspace, asked.record, tmp_path, tasks=[task], profile="strict", addresses=addresses
    )
    ((entry,),) = (yaml.safe_load(file.path.read_text("utf-8")) for file in files)
    scores = asked.scores(task)
    metric = headline_of(get_task(task).metrics, scores["metric"])
    of_metric = scores.filter(metric=metric.name)
    assert entry["value"] == pytest.approx(of_metric.filter(facet="all")["score"][0], abs=0.005)
    assert entry["notes"].startswith(f"{metric.label}, percent; ")
    groups = of_metric.filter(facet=metric.headline_by or "").select("value", "score").rows()
    assert all(f"; {name} {score:.2f};" in entry["notes"] for name, score in groups)
    assert len(groups) == (2 if task in SPLIT else 0)
