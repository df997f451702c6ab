"""Studies: made, described, opened, paused, closed."""

from __future__ import annotations

from fastapi import APIRouter

from folkways_studio.errors import NotAllowedError
from folkways_studio.models.modelling import check_offered
from folkways_studio.people import accounts
from folkways_studio.people.participation import may_make_studies
from folkways_studio.records import Study, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.web.api.bodies import NewState, NewStudy
from folkways_studio.web.api.calls import AccountCall, Call, StaffCall, TokenRoute, WholeAccountCall
from folkways_studio.web.api.responses import (
    Cursor,
    Limit,
    PageResponse,
    PopulationResponse,
    StageResponse,
    StudyResponse,
    StudySummaryResponse,
    TemplateResponse,
    slice_of,
)
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.templates import TEMPLATES, template_text
from folkways_studio.workflows.yaml_text import as_json, parse_yaml

router = APIRouter(tags=["studies"], route_class=TokenRoute)


@router.get("/studies")
def list_studies(
    call: AccountCall, limit: Limit = 100, cursor: Cursor = 0
) -> PageResponse[StudySummaryResponse]:
    """The studies that the token is for, newest first."""
    mine = studies.list_studies(call.workspace, account_id=call.account.id)
    allowed = [study for study in mine if call.token.study_id in (None, study.id)]
    return slice_of(allowed, cursor, limit, StudySummaryResponse.of)


@router.post("/studies", status_code=201)
def make_study(call: WholeAccountCall, body: NewStudy) -> StudyResponse:
    """Make a study from its description. Its owner is the token's account; nobody can work on it until it is
    opened."""
    if not may_make_studies(call.workspace, call.account):
        raise NotAllowedError("studies are made by those who run one already; ask whoever runs this server")
    raw = parse_yaml(body.definition if isinstance(body.definition, str) else as_json(body.definition))
    definition = read_definition(raw)
    check_offered(definition.raw, call.studio.settings.models)
    return _study_response(call, studies.create_study(call.workspace, definition, owner=call.account.id))


@router.get("/studies/{study}")
def show_study(call: StaffCall) -> StudyResponse:
    """A study with its populations, stages and description."""
    return _study_response(call, call.study)


@router.put("/studies/{study}/state")
def set_state(call: StaffCall, body: NewState) -> StudyResponse:
    """Open, pause or close it."""
    return _study_response(
        call, studies.set_state(call.workspace, call.study.id, StudyState(body.state), by=call.account.id)
    )


@router.get("/templates")
def list_templates(call: AccountCall) -> list[TemplateResponse]:
    """Descriptions to begin with."""
    return [
        TemplateResponse(name=name, title=str(title), about=str(about), text=template_text(name))
        for name, (title, about) in TEMPLATES.items()
    ]


def _study_response(call: Call, study: Study) -> StudyResponse:
    populations = studies.populations(call.workspace, study.id)
    names: dict[int | None, str] = {each.id: each.name for each in populations}
    return StudyResponse.of(
        study,
        roles=sorted(accounts.roles_of(call.workspace, study.id, call.account.id)),
        populations=[PopulationResponse.of(each, part_of=names.get(each.parent_id)) for each in populations],
        stages=[StageResponse.of(each) for each in studies.stages(call.workspace, study.id)],
    )
