"""What every export writes where less is better, for points, counts without bounds, replies that are left
out, thinking models and several epochs: held to numbers worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import stdev
from typing import Any

import polars as pl
import pytest
import yaml

from folkways.api import Run
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.integrations.compare_logs import read_logs
from folkways.integrations.every_eval_ever.export import export_run
from folkways.integrations.every_eval_ever.scores import read_contribution
from folkways.integrations.hub.eval_results import HubAddresses, export_eval_results
from folkways.integrations.hub.judgements import export_judgements
from folkways.integrations.inspect.export import export_run as export_logs
from folkways.integrations.lm_eval.export import export_task
from folkways.integrations.lm_eval.harness import ExportedTask
from folkways.integrations.replies import Reply, ReplyJudge
from folkways.integrations.stored_run import StoredRun
from folkways.records import Metric, State
from folkways.runs.options import RunOptions
from tests.support.scales import EPOCHS, HARM, METRICS, SAID, STARS, VALUES, known, scales_run

every_metric = pytest.mark.parametrize("metric", METRICS, ids=[metric.name for metric in METRICS])
LOWER = {"harm", "errors"}
UNITS = {"harm": "percent", "stars": "points", "errors": "points", "likeness": "percent"}
ENDS = {"harm": (0, 100), "stars": (1, 5), "errors": ("-Infinity", "Infinity"), "likeness": (0, 100)}
BEST = {"harm": {0}, "stars": {5}, "errors": set(), "likeness": {1}}
"""The values of a single reply that an export may call right."""


@dataclass(frozen=True)
class Exports:
    """The run, and a folder of each export's name."""

    run: Run
    out: Path


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exports]:
    folder = tmp_path_factory.mktemp("scales")
    with scales_run(folder) as done:
        out, stored = folder / "out", (done.workspace, done.record)
        export_run(*stored, out / "store")
        export_judgements(*stored, out / "hub")
        export_logs(*stored, out / "logs")
        addresses = HubAddresses(data_sets={"scales": "lab/scales"})
        export_eval_results(*stored, out / "models", addresses=addresses, incomplete=True)
        for metric in METRICS:
            export_task(RunOptions(tasks=(f"scales/{metric.name}",)), out / "harness")
        done.report(out / "report", ("md", "latex", "csv", "parquet"))
        yield Exports(done, out)


