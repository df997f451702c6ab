"""``folkways run --until`` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways import get_task, load_run, open_release
from tests.support.command_line import folkways
from tests.support.mcq_data import write_mcq_release


def test_a_sampled_run_asks_less_and_says_so(tmp_path: Path) -> None:
    release, place = write_mcq_release(tmp_path / "mcq", 1000), ("-w", tmp_path / "w.db")
    asked = ("run", "blend/mcq", "--model", "baseline/first", "--release", release, "--cultures", "KR")
    done = folkways(*asked, "--until", "20", "--strata", "culture", *place)
    assert done.returncode == 0, done.stderr
    assert "asked items drawn at random until each stratum was known to within 20 points" in " ".join(
        done.stdout.split()
    )
    run = load_run("last", tmp_path / "w.db")
    every = get_task("blend/mcq").items(open_release(release, "blend")).filter(culture="KR").height
    assert 0 < len(run) == run.responses().height < every
    scores = run.scores()
    assert scores["signature"].str.contains("sampling:until=20,by=culture", literal=True).all()
    assert folkways("report", *place, "--format", "md", "--out", tmp_path / "report").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("demo/mcq", "--until", "0"), "must be a number, 0.1 to 49; got '0'"),
        (("demo/mcq", "--until", "5", "--limit", "3"), "give either it or --limit"),
        (("demo/mcq", "--until", "5", "--strata", "nope"), "unknown stratum of demo/mcq: 'nope'"),
        (("demo/mcq", "--until", "5", "--strata", ","), "an empty list was given"),
    ],
)
def test_wrong_wishes_are_one_message(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = folkways("run", *arguments, "--model", "baseline/first", "-w", tmp_path / "w.db")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
