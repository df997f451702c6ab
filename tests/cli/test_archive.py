"""``folkways runs archive`` and ``restore`` as a person uses them: commands that read a run say how to bring
an archived one back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import folkways

READING = (
    ("report", "mine"),
    ("show", "demo/mcq:KR-1", "--run", "mine"),
    ("compare", "--run", "mine"),
    ("gate", "mine", "--min", "demo/mcq=1"),
    ("score", "mine"),
    ("export", "every-eval-ever", "mine", "--out", "shared"),
    ("work", "mine"),
    ("run", "demo/mcq", "--model", "baseline/first", "--name", "mine"),
)


@pytest.mark.parametrize(
    "here", ["a file", pytest.param("a server", marks=[pytest.mark.postgres, pytest.mark.nightly])]
)
def test_an_archived_run_is_named_with_what_brings_it_back(
    here: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    workspace = str(tmp_path / "w.db") if here == "a file" else request.getfixturevalue("postgres_url")

    def do(*words: object) -> str:
        done = folkways(*words, "--workspace", workspace, cwd=tmp_path)
        return done.stdout if done.returncode == 0 else done.stderr

    do("run", "demo/mcq", "--model", "baseline/first", "--name", "mine")
    (before,) = json.loads(do("runs", "--json"))
    do("report", "mine", "--format", "csv", "--out", "before")
    recipe = do("runs", "--recipe", "mine")
    assert "read back and equal" in do("runs", "archive", "mine", "--out", tmp_path / "archive")
    (after,) = json.loads(do("runs", "--json"))
    assert after.pop("archive") == ("archive" if here == "a file" else str(tmp_path / "archive"))
    assert before.pop("archive") is None
    assert after == before
    assert do("runs", "--recipe", "mine") == recipe
    for command in READING:
        told = do(*command)
        assert told.startswith("error: run mine"), command
        assert "is archived in" in told, command
        assert "folkways runs restore mine" in told, command
    assert do("runs", "restore", "mine").startswith("restored run mine: 18 items")
    do("report", "mine", "--format", "csv", "--out", "after")
    for name in ("scores.csv", "judgements.csv"):
        assert (tmp_path / "after" / name).read_text() == (tmp_path / "before" / name).read_text()


def test_an_archive_is_beside_its_workspace_and_one_that_is_lost_is_named(tmp_path: Path) -> None:
    def do(*words: str) -> str:
        done = folkways(*words, cwd=tmp_path)
        return done.stdout if done.returncode == 0 else done.stderr

    do("run", "demo/mcq", "--model", "baseline/first", "--name", "a b c")
    assert "folkways-archive/a-b-c-1" in do("runs", "archive", "last")
    assert (tmp_path / "folkways-archive/a-b-c-1/archive.json").is_file()
    (tmp_path / "folkways-archive").rename(tmp_path / "elsewhere")
    assert "archive lost" in do("runs")
    assert "error: run a b c is archived in " in (lost := do("runs", "restore", "last"))
    assert "folkways runs archive 'a b c' --out FOLDER" in lost
    assert "all its files are there, unchanged" in do(
        "runs", "archive", "a b c", "--out", "elsewhere/a-b-c-1"
    )
    assert "is archived in elsewhere/a-b-c-1 already" in do("runs", "archive", "a b c")
    assert "folkways runs restore 'a b c'" in do("run", "demo/mcq", "--model", "baseline/first")
    assert "folkways runs restore 'a b c'" in do("work", "last")
    assert "unknown run 'none'" in do("runs", "restore", "none")
    do("runs", "restore", "last")
    assert "wrote report/report.md" in do("report", "last", "--format", "md")
