"""Two studies side by side."""

from __future__ import annotations

from starlette.responses import Response

from folkways_studio.errors import NotFoundError
from folkways_studio.people import accounts
from folkways_studio.studies import service as studies
from folkways_studio.web.request_context import RUNS_STUDIES, STAFF, RequestContext
from folkways_studio.web.routing import Routes

routes = Routes()


@routes.get("/studies/{study}/compare", STAFF)
def show_comparison(context: RequestContext) -> Response:
    """The study less another one (``other``), which the reader has to run as well; without it, a choice."""
    from folkways_studio.studies.comparison import compare_studies  # brings numpy

    workspace, study = context.workspace, context.study
    others = [
        each
        for each in studies.list_studies(workspace, account_id=context.me.id)
        if each.id != study.id and accounts.roles_of(workspace, each.id, context.me.id) & RUNS_STUDIES
    ]
    name = context.request.query_params.get("other", "")
    other = next((each for each in others if each.name == name), None)
    if name and other is None:  # also where there is one, which somebody else runs
        raise NotFoundError("there is no study %(name)s", name=repr(name))
    return context.page(
        "studies/compare.html.j2",
        study=study,
        others=others,
        other=other,
        titles=studies.distinct_titles([study, *others]),
        compared=None if other is None else compare_studies(workspace, study, other),
    )
