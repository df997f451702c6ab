"""What comes into a study as tables and what leaves it: items, off-line answers, drawn model answers, exports."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.responses import Response

from folkways.errors import FolkwaysError
from folkways.studio.exports.make import FORMATS, export_archive
from folkways.studio.imports.items import import_items
from folkways.studio.imports.offline import hand_out, take_in
from folkways.studio.imports.tables import RowsError, read_rows
from folkways.studio.records import ParticipantState
from folkways.studio.services import audit, studies
from folkways.studio.services.models.drawing import draw_answers
from folkways.studio.services.people import participants
from folkways.studio.stages.forms import whole
from folkways.studio.stages.registry import stage_kind
from folkways.studio.web.request_context import STAFF, RequestContext
from folkways.studio.web.routing import Routes

routes = Routes()

SUFFIXES = (".csv", ".jsonl", ".json", ".parquet", ".xlsx")
MOST_HANDED_OUT = 500
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@routes.get("/studies/{study}/data", STAFF)
def show_data(context: RequestContext) -> Response:
    """The forms of this page."""
    return _data(context)


def _data(context: RequestContext, done: str = "", problems: Sequence[str] = (), status: int = 200) -> Response:
    study = context.study
    stages = studies.stages(context.workspace, study.id)
    active = (ParticipantState.ACTIVE, ParticipantState.FINISHED)
    people = [each for each in participants.list_participants(context.workspace, study.id) if each.state in active]
    return context.page(
        "desk/data.html.j2", status, study=study, done=done, problems=problems, people=people, formats=FORMATS,
        populations=studies.populations(context.workspace, study.id),
        importable=[stage for stage in stages if stage_kind(stage.kind).example],
        examples={stage.name: {"id": "1", **stage_kind(stage.kind).example} for stage in stages},
        offline=[stage for stage in stages if stage_kind(stage.kind).sheet],
        judging=[stage for stage in stages if stage_kind(stage.kind).judges_replies],
    )  # fmt: skip


def _rows_of(context: RequestContext, upload: UploadFile | None) -> tuple[str, list[dict[str, str]]]:
    """The name and rows of an uploaded table."""
    if upload is None:
        raise FolkwaysError(context.gettext("Choose a file."))
    name = Path(upload.filename or "table").name[:100]
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise FolkwaysError(
            context.gettext("This is no table that can be read here; valid: %(endings)s", endings=", ".join(SUFFIXES))
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        path.write_bytes(upload.file.read())
        try:
            return name, read_rows(path)
        except FolkwaysError as error:
            raise FolkwaysError(str(error).replace(str(path), name)) from None


def _refused(context: RequestContext, error: FolkwaysError) -> Response:
    """The page again, with every problem on a line of its own."""
    if isinstance(error, RowsError):
        lines = [context.gettext("Row %(row)s: %(problem)s", row=row, problem=problem) for row, problem in error.problems.items()]
        return _data(context, problems=lines[:100], status=422)
    return _data(context, problems=str(error).splitlines(), status=422)


@routes.post("/studies/{study}/data/items", STAFF, upload=True)
def bring_items(context: RequestContext) -> Response:
    """Add items to a stage, all or none."""
    try:
        name, rows = _rows_of(context, context.file("file"))
        population = context.text("population") or None
        added = import_items(
            context.workspace, context.study.id, context.text("stage"), rows, population=population, file=name, by=context.me.id
        )
    except FolkwaysError as error:
        return _refused(context, error)
    return _data(context, context.gettext("%(count)s items were added.", count=len(added)))


@routes.post("/studies/{study}/data/draw", STAFF)
def draw(context: RequestContext) -> Response:
    """Draw answers of models from a run of this workspace, for judging."""
    per_culture = whole(context.text("per_culture", "120"))
    try:
        if per_culture is None or not 1 <= per_culture <= 10_000:
            raise FolkwaysError(context.gettext("Give a whole number from 1 to %(most)s.", most=10_000))
        drawn = draw_answers(
            context.workspace, context.study.id, context.text("stage"), context.text("run"), per_culture=per_culture,
            wrong_only=context.text("all") != "yes", by=context.me.id,
        )  # fmt: skip
    except FolkwaysError as error:
        return _refused(context, error)
    return _data(context, context.gettext("%(count)s items were added.", count=len(drawn.items)))


@routes.get("/studies/{study}/data/export", STAFF)
def export(context: RequestContext) -> Response:
    """Everything that may leave the study, as one ZIP."""
    format = context.request.query_params.get("format", "release")
    discussion = context.request.query_params.get("discussion") == "yes"
    try:
        content = export_archive(context.workspace, context.study.id, format, discussion=discussion)
    except FolkwaysError as error:
        return _refused(context, error)
    audit.record(
        context.workspace,
        "study.exported",
        study_id=context.study.id,
        account_id=context.me.id,
        details={"format": format, **({"discussion": True} if discussion else {})},
    )
    return _file(content, f"{context.study.name}-{format}.zip", "application/zip")


def _file(content: bytes, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@routes.post("/studies/{study}/data/hand-out", STAFF)
def hand_out_workbook(context: RequestContext) -> Response:
    """A workbook of items for somebody who works off line; the items are kept for that person."""
    try:
        person = context.person(whole(context.text("person")))
        count = whole(context.text("count", "50"))
        if count is None or not 1 <= count <= MOST_HANDED_OUT:
            raise FolkwaysError(context.gettext("Give a whole number from 1 to %(most)s.", most=MOST_HANDED_OUT))
        content = hand_out(context.workspace, person.id, context.text("stage"), count)
    except FolkwaysError as error:
        return _refused(context, error)
    return _file(content, f"{context.study.name}-{person.pseudonym}.xlsx", XLSX)


@routes.post("/studies/{study}/data/take-in", STAFF, upload=True)
def take_in_workbook(context: RequestContext) -> Response:
    """The workbook back, filled in."""
    try:
        person = context.person(whole(context.text("person")))
        name, rows = _rows_of(context, context.file("file"))
        taken = take_in(context.workspace, person.id, rows, file=name)
    except FolkwaysError as error:
        return _refused(context, error)
    values: Mapping[str, int] = {"stored": taken.stored, "repeated": taken.repeated, "empty": taken.empty}
    words = context.gettext("%(stored)s answers were stored, %(repeated)s were there already, %(empty)s rows were empty.", **values)
    return _data(context, words)
