"""Runs written as records of Every Eval Ever, and what holds of all of them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.records import State
from tests.support.command_line import Done, folkways

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
ACCURACIES = {
    ("demo/true-false", "all_right"),
    ("culturalbench/hard", "all_right"),
    ("culturalbench/easy", "right"),
}
"""Tasks and metrics that are accuracy under another name than ``correct`` or ``accuracy``."""


def is_accuracy(row: dict[str, Any]) -> bool:
    """Whether the score is of the metric that every benchmark shares: written as a proportion."""
    return row["metric"] in {"correct", "accuracy"} or (row["task"], row["metric"]) in ACCURACIES


@dataclass(frozen=True)
class SharedRun:
    """A run and the files that were made of it."""

    done: Done
    workspace: Path
    out: Path

    def documents(self) -> list[tuple[Path, dict[str, Any]]]:
        paths = sorted(path for path in self.out.rglob("*.json"))
        return [(path, json.loads(path.read_bytes())) for path in paths]

    def instances(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        path = self.out / document["detailed_evaluation_results"]["file_path"]
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def exported(folder: Path, *arguments: object) -> SharedRun:
    done = folkways(
        "export", "every-eval-ever", "last", "-w", folder / "w.db", "--out", folder / "out", *arguments
    )
    assert done.returncode == 0, done.stderr
    return SharedRun(done, folder / "w.db", folder / "out")


def check_store(files: SharedRun) -> None:
    """What the store's own checks look at beyond the schema: places, names, sums, bounds."""
    assert files.documents()
    for path, document in files.documents():
        data, _, developer, model, name = path.relative_to(files.out).parts
        assert data == "data" and UUID4.fullmatch(name.removesuffix(".json"))
        assert document["model_info"]["id"] == f"{developer}/{model}"
        for result in document["evaluation_results"]:
            config, details = result["metric_config"], result["score_details"]
            assert float(config["min_score"]) <= details["score"] <= float(config["max_score"])
            assert all(isinstance(value, str) for value in details["details"].values())
        ids = [result["evaluation_result_id"] for result in document["evaluation_results"]]
        assert len(set(ids)) == len(ids)
        if told := document.get("detailed_evaluation_results"):
            assert (files.out / told["file_path"]) == path.with_name(f"{path.stem}_samples.jsonl")
            content = (files.out / told["file_path"]).read_bytes()
            assert told["checksum"] == sha256(content).hexdigest() and told["total_rows"] == content.count(
                b"\n"
            )
            for row in files.instances(document):
                assert (
                    row["evaluation_id"] == document["evaluation_id"]
                    and row["model_id"] == document["model_info"]["id"]
                )
                assert row["evaluation_result_id"] in ids


def check_recomputed(files: SharedRun, metrics_that_are_means: set[str]) -> None:
    """Every score is the one that ``folkways score --out`` writes, and that of the whole the mean of its
    instances."""
    table = files.out.parent / "scores.csv"
    assert folkways("score", "last", "-w", files.workspace, "--out", table).returncode == 0
    scores = pl.read_csv(table, infer_schema_length=None).filter(
        ~pl.col("endpoint").str.starts_with("baseline/")
    )
    known = {
        f"{row['task']}|{row['profile']}|{row['metric']}|{row['facet']}={row['value']}": row
        for row in scores.iter_rows(named=True)
    }
    told: dict[str, dict[str, Any]] = {}
    scales: dict[str, float] = {}
    for _, document in files.documents():
        scales |= {
            result["evaluation_result_id"]: result["metric_config"]["metric_parameters"]["scale"]
            for result in document["evaluation_results"]
        }
        told |= {
            result["evaluation_result_id"]: result["score_details"]
            for result in document["evaluation_results"]
        }
        if "detailed_evaluation_results" not in document:
            continue
        values = defaultdict(list)
        for row in files.instances(document):
            values[row["evaluation_result_id"]].append(row["evaluation"]["score"])
        for name, found in values.items():
            if name.split("|")[2] in metrics_that_are_means:
                mean = sum(found) / len(found)
                assert mean == pytest.approx(told[name]["score"] / scales[name], abs=1e-12), name
                assert len(found) == told[name]["uncertainty"]["num_samples"]
    assert set(told) == {name for name, row in known.items() if row["score"] is not None}
    for name, details in told.items():
        row = known[name]
        percent = 100 / scales[name] if is_accuracy(row) else 1
        assert details["score"] * percent == pytest.approx(row["score"], abs=1e-12)
        interval = details["uncertainty"].get("confidence_interval")
        bounds = [interval["lower"] * percent, interval["upper"] * percent] if interval else [None, None]
        assert bounds == pytest.approx([row["low"], row["high"]], abs=1e-12)
        counts = {state.value: str(row[state.value]) for state in State} | {
            "cut": str(row["cut"]),
            "n": str(row["n"]),
        }
        assert {key: details["details"][key] for key in counts} == counts
        assert details["details"]["signature"] == row["signature"]
