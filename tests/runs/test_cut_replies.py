"""Replies that the token limit cut, with a real server and the command line: the state, the counts, and what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
import sqlalchemy as sa

from folkways.api import load_run
from folkways.benchmarks.registry import get_task
from folkways.records import CUT, SCORES, State
from folkways.workspace import schema
from folkways.workspace.database import open_workspace
from tests.support.chat_server import ChatServer
from tests.support.culturalbench_data import write_culturalbench
from tests.support.river import Done, folkways, folkways_process

Mcq = Callable[[int], Path]
QUESTIONS = 120
FAULTS = {"chances": {"spent": 0.25, "length": 0.1, "null-text": 0.1, "refusal": 0.1}, "seed": 5}


@dataclass(frozen=True)
class Asked:
    """A run against a server that cuts some replies: what was printed, and how often the server sent what."""

    done: Done
    workspace: Path
    report: Path
    kinds: dict[str, int]
    model: str
    release: Path


@pytest.fixture(scope="module")
def asked(mcq: Mcq, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder, release = tmp_path_factory.mktemp("cut"), mcq(QUESTIONS)
    with ChatServer(faults=FAULTS) as server:
        model = f"{server.url}/v1#thinker"
        places = ("--release", release, "-w", folder / "w.db", "--report", folder / "report")
        done = folkways_process("run", "blend/mcq", "--model", model, *places)
        assert done.returncode == 0, done
        assert server.stats()["total"] == QUESTIONS  # what was cut is a reply: it is not asked again
        yield Asked(done, folder / "w.db", folder / "report", server.stats()["kinds"], model, release)


def words(text: str) -> str:
    return " ".join(text.split())


def test_what_was_cut_and_not_read_is_a_state_of_its_own(asked: Asked) -> None:
    kinds = asked.kinds
    assert all(kinds[kind] >= 3 for kind in ("spent", "length", "null-text", "refusal", "ok"))
    run = load_run("last", asked.workspace)
    told = run.responses().select("item", "finish_reason").join(run.judgements(), on="item")
    assert dict(told.group_by("state").len().iter_rows()) == {
        "answered": kinds["ok"] + kinds["length"],
        "refused": kinds["refusal"],
        "unreadable": kinds["null-text"],
        "truncated": kinds["spent"],
    }
    truncated = told.filter(state="truncated")
    assert set(truncated["finish_reason"]) == {"length"}
    assert all("--max-tokens" in reason for reason in truncated["reason"])
    assert CUT not in told.columns
    whole = run.scores().filter(facet="all", metric="accuracy").row(0, named=True)
    assert (whole["n"], whole["truncated"], whole["unreadable"]) == (QUESTIONS, kinds["spent"], kinds["null-text"])
    assert whole["cut"] == kinds["spent"] + kinds["length"]
    assert whole["coverage"] == 1.0


def test_the_score_is_that_of_unreadable_replies(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    run = load_run("last", asked.workspace)
    task = get_task("blend/mcq")
    before = run.scores()
    monkeypatch.setattr("folkways.benchmarks.judging.cut_replies.TOKEN_LIMIT", ())
    after = run.score()
    monkeypatch.undo()
    assert run.score().equals(before)
    changed = ["unreadable", "truncated", "cut"]
    assert after.drop(changed).equals(before.drop(changed))
    assert (after["unreadable"] == before["unreadable"] + before["truncated"]).all()
    assert after["truncated"].sum() == after["cut"].sum() == 0
    for metric in task.metrics:
        by_culture = before.filter(metric=metric.name, facet="culture")
        whole = before.filter(metric=metric.name, facet="all")
        if by_culture.height and whole.height and by_culture["n"].sum() == whole["n"].sum():
            assert by_culture["cut"].sum() == whole["cut"].sum()
    for row in before.iter_rows(named=True):
        assert sum(row[state.value] for state in State) == row["n"]
        assert row["truncated"] <= row["cut"] <= row["n"]


def test_terminal_and_report_say_how_many_and_what_to_do(asked: Asked) -> None:
    cut = asked.kinds["spent"] + asked.kinds["length"]
    sentence = (
        f"{cut} of {QUESTIONS} replies of {asked.model} on blend/mcq were cut at 64 tokens, "
        f"{asked.kinds['spent']} of them unreadable: ask again with --max-tokens 512."
    )
    assert sentence in words(asked.done.stdout)
    assert f"{asked.kinds['spent']} truncated" in words(asked.done.stdout)
    page = re.sub(r"<[^>]+>", " ", (asked.report / "report.html").read_text("utf-8"))
    assert sentence in words(page)
    assert "Trun\u00adcated" in page.replace("&shy;", "\u00ad")
    markdown = (asked.report / "report.md").read_text("utf-8").replace("\\", "")
    assert sentence in markdown
    assert "| Unreadable | Truncated | Failed |" in markdown
    scores = pl.read_csv(asked.report / "scores.csv", infer_schema_length=None)
    assert scores.filter(facet="all", metric="accuracy")["cut"].to_list() == [cut]


def test_more_tokens_are_asked_for_and_the_warning_goes(asked: Asked, tmp_path: Path) -> None:
    with ChatServer() as server:
        command = ("run", "blend/mcq", "--model", f"{server.url}/v1#thinker", "--release", asked.release, "-w", tmp_path / "w.db")
        done = folkways(*command, "--max-tokens", 512)
        assert json.loads(server.stats()["last"]["body"])["max_tokens"] == 512
    assert done.returncode == 0, done
    assert "cut at" not in words(done.stdout)
    scores = load_run("last", tmp_path / "w.db").scores()
    assert scores["cut"].sum() == scores["truncated"].sum() == 0


def test_two_tokens_are_the_papers_own_limit_and_the_report_says_so(tmp_path: Path) -> None:
    (tmp_path / "culturalbench").mkdir()
    write_culturalbench(tmp_path / "culturalbench")
    with ChatServer(mode="fixed:The answer", faults={"chances": {"length": 1.0}}) as server:
        model = f"{server.url}/v1#talker"
        places = ("--release", tmp_path / "culturalbench", "-w", tmp_path / "w.db", "--report", tmp_path / "report")
        done = folkways("run", "culturalbench/easy", "--model", model, "--limit", 5, *places)
        assert done.returncode == 0, done
        asked = server.stats()["total"]
    sentence = (
        f"{asked} of {asked} replies of {model} on culturalbench/easy were cut at 2 tokens, {asked} of them unreadable. "
        "This limit cuts replies by design: it is the paper's (section 5). "
        "To let models talk or think first, ask again with --max-tokens 256 --profile lenient."
    )
    assert sentence in words(done.stdout)
    assert sentence in (tmp_path / "report" / "report.md").read_text("utf-8").replace("\\", "")


def test_files_of_replies_may_say_that_they_were_cut(tmp_path: Path) -> None:
    rows = [
        {"item": "US/holidays-1", "response": "Let me think", "finish_reason": "length"},
        {"item": "US/school-1", "response": "The answer is A.", "finish_reason": "length"},
        {"item": "MX/holidays-1", "response": "", "finish_reason": "stop"},
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = folkways("judge", "demo/mcq", "--responses", tmp_path / "replies.jsonl", "--out", tmp_path / "out.csv")
    assert done.returncode == 0, done
    assert "2 replies were cut at the token limit (by finish_reason), 1 of them unreadable" in words(done.stderr)
    judged = pl.read_csv(tmp_path / "out.csv").select("item", "state")
    assert dict(judged.filter(pl.col("state") != "missing").iter_rows()) == {
        "US/holidays-1": "truncated",
        "US/school-1": "answered",
        "MX/holidays-1": "unreadable",
    }
    replayed = folkways("run", "demo/mcq", "--model", f"replay:{tmp_path / 'replies.jsonl'}", "-w", tmp_path / "w.db")
    assert "2 of 3 replies of" in words(replayed.stdout)
    states = load_run("last", tmp_path / "w.db").judgements().select("item", "state").filter(pl.col("state") != "failed")
    assert states.sort("item").equals(judged.filter(pl.col("state") != "missing").sort("item"))


def test_scores_of_before_have_no_cut_replies_until_they_are_scored_again(asked: Asked, tmp_path: Path) -> None:
    """What the migration gives earlier scores; the state comes with the next scoring, which asks nobody."""
    copy = tmp_path / "w.db"
    copy.write_bytes(asked.workspace.read_bytes())
    workspace = open_workspace(copy)
    kept = load_run("last", copy).scores()
    with workspace.write() as connection:
        old = {"unreadable": schema.scores.c.unreadable + schema.scores.c.truncated, "truncated": 0, "cut": 0}
        connection.execute(sa.update(schema.scores).values(old))
    assert list(kept.columns) == list(SCORES)
    done = folkways("score", "last", "-w", copy)
    assert done.returncode == 0, done
    assert "cut at 64 tokens" in words(done.stdout)
    assert load_run("last", copy).scores().equals(kept)
