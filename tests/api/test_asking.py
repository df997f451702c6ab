"""Asked once, within a budget, as estimated; and what a signature promises."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.errors import FolkwaysError
from folkways.runs.options import RunOptions
from folkways.runs.planning.estimate import estimate_run
from folkways.workspace import results
from tests.api.conftest import QUESTIONS
from tests.support.chat_server import ChatServer
from tests.support.mcq_data import CODES, write_mcq_release


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

    def test_a_budget_is_not_crossed_and_the_rest_is_asked_later(
        self, ask: Any, server: ChatServer, tmp_path: Path
    ) -> None:
        server.control(latency=0.005, faults={"chances": {"500": 0.2}, "seed": 3})
        stopped = ask(budget="50requests")
        assert server.stats()["total"] <= 50
        assert (stopped.record.state, "budget" in (stopped.record.reason or "")) == ("budget", True)
        whole = stopped.scores().filter(pl.col("facet") == "all").row(0, named=True)
        assert whole["n"] == QUESTIONS
        assert whole["missing"] == QUESTIONS - whole["answered"]
        assert (
            stopped.judgements().filter(pl.col("state") == "missing")["reason"].str.contains("budget").all()
        )
        done = ask()
        assert (done.name, done.record.state) == (stopped.name, "finished")
        stats = server.stats()
        assert stats["distinct"] == stats["answered"] == QUESTIONS
        assert stats["answered_again"] == 0

    @pytest.mark.parametrize("budget", ["1500tokens", "0.002usd"])
    def test_a_budget_in_tokens_or_money(
        self, ask: Any, server: ChatServer, tmp_path: Path, budget: str
    ) -> None:
        prices = tmp_path / "prices.toml"
        prices.write_text(
            f'[usd_per_million_tokens]\n"{server.url}/v1#test-model" = {{ input = 1.0, output = 2.0 }}\n'
        )
        run = ask(budget=budget, prices=prices)
        (use,) = results.usage(run.workspace, run.record)
        assert 0 < use.responses < QUESTIONS
        assert use.input_tokens + use.output_tokens <= 1500 or "usd" in budget
        assert use.input_tokens * 1e-6 + use.output_tokens * 2e-6 <= 0.002 or "tokens" in budget
        assert run.record.state == "budget"


class TestEstimate:
    """The estimate is what is then asked, and its tokens are at least what comes out."""

    def test_requests_are_exact_and_output_tokens_an_upper_bound(
        self, ask: Any, server: ChatServer, release: Path, tmp_path: Path
    ) -> None:
        options = RunOptions(
            tasks=("blend/mcq", "demo/saq"), releases={"blend": str(release)}, limit=12, samples=2
        )
        models = [f"{server.url}/v1#test-model", f"{server.url}/v1#another"]
        before = estimate_run(options, models=models, workspace=tmp_path / "w.db")
        assert not (tmp_path / "w.db").exists()
        assert server.stats()["total"] == 0
        run = folkways.run(options, models=models, workspace=tmp_path / "w.db")
        assert sum(entry.requests for entry in before) == server.stats()["total"]
        for entry in before:
            parts = {
                (part.endpoint, part.task): part.expected for part in results.parts(run.workspace, run.record)
            }
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

    def test_a_chat_template_is_counted_and_what_was_reported_corrects_it(
        self, server: ChatServer, tmp_path: Path
    ) -> None:
        """The server counts a fourth of the characters, and 30 tokens for a system prompt that the template
        puts in."""
        model, place = f"{server.url}/v1#with-template", tmp_path / "w.db"
        options = RunOptions(tasks=("demo/mcq",))
        (blind,) = estimate_run(options, models=[model], workspace=place)
        part = folkways.run(RunOptions(tasks=("demo/mcq",), cultures=("US",)), models=model, workspace=place)
        (first,) = results.usage(part.workspace, part.record)
        (rest,) = estimate_run(options, models=[model], workspace=place)
        (used,) = results.usage(part.workspace, folkways.run(options, models=model, workspace=place).record)
        assert (blind.learned_from, rest.learned_from) == (0, first.responses)
        assert rest.input_tokens == pytest.approx(used.input_tokens - first.input_tokens, rel=0.1)
        assert blind.input_tokens < 0.8 * used.input_tokens

    def test_cost_needs_a_price_and_no_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        prices = tmp_path / "prices.toml"
        prices.write_text('[usd_per_million_tokens]\n"openai/known" = { input = 1.0, output = 2.0 }\n')
        options = RunOptions(tasks=("demo/mcq",))
        known, unknown = estimate_run(
            options,
            models=["openai/known", "openai/no-such-model"],
            workspace=tmp_path / "none.db",
            prices=prices,
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
        paper, mended = (
            wholes.filter(pl.col("profile") == name).row(0, named=True) for name in ("paper", "strict")
        )
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
        assert (parts["samples"], parts["seed"], parts["limit"], parts["profile"]) == (
            "2",
            "5",
            "10",
            "paper",
        )
        assert "temperature=0.3" in parts["settings"]
        assert "max_tokens=64" in parts["settings"]
        assert parts["cultures"] == "ES+KR"
        assert parts["folkways"] == folkways.__version__

    def test_same_inputs_same_signature_and_numbers(self, ask: Any, tmp_path: Path) -> None:
        first, second = (ask(workspace=tmp_path / f"{name}.db", limit=12) for name in ("one", "two"))
        assert first.scores().equals(second.scores())
        assert first.score().equals(first.scores())

    def test_other_inputs_other_signature(self, ask: Any) -> None:
        changes: list[Mapping[str, Any]] = [
            {},
            {"seed": 1},
            {"limit": 11},
            {"samples": 2},
            {"settings": {"top_p": 0.9}},
            {"system": "Be brief."},
            {"cultures": ["KR", "GB"]},
        ]
        signatures = {
            signature: change
            for change in changes
            for signature in ask(**{"limit": 12, **change}).scores()["signature"].unique()
        }
        assert [*signatures.values()] == changes

    def test_changed_data_are_not_scored_as_the_old_ones(self, ask: Any, tmp_path: Path) -> None:
        folder = write_mcq_release(tmp_path / "own", 20)
        run = ask(releases={"blend": str(folder)})
        write_mcq_release(folder, 21)
        before = run.scores()
        with pytest.raises(FolkwaysError, match="have changed since the run was planned"):
            run.score()
        shutil.rmtree(folder)
        with pytest.raises(FolkwaysError, match="no such folder"):
            run.score()
        assert run.scores().equals(before)
        assert before.filter(pl.col("facet") == "all")["n"].unique().to_list() == [20]
