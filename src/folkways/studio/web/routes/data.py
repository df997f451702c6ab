"""What comes into a study as tables and what leaves it: items, off-line answers, drawn model answers, exports."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.responses import Response

from folkways.errors import FolkwaysError
from folkways.studio.errors import NotFoundError
from folkways.studio.exports.make import FORMATS, export_archive
from folkways.studio.imports.items import import_items
from folkways.studio.imports.offline import SHEETS, hand_out, take_in
from folkways.studio.imports.tables import RowsError, read_rows
from folkways.studio.records import Participant, ParticipantState
from folkways.studio.services import audit, participants, studies
from folkways.studio.services.drawing import draw_answers
from folkways.studio.web.forms.base import whole
from folkways.studio.web.routing import Routes
from folkways.studio.web.visits import STAFF, Visit
from folkways.studio.workflows.registry import handler_of

routes = Routes()

SUFFIXES = (".csv", ".jsonl", ".json", ".parquet", ".xlsx")
MOST_HANDED_OUT = 500
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@routes.get("/studies/{study}/data", STAFF)
def show_data(visit: Visit) -> Response:
    """The forms of this page."""
    return _data(visit)


def _data(visit: Visit, done: str = "", problems: Sequence[str] = (), status: int = 200) -> Response:
    study = visit.study
    stages = studies.stages(visit.workspace, study.id)
    active = (ParticipantState.ACTIVE, ParticipantState.FINISHED)
    people = [each for each in participants.list_participants(visit.workspace, study.id) if each.state in active]
    return visit.page(
        "desk/data.html.j2", status, study=study, done=done, problems=problems, people=people, formats=FORMATS,
        populations=studies.populations(visit.workspace, study.id),
        importable=[stage for stage in stages if handler_of(stage.kind).example],
        examples={stage.name: {"id": "1", **handler_of(stage.kind).example} for stage in stages},
        offline=[stage for stage in stages if stage.kind in SHEETS],
        judging=[stage for stage in stages if stage.kind == "judge_answer"],
    )  # fmt: skip


def _rows_of(visit: Visit, upload: UploadFile | None) -> tuple[str, list[dict[str, str]]]:
    """The name and rows of an uploaded table."""
    if upload is None:
        raise FolkwaysError(visit.gettext("Choose a file."))
    name = Path(upload.filename or "table").name[:100]
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise FolkwaysError(
            visit.gettext("This is no table that can be read here; valid: %(endings)s", endings=", ".join(SUFFIXES))
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        path.write_bytes(upload.file.read())
        try:
            return name, read_rows(path)
        except FolkwaysError as error:
            raise FolkwaysError(str(error).replace(str(path), name)) from None


def _refused(visit: Visit, error: FolkwaysError) -> Response:
    """The page again, with every problem on a line of its own."""
    if isinstance(error, RowsError):
        lines = [visit.gettext("Row %(row)s: %(problem)s", row=row, problem=problem) for row, problem in error.problems.items()]
        return _data(visit, problems=lines[:100], status=422)
    return _data(visit, problems=str(error).splitlines(), status=422)


@routes.post("/studies/{study}/data/items", STAFF, upload=True)
def bring_items(visit: Visit) -> Response:
    """Add items to a stage, all or none."""
    try:
        name, rows = _rows_of(visit, visit.file("file"))
        population = visit.text("population") or None
        added = import_items(
            visit.workspace, visit.study.id, visit.text("stage"), rows, population=population, file=name, by=visit.me.id
        )
    except FolkwaysError as error:
        return _refused(visit, error)
    return _data(visit, visit.gettext("%(count)s items were added.", count=len(added)))


@routes.post("/studies/{study}/data/draw", STAFF)
def draw(visit: Visit) -> Response:
    """Draw answers of models from a run of this workspace, for judging."""
    per_culture = whole(visit.text("per_culture", "120"))
    try:
        if per_culture is None or not 1 <= per_culture <= 10_000:
            raise FolkwaysError(visit.gettext("Give a whole number from 1 to %(most)s.", most=10_000))
        drawn = draw_answers(
            visit.workspace, visit.study.id, visit.text("stage"), visit.text("run"), per_culture=per_culture,
            wrong_only=visit.text("all") != "yes", by=visit.me.id,
        )  # fmt: skip
    except FolkwaysError as error:
        return _refused(visit, error)
    return _data(visit, visit.gettext("%(count)s items were added.", count=len(drawn.items)))


@routes.get("/studies/{study}/data/export", STAFF)
def export(visit: Visit) -> Response:
    """Everything that may leave the study, as one ZIP."""
    format = visit.request.query_params.get("format", "release")
    try:
        content = export_archive(visit.workspace, visit.study.id, format)
    except FolkwaysError as error:
        return _refused(visit, error)
    with visit.workspace.write() as connection:
        audit.note(connection, "study.exported", study_id=visit.study.id, account_id=visit.me.id, details={"format": format})
    return _file(content, f"{visit.study.name}-{format}.zip", "application/zip")


def _file(content: bytes, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@routes.post("/studies/{study}/data/hand-out", STAFF)
def hand_out_workbook(visit: Visit) -> Response:
    """A workbook of items for somebody who works off line; the items are kept for that person."""
    try:
        person = _person(visit)
        count = whole(visit.text("count", "50"))
        if count is None or not 1 <= count <= MOST_HANDED_OUT:
            raise FolkwaysError(visit.gettext("Give a whole number from 1 to %(most)s.", most=MOST_HANDED_OUT))
        content = hand_out(visit.workspace, person.id, visit.text("stage"), count)
    except FolkwaysError as error:
        return _refused(visit, error)
    return _file(content, f"{visit.study.name}-{person.pseudonym}.xlsx", XLSX)


@routes.post("/studies/{study}/data/take-in", STAFF, upload=True)
def take_in_workbook(visit: Visit) -> Response:
    """The workbook back, filled in."""
    try:
        person = _person(visit)
        name, rows = _rows_of(visit, visit.file("file"))
        taken = take_in(visit.workspace, person.id, rows, file=name)
    except FolkwaysError as error:
        return _refused(visit, error)
    values: Mapping[str, int] = {"stored": taken.stored, "repeated": taken.repeated, "empty": taken.empty}
    words = visit.gettext("%(stored)s answers were stored, %(repeated)s were there already, %(empty)s rows were empty.", **values)
    return _data(visit, words)


def _person(visit: Visit) -> Participant:
    """The participant of this study that the form names."""
    number = whole(visit.text("person"))
    person = participants.get_participant(visit.workspace, number) if number is not None else None
    if person is None or person.study_id != visit.study.id:
        raise NotFoundError(visit.gettext("There is no such participant."))
    return person
