"""Pages of programs: API tokens, webhooks, and the reference of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from folkways.sdk.errors import FolkwaysError
from folkways_studio.errors import SubmissionError
from folkways_studio.people import accounts
from folkways_studio.programs import deliveries, ml_backends, tokens, webhooks
from folkways_studio.programs.ml_backends import BackendJob, MlBackend
from folkways_studio.programs.records import Scope
from folkways_studio.records import Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.web.api import PLACE
from folkways_studio.web.request_context import ANYBODY, OWNER, RequestContext
from folkways_studio.web.routing import Routes

routes = Routes()

DELIVERIES_SHOWN = 20
SOON_SECONDS = 1.0
"""For which a page waits for a job that has just begun."""


@routes.get("/api", ANYBODY)
def show_document(context: RequestContext) -> Response:
    """Show every address of the API, from its OpenAPI document."""
    from folkways_studio.web.api.app import document

    description = document()
    root = context.studio.settings.prefix + PLACE
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            body = (
                operation.get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema", {})
            )
            schema = description["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2])
            line = {
                "method": method.upper(),
                "path": root + path,
                "about": operation.get("description", ""),
                "query": [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"],
                "body": schema
                and {"about": schema.get("description", ""), "fields": list(schema["properties"])},
            }
            parts.setdefault(operation["tags"][0], []).append(line)
    return context.page("programs/api.html.j2", parts=parts, place=root)


@routes.get("/studies/{study}/api", OWNER)
def show_programs(context: RequestContext) -> Response:
    """Show tokens and webhooks of a study, with forms to make more."""
    return _programs(context)


def _programs(
    context: RequestContext, problems: Mapping[str, str] | None = None, *, token: str = "", secret: str = ""
) -> Response:
    workspace, study = context.workspace, context.study
    hooks = webhooks.list_webhooks(workspace, study.id)
    return context.page(
        "programs/programs.html.j2", 422 if problems else 200, study=study, problems=problems or {},
        token=token, secret=secret, hooks=hooks, tokens=tokens.list_tokens(workspace, study_id=study.id),
        kinds=webhooks.KINDS,
        names={account.id: account.name for account, _ in accounts.members(workspace, study.id)},
        told=deliveries.list_deliveries(workspace, [each.id for each in hooks], limit=DELIVERIES_SHOWN),
        backends=_backends(context),
        suggestible=[
            (stage.name, stage.title) for stage in studies.stages(workspace, study.id)
            if not stage_kind(stage.kind).authored
        ],
    )  # fmt: skip


@routes.post("/studies/{study}/tokens", OWNER)
def make_token(context: RequestContext) -> Response:
    """Make a token and show it once."""
    try:
        days = context.count("days", tokens.MOST_DAYS, 90)
    except FolkwaysError as error:
        return _programs(context, {"days": str(error)})
    scope = Scope.WRITE if context.text("scope") == Scope.WRITE else Scope.READ
    name = context.text("note")
    _, text = tokens.create_token(
        context.workspace,
        context.me.id,
        study_id=context.study.id,
        name=name,
        scope=scope,
        days=days,
        by=context.me.id,
    )
    return _programs(context, token=text)


@routes.post("/studies/{study}/tokens/{api_token}/revoke", OWNER)
def revoke_token(context: RequestContext) -> Response:
    """Revoke a token."""
    tokens.revoke_token(
        context.workspace, context.number("api_token"), study_id=context.study.id, by=context.me.id
    )
    return context.go(f"/studies/{context.study.name}/api", "saved")


@routes.post("/studies/{study}/webhooks", OWNER)
def make_webhook(context: RequestContext) -> Response:
    """Make a webhook and show its secret once."""
    url, events = context.text("url").strip(), context.text("events").replace(",", " ").split()
    try:
        private = context.studio.settings.private_webhooks
        _, secret = webhooks.create_webhook(
            context.workspace, context.study.id, url, events, private=private, by=context.me.id
        )
    except SubmissionError as error:
        return _programs(context, error.problems_in(context.gettext))
    return _programs(context, secret=secret)


@routes.post("/studies/{study}/webhooks/{webhook}/enable", OWNER)
def enable_webhook(context: RequestContext) -> Response:
    """Enable a webhook again that was switched off after failures."""
    webhooks.enable_webhook(context.workspace, context.study.id, context.number("webhook"), by=context.me.id)
    return context.go(f"/studies/{context.study.name}/api", "saved")


@routes.post("/studies/{study}/webhooks/{webhook}/delete", OWNER)
def delete_webhook(context: RequestContext) -> Response:
    """Delete a webhook."""
    webhooks.delete_webhook(context.workspace, context.study.id, context.number("webhook"), by=context.me.id)
    return context.go(f"/studies/{context.study.name}/api", "saved")


def _backends(context: RequestContext) -> list[tuple[MlBackend, Stage, BackendJob | None]]:
    """The ML backends of the study, each with its stage and its last job."""
    workspace, study = context.workspace, context.study
    stages = {stage.id: stage for stage in studies.stages(workspace, study.id)}
    last: dict[int | None, BackendJob] = {}
    for job in ml_backends.list_jobs(workspace, study.id):
        last.setdefault(job.backend_id, job)
    backends = ml_backends.list_backends(workspace, study.id)
    return [(each, stages[each.stage_id], last.get(each.id)) for each in backends]


@routes.post("/studies/{study}/ml-backends", OWNER)
def make_backend(context: RequestContext) -> Response:
    """Name an ML backend for a stage."""
    try:
        ml_backends.create_backend(
            context.workspace,
            context.study.id,
            context.text("stage"),
            context.text("model"),
            context.text("backend_url").strip(),
            private=context.studio.settings.private_webhooks,
            by=context.me.id,
        )
    except SubmissionError as error:
        problems = error.problems_in(context.gettext)
        return _programs(
            context, {"backend_url" if name == "url" else name: words for name, words in problems.items()}
        )
    return context.go(f"/studies/{context.study.name}/api", "saved")


@routes.post("/studies/{study}/ml-backends/{backend}/jobs", OWNER)
def begin_backend_job(context: RequestContext) -> Response:
    """Ask an ML backend for suggestions, send it answers to learn from, or cancel what it does."""
    number, work = context.number("backend"), context.text("work")
    if work == "cancel":
        jobs = ml_backends.list_jobs(context.workspace, context.study.id, number)
        for job in jobs[:1]:
            ml_backends.cancel_job(context.workspace, context.study.id, job.id)
    else:
        ml_backends.begin_job(
            context.workspace,
            context.study.id,
            number,
            "train" if work == "train" else "predict",
            by=context.me.id,
        )
        context.studio.backend_worker.wake()
        context.studio.backend_worker.wait(SOON_SECONDS)
    return context.go(f"/studies/{context.study.name}/api", "saved")


@routes.post("/studies/{study}/ml-backends/{backend}/delete", OWNER)
def delete_backend(context: RequestContext) -> Response:
    """Delete an ML backend."""
    ml_backends.delete_backend(
        context.workspace, context.study.id, context.number("backend"), by=context.me.id
    )
    return context.go(f"/studies/{context.study.name}/api", "saved")
