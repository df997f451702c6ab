"""A session of asking sends what it is told to and nothing else, and knows how all of it ended."""

from __future__ import annotations

import signal
from collections.abc import Callable

import sqlalchemy as sa

from folkways.benchmarks.build import ModelReply, Prompt
from folkways.endpoints.base import EndpointFailure, Request
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.records import State
from folkways.runs.asking import AskSession
from folkways.runs.models import Model
from folkways.runs.options import AskOptions
from folkways.workspace.database import Workspace
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import FailedRequest
from folkways.workspace.schema import expected

Rule = Callable[[Request], str]


class Judges:
    """Models ``one`` and ``other``, and what they were sent."""

    def __init__(self, rule: Rule = lambda _request: "yes") -> None:
        self.sent: list[str] = []
        self._rule = rule

    def open(self) -> list[Model]:
        return [Model(BaselineEndpoint(name, name, self._said)) for name in ("one", "other")]

    def _said(self, request: Request) -> str:
        self.sent.append(request.user)
        return self._rule(request)


def session(workspace: Workspace, models: list[Model], **options: object) -> AskSession:
    return AskSession(workspace, {"judge": "x"}, models, "judging", AskOptions(**options), "judging-")  # type: ignore[arg-type]


def prompts(*texts: str) -> list[Prompt]:
    return [Prompt(text, "demo/saq", text, 8) for text in texts]


def states(replies: list[ModelReply]) -> list[State]:
    return [reply.state for reply in replies]


def test_a_smaller_session_leaves_what_a_larger_one_did_not_reach(workspace: Workspace) -> None:
    judges = Judges()
    one, _ = models = judges.open()
    with session(workspace, models, concurrency=1, budget="2requests") as first:
        assert states(first.ask(one, prompts(*"abcdef"))).count(State.MISSING) == 4
    judges.sent.clear()
    with session(workspace, models) as second:
        assert states(second.ask(one, prompts("a", "e", "e"))) == [State.ANSWERED] * 3
    assert (judges.sent, second.run.id, second.run.state) == (["e"], first.run.id, "finished")
    with session(workspace, models) as third:
        assert states(third.ask(one, prompts(*"abcdef"))) == [State.ANSWERED] * 6
    assert sorted(judges.sent) == ["c", "d", "e", "f"]


def test_what_an_earlier_session_left_is_not_read_row_by_row(workspace: Workspace) -> None:
    one, _ = models = Judges().open()
    with session(workspace, models, concurrency=1, budget="1requests") as first:
        first.ask(one, prompts(*"abcdef"))
    with workspace.read() as connection:
        keys = {row.item: row.key for row in connection.execute(sa.select(expected))}
        (number,) = {*connection.scalars(sa.select(expected.c.endpoint_id))}
    queue = RequestQueue(workspace, first.run.id, only={keys[item] for item in "ace"})
    batch = queue.claim(number, 0, 1, ())
    assert [request.user for request in batch.requests] == ["c"]
    other = RequestQueue(workspace, first.run.id, only={keys[item] for item in "ce"})
    assert [(each.requests, each.seen > 0) for each in [other.claim(number, 0, 1, ())]] == [((), True)]
    (request,) = other.claim(number, other.claim(number, 0, 1, ()).last, 1, ()).requests
    assert request.user == "e"
    queue.save(number, [FailedRequest(each, "no", 1) for each in (*batch.requests, request)])
    rest = queue.claim(number, batch.last, 1, ())  # which ended while this pass went on
    assert rest.seen > 0 and queue.claim(number, rest.last, 1, ()).seen == 0


def test_an_interruption_ends_all_that_the_session_would_ask(workspace: Workspace) -> None:
    def interrupted(_request: Request) -> str:
        signal.raise_signal(signal.SIGINT)
        return "yes"

    judges = Judges(interrupted)
    one, other = models = judges.open()
    with session(workspace, models, concurrency=1) as asking:
        assert State.MISSING in states(asking.ask(one, prompts(*"abcdef")))
        assert states(asking.ask(other, prompts("g"))) == [State.MISSING]
        assert states(asking.ask(one, prompts("h"))) == [State.MISSING]
    assert (asking.run.state, {*judges.sent} & {"g", "h"}) == ("interrupted", set())


def test_failures_of_one_question_are_not_forgotten_after_the_next(workspace: Workspace) -> None:
    def broken(request: Request) -> str:
        if request.user in "abc":
            raise EndpointFailure("no")
        return "yes"

    judges = Judges(broken)
    one, _ = models = judges.open()
    with session(workspace, models) as asking:
        assert states(asking.ask(one, prompts(*"abcd"))) == [State.FAILED] * 3 + [State.ANSWERED]
        assert states(asking.ask(one, prompts("e"))) == [State.ANSWERED]
    assert (asking.run.state, sorted(judges.sent)) == ("incomplete", [*"abcde"])
    assert asking.run.reason == "3 of 5 requests to one failed, more than 10 %"
