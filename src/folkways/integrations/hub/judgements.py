"""Writes a run's judgements as a data set of the hub: a configuration for each task and one of all scores,
and a card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError
from folkways.files import WrittenFiles, packed, write_bytes
from folkways.integrations.hub.card import MARK, Configuration, card
from folkways.integrations.stored_run import StoredRun
from folkways.records import LOST, SCORES, Schema, Subject, is_baseline
from folkways.runs.models import split_name
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace
from folkways.workspace.judged_rows import JudgedRow, judged_rows

VERDICTS: Schema = {
    **dict.fromkeys(("model", "profile", "item", "question", "culture", "language", "variant"), pl.String),
    **{"sample": pl.Int64, "counted": pl.Boolean, "state": pl.String},
}
"""Columns of every task, before its metrics: ids and how it ended, nothing that an item says."""

TEXTS: Schema = dict.fromkeys(
    ("text", "gold", "system", "user", "response", "thoughts", "answer", "reason", "finish_reason"), pl.String
)
"""Columns where items may be passed on, after the task's facets."""

ROWS = 50_000
"""Rows of a file, at most: as many as are in memory at a time."""


def export_judgements(
    workspace: Workspace,
    run: run_records.RunRecord,
    out: Path,
    *,
    profile: str | None = None,
    unlicensed_items: bool = False,
) -> WrittenFiles:
    """Write ``out/README.md``, ``out/scores/test-00000.parquet`` and
    ``out/BENCHMARK_TASK/test-NNNNN.parquet`` for each task.

    Where a licence does not let items be passed on, the task's rows are ids and verdicts: neither the item
    nor what a model said of it. The same run gives the same files; files of that name from an earlier export
    are removed.

    profile:          only this one of each task, where several were scored.
    unlicensed_items: True where the user may pass on items of data whose licence folkways does not know.
    FolkwaysError if the run has no score of a model in this profile, or ``out`` holds a README.md that is not
    of an export.
    """
    export = _Export(workspace, run, profile, unlicensed_items, out)
    if export.scores.filter(pl.col("endpoint").is_in([*export.models])).is_empty():
        raise export.no_score_error()
    export.check_folder()
    made = {task: export.write_task(task) for task in export.tasks if task in export.scores["task"]}
    files = [file for written, _ in made.values() for file in written]
    scores = export.all_scores()
    files += export.write("scores", iter([packed(scores, "parquet")]))
    configurations = [Configuration(config_name(task), task, told) for task, (_, told) in made.items()]
    files.append(write_bytes(out / "README.md", card(export, export.names, scores, configurations).encode()))
    stay = {task: export.why_items_stay(task) for task in made}
    notes = [
        f"{task}: ids and verdicts alone of {export.record(task).name}: {why}"
        for task, why in stay.items()
        if why
    ]
    return WrittenFiles(tuple(files), tuple(notes))


def config_name(task: str) -> str:
    """The configuration of a task, which is its folder too: ``blend_saq``."""
    return task.replace("/", "_")


