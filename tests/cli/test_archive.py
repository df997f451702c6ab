"""``folkways runs archive`` and ``restore`` as a person uses them: every command says the same of an archived
run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from folkways.api import load_run, run
from folkways.endpoints.baselines import BaselineEndpoint
from tests.support.blend_data import write_release
from tests.support.river import folkways

READING = (
    ("report", "mine", "--out", "{place}/report", "--format", "html,csv"),
    ("show", "blend/saq:{item}", "--run", "mine"),
    ("compare", "--run", "mine"),
    ("tables", "blend", "languages", "--run", "mine", "--release", "{release}"),
    ("score", "mine"),
    ("export", "every-eval-ever", "mine", "--out", "{place}/shared"),
)
PASSING = re.compile(
    r'datetime="[^"]*"|"(retrieved_|evaluation_)?timestamp": '
    r'*"?[^",]*|[0-9a-f]{8}-[0-9a-f-]{27}|sha256[^,}]*|checksum[^,}]*'
)
"""When something was written, and what follows from that."""


def said(workspace: str, place: Path, **names: str) -> dict[str, str]:
    """What each command prints and writes, but when."""
    found: dict[str, str] = {}
    (listed,) = json.loads(folkways("runs", "-w", workspace, "--json").stdout)
    found["runs"] = json.dumps({**listed, "archive": None})
    for command in READING:
        done = folkways(*(word.format(place=place, **names) for word in command), "-w", workspace)
        assert done.returncode == 0, done
        found[command[0]] = done.stdout.replace(str(place), "")
    for path in sorted(place.rglob("*")):
        if path.suffix in (".html", ".md", ".csv", ".svg", ".json", ".jsonl"):
            found[PASSING.sub("", f"{path.relative_to(place)}")] = path.read_text(encoding="utf-8")
    return {name: PASSING.sub("", text) for name, text in found.items()}


@pytest.mark.parametrize(
    "here", ["a file", pytest.param("a server", marks=[pytest.mark.postgres, pytest.mark.nightly])]
)
def test_every_command_says_the_same_of_an_archived_run(
    here: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    workspace = str(tmp_path / "w.db") if here == "a file" else request.getfixturevalue("postgres_url")
    release = str(write_release(tmp_path / "made"))
    models = [
        BaselineEndpoint(f"lab/{word}", word, lambda _request, word=word: word) for word in ("tea", "coffee")
    ]  # type: ignore[misc]
    item = run(
        "blend/saq", models=models, workspace=workspace, name="mine", releases={"blend": release}
    ).responses()["item"][0]
    before = said(workspace, tmp_path / "before", item=item, release=release)
    assert {"report/report.html", "report/scores.csv", "report/judgements.csv"} <= before.keys()
    done = folkways("runs", "archive", "mine", "-w", workspace, "--out", tmp_path / "archive")
    assert "read back and equal" in done.stdout, done
    assert load_run("mine", workspace).record.archive == (
        "archive" if here == "a file" else str(tmp_path / "archive")
    )
    assert said(workspace, tmp_path / "after", item=item, release=release) == before
    assert re.search(r"^ +archived ", folkways("runs", "-w", workspace).stdout, re.MULTILINE)
    done = folkways("runs", "-w", workspace, "restore", "mine")  # the workspace before the command, too
    assert done.stdout.startswith("restored run mine: 80 items"), done


def test_an_archive_is_beside_its_workspace_and_one_that_is_lost_is_named(tmp_path: Path) -> None:
    def do(*words: str) -> str:
        done = folkways(*words, cwd=tmp_path)
        return done.stdout if done.returncode == 0 else done.stderr

    do("run", "demo/mcq", "--model", "baseline/first", "--name", "a b c")
    assert "folkways-archive/a-b-c-1" in do("runs", "archive", "last")
    assert (tmp_path / "folkways-archive/a-b-c-1/archive.json").is_file()
    (tmp_path / "folkways-archive").rename(tmp_path / "elsewhere")
    assert "archive lost" in do("runs")
    assert "error: run a b c is archived in " in (lost := do("report", "last"))
    assert "folkways runs archive a b c --out FOLDER" in lost
    assert "all of its files are there" in do("runs", "archive", "a b c", "--out", "elsewhere/a-b-c-1")
    assert "wrote report/report.md" in do("report", "last", "--format", "md")
    assert "is archived in elsewhere/a-b-c-1 already" in do("runs", "archive", "a b c")
    assert "folkways runs restore a b c" in do("run", "demo/mcq", "--model", "baseline/first")
    assert "folkways runs restore a b c" in do("work", "last")
    assert "unknown run 'none'" in do("runs", "restore", "none")
