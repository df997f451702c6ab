"""A queue and its workers, event by event: who claims which rows when, what the transactions cost, and who
waits for whom.

Rows are free, held or done. A claim reads the keys that others hold, walks from its worker's place in the run
over rows that are done, and takes the next pending ones; those that others hold are passed by, so that a
worker may have to claim several times. Claims on one endpoint wait for each other. All transactions share the
server's cores; workers have their own, or share them (a crew on one machine).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count

import numpy as np

FREE, HELD, DONE = 0, 1, 2
CONCURRENCY, FLUSH_SECONDS, SAVED_AT_ONCE = 32, 0.05, 256


@dataclass(frozen=True)
class Costs:
    """Processor's seconds, (client, server): of a claim, of each row in it, of each key that others hold, of
    each row walked over; of a save and of each reply in it.
    """

    claim: tuple[float, float]
    row: tuple[float, float]
    held: tuple[float, float]
    walked: tuple[float, float]
    save: tuple[float, float]
    reply: tuple[float, float]

    def of_claim(self, rows: int, held: int, walked: int) -> tuple[float, float]:
        """Of a whole claim."""
        parts = zip(self.claim, self.row, self.held, self.walked, strict=True)
        client, server = (a + rows * b + held * c + walked * d for a, b, c, d in parts)
        return client, server

    def of_save(self, replies: int) -> tuple[float, float]:
        """Of a whole save."""
        client, server = (a + replies * b for a, b in zip(self.save, self.reply, strict=True))
        return client, server


@dataclass(frozen=True)
class Setting:
    """workers and requests; feed: rows of a claim; latency: seconds per reply, 32 at once (0: at once);
    cores: of the server.

    shared: whether the workers compute on the same cores. flush: seconds between two saves. ordered: whether
    all workers begin at the run's beginning, or each at a place of its own.
    """

    workers: int
    requests: int
    feed: int
    latency: float
    cores: float
    shared: bool = False
    flush: float = FLUSH_SECONDS
    ordered: bool = True


@dataclass
class Outcome:
    """What happened until the end or until time was up. busy: seconds in which somebody claimed."""

    seconds: float = 0.0
    requests: int = 0
    claims: int = 0
    empty: int = 0
    saves: int = 0
    client: float = 0.0
    server: float = 0.0
    busy: float = 0.0


@dataclass
class _Worker:
    after: int = 0
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    sent: int = 0
    due: float = 0.0
    wraps: bool = False


def simulate(costs: Costs, setting: Setting, until: float = float("inf")) -> Outcome:
    """Run it to its end, or so many seconds of the simulated clock."""
    state = np.zeros(setting.requests, np.int8)
    workers = [_Worker() for _ in range(setting.workers)]
    if not setting.ordered:
        for number, worker in enumerate(workers):
            worker.after = setting.requests * number // setting.workers
            worker.wraps = worker.after > 0
    held, turn, out = 0, 0.0, Outcome()
    cores = [0.0] * max(1, round(setting.cores))
    slow = max(1, round(setting.cores)) / setting.cores
    at_once = max(1, int(CONCURRENCY * setting.flush / setting.latency)) if setting.latency else SAVED_AT_ONCE

    def compute(at: float, cost: tuple[float, float]) -> float:
        """When a transaction ends that may begin then."""
        client, server = cost
        out.client, out.server = out.client + client, out.server + server
        begin = max(at, heapq.heappop(cores))
        work = (server + (client if setting.shared else 0.0)) * slow
        heapq.heappush(cores, begin + work)
        return begin + work + (0.0 if setting.shared else client)

    events = [(0.0, number, number) for number in range(setting.workers)]
    places = count(setting.workers)  # in the order of coming: who waits longest for the turn is next

    def later(at: float, number: int) -> None:
        heapq.heappush(events, (at, next(places), number))

    while events:
        now, place, number = heapq.heappop(events)
        if now > until:
            out.seconds = until
            return out
        worker = workers[number]
        state[worker.rows[: worker.sent]] = DONE  # a save that was begun has ended by now
        if worker.sent == worker.rows.size > 0:
            held -= worker.rows.size
            worker.rows, worker.sent = worker.rows[:0], 0
        if worker.sent < worker.rows.size:
            part = worker.rows[worker.sent : worker.sent + at_once]
            end = compute(now, costs.of_save(part.size))
            worker.sent += part.size
            out.saves, out.requests = out.saves + 1, out.requests + part.size
            worker.due += min(at_once, worker.rows.size - worker.sent) * setting.latency / CONCURRENCY
            later(max(end, worker.due) if worker.sent < worker.rows.size else end, number)
            continue
        if turn > now:
            heapq.heappush(events, (turn, place, number))
            continue
        rows = _pending(state, worker.after, setting.feed)
        walked = (int(rows[-1]) + 1 if rows.size else setting.requests) - worker.after - rows.size
        end = compute(now, costs.of_claim(int(rows.size), held, walked))
        turn, out.busy, out.claims = end, out.busy + end - now, out.claims + 1
        if not rows.size:
            out.seconds = max(out.seconds, end)
            if worker.wraps:
                worker.after, worker.wraps = 0, False
                later(end, number)
            continue  # whoever holds the rest ends it
        worker.after = int(rows[-1]) + 1
        worker.rows, worker.sent = rows[state[rows] == FREE], 0
        out.empty += not worker.rows.size
        state[worker.rows] = HELD
        held += worker.rows.size
        worker.due = end + min(at_once, worker.rows.size) * setting.latency / CONCURRENCY
        later(worker.due if worker.rows.size else end, number)
    return out


def _pending(state: np.ndarray, after: int, wanted: int) -> np.ndarray:
    """The next rows that are not done, at most so many."""
    found: list[np.ndarray] = []
    size, start, length = 0, after, 4 * wanted
    while size < wanted and start < state.size:
        block = np.flatnonzero(state[start : start + length] != DONE) + start
        found.append(block)
        size, start, length = size + block.size, start + length, 2 * length
    return np.concatenate(found)[:wanted] if found else np.empty(0, np.int64)
