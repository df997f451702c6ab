"""A budget is never crossed, whatever happens in whatever order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.endpoints.base import Completion, EndpointFailure, Request, Settings
from folkways.endpoints.prices import Price
from folkways.engine.budget import (
    Amount,
    Budget,
    Verdict,
    charged,
    charged_for_failure,
    parse_budget,
    used,
    worst_case,
)
from folkways.errors import FolkwaysError

UNLIMITED = float("inf")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1000requests", Amount(1000, UNLIMITED, UNLIMITED)),
        ("2Mtokens", Amount(UNLIMITED, 2_000_000, UNLIMITED)),
        ("5usd", Amount(UNLIMITED, UNLIMITED, 5)),
        ("$2.50", Amount(UNLIMITED, UNLIMITED, 2.5)),
        ("1.5k requests, 3 usd", Amount(1500, UNLIMITED, 3)),
    ],
)
def test_budgets_as_people_write_them(text: str, expected: Amount) -> None:
    assert parse_budget(text) == expected


@pytest.mark.parametrize("text", ["", "5", "five usd", "-3usd", "5 euros", "1000 requests 5usd", "nan usd"])
def test_a_budget_that_cannot_be_read_shows_what_can(text: str) -> None:
    with pytest.raises(FolkwaysError, match="1000requests, 2Mtokens, 5usd"):
        parse_budget(text)


def test_the_worst_case_bounds_what_is_used() -> None:
    request = Request("k", "Was isst man in Köln? 한국", None, Settings(max_tokens=10))
    price = Price(1.0, 2.0)
    bound = worst_case(request, price)
    spent = used(Completion("x", input_tokens=len(request.user.encode()), output_tokens=10), price)
    assert spent.tokens <= bound.tokens
    assert (spent.usd or 0) <= (bound.usd or 0)


def test_thinking_on_top_of_the_limit_is_in_the_worst_case() -> None:
    plain, none, high = (
        worst_case(Request("k", "Why?", None, Settings(max_tokens=10, reasoning_effort=effort)), None).tokens
        for effort in (None, "none", "high")
    )
    assert none == plain
    assert high >= plain + 16384


@pytest.mark.parametrize("counts", [{}, {"input_tokens": 5}, {"output_tokens": 5}])
def test_tokens_that_the_provider_does_not_count_are_charged_at_their_worst(counts: dict[str, int]) -> None:
    worst = Amount(1, 100, 0.5)
    assert charged(Completion("x", **counts), Price(1000.0, 1000.0), worst) == worst  # type: ignore[arg-type]
    assert charged(Completion("x", input_tokens=5, output_tokens=5), Price(1000.0, 1000.0), worst) == Amount(1, 10, 0.01)


@pytest.mark.parametrize(("status", "billed"), [(None, True), (200, True), (400, False), (429, False), (503, False)])
def test_a_failure_is_free_only_where_the_server_refused(status: int | None, billed: bool) -> None:
    worst = Amount(1, 100, 0.5)
    assert charged_for_failure(EndpointFailure("lost", status=status), worst) == (worst if billed else Amount(1))


@given(
    limit=st.integers(1, 50),
    costs=st.lists(st.tuples(st.integers(1, 20), st.integers(0, 20)), max_size=40),
    order=st.randoms(use_true_random=False),
)
def test_spending_never_crosses_the_limit(limit: int, costs: list[tuple[int, int]], order: object) -> None:
    """Requests with a worst case and an actual cost below it, settled in any order while others are in flight."""
    budget = Budget(Amount(UNLIMITED, limit, UNLIMITED))
    flying: list[tuple[Amount, Amount]] = []
    for worst, actual in costs:
        reserved, spent = Amount(1, worst), Amount(1, min(actual, worst))
        verdict = budget.reserve(reserved)
        if verdict is Verdict.GO:
            flying.append((reserved, spent))
        elif verdict is Verdict.WAIT:
            assert flying, "to wait makes sense only while something can still settle"
        if flying and order.random() < 0.5:  # type: ignore[attr-defined]
            budget.settle(*flying.pop(order.randrange(len(flying))))  # type: ignore[attr-defined]
        assert budget.tokens <= limit
    for reserved, spent in flying:
        budget.settle(reserved, spent)
    assert budget.tokens <= limit


def test_without_a_limit_everything_goes_and_is_counted() -> None:
    budget = Budget()
    for _ in range(100):
        assert budget.reserve(Amount(1, 10)) is Verdict.GO
        budget.settle(Amount(1, 10), Amount(1, 7, 0.5))
    assert (budget.requests, budget.tokens, budget.usd) == (100, 700, 50.0)
