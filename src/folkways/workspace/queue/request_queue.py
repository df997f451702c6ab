"""Who asks what: pending requests are claimed before they are sent, and responses are committed before they
count as done.

A claim is a row with a batch of requests and their worker, a process with a heartbeat. A second process on
the same workspace never asks what another one is asking; claims of a process that died are free again, at
once on the same machine and after some silence elsewhere (folkways.workspace.queue.workers). What is out in a
batch (folkways.workspace.queue.batches) is nobody's to claim.
"""

from __future__ import annotations

import os
import time
import uuid
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import sqlalchemy as sa

from folkways.endpoints.base import Request, Settings
from folkways.endpoints.clean import storable
from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.key_parts import KEYS_PER_QUERY, in_parts
from folkways.workspace.queue.batches import keys_out
from folkways.workspace.queue.request_rows import (
    REQUEST_COLUMNS,
    AnsweredRequest,
    FailedRequest,
    request_of,
    response_row,
    settings_of,
)
from folkways.workspace.queue.workers import QueueWorker, WorkerWatch, place, started

CLAIM_LOCK = 6035588
"""First half of PostgreSQL's advisory locks of those who claim; the second is the endpoint: no two endpoints
share a request."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Requests that this process may send now.

    last: ordinal to go on from.
    seen: pending rows that were looked at; 0 means that the end is reached.
    """

    requests: tuple[Request, ...]
    last: int
    seen: int


@dataclass(frozen=True, eq=False, slots=True)
class Claim:
    """Requests that one process asks and no other. number: of its row. left: keys of those that have not
    ended."""

    number: int
    left: set[str]


