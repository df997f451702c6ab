"""Writes a run's scores as model repositories on the hub take them: ``.eval_results/*.yaml``, one value for
each task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.registry import get_task
from folkways.display import number, plural
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.files import write_bytes
from folkways.integrations.stored_run import StoredRun, metric_of
from folkways.records import Metric, State, headline_of
from folkways.releases.cards import yaml_text
from folkways.runs.results.model_names import choose_models
from folkways.workspace import run_records
from folkways.workspace.database import Workspace

FOLDER = ".eval_results"


@dataclass(frozen=True)
class ModelFile:
    """A written file. name: its path in the model's repository. task_ids: ids of its tasks in the data
    set."""

    model: str
    name: str
    path: Path
    data_set: str
    task_ids: tuple[str, ...]


@dataclass(frozen=True)
class HubAddresses:
    """Where scores belong on the hub.

    data_sets: benchmark (``*`` if only one needs it) -> data set, if it is not that of the release. task_ids:
    task -> its id in the data set's ``eval.yaml``, if that is not its name. source: address of the
    judgements; empty for none.
    """

    data_sets: Mapping[str, str] = field(default_factory=dict)
    task_ids: Mapping[str, str] = field(default_factory=dict)
    source: str = ""


def export_eval_results(
    workspace: Workspace,
    run: run_records.RunRecord,
    out: Path,
    *,
    model: str | None = None,
    tasks: Sequence[str] | None = None,
    profile: str | None = None,
    addresses: HubAddresses = HubAddresses(),
    incomplete: bool = False,
) -> tuple[tuple[ModelFile, ...], tuple[str, ...]]:
    """Write ``out/DEVELOPER/MODEL/.eval_results/folkways_BENCHMARK.yaml`` for each model and benchmark;
    returns files and notes.

    Each task has its headline over everything, in one profile. Licences of items do not matter, because no
    item is written.

    workspace: the database of ``run``.
    model: only this model of the run, by any of its names.
    tasks: only these tasks.
    profile: None for each task's default.
    addresses: data sets, ids of tasks, and source.
    incomplete: also write scores of part of a benchmark, or with items without a reply; the notes in the file
        say what is missing.

    Raises UnknownNameError for a model or task that the run did not ask; FolkwaysError if nothing is left to
    write, or if two endpoints are the same model.
    """
    stored = StoredRun(workspace, run, profile, unlicensed_items=False)
    export = HubExport(stored, addresses, incomplete)
    if unknown := sorted({*addresses.task_ids, *(tasks or ())} - set(stored.tasks)):
        raise UnknownNameError(f"task of run {run.name}", unknown[0], stored.tasks)
    wanted = [task for task in stored.tasks if tasks is None or task in tasks]
    export.check_data_set(wanted)
    files: list[ModelFile] = []
    for endpoint in _chosen(stored, model):
        rows = [export.headline(endpoint, task) for task in wanted]
        for benchmark in dict.fromkeys(task.split("/")[0] for task in wanted):
            mine = [row for row in rows if row is not None and row["task"].split("/")[0] == benchmark]
            if mine and (data_set := export.data_set(mine[0]["task"])):
                files.append(export.write(out, endpoint, benchmark, data_set, mine))
    if not files and not export.notes:
        raise stored.no_score_error()
    if not files:
        raise FolkwaysError(
            "\n".join([f"run {run.name} has nothing to write:", *dict.fromkeys(export.notes)])
        )
    if not addresses.source:
        export.notes.append(
            "the files name no source; give the address of the judgements with --source URL (folkways "
            "export hub)"
        )
    return tuple(files), tuple(dict.fromkeys(export.notes))


def _chosen(stored: StoredRun, model: str | None) -> list[str]:
    """The endpoints to write; FolkwaysError if two have the same repository."""
    chosen = list(stored.models)
    if model is not None:
        chosen = choose_models([model], stored.models, stored.run.name)
    ids = [stored.models[endpoint].id for endpoint in chosen]
    for endpoint, model_id in zip(chosen, ids, strict=True):
        if ids.count(model_id) > 1:
            alike = [other for other, name in zip(chosen, ids, strict=True) if name == model_id]
            raise FolkwaysError(
                f"{', '.join(alike)} are the same model, whose repository takes one value; choose: --model "
                f"{endpoint}"
            )
    return chosen


@dataclass(frozen=True)
class HubExport:
    """The headline scores of a run on their way into files of a hub. incomplete: also those of a run that is
    not done. notes: what is left out, in sentences."""

    stored: StoredRun
    addresses: HubAddresses
    incomplete: bool
    notes: list[str] = field(default_factory=list)

    def headline(self, endpoint: str, task: str) -> Mapping[str, Any] | None:
        """The score over everything, a row of records.SCORES; None, with a note, if it cannot be written."""
        definition = get_task(task)
        if definition.metrics[0].kind == "distribution":
            self.notes.append(
                f"{task} is not written: it has no right answers, and the files take one score each"
            )
            return None
        profile = definition.resolve_profile(self.stored.profile)
        overall = pl.col("facet") == "all"
        rows = self.stored.scores.filter(overall, endpoint=endpoint, task=task, profile=profile)
        metric = headline_of(definition.metrics, rows["metric"])
        row = next(rows.filter(metric=metric.name).iter_rows(named=True), None)
        name = f"{task} of {self.stored.models[endpoint].id}"
        if row is None or row["score"] is None:
            self.notes.append(f"{name} is not written: it has no score in the profile {profile}")
            return None
        if (lacking := self.lacking(row)) and not self.incomplete:
            self.notes.append(
                f"{name} is not written: {'; '.join(lacking)}. With --incomplete it is, and its notes say so"
            )
            return None
        return row

    def lacking(self, row: Mapping[str, Any]) -> list[str]:
        """Reasons why a score is not one of the whole benchmark."""
        gaps = self.stored.part_of_whole(row["task"])
        if lost := row[State.FAILED.value] + row[State.MISSING.value]:
            at_best = number(row["at_best"], _decimals(_metric(row)))
            best = "" if row["at_best"] is None else f" (at best {at_best})"
            gaps.append(f"{lost:,} of {row['n']:,} items without a reply, counted as wrong{best}")
        return gaps

    def check_data_set(self, tasks: Sequence[str]) -> None:
        """FolkwaysError for a data set named without a benchmark if several benchmarks need one."""
        if "*" not in self.addresses.data_sets:
            return
        without = [task for task in tasks if self.stored.record(task).source != "hub"]
        benchmarks = dict.fromkeys(
            task.split("/")[0] for task in without if task.split("/")[0] not in self.addresses.data_sets
        )
        if len(benchmarks) > 1:
            name = self.addresses.data_sets["*"]
            raise FolkwaysError(
                f"--dataset {name} cannot be the data set of both {' and '.join(benchmarks)}; name one "
                "for each: " + " ".join(f"--dataset {benchmark}=OWNER/NAME" for benchmark in benchmarks)
            )

    def data_set(self, task: str) -> str | None:
        """The data set on the hub that a task's scores belong to; None, with a note, if it is not known."""
        benchmark = task.split("/")[0]
        record = self.stored.record(task)
        if named := self.addresses.data_sets.get(benchmark):
            return named
        if record.source == "hub":
            return record.repository
        named = self.addresses.data_sets.get("*")
        if named is None:
            self.notes.append(
                f"{benchmark} is not written: {record.name} is not a data set of the hub; name one with "
                f"--dataset {benchmark}=OWNER/NAME"
            )
        return named

    def write(
        self, out: Path, endpoint: str, benchmark: str, data_set: str, rows: Iterable[Mapping[str, Any]]
    ) -> ModelFile:
        """Write the entries of one model on one benchmark into the folder ``out``.

        endpoint: the model as the run knows it. data_set: of the benchmark, OWNER/NAME. rows: from
        ``headline``.
        """
        entries = [self._entry(row, data_set) for row in rows]
        model = self.stored.models[endpoint].id
        name = f"{FOLDER}/folkways_{benchmark}.yaml"
        path = write_bytes(out / model / name, yaml_text(entries).encode())
        return ModelFile(model, name, path, data_set, tuple(entry["dataset"]["task_id"] for entry in entries))

    def _entry(self, row: Mapping[str, Any], data_set: str) -> dict[str, Any]:
        task = row["task"]
        record = self.stored.record(task)
        of_release = record.source == "hub" and record.repository == data_set and len(record.revision) == 40
        entry: dict[str, Any] = {
            "dataset": {
                "id": data_set,
                "task_id": self.addresses.task_ids.get(task, task.split("/")[1]),
                **({"revision": record.revision} if of_release else {}),
            },
            "value": round(row["score"], _decimals(_metric(row))),
            "date": self.stored.began.replace("+00:00", "Z"),
        }
        if self.addresses.source:
            entry["source"] = {"url": self.addresses.source, "name": f"Judgements, folkways {__version__}"}
        return entry | {"notes": self._notes(row)}

    def _notes(self, row: Mapping[str, Any]) -> str:
        metric = _metric(row)
        decimals = _decimals(metric)
        unit = "percent" if metric.scale == 100 else "points"
        has_interval = row["low"] is not None and row["high"] is not None
        interval = (
            " to ".join(number(row[end], decimals) for end in ("low", "high")) if has_interval else "none"
        )
        parts = [
            f"{metric.label}, {unit}" + (", lower is better" if metric.lower_is_better else ""),
            *(f"{group} {number(score, decimals)}" for group, score in self._apart(row, metric)),
            f"interval {interval} ({row['interval']})",
            f"n {row['n'] - row['left_out']:,}, {plural(row['questions'], 'question')}",
            *(f"incomplete: {what}" for what in self.lacking(row)),
            f"signature {row['signature']}",
        ]
        return "; ".join(parts)

    def _apart(self, row: Mapping[str, Any], metric: Metric) -> Iterable[tuple[str, float]]:
        """Groups that reports show in place of the whole, with their scores: the hub takes one value."""
        same = {name: row[name] for name in ("endpoint", "task", "profile", "metric")}
        groups = self.stored.scores.filter(**same).filter(facet=metric.headline_by or "")
        return groups.drop_nulls("score").select("value", "score").iter_rows()


def _metric(row: Mapping[str, Any]) -> Metric:
    return metric_of(get_task(row["task"]), row["metric"])


def _decimals(metric: Metric) -> int:
    """Two are plenty for percent, and too few for one to five points."""
    return 2 if metric.scale == 100 else 4
