"""Reads the samples of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``, which ``--log_samples`` writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from folkways.errors import DataError, FolkwaysError
from folkways.integrations.scored_log import ScoredLog, columns, digest, facets, number, told
from folkways.json_lines import json_objects

SUFFIXES = (".jsonl",)

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")

Row = dict[str, Any]


def read_scores(path: Path) -> ScoredLog:
    """The scores of a file of samples; with several filters, one for each (``exact_match,strict-match``).

    The name of the model comes from the file of results in the same folder (``results_TIME.json``), or else
    from the folder. FolkwaysError or DataError, with the row, for a file of another kind, or metrics that are
    not numbers.
    """
    if not path.is_file():
        raise FolkwaysError(
            f"the file of samples {path} "
            f"{'is a folder; name a file in it' if path.is_dir() else 'does not exist'}"
        )
    docs: dict[str, Row] = {}
    values: dict[str, dict[str, float | None]] = {}
    by_filter: dict[str, None] = {}
    rows = []
    for line, row in json_objects(path.read_bytes().splitlines(), path):
        if "doc_id" not in row or not isinstance(row.get("metrics"), list):
            raise DataError(
                "is not a sample of lm-evaluation-harness (no 'doc_id', or no list 'metrics'); its "
                "--log_samples "
                "writes such files",
                file=path,
                row=line,
            )
        rows.append(row)
        by_filter[str(row.get("filter", "none"))] = None
    for row in rows:
        name = str(row["doc_id"])
        docs.setdefault(name, row)
        ending = f",{row.get('filter', 'none')}" if len(by_filter) > 1 else ""
        numbers = {f"{metric}{ending}": number(row.get(metric)) for metric in row["metrics"]}
        values.setdefault(name, {}).update(
            {metric: value for metric, value in numbers.items() if value is not None}
        )
    if not docs:
        raise DataError("has no samples", file=path)
    everywhere = dict.fromkeys(name for sample_values in values.values() for name in sample_values)
    scores = columns(
        [{name: sample_values.get(name) for name in everywhere} for sample_values in values.values()]
    )
    if not scores:
        tried = dict.fromkeys(str(metric) for row in rows for metric in row["metrics"])
        raise DataError(
            f"cannot be compared: its metrics ({', '.join(tried) or 'none'}) are no numbers of single "
            "samples",
            file=path,
        )
    named = _NAME.fullmatch(path.stem)
    results = _results(path, named["time"]) if named else {}
    task = named["task"] if named else path.stem
    return ScoredLog(
        path=path,
        task=task,
        model=str(results.get("model_name") or path.resolve().parent.name),
        items=list(docs),
        repeats=[1] * len(docs),
        questions=[_question(name, row.get("doc")) for name, row in docs.items()],
        contents=[
            str(row["doc_hash"]) if "doc_hash" in row else digest(row.get("doc"), row.get("target"))
            for row in docs.values()
        ],
        scores=scores,
        facets=facets([row["doc"] if isinstance(row.get("doc"), dict) else {} for row in docs.values()]),
        settings=_settings(results, task),
    )


def _question(name: str, doc: Any) -> str:
    """The sampling unit: the question that a document of folkways names (``item`` and ``question``),
    otherwise the document."""
    ours = isinstance(doc, Mapping) and "item" in doc and "question" in doc
    return str(doc["question"]) if ours else name


def _results(path: Path, time: str) -> Row:
    """The program's file of results for the same run; empty if it is missing."""
    try:
        document = orjson.loads(path.with_name(f"results_{time}.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return document if isinstance(document, dict) else {}


def _settings(results: Row, task: str) -> dict[str, str]:
    if not results:
        return {}

    def of_task(name: str) -> str:
        table = results.get(name)
        return str(table.get(task)) if isinstance(table, Mapping) else "unknown"

    config = results.get("config") or {}
    return {
        "version": of_task("versions"),
        "examples": of_task("n-shot"),
        "settings": told(config["gen_kwargs"])
        if isinstance(config.get("gen_kwargs"), dict)
        else str(config.get("gen_kwargs")),
        "chat template": "yes" if results.get("chat_template") else "no",
    }
