"""Endpoints of somebody else's making: whatever they return or raise, what was answered is stored, nothing
lost in silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from folkways.endpoints.base import Completion, Confirmation, EndpointFailure, Request
from folkways.engine import asking
from folkways.engine.asking import Limits
from folkways.engine.budget import Budget, parse_budget, worst_case
from folkways.engine.progress import ModelProgress
from folkways.engine.session import EndpointJob, ask
from folkways.workspace import results
from folkways.workspace.database import Workspace
from folkways.workspace.queue.request_queue import RequestQueue
from tests.support.planned_runs import plan_prompts


class Own:
    """An endpoint that answers by a function."""

    item_addressed = False
    local = False
    default_concurrency = 8
    name = identity = "own"

    def __init__(self, answer: Callable[[Request], Completion]) -> None:
        self.answer = answer
        self.asked: list[Request] = []

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """Answer at once."""
        self.asked.append(request)
        await asyncio.sleep(0)
        return self.answer(request)


def ask_own(
    workspace: Workspace, endpoint: Own, count: int, *, attempts: int = 1, budget: str | None = None
) -> ModelProgress:
    run, number = plan_prompts(
        workspace, endpoint.identity, [f"question {position}" for position in range(count)]
    )
    limit = Budget(parse_budget(budget)) if budget else None
    return ask(
        workspace, run.id, [EndpointJob(endpoint, number, Limits(8, attempts))], budget=limit, every=0.02
    )[0]


def stored(workspace: Workspace) -> list[str | None]:
    run, _ = plan_prompts(workspace, "own", [])
    (part,) = results.parts(workspace, run)
    texts: list[str | None] = results.responses(workspace, run, part)["response"].to_list()
    return texts


def test_an_error_while_storing_ends_the_session_with_that_error(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is: a reply that was paid for must not vanish while the run goes on as if it were there."""
    save = RequestQueue.save
    calls: list[int] = []

    def fails_twice(self: RequestQueue, endpoint_id: int, answers: object) -> None:
        calls.append(1)
        if len(calls) <= 1:
            raise OverflowError("too large to convert to a SQLite INTEGER")
        save(self, endpoint_id, answers)  # type: ignore[arg-type]

    monkeypatch.setattr(RequestQueue, "save", fails_twice)
    endpoint = Own(lambda _: Completion("A"))
    with pytest.raises(OverflowError, match="too large"):
        ask_own(workspace, endpoint, 2000)
    assert len(endpoint.asked) < 2000, "nothing new is sent after that"
    assert sum(text is not None for text in stored(workspace)) == len(endpoint.asked), (
        "what had arrived is stored after all"
    )


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (
            lambda: 1 / 0,
            "own raised ZeroDivisionError: division by zero, engine/test_own_endpoints.py, line ",
        ),
        (lambda: None, "it returned None; a model returns the text of its reply"),
        (lambda: Completion(4), "it returned Completion "),  # type: ignore[arg-type]
        (lambda: "A", None),
    ],
)
def test_what_an_endpoint_raises_or_returns_instead_of_a_reply_is_a_failed_request(
    workspace: Workspace, made: Callable[[], Completion], told: str | None
) -> None:
    progress = ask_own(
        workspace, Own(lambda request: made() if request.user.endswith("3") else Completion("A")), 10
    )
    assert (progress.done, progress.failed) == ((10, 0) if told is None else (9, 1))
    assert (progress.last_error or "").startswith(told or "")


def test_an_endpoint_that_cannot_be_opened_stops_its_model_alone(workspace: Workspace) -> None:
    class Broken(Own):
        async def open(self, concurrency: int) -> None:
            raise ValueError("no GPU")

    progress = ask_own(workspace, Broken(lambda _: Completion("A")), 10)
    assert (progress.done, progress.failed) == (0, 0)
    assert (progress.stopped or "").startswith("own raised ValueError: no GPU, engine/test_own_endpoints.py")


@pytest.mark.parametrize("failing", [False, True])
def test_a_token_budget_holds_without_the_providers_own_count(workspace: Workspace, failing: bool) -> None:
    def answer(request: Request) -> Completion:
        if failing and request.key < "8":
            raise EndpointFailure("no reply within 1 s", retryable=True)
        return Completion("A")

    endpoint = Own(answer)
    progress = ask_own(workspace, endpoint, 200, attempts=2, budget="2000tokens")
    assert "budget" in (progress.stopped or "")
    spent = sum(worst_case(request, None).tokens for request in endpoint.asked)
    assert 1800 < spent <= 2000


class Unsure(Own):
    """Each reply awaits a confirmation, which comes at the third look. open_length: of these, the most ever."""

    def __init__(self) -> None:
        super().__init__(lambda _: Completion("A" * 600, thoughts="B" * 400))
        self.waiting: list[tuple[Confirmation, int]] = []
        self.looks = self.most = 0

    async def complete(self, request: Request) -> Completion:
        completion = await super().complete(request)
        completion.confirmation = Confirmation()
        self.waiting.append((completion.confirmation, 1000))
        self.most = max(self.most, sum(length for _, length in self.waiting))
        return completion

    async def look(self) -> float | None:
        """Settle everything at every third look."""
        self.looks += 1
        if self.looks % 3 == 0:
            for confirmation, _ in self.waiting:
                confirmation.clean = True
            self.waiting.clear()
        return 0.01 if self.waiting else None


def test_replies_that_await_confirmation_are_bounded(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the bound come only those that are on their way, one per place."""
    monkeypatch.setattr(asking, "OPEN_LENGTH", 20_000)
    endpoint = Unsure()
    progress = ask_own(workspace, endpoint, 200)
    assert (progress.done, progress.open, progress.failed) == (200, 0, 0)
    assert 20_000 < endpoint.most <= 20_000 + 9 * 1000
