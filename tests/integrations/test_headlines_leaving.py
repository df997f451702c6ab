"""Headlines that are no plain mean of all rows leave as they are: of tasks whose languages are never pooled, whose
first metric was not measured, or whose score is of whole questions or a mean over groups."""

from __future__ import annotations

import contextlib
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any
from zlib import crc32

import polars as pl
import pytest
import yaml

import folkways
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.summary import ASKED_IN
from folkways.endpoints.base import Request
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.errors import DataError
from folkways.integrations.compare_logs import read_logs
from folkways.integrations.every_eval_ever.export import export_run as export_every_eval_ever
from folkways.integrations.hub.eval_results import HubAddresses, export_eval_results
from folkways.integrations.hub.judgements import config_name, export_judgements
from folkways.integrations.inspect.export import export_run as export_logs
from folkways.integrations.leaderboard import contributions_of
from folkways.integrations.report_logs import verdict_on_logs
from folkways.integrations.scored_log import NUMBERS, STATED
from folkways.records import headline_of
from folkways.workspace.run_records import RunRecord, find_asked_run
from tests.support.papers_data import write_papers_data
from tests.support.semeval_data import write_semeval

SPLIT = [
    task.name
    for benchmark in benchmarks().values()
    for task in benchmark.tasks
    if any(metric.headline_by == ASKED_IN for metric in task.metrics)
]
SHARED = tuple(dict.fromkeys([*SPLIT, "semeval2026/saq", "xcr/adaptation"]))
OF_SEVERAL_ROWS = ("semeval2026/mcq", "culturalbench/hard", "demo/true-false", "survey/opinions")
TASKS = (*SHARED, *OF_SEVERAL_ROWS)
LABELS = ("local language", "English")


@dataclass(frozen=True)
class StoredRun:
    """A run of TASKS with a model that knows a part, and its scores."""

    run: folkways.Run
    record: RunRecord

    def scores(self, task: str, model: str = "lab/model") -> pl.DataFrame:
        return self.run.scores().filter(task=task, endpoint=model)


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredRun]:
    folder = tmp_path_factory.mktemp("headlines")
    releases = write_papers_data(folder)
    releases["semeval2026"] = str(write_semeval(folder / "semeval"))
    model = BaselineEndpoint("lab/model", "lab/model", _reply)
    other = BaselineEndpoint("lab/other", "lab/other", lambda request: _reply(request)[::-1])
    done = folkways.run(
        TASKS, models=[model, other], releases=releases,
        workspace=folder / "w.db", profile="strict",
    )  # fmt: skip
    yield StoredRun(done, find_asked_run(done.workspace, done.name))


def _reply(request: Request) -> str:
    """The first option or label that is listed, or words that some questions have among their answers."""
    if request.item.startswith("KR/") and request.language == "ko":
        return "krish" + "abcdefghij"[int(request.item[-1])]
    if label := re.search(r"(?m)^(\w+)\. ", request.user):
        return label[1]
    if request.task in ("culturalbench/hard", "demo/true-false"):
        return str(crc32(request.item.encode()) % 3 > 1)
    return "coffee" if request.language == "en" else "tea"


def test_some_tasks_have_headlines_that_are_never_pooled() -> None:
    assert {"blend/saq"} <= {*SPLIT}


