"""The running count of a session: what progress displays show and what the end of a run reports."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from folkways.endpoints.base import Completion
from folkways.endpoints.prices import Price


@dataclass(slots=True)
class ModelProgress:
    """Counts of one endpoint in one session. Only responses that are committed count as done.

    total: requests that had no response when the session began.
    stored: requests of the run that had a response already.
    open: replies that have arrived, and are stored once it is sure that they are the answers to their
        requests.
    by_others: pending requests that another process answered meanwhile.
    about: how the model runs, where its endpoint tells; shown once.
    out: requests that have left in ``batches`` batches and not come back.
    waits: what has to be there before anything can be asked (a GPU, a server that starts); None for nothing.
    notes: other messages for people, each shown once, in this order.
    places: requests at once at most, at present; why, in a few words, in ``why``.
    warning: what the user should know at once, or None.
    away: why the server cannot be reached, while it is waited for; until when, as ``time.monotonic`` tells,
        in ``away_until``.
    usd: None where the cost is not known: no price, or a reply without a count of its tokens.
    """

    endpoint: str
    total: int = 0
    stored: int = 0
    done: int = 0
    failed: int = 0
    open: int = 0
    by_others: int = 0
    out: int = 0
    batches: int = 0
    notes: list[str] = field(default_factory=list)
    retries: int = 0
    rate_limited: int = 0
    in_flight: int = 0
    places: float = 0.0
    why: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    last_error: str | None = None
    about: str | None = None
    warning: str | None = None
    stopped: str | None = None
    waits: str | None = None
    away: str | None = None
    away_until: float = 0.0
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None  # when nothing more was to be asked of it: its rate falls no further

    @property
    def left(self) -> int:
        """Requests that have not ended."""
        return max(0, self.total - self.done - self.open - self.failed - self.by_others)

    @property
    def complete(self) -> bool:
        """Whether its requests have been counted, and all of them have ended: nothing was left to stop."""
        return self.total + self.stored > 0 and not (self.left or self.open or self.out)

    @property
    def seconds(self) -> float:
        """Since the session began, until its end."""
        return (time.monotonic() if self.ended is None else self.ended) - self.began

    def count(self, completion: Completion, price: Price | None) -> None:
        """Add the tokens of a reply, and what they cost at ``price``."""
        inputs, outputs = completion.input_tokens, completion.output_tokens
        self.input_tokens += inputs or 0
        self.output_tokens += outputs or 0
        if price is None or inputs is None or outputs is None:
            self.usd = None
        elif self.usd is not None:
            self.usd += price.usd(inputs, outputs)

    def wait(self, what: str | None) -> None:
        """Nothing can be asked before ``what`` is there; None: now it can, and the rate counts from here."""
        if what is None and self.waits is not None:
            self.began = time.monotonic()
        self.waits = what

    def end(self, _task: object = None) -> None:
        """Nothing more is asked of this model."""
        self.ended = time.monotonic()

    @property
    def seconds_to_wait(self) -> float | None:
        """How long a server that is away will still be waited for; None where none is."""
        return (
            None
            if self.away is None or self.stopped is not None
            else max(0.0, self.away_until - time.monotonic())
        )

    @property
    def rate(self) -> float:
        """Requests that ended, per second, over the session."""
        return (self.done + self.open + self.failed) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the present rate; None before anything has ended."""
        return self.left / self.rate if self.rate > 0 else None


def away_from_all(counts: Sequence[ModelProgress]) -> str | None:
    """Why a server cannot be reached, given the counts of its workers at work: None if one reaches it."""
    return counts[0].away if counts and all(part.away for part in counts) else None
