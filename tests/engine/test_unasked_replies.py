"""A server or proxy that sends responses nobody asked for: none of them is stored as the answer to another
question."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.engine.asking import Limits
from folkways.engine.progress import ModelProgress
from folkways.engine.session import EndpointJob, ask
from folkways.workspace import schema
from folkways.workspace.database import open_workspace
from tests.support.planned_runs import plan_prompts
from tests.support.unsolicited_server import KINDS, UnsolicitedServer

pytestmark = pytest.mark.usefixtures("quick_backoff")


def ask_all(
    folder: Path, server: UnsolicitedServer, count: int, concurrency: int
) -> tuple[ModelProgress, dict[str, str]]:
    """Ask ``count`` questions; returns the tally and, for each question stored, the reply that is stored
    under it."""
    workspace = open_workspace(folder / "w.db")
    endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=20))
    run, number = plan_prompts(workspace, endpoint.identity, [f"Say: word{index}" for index in range(count)])
    (progress,) = ask(workspace, run.id, [EndpointJob(endpoint, number, Limits(concurrency, 20))])
    responses, prompts = schema.responses, schema.prompts
    query = sa.select(prompts.c.user, responses.c.text).join(
        responses, responses.c.prompt_hash == prompts.c.prompt_hash
    )
    with workspace.read() as connection:
        return progress, {user.split()[-1]: text for user, text in connection.execute(query)}


@pytest.mark.parametrize(("concurrency", "count"), [pytest.param(1, 12, marks=pytest.mark.nightly), (8, 48)])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "400 instead"])
def test_no_reply_is_stored_under_another_question(
    tmp_path: Path, kind: str, concurrency: int, count: int
) -> None:
    with UnsolicitedServer(kind, latency=0.005 if kind == "loose" else 0.0) as server:
        progress, stored = ask_all(tmp_path, server, count, concurrency)
    assert server.unasked > 0
    wrong = {asked: said for asked, said in stored.items() if asked != said}
    assert not wrong
    assert (len(stored), progress.done, progress.failed) == (count, count, 0)


@pytest.mark.parametrize(
    ("concurrency", "at"),
    [
        *((1, at) for at in (1, 2, 9, 39, 40)),
        *((2, 1), (8, 2), (32, 9)),
        *(
            pytest.param(concurrency, at, marks=pytest.mark.nightly)
            for concurrency in (1, 2, 8, 32)
            for at in range(1, 41)
        ),
    ],
)
def test_one_reply_that_is_sent_twice_shifts_nothing(tmp_path: Path, concurrency: int, at: int) -> None:
    """Wherever it is: on each connection until it is noticed, as late as the last reply of all."""
    count = (
        40 if concurrency == 1 else (12 + 2 * at) * concurrency
    )  # so that some connection carries more than ``at``
    with UnsolicitedServer("ahead", at=at, latency=0.002) as server:
        progress, stored = ask_all(tmp_path, server, count, concurrency)
    assert server.unasked > 0
    assert {asked: said for asked, said in stored.items() if asked != said} == {}
    assert (len(stored), progress.done, progress.open, progress.failed) == (count, count, 0, 0)
