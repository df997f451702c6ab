"""Every way in which a score leaves folkways has the same number: value, interval and n of the judgements, to
the digit that it prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

import folkways
from folkways.display import number
from folkways.integrations.leaderboard import write_leaderboard
from folkways.names import WHOLE
from folkways.records import is_baseline
from tests.support.command_line import folkways as command_line

TASKS = {"demo/mcq": "correct", "demo/true-false": "all_right", "demo/saq": "correct"}

Shown = tuple[str, str, str, str, int | None]
"""Model, value, lower and upper end as they are printed, and n where it is told."""


def able(prompt: str) -> str:
    if "\nA. " in prompt:
        return "A"
    return ("True" if len(prompt) % 5 else "False") if "True" in prompt else "rice"


def poor(prompt: str) -> str:
    return "False" if len(prompt) % 2 else "I do not know"


def shy(prompt: str) -> str:
    return "B" if len(prompt) % 3 else "I cannot answer that."


def printed(model: str, score: float, low: float, high: float, n: int | None) -> Shown:
    return model.rpartition("/")[2], number(score), number(low), number(high), n


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> folkways.Run:
    folder = tmp_path_factory.mktemp("same")
    return folkways.run([*TASKS], [able, poor, shy], name="r", workspace=folder / "w.db", samples=2)


def of_frame(scores: pl.DataFrame) -> Iterator[Shown]:
    rows = scores.filter(pl.col("facet") == WHOLE)
    for row in rows.filter(metric=pl.col("task").replace_strict(TASKS)).iter_rows(named=True):
        if not is_baseline(row["endpoint"] if "endpoint" in row else row["model"]):
            yield printed(row["model"], row["score"], row["low"], row["high"], row["n"])


def csv(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    run.report(folder, "csv")
    yield from of_frame(pl.read_csv(folder / "scores.csv", infer_schema_length=None))


def parquet(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    run.report(folder, "parquet")
    yield from of_frame(pl.read_parquet(folder / "scores.parquet"))


def markdown(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    run.report(folder, "md")
    row = r"^\| Demo: [^|]*\|[^|]*\| (\w+)†? \| ([\d.]+) \| ([\d.]+) to ([\d.]+) \|[^|]*\| (\d+) "
    for *texts, n in re.findall(row, (folder / "report.md").read_text(), re.M):
        yield (*texts, int(n))


def latex(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    run.report(folder, "latex")
    row = r"& (\w+)(?:\\textsuperscript\{\\textdagger\})? & ([\d.]+) & \[([\d.]+), ([\d.]+)\] & (\d+) &"
    for *texts, n in re.findall(row, (folder / "report.tex").read_text()):
        yield (*texts, int(n))


def records(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    command_line("export", "every-eval-ever", run.name, "-w", run.workspace.location, "--out", folder)
    for path in folder.rglob("*.json"):
        record = json.loads(path.read_text())
        for one in record["evaluation_results"]:
            task, _, metric, group = one["evaluation_result_id"].split("|")
            if (TASKS[task], "all=all") == (metric, group):
                score, uncertainty = one["score_details"]["score"], one["score_details"]["uncertainty"]
                low, high = (uncertainty["confidence_interval"][end] for end in ("lower", "upper"))
                name, n = record["model_info"]["name"], uncertainty["num_samples"]
                yield printed(name, 100 * score, 100 * low, 100 * high, n)


def leaderboard(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    write_leaderboard([run.name], folder, workspace=run.workspace)
    for entry in json.loads((folder / "site.json").read_text())["entries"]:
        yield printed(entry["model"], *(entry[name] for name in ("score", "low", "high", "n")))


def hub(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    command_line("export", "hub", run.name, "-w", run.workspace.location, "--out", folder)
    scores = pl.read_parquet(folder / "scores" / "*.parquet")
    yield from of_frame(scores.filter(pl.col("subject") == "model"))


def gate(run: folkways.Run, folder: Path) -> Iterator[Shown]:
    for check in folkways.gate(run, min=dict.fromkeys(TASKS, 50)):
        found = re.match(r"found ([\d.]+) \(95 % interval ([\d.]+) to ([\d.]+),", check.message)
        assert found, check
        yield (check.model.rpartition("/")[2], *found.groups(), None)  # type: ignore[misc]


def ranking(run: folkways.Run, _: Path) -> Iterator[Shown]:
    for comparison in folkways.compare(runs=run.name, workspace=run.workspace):
        for row in comparison.ranking.iter_rows(named=True):
            yield printed(row["model"], row["score"], row["low"], row["high"], None)


@pytest.mark.parametrize("way", [csv, parquet, markdown, latex, records, leaderboard, hub, gate, ranking])
def test_every_export_has_the_numbers_of_the_judgements(
    run: folkways.Run, tmp_path: Path, way: Callable[[folkways.Run, Path], Iterator[Shown]]
) -> None:
    judged, stored, expected = run.judgements(), run.scores(), []
    for (task, endpoint), rows in judged.group_by("task", "endpoint", maintain_order=True):
        profile = folkways.get_task(str(task)).resolve_profile(None)
        values = rows.filter(pl.col("counted"), profile=profile)[TASKS[str(task)]].drop_nulls()
        (score,) = stored.filter(
            task=task, endpoint=endpoint, profile=profile, metric=TASKS[str(task)], facet=WHOLE
        ).to_dicts()
        n = None if way in (gate, ranking) else len(values)
        expected.append(
            printed(str(endpoint), 100 * float(values.to_numpy().mean()), score["low"], score["high"], n)
        )
    assert sorted(way(run, tmp_path)) == sorted(expected)
    assert len(expected) == 9
