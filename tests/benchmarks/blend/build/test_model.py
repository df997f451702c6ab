"""A build with a model as judge: a server process that is asked, and builds that are killed."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.command_line import finish, folkways, kill, rows, start, wait_for
from tests.support.mcq_data import write_mcq_release
from tests.support.mcq_sources import write_release

QUESTIONS = 12
FEW = ("--questions", "Q-0,Q-1")  # the paper's procedure makes dozens of calls for each
ONE = ("--questions", "Q-0")


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(mode="judge:10") as running:
        yield running


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("answers"), QUESTIONS)


def command(server: ChatServer, release: Path, folder: Path, *more: object) -> tuple[object, ...]:
    judge = f"{server.url}/v1#test-model"
    out = ("--out", folder / "mcq", "--calls", folder / "calls.jsonl", "-w", folder / "w.db")
    return "build", "mcq", "--release", release, "--judge", judge, *out, *more


def calls(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "calls.jsonl").read_text().splitlines()]


def items(folder: Path) -> bytes:
    return (folder / "mcq" / "mc_questions_file.csv").read_bytes()


def test_strict_asks_once_per_question_and_never_again(
    server: ChatServer, release: Path, tmp_path: Path
) -> None:
    server.control(forget=True, mode="judge:10", latency=0.0)
    done = folkways(*command(server, release, tmp_path, "--profile", "strict"))
    assert done.returncode == 0, done.stderr
    first = server.stats()
    judged = [call for call in calls(tmp_path) if call["kind"] == "groups"]
    assert len(judged) == QUESTIONS
    assert first["total"] == first["distinct"] == len(calls(tmp_path))
    before = items(tmp_path)
    again = folkways(*command(server, release, tmp_path, "--profile", "strict"))
    assert (again.returncode, items(tmp_path)) == (0, before), again.stderr
    assert server.stats()["total"] == first["total"]
    assert {row[0] for row in rows(tmp_path / "w.db", "SELECT state FROM runs")} == {"finished"}


def test_asking_ahead_gives_what_asking_one_by_one_gives(
    server: ChatServer, release: Path, tmp_path: Path
) -> None:
    """The same items from the same calls in the same order; what was guessed in vain is counted, and so few
    as the server saw."""
    results = []
    for ahead in (1, 8):
        folder = tmp_path / str(ahead)
        folder.mkdir()
        server.control(forget=True, mode="judge:10", latency=0.0)
        done = folkways(*command(server, release, folder, *ONE, "--ahead", ahead))
        assert done.returncode == 0, done.stderr
        record = json.loads((folder / "mcq" / "mc_questions_file.build.json").read_text())
        needed = {json.dumps({**call, "call": 0, "answer": 0, "question": ""}) for call in calls(folder)}
        assert server.stats()["distinct"] <= len(needed) + record["asked_ahead_in_vain"]
        assert ahead > 1 or record["asked_ahead_in_vain"] == 0
        results.append((items(folder), calls(folder)))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("options", "latency"),
    [
        (("--profile", "paper", *FEW, "--concurrency", 4), 0.05),
        pytest.param(("--profile", "strict", "--concurrency", 1), 0.2, marks=pytest.mark.nightly),
    ],
    ids=["paper", "strict"],
)
def test_killed_builds_go_on_where_they_were(
    server: ChatServer, release: Path, tmp_path: Path, options: tuple[object, ...], latency: float
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    server.control(forget=True, mode="judge:10", latency=0.0)
    assert folkways(*command(server, release, whole, *options)).returncode == 0
    rng = random.Random(7)
    server.control(forget=True, latency=latency)
    for _ in range(3):
        process = start(*command(server, release, tmp_path, *options))
        before = server.stats()["total"]
        wait_for(lambda before=before: server.stats()["total"] > before, process=process)
        time.sleep(rng.uniform(0.25, 0.45))
        kill(process)
    assert not (tmp_path / "mcq" / "mc_questions_file.csv").exists()
    stored = rows(tmp_path / "w.db", "SELECT count(*) FROM responses")[0][0]
    assert stored > 0
    server.control(latency=0.0)
    done = folkways(*command(server, release, tmp_path, *options))
    assert done.returncode == 0, done.stderr
    assert items(tmp_path) == items(whole)
    assert calls(tmp_path) == calls(whole)
    assert rows(tmp_path / "w.db", "SELECT name, state FROM runs") == [("run-1", "finished")]
    stats = server.stats()
    assert (
        stats["total"] - stats["distinct"] <= 3 * 3 * 4
    )  # in flight, waiting for a commit, or for its connection to be seen clean, at each of three kills


def test_ctrl_c_ends_cleanly(server: ChatServer, release: Path, tmp_path: Path) -> None:
    server.control(forget=True, mode="judge:10", latency=0.1)
    process = start(*command(server, release, tmp_path, *FEW, "--ahead", 2))
    wait_for(lambda: server.stats()["answered"] > 4, process=process)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert done.returncode == 130
    assert "run the same command again" in done.stderr
    assert "Traceback" not in done.stderr
    assert rows(tmp_path / "w.db", "SELECT state FROM runs") == [("interrupted",)]


def test_a_budget_is_not_crossed(server: ChatServer, release: Path, tmp_path: Path) -> None:
    server.control(forget=True, mode="judge:10", latency=0.0)
    done = folkways(*command(server, release, tmp_path, *ONE, "--budget", "7requests", "--ahead", 3))
    assert (done.returncode, server.stats()["total"]) == (1, 7)
    assert "budget" in done.stderr
    assert folkways(*command(server, release, tmp_path, *ONE, "--ahead", 3)).returncode == 0


@pytest.mark.parametrize("profile", ["strict", "paper"])
def test_a_budget_that_replies_of_any_length_could_cross_is_refused(
    server: ChatServer, release: Path, tmp_path: Path, profile: str
) -> None:
    """As ``folkways run`` refuses it."""
    server.control(forget=True, mode="judge:10", latency=0.0)
    unlimited = (
        *command(server, release, tmp_path),
        "--judge",
        f"{server.url}/v1#test-model?max_tokens=none",
    )
    done = folkways(*unlimited, "--budget", "2Mtokens", "--profile", profile)
    assert (done.returncode, server.stats()["total"]) == (2, 0), done.stderr
    assert "needs a limit for each reply" in done.stderr
    assert not (tmp_path / "w.db").exists()
    assert folkways(*unlimited, "--budget", "1000requests", "--profile", "strict").returncode == 0


def test_a_build_with_requests_that_failed_is_incomplete(
    server: ChatServer, release: Path, tmp_path: Path
) -> None:
    server.control(forget=True, mode="judge:10", latency=0.0, faults={"chances": {"422": 0.3}, "seed": 1})
    done = folkways(*command(server, release, tmp_path, "--profile", "strict"))
    assert (done.returncode, "requests failed, the last with" in done.stderr) == (1, True), done.stderr
    ((state, reason),) = rows(tmp_path / "w.db", "SELECT state, reason FROM runs")
    assert (state, "failed, more than 0 %" in reason) == ("incomplete", True)
    server.control(faults={})
    assert folkways(*command(server, release, tmp_path, "--profile", "strict")).returncode == 0
    assert rows(tmp_path / "w.db", "SELECT state, reason FROM runs") == [("finished", None)]


def test_replies_that_cannot_be_read(server: ChatServer, release: Path, tmp_path: Path) -> None:
    """paper takes them for "same", as the authors do; strict asks three times, then leaves the question out
    and says so."""
    server.control(forget=True, mode="fixed:I am not sure.", latency=0.0)
    dummies = ("--dummies", "stand-in:overlap")
    done = folkways(*command(server, release, tmp_path, *ONE, *dummies))
    assert done.returncode == 0, done.stderr
    judged = [call for call in calls(tmp_path) if call["kind"] == "judge"]
    assert {call["answer"] for call in judged} == {None}
    server.control(forget=True)
    strict = folkways(*command(server, release, tmp_path, *dummies, "--profile", "strict"))
    assert (strict.returncode, strict.stdout) == (2, ""), strict.stderr
    assert server.stats()["total"] == 3 * QUESTIONS
    assert strict.stderr.count("the judge's reply could not be read") == QUESTIONS
    assert "error: no question is left, and nothing was written" in strict.stderr


def test_a_build_is_no_run_to_score(server: ChatServer, release: Path, tmp_path: Path) -> None:
    """``last`` stays the last run that asked tasks; and what was built is asked without conversion."""
    server.control(forget=True, mode="judge:10", latency=0.0)
    questions = write_mcq_release(tmp_path / "other", 4)
    workspace = ("-w", tmp_path / "w.db")
    assert (
        folkways("run", "blend/mcq", "--release", questions, "-m", "baseline/first", *workspace).returncode
        == 0
    )
    assert folkways(*command(server, release, tmp_path, "--profile", "strict")).returncode == 0
    scored = folkways("score", *workspace)
    assert (scored.returncode, "BLEnD multiple choice" in scored.stdout) == (0, True), scored.stderr
    asked = folkways("run", "blend/mcq", "--release", tmp_path / "mcq", "-m", "baseline/first", *workspace)
    assert asked.returncode == 0, asked.stderr
    built = json.loads((tmp_path / "mcq" / "mc_questions_file.build.json").read_text())
    assert rows(tmp_path / "w.db", "SELECT count(*) FROM expected WHERE run_id = 3") == [(built["items"],)]


@pytest.mark.postgres
def test_a_build_on_postgresql(server: ChatServer, release: Path, tmp_path: Path, postgres_url: str) -> None:
    server.control(forget=True, mode="judge:10", latency=0.0)
    url = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    arguments = command(server, release, tmp_path, *FEW, "--profile", "strict")
    for _ in range(2):
        done = folkways(*(url if argument == tmp_path / "w.db" else argument for argument in arguments))
        assert done.returncode == 0, done.stderr
    assert server.stats()["total"] == server.stats()["distinct"] == len(calls(tmp_path)) > 0


def settings_of(folder: Path) -> set[tuple[str, int]]:
    """Each judge's prompt that was asked, and the output tokens that its reply may have."""
    asked = rows(
        folder / "w.db",
        "SELECT user, json FROM expected JOIN prompts USING (prompt_hash) "
        "JOIN settings ON settings.id = settings_id WHERE task = 'build/mcq-judge'",
    )
    return {(text, json.loads(settings)["max_tokens"]) for text, settings in asked}


