"""Exports a study: its tables and releases in each format, and the record of it."""

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
from folkways_studio.exports.demographics import demographic_table, without_small
from folkways_studio.exports.hub import hub_files
from folkways_studio.exports.peers import PEERS, peer_files
from folkways_studio.exports.snapshot import StudySnapshot, take_snapshot
from folkways_studio.exports.study_tables import (
    comment_table,
    item_table,
    judgement_table,
    known_tables,
    parquet_bytes,
    pre_annotation_table,
    suggestion_table,
)
from folkways_studio.exports.workbook import workbook
from folkways_studio.items.discussion import comments_of_study
from folkways_studio.items.preannotations import list_suggestions
from folkways_studio.media.reading import safe_name
from folkways_studio.media.service import Media, list_media, read_bytes
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.offers import offers_of
from folkways_studio.studies.suggestion_effects import SuggestionFigures, suggestion_figures
from folkways_studio.work.exposures import exposures_of_study
from folkways_studio.work.gold import known_answers
from folkways_studio.work.suggestions import suggestions_of_study
from folkways_studio.workflows.wordings import StudyTexts

PLAIN = ("csv", "jsonl", "parquet", "xlsx")
"""Formats that are only tables."""


def release_of(study: Study) -> Mapping[str, bytes]:
    """File name -> contents of the releases that benchmarks make of the study, in a folder each if there are
    several; empty if there is nothing yet."""
    kinds = set(_answered(study))
    releases: dict[str, dict[str, bytes]] = {}
    for name, exports in study_exports().items():
        for export in (export for export in exports if export.kind in kinds):
            releases.setdefault(name, {}).update(export.files(study))
    if len(releases) == 1:
        return next(iter(releases.values()))
    return {f"{name}/{file}": content for name, files in releases.items() for file, content in files.items()}


def _own_tables(snapshot: StudySnapshot, study: Study) -> dict[str, pl.DataFrame]:
    """Name -> table, of the kinds of stages with their own tables."""
    configs = {stage.name: stage.config for stage in snapshot.stages.values()}
    return {
        name: table
        for kind in _answered(study)
        for name, table in stage_kind(kind).tables(study, configs).items()
    }


def _codebook(snapshot: StudySnapshot) -> pl.DataFrame | None:
    """The meaning of the columns of those tables, if the study's file gives it; else None."""
    rows = [
        {"stage": stage.name, **row}
        for stage in snapshot.stages.values()
        for row in stage_kind(stage.kind).codebook(stage.config)
    ]
    return pl.DataFrame(rows, infer_schema_length=None) if rows else None


