"""Pictures and recordings: brought by researchers, shown to the people of their study and to nobody else."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, Response

from folkways.errors import FolkwaysError
from folkways.studio.errors import NotFoundError
from folkways.studio.imports.media import MediaError, read_media
from folkways.studio.records import ParticipantState
from folkways.studio.services import media
from folkways.studio.web.request_context import ADJUDICATORS, PARTICIPANT, STAFF, RequestContext
from folkways.studio.web.routes.data import show_result
from folkways.studio.web.routing import Routes

routes = Routes()

MOST_AT_ONCE = 200
KEPT = "private, max-age=3600"
"""A name stands for one file for ever, but people may leave a study."""


@routes.get("/work/{study}/media/{file}", PARTICIPANT)
def show_to_participant(context: RequestContext) -> Response:
    """A file of the study, for somebody who may work on it; also a part of one, as players ask for it."""
    if context.participant.state not in (ParticipantState.ACTIVE, ParticipantState.FINISHED):
        raise NotFoundError(context.gettext("There is no such page."))
    return _file(context)


@routes.get("/studies/{study}/media/{file}", ADJUDICATORS)
def show_to_staff(context: RequestContext) -> Response:
    """The same for those who run or review the study."""
    return _file(context)


def _file(context: RequestContext) -> Response:
    found, path = media.find_media(context.workspace, context.study.id, str(context.request.path_params["file"]))
    return FileResponse(path, media_type=found.type, headers={"Cache-Control": KEPT})


@routes.post("/studies/{study}/data/media", STAFF, upload=MOST_AT_ONCE)
def bring_media(context: RequestContext) -> Response:
    """Add files to the study, all or none."""
    uploads = [each for each in context.form.getlist("file") if isinstance(each, UploadFile) and each.filename]
    try:
        if not uploads:
            raise FolkwaysError(context.gettext("Choose a file."))
        files = read_media((each.filename or "", each.file.read()) for each in uploads)
        added = media.add_media(context.workspace, context.study.id, files, by=context.me.id)
    except MediaError as error:
        lines = [f"{name}: {problem}" for name, problem in error.problems.items()]
        return show_result(context, problems=lines[:100], status=422)
    except FolkwaysError as error:
        return show_result(context, problems=str(error).splitlines(), status=422)
    return show_result(context, context.gettext("%(count)s files were added.", count=added))
