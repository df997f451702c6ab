"""What a page costs grows with the items of its stage, and not with their square: counted in steps of SQLite,
not in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.studies.progress import own_progress_everywhere
from folkways_studio.work.task_pages import get_task_page
from studio.tests.support.studies import QUESTION, StudyFixture, open_study

EVERY = 20
"""Steps after which SQLite calls back."""


def steps_of(workspace: Workspace, work: Callable[[], Any]) -> int:
    """Steps of SQLite's machine, in units of EVERY, while something is read."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def watch(connection: sa.Connection, *_: Any) -> None:
        connection.connection.driver_connection.set_progress_handler(count, EVERY)  # type: ignore[union-attr]

    sa.event.listen(workspace.engine, "before_cursor_execute", watch)
    try:
        work()
    finally:
        sa.event.remove(workspace.engine, "before_cursor_execute", watch)
    return steps


def stage_of(workspace: Workspace, items: int) -> StudyFixture:
    """A study with one stage of so many items."""
    study = open_study(workspace, [{"name": "verify", "kind": "vote", "answers": 5}], name=f"of-{items}")
    study.add("verify", [QUESTION] * items)
    return study


def costs(study: StudyFixture) -> dict[str, int]:
    """Page -> its steps, for somebody new."""
    person = study.person()
    slot = study.work(person).assignment.id
    return {
        "task": steps_of(study.workspace, lambda: get_task_page(study.workspace, person, slot)),
        "home": steps_of(study.workspace, lambda: own_progress_everywhere(study.workspace, person)),
    }


def test_pages_cost_as_many_steps_more_as_there_are_items_more(workspace: Workspace) -> None:
    before, after = (costs(stage_of(workspace, items)) for items in (50, 400))
    assert all(before.values())
    assert {page: after[page] / before[page] for page in before if after[page] > 12 * before[page]} == {}, (
        "8 times the items"
    )
