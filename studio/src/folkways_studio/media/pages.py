"""Pictures and recordings: brought by researchers, shown to the people of their study and to nobody else."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.responses import Response

from folkways.sdk.errors import FolkwaysError
from folkways_studio.errors import NotFoundError
from folkways_studio.exports.pages import show_result
from folkways_studio.media import service as media
from folkways_studio.media.reading import MediaError, read_media
from folkways_studio.media.stores import MediaStoreError, media_store
from folkways_studio.records import ParticipantState
from folkways_studio.web.rendering.stored_files import stored_file
from folkways_studio.web.request_context import ADJUDICATORS, PARTICIPANT, STAFF, RequestContext
from folkways_studio.web.routing import Routes

routes = Routes()

MOST_AT_ONCE = 200


@routes.get("/work/{study}/media/{file}", PARTICIPANT, slow=True)
def show_to_participant(context: RequestContext) -> Response:
    """A file of the study, for somebody who may work on it; also a part of one, as players ask for it."""
    if context.participant.state not in (ParticipantState.ACTIVE, ParticipantState.FINISHED):
        raise NotFoundError(context.gettext("There is no such page."))
    return _file(context)


@routes.get("/studies/{study}/media/{file}", ADJUDICATORS, slow=True)
def show_to_staff(context: RequestContext) -> Response:
    """The same for those who run or review the study."""
    return _file(context)


def _file(context: RequestContext) -> Response:
    found = media.find_media(context.workspace, context.study.id, str(context.request.path_params["file"]))
    sorry = context.gettext(
        "Something went wrong on our side. What you wrote is kept; try again in a moment."
    )
    return stored_file(
        media_store(context.workspace), found, context.request.headers, context.studio.slow, sorry
    )


@routes.post("/studies/{study}/data/media", STAFF, upload=MOST_AT_ONCE, slow=True)
def bring_media(context: RequestContext) -> Response:
    """Add files to the study, all or none."""
    uploads = [
        each for each in context.form.getlist("file") if isinstance(each, UploadFile) and each.filename
    ]
    try:
        if not uploads:
            raise FolkwaysError(context.gettext("Choose a file."))
        files = read_media((each.filename or "", each.file.read()) for each in uploads)
        added = media.add_media(context.workspace, context.study.id, files, by=context.me.id)
    except MediaError as error:
        lines = [f"{name}: {problem}" for name, problem in error.problems.items()]
        return show_result(context, problems=lines[:100], status=422)
    except FolkwaysError as error:
        status = error.status if isinstance(error, MediaStoreError) else 422
        return show_result(context, problems=str(error).splitlines(), status=status)
    return show_result(
        context, context.ngettext("%(num)s file was added.", "%(num)s files were added.", added)
    )


@routes.post("/studies/{study}/media/{file}/delete", STAFF, slow=True)
def delete_media(context: RequestContext) -> Response:
    """Delete a file; not one that an item shows."""
    name = str(context.request.path_params["file"])
    media.delete_media(context.workspace, context.study.id, name, by=context.me.id)
    return show_result(context, f"{name}: {context.gettext('deleted')}")