class RequestQueue:
    """One process's view of what a run still has to ask of one workspace.

    watch: finds workers that died.
    name: of the worker, if it was given one; None otherwise. When a worker of the same name starts, on any
        machine, the earlier one has died.
    only: keys of the requests that it asks and counts; None for all that the run expects.
    """

    def __init__(
        self,
        workspace: Workspace,
        run_id: int,
        watch: WorkerWatch | None = None,
        name: str | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        self.workspace = workspace
        self.run_id = run_id
        self.worker = (
            uuid.uuid4().hex
            if name is None
            else blake2b(f"{run_id}\0{name}".encode(), digest_size=16).hexdigest()
        )
        self._settings: dict[int, Settings] = {}
        self.claims: dict[str, Claim] = {}
        """Key of each request that this process has claimed and that has not ended -> its claim."""
        self._watch = watch or WorkerWatch()
        self._only = None if only is None else frozenset(only)
        self._ordinals: dict[int, list[int]] = {}
        """Endpoint -> ordinals of the pending requests among these, as of the beginning of this pass."""

    def enter(self, *, joins: bool = False) -> None:
        """Register as a worker, free the claims of dead ones, and forget the failures of earlier sessions:
        they are tried again.

        joins: others are at work in this session, and their failures are kept.
        """
        with self.workspace.write() as connection:
            # an earlier one of this name
            connection.execute(sa.delete(schema.workers).where(schema.workers.c.id == self.worker))
            self.register(connection)
            if not joins:
                connection.execute(sa.delete(schema.failures).where(schema.failures.c.run_id == self.run_id))
        self.free_dead_claims()

    def leave(self) -> None:
        """Give back all claims, which go with their worker: this process, or one of its name that is known to
        have died."""
        with self.workspace.write() as connection:
            connection.execute(sa.delete(schema.workers).where(schema.workers.c.id == self.worker))

    def heartbeat(self) -> None:
        """Say that this process is alive; due well within STALE_SECONDS."""
        with self.workspace.claim() as connection:
            self.register(connection)

    def register(self, connection: sa.Connection) -> None:
        """Be a worker as of now, also after another host took us for dead while this machine slept."""
        row = {
            "id": self.worker,
            "host": place(),
            "pid": os.getpid(),
            "pid_started": started(os.getpid()),
            "heartbeat": database_time(connection),
        }
        self.workspace.insert_or_replace(connection, schema.workers, [row])

    def free_dead_claims(self) -> None:
        """Drop the claims of processes that are gone."""
        workers = schema.workers
        with self.workspace.read() as connection:
            others = [
                QueueWorker(*row)
                for row in connection.execute(sa.select(workers).where(workers.c.id != self.worker))
            ]
            dead = self._watch.dead(others, database_time(connection))
        if dead:
            with self.workspace.write() as connection:
                for worker in dead:  # unless it has given a sign of life since; its claims go with it
                    connection.execute(
                        sa.delete(workers).where(
                            workers.c.id == worker.id, workers.c.heartbeat == worker.heartbeat
                        )
                    )

    def pending(self, endpoint_id: int) -> int:
        """How many distinct requests of the run to this endpoint have neither a response nor a failure in
        this session."""
        query = self._without_end(sa.select(sa.func.count(sa.distinct(schema.expected.c.key))), endpoint_id)
        with self.workspace.read() as connection:
            if self._only is not None:
                return len(self._pending_keys(connection, endpoint_id))
            return int(connection.execute(query).scalar_one())

    def _pending_keys(self, connection: sa.Connection, endpoint_id: int) -> set[str]:
        keys = self._without_end(sa.select(schema.expected.c.key).distinct(), endpoint_id)
        pending = set(connection.scalars(keys))
        return pending if self._only is None else pending & self._only

    def out(self, endpoint_id: int) -> int:
        """How many pending requests of the run are out in batches."""
        keys = self._without_end(sa.select(schema.expected.c.key).distinct(), endpoint_id)
        with self.workspace.read() as connection:
            claimed = keys_out(connection, endpoint_id)
            return len(claimed.intersection(connection.scalars(keys))) if claimed else 0

    def awaited(self, endpoint_id: int, in_flight: Collection[str]) -> dict[int, set[str]]:
        """Pending requests that are not in flight here, by the number of another process's claim; 0: those
        that nobody holds."""
        with self.workspace.read() as connection:
            pending = self._pending_keys(connection, endpoint_id)
            free = pending.difference(in_flight, keys_out(connection, endpoint_id))
            claims = {number: free & held for number, held in self._held_by_others(connection).items()}
        free.difference_update(*claims.values())
        return {number: held for number, held in {0: free, **claims}.items() if held}

    def still_awaited(self, awaited: Mapping[int, set[str]]) -> dict[int, set[str]]:
        """Those of ``awaited`` that are claimed still; none at all where any may be asked here now. Looks at
        few rows.

        Drops the claims of processes that are gone.
        """
        self.free_dead_claims()
        with self.workspace.read() as connection:
            # by their requests: SQLite gives the numbers of old claims to new ones
            claimed = self._held_by_others(connection)
            still = {number: keys for number, keys in awaited.items() if keys <= claimed.get(number, set())}
            over = [key for number in awaited.keys() - still.keys() for key in awaited[number]]
            ended = sum(self._ended(connection, part) for part in in_parts(over))
        return still if ended == len(over) else {}

    def others_at_work(self) -> bool:
        """Whether another process holds requests of this run."""
        with self.workspace.read() as connection:
            # those of a claim are all of one run
            claimed = [min(keys) for keys in self._held_by_others(connection).values()]
            expected = schema.expected
            of_run = sa.select(expected.c.key).where(expected.c.run_id == self.run_id)
            return any(
                connection.scalar(of_run.where(expected.c.key.in_(part)).limit(1)) is not None
                for part in in_parts(claimed)
            )

    def _held_by_others(self, connection: sa.Connection) -> dict[int, set[str]]:
        claims = schema.claims
        query = sa.select(claims.c.id, claims.c.requests).where(claims.c.worker_id != self.worker)
        return {number: set(requests.split()) for number, requests in connection.execute(query)}

    def _ended(self, connection: sa.Connection, keys: Sequence[str]) -> int:
        """How many of these requests have a response, or a failure in this run."""
        responses, failures = schema.responses, schema.failures
        answered = sa.select(responses.c.key).where(responses.c.key.in_(keys))
        failed = sa.select(failures.c.key).where(failures.c.run_id == self.run_id, failures.c.key.in_(keys))
        return len(connection.scalars(answered.union(failed)).all())

    def standing(self, endpoint_id: int) -> tuple[int, int]:
        """How many distinct requests of the run to this endpoint are pending, and how many have a response
        already.

        Where nothing is pending, equal requests count each time: telling them apart would take longer than
        all the rest.
        """
        if self._only is not None:
            pending = self.pending(endpoint_id)
            return pending, len(self._only) - pending
        pending, stored, _ = self.counts(endpoint_id)
        return pending, stored

    def counts(self, endpoint_id: int) -> tuple[int, int, int]:
        """What ``standing`` counts, and how many requests have failed."""
        expected, responses, failures = schema.expected, schema.responses, schema.failures
        pending = self.pending(endpoint_id)
        key = sa.distinct(expected.c.key) if pending else expected.c.key
        # What is left of all: counting those with a response would look each of them up.
        counted = sa.select(sa.func.count(key)).where(
            expected.c.run_id == self.run_id, expected.c.endpoint_id == endpoint_id
        )
        failed = (
            counted.join(
                failures, sa.and_(failures.c.run_id == self.run_id, failures.c.key == expected.c.key)
            )
            .outerjoin(responses, responses.c.key == expected.c.key)
            .where(responses.c.key.is_(None))
        )
        with self.workspace.read() as connection:
            lost = int(connection.execute(failed).scalar_one())
            return pending, int(connection.execute(counted).scalar_one()) - pending - lost, lost

    def ordinal_at(self, endpoint_id: int, share: float) -> int:
        """The approximate ordinal at this share (0 to 1) of the endpoint's requests."""
        ordinal = schema.expected.c.ordinal
        ends = sa.select(sa.func.min(ordinal), sa.func.max(ordinal)).where(
            schema.expected.c.run_id == self.run_id, schema.expected.c.endpoint_id == endpoint_id
        )
        with self.workspace.read() as connection:
            first, last = connection.execute(ends).one()
        return 0 if first is None else int(first + share * (last - first))

    def claim(self, endpoint_id: int, after: int, limit: int, in_flight: Collection[str]) -> Batch:
        """Claim up to ``limit`` pending requests of ``endpoint_id`` after ordinal ``after``, without those
        that others hold, that this run saw fail, or that are ``in_flight``."""
        claims, ordinal = schema.claims, schema.expected.c.ordinal
        if self._only is None:
            last, pending = after, self._asked(endpoint_id).where(ordinal > after).limit(limit)
        else:
            chosen = self._next_ordinals(endpoint_id, after, min(limit, KEYS_PER_QUERY))
            if not chosen:
                return Batch((), after, 0)
            last, pending = chosen[-1], self._asked(endpoint_id).where(ordinal.in_(chosen))
        with self.workspace.claim() as connection:
            _take_turn(connection, endpoint_id)
            # Claims before responses: who saves does not wait, and a request that ends in between is then
            # both, never neither.
            others = connection.scalars(sa.select(claims.c.requests).where(claims.c.worker_id != self.worker))
            claimed = {key for keys in others for key in keys.split()} | keys_out(connection, endpoint_id)
            rows = connection.execute(pending).all()
            if not rows:  # the end, or those that were chosen have ended meanwhile
                return Batch((), last, last - after)
            wanted: dict[str, tuple[Any, ...]] = {}
            for row in rows:
                if row[1] not in in_flight:
                    wanted.setdefault(row[1], row)
            self.register(connection)
            mine = {key: row for key, row in wanted.items() if key not in claimed}
            if mine:
                number = connection.execute(
                    sa.insert(claims).values(worker_id=self.worker, requests=" ".join(mine))
                )
            self._load_settings(connection, {row[-4] for row in mine.values()})
        if mine:
            claim = Claim(int(number.inserted_primary_key[0]), set(mine))  # type: ignore[index]
            self.claims.update(dict.fromkeys(mine, claim))
        return Batch(tuple(request_of(row, self._settings) for row in mine.values()), rows[-1][0], len(rows))

    def _next_ordinals(self, endpoint_id: int, after: int, limit: int) -> list[int]:
        """The ordinals after ``after`` of requests among ``only`` pending when this pass began."""
        if after == 0:
            query = self._without_end(
                sa.select(schema.expected.c.ordinal, schema.expected.c.key), endpoint_id
            )
            with self.workspace.read() as connection:
                self._ordinals[endpoint_id] = sorted(
                    ordinal for ordinal, key in connection.execute(query) if key in (self._only or ())
                )
        ordinals = self._ordinals[endpoint_id]
        begin = bisect_right(ordinals, after)
        return ordinals[begin : begin + limit]

    def save(self, endpoint_id: int, results: Sequence[AnsweredRequest | FailedRequest]) -> None:
        """Commit a batch: responses and failures are on disk when this returns; a claim that has ended with
        them is free."""
        # Everybody in the same order: two who store the same replies must not wait for each other.
        results = sorted(results, key=lambda result: result.request.key)
        answered = [result for result in results if isinstance(result, AnsweredRequest)]
        failed = [result for result in results if isinstance(result, FailedRequest)]
        now = time.time()
        with self.workspace.claim() as connection:
            self.workspace.insert_new(
                connection, schema.responses, [response_row(endpoint_id, result, now) for result in answered]
            )
            failures = [
                (self.run_id, each.request.key, storable(each.message), each.attempts, now) for each in failed
            ]
            self.workspace.insert_new(connection, schema.failures, failures)
            keys = {result.request.key for result in results}
            over = self._ending(keys)
            if over:
                connection.execute(sa.delete(schema.claims).where(schema.claims.c.id.in_(over)))
        for key in keys:  # only once it is committed: a save that failed is repeated
            claim = self.claims.pop(key, None)
            if claim is not None:
                claim.left.discard(key)

    def give_back(self, keys: Collection[str]) -> None:
        """Let others ask these requests, which were claimed together with no others and will not be sent."""
        claims = {self.claims[key] for key in keys if key in self.claims}
        if claims:
            numbers = [claim.number for claim in claims]
            with self.workspace.claim() as connection:
                connection.execute(sa.delete(schema.claims).where(schema.claims.c.id.in_(numbers)))
        for claim in claims:
            for key in claim.left:
                del self.claims[key]

    def _ending(self, keys: Collection[str]) -> list[int]:
        """The claims whose last requests these are."""
        touched = {self.claims[key] for key in keys if key in self.claims}
        return [claim.number for claim in touched if claim.left <= set(keys)]

    def _without_end(self, query: sa.Select[Any], endpoint_id: int) -> sa.Select[Any]:
        expected, responses, failures = schema.expected, schema.responses, schema.failures
        return (
            query.select_from(expected)
            .outerjoin(responses, responses.c.key == expected.c.key)
            .outerjoin(failures, sa.and_(failures.c.run_id == self.run_id, failures.c.key == expected.c.key))
            .where(
                expected.c.run_id == self.run_id,
                expected.c.endpoint_id == endpoint_id,
                responses.c.key.is_(None),
                failures.c.key.is_(None),
            )
        )

    def _asked(self, endpoint_id: int) -> sa.Select[Any]:
        """The pending rows in their order, with what a request is made of."""
        expected, prompts = schema.expected, schema.prompts
        query = self._without_end(sa.select(*REQUEST_COLUMNS), endpoint_id)
        return query.join(prompts, prompts.c.prompt_hash == expected.c.prompt_hash).order_by(
            expected.c.ordinal
        )

    def requests(self, endpoint_id: int, keys: Collection[str]) -> list[Request]:
        """Those of ``keys`` that are pending, no matter who holds them."""
        with self.workspace.read() as connection:
            rows = {row[1]: row for row in connection.execute(self._asked(endpoint_id)) if row[1] in keys}
            self._load_settings(connection, {row[-4] for row in rows.values()})
        return [request_of(row, self._settings) for row in rows.values()]

    def _load_settings(self, connection: sa.Connection, ids: Collection[int]) -> None:
        new = [number for number in ids if number not in self._settings]
        if new:
            for row in connection.execute(sa.select(schema.settings).where(schema.settings.c.id.in_(new))):
                self._settings[row.id] = settings_of(row)


def _take_turn(connection: sa.Connection, endpoint_id: int) -> None:
    """Wait for the others who claim requests to the endpoint; on SQLite, where one writes at a time, that is
    done already.

    The tables may have been filled a moment ago, when PostgreSQL knows nothing of their sizes: it would join
    and sort all that is pending for each claim. Without sorting it takes the rows in the order of the index,
    and no more of them than are wanted.
    """
    if connection.dialect.name == "postgresql":
        off = ", ".join(
            f"set_config('enable_{way}', 'off', true)" for way in ("sort", "hashjoin", "mergejoin")
        )
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({CLAIM_LOCK}, {int(endpoint_id)}), {off}")


def database_time(connection: sa.Connection) -> float:
    """Seconds since the epoch, by the one clock that everybody shares who may be looking: the server's, or
    this machine's."""
    if connection.dialect.name == "postgresql":
        return float(
            connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())::float8").scalar_one()
        )
    return time.time()
