"""folkways from Python: what comes back, wherever it runs, from models of any kind."""

from __future__ import annotations

import asyncio
import copy
import pickle
import re
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.api import Run
from folkways.endpoints.base import Completion, EndpointFailure, Request
from folkways.errors import FolkwaysError, MissingExtraError, UnknownNameError
from folkways.records import JUDGEMENTS, RESPONSES, SCORES, State, plain
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.results.report import report_runs
from folkways.workspace.run_records import set_state
from tests.api.conftest import QUESTIONS
from tests.support.chat_server import ChatServer
from tests.support.command_line import rows
from tests.support.mcq_data import CODES


class Parrot:
    """An endpoint of one's own: says the same to everyone, and counts."""

    item_addressed = False
    local = True
    default_concurrency = 4

    def __init__(self, text: str) -> None:
        self.name = f"parrot/{text}"
        self.identity = self.name
        self.text = text
        self.opened = self.closed = self.asked = 0

    async def open(self, concurrency: int) -> None:
        self.opened += 1

    async def close(self) -> None:
        self.closed += 1

    async def complete(self, request: Request) -> Completion:
        self.asked += 1
        await asyncio.sleep(0)
        if self.text == "no":
            raise EndpointFailure("the parrot is asleep")
        return Completion(text=self.text, output_tokens=1)


