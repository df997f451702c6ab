"""Writes a run as the files that a pull request to the store needs: one aggregate, with its instances, per
model and benchmark."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from folkways.benchmarks.base import Task
from folkways.benchmarks.cut_replies import TOKEN_LIMIT
from folkways.benchmarks.registry import get_task
from folkways.errors import UnknownNameError
from folkways.files import WrittenFiles, json_bytes, write_bytes, write_lines
from folkways.integrations.models import StoredModel
from folkways.integrations.stored_run import StoredRun
from folkways.json_lines import json_line
from folkways.records import BASELINE_PREFIX, LOST, Metric, State, Subject
from folkways.releases.release_records import ReleaseRecord
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace
from folkways.workspace.judged_rows import JudgedRow, judged_rows

ALWAYS_TOLD = ("item", "question", "culture", "language", "variant", "sample", "state", "reason")


def instances(
    row: JudgedRow,
    text: str,
    gold: str,
    metrics: Sequence[Metric],
    task: str,
    profile: str,
    evaluation: str,
    model: StoredModel,
) -> Iterator[dict[str, Any]]:
    """A row for each metric that has a value for the judgement ``row``.

    text, gold: of the item. metrics: those with a score over everything in the aggregate. task, profile: of
    the judgement. evaluation: the evaluation_id of the aggregate. model: the model that replied.
    """
    values = [(metric, row.details.get(metric.name)) for metric in metrics]
    scored = [(metric, float(value)) for metric, value in values if value is not None]
    if not scored:
        return
    reference = [gold] if gold else []
    output: dict[str, Any] = {"raw": [] if row.response is None else [row.response]}
    if row.thoughts:
        output["reasoning_trace"] = [row.thoughts]
    hashed = json.dumps({"raw": text, "reference": reference}, sort_keys=True, separators=(",", ":"))
    common = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation,
        "model_id": model.id,
        "evaluation_name": task,
        "sample_id": f"{row.item}|{row.language}|{row.variant}|{row.sample}",
        "sample_hash": sha256(hashed.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": text,
            "formatted": f"{row.system}\n\n{row.user}" if row.system else row.user,
            "reference": reference,
        },
        "output": output,
        "messages": None,
        "answer_attribution": _attribution(row, f"folkways {task} {profile}"),
        "token_usage": _usage(row),
        "performance": None if row.seconds is None else {"latency_ms": row.seconds * 1000},
        "error": _error(row, model),
        "metadata": _metadata(row, {metric.name for metric in metrics}, model),
    }
    for metric, value in scored:
        yield common | {
            "evaluation_result_id": result_id(task, profile, metric.name),
            "evaluation": {"score": value, "is_correct": value == metric.best},
        }


def _attribution(row: JudgedRow, method: str) -> list[dict[str, Any]]:
    if row.answer is None:
        return []
    read = {"extracted_value": row.answer, "extraction_method": method}
    return [{"turn_idx": 0, "source": "output.raw", **read, "is_terminal": True}]


def _usage(row: JudgedRow) -> dict[str, int] | None:
    if row.input_tokens is None or row.output_tokens is None:
        return None
    used = {"input_tokens": row.input_tokens, "output_tokens": row.output_tokens}
    more = {} if row.reasoning_tokens is None else {"reasoning_tokens": row.reasoning_tokens}
    return used | {"total_tokens": row.input_tokens + row.output_tokens} | more


def _error(row: JudgedRow, model: StoredModel) -> str | None:
    """The state and its reason, if there is no answer; otherwise None."""
    if row.state == State.ANSWERED:
        return None
    why = model.without_host(row.failure if row.state in LOST and row.failure else row.reason)
    return f"{row.state}: {why}" if why else row.state


def _metadata(row: JudgedRow, metrics: set[str], model: StoredModel) -> dict[str, str]:
    """The facets and the state of the item as strings; ``cut`` only if the token limit cut the reply."""
    metadata: dict[str, Any] = {name: getattr(row, name) for name in ALWAYS_TOLD}
    metadata["reason"] = model.without_host(row.reason)
    metadata |= {name: value for name, value in row.details.items() if name not in metrics}
    if (row.finish_reason or "").lower() in TOKEN_LIMIT:
        metadata["cut"] = "true"
    return {name: str(value) for name, value in metadata.items() if value is not None}


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
    """The id of a score, equal in every run: ``blend/saq|strict|sem_b|culture=KR``.

    task, profile, metric, facet and value: as in records.SCORES.
    """
    return f"{task}|{profile}|{metric}|{facet}={value}"


def result(
    row: Row, task: Task, release: ReleaseRecord, data: str, references: Iterable[Row], began: str
) -> dict[str, Any]:
    """An entry of ``evaluation_results`` for a score of ``task``.

    row: the score, which must be a number. data: release and fingerprint. references: the same score of
    people and baselines. began: when the run began.
    """
    metric = metric_of(task, row["metric"])
    whole = row["facet"] == "all"
    config: dict[str, Any] = {
        "evaluation_description": f"{task.title}. {metric.explained}",
        "metric_id": f"folkways.{task.name.replace('/', '.')}.{metric.name}",
        "metric_name": metric.label,
        "metric_unit": "percent" if metric.scale == 100 else "points",
        "metric_parameters": {"scale": metric.scale, "profile": row["profile"]},
        "lower_is_better": metric.lower_is_better,
        "score_type": "continuous",
        "min_score": metric.bounds[0] * metric.scale if metric.bounds else "-Infinity",
        "max_score": metric.bounds[1] * metric.scale if metric.bounds else "Infinity",
    }
    if details := dict(pair for reference in references for pair in _reference(reference)):
        config["additional_details"] = details
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
    """The task's metric of that name; one without bounds if the task no longer has it."""
    return next(
        (metric for metric in task.metrics if metric.name == name),
        Metric(name, name, "", "mean", bounds=None),
    )


