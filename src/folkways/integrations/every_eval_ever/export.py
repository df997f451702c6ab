"""Writes a run as the files that a pull request to the store needs: one aggregate, with its instances, per
model and benchmark."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import chain, groupby
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.itemwise import ItemwiseTask
from folkways.benchmarks.registry import get_task
from folkways.errors import UnknownNameError
from folkways.files import WrittenFiles, json_bytes, write_bytes, write_lines
from folkways.integrations.every_eval_ever.aggregates import Spreads, result
from folkways.integrations.every_eval_ever.instances import SCHEMA_VERSION, instances, result_id
from folkways.integrations.stored_run import ItemTexts, StoredRun, metric_of, signature_part
from folkways.json_lines import json_line
from folkways.records import BASELINE_PREFIX, Subject
from folkways.runs.planning.plan import stored_plan
from folkways.runs.results.model_names import ModelIdentity
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace
from folkways.workspace.judged_rows import judged_rows

RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
_PLACE = ("task", "profile", "metric", "facet", "value")


@dataclass(frozen=True)
class Evaluator:
    """Who ran the evaluation. relationship: to the makers of the models, one of RELATIONSHIPS."""

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

    The same run gives the same files, byte for byte, but for the time at which they were made. Baselines get
    no files; their scores are details of those of the models.

    workspace: the database of ``run``.
    profile: only this profile of each task, if several were scored.
    evaluator: who ran the evaluation.
    unlicensed_items: whether the user may pass on items of data whose licence folkways does not know.

    Raises FolkwaysError if the run has not been scored, or has no score of a model in this profile;
    UnknownNameError for an unknown relationship.
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
    _items: dict[str, Mapping[str, ItemTexts]] = field(default_factory=dict)

    @cached_property
    def references(self) -> Mapping[tuple[Any, ...], list[dict[str, Any]]]:
        """Task, profile, metric, facet and value -> the scores of baselines and people."""
        computed = [
            results.load_scores(self.workspace, self.run, subject)
            for subject in (Subject.BASELINE, Subject.PEOPLE)
        ]
        baselines = self.scores.filter(pl.col("endpoint").str.starts_with(BASELINE_PREFIX))
        by_place: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in pl.concat([*computed, baselines]).iter_rows(named=True):
            by_place.setdefault(tuple(row[name] for name in _PLACE), []).append(row)
        return by_place

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Endpoint and benchmark, one benchmark after the other: its items are read once for all models, and
        let go."""
        keys = dict.fromkeys(
            (part.task.split("/")[0], part.endpoint) for part in self.parts if part.endpoint in self.models
        )
        for name, of_benchmark in groupby(sorted(keys, key=lambda key: key[0]), lambda key: key[0]):
            self._items.clear()
            yield from ((endpoint, name) for _, endpoint in of_benchmark)

    def write(self, endpoint: str, benchmark: str) -> list[Path]:
        """Write the files of one model on one benchmark; none if it has no score."""
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
        samples = f"{folder}/{name}_samples.jsonl"
        evaluation = self._evaluation_id(benchmark, model, name)
        counts: Counter[str] = Counter()
        spreads = Spreads(scored.iter_rows(named=True))
        lines = self._lines(endpoint, scored, evaluation, counts, spreads)
        first = next(lines, None)
        target = self.out / samples
        written = [self.out / f"{folder}/{name}.json"]
        instance_file: dict[str, Any] = {}
        if first is None:
            target.unlink(missing_ok=True)
        else:
            checksum = sha256()
            write_lines(target, _hashed(chain([first], lines), checksum))
            instance_file = {
                "format": "jsonl",
                "file_path": samples,
                "hash_algorithm": "sha256",
                "checksum": checksum.hexdigest(),
                "total_rows": counts.pop("rows"),
                "additional_details": {key: str(value) for key, value in counts.items()},
            }
            written.append(target)
        without = rows.height - scored.height
        document = self._document(endpoint, evaluation, scored, without, spreads)
        if instance_file:
            document["detailed_evaluation_results"] = instance_file
        write_bytes(written[0], json_bytes(document))
        return written

    def _evaluation_id(self, benchmark: str, model: ModelIdentity, name: UUID) -> str:
        """The id of an aggregate, from what was run; with a part of its name where models share theirs."""
        alike = [other for other in self.models.values() if other.id == model.id]
        return f"{benchmark}/{model.id}/{int(self.run.created)}" + (
            f"-{str(name)[:8]}" if len(alike) > 1 else ""
        )

    def _document(
        self, endpoint: str, evaluation: str, scored: pl.DataFrame, without: int, spreads: Spreads
    ) -> dict[str, Any]:
        entries = []
        model, command = self.models[endpoint], self.command(endpoint)
        for row in scored.iter_rows(named=True):
            run_task = self.tasks[row["task"]]
            references = self.references.get(tuple(row[column] for column in _PLACE), [])
            data = f"{run_task.release}#{run_task.fingerprint}"
            key = result_id(*(row[column] for column in _PLACE))
            entries.append(
                result(
                    row,
                    get_task(row["task"]),
                    self.record(row["task"]),
                    data,
                    references,
                    self.began,
                    spreads.get(key),
                    {"prompt_template": self._template(row["task"]), "execution_command": command},
                )
            )
        reason = self.without_hosts(self.run.reason)
        details = {
            "run_state": self.run.state,
            "run_reason": reason,
            "results_without_score": without or None,
        }
        tasks = scored["task"].unique().sort()
        details |= {f"part of {task}": "; ".join(self.part_of_whole(task)) or None for task in tasks}
        details |= {f"citation of {record.name}": record.citation for record in map(self.record, tasks)}
        return {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": evaluation,
            "evaluation_timestamp": self.began,
            "retrieved_timestamp": str(int(time.time())),
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
            "model_info": with_engine(model.info, scored["signature"]),
            "evaluation_results": entries,
        }

    def _lines(
        self, endpoint: str, scored: pl.DataFrame, evaluation: str, counts: Counter[str], spreads: Spreads
    ) -> Iterator[bytes]:
        """The instances of a model as lines of JSON; counts the rows that are written, and those in no
        score, and gathers the spreads of the scores."""
        whole = scored.filter(pl.col("facet") == "all")
        for part in self.parts:
            of_task = whole.filter(pl.col("task") == part.task)
            if part.endpoint != endpoint or of_task.is_empty():
                continue
            texts: Mapping[str, ItemTexts] = {}
            why = self.why_items_stay(part.task)
            if get_task(part.task).metrics[0].kind == "distribution":
                why = why or "no reply is right or wrong, as a line for each would have to say"
            if why:
                self.notes.append(f"{part.task}: aggregates alone of {self.record(part.task).name}: {why}")
            else:
                if part.task not in self._items:
                    self._items[part.task] = self.texts(part.task)
                texts = self._items[part.task]
            task = get_task(part.task)
            for profile in of_task["profile"].unique(maintain_order=True):
                names = of_task.filter(pl.col("profile") == profile)["metric"]
                metrics = [metric_of(task, name) for name in names]
                for row in judged_rows(self.workspace, self.run, profile, part):
                    if not row.counted:
                        counts["judgements_not_counted"] += not why
                        continue
                    spreads.add(row, task.name, profile, metrics)
                    if why:
                        continue
                    for line in instances(
                        row, texts[row.item], metrics, task.name, profile, evaluation, self.models[endpoint]
                    ):
                        counts["rows"] += 1
                        yield json_line(line)

    def _template(self, task: str) -> str | None:
        """The prompt with its {names}, or one for each variant as JSON; None for a task that keeps none, and
        where the texts of the release may not be passed on."""
        definition = self.tasks[task]
        if task not in self._templates:
            plan = stored_plan(definition)
            texts: dict[str, str] = {}
            if isinstance(plan.task, ItemwiseTask) and not self.why_items_stay(task):
                templates = plan.task.templates(plan.prompt_options, plan.release, "en")
                texts = {variant: template.text for variant, template in templates.items()}
            one = next(iter(texts.values()), None)
            self._templates[task] = one if len(texts) < 2 else orjson.dumps(texts).decode()
        return self._templates[task]

    @cached_property
    def _templates(self) -> dict[str, str | None]:
        """Cache of ``_template``."""
        return {}

    def _uuid(self, endpoint: str, benchmark: str) -> UUID:
        """A UUID in the form of version 4 that is always the same for this model of this run."""
        named = orjson.dumps(
            [self.run.name, self.run.created, self.run.config, endpoint, benchmark],
            option=orjson.OPT_SORT_KEYS,
        )
        return UUID(bytes=sha256(named).digest()[:16], version=4)


def with_engine(info: Mapping[str, Any], signatures: Iterable[str]) -> Mapping[str, Any]:
    """What is known of a model, with the version of the library that ran it.

    info: of the model. signatures: of its scores, which name the library where folkways ran it itself
    (``served:... vllm=0.11.0``).
    """
    served = " ".join(signature_part(signature, "served") for signature in signatures)
    library = _LIBRARY.search(served)
    if library is None or "inference_engine" not in info:
        return info
    return {**info, "inference_engine": {**info["inference_engine"], "version": library[0].replace("=", " ")}}


_LIBRARY = re.compile(r"\b(?:vllm|xllamacpp)=[\w.+-]+")


def _hashed(lines: Iterable[bytes], checksum: Any) -> Iterator[bytes]:
    for line in lines:
        checksum.update(line)
        yield line
