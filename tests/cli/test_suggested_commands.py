"""What a command suggests can be given as it stands, whatever runs, folders and files are called."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from folkways.errors import option
from tests.support.command_line import Done, folkways

NAME = "year's first run"
FILES = "my study"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the workspace has a space in its name, and commands are given."""
    place = tmp_path / "two words"
    place.mkdir()
    return place


def suggested(text: str, command: str) -> list[str]:
    """The words of the suggestion that begins so, up to the end of its line."""
    (line,) = re.findall(rf"folkways {command} .*", text)
    return shlex.split(line)[1:]


def given(done: Done, command: str, folder: Path) -> Done:
    return folkways(*suggested(done.stdout + done.stderr, command), cwd=folder)


def test_plan_work_and_score_suggest_one_another(folder: Path) -> None:
    workspace = folder / "w 1.db"
    demo = ("demo/mcq", "--model", "baseline/first")
    planned = folkways("plan", *demo, "--name", NAME, "--workspace", workspace, cwd=folder)
    worked = given(planned, "work", folder)
    assert worked.returncode == 0, worked.stderr
    scored = given(worked, "score", folder)
    assert (scored.returncode, "baseline first" in scored.stdout) == (0, True), scored.stderr
    archived = folkways("runs", "archive", NAME, "--workspace", workspace, cwd=folder)
    assert archived.returncode == 0, archived.stderr
    away = folkways("work", NAME, "--workspace", workspace, cwd=folder)
    assert suggested(away.stderr, "runs restore") == ["runs", "restore", NAME, "--workspace", str(workspace)]
    (next(folder.rglob("responses"))).rename(folder / "moved")
    lost = folkways("runs", "restore", NAME, "--workspace", workspace, cwd=folder)
    assert suggested(lost.stderr, "runs archive") == [
        "runs", "archive", NAME, "--out", "FOLDER", "--workspace", str(workspace),
    ]  # fmt: skip


def test_each_suggestion_on_a_run_names_the_workspace_it_is_in(folder: Path) -> None:
    workspace = folder / "w 1.db"
    here = ["--workspace", str(workspace)]

    def told(*words: str) -> str:
        done = folkways(*words, *here, cwd=folder)
        assert done.returncode in (0, 2), done.stderr
        return done.stdout + done.stderr

    told("plan", "demo/mcq", "--model", "baseline/first", "--name", NAME)
    for words in (
        ("analyse", NAME),
        ("export", "hub", NAME, "--out", "out"),
        ("gate", NAME, "--min", "demo/mcq=1"),
    ):
        assert suggested(told(*words), "score") == ["score", NAME, *here], words
    told("work", NAME)
    told("runs", "archive", NAME)
    for words in (
        ("report", NAME),
        ("runs", "archive", NAME),
        ("run", "demo/mcq", "--model", "baseline/first"),
    ):
        assert suggested(told(*words), "runs restore") == ["runs", "restore", NAME, *here], words


def test_what_is_not_scored_or_not_asked_names_the_run(folder: Path) -> None:
    folkways("plan", "demo/mcq", "--model", "baseline/first", "--name", NAME, cwd=folder)
    exported = folkways("analyse", NAME, cwd=folder)
    assert suggested(exported.stderr, "score") == ["score", NAME]
    warned = " ".join(folkways("score", NAME, cwd=folder).stdout.split())
    assert f"Ask it with folkways work {shlex.quote(NAME)}, in as many" in warned
    for number in (1, 2):
        short = folkways("work", NAME, "--budget", "5requests", cwd=folder)
        assert short.returncode == 1, number
        assert f"{NAME} is not finished: the budget is used up" in short.stderr
        assert "go on with a larger --budget" in short.stderr and "same command" not in short.stderr
    warned = " ".join(folkways("score", NAME, cwd=folder).stdout.split())
    assert f"Go on with folkways work {shlex.quote(NAME)}, or with the command that began it." in warned
    assert "same command" not in warned


def test_a_new_recipe_is_run_as_it_suggests(folder: Path) -> None:
    wrote = folkways("init", folder / f"{FILES}.toml", cwd=folder)
    assert given(wrote, "run", folder).returncode == 0
    text = (folder / f"{FILES}.toml").read_text("utf-8")
    assert suggested(text.splitlines()[1], "estimate") == ["estimate", f"{FILES}.toml"]


def test_an_option_with_a_space_in_its_value_is_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkways.errors.names_for_command_line", lambda: True)
    assert shlex.split(option("workspace", FILES)) == ["--workspace", FILES]
    assert shlex.split(option("releases", {"blend": FILES})) == ["--release", f"blend={FILES}"]
