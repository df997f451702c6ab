"""Asking afresh, and being told of what is used from before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from folkways.errors import on_command_line
from folkways.runs.options import ReusedReplies, RunOptions, age
from folkways.runs.planning.estimate import estimate_run
from folkways.runs.sampling.rounds import FIRST
from tests.api.conftest import QUESTIONS
from tests.support.chat_server import ChatServer
from tests.support.mcq_data import write_mcq_release


def asked(server: ChatServer) -> int:
    return int(server.stats()["total"])


@pytest.fixture
def replies(server: ChatServer) -> Any:
    """Has the server give this reply to whatever it is asked from now on."""
    yield lambda text: server.control(mode=f"fixed:{text}")
    server.control(mode="letter")


class TestAfresh:
    def test_everything_is_asked_again_and_the_stored_replies_stay(
        self, ask: Any, server: ChatServer, replies: Any
    ) -> None:
        replies("A")
        before = ask()
        replies("B")
        assert set(ask().responses()["response"]) == {"A"}
        assert asked(server) == QUESTIONS
        after = ask(afresh=True)
        assert (asked(server), set(after.responses()["response"])) == (2 * QUESTIONS, {"B"})
        assert set(before.responses()["response"]) == {"A"}
        assert after.record.recipe["afresh"] is True and "generation" not in after.record.recipe

    def test_going_on_asks_nothing_a_third_time(self, ask: Any, server: ChatServer) -> None:
        ask()
        cut_off = ask(afresh=True, budget="50requests")
        assert (cut_off.record.state, asked(server)) == ("budget", QUESTIONS + 50)
        done = ask(afresh=True)
        assert (done.name, done.record.state, asked(server)) == (cut_off.name, "finished", 2 * QUESTIONS)

    def test_what_failed_is_tried_again_and_the_rest_is_not(self, ask: Any, server: ChatServer) -> None:
        server.control(faults={"script": ["400"] * 5})
        first = ask(afresh=True)
        assert (first.record.state, first.failed()) == ("finished", 5)
        server.control(faults={}, forget=True)
        assert ask(afresh=True).failed() == 0
        assert asked(server) == 5

    def test_a_finished_one_is_asked_afresh_again(self, ask: Any, server: ChatServer) -> None:
        for number in (1, 2, 3):
            ask(afresh=True, limit=10)
            assert asked(server) == 10 * number

    def test_a_named_one_is_one_run(self, ask: Any, server: ChatServer) -> None:
        names = [ask(afresh=True, limit=10, name="mine").name for _ in range(2)]
        assert (names, asked(server)) == (["mine", "mine"], 10)
        ask(afresh=True, limit=10, name="another")
        assert asked(server) == 20

    def test_other_options_are_another_run(self, ask: Any, server: ChatServer) -> None:
        ask(afresh=True, budget="5requests", limit=10)
        ask(afresh=True, limit=11)
        assert asked(server) == 5 + 11

    def test_until_asks_afresh_round_by_round(self, ask: Any, server: ChatServer, tmp_path: Path) -> None:
        release = write_mcq_release(tmp_path / "large", 1000)
        options = {"releases": {"blend": str(release)}, "cultures": "KR"}
        ask(**options)
        every = asked(server)
        run = ask(afresh=True, until=12.0, **options)
        assert FIRST < asked(server) - every == len(run) < every
        assert run.record.state == "finished"

    def test_an_estimate_counts_it(self, ask: Any, server: ChatServer, release: Any, tmp_path: Any) -> None:
        ask()
        options = {"tasks": ("blend/mcq",), "releases": {"blend": str(release)}}
        models = [f"{server.url}/v1#test-model"]
        for afresh, requests in ((False, 0), (True, QUESTIONS)):
            (estimate,) = estimate_run(
                RunOptions(**options, afresh=afresh), models=models, workspace=tmp_path / "w.db"
            )
            assert (estimate.requests, estimate.stored) == (requests, QUESTIONS - requests)


class TestReused:
    def test_a_run_is_told_how_old_its_replies_are_and_whose(self, ask: Any) -> None:
        seen: list[ReusedReplies] = []
        ask(name="small", limit=10, reused=seen.append)
        assert seen == []
        ask(name="again", limit=10, reused=seen.append)
        ask(name="larger", reused=seen.append)
        counts = [(one.replies, one.expected, one.runs) for one in seen]
        assert counts == [(10, 10, ("small",)), (10, QUESTIONS, ("small",))]
        assert "test-model: all 10 replies are from before: " in seen[0].text()
        assert seen[0].text().endswith(" old, from run small; afresh=True asks again")

    def test_newer_replies_are_named_with_how_to_use_them(
        self, ask: Any, server: ChatServer, replies: Any
    ) -> None:
        replies("A")
        ask(limit=10)
        replies("B")
        newer = ask(afresh=True, limit=10)
        ask(afresh=True, limit=9)  # asks something else
        seen: list[ReusedReplies] = []
        assert set(ask(limit=10, name="again", reused=seen.append).responses()["response"]) == {"A"}
        told = f"Run {newer.name} has newer replies, asked for afresh, which are not used; "
        assert seen[0].text().endswith(f"{told}afresh=True and name='{newer.name}' use them")
        with on_command_line():
            assert seen[0].text().endswith(f"{told}--afresh and --name {newer.name} use them")
        count = asked(server)
        assert set(
            ask(limit=10, afresh=True, name=newer.name, reused=seen.append).responses()["response"]
        ) == {"B"}
        assert (asked(server), len(seen)) == (count, 1)
        ask(limit=8, reused=seen.append)
        assert "newer" not in seen[-1].text()

    def test_replies_of_several_runs(self, ask: Any) -> None:
        seen: list[ReusedReplies] = []
        ask(name="one", cultures="KR")
        ask(name="two", cultures="GB")
        ask(cultures=["KR", "GB"], reused=seen.append)
        assert seen[0].runs == ("one", "two")
        assert seen[0].replies > 2 and seen[0].oldest < seen[0].newest
        ask(cultures="KR", reused=seen.append)
        ask(cultures="GB", reused=seen.append)
        assert seen[0].oldest == seen[1].oldest <= seen[1].newest < seen[2].oldest <= seen[2].newest
        assert seen[2].newest == seen[0].newest
        ask(cultures="KR", limit=1, reused=seen.append)
        assert seen[3].replies == 1 and seen[3].oldest == seen[3].newest
        assert "runs one to two" in seen[0].text()

    def test_going_on_is_not_from_before(self, ask: Any) -> None:
        seen: list[ReusedReplies] = []
        ask(budget="50requests", reused=seen.append)
        ask(reused=seen.append)
        assert seen == []

    @pytest.mark.parametrize(
        ("seconds", "told"),
        [
            (0.2, "less than a second"),
            (1, "1 second"),
            (59, "59 seconds"),
            (60, "1 minute"),
            (3599, "59 minutes"),
            (7200, "2 hours"),
            (86_400, "1 day"),
            (400 * 86_400, "400 days"),
        ],
    )
    def test_ages(self, seconds: float, told: str) -> None:
        assert age(seconds) == told

    def test_a_sentence_of_many_ages(self) -> None:
        reused = ReusedReplies("m", 3, 4, oldest=1000.0, newest=1000.0 + 3600, runs=())
        assert (
            reused.text(now=1000.0 + 7200)
            == "m: 3 of 4 replies are from before: 1 hour to 2 hours old; afresh=True asks again"
        )