def test_a_judge_may_write_its_reasons_first(server: ChatServer, release: Path, tmp_path: Path) -> None:
    server.control(forget=True, mode='fixed:Two drinks. {"same": false}', latency=0.0)
    done = folkways(*command(server, release, tmp_path, *ONE, "--reasons", "--dummies", "stand-in:overlap"))
    assert done.returncode == 0, done.stderr
    assert {call["answer"] for call in calls(tmp_path) if call["kind"] == "judge"} == {False}
    asked = settings_of(tmp_path)
    assert asked and all("First give your reasons" in text for text, _ in asked)
    assert {tokens for _, tokens in asked} == {1024}
    record = json.loads((tmp_path / "mcq" / "mc_questions_file.build.json").read_text())
    assert record["judge_form"] == "reasons first"


def test_a_judge_and_its_questions_in_the_words_of_the_paper(
    server: ChatServer, release: Path, tmp_path: Path, shared: Path
) -> None:
    """The texts are read out of the paper; what it does not show, the reader puts after them."""
    paper = (shared / "papers" / "blend.txt").read_text(encoding="utf-8")
    judge = paper[paper.index("Determine if a ‘target’") :].partition("\nDummy Options")[0]
    parts = "{answers} of {answer_country}, {target} of {target_country}"
    (tmp_path / "paper.toml").write_text(
        f'[\'build mcq\']\njudge = """{judge}\n{parts}"""\nitem = \'Choose. {{question}} {{choices}}\'\n'
    )
    server.control(forget=True, mode='fixed:They differ. {"result":"X"}', latency=0.0)
    more = ("--prompts", tmp_path / "paper.toml", "--dummies", "stand-in:overlap")
    done = folkways(*command(server, release, tmp_path, *ONE, *more))
    assert done.returncode == 0, done.stderr
    assert {call["answer"] for call in calls(tmp_path) if call["kind"] == "judge"} == {False}
    assert all(text.startswith("Determine if a ‘target’") for text, _ in settings_of(tmp_path))
    record = json.loads((tmp_path / "mcq" / "mc_questions_file.build.json").read_text())
    assert record["judge_prompt"].startswith("paper ")
    assert record["item_prompt"].startswith("file:item ") and record["wording"] == "file:item"
    assert b"Choose. What do people" in items(tmp_path)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("['blend/mcq']\npaper = 'x'", 'has no table ["build mcq"]; valid texts there: judge, dummies, item'),
        ("['build mcq']\njudge = ' '", "is empty; fill it in from Appendix C.3.2"),
        ("['build mcq']\njugde = 'x'", "did you mean 'judge'"),
        ("['build mcq']\ndummies = '{number} {text}'", "the text 'dummies' has no {taken}"),
        ("['build mcq']\nitem = '{question} {choices} {x}'", "has {x}, which no part of the item fills"),
    ],
)
def test_a_builders_text_that_cannot_be_used_says_why_before_anything_is_asked(
    server: ChatServer, release: Path, tmp_path: Path, text: str, what: str
) -> None:
    server.control(forget=True, mode="judge:10", latency=0.0)
    (tmp_path / "paper.toml").write_text(text)
    done = folkways(*command(server, release, tmp_path, "--prompts", tmp_path / "paper.toml"))
    assert done.returncode == 2
    assert what in " ".join(done.stderr.split())
    assert server.stats()["total"] == 0
