"""What a study is described by: changing it, its history; and deleting the study."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from folkways.sdk.errors import DataError, UnknownNameError
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.models.modelling import models_in
from folkways_studio.people import accounts
from folkways_studio.records import Role
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.studies import deletion as study_deletion
from folkways_studio.studies import descriptions
from folkways_studio.web.request_context import OWNER, STAFF, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.workflows.definition import DefinitionError
from folkways_studio.workflows.yaml_text import LONGEST, parse_yaml

routes = Routes()


@routes.get("/studies/{study}/settings", STAFF)
def show_settings(context: RequestContext) -> Response:
    """The description, to be changed, with what was changed before."""
    return _settings(context)


def _settings(
    context: RequestContext,
    text: str | None = None,
    problems: Sequence[str] = (),
    status: int = 200,
    typed_problem: str = "",
    since: int | None = None,
) -> Response:
    """The page of settings with this text, made from the description ``since``; both None: the newest."""
    history = descriptions.history(context.workspace, context.study.id)
    names = {account.id: account.name for account, _ in accounts.members(context.workspace, context.study.id)}
    return context.page(
        "studies/settings.html.j2",
        status,
        study=context.study,
        text=text if text is not None else descriptions.newest_of(history, context.study),
        problems=problems,
        names=names,
        history=history,
        since=since if since is not None else history[0].number if history else 0,
        is_owner=Role.OWNER in context.roles,
        typed_problem={"typed": typed_problem} if typed_problem else {},
    )


@routes.post("/studies/{study}/settings", STAFF)
def change(context: RequestContext) -> Response:
    """Have the study described by another text; every mistake is named, and everything that may not change
    any more."""
    text = context.text("description").replace("\r\n", "\n")
    since = whole(context.text("since"))
    if len(text) > LONGEST:
        too_long = [context.gettext("The description is too long.")]
        return _settings(context, text[:LONGEST], too_long, 422, since=since)
    try:
        offered, old = context.studio.settings.models, models_in(context.study.definition).values()
        raw = parse_yaml(text)
        unknown = (
            [name for name in models_in(raw).values() if name not in offered and name not in old]
            if _names_models(raw)
            else []
        )
        if unknown:
            raise UnknownNameError("model of this server", unknown[0], sorted(offered))
        descriptions.edit_study(context.workspace, context.study.id, text, by=context.me.id, since=since)
    except ConflictError as error:
        # Saved again, it replaces the version that the message names, and no later one.
        revision = int(str(error.message.values["revision"]))
        return _settings(context, text, [error.words(context.gettext)], error.status, since=revision)
    except DefinitionError as error:
        return _settings(context, text, list(error.problems), 422, since=since)
    except (DataError, UnknownNameError) as error:
        return _settings(context, text, [str(error)], 422, since=since)
    return context.go(f"/studies/{context.study.name}/settings", "saved")


def _names_models(raw: object) -> bool:
    return isinstance(raw, dict) and isinstance(raw.get("models"), dict)


@routes.post("/studies/{study}/delete", OWNER)
def delete(context: RequestContext) -> Response:
    """Delete the study, once its name has been typed."""
    try:
        study_deletion.delete_study(
            context.workspace, context.study.id, context.text("typed"), by=context.me.id
        )
    except SubmissionError:
        words = context.gettext("This is not the name of the study. Nothing was deleted.")
        return _settings(context, status=422, typed_problem=words)
    context.studio.import_worker.wake()
    return context.go("/studies", "study-deleted")
