"""folkways build easy and hard as a person runs them, and what they make as data that are checked, asked and
reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from folkways.benchmarks.culturalbench.votes_files import write_votes
from tests.support.command_line import folkways, rows
from tests.support.votes_data import large_collection

QUESTIONS = 40


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    write_votes(large_collection(QUESTIONS), folder / "votes")
    for config in ("easy", "hard"):
        done = folkways("build", config, "--votes", "votes", "--out", "mine", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert "from 200 votes of 12 people" in done.stdout
        assert "left out: no-majority: " in done.stderr
        assert "note: item q7 has the option 'None'" in done.stderr
    return folder


def test_what_is_built_is_checked_without_a_defect(built: Path) -> None:
    """The option "None" is there on purpose, in both configurations, and nothing else is odd."""
    done = folkways("data", "check", built / "mine", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {(issue["kind"], issue["value"]) for issue in found["issues"]} == {("option-none", "None")}


def test_what_is_built_is_asked_and_reported_as_it_is(built: Path, tmp_path: Path) -> None:
    record = json.loads((built / "mine" / "build.json").read_text())
    arguments = (
        "--release",
        f"culturalbench={built / 'mine'}",
        "-m",
        "baseline/random",
        "-w",
        tmp_path / "w.db",
    )
    done = folkways("run", "culturalbench/easy", "culturalbench/hard", *arguments)
    assert done.returncode == 0, done.stderr
    expected = dict(rows(tmp_path / "w.db", "SELECT task, count(*) FROM expected GROUP BY task"))
    assert expected == {
        "culturalbench/easy": record["questions"],
        "culturalbench/hard": 4 * record["questions"],
    }
    report = folkways("report", "-w", tmp_path / "w.db", "--out", tmp_path / "report", "--format", "md")
    assert report.returncode == 0, report.stderr
    told = (tmp_path / "report" / "report.md").read_text()
    assert told.count("People of the culture") >= 2  # a column in the tables by culture of both tasks
    assert "votes against the others'" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--votes", "nowhere"), "there is no nowhere; give a folder with items.csv and votes.csv"),
        (("--votes", "votes", "--threshold", "2"), "a majority of 2 of 5 is none"),
        (
            ("--votes", "spoilt"),
            "one thing is wrong; correct or remove this row:\n  spoilt/votes.csv, row 1: cannot read the "
            "choice 'Z'",
        ),
        (
            ("--votes", "votes", "--threshold", "5"),
            "holds easy and hard of another build (threshold 4 there and 5 here)",
        ),
    ],
)
def test_what_is_wrong_is_said(built: Path, arguments: tuple[str, ...], message: str) -> None:
    spoilt = built / "spoilt"
    write_votes(large_collection(2), spoilt)
    text = (spoilt / "votes.csv").read_text().splitlines()
    text[1] = ",".join([*text[1].split(",")[:2], "Z", "1", ""])
    (spoilt / "votes.csv").write_text("\n".join(text) + "\n")
    done = folkways("build", "hard", "--out", "mine", *arguments, cwd=built)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
