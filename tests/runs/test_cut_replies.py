"""Replies that the token limit cut, with a real server and the command line: the state, the counts, and what
to do."""

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
from folkways.records import CUT, SCORES, Signature, State
from folkways.runs.results.notes import cut_warnings
from folkways.workspace import schema
from folkways.workspace.database import open_workspace
from folkways.workspace.results import load_signatures
from tests.support.chat_layouts import THOUGHTS
from tests.support.chat_server import ChatServer
from tests.support.command_line import Done, folkways
from tests.support.culturalbench_data import rows_of, write_culturalbench

Mcq = Callable[[int], Path]
QUESTIONS = 120
CHANCES = {
    "spent": 0.2,
    "length": 0.1,
    "null-text": 0.1,
    "refusal": 0.1,
    "thinks": 0.1,
    "think-tag": 0.1,
    "think-open": 0.1,
}
FAULTS = {"chances": CHANCES, "seed": 5}


@dataclass(frozen=True)
class CutRun:
    """A run against a server that cuts some replies: what was printed, and how often the server sent what."""

    done: Done
    workspace: Path
    report: Path
    kinds: dict[str, int]
    model: str
    release: Path
    server: ChatServer

    @property
    def truncated(self) -> int:
        return self.kinds["spent"] + self.kinds["think-open"]

    @property
    def cut(self) -> int:
        return self.truncated + self.kinds["length"]


@pytest.fixture(scope="module")
def cut_run(mcq: Mcq, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CutRun]:
    folder, release = tmp_path_factory.mktemp("cut"), mcq(QUESTIONS)
    with ChatServer(faults=FAULTS) as server:
        model = f"{server.url}/v1#thinker"
        places = ("--release", release, "-w", folder / "w.db", "--report", folder / "report")
        done = folkways("run", "blend/mcq", "--model", model, *places)
        assert done.returncode == 0, done
        assert server.stats()["total"] == QUESTIONS  # what was cut is a reply: it is not asked again
        yield CutRun(
            done, folder / "w.db", folder / "report", server.stats()["kinds"], model, release, server
        )


def words(text: str) -> str:
    return " ".join(text.split())


def test_what_was_cut_and_not_read_is_a_state_of_its_own(cut_run: CutRun) -> None:
    kinds = cut_run.kinds
    assert all(kinds[kind] >= 3 for kind in ("ok", *CHANCES))
    run = load_run("last", cut_run.workspace)
    judged = run.responses().select("item", "finish_reason").join(run.judgements(), on="item")
    assert dict(judged.group_by("state").len().iter_rows()) == {
        "answered": kinds["ok"] + kinds["length"] + kinds["thinks"] + kinds["think-tag"],
        "refused": kinds["refusal"],
        "unreadable": kinds["null-text"],
        "truncated": cut_run.truncated,
    }
    truncated = judged.filter(state="truncated")
    assert set(truncated["finish_reason"]) == {"length"}
    assert all("--max-tokens" in reason for reason in truncated["reason"])
    assert CUT not in judged.columns
    whole = run.scores().filter(facet="all", metric="accuracy").row(0, named=True)
    assert (whole["n"], whole["truncated"], whole["unreadable"]) == (
        QUESTIONS,
        cut_run.truncated,
        kinds["null-text"],
    )
    assert whole["cut"] == cut_run.cut
    assert whole["coverage"] == 1.0