@pytest.fixture(scope="module")
def store(exported: Exports) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The document of the one model, and its instances."""
    (path,) = (exported.out / "store").rglob("*.json")
    document = json.loads(path.read_bytes())
    samples = exported.out / "store" / document["detailed_evaluation_results"]["file_path"]
    return document, [json.loads(line) for line in samples.read_bytes().splitlines()]


@every_metric
def test_a_run_scores_by_hand(metric: Metric, exported: Exports) -> None:
    row = whole_of(exported.run.scores(), metric)
    assert {name: row[name] for name in known(metric)} == pytest.approx(known(metric))


def whole_of(scores: pl.DataFrame, metric: Metric) -> dict[str, Any]:
    """The score of the metric over everything, in the task whose headline it is."""
    return scores.row(
        by_predicate=(pl.col("task") == f"scales/{metric.name}")
        & (pl.col("metric") == metric.name)
        & (pl.col("facet") == "all"),
        named=True,
    )


@every_metric
def test_the_store_gets_direction_unit_bounds_and_numbers(
    metric: Metric, store: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    results = {result["evaluation_result_id"]: result for result in store[0]["evaluation_results"]}
    result = results[f"scales/{metric.name}|strict|{metric.name}|all=all"]
    config, details = result["metric_config"], result["score_details"]
    ends = (config["min_score"], config["max_score"])
    assert (config["lower_is_better"], config["metric_unit"]) == (metric.name in LOWER, UNITS[metric.name])
    assert ends == ENDS[metric.name]
    numbers = known(metric)
    assert details["score"] == pytest.approx(numbers["score"])
    assert details["uncertainty"]["num_samples"] == numbers["n"] - numbers["left_out"]
    told = {name: float(details["details"][name]) for name in ("n", "left_out", "failed")}
    assert told == {name: numbers[name] for name in told}
    at_best = details["details"].get("at_best")
    assert (None if at_best is None else float(at_best)) == (
        None if numbers["at_best"] is None else pytest.approx(numbers["at_best"])
    )


def test_the_store_is_read_back_without_a_fault(exported: Exports) -> None:
    """Failed requests count as the worst value, in the score and in its single judgements."""
    (path,) = (exported.out / "store").rglob("*.json")
    read = read_contribution(path)
    assert read.faults == {}
    harm = read.judgements.filter(pl.col("task") == "scales/harm", pl.col("state") == State.MISSING.value)
    assert harm.height and harm["harm"].unique().to_list() == [HARM.worst]


@every_metric
def test_the_store_gets_the_error_by_question_and_the_deviation_on_the_scale_of_the_score(
    metric: Metric, store: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    """Epochs of an item have one value, so that the error is that of a mean over items."""
    name = f"scales/{metric.name}|strict|{metric.name}|all=all"
    (result,) = [one for one in store[0]["evaluation_results"] if one["evaluation_result_id"] == name]
    uncertainty = result["score_details"]["uncertainty"]
    values = [value for value in VALUES[metric.name] if value is not None]
    every = [value for value in values for _ in range(EPOCHS)]
    error = stdev(values) / len(values) ** 0.5
    assert uncertainty["standard_error"]["value"] == pytest.approx(metric.scale * error)
    assert uncertainty["standard_deviation"] == pytest.approx(metric.scale * stdev(every))
    assert "questions" in uncertainty["standard_error"]["method"]


@every_metric
def test_the_store_gets_each_epoch_with_value_thoughts_and_whether_it_is_right(
    metric: Metric, store: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    rows = {
        row["sample_id"]: row
        for row in store[1]
        if row["evaluation_result_id"] == f"scales/{metric.name}|strict|{metric.name}|all=all"
    }
    scored = {f"i{place}": value for place, value in enumerate(VALUES[metric.name]) if value is not None}
    assert set(rows) == {f"{item}|en|plain|{epoch}" for item in scored for epoch in range(EPOCHS)}
    for name, row in rows.items():
        item = name.split("|")[0]
        value, said = scored[item], SAID[int(item[1:])]
        assert row["evaluation"] == {"score": value, "is_correct": value in BEST[metric.name]}, name
        failed = said == "fail"
        assert row["output"] == (
            {"raw": []} if failed else {"raw": [said], "reasoning_trace": [f"thinking of {item}"]}
        )
        usage = {"input_tokens": 9, "output_tokens": 7, "total_tokens": 16, "reasoning_tokens": 5}
        assert row["token_usage"] == (None if failed else usage)
        assert (row["error"] or "").split(":")[0] == {"no": "unreadable", "fail": "failed"}.get(said, "")


@every_metric
def test_the_hub_gets_values_scores_and_which_way_is_better(metric: Metric, exported: Exports) -> None:
    folder = exported.out / "hub"
    rows = pl.read_parquet(folder / f"scales_{metric.name}" / "*.parquet").sort("item", "sample")
    values = [VALUES[metric.name][int(item[1:])] for item in rows["item"]]
    assert rows[metric.name].to_list() == values
    assert rows["sample"].to_list() == [*range(EPOCHS)] * len(SAID)
    thoughts = [None if SAID[int(item[1:])] == "fail" else f"thinking of {item}" for item in rows["item"]]
    assert rows["thoughts"].to_list() == thoughts
    numbers = known(metric)
    scores = whole_of(pl.read_parquet(folder / "scores" / "*.parquet"), metric)
    assert {name: scores[name] for name in numbers} == pytest.approx(numbers)
    card = (folder / "README.md").read_text(encoding="utf-8")
    section = card.split(f"### {metric.label} (`scales/{metric.name}`)")[1].split("\n#")[0]
    assert ("Lower is better." in section) == (metric.name in LOWER)
    n, out = numbers["n"], numbers["left_out"]
    shown = f"| {numbers['score']:.1f} |", f"| {n - out} of {n} |" if out else f"| {n} |"
    assert all(cell in section for cell in shown), section


def test_prompts_leave_with_their_items_alone(
    exported: Exports, store: tuple[dict[str, Any], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def templates(document: dict[str, Any]) -> list[Any]:
        settings = [one["generation_config"]["generation_args"] for one in document["evaluation_results"]]
        return [each["prompt_template"] for each in settings if "prompt_template" in each]

    monkeypatch.setattr(StoredRun, "why_items_stay", lambda _run, _task: "nobody may pass them on")
    (path,) = export_run(exported.run.workspace, exported.run.record, tmp_path).files
    assert templates(store[0]) and not templates(json.loads(path.read_bytes()))


def test_croissant_lists_every_file_and_column_and_says_how_the_data_came_about(
    exported: Exports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configuration of several files is a set of them."""
    monkeypatch.setattr("folkways.integrations.hub.judgements.ROWS", 10)
    written = export_judgements(exported.run.workspace, exported.run.record, tmp_path).files
    about = json.loads((tmp_path / "croissant.json").read_bytes())
    files = {one["@id"]: one for one in about["distribution"] if one["@type"] == "cr:FileObject"}
    sets = {one["@id"]: one for one in about["distribution"] if one["@type"] == "cr:FileSet"}
    assert sorted(tmp_path / name for name in files) == sorted(written[:-2])
    for name, one in files.items():
        assert one["sha256"] == sha256((tmp_path / name).read_bytes()).hexdigest()
    for record in about["recordSet"]:
        frame = pl.read_parquet(tmp_path / record["name"] / "*.parquet")
        assert [field["name"] for field in record["field"]] == frame.columns
        types = {field["name"]: field["dataType"] for field in record["field"]}
        source = record["field"][0]["source"]
        if record["name"] == "scores":
            assert source["fileObject"]["@id"] in files
            assert (types["score"], types["n"], types["model"]) == ("sc:Float", "sc:Integer", "sc:Text")
        else:
            of_set = sets[source["fileSet"]["@id"]]["includes"]
            assert sorted(tmp_path.glob(of_set)) == sorted((tmp_path / record["name"]).iterdir())
            assert types["counted"] == "sc:Boolean"
    rai = {name.removeprefix("rai:"): text for name, text in about.items() if name.startswith("rai:")}
    assert {
        "dataCollection",
        "dataAnnotationProtocol",
        "personalSensitiveInformation",
        "dataUseCases",
    } <= set(rai)
    began, ended = rai["dataCollectionTimeframe"]
    assert began <= ended and about["datePublished"] == began[:10]
    assert all(one in rai["dataAnnotationProtocol"] for one in exported.run.signature.splitlines())
    assert "http://mlcommons.org/croissant/RAI/1.0" in about["conformsTo"]
    assert "127.0.0.1" not in json.dumps(about) and all(rai.values())


