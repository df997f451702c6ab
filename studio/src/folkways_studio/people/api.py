"""API: the people of a study (invitations, participants and members)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from folkways_studio.errors import NotFoundError, SubmissionError
from folkways_studio.items.api import cells
from folkways_studio.people import accounts, invites, participants, personal, suspension
from folkways_studio.records import Invite, Participant, Role
from folkways_studio.studies import remaining_work
from folkways_studio.studies import service as studies
from folkways_studio.web.api.bodies import (
    FilledRows,
    NewAdmission,
    NewExclusion,
    NewInvite,
    NewMember,
    NewWaiver,
    NewWorkbook,
)
from folkways_studio.web.api.calls import Number, OwnerCall, StaffCall, StudyCall, TokenRoute
from folkways_studio.web.api.responses import (
    Cursor,
    InviteResponse,
    Limit,
    MemberResponse,
    NewInviteResponse,
    PageResponse,
    ParticipantResponse,
    RemainingItemResponse,
    RemainingWorkResponse,
    WorkbookImportResponse,
    page_from,
    slice_of,
)
from folkways_studio.work.assignees import assignees_of
from folkways_studio.work.offline import export_workbook, import_workbook

router = APIRouter(tags=["people"], route_class=TokenRoute)

StageName = Annotated[str, Path(max_length=64)]

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _population(call: StudyCall) -> Callable[[Invite | Participant], str | None]:
    """A function that gives the name of the population of a person or link."""
    names: dict[int | None, str] = {
        each.id: each.name for each in studies.populations(call.workspace, call.study.id)
    }
    return lambda each: names.get(each.population_id)


@router.get("/studies/{study}/invites")
def list_invites(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> PageResponse[InviteResponse]:
    """List invitation links, newest first, without their addresses."""
    population, rows = _population(call), invites.list_invites(call.workspace, call.study.id)
    return slice_of(rows, cursor, limit, lambda each: InviteResponse.of(each, population=population(each)))


@router.post("/studies/{study}/invites", status_code=201)
def invite(call: StaffCall, body: NewInvite) -> NewInviteResponse:
    """Make an invitation link. Participants need a population; a researcher cannot give a role above their
    own."""
    if body.role not in invites.may_give(call.roles):
        raise SubmissionError(
            {"role": f"you cannot give this role; valid: {', '.join(invites.may_give(call.roles))}"}
        )
    population = body.population if body.role == Role.ANNOTATOR else None
    created, token = invites.create_invite(
        call.workspace, call.study.id, body.role, population=population, uses=body.uses, days=body.days,
        note=body.note, by=call.account.id,
    )  # fmt: skip
    return NewInviteResponse.of(
        created, population=_population(call)(created), link=f"{call.origin}/join/{token}"
    )


@router.delete("/studies/{study}/invites/{invite}", status_code=204)
def revoke_invite(call: StaffCall, invite: Number) -> None:
    """Revoke an invitation link."""
    invites.revoke_invite(call.workspace, call.study.id, invite, by=call.account.id)


@router.get("/studies/{study}/participants")
def list_participants(
    call: StaffCall, limit: Limit = 100, cursor: Cursor = 0
) -> PageResponse[ParticipantResponse]:
    """List everybody who takes part, including staff who work on stages, in order of arrival."""
    population, rows = _population(call), participants.list_participants(call.workspace, call.study.id)
    return slice_of(
        rows, cursor, limit, lambda person: ParticipantResponse.of(person, population=population(person))
    )


def _response(call: StudyCall, person: Participant) -> ParticipantResponse:
    return ParticipantResponse.of(person, population=_population(call)(person))


def _person(call: StudyCall, number: int) -> Participant:
    participant = participants.get_participant(call.workspace, number)
    if participant.study_id != call.study.id:
        raise NotFoundError("there is no such participant")
    return participant


@router.get("/studies/{study}/participants/{person}")
def show_participant(call: StaffCall, person: Number) -> ParticipantResponse:
    """One participant, without personal details."""
    return _response(call, _person(call, person))


@router.get("/studies/{study}/participants/{person}/personal")
def show_personal(call: StaffCall, person: Number) -> dict[str, str]:
    """The personal details of a participant, by name. Reading them is recorded in the audit trail."""
    return dict(personal.look_up_attributes(call.workspace, call.study.id, person, by=call.account.id))


@router.delete("/studies/{study}/participants/{person}/personal", status_code=204)
def erase(call: StaffCall, person: Number) -> None:
    """Delete the personal details of a participant; answers stay under the pseudonym."""
    personal.delete_attributes(call.workspace, call.study.id, person, by=call.account.id)


@router.get("/studies/{study}/participants/{person}/work")
def show_remaining_work(call: StaffCall, person: Number) -> list[RemainingWorkResponse]:
    """What a participant may still be asked, by stage. Whether they are at work at this moment makes no
    difference."""
    rows = remaining_work.remaining_work(call.workspace, _person(call, person))
    return [RemainingWorkResponse.of(each, stage=each.stage.name) for each in rows]


@router.get("/studies/{study}/participants/{person}/work/{stage}")
def list_remaining_items(
    call: StaffCall, person: Number, stage: StageName, limit: Limit = 100, cursor: Cursor = 0
) -> PageResponse[RemainingItemResponse]:
    """List the items of a stage that a participant may still be asked, in the order in which they come."""
    rows = remaining_work.remaining_items(
        call.workspace, _person(call, person), stage, start=cursor, limit=limit + 1
    )
    assigned = assignees_of(call.workspace, call.study.id, [item.id for item in rows])
    return page_from(
        rows,
        cursor,
        limit,
        lambda item: RemainingItemResponse(
            item=item.id, key=item.key, round=item.round, assigned=item.id in assigned
        ),
    )


@router.post("/studies/{study}/participants/{person}/waiver", status_code=201)
def waive(call: StaffCall, person: Number, body: NewWaiver) -> ParticipantResponse:
    """Let a participant in who does not meet the criteria."""
    participant = participants.waive_eligibility(
        call.workspace, call.study.id, person, body.reason, by=call.account.id
    )
    return _response(call, participant)


@router.post("/studies/{study}/participants/{person}/admission", status_code=201)
def settle_waiting(call: StaffCall, person: Number, body: NewAdmission) -> ParticipantResponse:
    """Let in a participant who waits, as one who meets the criteria, or screen them out."""
    participant = participants.settle_waiting(
        call.workspace, call.study.id, person, let_in=body.let_in, by=call.account.id
    )
    return _response(call, participant)


@router.post("/studies/{study}/participants/{person}/exclusion", status_code=201)
def exclude(call: StaffCall, person: Number, body: NewExclusion) -> ParticipantResponse:
    """Exclude a participant, for a reason that they are shown: they get no more work, and their answers count
    nowhere and are asked for again."""
    participant = suspension.exclude(call.workspace, call.study.id, person, body.reason, by=call.account.id)
    return _response(call, participant)


@router.delete("/studies/{study}/participants/{person}/exclusion")
def include(call: StaffCall, person: Number) -> ParticipantResponse:
    """Undo an exclusion."""
    participant = suspension.include(call.workspace, call.study.id, person, by=call.account.id)
    return _response(call, participant)


@router.post("/studies/{study}/participants/{person}/withdrawal", status_code=201)
def withdraw(call: StaffCall, person: Number) -> ParticipantResponse:
    """Take a participant's answers out of everything that leaves the study, at their request."""
    participant = participants.withdraw(call.workspace, call.study.id, person, by=call.account.id)
    return _response(call, participant)


