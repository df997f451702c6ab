"""Writes a run as the files that a pull request to the store needs: one aggregate, with its instances, per
model and benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.registry import get_task
from folkways.errors import UnknownNameError
from folkways.files import WrittenFiles, json_bytes, write_bytes, write_lines
from folkways.integrations.every_eval_ever.aggregate import SCHEMA_VERSION, metric_of, result
from folkways.integrations.every_eval_ever.instances import instances
from folkways.integrations.stored_run import StoredRun
from folkways.records import BASELINE_PREFIX, Subject
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace
from folkways.workspace.judged_rows import judged_rows

RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
_PLACE = ("task", "profile", "metric", "facet", "value")


@dataclass(frozen=True)
class Evaluator:
    """Who ran it, as the store wants to know. relationship: to the models' makers, one of RELATIONSHIPS."""

    organisation: str = "unknown"
    relationship: str = "other"


def export_run(
    workspace: Workspace,
    run: run_records.RunRecord,
    out: Path,
    *,
    profile: str | None = None,
    evaluator: Evaluator = Evaluator(),
    unlicensed_items: bool = False,
) -> WrittenFiles:
    """Write ``out/data/BENCHMARK/DEVELOPER/MODEL/UUID.json`` and ``UUID_samples.jsonl`` for each model and
    benchmark of a run.

    The same run gives the same files, byte for byte. Baselines are no models: their scores stand beside those
    of the models.

    profile:          only this one of each task, where several were scored.
    unlicensed_items: True where the user may pass on items of data whose licence folkways does not know.
    FolkwaysError if the run has not been scored, or has no score of a model in this profile.
    """
    if evaluator.relationship not in RELATIONSHIPS:
        raise UnknownNameError("relationship", evaluator.relationship, RELATIONSHIPS)
    export = _Export(workspace, run, profile, unlicensed_items, out, evaluator)
    files: list[Path] = []
    for endpoint, benchmark in export.pairs():
        files += export.write(endpoint, benchmark)
    if not files:
        raise export.no_score_error()
    return WrittenFiles(tuple(files), tuple(dict.fromkeys(export.notes)))


