"""A budget that workers share: what they take never passes its limit, whoever takes and puts back."""

from __future__ import annotations

from folkways.workspace.database import Workspace
from folkways.workspace.queue.shared_budget import PARTS, SharedBudget, taken
from tests.support.planned_runs import plan_prompts

INF = float("inf")


def test_parts_never_pass_the_limit(any_workspace: Workspace) -> None:
    run, _ = plan_prompts(any_workspace, "m", ["a"])
    one, two = (SharedBudget(any_workspace, run.id, (INF, 1000.0, 64.0)) for _ in range(2))
    assert taken(any_workspace, run.id) == (0, 0, 0)
    part = one.take((1.0, 10.0, 0.5))
    assert part == (
        INF,
        1000.0 / PARTS,
        1.0,
    )  # as much as they like of what is not limited, and of the rest more than is needed
    assert two.take((1.0, 400.0, 0.5)) == (INF, 400.0, 1.0)
    assert taken(any_workspace, run.id) == (0, 1000.0 / PARTS + 400, 2.0)
    assert two.take((1.0, 600.0, 0.5)) is None
    assert one.take((1.0, 1.0, 62.5)) is None
    one.put_back((INF, 1000.0 / PARTS, 0.25))
    assert taken(any_workspace, run.id) == (0, 400.0, 1.75)
    assert two.take((1.0, 600.0, 62.0)) == (INF, 600.0, 62.0)
    assert two.take((1.0, 0.5, 0.0)) is None


def test_requests_are_taken_one_by_one_where_they_are_few(any_workspace: Workspace) -> None:
    run, _ = plan_prompts(any_workspace, "m", ["a"])
    budget = SharedBudget(any_workspace, run.id, (3.0, INF, INF))
    assert [budget.take((1.0, 9.0, 9.0)) for _ in range(4)] == [*[(1.0, INF, INF)] * 3, None]
    budget.put_back((1.0, INF, INF))
    assert budget.take((1.0, 9.0, 9.0)) == (1.0, INF, INF)
