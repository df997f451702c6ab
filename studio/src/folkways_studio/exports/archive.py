"""Exports a study: which tables and releases it has, in which format, and what is recorded about it."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import orjson
import polars as pl

from folkways import __version__
from folkways.sdk.benchmarks import study_exports
from folkways.sdk.errors import FolkwaysError, UnknownNameError
from folkways.sdk.files import csv_bytes
from folkways.sdk.studies import Study
from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit
from folkways_studio.exports import FORMATS
from folkways_studio.exports.hub import hub_files
from folkways_studio.exports.known_answers import known_tables
from folkways_studio.exports.snapshot import StudySnapshot, take_snapshot
from folkways_studio.exports.tables import (
    comment_table,
    item_table,
    judgement_table,
    parquet_bytes,
    suggestion_table,
)
from folkways_studio.exports.workbook import workbook
from folkways_studio.items.discussion import comments_of_study
from folkways_studio.media.reading import safe_name
from folkways_studio.media.service import Media, list_media, read_bytes
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.gold import known_answers
from folkways_studio.work.suggestions import suggestions_of_study
from folkways_studio.workflows.wordings import StudyTexts

PLAIN = ("csv", "jsonl", "parquet", "xlsx")
"""Those that are tables and nothing else."""


def release_of(study: Study) -> Mapping[str, bytes]:
    """File name -> contents of what benchmarks make of the study, each in a folder of its own where several
    do; empty where there is nothing yet.
    """
    kinds = set(_answered(study))
    releases: dict[str, dict[str, bytes]] = {}
    for name, exports in study_exports().items():
        for export in (export for export in exports if export.kind in kinds):
            releases.setdefault(name, {}).update(export.files(study))
    if len(releases) == 1:
        return next(iter(releases.values()))
    return {f"{name}/{file}": content for name, files in releases.items() for file, content in files.items()}


def _own_tables(study: Study) -> dict[str, pl.DataFrame]:
    """Name -> table of the kinds of stages that have tables of their own."""
    return {
        name: table for kind in _answered(study) for name, table in stage_kind(kind).tables(study).items()
    }


def _codebook(found: StudySnapshot) -> pl.DataFrame | None:
    """What the columns of those tables mean, where the study's file says it; None where it says nothing."""
    rows = [
        {"stage": stage.name, **row}
        for stage in found.stages.values()
        for row in stage_kind(stage.kind).codebook(stage.config)
    ]
    return pl.DataFrame(rows, infer_schema_length=None) if rows else None


def _shown(workspace: Workspace, found: StudySnapshot) -> list[Media]:
    """The pictures and recordings of the items, by name."""
    stages = ((found.stages[item.stage_id], item) for item in found.items.values())
    names = {
        name for stage, item in stages for name in stage_kind(stage.kind).media(item.content, stage.config)
    }
    return [each for each in list_media(workspace, found.study.id) if each.name in names]


def _answered(study: Study) -> list[str]:
    """The kinds of stages that have judgements."""
    return list(dict.fromkeys(study.stages[item.stage] for item in study.items.values() if item.votes))


