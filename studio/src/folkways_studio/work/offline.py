"""Work off line: a workbook with the items that a person holds, and the same workbook back with answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace
from folkways_studio.errors import Message, StudioError
from folkways_studio.exports.workbook import workbook
from folkways_studio.items.table_files import Row, RowsError, has_header, numbered
from folkways_studio.people.participants import get_participant
from folkways_studio.records import Participant, Stage
from folkways_studio.stages.base import WorkbookSchema
from folkways_studio.stages.registry import STAGE_KINDS, stage_kind
from folkways_studio.studies.service import get_stage, get_study, populations
from folkways_studio.work.assignments import NoWork, claim_batch, get_work
from folkways_studio.work.judgements import SubmissionReceipt, check_submission, submit
from folkways_studio.work.task_numbers import shown_number, slot_of
from folkways_studio.workflows.wordings import StudyTexts

NO_WORK: Mapping[str, str] = {
    "paused": "the study is paused; open it first",
    "closed": "the study is closed; open it first",
    "not_active": "the person is not at work: they have not agreed yet, are paused, or have left",
    "no_role": "this stage is for people of another role",
    "training": "the person has not gone through the training of this stage; ask them to open the study on "
    "the web first",
    "cap": "the person has had as many items of this stage as one person may",
    "failed": "the person has failed the test of this stage",
    "none_left": "there is no item left in this stage that the person may work on",
}
"""Why there is nothing to hand out: a reason of ``NoWork`` -> what a researcher reads."""


def export_workbook(
    workspace: Workspace, participant_id: int, stage: str, count: int, *, hours: float = 72
) -> bytes:
    """A workbook with up to ``count`` items of a stage, which a person (participant_id) of the workspace
    has for ``hours``. FolkwaysError if there is nothing."""
    import polars as pl

    person = get_participant(workspace, participant_id)
    texts = _texts_for(workspace, person)
    work_stage = get_stage(workspace, person.study_id, stage)
    schema = _schema(work_stage, texts)
    if schema is None:  # before items are kept for the person
        usual = {
            name: {key: option.default for key, option in each.settings.items()}
            for name, each in STAGE_KINDS.items()
        }
        able = ", ".join(name for name, each in STAGE_KINDS.items() if each.workbook_schema(usual[name], str))
        raise FolkwaysError(
            f"stages of kind {work_stage.kind} cannot be worked on off line; those that can: {able}"
        )
    works = claim_batch(workspace, participant_id, stage, count, seconds=hours * 3600)
    if isinstance(works, NoWork):
        raise FolkwaysError(f"nothing was handed out: {NO_WORK[works.reason]}")
    kind = stage_kind(work_stage.kind)
    rows, offered = [], []
    for work in works:
        content = kind.presented(work.item.content, person.pseudonym)
        number = shown_number(work.assignment.id, person.pseudonym)
        rows.append(
            {"assignment": str(number), **schema.row_of(content), **dict.fromkeys(schema.columns, "")}
        )
        offered.append(schema.choices(content))
    names = list(dict.fromkeys(name for row in rows for name in row))
    names = [name for name in names if name not in schema.columns] + list(schema.columns)
    frame = pl.DataFrame(
        [{name: row.get(name, "") for name in names} for row in rows], schema=dict.fromkeys(names, pl.String)
    )
    guidelines, manual = texts.guidelines(stage), texts.manual(stage)
    short = guidelines.text if guidelines else work_stage.config["guidelines"]
    help = [
        *([("guidelines in full", manual.text)] if manual else ()),
        *([("guidelines", short)] if short else ()),
        ("task", kind.about),
        ("columns to fill in", ", ".join(schema.columns)),
        *schema.help.items(),
    ]
    how_to = pl.DataFrame(help, schema={"what": pl.String, "how": pl.String}, orient="row")
    return workbook(
        {"answers": frame, "how to": how_to},
        {name: [each.get(name, ()) for each in offered] for name in schema.columns},
    )


def _texts_for(workspace: Workspace, person: Participant) -> StudyTexts:
    """The study's texts in the language of the person's population, else in its own."""
    spoken = [
        each.language for each in populations(workspace, person.study_id) if each.id == person.population_id
    ]
    return StudyTexts(get_study(workspace, person.study_id).definition, spoken)


def _schema(stage: Stage, texts: StudyTexts) -> WorkbookSchema | None:
    return stage_kind(stage.kind).workbook_schema(stage.config, texts.say)


@dataclass(frozen=True, slots=True)
class WorkbookImport:
    """What came of a workbook: how many rows were stored, were there already, and were left empty."""

    stored: int
    repeated: int
    empty: int


def import_workbook(
    workspace: Workspace, participant_id: int, rows: Sequence[Row], *, file: str | None = None
) -> WorkbookImport:
    """Submit the filled rows of a person's (participant_id) workbook from ``export_workbook`` to the
    workspace. Rows left empty are left open.

    rows: column -> cell. file: its name, for errors; a table with a header has every column that was handed
    out. RowsError names every row that cannot be taken, and FolkwaysError a table that was not handed out or
    lacks a column; nothing is submitted then. The same workbook may come twice: a row that is stored as it is
    counts as repeated, one that differs from what is stored is a problem.
    """
    person = get_participant(workspace, participant_id)
    texts = _texts_for(workspace, person)
    columns = {name for row in rows for name in row}
    if "assignment" not in columns:
        lacks = "no column 'assignment'" if rows else "no rows below its header"
        raise FolkwaysError(
            f"{file or 'the table'}: has {lacks}; bring the table as it was handed out (of a workbook, the "
            "first sheet is read)"
        )
    problems: dict[int, str | StudioError] = {}
    ready: list[tuple[int, int, dict[str, Any], str]] = []
    empty = 0
    for number, row in numbered(rows):
        assignment = slot_of(workspace, person, row.get("assignment", ""))
        if assignment is None:
            problems[number] = Message(
                "the column 'assignment' holds no number; leave it as it was handed out"
            )
            continue
        try:
            work = get_work(workspace, participant_id, assignment)
            schema = _schema(work.stage, texts)
            assert schema is not None  # noqa: S101 - it was handed out with it
            missing = [name for name in schema.columns if name not in columns]
            if missing and file is not None and has_header(file):
                raise FolkwaysError(
                    f"{file}: has no column {', '.join(missing)}; leave the columns as they were handed out"
                )
            cells = {name: row.get(name, "") for name in schema.columns}
            if not any(cell.strip() for cell in cells.values()):
                empty += 1
                continue
            content = stage_kind(work.stage.kind).presented(work.item.content, person.pseudonym)
            submission = schema.read(cells, content)
            key = (
                "xlsx-"
                + sha256(orjson.dumps([assignment, submission], option=orjson.OPT_SORT_KEYS)).hexdigest()[:40]
            )
            check_submission(workspace, participant_id, assignment, submission, key)
            ready.append((number, assignment, submission, key))
        except StudioError as error:
            problems[number] = error
    if problems:
        raise RowsError(problems, file)
    done: list[SubmissionReceipt] = []
    for number, assignment, submission, key in ready:
        try:
            done.append(submit(workspace, participant_id, assignment, submission, key, timed=False))
        except StudioError as error:  # somebody else was faster since the rows were checked
            problems[number] = error
    if problems:
        raise RowsError(problems, file)
    repeated = sum(each.repeated for each in done)
    return WorkbookImport(len(done) - repeated, repeated, empty)
