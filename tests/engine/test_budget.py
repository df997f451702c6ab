"""A budget is never crossed, whatever happens in whatever order."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.endpoints.base import Completion, EndpointFailure, Request, Settings
from folkways.endpoints.prices import Price
from folkways.engine.budget import (
    Amount,
    Budget,
    BudgetDecision,
    charged,
    charged_for_failure,
    parse_budget,
    require_prices,
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
    assert charged(Completion("x", input_tokens=5, output_tokens=5), Price(1000.0, 1000.0), worst) == Amount(
        1, 10, 0.01
    )


@pytest.mark.parametrize(
    ("status", "billed"), [(None, True), (200, True), (400, False), (429, False), (503, False)]
)
def test_a_failure_is_free_only_where_the_server_refused(status: int | None, billed: bool) -> None:
    worst = Amount(1, 100, 0.5)
    assert charged_for_failure(EndpointFailure("lost", status=status), worst) == (
        worst if billed else Amount(1)
    )


@given(
    limit=st.integers(1, 50),
    costs=st.lists(st.tuples(st.integers(1, 20), st.integers(0, 20)), max_size=40),
    order=st.randoms(use_true_random=False),
)
def test_spending_never_crosses_the_limit(limit: int, costs: list[tuple[int, int]], order: object) -> None:
    """Requests with a worst case and an actual cost below it, settled in any order while others are in
    flight."""
    budget = Budget(Amount(UNLIMITED, limit, UNLIMITED))
    flying: list[tuple[Amount, Amount]] = []
    for worst, actual in costs:
        reserved, spent = Amount(1, worst), Amount(1, min(actual, worst))
        decision = budget.reserve(reserved)
        if decision is BudgetDecision.GO:
            flying.append((reserved, spent))
        elif decision is BudgetDecision.WAIT:
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
        assert budget.reserve(Amount(1, 10)) is BudgetDecision.GO
        budget.settle(Amount(1, 10), Amount(1, 7, 0.5))
    assert (budget.requests, budget.tokens, budget.usd) == (100, 700, 50.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 Request", Amount(1, UNLIMITED, UNLIMITED)),
        ("3btokens,1token", Amount(UNLIMITED, 1, UNLIMITED)),
        ("2b tokens", Amount(UNLIMITED, 2e9, UNLIMITED)),
        ("1mrequests , 7 dollars", Amount(1e6, UNLIMITED, 7)),
        ("3$", Amount(UNLIMITED, UNLIMITED, 3)),
        ("$3 usd", Amount(UNLIMITED, UNLIMITED, 3)),
    ],
)
def test_units_and_factors_of_budgets(text: str, expected: Amount) -> None:
    assert parse_budget(text) == expected


def test_dollars_are_limited_where_every_price_is_known() -> None:
    price = Price(1.0, 2.0)
    for limit, prices in (
        (parse_budget("5usd"), {"a": price, "b": price}),
        (parse_budget("5requests,9tokens"), {"a": None}),
        (None, {"a": None}),
    ):
        require_prices(limit, prices)
    with pytest.raises(FolkwaysError, match=r"known for b; add it "):
        require_prices(parse_budget("5usd"), {"a": price, "b": None})
    with pytest.raises(FolkwaysError, match=r"known for a, b; add them "):
        require_prices(parse_budget("5usd,3requests"), {"a": None, "b": None})


@pytest.mark.parametrize(
    ("system", "limit", "effort", "tokens", "output"),
    [
        (None, 10, None, 5 + 16, 10),
        (None, 10, "none", 5 + 16, 10),
        ("be brief", 10, "low", 5 + 8 + 16, 10 + 16384),
        (None, 10, "off", 5 + 16, 10),
        (None, 10, "50000", 5 + 16, 10 + 50_000),
        ("한국", None, None, 5 + 6 + 16, 4096),
        ("\ud800", None, "high", 5 + 1 + 16, 4096 + 16384),
    ],
)
def test_the_worst_case_is_a_token_for_each_byte_and_all_the_output_there_may_be(
    system: str | None, limit: int | None, effort: str | None, tokens: int, output: int
) -> None:
    request = Request("k", "Köln", system, Settings(max_tokens=limit, reasoning_effort=effort))
    assert worst_case(request, None) == Amount(1, tokens + output, None)
    assert worst_case(request, Price(2.0, 8.0)) == Amount(1, tokens + output, (2 * tokens + 8 * output) / 1e6)


def test_what_is_not_counted_is_used_by_nobody() -> None:
    price = Price(2.0, 8.0)
    assert used(Completion("x", input_tokens=3, output_tokens=5), price) == Amount(1, 8, 46 / 1e6)
    assert used(Completion("x", output_tokens=5), price) == Amount(1, 5, 40 / 1e6)
    assert used(Completion("x", input_tokens=3), None) == Amount(1, 3, None)


@pytest.mark.parametrize(("status", "billed"), [(199, False), (299, True), (300, False)])
def test_accepted_is_what_begins_with_a_two(status: int, billed: bool) -> None:
    worst = Amount(1, 100, 0.5)
    assert charged_for_failure(EndpointFailure("lost", status=status), worst) == (
        worst if billed else Amount(1, 0.0, 0.0)
    )


@pytest.mark.parametrize(
    "unit", [Amount(1, 0, 0), Amount(0.5, 1, None), Amount(0.5, 0, 1)], ids=["requests", "tokens", "usd"]
)
def test_each_limit_holds_alone_for_what_is_spent_and_set_aside(unit: Amount) -> None:
    """Three fit. A fourth waits while it may be that one of those on their way costs nothing, and is refused
    once none is."""
    limit = Amount(*(3.0 if value == 1 else UNLIMITED for value in (unit.requests, unit.tokens, unit.usd)))
    budget = Budget(limit)
    assert [budget.reserve(unit) for _ in range(4)] == [BudgetDecision.GO] * 3 + [BudgetDecision.WAIT]
    budget.settle(unit, Amount(0))  # it cost nothing
    assert [budget.reserve(unit), budget.reserve(unit)] == [BudgetDecision.GO, BudgetDecision.WAIT]
    for _ in range(2):
        budget.settle(unit, unit)
    assert budget.reserve(unit) is BudgetDecision.WAIT
    budget.settle(unit, unit)
    assert budget.reserve(unit) is BudgetDecision.STOP
    assert (budget.requests, budget.tokens, budget.usd) == (
        3 * unit.requests,
        3 * unit.tokens,
        3 * (unit.usd or 0.0),
    )
    large = Amount(4, 4, 4)
    fresh = Budget(limit)
    assert (fresh.reserve(unit), fresh.reserve(large)) == (BudgetDecision.GO, BudgetDecision.STOP)


def test_dollars_that_nobody_knows_are_none() -> None:
    assert (Amount().requests, Amount().tokens, Amount().usd) == (0, 0, 0)
    budget = Budget(Amount(2, 2, None))
    assert budget.reserve(Amount(1, 1, None)) is BudgetDecision.GO
    assert budget.reserve(Amount(1, 1, 0.1)) is BudgetDecision.STOP
    budget.settle(Amount(1, 1, None), Amount(1, 1, None))
    assert budget.usd == 0.0


def test_everyone_who_waits_looks_again_when_something_has_settled() -> None:
    async def scenario() -> None:
        budget = Budget(Amount(1, 1, 1))
        budget.wake()
        for settle in (lambda: budget.settle(Amount(0), Amount(0)), budget.wake):
            waiting = [asyncio.create_task(budget.changed()) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            await asyncio.sleep(0)
            settle()
            ended = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 5)
            assert [type(end) for end in ended] == [asyncio.CancelledError, type(None), type(None)]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("effort", "tokens"),
    [
        (None, None),
        ("low", None),
        ("off", None),
        ("2000", 2000),
        ("-5", None),
        ("²", None),
        ("9" * 5000, None),
    ],
)
def test_an_effort_in_digits_is_a_number_of_tokens(effort: str | None, tokens: int | None) -> None:
    assert Settings(reasoning_effort=effort).thinking_budget == tokens
