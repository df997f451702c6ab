"""API: servers in the shape of Label Studio's ML backend, which suggest answers and learn from people's."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import StringConstraints

from folkways_studio.errors import NotFoundError
from folkways_studio.items.preannotations import LONGEST_MODEL
from folkways_studio.programs import ml_backends
from folkways_studio.programs.ml_backends import BackendJob, MlBackend
from folkways_studio.studies import service as studies
from folkways_studio.web.api.bodies import Body, Name
from folkways_studio.web.api.calls import OwnerCall, StaffCall, StudyCall, TokenRoute
from folkways_studio.web.api.problems import ProblemLocation
from folkways_studio.web.api.responses import ApiResponse

router = APIRouter(tags=["ml backends"], route_class=TokenRoute)

BackendNumber = Annotated[int, Path(alias="backend", ge=1, le=2**31 - 1)]
JobNumber = Annotated[int, Path(alias="job", ge=1, le=2**31 - 1)]


class NewBackend(Body):
    """A server for a stage. model: the name under which its suggestions are stored."""

    stage: Name
    model: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MODEL)]
    url: Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class NewBackendJob(Body):
    """What a server is to do: suggest answers for open items (predict), or learn from people's (train)."""

    work: Literal["predict", "train"]


class NewSuggesting(Body):
    """A stage for whose open items the study's own model is to suggest answers."""

    stage: Name


class BackendResponse(ApiResponse):
    """A server. version: of its model, as it said last. trained: when the last answer was given that it was
    sent; null for none."""

    id: int
    stage: str
    model: str
    url: str
    version: str
    trained: datetime | None
    created: datetime


class BackendJobResponse(ApiResponse):
    """A job. state: waiting, running, done, failed, cancelled. total: items (or answers) in all; null until
    counted. done: those that were sent. added: suggestions stored. problems: by item, the first hundred."""

    id: int
    work: str
    state: str
    total: int | None
    done: int
    added: int
    error: str | None
    problems: list[ProblemLocation]
    created: datetime
    finished: datetime | None


def _response(call: StudyCall, backend: MlBackend) -> BackendResponse:
    stages = {stage.id: stage.name for stage in studies.stages(call.workspace, call.study.id)}
    return BackendResponse.of(backend, stage=stages[backend.stage_id])


def _job_response(job: BackendJob) -> BackendJobResponse:
    problems = [ProblemLocation(where=key, what=problem) for key, problem in job.problems]
    return BackendJobResponse.of(job, problems=problems)


@router.get("/studies/{study}/ml-backends")
def list_ml_backends(call: OwnerCall) -> list[BackendResponse]:
    """List the ML backends of a study."""
    return [_response(call, each) for each in ml_backends.list_backends(call.workspace, call.study.id)]


@router.post("/studies/{study}/ml-backends", status_code=201)
def make_ml_backend(call: OwnerCall, body: NewBackend) -> BackendResponse:
    """Name a server of Label Studio's ML backend for a stage. Nothing is sent to it yet."""
    made = ml_backends.create_backend(
        call.workspace,
        call.study.id,
        body.stage,
        body.model,
        body.url,
        private=call.studio.settings.private_webhooks,
        by=call.account.id,
    )
    return _response(call, made)


@router.delete("/studies/{study}/ml-backends/{backend}", status_code=204)
def delete_ml_backend(call: OwnerCall, number: BackendNumber) -> None:
    """Delete an ML backend. What it suggested stays."""
    ml_backends.delete_backend(call.workspace, call.study.id, number, by=call.account.id)


@router.get("/studies/{study}/ml-backends/{backend}/jobs")
def list_ml_jobs(call: OwnerCall, number: BackendNumber) -> list[BackendJobResponse]:
    """List the jobs of an ML backend, newest first."""
    ml_backends.get_backend(call.workspace, call.study.id, number)
    return [_job_response(each) for each in ml_backends.list_jobs(call.workspace, call.study.id, number)]


@router.post("/studies/{study}/ml-backends/{backend}/jobs", status_code=202)
def begin_ml_job(call: OwnerCall, number: BackendNumber, body: NewBackendJob) -> BackendJobResponse:
    """Ask an ML backend for suggestions for open items, or send it people's answers to learn from. This goes
    on in the background: ask for the job how far it is."""
    job = ml_backends.begin_job(call.workspace, call.study.id, number, body.work, by=call.account.id)
    call.studio.backend_worker.wake()
    return _job_response(job)


@router.post("/studies/{study}/ml-backends/{backend}/jobs/{job}/cancel")
def cancel_ml_job(call: OwnerCall, number: BackendNumber, job: JobNumber) -> BackendJobResponse:
    """Cancel a job before its next request. Suggestions that were stored stay."""
    if ml_backends.get_job(call.workspace, call.study.id, job).backend_id != number:
        raise NotFoundError("there is no such job")
    return _job_response(ml_backends.cancel_job(call.workspace, call.study.id, job))


@router.get("/studies/{study}/suggestion-jobs")
def list_suggestion_jobs(call: StaffCall) -> list[BackendJobResponse]:
    """List the jobs in which the study's own model suggests, newest first."""
    jobs = ml_backends.list_jobs(call.workspace, call.study.id)
    return [_job_response(each) for each in jobs if each.backend_id is None]


@router.post("/studies/{study}/suggestion-jobs", status_code=202)
def begin_suggestion_job(call: StaffCall, body: NewSuggesting) -> BackendJobResponse:
    """Have the study's suggester suggest answers for the open items of a stage, before people work on them:
    groups of answers, translations of templates. This goes on in the background."""
    job = ml_backends.begin_suggesting(call.workspace, call.study.id, body.stage, by=call.account.id)
    call.studio.backend_worker.wake()
    return _job_response(job)


@router.post("/studies/{study}/suggestion-jobs/{job}/cancel")
def cancel_suggestion_job(call: StaffCall, job: JobNumber) -> BackendJobResponse:
    """Cancel such a job before its next request. Suggestions that were stored stay."""
    if ml_backends.get_job(call.workspace, call.study.id, job).backend_id is not None:
        raise NotFoundError("there is no such job")
    return _job_response(ml_backends.cancel_job(call.workspace, call.study.id, job))
