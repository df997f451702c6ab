"""Everything that can go wrong at a server, mixed: the run ends, every item has a state, the counts add up,
the report tells."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import polars as pl
import pytest

from folkways.api import load_run
from folkways.records import State
from tests.support.chat_server import ChatServer
from tests.support.command_line import Done, folkways, start

Mcq = Callable[[int], Path]

FEW, MANY = 60, 1000  # questions; many of them every night
ENDS_WITHIN = 500  # seconds; a run takes twenty, and many times that on a busy machine
MEGABYTES = 400  # the server sends bodies of 50 MB, up to 16 at once

CHANCES = {
    "429": 0.04,
    "429+after=0.3": 0.03,
    "429+date=1": 0.01,
    "408": 0.02,
    "409": 0.02,
    "500": 0.04,
    "502": 0.03,
    "503": 0.03,
    "503+after=0.2": 0.02,
    "529": 0.01,
    "truncated": 0.04,
    "cut": 0.03,
    "drop": 0.03,
    "garbage": 0.02,
    "stall+seconds=10": 0.03,
    "big+megabytes=50": 0.02,
    "big+megabytes=50+chunked=1": 0.01,
    "bomb+megabytes=50": 0.01,
    "empty-choices": 0.03,
    "wrong-type": 0.03,
    "not-object": 0.02,
    "error-in-200": 0.02,
    "400": 0.01,
    "422": 0.01,
    "json-as-text": 0.02,
    "rubbish": 0.03,
    "bad-utf8": 0.03,
    "filter": 0.03,
    "refusal": 0.03,
    "null-text": 0.02,
    "parts": 0.02,
    "length": 0.02,
    "no-usage": 0.02,
}
# The script sends each fault once, whatever chance does after it.
FAULTS = {
    "script": list(CHANCES),
    "chances": CHANCES,
    "seed": 12,
    "bursts": {"fault": "429", "every": 150, "length": 12},
}


@dataclass(frozen=True)
class FaultyRun:
    """One run against that server, with the server as it was then, and the same command."""

    done: Done
    peak_megabytes: float
    workspace: Path
    report: Path
    kinds: dict[str, int]
    server: ChatServer
    command: tuple[object, ...]
    questions: int


@pytest.fixture(scope="module", params=[FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
def faulty_run(
    request: pytest.FixtureRequest, mcq: Mcq, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FaultyRun]:
    questions = request.param
    folder = tmp_path_factory.mktemp("ordeal")
    with ChatServer(faults=FAULTS) as server:
        model = f"{server.url}/v1#test-model"
        limits = (
            "--timeout",
            2,
            "--attempts",
            3,
            "--max-errors",
            questions,
            "--max-failed",
            100,
            "--concurrency",
            16,
        )
        places = ("--release", mcq(questions), "-w", folder / "w.db", "--report", folder / "report")
        with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
            command = ("run", "blend/mcq", "--model", model, *limits, *places)
            process = start(*command, stdout=out, stderr=err)
            code, usage = _wait(process.pid, ENDS_WITHIN)
            process.returncode = code
        done = Done(process.args, code, (folder / "out").read_text(), (folder / "err").read_text())
        kinds = server.stats()["kinds"]
        yield FaultyRun(
            done, usage / 1024, folder / "w.db", folder / "report", kinds, server, command, questions
        )


def _wait(pid: int, seconds: float) -> tuple[int, int]:
    """Exit code and peak resident memory in KiB.

    The kernel's account of an ended child begins with what its parent had when it forked; only the child's
    own file tells its own.
    """
    deadline = time.monotonic() + seconds
    peak = 0
    while time.monotonic() < deadline:
        peak = max(peak, _high_water(pid))
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            assert peak > 0, "the system tells no memory of a process in /proc"
            return os.waitstatus_to_exitcode(status), peak
        time.sleep(0.05)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError(f"the run did not end within {seconds} s")


def _high_water(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(lines[0].split()[1]) if lines else 0


def test_the_run_ends_in_good_order(faulty_run: FaultyRun) -> None:
    assert faulty_run.done.returncode == 0, faulty_run.done
    assert "Traceback" not in faulty_run.done.stderr
    sent = {fault.split("+")[0] for fault in CHANCES}
    assert sent <= set(faulty_run.kinds), f"the server never sent {sent - set(faulty_run.kinds)}"


def test_memory_stays_bounded(faulty_run: FaultyRun) -> None:
    assert faulty_run.peak_megabytes < MEGABYTES


def test_every_expected_item_has_one_state_and_a_reason(faulty_run: FaultyRun) -> None:
    run = load_run("last", faulty_run.workspace)
    assert run.record.state == "finished"
    judged = run.judgements()
    assert judged.height == judged["item"].n_unique() == faulty_run.questions
    states = dict(judged.group_by("state").len().iter_rows())
    assert sum(states.values()) == faulty_run.questions
    assert set(states) <= {state.value for state in State}
    assert states["answered"] > faulty_run.questions / 2
    for state in ("refused", "unreadable", "failed"):
        assert states.get(state, 0) > 0, states
    assert judged.filter(pl.col("state") != "answered")["reason"].null_count() == 0
    assert (
        judged.filter(pl.col("state").is_in(["failed", "missing"]))["response"].null_count()
        == states["failed"]
    )


def test_the_counts_beside_every_score_add_up(faulty_run: FaultyRun) -> None:
    run = load_run("last", faulty_run.workspace)
    scores, judged = run.scores(), run.judgements()
    states = [pl.col(state.value) for state in State]
    assert scores.filter(pl.sum_horizontal(states) != pl.col("n")).is_empty()
    whole = scores.filter(pl.col("facet") == "all").row(0, named=True)
    assert whole["n"] == faulty_run.questions
    for state in State:
        assert whole[state.value] == judged.filter(pl.col("state") == state.value).height
    reached = faulty_run.questions - whole["failed"] - whole["missing"]
    assert whole["coverage"] == pytest.approx(reached / faulty_run.questions)
    assert whole["at_best"] > whole["score"]
    right = judged.filter(pl.col("state") == "answered")["accuracy"].sum()
    assert whole["score"] == pytest.approx(100 * right / faulty_run.questions)


@pytest.mark.parametrize("name", ["report.md", "report.html"])
def test_the_report_says_what_failed(faulty_run: FaultyRun, name: str) -> None:
    failures = load_run("run-1", faulty_run.workspace).report_data().failures
    assert (
        failures["count"].sum()
        == load_run("run-1", faulty_run.workspace).judgements().filter(pl.col("state") == "failed").height
    )
    kinds = set(failures["kind"])
    assert len(kinds) >= 3, kinds
    assert "the server says 429" not in kinds, "to be told to slow down uses up no attempt"
    assert any(kind.startswith("the reply") for kind in kinds), (
        kinds
    )  # too long, no JSON, no answer in it: which of them is luck
    assert any(kind.startswith("the server says 4") for kind in kinds), kinds
    text = (faulty_run.report / name).read_text(encoding="utf-8")
    for kind in kinds:
        assert kind.replace('"', "&#34;") in text or kind in text, kind
    assert not {character for character in text if ord(character) < 32} - {"\n", "\t"}


def test_a_server_that_has_recovered_is_asked_for_what_failed_and_nothing_else(
    faulty_run: FaultyRun, tmp_path: Path
) -> None:
    for file in faulty_run.workspace.parent.glob("w.db*"):
        copy(file, tmp_path)
    workspace = tmp_path / faulty_run.workspace.name
    command = [workspace if part == faulty_run.workspace else part for part in faulty_run.command]
    failed = load_run("run-1", faulty_run.workspace).judgements().filter(pl.col("state") == "failed").height
    faulty_run.server.control(faults={}, forget=True)
    again = folkways(*command[: command.index("--report")])
    assert again.returncode == 0, again.stderr
    stats = faulty_run.server.stats()
    assert stats["total"] == stats["distinct"] == failed
    assert set(load_run("run-2", workspace).scores()["coverage"]) == {1.0}
