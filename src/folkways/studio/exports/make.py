"""Exports a study: which tables and releases it has, in which format, and what is recorded about it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.culturalbench.votes import to_files
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.runs.building.files import make_folder, write_bytes
from folkways.spreadsheet import csv_bytes
from folkways.studio.exports.blend import blend_files
from folkways.studio.exports.hub import hub_files
from folkways.studio.exports.judging import error_table, labels
from folkways.studio.exports.tables import item_table, judgement_table
from folkways.studio.exports.votes import votes
from folkways.studio.exports.workbook import workbook
from folkways.studio.exports.xcr import xcr_files
from folkways.studio.services.gathering import Gathered, gather
from folkways.workspace.database import Workspace

RELEASES: Mapping[str, tuple[str, Callable[[Gathered], Mapping[str, bytes]]]] = {
    "culturalbench": ("vote", lambda found: to_files(votes(found))),
    "blend": ("short_answers", blend_files),
    "xcr": ("label_item", xcr_files),
}
"""Schema -> the kind of stage that a study needs for it, and what makes its files."""

FORMATS = ("release", "csv", "jsonl", "parquet", "xlsx", "hub")
"""``release``: the benchmark's own schema, as folkways reads it. The others: tables of judgements and items."""


def tables_of(found: Gathered) -> dict[str, pl.DataFrame]:
    """Name -> table: ``judgements`` and ``items`` of every study; ``labels`` and ``errors`` of one that judges model answers."""
    tables = {"judgements": judgement_table(found), "items": item_table(found)}
    if any(stage.kind == "judge_answer" for stage in found.stages.values()) and tables["judgements"].height:
        tables |= {"labels": labels(found), "errors": error_table(found)}
    return tables


def releases_of(found: Gathered) -> dict[str, Mapping[str, bytes]]:
    """Schema -> files, for every schema that the study has the stages for and something to put in."""
    kinds = {stage.kind for stage in found.stages.values() if any(found.judgements[item.id] for item in found.of(stage))}
    return {name: make(found) for name, (kind, make) in RELEASES.items() if kind in kinds}


def export_files(workspace: Workspace, study_id: int, format: str = "release") -> Mapping[str, bytes]:
    """File name -> contents of an export, with ``study.json``: what the study is, who agreed to what, who left.

    UnknownNameError for a format that is none of FORMATS; FolkwaysError where there is nothing to export yet.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    found = gather(workspace, study_id)
    files: dict[str, bytes] = {}
    if format == "release":
        files |= _release(found)
    elif format == "hub":
        releases = releases_of(found)
        files |= hub_files(found, tables_of(found), next(iter(releases.values()), {}))
    elif format == "xlsx":
        files[f"{found.study.name}.xlsx"] = workbook(tables_of(found))
    else:
        files |= {f"{name}.{format}": _packed(frame, format) for name, frame in tables_of(found).items()}
    files["study.json"] = _record(found, format)
    return files


def _release(found: Gathered) -> Mapping[str, bytes]:
    if any(stage.kind == "judge_answer" for stage in found.stages.values()):
        return {"labels.csv": _packed(labels(found), "csv"), "errors.csv": _packed(error_table(found), "csv")}
    releases = releases_of(found)
    if not releases:
        raise FolkwaysError(
            f"study {found.study.name} has nothing yet that a release is made of; export its tables instead: "
            f"{', '.join(FORMATS[1:])}"
        )
    if len(releases) == 1:
        return next(iter(releases.values()))
    return {f"{schema}/{name}": content for schema, files in releases.items() for name, content in files.items()}


def _packed(frame: pl.DataFrame, format: str) -> bytes:
    if format == "csv":
        return csv_bytes(frame.columns, frame.iter_rows())
    buffer = io.BytesIO()
    if format == "parquet":
        frame.write_parquet(buffer)
    else:
        frame.write_ndjson(buffer)
    return buffer.getvalue()


def _record(found: Gathered, format: str) -> bytes:
    study = found.study
    told: dict[str, Any] = {
        "study": study.name,
        "title": study.title,
        "workflow": study.workflow,
        "format": format,
        "licence": study.licence,
        "consent": {"version": study.consent_version, "text": study.consent_text},
        "consented": dict(sorted(_versions(found).items())),
        "people": len(found.people),
        "withdrawn": found.withdrawn,
        "items_left_out_with_them": found.left_out,
        "populations": [
            {
                "name": each.name,
                "title": each.title,
                "culture": each.culture,
                "language": each.language,
                "criteria": list(each.criteria),
            }
            for each in found.populations.values()
        ],
        "stages": [{"name": stage.name, "kind": stage.kind, "answers": stage.config["answers"]} for stage in found.stages.values()],
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "folkways": __version__,
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _versions(found: Gathered) -> dict[str, int]:
    counts: dict[str, int] = {}
    for version in found.consent.values():
        name = version or "staff"
        counts[name] = counts.get(name, 0) + 1
    return counts


def export_study(workspace: Workspace, study_id: int, out: Path, format: str = "release") -> list[Path]:
    """Write an export into the folder ``out``; returns the files. Everything is made before the first is written."""
    files = export_files(workspace, study_id, format)
    written = []
    for name, content in files.items():
        path = out / name
        make_folder(path.parent)
        write_bytes(path, content)
        written.append(path)
    return written


def export_archive(workspace: Workspace, study_id: int, format: str = "release") -> bytes:
    """The files of an export as one ZIP, for a browser to save."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in export_files(workspace, study_id, format).items():
            archive.writestr(name, content)
    return buffer.getvalue()