def test_the_score_is_that_of_unreadable_replies(cut_run: CutRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run = load_run("last", cut_run.workspace)
    task = get_task("blend/mcq")
    before = run.scores()
    monkeypatch.setattr("folkways.benchmarks.cut_replies.TOKEN_LIMIT", ())
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


def test_terminal_and_report_say_how_many_and_what_to_do(cut_run: CutRun) -> None:
    sentence = (
        f"{cut_run.cut} of {QUESTIONS} replies of {cut_run.model} on blend/mcq were cut at 64 tokens, "
        f"{cut_run.truncated} of them truncated (before an answer): ask again with --max-tokens 512."
    )
    assert sentence in words(cut_run.done.stdout)
    assert f"{cut_run.truncated} truncated" in words(cut_run.done.stdout)
    page = re.sub(r"<[^>]+>", " ", (cut_run.report / "report.html").read_text("utf-8"))
    assert sentence.replace(cut_run.model, "thinker") in words(page)
    assert "Truncated" in page
    markdown = (cut_run.report / "report.md").read_text("utf-8").replace("\\", "")
    assert sentence in markdown
    assert "| Unreadable | Truncated | Failed |" in markdown
    scores = pl.read_csv(cut_run.report / "scores.csv", infer_schema_length=None)
    assert scores.filter(facet="all", metric="accuracy")["cut"].to_list() == [cut_run.cut]


def test_cut_replies_are_told_once_whatever_the_number_of_profiles(cut_run: CutRun) -> None:
    run = load_run("last", cut_run.workspace)
    scores, task = run.scores(), get_task("blend/mcq")
    signatures = load_signatures(run.workspace, run.record)
    once = cut_warnings(scores, signatures, {task.name: task})
    assert len(once) == 1
    again = scores.with_columns(profile=pl.lit("strict"))
    assert cut_warnings(pl.concat([scores, again]), signatures, {task.name: task}) == once
    stricter = again.with_columns(truncated=pl.col("truncated") + 1)
    (warning,) = cut_warnings(pl.concat([scores, stricter]), signatures, {task.name: task})
    counts = f"{cut_run.truncated} (paper), {cut_run.truncated + 1} (strict)"
    assert f"{counts} of them truncated (before an answer)" in warning


@pytest.mark.parametrize(
    ("task", "settings", "counts", "sentence"),
    [
        (
            "blend/mcq",
            "max_tokens=64,temperature=0.0",
            {"n": 1200, "failed": 7, "missing": 3, "cut": 1100, "truncated": 1000},
            "1,100 of 1,190 replies of m on blend/mcq were cut at 64 tokens, 1,000 of them "
            "truncated (before an answer): ask again with "
            "--max-tokens 512.",
        ),
        (
            "blend/mcq",
            "max_tokens=32",
            {"n": 5, "cut": 1},
            "1 of 5 replies of m on blend/mcq was cut at 32 tokens, none of them "
            "truncated (before an answer): ask again with "
            "--max-tokens 256.",
        ),
        (
            "blend/mcq",
            "max_tokens=33",
            {"n": 5, "cut": 5},
            "5 of 5 replies of m on blend/mcq were cut at 33 tokens, none of them "
            "truncated (before an answer): ask again with "
            "--max-tokens 264.",
        ),
        (
            "culturalbench/easy",
            "max_tokens=2",
            {"n": 5, "cut": 2, "truncated": 1},
            "2 of 5 replies of m on culturalbench/easy were cut at 2 tokens, 1 of them "
            "truncated (before an answer). This limit cuts "
            "replies by design: culturalbench/easy asks for 2 tokens. To let models talk or think first, ask again with "
            "--max-tokens 256 --profile lenient.",
        ),
        (
            "culturalbench/easy",
            "max_tokens=3",
            {"n": 5, "cut": 2},
            "2 of 5 replies of m on culturalbench/easy were cut at 3 tokens, none of them "
            "truncated (before an answer): ask again with "
            "--max-tokens 256.",
        ),
        (
            "blend/mcq",
            "min_max_tokens=9,temperature=0.0",
            {"n": 5, "cut": 2},
            "2 of 5 replies of m on blend/mcq were cut at the limit of its provider, none of them "
            "truncated (before an answer): ask again "
            "with --max-tokens.",
        ),
        ("blend/mcq", "max_tokens=64", {"n": 5, "cut": 0, "truncated": 0}, None),
    ],
)
def test_the_remedy_of_cut_replies_is_eight_times_their_limit(
    task: str, settings: str, counts: dict[str, int], sentence: str | None
) -> None:
    row = {
        "endpoint": "m",
        "task": task,
        "profile": "paper",
        "signature": "s",
        "facet": "all",
        "value": "all",
    }
    numbers = {"failed": 0, "missing": 0, "truncated": 0, **counts}
    part = {**row, **numbers, "facet": "culture", "value": "KR", "n": 1, "failed": 0, "missing": 0}
    frame = pl.DataFrame([part, {**row, **numbers}], schema=SCORES)
    told = cut_warnings(frame, {"s": Signature({"settings": settings})}, {task: get_task(task)})
    assert told == ([] if sentence is None else [sentence])


def test_thoughts_are_stored_apart_shown_and_never_judged(cut_run: CutRun) -> None:
    with open_workspace(cut_run.workspace).read() as connection:
        columns = (schema.responses.c.text, schema.responses.c.thoughts)
        stored = connection.execute(sa.select(*columns).where(schema.responses.c.thoughts.is_not(None))).all()
    kinds = cut_run.kinds
    assert {thoughts for _, thoughts in stored} == {THOUGHTS}
    with_text = [text for text, _ in stored if text]
    assert (len(stored) - len(with_text), len(with_text)) == (
        cut_run.truncated,
        kinds["thinks"] + kinds["think-tag"],
    )
    assert set(with_text) <= set("ABCD")
    run = load_run("last", cut_run.workspace)
    judged = run.judgements()
    assert not judged["response"].fill_null("").str.contains("options").any()
    truncated = judged.filter(state="truncated").row(0, named=True)
    shown = folkways("show", f"blend/mcq:{truncated['item']}", "-w", cut_run.workspace).stdout
    assert "thoughts (not judged)" in words(shown)
    assert THOUGHTS in words(shown)
    details = json.loads(
        folkways("show", f"blend/mcq:{truncated['item']}", "-w", cut_run.workspace, "--json").stdout
    )
    assert [(reply["response"], reply["thoughts"]) for reply in details["responses"]] == [("", THOUGHTS)]
    answered = judged.filter(state="answered")["item"]
    shown = [
        folkways("show", f"blend/mcq:{item}", "-w", cut_run.workspace).stdout for item in answered.head(8)
    ]
    assert 0 < sum("thoughts" in text for text in shown) < len(shown)


def test_nothing_is_asked_again_of_a_model_that_thinks(cut_run: CutRun) -> None:
    """Thoughts and how a reply ended are no part of what identifies a request."""
    command = (
        "run",
        "blend/mcq",
        "--model",
        cut_run.model,
        "--release",
        cut_run.release,
        "-w",
        cut_run.workspace,
    )
    done = folkways(*command)
    assert done.returncode == 0, done
    assert cut_run.server.stats()["total"] == QUESTIONS


def test_more_tokens_are_asked_for_and_of_whole_replies_nothing_is_warned(
    cut_run: CutRun, tmp_path: Path
) -> None:
    with ChatServer() as server:
        command = (
            "run",
            "blend/mcq",
            "--model",
            f"{server.url}/v1#thinker",
            "--release",
            cut_run.release,
            "-w",
            tmp_path / "w.db",
        )
        done = folkways(*command, "--max-tokens", 512)
        assert json.loads(server.stats()["last"]["body"])["max_tokens"] == 512
    assert done.returncode == 0, done
    assert "cut at" not in words(done.stdout)
    scores = load_run("last", tmp_path / "w.db").scores()
    assert scores["cut"].sum() == scores["truncated"].sum() == 0


def test_two_tokens_are_the_papers_own_limit_and_the_report_says_so(tmp_path: Path) -> None:
    (tmp_path / "culturalbench").mkdir()
    write_culturalbench(tmp_path / "culturalbench", *rows_of("Japan", "South Korea"))
    with ChatServer(mode="fixed:The answer", faults={"chances": {"length": 1.0}}) as server:
        model = f"{server.url}/v1#talker"
        places = ("--release", tmp_path / "culturalbench", "-w", tmp_path / "w.db")
        done = folkways("run", "culturalbench/easy", "--model", model, "--limit", 5, *places)
        assert done.returncode == 0, done
        count = server.stats()["total"]
    sentence = (
        f"{count} of {count} replies of {model} on culturalbench/easy were cut at 2 tokens, {count} of "
        "them truncated (before an answer). "
        "This limit cuts replies by design: culturalbench/easy asks for 2 tokens. "
        "To let models talk or think first, ask again with --max-tokens 256 --profile lenient."
    )
    assert sentence in words(done.stdout)
    load_run("last", tmp_path / "w.db").report(tmp_path / "report", ("md",))
    assert sentence in (tmp_path / "report" / "report.md").read_text("utf-8").replace("\\", "")


def test_files_of_replies_may_say_that_they_were_cut(tmp_path: Path) -> None:
    rows = [
        {"item": "US/holidays-1", "response": "Let me think", "finish_reason": "length"},
        {"item": "US/school-1", "response": "The answer is A.", "finish_reason": "length"},
        {"item": "MX/holidays-1", "response": "", "finish_reason": "stop"},
        {"item": "MX/manners-1", "response": "<think>B?</think>It is C.", "finish_reason": "stop"},
        {"item": "DE/time-1", "response": "<think>The answer is B", "finish_reason": "length"},
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = folkways(
        "judge", "demo/mcq", "--responses", tmp_path / "replies.jsonl", "--out", tmp_path / "out.csv"
    )
    assert done.returncode == 0, done
    cut = "3 replies were cut at the token limit (by finish_reason), 2 of them truncated (before an answer)"
    assert cut in words(done.stderr)
    judged = pl.read_csv(tmp_path / "out.csv").select("item", "state", "answer")
    assert set(judged.filter(pl.col("state") != "missing").iter_rows()) == {
        ("US/holidays-1", "truncated", None),
        ("US/school-1", "answered", "A"),
        ("MX/holidays-1", "unreadable", None),
        ("MX/manners-1", "answered", "C"),
        ("DE/time-1", "truncated", None),
    }
    replayed = folkways(
        "run", "demo/mcq", "--model", f"replay:{tmp_path / 'replies.jsonl'}", "-w", tmp_path / "w.db"
    )
    assert "3 of 5 replies of" in words(replayed.stdout)
    states = (
        load_run("last", tmp_path / "w.db")
        .judgements()
        .select("item", "state", "answer")
        .filter(pl.col("state") != "failed")
    )
    assert states.sort("item").equals(judged.filter(pl.col("state") != "missing").sort("item"))