@dataclass(frozen=True)
class _Export(StoredRun):
    out: Path
    evaluator: Evaluator
    notes: list[str] = field(default_factory=list)

    @cached_property
    def references(self) -> Mapping[tuple[Any, ...], list[dict[str, Any]]]:
        """Place of a score -> the scores of baselines and people there."""
        known = [
            results.load_scores(self.workspace, self.run, subject)
            for subject in (Subject.BASELINE, Subject.PEOPLE)
        ]
        asked = self.scores.filter(pl.col("endpoint").str.starts_with(BASELINE_PREFIX))
        found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in pl.concat([*known, asked]).iter_rows(named=True):
            found.setdefault(tuple(row[name] for name in _PLACE), []).append(row)
        return found

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Endpoint and benchmark, in the order in which they were asked."""
        asked = (
            (part.endpoint, part.task.split("/")[0]) for part in self.parts if part.endpoint in self.models
        )
        yield from dict.fromkeys(asked)

    def write(self, endpoint: str, benchmark: str) -> list[Path]:
        """Write the files of one model on one benchmark; none where it has no score."""
        mine = (pl.col("endpoint") == endpoint) & pl.col("task").str.starts_with(f"{benchmark}/")
        rows = self.scores.filter(mine)
        scored = rows.filter(pl.col("score").is_not_null())
        model = self.models[endpoint]
        if scored.is_empty():
            self.notes.append(
                f"{model.id} has no score on {benchmark}, and no file: it never replied, or was not judged so"
            )
            return []
        name = self._uuid(endpoint, benchmark)
        folder = f"data/{benchmark}/{model.developer}/{model.model}"
        document = self._document(endpoint, benchmark, scored, name, rows.height - scored.height)
        samples = f"{folder}/{name}_samples.jsonl"
        counts: Counter[str] = Counter()
        lines = self._lines(endpoint, scored, document["evaluation_id"], counts)
        first = next(lines, None)
        target = self.out / samples
        written = [self.out / f"{folder}/{name}.json"]
        if first is None:
            target.unlink(missing_ok=True)
        else:
            checksum = sha256()
            write_lines(target, _hashed(chain([first], lines), checksum))
            document["detailed_evaluation_results"] = {
                **{
                    "format": "jsonl",
                    "file_path": samples,
                    "hash_algorithm": "sha256",
                    "checksum": checksum.hexdigest(),
                },
                "total_rows": counts.pop("rows"),
                "additional_details": {key: str(value) for key, value in counts.items()},
            }
            written.append(target)
        write_bytes(written[0], json_bytes(document))
        return written

    def _document(
        self, endpoint: str, benchmark: str, scored: pl.DataFrame, name: UUID, without: int
    ) -> dict[str, Any]:
        model = self.models[endpoint]
        began = str(int(self.run.created))
        alike = [other for other, known in self.models.items() if known.id == model.id]
        evaluation = f"{benchmark}/{model.id}/{began}" + (f"-{str(name)[:8]}" if len(alike) > 1 else "")
        found = []
        for row in scored.iter_rows(named=True):
            asked = self.tasks[row["task"]]
            references = self.references.get(tuple(row[column] for column in _PLACE), [])
            data = f"{asked.release}#{asked.fingerprint}"
            found.append(
                result(row, get_task(row["task"]), self.record(row["task"]), data, references, self._time())
            )
        reason = self.without_hosts(self.run.reason)
        details = {
            "run_state": self.run.state,
            "run_reason": reason,
            "results_without_score": without or None,
        }
        details |= {
            f"citation of {record.name}": record.citation
            for record in map(self.record, scored["task"].unique().sort())
        }
        return {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": evaluation,
            "evaluation_timestamp": self._time(),
            "retrieved_timestamp": began,
            "source_metadata": {
                "source_name": "folkways",
                "source_type": "evaluation_run",
                "source_organization_name": self.evaluator.organisation,
                "evaluator_relationship": self.evaluator.relationship,
                "additional_details": {
                    key: str(value) for key, value in details.items() if value is not None
                },
            },
            "eval_library": {
                "name": "folkways",
                "version": __version__,
                "additional_details": {"asked_by": self.run.version},
            },
            "model_info": model.info,
            "evaluation_results": found,
        }

    def _lines(
        self, endpoint: str, scored: pl.DataFrame, evaluation: str, counts: Counter[str]
    ) -> Iterator[bytes]:
        """The instances of a model as lines; counts what is written (rows) and what is not counted in any
        score."""
        whole = scored.filter(pl.col("facet") == "all")
        for part in self.parts:
            of_task = whole.filter(pl.col("task") == part.task)
            if part.endpoint != endpoint or of_task.is_empty():
                continue
            if why := self.why_items_stay(part.task):
                self.notes.append(f"{part.task}: aggregates alone of {self.record(part.task).name}: {why}")
                continue
            task, texts = get_task(part.task), self.texts(part.task)
            for profile in of_task["profile"].unique(maintain_order=True):
                names = of_task.filter(pl.col("profile") == profile)["metric"]
                metrics = [metric_of(task, name) for name in names]
                for row in judged_rows(self.workspace, self.run, profile, part):
                    if not row.counted:
                        counts["judgements_not_counted"] += 1
                        continue
                    known = texts[row.item]
                    for line in instances(
                        row, *known, metrics, task.name, profile, evaluation, self.models[endpoint]
                    ):
                        counts["rows"] += 1
                        yield orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)

    def _time(self) -> str:
        return datetime.fromtimestamp(self.run.created, UTC).isoformat(timespec="seconds")

    def _uuid(self, endpoint: str, benchmark: str) -> UUID:
        """A name in the form of a random UUID (version 4) that is the same whenever this run's model is
        written again."""
        named = orjson.dumps(
            [self.run.name, self.run.created, self.run.config, endpoint, benchmark],
            option=orjson.OPT_SORT_KEYS,
        )
        return UUID(bytes=sha256(named).digest()[:16], version=4)


def _hashed(lines: Iterable[bytes], checksum: Any) -> Iterator[bytes]:
    for line in lines:
        checksum.update(line)
        yield line