@router.post("/studies/{study}/participants/{person}/hand-out", response_class=Response,
             responses={200: {"content": {XLSX: {}}, "description": "The workbook."}})  # fmt: skip
def hand_out_workbook(call: StaffCall, person: Number, body: NewWorkbook) -> Response:
    """A workbook (XLSX) of items for somebody who works off line; the items are reserved for that person."""
    participant = _person(call, person)
    content = export_workbook(call.workspace, participant.id, body.stage, body.count, hours=body.hours)
    return Response(content, media_type=XLSX)


@router.post("/studies/{study}/participants/{person}/take-in", status_code=201)
def take_in_rows(call: StaffCall, person: Number, body: FilledRows) -> WorkbookImportResponse:
    """Submit the filled rows of such a workbook: all of them, or none if one is wrong."""
    participant = _person(call, person)
    return WorkbookImportResponse.of(
        import_workbook(call.workspace, participant.id, [cells(row) for row in body.rows], file=body.file)
    )


@router.get("/studies/{study}/members")
def list_members(call: StaffCall) -> list[MemberResponse]:
    """List who runs the study, one entry per role."""
    members = accounts.members(call.workspace, call.study.id, *accounts.STAFF_ROLES)
    return [
        MemberResponse(account=each.id, login=each.login, name=each.name, role=role) for each, role in members
    ]


@router.post("/studies/{study}/members", status_code=201)
def give_role(call: OwnerCall, body: NewMember) -> list[MemberResponse]:
    """Give another role to somebody who has a role in the study. Invite anybody else."""
    account = accounts.find_member(call.workspace, call.study.id, body.login)
    if account is None:
        raise SubmissionError(
            {"login": "nobody of this study signs in with that name; send an invitation instead"}
        )
    participants.add_staff(call.workspace, call.study.id, account.id, Role(body.role), by=call.account.id)
    return list_members(call)


@router.delete("/studies/{study}/members/{account}/{role}", status_code=204)
def take_role(call: OwnerCall, account: Number, role: Role) -> None:
    """Take a role away; the last owner stays."""
    accounts.take_role(call.workspace, call.study.id, account, role, by=call.account.id)