class Without:
    """Has Python find no package of this name, as where it is not installed."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, *_where: object) -> None:
        if name == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class TestFrames:
    """What comes back has the columns that folkways.records declares, in these types, complete."""

    def test_scores(self, ask: Any) -> None:
        run = ask()
        scores = run.scores()
        assert isinstance(run, folkways.Run)
        assert dict(scores.schema) == dict(SCORES)
        assert scores.height > len(CODES)
        states = [pl.col(state.value) for state in State]
        assert scores.filter(pl.sum_horizontal(states) != pl.col("n")).is_empty()
        assert scores.filter(~pl.col("score").is_between("low", "high")).is_empty()
        whole = scores.filter(pl.col("facet") == "all", pl.col("metric") == "accuracy").row(0, named=True)
        assert (whole["n"], whole["questions"], whole["coverage"]) == (
            QUESTIONS,
            QUESTIONS // 2 // len(CODES),
            1.0,
        )
        assert set(scores.filter(pl.col("facet") == "culture")["value"]) == set(CODES)

    def test_responses_and_judgements(self, ask: Any) -> None:
        run = ask(samples=2)
        responses, judgements = run.responses(), run.judgements()
        assert {name: responses.schema[name] for name in RESPONSES} == dict(RESPONSES)
        assert {name: judgements.schema[name] for name in JUDGEMENTS} == dict(JUDGEMENTS)
        keys = ["task", "item", "language", "variant", "sample"]
        assert responses.height == judgements.height == 2 * QUESTIONS
        assert responses.select(keys).sort(keys).equals(judgements.select(keys).sort(keys))
        assert {"endpoint", "profile", "text", "gold", "response", "accuracy"} <= set(judgements.columns)

    def test_pandas(self, ask: Any) -> None:
        run = ask()
        for frame in (run.scores(), run.judgements(), run.responses()):
            table = frame.to_pandas()
            assert list(table.columns) == frame.columns
            assert len(table) == frame.height
        assert run.scores().to_pandas().set_index("facet").loc["all", "n"].max() == QUESTIONS

    @pytest.mark.parametrize("package", ["pyarrow", "pandas"])
    def test_without_the_extra_the_line_that_installs_it_is_said(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
    ) -> None:
        run = folkways.run(
            "demo/mcq", models=["baseline/first", "baseline/random"], workspace=tmp_path / "w.db"
        )
        compared = folkways.compare(workspace=run.workspace)
        monkeypatch.delitem(sys.modules, package, raising=False)
        monkeypatch.setattr(sys, "meta_path", [Without(package), *sys.meta_path])
        for frame in (
            run.scores(),
            run.judgements(),
            run.responses(),
            compared[0].differences,
            compared[0].ranking,
        ):
            with pytest.raises(
                MissingExtraError, match=rf"'{package}'.*\n.*pip install 'folkways\[pandas\]'"
            ):
                frame.to_pandas()

    def test_a_report(self, ask: Any, tmp_path: Path) -> None:
        written = ask().report(tmp_path / "report", formats=("md", "csv"))
        assert {path.name for path in written} == {"report.md", "scores.csv", "judgements.csv"}
        both = report_runs(["run-1"], tmp_path / "again", workspace=tmp_path / "w.db", formats=("md",))
        assert [path.name for path in both] == ["report.md"]


class TestEndpointsOfOnesOwn:
    """Whatever has the four attributes and three methods of an endpoint can be asked."""

    def test_an_object_is_asked_opened_and_closed_once(self, release: Path, tmp_path: Path) -> None:
        parrot = Parrot("B")
        run = folkways.run(
            "blend/mcq", models=parrot, releases={"blend": str(release)}, workspace=tmp_path / "w.db"
        )
        assert (parrot.opened, parrot.closed, parrot.asked) == (1, 1, QUESTIONS)
        assert set(run.responses()["response"]) == {"B"}
        assert set(run.scores()["endpoint"]) == {"parrot/B"}

    def test_several_models_of_any_kind_in_one_run(
        self, server: ChatServer, release: Path, tmp_path: Path
    ) -> None:
        models = [Parrot("A"), "baseline/first", f"{server.url}/v1#test-model", Parrot("no")]
        run = folkways.run(
            "blend/mcq",
            models=models,
            releases={"blend": str(release)},
            workspace=tmp_path / "w.db",
            attempts=1,
        )
        coverage = dict(
            run.scores().filter(pl.col("facet") == "all").select("endpoint", "coverage").unique().iter_rows()
        )
        assert coverage == {
            "parrot/A": 1.0,
            "baseline/first": 1.0,
            f"{server.url}/v1#test-model": 1.0,
            "parrot/no": 0.0,
        }
        first = run.responses().filter(pl.col("endpoint") == "baseline/first")
        assert set(first["response"]) == {"A"}

    def test_replies_can_be_replayed_as_they_were(self, ask: Any, release: Path, tmp_path: Path) -> None:
        run = ask()
        file = tmp_path / "replies.parquet"
        run.responses().write_parquet(file)
        again = folkways.run(
            "blend/mcq",
            models=f"replay:{file}",
            releases={"blend": str(release)},
            workspace=tmp_path / "other.db",
        )
        kept = [name for name in SCORES if name not in ("endpoint", "signature")]
        assert again.scores().select(kept).equals(run.scores().select(kept))


class TestWhereverItRuns:
    """Notebooks have a running event loop, servers have threads."""

    def test_a_run_can_be_pickled_and_copied(self, ask: Any) -> None:
        """As pools of processes and clusters do with what they send on."""
        run = ask(limit=20)
        for again in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
            assert again.record == run.record
            assert again.scores().equals(run.scores())

    def test_inside_a_running_event_loop(self, ask: Any) -> None:
        async def cell() -> Run:
            return ask(limit=20)

        assert asyncio.run(cell()).record.state == "finished"

    def test_ctrl_c_while_the_last_reply_is_on_its_way_leaves_nothing_unasked(self, tmp_path: Path) -> None:
        def answer(_prompt: str) -> str:
            signal.raise_signal(signal.SIGINT)
            return "A"

        model = folkways.model(answer, name="m", version=1, concurrency=1)
        for limit, state in ((1, "finished"), (3, "interrupted")):
            run = folkways.run(
                "demo/mcq", models=model, workspace=tmp_path / "w.db", limit=limit, afresh=True
            )
            assert run.record.state == state

    @pytest.mark.parametrize("in_loop", [False, True])
    def test_ctrl_c_ends_it_cleanly_and_the_same_call_goes_on(self, tmp_path: Path, in_loop: bool) -> None:
        """In the loop of a notebook, which leaves Ctrl-C to Python, as in a program without one."""
        asked: list[str] = []

        async def answer(prompt: str) -> str:
            asked.append(prompt)
            if len(asked) == 3:
                signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(0.05)
            return "A"

        def run() -> Run:
            model = folkways.model(answer, name="m", version=1, concurrency=1)
            asking = AskOptions(every=0.02)
            return folkways.run(
                "demo/mcq", models=model, asking=asking, workspace=tmp_path / "w.db", name="n"
            )

        async def cell() -> Run:
            return run()

        def call() -> Run:
            return asyncio.new_event_loop().run_until_complete(cell()) if in_loop else run()

        stopped = call().record
        assert (stopped.state, stopped.reason) == ("interrupted", "interrupted by the user")
        assert 3 <= len(asked) < 10
        assert call().record.state == "finished"
        assert len(asked) == len(set(asked)) == 18

    def test_in_a_thread(self, ask: Any) -> None:
        done: list[Run] = []
        thread = threading.Thread(target=lambda: done.append(ask(limit=20)))
        thread.start()
        thread.join(60)
        assert done[0].record.state == "finished"

    def test_the_observer_sees_the_counts_go_up(self, ask: Any, server: ChatServer) -> None:
        server.control(latency=0.01)
        seen: list[int] = []
        ask(observer=lambda tallies: seen.append(tallies[0].done), every=0.01, concurrency=4)
        assert seen == sorted(seen)
        assert seen[-1] == QUESTIONS
        assert len(set(seen)) > 3


def test_earlier_runs_by_name_number_and_last(
    ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(limit=10, name="small")
    ask(limit=20)
    workspace = tmp_path / "w.db"
    assert (
        folkways.load_run("small", workspace=workspace).record.id
        == folkways.load_run("1", workspace=workspace).record.id
        == 1
    )
    assert folkways.load_run(workspace=workspace).name == "run-2"
    with pytest.raises(UnknownNameError, match="valid: run-2, small"):
        folkways.load_run("big", workspace=workspace)
    with pytest.raises(FolkwaysError, match="there is no workspace"):
        folkways.load_run(workspace=tmp_path / "none.db")
    with pytest.raises(FolkwaysError, match=r"named 'small' with limit 10 \(now 30\); choose another name="):
        ask(limit=30, name="small")
    monkeypatch.setattr("folkways.runs.planning.plan.__version__", "99.0")
    with pytest.raises(
        FolkwaysError,
        match=rf"that was planned by folkways {re.escape(folkways.__version__)}, and this is 99\.0",
    ):
        ask(limit=10, name="small")
    assert rows(workspace, "SELECT name, state FROM runs") == [("small", "finished"), ("run-2", "finished")]


def test_a_run_says_in_one_line_what_it_is(tmp_path: Path) -> None:
    run = folkways.run("demo/mcq", models="baseline/first", workspace=tmp_path / "w.db", name="mine")
    assert repr(run) == "<Run mine (finished): demo/mcq of baseline/first>"
    both = folkways.run("demo/mcq", ["baseline/first", "baseline/random"], workspace=run.workspace)
    (compared,) = folkways.compare(both)
    assert repr(compared) == "\n".join(
        ["<Comparison of demo/mcq: baseline/first, baseline/random>", *compared.verdicts]
    )


def test_a_report_says_how_its_run_ended(tmp_path: Path) -> None:
    run = folkways.run("demo/mcq", models="baseline/first", workspace=tmp_path / "w.db")
    for state, shown in {
        "finished": "finished",
        "incomplete": "finished",
        "budget": "budget",
        "interrupted": "interrupted",
        "stopped": "interrupted",
        "waiting": "interrupted",
    }.items():
        set_state(run.workspace, run.record, state)
        (info,) = folkways.load_run("last", run.workspace).report_data(with_judgements=False).runs
        assert info.state == shown, state


def test_a_question_stands_beside_its_replies_as_it_was_asked(tmp_path: Path) -> None:
    options = RunOptions(("demo/saq",), cultures=("KR",), languages=("local", "en"))
    run = folkways.run(options, models="baseline/echo", workspace=tmp_path / "w.db")
    for judged in (run.judgements(), plain(run.report_data().judgements)):
        assert set(judged["language"]) == {"en", "ko"}
        assert all(text in prompt for text, prompt in judged.select("text", "response").iter_rows())