def export_files(
    workspace: Workspace,
    study_id: int,
    format: str = "release",
    *,
    discussion: bool = False,
    reader: int | None = None,
) -> Mapping[str, bytes]:
    """File name -> contents of an export, with ``study.json``: what the study is, who agreed to what, who
    left.

    reader: the account that it is for; items that are blind for it are left out, and counted in
    ``study.json``. discussion: with what researchers and reviewers said of items, in formats of tables;
    nothing of it leaves otherwise. UnknownNameError for a format that is none of FORMATS; FolkwaysError where
    there is nothing to export yet.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    found = take_snapshot(workspace, study_id, reader=reader)
    study = found.for_benchmarks()
    own = _own_tables(study)
    if own and (meaning := _codebook(found)) is not None:
        own["codebook"] = meaning
    tables = {"judgements": judgement_table(found), "items": item_table(found), **own}
    if format not in ("hub", "release"):  # what is published does not say how well single people worked
        tables |= known_tables(known_answers(workspace, study_id), found.populations)
    suggestions = suggestion_table(found, suggestions_of_study(workspace, study_id))
    if suggestions.height:
        tables["suggestions"] = suggestions
    if discussion:
        if format in ("release", "hub"):
            raise FolkwaysError(
                f"the discussion of items leaves in a table alone; valid formats: {', '.join(PLAIN)}"
            )
        tables["comments"] = comment_table(found, comments_of_study(workspace, study_id))
    shown = _shown(workspace, found)
    if shown:
        own["media"] = tables["media"] = pl.DataFrame([asdict(each) for each in shown])
    files = {f"media/{safe_name(each.name, each.sha256)}": read_bytes(workspace, each) for each in shown}
    if format == "hub":
        files |= hub_files(found, tables, release_of(study))
    elif format == "xlsx":
        files[f"{study.name}.xlsx"] = workbook(tables)
    elif format != "release":
        files |= {f"{name}.{format}": _packed(frame, format) for name, frame in tables.items()}
    else:
        files |= {f"{name}.csv": _packed(table, "csv") for name, table in own.items()} or release_of(study)
        if not files:
            raise FolkwaysError(
                f"study {study.name} has nothing yet that a release is made of; export its tables instead: "
                f"{', '.join(FORMATS[1:])}"
            )
    files["study.json"] = _record(found, format, suggestions)
    return files


def _packed(frame: pl.DataFrame, format: str) -> bytes:
    if format == "csv":
        return csv_bytes(frame.columns, frame.iter_rows())
    return parquet_bytes(frame) if format == "parquet" else frame.write_ndjson().encode()


def _record(found: StudySnapshot, format: str, suggestions: pl.DataFrame) -> bytes:
    study = found.study
    told: dict[str, Any] = {
        "study": study.name,
        "title": study.title,
        "workflow": study.workflow,
        "format": format,
        "licence": study.licence,
        "consent": {"version": study.consent_version, "text": study.consent_text, "texts": _consents(found)},
        "consented": dict(sorted(_agreed(found).items())),
        "people": len(found.people),
        "withdrawn": found.withdrawn,
        "excluded": found.excluded,
        "items_left_out_with_them": found.left_out,
        "items_left_out_as_blind": found.blind,
        "populations": [
            {name: getattr(each, name) for name in ("name", "title", "culture", "language", "criteria")}
            for each in found.populations.values()
        ],
        "stages": [
            {"name": stage.name, "kind": stage.kind, "answers": stage.config["answers"]}
            for stage in found.stages.values()
        ],
        "suggestions": _shares(suggestions),
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "folkways": __version__,
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _shares(suggestions: pl.DataFrame) -> list[dict[str, Any]]:
    """What people made of the suggestions of models, by stage, model and wording of the prompt."""
    told = []
    for (stage, model, version), group in suggestions.group_by(
        "stage", "model", "prompt_version", maintain_order=True
    ):
        counts = {
            word: group.filter(pl.col("outcome") == word).height
            for word in ("accepted", "changed", "rejected")
        }
        sent = sum(counts.values())
        share = counts["accepted"] / sent if sent else None
        told.append(
            {"stage": stage, "model": model, "prompt_version": version, **counts, "share_accepted": share}
        )
    return told


def _agreed(found: StudySnapshot) -> Counter[str]:
    """Version of the text -> how many of the people agreed to it."""
    return Counter(version or "staff" for version, _ in found.consent.values())


def _consents(found: StudySnapshot) -> list[dict[str, Any]]:
    """Every text that people were shown before they began, whole, and how many of them agreed to it."""
    agreed = _agreed(found)
    return [
        {
            "language": each.language,
            "version": each.version,
            "sha256": each.sha256,
            "people": agreed[each.version],
            "text": each.text,
        }
        for each in StudyTexts(found.study.definition, ()).consents
    ]


def export_archive(workspace: Workspace, study_id: int, format: str, *, discussion: bool, by: int) -> bytes:
    """The files of an export as one ZIP, for somebody to save, which the audit trail notes."""
    files, buffer = export_files(workspace, study_id, format, discussion=discussion, reader=by), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    details = {"format": format, **({"discussion": True} if discussion else {})}
    audit.record_event_now(workspace, "study.exported", study_id=study_id, account_id=by, details=details)
    return buffer.getvalue()