def _shown(workspace: Workspace, snapshot: StudySnapshot) -> list[Media]:
    """The pictures and recordings of the items, by name."""
    stages = ((snapshot.stages[item.stage_id], item) for item in snapshot.items.values())
    names = {
        name for stage, item in stages for name in stage_kind(stage.kind).media(item.content, stage.config)
    }
    return [each for each in list_media(workspace, snapshot.study.id) if each.name in names]


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
    """File name -> contents of an export of the study in the workspace, with ``study.json``: the study,
    consents, and who left; all as of one moment.

    format: one of FORMATS, else UnknownNameError.
    discussion: include comments, in formats of tables only.
    reader: the account that exports (None: the server); items blind for it are left out and counted in
        ``study.json``.
    study_id: the study.
    Raises FolkwaysError if there is nothing to export yet.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    with workspace.reading_together():
        return _files_of(workspace, study_id, format, discussion=discussion, reader=reader)


def _files_of(
    workspace: Workspace, study_id: int, format: str, *, discussion: bool, reader: int | None
) -> Mapping[str, bytes]:
    snapshot = take_snapshot(workspace, study_id, reader=reader)
    study = snapshot.for_benchmarks()
    kind_tables = _own_tables(snapshot, study)
    if kind_tables and (codebook := _codebook(snapshot)) is not None:
        kind_tables["codebook"] = codebook
    exposures = exposures_of_study(workspace, study_id)
    tables = {
        "judgements": judgement_table(snapshot, exposures),
        "items": item_table(snapshot),
        **kind_tables,
    }
    if format not in ("hub", "release"):  # published data do not say how well single people worked
        tables |= known_tables(known_answers(workspace, study_id), snapshot.populations)
    pre_annotations = pre_annotation_table(snapshot, list_suggestions(workspace, study_id))
    if pre_annotations.height:
        tables["pre_annotations"] = pre_annotations
    suggestions = suggestion_table(snapshot, suggestions_of_study(workspace, study_id))
    if suggestions.height:
        tables["suggestions"] = suggestions
    demographics = demographic_table(workspace, snapshot)
    if demographics.height:
        tables["demographics"] = demographics
    if discussion:
        if format not in PLAIN:
            raise FolkwaysError(
                f"the discussion of items leaves in a table alone; valid formats: {', '.join(PLAIN)}"
            )
        tables["comments"] = comment_table(snapshot, comments_of_study(workspace, study_id))
    shown = _shown(workspace, snapshot)
    if shown:
        kind_tables["media"] = tables["media"] = pl.DataFrame([asdict(each) for each in shown])
    files = {f"media/{safe_name(each.name, each.sha256)}": read_bytes(workspace, each) for each in shown}
    not_carried: Mapping[str, Any] = {}
    if format in PEERS:
        peer = peer_files(snapshot, format, list_suggestions(workspace, study_id))
        files, not_carried = files | peer.files, peer.not_carried
    elif format == "hub":
        published = {name: _without_confidential(frame, snapshot) for name, frame in tables.items()}
        published = {
            name: frame for name, frame in published.items() if frame.height or not tables[name].height
        }
        files |= hub_files(snapshot, published, release_of(study), offers_of(workspace, snapshot.study))
    elif format == "xlsx":
        files[f"{study.name}.xlsx"] = workbook(tables)
    elif format != "release":
        files |= {f"{name}.{format}": _packed(frame, format) for name, frame in tables.items()}
    else:
        files |= {f"{name}.csv": _packed(table, "csv") for name, table in kind_tables.items()}
        files |= release_of(study)
        if not files:
            raise FolkwaysError(
                f"study {study.name} has nothing yet that a release is made of; export its tables instead: "
                f"{', '.join(FORMATS[1:])}"
            )
    figures = suggestion_figures(workspace, study_id, items=snapshot.items.keys())
    files["study.json"] = _record(snapshot, format, suggestions, figures, not_carried)
    return files


def _without_confidential(table: pl.DataFrame, snapshot: StudySnapshot) -> pl.DataFrame:
    """A table without what single people, or fewer than a release tells of, said in stages of a confidential
    kind: rows with a participant, and results of items."""
    if "stage" not in table.columns:
        return table
    stages = [each.name for each in snapshot.stages.values() if stage_kind(each.kind).confidential]
    inside = pl.col("stage").is_in(stages)
    if "participant" in table.columns:
        return table.filter(~inside)
    if "result" in table.columns:
        return table.with_columns(result=pl.when(~inside).then("result"))
    return table


def _packed(frame: pl.DataFrame, format: str) -> bytes:
    if format == "csv":
        return csv_bytes(frame.columns, frame.iter_rows())
    return parquet_bytes(frame) if format == "parquet" else frame.write_ndjson().encode()


def _record(
    snapshot: StudySnapshot,
    format: str,
    suggestions: pl.DataFrame,
    pre_annotations: SuggestionFigures,
    not_carried: Mapping[str, Any],
) -> bytes:
    study = snapshot.study
    record: dict[str, Any] = {
        "study": study.name,
        "title": study.title,
        "workflow": study.workflow,
        "format": format,
        "licence": study.licence,
        "consent": {
            "version": study.consent_version,
            "text": study.consent_text,
            "texts": _consents(snapshot),
        },
        "consented": dict(sorted(without_small(_agreed(snapshot)).items())),
        "people": len(snapshot.people),
        "withdrawn": snapshot.withdrawn,
        "excluded": snapshot.excluded,
        "items_left_out_with_them": snapshot.left_out,
        "items_left_out_as_blind": snapshot.blind,
        "populations": [
            {name: getattr(each, name) for name in ("name", "title", "culture", "language", "criteria")}
            for each in snapshot.populations.values()
        ],
        "stages": [
            {"name": stage.name, "kind": stage.kind, "answers": stage.config["answers"]}
            for stage in snapshot.stages.values()
        ],
        **not_carried,
        "suggestions": _shares(suggestions),
        "pre_annotations": asdict(pre_annotations),
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "folkways": __version__,
    }
    return orjson.dumps(record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _shares(suggestions: pl.DataFrame) -> list[dict[str, Any]]:
    """Outcomes of the models' suggestions, by stage, model and version of the prompt."""
    shares = []
    for (stage, model, version), group in suggestions.group_by(
        "stage", "model", "prompt_version", maintain_order=True
    ):
        counts = {
            word: group.filter(pl.col("outcome") == word).height
            for word in ("accepted", "changed", "rejected")
        }
        sent = sum(counts.values())
        share = counts["accepted"] / sent if sent else None
        shares.append(
            {"stage": stage, "model": model, "prompt_version": version, **counts, "share_accepted": share}
        )
    return shares


def _agreed(snapshot: StudySnapshot) -> Counter[str]:
    """Version of the text -> how many people agreed to it."""
    return Counter(version or "staff" for version, _ in snapshot.consent.values())


def _consents(snapshot: StudySnapshot) -> list[dict[str, Any]]:
    """Every consent text that people were shown, with how many agreed to it; None for fewer than FEWEST."""
    agreed = without_small(_agreed(snapshot))
    return [
        {
            "language": each.language,
            "version": each.version,
            "sha256": each.sha256,
            "people": agreed.get(each.version, 0),
            "text": each.text,
        }
        for each in StudyTexts(snapshot.study.definition, ()).consents
    ]


def export_archive(workspace: Workspace, study_id: int, format: str, *, discussion: bool, by: int) -> bytes:
    """The files of an export (format, discussion as in ``export_files``) as one ZIP, recorded in the audit
    trail. workspace, study_id: the study. by: the account that acts, for the audit trail."""
    files, buffer = export_files(workspace, study_id, format, discussion=discussion, reader=by), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    details = {"format": format, **({"discussion": True} if discussion else {})}
    audit.record_event_now(workspace, "study.exported", study_id, by, details=details)
    return buffer.getvalue()
