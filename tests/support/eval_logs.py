"""Small logs in the layouts of other programs, written by hand; the nightly tests let the programs write
theirs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 14):
    import zipfile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd import zipfile

__all__ = ["sample", "write_inspect_log", "write_lm_eval_samples", "zipfile", "zstd"]

Sample = dict[str, Any]


def sample(id: str | int, scores: Mapping[str, Any] | None, epoch: int = 1, **more: Any) -> Sample:
    """A sample as a log keeps it. scores: scorer -> value; None for one that failed."""
    failed = (
        {} if scores is not None else {"error": {"message": "boom", "traceback": "", "traceback_ansi": ""}}
    )
    scored = {name: {"value": value, "history": []} for name, value in (scores or {}).items()}
    return {
        "id": id,
        "epoch": epoch,
        "input": f"question {id}",
        "target": "right",
        "scores": scored,
        "metadata": {},
        **failed,
        **more,
    }


def write_inspect_log(
    path: Path,
    samples: Sequence[Sample],
    *,
    task: str = "quiz",
    model: str = "org/model",
    compression: int = zipfile.ZIP_ZSTANDARD,
    finished: bool = True,
    **spec: Any,
) -> Path:
    """An ``.eval`` file: header, summaries and samples; of one that is not finished, its journal."""
    about = {"task": task, "model": model, "dataset": {"name": "data"}, "config": {}, "task_args": {}, **spec}
    start = {"version": 2, "eval": about, "plan": {"steps": [{"solver": "generate"}], "config": {}}}
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("_journal/start.json", json.dumps(start))
        for entry in samples:
            archive.writestr(f"samples/{entry['id']}_epoch_{entry['epoch']}.json", json.dumps(entry))
        if finished:
            archive.writestr("summaries.json", json.dumps(samples))
            archive.writestr("header.json", json.dumps({**start, "status": "success", "results": {}}))
        else:
            for number, entry in enumerate(samples, 1):
                archive.writestr(f"_journal/summaries/{number}.json", json.dumps([entry]))
    return path


def write_lm_eval_samples(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    *,
    task: str = "quiz",
    model: str = "org/model",
    **results: Any,
) -> Path:
    """``samples_TASK_TIME.jsonl``, with the file of results beside it. rows: doc_id, filter and metrics by
    name. results: what else the file of results has."""
    folder.mkdir(parents=True, exist_ok=True)
    time = "2026-11-01T10-00-00.123456"
    (folder / f"results_{time}.json").write_text(
        json.dumps(
            {
                "model_name": model,
                "versions": {task: 1.0},
                "n-shot": {task: 0},
                "config": {"gen_kwargs": None},
                **results,
            }
        )
    )
    path = folder / f"samples_{task}_{time}.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for row in rows:
            metrics = {name: value for name, value in row.items() if name not in ("doc_id", "filter", "doc")}
            known = {
                "doc_id": row["doc_id"],
                "doc": row.get("doc", {}),
                "doc_hash": f"hash {row['doc_id']}",
                "target": "x",
            }
            stream.write(
                json.dumps(
                    {**known, "filter": row.get("filter", "none"), "metrics": list(metrics), **metrics}
                )
                + "\n"
            )
    return path
