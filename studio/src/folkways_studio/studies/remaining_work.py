"""What somebody may still be asked: how much in each stage that they work on, and the items themselves."""

from __future__ import annotations

from dataclasses import dataclass

from folkways.sdk.workspace import Workspace
from folkways_studio.errors import NotFoundError
from folkways_studio.records import Item, Participant, Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.progress import own_stages
from folkways_studio.work.eligible_slots import count_assigned, offered_items


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """One stage. answered: items that the person has answered. left: how many they could still be given, None
    where they write their own without a cap. items: those that they could be given whatever the cap, 0 where
    they write their own; assigned: of these, how many are assigned to them or to a population of theirs.
    """

    stage: Stage
    answered: int
    left: int | None
    items: int
    assigned: int


def remaining_work(workspace: Workspace, person: Participant) -> list[RemainingWork]:
    """What a person of the workspace may still be asked, by stage. It says nothing of whether the person is
    given work at this moment."""
    rows = []
    for stage, counts in own_stages(workspace, person):
        if stage_kind(stage.kind).authored:
            rows.append(RemainingWork(stage, counts.answered, counts.left(stage), 0, 0))
            continue
        with workspace.read() as connection:
            assigned = count_assigned(connection, person, stage)
        rows.append(RemainingWork(stage, counts.answered, counts.left(stage), counts.offered, assigned))
    return rows


def remaining_items(
    workspace: Workspace, person: Participant, stage: str, *, start: int = 0, limit: int = 50
) -> list[Item]:
    """The items of a stage that a person of the workspace could be given, in the order in which they come:
    those that are assigned first.

    stage: its name; NotFoundError if the person does not work on such a stage. start, limit: which of them.
    """
    by_name = {each.name: each for each, _ in own_stages(workspace, person)}
    if stage not in by_name:
        raise NotFoundError("this person works on no such stage")
    with workspace.read() as connection:
        return offered_items(connection, person, by_name[stage], start, limit)
