"""folkways from Python: what a notebook does, against a real server process."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

import folkways
from folkways.api import Run, estimate_run, report_runs
from folkways.endpoints.base import Completion, EndpointFailure, Request
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import JUDGEMENTS, RESPONSES, SCORES, State
from folkways.runs.options import RunOptions
from folkways.workspace import results
from tests.support.chat_server import ChatServer
from tests.support.mcq_data import CODES, write_mcq_release
from tests.support.river import rows

QUESTIONS = 120


@pytest.fixture(scope="module")
def running() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def server(running: ChatServer) -> ChatServer:
    running.control(forget=True, latency=0.0, faults={})
    return running


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mcq_release(tmp_path_factory.mktemp("release") / "mcq", QUESTIONS)


@pytest.fixture
def ask(server: ChatServer, release: Path, tmp_path: Path) -> Any:
    """``ask(option=...)``: the multiple-choice questions of our own, put to the server."""

    def asked(tasks: Any = "blend/mcq", **options: Any) -> Run:
        settings = {"releases": {"blend": str(release)}, "workspace": tmp_path / "w.db", **options}
        return folkways.run(tasks, models=f"{server.url}/v1#test-model", **settings)

    return asked


def last_body(server: ChatServer) -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads(server.stats()["last"]["body"])
    return body


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
        assert (whole["n"], whole["questions"], whole["coverage"]) == (QUESTIONS, QUESTIONS // 2, 1.0)
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

    def test_a_report(self, ask: Any, tmp_path: Path) -> None:
        written = ask().report(tmp_path / "report", formats=("md", "csv"))
        assert {path.name for path in written} == {"report.md", "scores.csv", "judgements.csv"}
        both = report_runs(["run-1"], tmp_path / "again", workspace=tmp_path / "w.db", formats=("md",))
        assert [path.name for path in both] == ["report.md"]


class TestOptions:
    """Every option does what it says, to the requests or to the denominator."""

    def test_limit_is_drawn_by_the_seed_and_always_alike(self, ask: Any, tmp_path: Path) -> None:
        drawn = [
            set(ask(limit=20, workspace=tmp_path / f"{n}.db", seed=seed).responses()["item"]) for n, seed in enumerate((0, 0, 1))
        ]
        assert [len(items) for items in drawn] == [20, 20, 20]
        assert drawn[0] == drawn[1]
        assert drawn[0] != drawn[2]

    def test_limit_takes_as_many_of_each_culture(self, ask: Any) -> None:
        judged = ask(limit=20).judgements()
        assert dict(judged.group_by("culture").len().iter_rows()) == dict.fromkeys(CODES, 2)

    @pytest.mark.parametrize("cultures", ["KR", ["KR", "GB"], ("South Korea", "GB"), ["gb"]])
    def test_cultures(self, ask: Any, server: ChatServer, cultures: Any) -> None:
        judged = ask(cultures=cultures).judgements()
        count = 1 if isinstance(cultures, str) else len(cultures)
        assert judged["culture"].n_unique() == count
        assert server.stats()["total"] == judged.height == count * QUESTIONS // len(CODES)

    def test_samples_are_asked_one_by_one(self, ask: Any, server: ChatServer) -> None:
        run = ask(samples=3, limit=10)
        stats = server.stats(bodies=True)
        assert stats["total"] == 30
        assert {count for count, _ in stats["bodies"].values()} == {3}
        assert set(run.responses()["sample"]) == {0, 1, 2}

    def test_system_prompt_settings_and_limit_of_tokens_are_sent(self, ask: Any, server: ChatServer) -> None:
        ask(limit=10)
        plain = last_body(server)
        assert [message["role"] for message in plain["messages"]] == ["user"]
        assert (plain["temperature"], plain["top_p"], "seed" in plain) == (0.0, 1.0, False)
        ask(limit=10, system="Be brief.", settings={"temperature": 0.5, "top_p": None, "seed": 7}, max_tokens=5)
        changed = last_body(server)
        assert changed["messages"][0] == {"role": "system", "content": "Be brief."}
        assert (changed["temperature"], changed["seed"], changed["max_tokens"]) == (0.5, 7, 5)
        assert "top_p" not in changed

    def test_variants_and_languages(self, server: ChatServer, tmp_path: Path) -> None:
        model = f"{server.url}/v1#test-model"
        own = folkways.run("sample/saq", models=model, workspace=tmp_path / "w.db", cultures="KR", languages="en").responses()
        assert set(own["language"]) == {"en"}
        mine = {"mine": "Tell me: {q}"}
        run = folkways.run(
            "sample/saq",
            models=model,
            workspace=tmp_path / "w.db",
            cultures="KR",
            languages="en",
            prompt_texts=mine,
            variants="mine",
        )
        assert set(run.responses()["variant"]) == {"mine"}
        assert last_body(server)["messages"][-1]["content"].startswith("Tell me: ")

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"cultures": "XX"}, "unknown culture 'XX'"),
            ({"limit": 0}, "limit must be at least 1"),
            ({"settings": {"temprature": 1}}, "unknown setting 'temprature'; did you mean 'temperature'"),
            ({"settings": {"temperature": 7}}, "must lie between 0 and 2"),
            ({"culture": "KR"}, "unknown option 'culture'; did you mean 'cultures'"),
            ({"seed": 2**70}, "at most 64 bits"),
            ({"system": "\ud800"}, "text in UTF-8"),
            ({"budget": "some"}, "cannot read the budget"),
            ({"profile": "nope"}, "unknown profile"),
        ],
    )
    def test_wrong_options_are_errors_for_people(
        self, ask: Any, server: ChatServer, options: Mapping[str, Any], words: str
    ) -> None:
        with pytest.raises(FolkwaysError, match=words):
            ask(**options)
        assert server.stats()["total"] == 0


class TestAskingOnce:
    """What is stored is not asked again, and what was not allowed is not asked."""

    def test_a_second_run_asks_nothing_and_gives_the_same(self, ask: Any, server: ChatServer) -> None:
        first, second = ask(), ask()
        assert server.stats()["total"] == QUESTIONS
        assert (first.name, second.name) == ("run-1", "run-2")
        assert first.scores().equals(second.scores())
        assert first.judgements().equals(second.judgements())

    def test_a_run_shares_the_answers_of_another_one(self, ask: Any, server: ChatServer) -> None:
        ask(cultures=["KR", "GB", "ES"])
        ask(cultures=["KR", "GB", "CN", "IR"])
        stats = server.stats()
        assert stats["total"] == stats["distinct"] == 5 * QUESTIONS // len(CODES)

    def test_a_budget_is_not_crossed_and_the_rest_is_asked_later(self, ask: Any, server: ChatServer, tmp_path: Path) -> None:
        server.control(latency=0.005, faults={"chances": {"500": 0.2}, "seed": 3})
        stopped = ask(budget="50requests")
        assert server.stats()["total"] <= 50
        assert (stopped.record.state, "budget" in (stopped.record.reason or "")) == ("stopped", True)
        whole = stopped.scores().filter(pl.col("facet") == "all").row(0, named=True)
        assert whole["n"] == QUESTIONS
        assert whole["missing"] == QUESTIONS - whole["answered"]
        assert stopped.judgements().filter(pl.col("state") == "missing")["reason"].str.contains("budget").all()
        done = ask()
        assert (done.name, done.record.state) == (stopped.name, "finished")
        stats = server.stats()
        assert stats["distinct"] == stats["answered"] == QUESTIONS
        assert stats["answered_again"] == 0

    @pytest.mark.parametrize("budget", ["3ktokens", "0.004usd"])
    def test_a_budget_in_tokens_or_money(self, ask: Any, server: ChatServer, tmp_path: Path, budget: str) -> None:
        prices = tmp_path / "prices.toml"
        prices.write_text(f'[usd_per_million_tokens]\n"{server.url}/v1#test-model" = {{ input = 1.0, output = 2.0 }}\n')
        run = ask(budget=budget, prices=prices)
        (use,) = results.usage(run.workspace, run.record)
        assert 0 < use.responses < QUESTIONS
        assert use.input_tokens + use.output_tokens <= 3000 or "usd" in budget
        assert use.input_tokens * 1e-6 + use.output_tokens * 2e-6 <= 0.004 or "tokens" in budget
        assert run.record.state == "stopped"


class TestEstimate:
    """The estimate is what is then asked, and its tokens are at least what comes out."""

    def test_requests_are_exact_and_output_tokens_an_upper_bound(
        self, ask: Any, server: ChatServer, release: Path, tmp_path: Path
    ) -> None:
        options = RunOptions(tasks=("blend/mcq", "sample/saq"), releases={"blend": str(release)}, limit=33, samples=2)
        models = [f"{server.url}/v1#test-model", f"{server.url}/v1#another"]
        before = estimate_run(options, models=models, workspace=tmp_path / "w.db")
        assert not (tmp_path / "w.db").exists()
        assert server.stats()["total"] == 0
        run = folkways.run(options, models=models, workspace=tmp_path / "w.db")
        assert sum(entry.requests for entry in before) == server.stats()["total"]
        for entry in before:
            parts = {(part.endpoint, part.task): part.expected for part in results.parts(run.workspace, run.record)}
            assert entry.requests == parts[(entry.endpoint, entry.task)]
            assert entry.stored == 0
        used = results.usage(run.workspace, run.record)
        for model, use in zip(models, used, strict=True):
            own = [entry for entry in before if entry.endpoint == model]
            assert use.output_tokens <= sum(entry.output_tokens for entry in own)
            # The server counts four characters as a token, whatever their script.
            assert sum(entry.input_tokens for entry in own) >= 0.7 * use.input_tokens
        after = estimate_run(options, models=models, workspace=tmp_path / "w.db")
        assert [(entry.requests, entry.output_tokens) for entry in after] == [(0, 0)] * len(after)
        assert [entry.stored for entry in after] == [entry.requests for entry in before]

    def test_cost_needs_a_price_and_no_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        prices = tmp_path / "prices.toml"
        prices.write_text('[usd_per_million_tokens]\n"openai/known" = { input = 1.0, output = 2.0 }\n')
        options = RunOptions(tasks=("sample/mcq",))
        known, unknown = estimate_run(
            options, models=["openai/known", "openai/no-such-model"], workspace=tmp_path / "none.db", prices=prices
        )
        assert known.usd == pytest.approx(known.input_tokens * 1e-6 + known.output_tokens * 2e-6)
        assert unknown.usd is None
        assert known.requests == unknown.requests > 0


class TestProfilesAndSignatures:
    """Two profiles side by side; same inputs, same signature, same numbers."""

    def test_strict_beside_paper(self, ask: Any, server: ChatServer) -> None:
        server.control(mode="fixed:The answer is B")  # the first capital of which is a T
        run = ask()
        server.control(mode="letter", forget=True)
        strict = run.score("strict")
        assert server.stats()["total"] == 0
        assert set(strict["profile"]) == {"strict"}
        assert set(run.scores()["profile"]) == {"paper", "strict"}
        assert run.scores("strict").equals(strict)
        wholes = run.scores().filter(pl.col("facet") == "all", pl.col("metric") == "accuracy")
        paper, mended = (wholes.filter(pl.col("profile") == name).row(0, named=True) for name in ("paper", "strict"))
        assert paper["unreadable"] == QUESTIONS
        assert mended["answered"] == QUESTIONS
        assert mended["score"] > paper["score"] == 0.0
        assert set(run.judgements()["profile"]) == {"paper", "strict"}
        assert run.judgements("strict").height == QUESTIONS
        assert run.score("strict").equals(strict)

    def test_the_signature_says_what_decided_the_number(self, ask: Any, tmp_path: Path) -> None:
        run = ask(cultures=["KR", "ES"], limit=10, samples=2, seed=5, settings={"temperature": 0.3})
        (text,) = run.scores()["signature"].unique()
        parts = dict(part.split(":", 1) for part in text.split("|"))
        assert parts["task"] == "blend/mcq"
        assert parts["data"].startswith("dir:mcq#")
        assert (parts["lang"], parts["variant"], parts["prompts"]) == ("en", "released", "release")
        assert (parts["samples"], parts["seed"], parts["limit"], parts["profile"]) == ("2", "5", "10", "paper")
        assert "temperature=0.3" in parts["settings"]
        assert "max_tokens=64" in parts["settings"]
        assert parts["cultures"] == "ES+KR"
        assert parts["folkways"] == folkways.__version__

    def test_same_inputs_same_signature_and_numbers(self, ask: Any, tmp_path: Path) -> None:
        first, second = (ask(workspace=tmp_path / f"{name}.db", limit=50) for name in ("one", "two"))
        assert first.scores().equals(second.scores())
        assert first.score().equals(first.scores())

    @pytest.mark.parametrize(
        "change",
        [
            {"seed": 1},
            {"limit": 49},
            {"samples": 2},
            {"settings": {"top_p": 0.9}},
            {"system": "Be brief."},
            {"cultures": ["KR", "GB"]},
        ],
    )
    def test_other_inputs_other_signature(self, ask: Any, change: Mapping[str, Any]) -> None:
        usual, changed = ask(limit=50), ask(**{"limit": 50, **change})
        assert set(usual.scores()["signature"]).isdisjoint(changed.scores()["signature"])

    def test_changed_data_are_not_scored_as_the_old_ones(self, ask: Any, tmp_path: Path) -> None:
        folder = write_mcq_release(tmp_path / "own", 20)
        run = ask(releases={"blend": str(folder)})
        write_mcq_release(folder, 21)
        with pytest.raises(FolkwaysError, match="have changed since the run was planned"):
            run.score()
        shutil.rmtree(folder)
        with pytest.raises(FolkwaysError, match="no such folder"):
            run.score()
        assert run.scores().height > 0


class TestEndpointsOfOnesOwn:
    """Whatever has the four attributes and three methods of an endpoint can be asked."""

    def test_an_object_is_asked_opened_and_closed_once(self, release: Path, tmp_path: Path) -> None:
        parrot = Parrot("B")
        run = folkways.run("blend/mcq", models=parrot, releases={"blend": str(release)}, workspace=tmp_path / "w.db")
        assert (parrot.opened, parrot.closed, parrot.asked) == (1, 1, QUESTIONS)
        assert set(run.responses()["response"]) == {"B"}
        assert set(run.scores()["endpoint"]) == {"parrot/B"}

    def test_several_models_of_any_kind_in_one_run(self, server: ChatServer, release: Path, tmp_path: Path) -> None:
        models = [Parrot("A"), "baseline/first", f"{server.url}/v1#test-model", Parrot("no")]
        run = folkways.run("blend/mcq", models=models, releases={"blend": str(release)}, workspace=tmp_path / "w.db", attempts=1)
        coverage = dict(run.scores().filter(pl.col("facet") == "all").select("endpoint", "coverage").unique().iter_rows())
        assert coverage == {"parrot/A": 1.0, "baseline/first": 1.0, f"{server.url}/v1#test-model": 1.0, "parrot/no": 0.0}
        first = run.responses().filter(pl.col("endpoint") == "baseline/first")
        assert set(first["response"]) == {"A"}

    def test_replies_can_be_replayed_as_they_were(self, ask: Any, release: Path, tmp_path: Path) -> None:
        run = ask()
        file = tmp_path / "replies.parquet"
        run.responses().write_parquet(file)
        again = folkways.run(
            "blend/mcq", models=f"replay:{file}", releases={"blend": str(release)}, workspace=tmp_path / "other.db"
        )
        kept = [name for name in SCORES if name not in ("endpoint", "signature")]
        assert again.scores().select(kept).equals(run.scores().select(kept))


class TestWhereverItRuns:
    """Notebooks have a running event loop, servers have threads."""

    def test_inside_a_running_event_loop(self, ask: Any) -> None:
        async def cell() -> Run:
            return ask(limit=20)

        assert asyncio.run(cell()).record.state == "finished"

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


def test_earlier_runs_by_name_number_and_last(ask: Any, tmp_path: Path) -> None:
    ask(limit=10, name="small")
    ask(limit=20)
    workspace = tmp_path / "w.db"
    assert folkways.load_run("small", workspace=workspace).record.id == folkways.load_run("1", workspace=workspace).record.id == 1
    assert folkways.load_run(workspace=workspace).name == "run-2"
    with pytest.raises(UnknownNameError, match="valid: run-2, small"):
        folkways.load_run("big", workspace=workspace)
    with pytest.raises(FolkwaysError, match="there is no workspace"):
        folkways.load_run(workspace=tmp_path / "none.db")
    with pytest.raises(FolkwaysError, match="with other tasks, models or settings"):
        ask(limit=30, name="small")
    assert rows(workspace, "SELECT name, state FROM runs") == [("small", "finished"), ("run-2", "finished")]
