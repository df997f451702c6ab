"""Reads the samples of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``, which ``--log_samples`` writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from folkways.endpoints.base import LOGLIK
from folkways.errors import DataError, FolkwaysError
from folkways.evidence.contributions import TEMPLATE
from folkways.integrations.scored_log import (
    SIGNATURE,
    STATED,
    ScoredLog,
    UnscoredLogError,
    columns,
    digest,
    facets,
    number,
    scale_of,
    told,
)
from folkways.json_lines import json_objects, read_json
from folkways.records import Signature
from folkways.runs.results.model_names import stored_model

SUFFIXES = (".jsonl",)

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")

RESULTS = re.compile(r"results_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")
"""The name of the file of results without its ending."""

Row = dict[str, Any]


def samples_beside(path: Path) -> list[Path]:
    """The samples of the same time in the folder of a file of results; empty for other files."""
    named = RESULTS.fullmatch(path.stem)
    return sorted(path.parent.glob(f"samples_*_{named['time']}.jsonl")) if named else []


def is_samples(path: Path) -> bool:
    """Whether a file is named as the program names its samples."""
    return _NAME.fullmatch(path.stem) is not None and path.suffix in SUFFIXES


def read_scores(path: Path) -> ScoredLog:
    """The scores of a file of samples; with several filters, one for each (``exact_match,strict-match``).

    The name of the model, the settings, and for which metrics less is better come from the file of results
    in the same folder (``results_TIME.json``); without it, the model has the name of the folder. A model
    that lies on disk is called as in exports of a run (``unknown/NAME``), without its path. Task,
    samples and settings of a task that ``folkways export lm-eval`` wrote are called as in a run.
    FolkwaysError or DataError, with the row, for a file of another kind and a sample that is there twice;
    UnscoredLogError where no metric is a number.
    """
    if not path.is_file():
        raise FolkwaysError(
            f"the file of samples {path} "
            f"{'is a folder; name a file in it' if path.is_dir() else 'does not exist'}"
        )
    docs: dict[str, Row] = {}
    values: dict[str, dict[str, float | None]] = {}
    by_filter: dict[str, None] = {}
    rows: dict[tuple[str, str], Row] = {}
    for line, row in json_objects(path.read_bytes().splitlines(), path, read_json):
        if "doc_id" not in row or not isinstance(row.get("metrics"), list):
            raise DataError(
                "is not a sample of lm-evaluation-harness (no 'doc_id', or no list 'metrics'); its "
                "--log_samples writes such files",
                file=path,
                row=line,
            )
        sample = str(row["doc_id"]), str(row.get("filter", "none"))
        if sample in rows:
            raise DataError(
                f"has the sample {sample[0]} (filter {sample[1]}) twice: it has the samples of several runs; "
                "give each a file of its own",
                file=path,
                row=line,
            )
        rows[sample] = row
        by_filter[sample[1]] = None
    for (name, filtered_by), row in rows.items():
        docs.setdefault(name, row)
        ending = f",{filtered_by}" if len(by_filter) > 1 else ""
        numbers = {f"{metric}{ending}": number(row.get(metric)) for metric in row["metrics"]}
        values.setdefault(name, {}).update(
            {metric: value for metric, value in numbers.items() if value is not None}
        )
    if not docs:
        raise UnscoredLogError("has no samples", file=path)
    everywhere = dict.fromkeys(name for sample_values in values.values() for name in sample_values)
    scores = columns(
        [{name: sample_values.get(name) for name in everywhere} for sample_values in values.values()]
    )
    if not scores:
        tried = dict.fromkeys(str(metric) for row in rows.values() for metric in row["metrics"])
        raise UnscoredLogError(
            f"cannot be compared: its metrics ({', '.join(tried) or 'none'}) are not numbers of single "
            "samples",
            file=path,
        )
    named = _NAME.fullmatch(path.stem)
    results, notes = _results(path, named["time"]) if named else ({}, ())
    task = named["task"] if named else path.stem
    signature, stated = _of_folkways(results, task)
    of_docs: list[Any] = [row.get("doc") for row in docs.values()]
    ours = bool(signature) and all(isinstance(doc, Mapping) and {*ID} <= doc.keys() for doc in of_docs)
    return ScoredLog(
        path=path,
        task=signature["task"] if ours else task,
        model=_model(str(results.get("model_name") or _of_folder(path.resolve().parent)), ours=ours),
        items=["|".join(str(doc[name]) for name in ID) for doc in of_docs] if ours else list(docs),
        repeats=[1] * len(docs),
        questions=[_question(name, row.get("doc")) for name, row in docs.items()],
        contents=[
            str(row["doc_hash"]) if "doc_hash" in row else digest(row.get("doc"), row.get("target"))
            for row in docs.values()
        ],
        scores=scores,
        facets=facets([row["doc"] if isinstance(row.get("doc"), dict) else {} for row in docs.values()]),
        settings=signature if ours else _settings(results, task),
        stated={name: scale for name, scale in stated.items() if ours and name in scores},
        notes=notes,
        lower_is_better={
            score: not more
            for score in scores
            if (more := _higher_is_better(results, task).get(score.partition(",")[0])) is not None
        },
    )


def _of_folder(folder: Path) -> str:
    """The name of the model whose samples the harness put into the folder, where it writes ``__`` for what
    parts names; of more than two, a place on a disk."""
    parts = folder.name.split("__")
    return "/".join(parts if len(parts) < 3 else ["", *parts])


def _model(name: str, *, ours: bool) -> str:
    """As the harness calls it; a model on a disk, and any that was asked a task of ours, as exports of runs
    do."""
    as_run = stored_model(f"hf/{name}")
    on_disk = bool(as_run.private)
    return as_run.id if ours or on_disk else name


def exported_name(task: str) -> str:
    """What a task of ours is called where ``folkways export lm-eval`` writes it."""
    return f"folkways_{task.replace('/', '_').replace('-', '_')}"


def _of_folkways(results: Row, task: str) -> tuple[dict[str, str], dict[str, Row]]:
    """How the scores of a whole task that we exported were made, and the SCALE of each; empty for others.
    What can be set in the harness alone is as set there."""
    config = (results.get("configs") or {}).get(task) or {}
    about = config.get("metadata") or {}
    parts = dict(Signature.of_text(str(about.get(SIGNATURE) or "")).parts) if STATED in about else {}
    if not parts or task.removesuffix(LIKELIEST) != exported_name(parts["task"]):
        return {}, {}
    of_harness = _settings(results, task)
    sent = config.get("generation_kwargs") or {}
    usual = {"max_tokens": sent.get("max_gen_toks"), "temperature": sent.get("temperature"), "top_p": 1.0}
    likeliest = task.endswith(LIKELIEST)
    parts["settings"] = f"read={LOGLIK}" if likeliest else told({**usual, **_further(sent)})
    if system := results.get("system_instruction"):
        parts["system"] = f"own#{digest(system)}"
    if of_harness["examples"] != "0":
        parts["shots"] = of_harness["examples"]
    if of_harness[TEMPLATE] == "no" and not likeliest:
        parts[TEMPLATE] = "no"
    if limit := (results.get("config") or {}).get("limit"):
        parts["limit"] = f"of lm-evaluation-harness, {limit}"
    return parts, {name: scale_of(scale) for name, scale in about[STATED].items()}


LIKELIEST = "_loglik"
"""What follows the name of an exported task whose likeliest label counts."""

ID = ("item", "language", "variant")
"""The parts of the id of a document of ours."""


def _further(sent: Row) -> Row:
    """What is sent apart from the number of tokens and the temperature."""
    return {
        name: value
        for name, value in sent.items()
        if name not in ("until", "do_sample", "max_gen_toks", "temperature")
    }


def _question(name: str, doc: Any) -> str:
    """The sampling unit: the question that a document of folkways names (``item`` and ``question``),
    otherwise the document."""
    ours = isinstance(doc, Mapping) and "item" in doc and "question" in doc
    return str(doc["question"]) if ours else name


def _results(path: Path, time: str) -> tuple[Row, Sequence[str]]:
    """The program's file of results for the same run, empty if it is missing or damaged; and a note on
    that."""
    beside = path.with_name(f"results_{time}.json")
    without = "so that nobody can tell its model, its settings and for which metrics less is better"
    try:
        document = read_json(beside.read_bytes())
    except FileNotFoundError:
        return {}, [f"{beside.name} does not lie beside it, {without}"]
    except (OSError, orjson.JSONDecodeError):
        document = None
    return (document, ()) if isinstance(document, dict) else ({}, [f"{beside.name} is damaged, {without}"])


def _higher_is_better(results: Row, task: str) -> Mapping[str, Any]:
    """Metric -> whether more of it is better, where the program says so."""
    of_tasks = results.get("higher_is_better")
    of_task = of_tasks.get(task) if isinstance(of_tasks, Mapping) else None
    return of_task if isinstance(of_task, Mapping) else {}


def _settings(results: Row, task: str) -> dict[str, str]:
    if not results:
        return dict.fromkeys(("version", "examples", "settings", TEMPLATE), "unknown")

    def of_task(name: str) -> str:
        table = results.get(name)
        return str(table.get(task)) if isinstance(table, Mapping) else "unknown"

    config = results.get("config") or {}
    arguments, template = config.get("gen_kwargs"), results.get("chat_template")
    told_by_servers = "unknown" if template == "" else "no"  # whether or not messages were sent
    return {
        "version": of_task("versions"),
        "examples": of_task("n-shot"),
        "settings": (told(arguments) if isinstance(arguments, dict) else str(arguments or "")) or "none",
        TEMPLATE: "yes" if template else told_by_servers,
    }