@pytest.fixture(scope="module")
def judgements_folder(stored_run: StoredRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judgements")
    export_judgements(stored_run.run.workspace, stored_run.record, folder)
    return folder


@pytest.mark.parametrize("task", [*SPLIT, "semeval2026/saq"])
def test_exported_judgements_come_to_the_score_in_each_language(
    stored_run: StoredRun, task: str, judgements_folder: Path
) -> None:
    """Also where the licence keeps the items here."""
    metric = headline_of(get_task(task).metrics, stored_run.scores(task)["metric"])
    rows = pl.read_parquet(judgements_folder / config_name(task)).filter("counted", model="lab/model")
    means = rows.group_by(ASKED_IN).agg(100 * pl.col(metric.name).mean(), pl.len())
    scores = stored_run.scores(task).filter(facet=ASKED_IN, metric=metric.name)
    exported = {value: (pytest.approx(mean), n) for value, mean, n in means.iter_rows()}
    assert {
        value: (score, n) for value, score, n in scores.select("value", "score", "n").iter_rows()
    } == exported
    assert {*exported} == {*LABELS}


@pytest.fixture(scope="module")
def records_folder(stored_run: StoredRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records of both models: to read, not to change."""
    folder = tmp_path_factory.mktemp("records")
    export_every_eval_ever(stored_run.run.workspace, stored_run.record, folder, unlicensed_items=True)
    return folder


def test_each_score_of_a_record_is_that_of_the_instances_it_names(records_folder: Path) -> None:
    split = set[str]()
    for path in records_folder.rglob("*.json"):
        document = json.loads(path.read_bytes())
        instances = defaultdict(list)
        if "detailed_evaluation_results" not in document:
            continue
        lines = (records_folder / document["detailed_evaluation_results"]["file_path"]).read_text("utf-8")
        for line in lines.splitlines():
            row = json.loads(line)
            instances[row["evaluation_result_id"]].append(row)
        for score in document["evaluation_results"]:
            task, profile, metric, group = score["evaluation_result_id"].split("|")
            if " within " in score["score_details"]["details"]["interval"] or " (pooled)" in group:
                continue  # a mean over groups, each of which has a score of its own
            rows = instances[f"{task}|{profile}|{metric}|all=all"]
            assert "samples" in score["score_details"]["details"], score["evaluation_result_id"]
            values = [row["evaluation"]["score"] for row in rows if _named(score, row)]
            assert values, score["evaluation_result_id"] + score["score_details"]["details"]["samples"]
            scale = score["metric_config"]["metric_parameters"]["scale"]
            assert sum(values) / len(values) * scale == pytest.approx(score["score_details"]["score"])
            split |= {task} if group.partition("=")[2] in LABELS else set()
    assert {*SPLIT} <= split


def _named(score: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether a score names an instance as one of those that it is of."""
    rows_named = score["score_details"]["details"]["samples"]
    if rows_named == "all":
        return True
    pairs = (
        part.removeprefix("metadata.").split("=", 1) for part in re.split(r" and (?=metadata\.)", rows_named)
    )
    return all(row["metadata"][name] == value for name, value in pairs)


def test_a_leaderboard_has_the_groups_that_are_never_pooled(stored_run: StoredRun) -> None:
    (one,) = contributions_of([stored_run.record.name], stored_run.run.workspace)
    facets = one.scores.group_by("task").agg(pl.col("facet").unique()).rows()
    assert {task: {*names} - {"all", "culture"} for task, names in facets} == {
        task: {ASKED_IN} if task in SPLIT else set() for task in TASKS
    }


@pytest.mark.parametrize("task", SHARED)
def test_a_models_page_has_the_first_score_that_was_measured_and_its_groups(
    stored_run: StoredRun, task: str, tmp_path: Path
) -> None:
    addresses = HubAddresses({task.split("/")[0]: "lab/data"})
    files, _ = export_eval_results(
        *(stored_run.run.workspace, stored_run.record, tmp_path),
        model="lab/model", tasks=[task], profile="strict", addresses=addresses,
    )  # fmt: skip
    ((entry,),) = (yaml.safe_load(file.path.read_text("utf-8")) for file in files)
    scores = stored_run.scores(task)
    metric = headline_of(get_task(task).metrics, scores["metric"])
    of_metric = scores.filter(metric=metric.name)
    assert entry["value"] == pytest.approx(of_metric.filter(facet="all")["score"][0], abs=0.005)
    assert entry["notes"].startswith(f"{metric.label}, percent; ")
    groups = of_metric.filter(facet=metric.headline_by or "").select("value", "score").rows()
    assert all(f"; {name} {score:.2f};" in entry["notes"] for name, score in groups)
    assert len(groups) == (2 if task in SPLIT else 0)


@pytest.fixture(scope="module")
def logs(stored_run: StoredRun, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Task -> the logs of both models."""
    files = export_logs(stored_run.run.workspace, stored_run.record, tmp_path_factory.mktemp("logs")).files
    return {task: [path for path in files if f"_{task.replace('/', '-')}_" in path.name] for task in TASKS}


@pytest.mark.parametrize("task", TASKS)
def test_a_log_has_the_scores_of_the_run_over_everything_and_in_groups(
    stored_run: StoredRun, logs: dict[str, list[Path]], task: str
) -> None:
    frame = folkways.read_scores(*logs[task])
    assert sorted(frame["endpoint"].unique()) == ["lab/model", "lab/other"]
    for (model,), rows in frame.group_by("endpoint"):
        scores = stored_run.scores(task, str(model))
        metric = headline_of(get_task(task).metrics, scores["metric"])
        facets = ["all", "culture", metric.headline_by or "all"]
        expected = scores.filter(pl.col("metric") == metric.name, pl.col("facet").is_in(facets))
        assert rows["metric"].unique().to_list() == [metric.name]
        assert (
            rows.select(NUMBERS)
            .sort("facet", "value")
            .equals(expected.select(NUMBERS).sort("facet", "value"))
        )


@pytest.mark.parametrize("task", TASKS)
def test_two_logs_differ_as_the_models_of_the_run_do(
    stored_run: StoredRun, logs: dict[str, list[Path]], task: str
) -> None:
    (of_run,) = stored_run.run.compare("lab/model", "lab/other", tasks=task, profile="strict")
    in_order = sorted(logs[task], key=lambda path: read_logs(path)[0].model)
    (of_logs,) = folkways.compare_logs(*in_order)
    columns = ("difference", "low", "high", "p", "questions", "first_better", "second_better")
    first, second = (one.differences.select(columns).row(0, named=True) for one in (of_run, of_logs))
    assert second == pytest.approx(first, nan_ok=True)


@pytest.mark.parametrize("task", [task for task in TASKS if task != "survey/opinions"])
def test_two_records_differ_as_the_models_of_the_run_do(
    stored_run: StoredRun, records: list[Path], task: str
) -> None:
    """Of opinions no record has rows."""
    (of_run,) = stored_run.run.compare("lab/model", "lab/other", tasks=task, profile="strict")
    log = next(one for path in records for one in read_logs(path) if one.task == task)
    name = of_run.metric.name + (f" ({of_run.profile})" if log.profiles else "")
    (of_records,) = folkways.compare_logs(*records, tasks=task, metric=name)
    columns = ("difference", "low", "high", "p", "questions", "first_better", "second_better")
    first, second = (one.differences.select(columns).row(0, named=True) for one in (of_run, of_records))
    assert second == pytest.approx(first, nan_ok=True)
    # ours say which average a score is
    assert not [note for note in of_records.notes if "is not the mean of its samples" in note]


@pytest.fixture(scope="module")
def records(records_folder: Path) -> list[Path]:
    """The records of both models, the first model's first."""
    return sorted(records_folder.rglob("*_samples.jsonl"), key=lambda path: path.parent.name)


@pytest.mark.parametrize("order", [1, -1])
def test_a_record_shows_the_first_of_the_tasks_metrics_wherever_it_stands(
    records_folder: Path, order: int, tmp_path: Path
) -> None:
    for path in copytree(records_folder, tmp_path / "records").rglob("*.json"):
        document = json.loads(path.read_bytes())
        path.write_text(
            json.dumps({**document, "evaluation_results": document["evaluation_results"][::order]})
        )
        for task, metric in folkways.read_scores(path).select("task", "metric").unique().iter_rows():
            there = {score["evaluation_result_id"].split("|")[2] for score in document["evaluation_results"]
                     if score["evaluation_result_id"].split("|")[0] == task}  # fmt: skip
            assert metric == headline_of(get_task(task).metrics, there).name


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("value", [None, 0, "x", ["x"], {"x": 1}], ids=repr)
def test_a_log_that_states_something_else_is_read_or_refused(
    logs: dict[str, list[Path]], value: object, tmp_path: Path
) -> None:
    """Wherever it stands in what the log says of its metrics and scores."""
    with zipfile.ZipFile(logs["demo/true-false"][0]) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["header.json"])
    for position, _ in enumerate(_places(json.loads(members["header.json"]))):
        changed = json.loads(json.dumps(header))
        holder, key = [*_places(changed)][position]
        holder[key] = value
        path = tmp_path / "changed.eval"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in (members | {"header.json": json.dumps(changed).encode()}).items():
                archive.writestr(name, content)
        with contextlib.suppress(DataError):
            verdict_on_logs([str(path)])


@pytest.mark.parametrize("how", ["without numbers", "of another score"])
def test_a_log_without_numbers_of_its_score_is_read_from_its_samples(
    logs: dict[str, list[Path]], how: str, tmp_path: Path
) -> None:
    """As Inspect writes the results of our scorer; and where the numbers are of a score that no sample has."""
    for path in logs["demo/true-false"]:
        changed = tmp_path / path.name
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(changed, "w") as other:
            for name in archive.namelist():
                content = archive.read(name)
                if name == "header.json":
                    header = json.loads(content)
                    for score in header["results"]["scores"]:
                        if how == "without numbers":
                            score["metrics"][score["name"]]["metadata"] = None
                        else:
                            score["metrics"] = {"else": score["metrics"][score["name"]]}
                            score["name"] = "else"
                    content = json.dumps(header).encode()
                other.writestr(name, content)
        (log,) = read_logs(changed)
        assert log.numbers == {} and log.scores == read_logs(path)[0].scores
        assert read_logs(path)[0].numbers.keys() >= {"all_right"}


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Where values are said of metrics and scores, except for the groups after the first."""
    for of_metrics in [document["eval"]["metadata"], document["eval"]["metadata"][STATED]]:
        yield from ((of_metrics, key) for key in of_metrics if key in (STATED, "all_right"))
    about = document["eval"]["metadata"][STATED]["all_right"]
    yield from ((about, key) for key in about)
    (score,) = [one for one in document["results"]["scores"] if one["name"] == "all_right"]
    numbers = score["metrics"]["all_right"]["metadata"]
    for holder in (score, score["metrics"], score["metrics"]["all_right"], numbers, numbers["groups"][0]):
        yield from ((holder, key) for key in holder)
    yield numbers["groups"], 0
