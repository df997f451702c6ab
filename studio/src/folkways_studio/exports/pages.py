"""The page Data of a study: imports, off-line workbooks, model answers to judge, and exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.responses import Response

from folkways.sdk.errors import FolkwaysError
from folkways_studio.exports import FORMATS
from folkways_studio.items import imports
from folkways_studio.items.import_runner import read_content
from folkways_studio.items.peer_rows import ANNOTATIONS
from folkways_studio.items.table_files import CONLL, has_header
from folkways_studio.items.uploads import problem_lines, uploaded_table
from folkways_studio.media import service as media
from folkways_studio.people import participants
from folkways_studio.records import AT_WORK, Stage
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.web.request_context import STAFF, RequestContext
from folkways_studio.web.routing import Routes, attachment
from folkways_studio.work.offline import export_workbook, import_workbook

routes = Routes()

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx", *CONLL)
MOST_HANDED_OUT, MOST_DRAWN = 500, 10_000
SOON_SECONDS = 1.5
"""How long to wait for an import: small ones finish in time to show the result at once."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@routes.get("/studies/{study}/data", STAFF)
def show_data(context: RequestContext) -> Response:
    """Show the forms."""
    return show_result(context)


def _shows_media(stage: Stage) -> bool:
    return any(each["type"] != "text" for each in stage.config.get("show", ()))


def show_result(
    context: RequestContext, done: str = "", problems: Sequence[str] = (), status: int = 200
) -> Response:
    """The page Data in this context, with a message (done) or problems. status: of HTTP."""
    study = context.study
    stages = studies.stages(context.workspace, study.id)
    people = [
        each for each in participants.list_participants(context.workspace, study.id) if each.state in AT_WORK
    ]
    return context.page(
        "exports/data.html.j2", status, study=study, done=done, problems=problems, people=people,
        formats=FORMATS, imports=imports.list_imports(context.workspace, study.id),
        populations=studies.populations(context.workspace, study.id),
        endings=SUFFIXES,
        importable=[stage for stage in stages if stage_kind(stage.kind).example],
        examples={
            each.name: {"id": "1", **stage_kind(each.kind).example_row(each.config)} for each in stages
        },
        offline=[stage for stage in stages if stage_kind(stage.kind).workbook_schema(stage.config, str)],
        media=media.list_media(context.workspace, study.id),
        shows_media=[each for each in stages if _shows_media(each)],
        judging=[stage for stage in stages if stage_kind(stage.kind).judges_replies],
    )  # fmt: skip


def _refused(context: RequestContext, error: FolkwaysError) -> Response:
    """The page again, with one problem per line."""
    return show_result(context, problems=problem_lines(context, error), status=422)


@routes.post("/studies/{study}/data/items", STAFF, upload=1, slow=True)
def bring_items(context: RequestContext) -> Response:
    """Start an import; its page shows its progress and unusable rows."""
    try:
        name, content = uploaded_table(context, SUFFIXES)
        stage, population = context.text("stage"), context.text("population") or None
        chosen = context.text("annotations")
        job = context.studio.import_worker.submit_import(
            context.study.id, stage, name, content, population=population, by=context.me.id,
            annotations=next((each for each in ANNOTATIONS if each == chosen), None),
        )  # fmt: skip
    except FolkwaysError as error:
        return _refused(context, error)
    context.studio.import_worker.wait(SOON_SECONDS)
    return context.go(f"/studies/{context.study.name}/data/imports/{job.id}")


@routes.get("/studies/{study}/data/imports/{import}", STAFF)
def show_import(context: RequestContext) -> Response:
    """Show an import's progress, problems, and what can be deleted."""
    job = imports.get_import(context.workspace, context.study.id, context.number("import"))
    if job.state in imports.AT_WORK:
        context.studio.import_worker.wake()  # its worker may have been stopped
    template = (
        "items/import_state.html.j2" if context.request.headers.get("hx-request") else "items/import.html.j2"
    )
    return context.page(
        template, study=context.study, found=job,
        left=imports.remaining_items(context.workspace, context.study.id, job.id),
        at_work=job.state in imports.AT_WORK, has_header=has_header(job.file),
        stage=studies.get_stage(context.workspace, context.study.id, job.stage),
    )  # fmt: skip


@routes.post("/studies/{study}/data/imports/{import}/cancel", STAFF)
def cancel_import(context: RequestContext) -> Response:
    """Cancel an import; what it has added stays until it is deleted."""
    job = imports.cancel(context.workspace, context.study.id, context.number("import"), by=context.me.id)
    return context.go(f"/studies/{context.study.name}/data/imports/{job.id}")


@routes.post("/studies/{study}/data/imports/{import}/delete", STAFF)
def delete_import(context: RequestContext) -> Response:
    """Delete an import's items that nobody has begun."""
    job = imports.delete_import(
        context.workspace, context.study.id, context.number("import"), by=context.me.id
    )
    context.studio.import_worker.wake()
    context.studio.import_worker.wait(SOON_SECONDS)
    return context.go(f"/studies/{context.study.name}/data/imports/{job.id}")


@routes.post("/studies/{study}/data/draw", STAFF)
def draw(context: RequestContext) -> Response:
    """Draw model answers to judge from a run of this workspace."""
    from folkways_studio.models.drawing import draw_answers

    try:
        drawn = draw_answers(
            context.workspace, context.study.id, context.text("stage"), context.text("run"),
            per_culture=context.count("per_culture", MOST_DRAWN, 120),
            wrong_only=context.text("all") != "yes", by=context.me.id,
        )  # fmt: skip
    except FolkwaysError as error:
        return _refused(context, error)
    return show_result(
        context, context.ngettext("%(num)s item was added.", "%(num)s items were added.", len(drawn.items))
    )


@routes.get("/studies/{study}/data/export", STAFF)
def export(context: RequestContext) -> Response:
    """Everything that may leave the study, as one ZIP."""
    from folkways_studio.exports.archive import export_archive

    format = context.request.query_params.get("format", "release")
    discussion = context.request.query_params.get("discussion") == "yes"
    try:
        content = export_archive(
            context.workspace, context.study.id, format, discussion=discussion, by=context.me.id
        )
    except FolkwaysError as error:
        return _refused(context, error)
    return attachment(content, f"{context.study.name}-{format}.zip", "application/zip")


@routes.post("/studies/{study}/data/hand-out", STAFF)
def hand_out_workbook(context: RequestContext) -> Response:
    """A workbook of items for somebody who works off line; the items are reserved for that person."""
    try:
        person = context.person(whole(context.text("person")))
        count = context.count("count", MOST_HANDED_OUT, 50)
        stage = context.text("stage")
        content = export_workbook(context.workspace, person.id, stage, count)
    except FolkwaysError as error:
        return _refused(context, error)
    return attachment(content, f"{context.study.name}-{stage}-{person.pseudonym}.xlsx", XLSX)


@routes.post("/studies/{study}/data/take-in", STAFF, upload=1, slow=True)
def take_in_workbook(context: RequestContext) -> Response:
    """Submit a filled workbook."""
    try:
        person = context.person(whole(context.text("person")))
        name, content = uploaded_table(context, SUFFIXES)
        imported = import_workbook(context.workspace, person.id, read_content(name, content), file=name)
    except FolkwaysError as error:
        return _refused(context, error)
    values: Mapping[str, int] = {
        "stored": imported.stored,
        "repeated": imported.repeated,
        "empty": imported.empty,
    }
    words = context.gettext(
        "Answers stored: %(stored)s; there already: %(repeated)s; empty rows: %(empty)s.", **values
    )
    return show_result(context, words)