@dataclass(frozen=True)
class _Export(StoredRun):
    out: Path

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Endpoint -> its name in the files, ``developer/model?temperature=1``: no address, and each name
        once."""
        found: dict[str, str] = {}
        for endpoint in dict.fromkeys(part.endpoint for part in self.parts):
            name = self._name(endpoint)
            found[endpoint] = next(each for each in _numbered(name) if each not in found.values())
        return found

    def _name(self, endpoint: str) -> str:
        if is_baseline(endpoint):
            return endpoint
        address, _ = split_name(endpoint)
        return self.models[endpoint].id + endpoint.removeprefix(address)

    def check_folder(self) -> None:
        """FolkwaysError where a README.md of somebody else would be lost."""
        there = self.out / "README.md"
        if there.is_file() and MARK not in there.read_text(encoding="utf-8", errors="replace"):
            raise FolkwaysError(
                f"{there} is no card of an exported run and stays as it is; name another folder with --out"
            )

    def write(self, name: str, contents: Iterator[bytes]) -> list[Path]:
        """Write the files of a configuration; those of an earlier export that had more are removed."""
        files = [
            write_bytes(self.out / name / f"test-{number:05}.parquet", each)
            for number, each in enumerate(contents)
        ]
        for old in set((self.out / name).glob("test-*.parquet")) - set(files):
            old.unlink()
        return files

    def write_task(self, task: str) -> tuple[list[Path], pl.DataFrame]:
        """Write the judgements of a task; returns the files, and how many rows are in which language."""
        counts: list[pl.DataFrame] = []
        whole = self.why_items_stay(task) is None
        schema = self._schema(task, whole)

        def contents() -> Iterator[bytes]:
            judged = self._rows(task, schema, whole)
            while rows := list(islice(judged, ROWS)):
                frame = pl.DataFrame(rows, schema=dict(schema), orient="row")
                counts.append(frame.group_by("language", maintain_order=True).len())
                yield packed(frame, "parquet")

        files = self.write(config_name(task), contents())
        return files, pl.concat(counts).group_by("language", maintain_order=True).agg(pl.col("len").sum())

    def _schema(self, task: str, whole: bool) -> Schema:
        known = get_task(task)
        firsts = (
            next(judged_rows(self.workspace, self.run, profile, part), None)
            for part, profile in self._judged(task)
        )
        judged = {name for row in firsts if row is not None for name in row.details}
        metrics = {
            metric.name: pl.Float64 for metric in known.metrics if metric.name in judged
        }  # others are of many rows together
        return {
            **VERDICTS,
            **metrics,
            **({**dict.fromkeys(known.facets, pl.String), **TEXTS} if whole else {}),
        }

    def _rows(self, task: str, schema: Schema, whole: bool) -> Iterator[tuple[Any, ...]]:
        texts = self.texts(task) if whole else {}
        for part, profile in self._judged(task):
            for row in judged_rows(self.workspace, self.run, profile, part):
                text, gold = texts.get(row.item, (None, None))
                reason = self.without_hosts(row.failure if row.state in LOST and row.failure else row.reason)
                given = {
                    "model": self.names[part.endpoint],
                    "profile": profile,
                    "text": text,
                    "gold": gold,
                    "reason": reason,
                }
                yield tuple(_value(name, kind, row, given) for name, kind in schema.items())

    def _judged(self, task: str) -> list[tuple[results.Part, str]]:
        """The shares of a task, each in every profile that it was judged in."""
        profiles = self.scores.filter(pl.col("task") == task)["profile"].unique(maintain_order=True)
        return [(part, profile) for part in self.parts if part.task == task for profile in profiles]

    def all_scores(self) -> pl.DataFrame:
        """The scores of models, baselines and people: SCORES with ``model`` in place of ``endpoint``, and
        ``subject`` before."""
        asked = pl.when(pl.col("endpoint").map_elements(is_baseline, return_dtype=pl.Boolean)).then(
            pl.lit(Subject.BASELINE.value)
        )
        frames = [self.scores.with_columns(subject=asked.otherwise(pl.lit(Subject.MODEL.value)))]
        for subject in (Subject.BASELINE, Subject.PEOPLE):
            known = self.of_profile(results.load_scores(self.workspace, self.run, subject))
            known = known.join(
                self.scores, on=["endpoint", "task", "profile"], how="anti"
            )  # a baseline that was asked too
            frames.append(known.with_columns(subject=pl.lit(subject.value)))
        named = pl.concat(frames).with_columns(model=pl.col("endpoint").replace(dict(self.names)))
        return named.select("subject", "model", *(name for name in SCORES if name != "endpoint"))


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} ({number})" for number in count(2))


def _value(name: str, kind: object, row: JudgedRow, given: Mapping[str, Any]) -> Any:
    value = given[name] if name in given else getattr(row, name, row.details.get(name))
    if value is None:
        return None
    return float(value) if kind == pl.Float64 else str(value) if kind == pl.String else value
