"""What a session may spend. A request is only sent when its worst case still fits, so the budget is never
crossed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from folkways.endpoints.base import NO_THINKING, Completion, EndpointFailure, Request
from folkways.endpoints.prices import Price
from folkways.errors import FolkwaysError, option
from folkways.workspace.queue.shared_budget import SharedBudget

USED_UP = "the budget is used up: the next request might cross it"
"""Why a model is asked nothing more, where the budget is the reason."""

UNLIMITED_OUTPUT_TOKENS = 4096
"""Output tokens that are assumed for a request without a limit of its own."""

THINKING_TOKENS = 16384
"""What a provider may grant for thinking beyond a request's limit where a reasoning effort is set
(Anthropic's protocol does)."""

_SPELLINGS = {"request": "requests", "token": "tokens", "dollars": "usd", "$": "usd"}
_FACTORS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9}


@dataclass(frozen=True, slots=True)
class Amount:
    """What one or more requests use: their number, tokens in and out together, US dollars (None: price
    unknown)."""

    requests: float = 0.0
    tokens: float = 0.0
    usd: float | None = 0.0


class BudgetDecision(Enum):
    """Whether the next request may be sent: now, perhaps after those in flight have settled, or not any
    more."""

    GO = "go"
    WAIT = "wait"
    STOP = "stop"


def parse_budget(text: str) -> Amount:
    """Read ``1000requests``, ``2Mtokens``, ``5usd`` or several joined by commas; FolkwaysError with examples
    otherwise.

    What is not named is unlimited (infinity).
    """
    limits = {"requests": float("inf"), "tokens": float("inf"), "usd": float("inf")}
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\$?)\s*([0-9]+(?:\.[0-9]+)?)\s*([kmb]?)\s*([a-z$]*)\s*", part.lower())
        word = (match[4] or match[1]) if match else ""
        unit = _SPELLINGS.get(word, word)
        if match is None or unit not in limits:
            raise FolkwaysError(
                f"cannot read the budget {part.strip()!r}; valid: a number with requests, tokens or usd, for "
                "example 1000requests, 2Mtokens, 5usd, or several: 1000requests,5usd"
            )
        limits[unit] = float(match[2]) * _FACTORS[match[3]]
    return Amount(**limits)


def units_of(limit: Amount) -> tuple[float, float, float]:
    """Requests, tokens and dollars of a limit, as processes share it (workspace.queue.shared_budget)."""
    return limit.requests, limit.tokens, limit.usd or 0.0


def require_prices(limit: Amount | None, prices: Mapping[str, Price | None]) -> None:
    """FolkwaysError where dollars are limited and a model's price is not known. prices: by the models'
    names."""
    unknown = [name for name, price in prices.items() if price is None]
    if unknown and limit is not None and limit.usd != float("inf"):
        raise FolkwaysError(
            f"a budget in usd needs prices, and none is known for {', '.join(unknown)}; "
            f"add {'them' if len(unknown) > 1 else 'it'} to a prices file ({option('prices', 'FILE')}), "
            "or give the budget in requests or tokens"
        )


def require_token_limits(limit: Amount | None, unlimited: Sequence[str]) -> None:
    """FolkwaysError where tokens or dollars are limited and a model's reply may have any length. unlimited:
    such models' names."""
    if unlimited and limit is not None and min(limit.tokens, limit.usd or 0.0) != float("inf"):
        raise FolkwaysError(
            f"a budget in tokens or usd needs a limit for each reply of {unlimited[0]}: leave out the "
            "setting max_tokens=none, or give the budget in requests"
        )


def worst_case(request: Request, price: Price | None) -> Amount:
    """An upper bound of what a request can use: no tokenizer makes more tokens than there are bytes."""
    size = (
        len(request.user.encode("utf-8", "replace"))
        + len((request.system or "").encode("utf-8", "replace"))
        + 16
    )
    output = request.settings.max_tokens or UNLIMITED_OUTPUT_TOKENS
    if request.settings.reasoning_effort not in (None, "none", NO_THINKING):
        output += (
            THINKING_TOKENS if request.settings.thinking_budget is None else request.settings.thinking_budget
        )
    usd = price.usd(size, output) if price is not None else None
    return Amount(1, size + output, usd)