def _uncertainty(row: Row) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": row["n"] - row["left_out"]}
    if row["low"] is not None and row["high"] is not None:
        level = re.search(r"([\d.]+)\s?%", row["interval"])
        uncertainty["confidence_interval"] = {
            "lower": row["low"],
            "upper": row["high"],
            **({"confidence_level": float(level[1]) / 100} if level else {}),
            "method": row["interval"],
        }
    return uncertainty


def _reference(row: Row) -> Iterable[tuple[str, str]]:
    """The score of people or of a baseline, and its interval, as strings, which the schema demands."""
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
    """The value of one part of a signature; empty if it has none."""
    parts = (part.partition(":") for part in signature.split("|"))
    return next((value for key, _, value in parts if key == name), "")


def _arguments(settings: str) -> dict[str, Any]:
    """The settings that the schema has names for; empty for several sets
    (``temperature=0.0,max_tokens=16``)."""
    pairs = dict(pair.partition("=")[::2] for pair in settings.split(","))
    arguments: dict[str, Any] = {}
    for name, kind in _SETTINGS.items():
        try:
            arguments[name] = kind(pairs[name])
        except (KeyError, ValueError):  # not set, or several sets
            continue
    return arguments


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

    The same run gives the same files, byte for byte. Baselines get no files; their scores are details of
    those of the models.

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
        """Endpoint and benchmark in the order of asking."""
        keys = (
            (part.endpoint, part.task.split("/")[0]) for part in self.parts if part.endpoint in self.models
        )
        yield from dict.fromkeys(keys)

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
        alike = [other for other, other_model in self.models.items() if other_model.id == model.id]
        evaluation = f"{benchmark}/{model.id}/{began}" + (f"-{str(name)[:8]}" if len(alike) > 1 else "")
        entries = []
        for row in scored.iter_rows(named=True):
            run_task = self.tasks[row["task"]]
            references = self.references.get(tuple(row[column] for column in _PLACE), [])
            data = f"{run_task.release}#{run_task.fingerprint}"
            entries.append(
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
            "evaluation_results": entries,
        }

    def _lines(
        self, endpoint: str, scored: pl.DataFrame, evaluation: str, counts: Counter[str]
    ) -> Iterator[bytes]:
        """The instances of a model as lines of JSON; counts the rows that are written, and those in no
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
                    item_texts = texts[row.item]
                    for line in instances(
                        row, *item_texts, metrics, task.name, profile, evaluation, self.models[endpoint]
                    ):
                        counts["rows"] += 1
                        yield json_line(line)

    def _time(self) -> str:
        return datetime.fromtimestamp(self.run.created, UTC).isoformat(timespec="seconds")

    def _uuid(self, endpoint: str, benchmark: str) -> UUID:
        """A UUID in the form of version 4 that is always the same for this model of this run."""
        named = orjson.dumps(
            [self.run.name, self.run.created, self.run.config, endpoint, benchmark],
            option=orjson.OPT_SORT_KEYS,
        )
        return UUID(bytes=sha256(named).digest()[:16], version=4)


def _hashed(lines: Iterable[bytes], checksum: Any) -> Iterator[bytes]:
    for line in lines:
        checksum.update(line)
        yield line
