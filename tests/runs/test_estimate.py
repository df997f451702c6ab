"""What a run would take: tokens by hand, and what a workspace knows already."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import folkways
from folkways.endpoints.base import Completion, EndpointOptions
from folkways.endpoints.prices import Price
from folkways.engine.budget import UNLIMITED_OUTPUT_TOKENS
from folkways.errors import FolkwaysError
from folkways.runs.models import Model, open_models
from folkways.runs.options import RunOptions
from folkways.runs.planning.estimate import (
    LEARNED_FROM,
    Estimate,
    ReportedTokens,
    estimate,
    reported,
    request_tokens,
    tokens_of,
)
from folkways.runs.planning.plan import Plan, TaskPlan, begin
from folkways.runs.planning.tasks import plan_tasks
from folkways.workspace.database import Workspace
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest
from tests.support.planned_runs import plan_prompts


def test_a_token_is_four_letters_or_two_thirds_of_another_scripts() -> None:
    assert tokens_of("") == 0
    assert tokens_of("abcdefgh, x") == 11 / 4
    assert tokens_of("한국 abc") == pytest.approx(2 * 0.7 + 4 / 4)
    assert request_tokens(None, "abcd") == 1 + 4 + 3
    assert request_tokens("abcdefgh", "abcd") == 1 + 4 + 2 + 4 + 3


def answer(workspace: Workspace, run: int, endpoint: int, counts: Mapping[str, int | None]) -> None:
    """Store replies to the prompts that begin with a word, and how many input tokens each reports."""
    request_queue = RequestQueue(workspace, run)
    request_queue.enter()
    batch = request_queue.claim(endpoint, 0, 10_000, ())
    told = [
        (request, counts[request.user.split()[0]])
        for request in batch.requests
        if request.user.split()[0] in counts
    ]
    request_queue.save(
        endpoint,
        [AnsweredRequest(request, Completion("A", input_tokens=count), 0.1, 1) for request, count in told],
    )
    request_queue.leave()


def test_what_a_model_reported_is_known_by_its_name_and_its_identity(workspace: Workspace) -> None:
    run, mine = plan_prompts(workspace, "mine", ["aaaa", "bbbbbbbb", "none", "zero", "once"])
    answer(workspace, run.id, mine, {"aaaa": 10, "bbbbbbbb": 13, "none": None, "zero": 0, "once": 1})
    run, other = plan_prompts(workspace, "other", ["aaaa"], config="other")
    assert reported(workspace, "other") is None
    answer(workspace, run.id, other, {"aaaa": 1000})
    assert reported(workspace, "mine") == ReportedTokens(3, 24, 1 + 7 + 2 + 7 + 1 + 7)
    assert reported(workspace, "unknown") is None
    many = [f"word {number}" for number in range(LEARNED_FROM + 1)]
    run, often = plan_prompts(workspace, "often", many, config="many")
    answer(workspace, run.id, often, {"word": 2})
    found = reported(workspace, "often")
    assert found is not None
    assert (found.replies, found.counted) == (500, 1000)


def planned(options: Mapping[str, Any]) -> tuple[TaskPlan, Model]:
    (plan,) = plan_tasks(RunOptions(tasks=("demo/saq",), **options))
    (model,) = open_models(["baseline/echo"], EndpointOptions())
    return plan, model


@pytest.mark.parametrize("samples", [1, 2])
def test_an_estimate_counts_what_would_be_sent_and_what_is_stored(workspace: Workspace, samples: int) -> None:
    plan, model = planned({"samples": samples})
    prompts = [row for frame in plan.prompts() for row in frame.iter_rows(named=True)]
    keys = {
        (row["system"], row["user"]) if not model.endpoint.item_addressed else tuple(row.items())
        for row in prompts
    }
    inputs = samples * sum(request_tokens(system, user) for system, user in keys)
    requests, limit = samples * len(keys), plan.task.max_tokens
    items = len({row["item"] for row in prompts})
    first = estimate(plan, model, Price(2.0, 3.0), None)
    usd = (2 * round(inputs) + 3 * limit * requests) / 1e6
    assert first == Estimate(
        "baseline/echo",
        "demo/saq",
        items,
        requests,
        0,
        round(inputs),
        limit * requests,
        pytest.approx(usd),
        0,
    )
    assert estimate(plan, model, None, workspace) == Estimate(
        "baseline/echo", "demo/saq", items, requests, 0, round(inputs), limit * requests, None, 0
    )
    run, _ = begin(workspace, Plan(plan.options, (plan,), (model,)), None, {})
    request_queue = RequestQueue(workspace, run.id)
    request_queue.enter()
    batch = request_queue.claim(1, 0, 3, ())
    request_queue.save(
        1, [AnsweredRequest(request, Completion("A", input_tokens=50), 0.1, 1) for request in batch.requests]
    )
    told = [request_tokens(request.system, request.user) for request in batch.requests]
    left = 150 / sum(told) * (inputs - sum(told))
    assert estimate(plan, model, None, workspace) == Estimate(
        "baseline/echo", "demo/saq", items, requests - 3, 3, round(left), limit * (requests - 3), None, 3
    )


def test_replies_without_a_limit_are_taken_for_long() -> None:
    plan, model = planned({"settings": {"max_tokens": None}})
    found = estimate(plan, model, None, None)
    assert found.output_tokens == UNLIMITED_OUTPUT_TOKENS * found.requests


def test_another_script_takes_more_tokens_of_a_small_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    assert request_tokens(None, "한국 abc", 2.0) == 2 * 2.0 + 4 / 4 + 4 + 3
    plan, model = planned({"languages": ("ko",)})
    usual = estimate(plan, model, None, None).input_tokens
    monkeypatch.setattr(type(model.endpoint), "vocabulary", 128_000, raising=False)
    assert estimate(plan, model, None, None).input_tokens == usual
    monkeypatch.setattr(type(model.endpoint), "vocabulary", 49_152)
    texts = [row["user"] for frame in plan.prompts() for row in frame.iter_rows(named=True)]
    more = sum(len(text) - len(text.encode("ascii", "ignore")) for text in texts) * (2.0 - 0.7)
    assert estimate(plan, model, None, None).input_tokens == pytest.approx(usual + more, abs=1)


def test_a_small_vocabulary_and_what_replies_took_are_not_counted_twice(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, model = planned({"languages": ("ko",)})
    monkeypatch.setattr(type(model.endpoint), "vocabulary", 49_152, raising=False)
    before = estimate(plan, model, None, workspace)
    run, _ = begin(workspace, Plan(plan.options, (plan,), (model,)), None, {})
    queue = RequestQueue(workspace, run.id)
    queue.enter()
    batch = queue.claim(1, 0, 3, ())
    took = [round(request_tokens(request.system, request.user, 2.0)) for request in batch.requests]
    queue.save(
        1,
        [
            AnsweredRequest(request, Completion("A", input_tokens=tokens), 0.1, 1)
            for request, tokens in zip(batch.requests, took, strict=True)
        ],
    )
    found = estimate(plan, model, None, workspace)
    assert (found.learned_from, found.input_tokens) == (
        3,
        pytest.approx(before.input_tokens - sum(took), rel=0.02),
    )


def test_what_is_asked_afresh_is_paid_again(tmp_path: Path) -> None:
    where: dict[str, Any] = {"models": "baseline/first", "workspace": str(tmp_path / "w.db"), "limit": 2}
    folkways.run("demo/mcq", **where)
    again, afresh = (folkways.estimate("demo/mcq", **how) for how in (where, where | {"afresh": True}))
    assert [one["requests"].item() for one in (again, afresh)] == [0, 2]


def test_what_cannot_be_asked_in_batches_has_no_estimate_of_them(tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match=r"^baseline/first cannot be asked in batches; batch= is for "):
        folkways.estimate("demo/mcq", "baseline/first", workspace=str(tmp_path / "w.db"), batch=True)


def test_the_time_of_a_model_that_runs_here_is_known_from_its_stored_replies(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, model = planned({})
    run, _ = begin(workspace, Plan(plan.options, (plan,), (model,)), None, {})
    request_queue = RequestQueue(workspace, run.id)
    request_queue.enter()
    batch = request_queue.claim(1, 0, 3, ())
    took = zip(batch.requests, (1.0, 2.0, 6.0), strict=True)
    request_queue.save(
        1, [AnsweredRequest(request, Completion("A"), seconds, 1) for request, seconds in took]
    )
    run, other = plan_prompts(workspace, "other", ["aaaa"], config="other")
    answer(workspace, run.id, other, {"aaaa": 1})  # its tenth of a second says nothing of this model
    assert estimate(plan, model, None, workspace).seconds is None  # elsewhere time costs nothing
    monkeypatch.setattr(type(model.endpoint), "runs_here", True, raising=False)
    monkeypatch.setattr(type(model.endpoint), "default_concurrency", 4)
    found = estimate(plan, model, None, workspace)
    assert found.seconds == pytest.approx(found.requests * 3.0 / 4)
    assert estimate(plan, model, None, None).seconds is None
