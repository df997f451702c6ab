"""The training before a stage: cases with feedback. Only how far somebody is and how many were right is kept.
Answers to them are not judgements, so that no export, agreement or majority can meet one.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import find_row
from folkways_studio.errors import ConflictError
from folkways_studio.people.quality_status import quality_status, save_quality_status
from folkways_studio.records import ParticipantState, QualificationStatus, Stage
from folkways_studio.workflows.manuals import Case, cases_of

LONGEST_CASE = 600.0
"""Seconds that a case counts at most for pay: what is longer held a break."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far somebody is in the training of a stage. answered: how many cases; right: how many of them at
    once. since: when the next case was first shown, in seconds since the epoch. seconds: of all answered
    ones."""

    answered: int = 0
    right: int = 0
    since: float | None = None
    seconds: float = 0.0
    done: bool = False


@dataclass(frozen=True, slots=True)
class StageTraining:
    """How far one person is in the training of one stage. stage: its name. cases: how many there are."""

    stage: str
    progress: TrainingProgress
    cases: int


def training_progress(status: QualificationStatus) -> TrainingProgress:
    """The training in a status."""
    return TrainingProgress(**(status.training or {}))


def needs_training(connection: sa.Connection, participant_id: int, stage: Stage) -> bool:
    """Whether a person has to go through the training of a stage before they are given its work: not after
    the same training in another stage, nor where they had answered before there was one. connection: of the
    caller.
    """
    if not stage.config.get("training"):
        return False
    standings, stages = schema.standings, schema.stages
    begun = (
        sa.select(standings.c.stage_id, standings.c.training, stages.c.config)
        .join(stages, stages.c.id == standings.c.stage_id)
        .where(standings.c.participant_id == participant_id, standings.c.training.is_not(None))
    )
    for row in connection.execute(begun):
        same = row.stage_id == stage.id or row.config.get("manual") == stage.config["manual"]
        if same and row.training and row.training["done"]:
            return False
    sent = find_row(connection, schema.judgements, participant_id=participant_id, stage_id=stage.id)
    return sent is None


def trainings(workspace: Workspace, study_id: int) -> Mapping[int, tuple[StageTraining, ...]]:
    """Participant id -> the trainings of a study of the workspace that they have begun, by stage; nobody
    else."""
    standings, stages = schema.standings, schema.stages
    begun = (
        sa.select(standings.c.participant_id, standings.c.training, stages.c.name, stages.c.config)
        .join(stages, stages.c.id == standings.c.stage_id)
        .where(stages.c.study_id == study_id, standings.c.training.is_not(None))
        .order_by(stages.c.position)
    )
    people: dict[int, tuple[StageTraining, ...]] = {}
    with workspace.read() as connection:
        for row in connection.execute(begun):
            if row.training:
                cases = len(cases_of(row.config.get("manual")))
                one = StageTraining(row.name, TrainingProgress(**row.training), cases)
                people[row.participant_id] = (*people.get(row.participant_id, ()), one)
    return people


def is_untrained(workspace: Workspace, participant_id: int, stage: Stage) -> bool:
    """``needs_training`` in a transaction of its own."""
    if not stage.config.get("training"):
        return False
    with workspace.read() as connection:
        return needs_training(connection, participant_id, stage)


def show_case(workspace: Workspace, participant_id: int, stage: Stage) -> TrainingProgress:
    """How far a person is; the time of the next case begins with the first call."""
    with workspace.read() as connection:
        progress = training_progress(quality_status(connection, participant_id, stage.id))
    if progress.since is None and not progress.done:
        progress = replace(progress, since=time.time())
        _save(workspace, participant_id, stage, progress)
    return progress


def answer_case(
    workspace: Workspace,
    participant_id: int,
    stage: Stage,
    number: int,
    chosen: Collection[int],
    cases: list[Case],
) -> TrainingProgress:
    """Count the answer of a person (participant_id) of the workspace to the case ``number`` (from 1), if it
    is their next one; another tab may have answered it before.

    chosen: positions of the answers. cases: of the stage's manual. ConflictError for somebody who does not
    work in the study, or for a case that is not theirs yet.
    """
    now = time.time()
    with workspace.claim() as connection, audit.together(connection):
        people = schema.participants
        person = connection.execute(
            sa.select(people).where(people.c.id == participant_id).with_for_update()
        ).one()
        if person.state != ParticipantState.ACTIVE:
            raise ConflictError("only people who take part go through a training")
        status = quality_status(connection, participant_id, stage.id)
        progress = training_progress(status)
        if number <= progress.answered:
            return progress
        if number != progress.answered + 1 or number > len(cases):
            raise ConflictError("this case of the training is not the next one")
        spent = min(now - progress.since, LONGEST_CASE) if progress.since is not None else 0.0
        progress = TrainingProgress(
            answered=number,
            right=progress.right + (frozenset(chosen) == cases[number - 1].right),
            seconds=round(progress.seconds + spent, 1),
            done=number == len(cases),
        )
        save_quality_status(connection, replace(status, training=asdict(progress)))
        if progress.done:
            audit.record_event(
                connection,
                "participant.trained",
                study_id=person.study_id,
                participant_id=participant_id,
                details={"stage": stage.name, "right": progress.right, "asked": progress.answered},
            )
        return progress


def _save(workspace: Workspace, participant_id: int, stage: Stage, progress: TrainingProgress) -> None:
    with workspace.claim() as connection:
        people = schema.participants
        connection.execute(sa.select(people.c.id).where(people.c.id == participant_id).with_for_update())
        status = quality_status(connection, participant_id, stage.id)
        if training_progress(status).answered == progress.answered:
            save_quality_status(connection, replace(status, training=asdict(progress)))