@every_metric
def test_a_model_card_gets_value_direction_and_what_is_lost(metric: Metric, exported: Exports) -> None:
    (path,) = (exported.out / "models").rglob("folkways_scales.yaml")
    entries = {entry["dataset"]["task_id"]: entry for entry in yaml.safe_load(path.read_text())}
    entry, numbers = entries[metric.name], known(metric)
    assert entry["value"] == pytest.approx(numbers["score"], abs=0.005 if metric.scale == 100 else 0.00005)
    notes = entry["notes"].split("; ")
    assert notes[0] == f"{metric.label}, {UNITS[metric.name]}" + (
        ", lower is better" if metric.name in LOWER else ""
    )
    assert f"n {numbers['n'] - numbers['left_out']}, " in entry["notes"]
    decimals = 2 if metric.scale == 100 else 4
    best = "" if numbers["at_best"] is None else f" (at best {numbers['at_best']:.{decimals}f})"
    assert f"incomplete: 3 of 24 items without a reply, counted as wrong{best}" in notes


@every_metric
def test_the_harness_gets_values_and_direction(metric: Metric, exported: Exports) -> None:
    folder = exported.out / "harness"
    written = yaml.load(  # a loader that takes the harness's own tag for a text
        (folder / f"folkways_scales_{metric.name}.yaml").read_text().replace("!function ", ""),
        yaml.SafeLoader,
    )
    better = {entry["metric"]: entry["higher_is_better"] for entry in written["metric_list"]}
    assert better == {name: name not in LOWER for name in VALUES}
    task = ExportedTask(folder / f"folkways_scales_{metric.name}.py", f"scales/{metric.name}", "strict")
    documents = (folder / f"folkways_scales_{metric.name}.docs.jsonl").read_text().splitlines()
    assert len(documents) == len(SAID)
    for place, line in enumerate(documents):
        if SAID[place] == "fail":
            continue
        judged = task.judged(json.loads(line), [f"<think>hm</think>{SAID[place]}"])
        expected = {name: values[place] for name, values in VALUES.items() if values[place] is not None}
        assert judged == expected, SAID[place]


