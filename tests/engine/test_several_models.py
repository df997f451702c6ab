"""Several models in one session: one budget for all, and nobody waits for a place that nobody gives back."""

from __future__ import annotations

import asyncio

import pytest

from folkways.endpoints.base import Completion, Request
from folkways.engine.asking import Limits
from folkways.engine.budget import Budget, parse_budget
from folkways.engine.session import EndpointJob, ask
from folkways.workspace.database import Workspace
from tests.support.planned_runs import plan_prompts


class Slow:
    """An endpoint that takes ``seconds`` for each answer, and counts the most requests it had at once."""

    item_addressed = False
    local = True
    default_concurrency = 8

    def __init__(self, name: str, seconds: float) -> None:
        self.name = self.identity = name
        self.seconds = seconds
        self.asked = 0

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """Answer after a while."""
        self.asked += 1
        await asyncio.sleep(self.seconds)
        return Completion("A", input_tokens=1, output_tokens=1)


def orders_for(workspace: Workspace, endpoints: list[Slow], requests: int) -> tuple[int, list[EndpointJob]]:
    orders = []
    for position, endpoint in enumerate(endpoints):
        texts = [f"{endpoint.name} {number}" for number in range(requests)]
        run, number = plan_prompts(workspace, endpoint.identity, texts, first=1 + position * requests)
        orders.append(EndpointJob(endpoint, number, Limits(concurrency=8)))
    return run.id, orders


@pytest.mark.timeout(60)
@pytest.mark.parametrize("budget", ["3requests", "8requests", "20requests"])
def test_one_budget_for_all_models_is_used_up_and_not_waited_for(workspace: Workspace, budget: str) -> None:
    """What one model has set aside may be what another one waits for: its end must wake the other."""
    endpoints = [Slow("slow", 0.05), Slow("quick", 0.001)]
    run, orders = orders_for(workspace, endpoints, 40)
    limit = parse_budget(budget)
    progresses = ask(workspace, run, orders, budget=Budget(limit), every=0.02)
    assert sum(endpoint.asked for endpoint in endpoints) == limit.requests
    assert sum(progress.done for progress in progresses) == limit.requests
    assert all("budget" in (progress.stopped or "") for progress in progresses)