def used(completion: Completion, price: Price | None) -> Amount:
    """What a reply used by the provider's own count; tokens it does not report count as none."""
    inputs, outputs = completion.input_tokens or 0, completion.output_tokens or 0
    usd = price.usd(inputs, outputs) if price is not None else None
    return Amount(1, inputs + outputs, usd)


def charged(completion: Completion, price: Price | None, worst: Amount) -> Amount:
    """What a reply counts against a budget: what it used, or its worst case where the provider does not count
    tokens."""
    if completion.input_tokens is None or completion.output_tokens is None:
        return worst
    return used(completion, price)


def charged_for_failure(failure: EndpointFailure, worst: Amount) -> Amount:
    """A refused request costs nothing but itself; one that was accepted, or whose end is not known, may have
    been billed.

    One for which there was no connection was not even sent.
    """
    if failure.unreachable:
        return Amount(0)
    refused = failure.status is not None and not 200 <= failure.status < 300
    return Amount(1) if refused else worst


class Budget:
    """Spending of one session, shared by all its endpoints.

    limit: what may be spent at most (``parse_budget``); None for no limit.
    shared: where the limit is that of several processes: this one spends what it takes out of it, part by
        part.
    """

    def __init__(self, limit: Amount | None = None, shared: SharedBudget | None = None) -> None:
        self.shared = shared
        self.limit = limit if shared is None else Amount()
        self.requests = 0.0
        self.tokens = 0.0
        self.usd = 0.0
        self._reserved_requests = 0.0
        self._reserved_tokens = 0.0
        self._reserved_usd = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    def reserve(self, amount: Amount) -> BudgetDecision:
        """Set ``amount`` aside if it fits with what is spent and set aside; GO means that it has been set
        aside."""
        if self.limit is None:
            return BudgetDecision.GO
        if self._fits(amount, self._reserved_requests, self._reserved_tokens, self._reserved_usd):
            self._reserved_requests += amount.requests
            self._reserved_tokens += amount.tokens
            self._reserved_usd += amount.usd or 0.0
            return BudgetDecision.GO
        return (
            BudgetDecision.WAIT
            if self._reserved_requests and self._fits(amount, 0.0, 0.0, 0.0)
            else BudgetDecision.STOP
        )

    def enlarge(self, part: Sequence[float]) -> None:
        """Add to the limit. part: requests, tokens and US dollars."""
        assert self.limit is not None  # noqa: S101 - a shared budget has one
        requests, tokens, usd = part
        self.limit = Amount(
            self.limit.requests + requests, self.limit.tokens + tokens, (self.limit.usd or 0.0) + usd
        )

    def unspent(self) -> tuple[float, float, float]:
        """What is left of a limit."""
        assert self.limit is not None  # noqa: S101 - see above
        return (
            self.limit.requests - self.requests,
            self.limit.tokens - self.tokens,
            (self.limit.usd or 0.0) - self.usd,
        )

    def settle(self, reserved: Amount, spent: Amount) -> None:
        """Replace what was set aside for a request by what it used."""
        self.requests += spent.requests
        self.tokens += spent.tokens
        self.usd += spent.usd or 0.0
        if self.limit is not None:
            self._reserved_requests -= reserved.requests
            self._reserved_tokens -= reserved.tokens
            self._reserved_usd -= reserved.usd or 0.0
        self.wake()

    async def changed(self) -> None:
        """Wait until something has been settled, by whichever endpoint, or ``wake`` was called."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        await turn

    def wake(self) -> None:
        """Let everyone who waits look again."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _fits(self, amount: Amount, requests: float, tokens: float, usd: float) -> bool:
        assert self.limit is not None  # noqa: S101 - both callers have looked
        return (
            self.requests + requests + amount.requests <= self.limit.requests
            and self.tokens + tokens + amount.tokens <= self.limit.tokens
            and self.usd + usd + (amount.usd or 0.0) <= (self.limit.usd or 0.0)
        )