@every_metric
def test_inspect_gets_the_scores_of_the_run_over_all_epochs(metric: Metric, exported: Exports) -> None:
    """What our scorer in Inspect computes, from the replies as Inspect gives them."""
    task = get_task(f"scales/{metric.name}")
    judge = ReplyJudge(task, task.items(open_release(task.release)), "strict")
    replies = [
        Reply(f"i{place}", "en", "plain", epoch, **_ended(said))
        for place, said in enumerate(SAID)
        for epoch in range(EPOCHS)
    ]
    scores = judge.scores(replies)
    run = exported.run.scores().filter(task=task.name).select(scores.columns)
    assert scores.sort("metric", "facet", "value").equals(run.sort("metric", "facet", "value"))


@every_metric
def test_a_log_of_inspect_says_the_scale_and_the_direction(metric: Metric, exported: Exports) -> None:
    """Whatever its values are: those of a scale from 1 to 5 may all be 1."""
    logs = {log.task: log for path in (exported.out / "logs").glob("*.eval") for log in read_logs(path)}
    stated = logs[f"scales/{metric.name}"].metric(metric.name, [1.0])
    for name in ("scale", "bounds", "lower_is_better"):
        assert getattr(stated, name) == getattr(metric, name), name


def _ended(said: str) -> dict[str, Any]:
    failed = said == "fail"
    return {"state": State.FAILED.value} if failed else {"response": said, "finish_reason": "stop"}


@every_metric
def test_tables_of_a_paper_and_of_readers_have_the_numbers(metric: Metric, exported: Exports) -> None:
    folder, numbers = exported.out / "report", known(metric)
    for file in ("scores.parquet", "scores.csv"):
        read = pl.read_parquet if file.endswith("parquet") else pl.read_csv
        row = whole_of(read(folder / file), metric)
        assert {name: row[name] for name in numbers} == pytest.approx(numbers), file
    score, out = f"{numbers['score']:.1f}", numbers["left_out"]
    n = f"{numbers['n'] - out} of {numbers['n']}" if out else str(numbers["n"])
    markdown = (folder / "report.md").read_text().split(f"## {metric.label} (`scales/{metric.name}`)")[1]
    table = markdown.split("\n## ")[0]
    assert ("Lower is better." in table) == (metric.name in LOWER)
    (line,) = [line for line in table.splitlines() if f"| {metric.label} |" in line]
    assert f"| {score} |" in line and f"| {n} |" in line
    latex = (folder / "report.tex").read_text()
    (caption,) = [
        line for line in latex.splitlines() if line.startswith(f"\\caption{{{metric.label}: {metric.label}.")
    ]
    assert ("Lower is better." in caption) == (metric.name in LOWER)
    assert f" & {score} & " in latex.split(caption)[1].split("\\end{table}")[0]


def test_values_of_small_scales_keep_their_decimals(exported: Exports) -> None:
    """Two decimals are plenty for percent, and too few for one to five stars."""
    (path,) = (exported.out / "models").rglob("folkways_scales.yaml")
    values = {entry["dataset"]["task_id"]: entry["value"] for entry in yaml.safe_load(path.read_text())}
    assert values["stars"] == round(known(STARS)["score"], 4) and values["harm"] == round(
        known(HARM)["score"], 2
    )
