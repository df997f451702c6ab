"""Places that cannot be written, disks that are full, readers that go away: one message, and nothing that was
stored is lost."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tests.support.chat_server import ChatServer
from tests.support.command_line import Done, folkways, folkways_process, integrity, rows, start
from tests.support.mcq_data import write_mcq_release
from tests.support.mcq_sources import write_release
from tests.support.process_limits import limit_files, obey_modes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file modes and limits of Unix")

FIRST = ("--model", "baseline/first")
QUESTIONS = 800


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mcq_release(tmp_path_factory.mktemp("release") / "mcq", QUESTIONS)


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a run, to be copied."""
    workspace = tmp_path_factory.mktemp("earlier") / "w.db"
    assert folkways("run", "demo/mcq", *FIRST, "-w", workspace).returncode == 0
    return workspace


@pytest.fixture
def read_only(earlier: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder that may be read and not written, with a workspace that was made before."""
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "old.db").write_bytes(earlier.read_bytes())
    (folder / "old.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def refused(done: Done, *words: str) -> bool:
    """Exit code 2 and one message with these words."""
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert done.stderr.count("error:") == 1
    for word in words:
        assert word in done.stderr, done.stderr
    return True


def test_read_only_places_are_named_with_a_remedy(read_only: Path, tmp_path: Path) -> None:
    careful = {"preexec_fn": obey_modes}
    new, old = read_only / "new.db", read_only / "old.db"
    assert refused(
        folkways_process("run", "demo/mcq", *FIRST, "-w", new, **careful), "read-only", "--workspace"
    )
    assert refused(
        folkways_process("run", "demo/mcq", *FIRST, "-w", old, **careful),
        "read-only",
        "copy the file elsewhere",
    )
    assert refused(folkways_process("score", "-w", old, **careful), "read-only", "--workspace")
    copy = tmp_path / "copy.db"
    copy.write_bytes(old.read_bytes())
    assert refused(
        folkways_process("report", "-w", copy, "--out", read_only / "report", **careful),
        "read-only",
        "name another place",
    )
    assert refused(
        folkways_process("score", "-w", copy, "--out", read_only / "scores.csv", **careful),
        "scores.csv",
        "read-only",
    )
    assert refused(
        folkways_process("quickstart", "--out", read_only / "quick", **careful),
        "cannot make the folder",
        "--out",
    )
    assert sorted(path.name for path in read_only.iterdir()) == ["old.db"]


def test_a_build_that_cannot_be_written_is_refused_before_anything_is_asked(
    read_only: Path, tmp_path: Path
) -> None:
    """What a judge says costs money: no workspace is made, for nobody has been asked."""
    answers, workspace = write_release(tmp_path / "answers", 2), tmp_path / "w.db"
    build = ("build", "mcq", "--release", answers, "--judge", "baseline/first", "-w", workspace)
    fine = ("--out", tmp_path / "q.csv")
    for places in (
        ("--out", read_only / "q.csv"),
        ("--out", read_only / "new"),
        (*fine, "--calls", read_only / "calls.jsonl"),
        (*fine, "--hub", read_only / "hub"),
    ):
        done = folkways_process(*build, *places, preexec_fn=obey_modes)
        assert refused(done, str(read_only)), done
        assert not workspace.exists()


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_asked(
    read_only: Path, tmp_path: Path
) -> None:
    workspace = tmp_path / "w.db"
    command = ("run", "demo/mcq", *FIRST, "-w", workspace, "--report", read_only / "report")
    assert refused(folkways_process(*command, preexec_fn=obey_modes), "read-only", "name another folder")
    assert not workspace.exists()


READING = (
    "runs",
    "score",
    "report",
    "gate --min demo=1",
    "compare",
    "analyse",
    "show US/school-1",
    "estimate demo -m baseline/first",
    "published --run last",
    "studio studies",
    "judge-by-model last --judge baseline/first --out v.csv",
)


def test_what_only_reads_makes_no_workspace(tmp_path: Path) -> None:
    """Of an empty file; and a database of another program keeps its bytes, its journal mode among them."""
    empty, other = tmp_path / "empty.db", tmp_path / "other.db"
    empty.touch()
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    before = other.read_bytes()
    for line in READING:
        assert refused(
            folkways(*line.split(), "-w", empty, cwd=tmp_path),
            "empty.db is not a workspace: it is empty",
            "--workspace",
        )
        assert empty.stat().st_size == 0
    for line in ("runs", "run demo -m baseline/first"):
        assert refused(
            folkways(*line.split(), "-w", other), "not a folkways workspace (it has the tables recipes)"
        )
        assert other.read_bytes() == before
    assert folkways("run", "demo/mcq", *FIRST, "-w", empty).returncode == 0
    assert rows(empty, "PRAGMA journal_mode") == [("wal",)]


def test_a_disk_that_fills_up_while_a_run_is_planned(release: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    command = ("run", "blend/mcq", "--release", release, *FIRST, "-w", workspace)
    assert refused(
        folkways_process(*command, preexec_fn=partial(limit_files, 300_000)),
        "disk",
        "run the same command again",
    )
    done = folkways(*command)
    assert done.returncode == 0, done.stderr
    assert rows(workspace, "SELECT count(*) FROM responses") == [(QUESTIONS,)]
    assert integrity(workspace) == "ok"


def test_a_disk_that_fills_up_while_a_run_asks(release: Path, tmp_path: Path) -> None:
    """What was stored stays stored and is not asked again once there is room; what could not be stored is
    told."""
    workspace = tmp_path / "w.db"
    with ChatServer(mode="fixed:Answer: A. " + "And here is why. " * 60) as server:
        model = f"{server.url}/v1#test-model"
        command = (
            "run",
            "blend/mcq",
            "--release",
            release,
            "--model",
            model,
            "-w",
            workspace,
            "--concurrency",
            8,
        )
        assert folkways(*command, "--budget", "1requests").returncode == 1
        limit = partial(limit_files, workspace.stat().st_size + 60_000)
        assert refused(folkways_process(*command, preexec_fn=limit), "disk", "run the same command again")
        stored = rows(workspace, "SELECT count(*) FROM responses")[0][0]
        assert 1 < stored < QUESTIONS
        # Whether even the end of the run still fits depends on how large the writes before it were.
        assert rows(workspace, "SELECT state FROM runs") in ([("stopped",)], [("running",)])
        before = server.stats()["total"]
        done = folkways(*command)
        after = server.stats()
    assert (done.returncode, "Continuing run-1" in done.stderr) == (0, True), done.stderr
    assert after["total"] - before == QUESTIONS - stored
    assert rows(workspace, "SELECT count(*) FROM responses") == [(QUESTIONS,)]
    assert integrity(workspace) == "ok"


def test_a_disk_that_fills_up_while_results_are_written(release: Path, tmp_path: Path) -> None:
    workspace, report = tmp_path / "w.db", tmp_path / "report"
    assert folkways("run", "blend/mcq", "--release", release, *FIRST, "-w", workspace).returncode == 0
    full = {"preexec_fn": partial(limit_files, 150_000)}
    assert refused(
        folkways_process("report", "-w", workspace, "--out", report, **full),
        "disk is full",
        "free some space",
    )
    assert [path for path in report.rglob("*") if path.name.startswith(".") or path.suffix == ".part"] == []
    replies = tmp_path / "replies.csv"
    items = [item for (item,) in rows(workspace, "SELECT item FROM expected")]
    replies.write_text("item,response\n" + "".join(f"{item},A\n" for item in items), encoding="utf-8")
    verdicts = tmp_path / "verdicts.csv"
    judge = ("judge", "blend/mcq", "--release", release, "--responses", replies, "--out", verdicts)
    assert refused(
        folkways_process(*judge, preexec_fn=partial(limit_files, 50_000)), "verdicts.csv cannot be written"
    )
    assert [path.name for path in tmp_path.iterdir() if "verdicts" in path.name] == []
    assert folkways(*judge).returncode == 0
    assert verdicts.stat().st_size > 50_000
    assert stat.S_IMODE(verdicts.stat().st_mode) & 0o600 == 0o600


@pytest.fixture(scope="module")
def long_replies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a run of 136,000 letters that cannot be packed."""
    folder = tmp_path_factory.mktemp("long")
    assert folkways("run", "demo/saq", *FIRST, "-w", folder / "asked.db").returncode == 0
    items = [item for (item,) in rows(folder / "asked.db", "SELECT DISTINCT item FROM expected")]
    lines = [{"item": item, "response": Random(item).randbytes(2000).hex()} for item in items]
    replies = folder / "replies.jsonl"
    replies.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    workspace = folder / "w.db"
    assert folkways("run", "demo/saq", "--model", f"replay:{replies}", "-w", workspace).returncode == 0
    return workspace


@pytest.mark.parametrize("name", ["every-eval-ever", "hub", "inspect"])
def test_a_disk_that_fills_up_while_a_run_is_exported(name: str, long_replies: Path, tmp_path: Path) -> None:
    """The file is named, and nothing of it is left."""
    export = ("export", name, "last", "-w", long_replies, "--out", tmp_path / "out")
    done = folkways_process(*export, preexec_fn=partial(limit_files, 60_000))
    assert refused(done, "out/", "cannot be written: the disk is full", "free some space")
    assert [path for path in tmp_path.rglob("*") if path.suffix == ".part"] == []
    assert folkways(*export).returncode == 0


READERS: dict[str, Callable[[Path], tuple[object, ...]]] = {
    "tasks": lambda _workspace: ("tasks", "demo", "xcr", "blend"),
    "cultures": lambda _workspace: ("cultures", "--json"),
    "score": lambda workspace: ("score", "-w", workspace),
    "runs": lambda workspace: ("runs", "--json", "-w", workspace),
    "run": lambda workspace: ("run", "demo/saq", *FIRST, "-w", workspace),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_that_goes_away_is_no_error(earlier: Path, name: str, tmp_path: Path) -> None:
    """As in ``folkways tasks | head -1``."""
    workspace = tmp_path / "w.db"
    workspace.write_bytes(earlier.read_bytes())
    process = start(*READERS[name](workspace))
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    told = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) in (0, 1), told
    assert "Traceback" not in told
    assert "Exception ignored" not in told


def test_output_to_a_full_device_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        process = start("cultures", "--json", stdout=full, stderr=subprocess.PIPE)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 2, told
    assert "Traceback" not in told
    assert told.startswith("error: the output cannot be written: No space left")
