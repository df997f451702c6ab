"""``folkways submit``, and what of a benchmark whose items may not leave is written anywhere."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import folkways as library
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.runs.judging.external_responses import judge_file
from folkways.runs.submitting import submit_run
from tests.support.command_line import folkways
from tests.support.command_line import rows as stored
from tests.support.semeval_data import CHOICES, QUESTIONS, SHORT, write_semeval

TRACK_1, TRACK_2 = "prediction/track_1_saq_prediction.tsv", "prediction/track_2_mcq_prediction.tsv"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data and a workspace ``w.db`` with two runs: of both tasks, and of two models."""
    folder = tmp_path_factory.mktemp("submit")
    write_semeval(folder / "data")
    options = ("--release", folder / "data", "-w", folder / "w.db")
    done = folkways("run", "semeval2026", "-m", "baseline/first", "--name", "both", *options)
    assert done.returncode == 0, done.stderr
    folkways(
        "run",
        "semeval2026/mcq",
        "-m",
        "baseline/first",
        "-m",
        "baseline/random",
        "--name",
        "two",
        "--limit",
        "2",
        *options,
    )
    return folder


def rows(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t"))


def test_both_files_have_a_row_for_every_item_and_no_question(asked: Path, tmp_path: Path) -> None:
    done = folkways("submit", "semeval2026", "both", "-w", asked / "w.db", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    short, letters = rows(tmp_path / TRACK_1), rows(tmp_path / TRACK_2)
    assert short[0] == ["id", "prediction"]
    assert [row[0] for row in short[1:]] == [key for key, *_ in SHORT]
    assert letters == [["id", "A", "B", "C", "D"], *([key, "1", "0", "0", "0"] for key, *_ in CHOICES)]


def test_what_was_handed_in_is_judged_as_the_run_was(asked: Path, tmp_path: Path) -> None:
    folkways("submit", "semeval2026", "both", "-w", asked / "w.db", "--out", tmp_path)
    task = get_task("semeval2026/mcq")
    again = judge_file(task, open_release(asked / "data", "semeval2026"), tmp_path / TRACK_2).scores
    scores = library.load_run("both", asked / "w.db").scores()
    for facet in ("all", "all (pooled)"):
        place = {"task": task.name, "metric": "correct", "facet": facet}
        assert again.filter(**place)["score"].item() == scores.filter(**place)["score"].item()


def test_one_model_is_handed_in_and_what_was_not_asked_is_told(asked: Path, tmp_path: Path) -> None:
    which = folkways("submit", "semeval2026", "two", "-w", asked / "w.db", "--out", tmp_path)
    assert (which.returncode, which.stderr.split("--model: ")[1].strip()) == (
        2,
        "baseline/first, baseline/random",
    )
    done = folkways(
        "submit", "semeval2026", "two", "-w", asked / "w.db", "--out", tmp_path, "--model", "baseline/first"
    )
    assert "semeval2026/mcq: 1 of 3 items have no reply" in done.stderr
    assert "semeval2026/saq is not in this run" in done.stderr
    assert sorted(row[1] for row in rows(tmp_path / TRACK_2)[1:]) == ["0", "1", "1"]
    assert not (tmp_path / TRACK_1).exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("blend",), "unknown benchmark with a competition 'blend'\nvalid: semeval2026"),
        (("semeval2026", "both", "--model", "x/y"), "unknown model of run both: 'x/y'"),
    ],
)
def test_what_cannot_be_handed_in_is_said(
    asked: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = folkways("submit", *arguments, "-w", asked / "w.db", "--out", tmp_path)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr


def test_an_item_that_was_asked_twice_cannot_be_handed_in(asked: Path, tmp_path: Path) -> None:
    options = ("--release", asked / "data", "-w", tmp_path / "w.db")
    folkways("run", "semeval2026/mcq", "-m", "baseline/first", "--samples", "2", *options)
    done = folkways("submit", "semeval2026", "-w", tmp_path / "w.db", "--out", tmp_path / "out")
    assert (done.returncode, "a submission has one reply to each" in done.stderr) == (2, True)


def test_a_run_with_treatments_hands_in_what_was_said_to_the_prompts_as_they_are(
    asked: Path, tmp_path: Path
) -> None:
    def model(prompt: str, system: str | None = None) -> str:
        return "B" if system else "A"

    library.run(
        "semeval2026/mcq",
        models=model,
        releases={"semeval2026": str(asked / "data")},
        treatments="persona-second",
        workspace=str(tmp_path / "w.db"),
        name="treated",
    )
    done = folkways("submit", "semeval2026", "treated", "-w", tmp_path / "w.db", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    letters = rows(tmp_path / "out" / TRACK_2)
    assert letters[1:] == [[key, "1", "0", "0", "0"] for key, *_ in CHOICES]


def test_replies_of_every_kind_as_the_files_have_them(tmp_path: Path) -> None:
    """Of the second of two models, in a run that asked another benchmark too."""
    short = {
        **{"am-ET_001": "ቡና", "en-ET_001": "  Coffee,\n\n\tor tea "},
        **{"am-ET_002": " \n", "en-ET_002": "I cannot answer."},
    }
    letters = {"en-US_0001": "B.", "en-US_0002": "A or B", "ga-IE_0001": "I cannot answer."}
    done = library.run(
        ["demo/mcq", "semeval2026"],
        models=[
            library.model(dict.fromkeys(short | letters, "A"), name="other"),
            library.model(short | letters, name="mine"),
        ],
        releases={"semeval2026": str(write_semeval(tmp_path / "data"))},
        workspace=str(tmp_path / "w.db"),
        cultures="ET,ES-PV,US,IE",  # the request for eu-PV_001 fails
        attempts=1,
    )
    written = submit_run(done.workspace, done.record, "semeval2026", tmp_path / "out", "python/mine")
    assert [file.relative_to(tmp_path / "out").as_posix() for file in written.files] == [TRACK_1, TRACK_2]
    assert written.notes == (
        "semeval2026/saq: 6 of 10 items have no reply; their rows are in the file and say nothing",
    )
    said = short | {"en-ET_001": "Coffee, or tea", "am-ET_002": ""}
    assert rows(tmp_path / "out" / TRACK_1)[1:] == [[key, said.get(key, "")] for key, *_ in SHORT]
    assert rows(tmp_path / "out" / TRACK_2)[1:] == [
        ["en-US_0001", "0", "1", "0", "0"],
        *([key, "0", "0", "0", "0"] for key in ("en-US_0002", "ga-IE_0001")),
    ]


def test_nothing_is_asked_without_the_questions(asked: Path, tmp_path: Path) -> None:
    data = write_semeval(tmp_path / "data", questions=False)
    done = folkways("run", "semeval2026", "-m", "baseline/first", "--release", data, "-w", tmp_path / "w.db")
    assert (done.returncode, QUESTIONS in done.stderr) == (2, True)
    assert stored(tmp_path / "w.db", "SELECT key FROM responses UNION ALL SELECT key FROM failures") == []
