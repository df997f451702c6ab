"""The smallest run there is."""

from __future__ import annotations

import time
from pathlib import Path

import folkways as api
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.verdicts import verdict_of
from folkways.reports.views.views import ReportView
from tests.support.command_line import folkways


def test_a_run_of_one_item_in_one_language_has_a_report(tmp_path: Path) -> None:
    done = folkways(
        "run",
        "demo",
        "--model",
        "baseline/first",
        "--limit",
        1,
        "-w",
        tmp_path / "w.db",
        "--report",
        tmp_path / "report",
    )
    assert done.returncode == 0, done.stderr
    assert "By language" in (tmp_path / "report" / "report.html").read_text()


def test_of_each_model_it_is_told_why_most_of_its_requests_failed(tmp_path: Path) -> None:
    for name, letter in (("one", "A"), ("two", "B")):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"item": "DE/money-1", "response": "{letter}"}}\n')
    models = ("--model", "replay:one.jsonl", "--model", "replay:two.jsonl")
    done = folkways("run", "demo/mcq", *models, "--limit", 3, cwd=tmp_path)
    assert done.returncode == 1
    for name in ("one", "two"):
        assert f"most often of replay:{name}.jsonl: {name}.jsonl has no reply for item" in done.stderr
    alone = folkways("run", "demo/mcq", *models[:2], "--limit", 3, "--name", "alone", cwd=tmp_path)
    assert "most often: one.jsonl has no reply for item" in alone.stderr


def test_the_verdict_is_the_same_in_brief_from_python_and_before_the_files(tmp_path: Path) -> None:
    """A model of Python and a baseline: the report prints the verdict, the matrix, then what it wrote."""
    done = api.run(
        "demo/saq", models=[says_rice, "baseline/first"], cultures="KR", workspace=tmp_path / "w.db"
    )
    brief = folkways("report", "--brief", "-w", tmp_path / "w.db")
    assert brief.stdout == f"{done.brief()}\n" and not (tmp_path / "report").exists()
    assert "says_rice scores " in brief.stdout and "the only model that was asked" in brief.stdout
    written = folkways(
        "report",
        "-w",
        tmp_path / "w.db",
        "--format",
        "md",
        "--out",
        tmp_path / "report",
        env={"COLUMNS": "60"},
    )
    words = " ".join(written.stdout.split())
    assert words.startswith(done.brief())
    after = words.removeprefix(done.brief())
    assert 0 < after.index("says_rice") < after.index("wrote ")
    assert max(map(len, written.stdout.split("wrote")[0].splitlines())) <= 60
    use = done.report_data(with_judgements=False, with_verdict=True).expenses["python/says_rice"]
    assert (use.dollars, use.input_tokens, use.requests) == (None, None, len(done) // 2)
    assert use.seconds is not None and use.wall is not None and 0 < use.seconds <= use.wall + 1


def test_the_verdict_without_the_data_is_that_of_the_whole_report(tmp_path: Path) -> None:
    """Models are compared from stored judgements alone, as the report compares them."""
    done = api.run(
        "demo/saq", models=[says_rice, says_nothing], cultures="KR,ET", workspace=tmp_path / "w.db"
    )
    whole = verdict_of(Leaderboard(ReportView(done.report_data())))
    assert whole.text == done.brief()
    assert whole.tasks[0].evidence.contrasts.height > 0 and "python/says_nothing" in whole.models


def says_rice(_prompt: str) -> str:
    time.sleep(0.005)  # less than a millisecond would not be counted as waiting
    return "rice"


def says_nothing(_prompt: str) -> str:
    return "I do not know."
