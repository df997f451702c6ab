"""``folkways compare`` as a person uses it: names of models and runs, what differs between runs, formats, and
wrong input."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

import folkways as package
from folkways.evidence.comparison import DIFFERENCES
from tests.support.command_line import folkways, rows
from tests.support.xcr_data import write_small_corpus


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run ``whole`` of three baselines; run ``part`` of two of them, about twelve questions, with another
    seed."""
    path = tmp_path_factory.mktemp("compare") / "w.db"
    baselines = [part for name in ("first", "random", "echo") for part in ("--model", f"baseline/{name}")]
    for arguments in (
        ("--name", "whole", *baselines),
        ("--name", "part", "--limit", "12", "--seed", "3", *baselines[:4]),
    ):
        assert folkways("run", "demo/mcq", "demo/saq", *arguments, "-w", path).returncode == 0
    return path


def test_models_of_one_run_by_their_short_names(workspace: Path) -> None:
    done = folkways("compare", "first", "random", "--run", "whole", "--task", "demo/mcq", "-w", workspace)
    assert done.returncode == 0
    assert done.stdout.startswith(
        "baseline/first against baseline/random: demo/mcq, Accuracy\nNo difference is shown: "
    )
    assert "South Korea" in done.stdout
    assert not done.stderr


def test_runs_of_different_coverage_are_compared_on_what_they_share(workspace: Path) -> None:
    """The seeds differ too, which decides what ``random`` says: both are told, and neither hides the
    comparison."""
    done = folkways(
        "compare", "random@part", "random@whole", "--task", "demo/mcq", "--format", "json", "-w", workspace
    )
    (document,) = json.loads(done.stdout)
    assert document["models"] == ["baseline/random@part", "baseline/random@whole"]
    assert document["shared"][0]["rows"] == 12
    assert document["expected"] == {"baseline/random@part": 12, "baseline/random@whole": 18}
    told = " ".join(document["notes"])
    assert "baseline/random@whole: 12 of 18 rows are compared; 6 are left out." in told
    assert "Not asked or judged alike, seed: baseline/random@part 3; baseline/random@whole 0." in told
    assert "limit" not in told


def test_every_model_of_the_runs_if_none_is_named(workspace: Path) -> None:
    done = folkways("compare", "--run", "whole", "--task", "demo/mcq", "--format", "csv", "-w", workspace)
    rows = pl.read_csv(StringIO(done.stdout))
    assert rows.columns == list(DIFFERENCES)
    assert rows.filter(pl.col("facet") == "all").select("first", "second").height == 3
    assert "ranking" not in done.stdout.lower()
    text = folkways("compare", "--run", "whole", "--task", "demo/mcq", "-w", workspace).stdout
    assert text.startswith("Ranking: demo/mcq, Accuracy")
    assert text.count(" against ") == 0
    assert (
        text.count("baseline/echo") == 3
    )  # in the ranking and in two differences: where all are baselines, each pair is told
    assert text.count("\n") < 25


def test_every_task_in_common_and_a_facet_of_ones_own(workspace: Path, tmp_path: Path) -> None:
    out = tmp_path / "comparison.md"
    done = folkways(
        "compare",
        "first",
        "echo",
        "--run",
        "whole",
        "--by",
        "topic",
        "--format",
        "md",
        "--out",
        out,
        "-w",
        workspace,
    )
    assert (done.returncode, done.stdout) == (0, "")
    text = out.read_text()
    assert "## baseline/first against baseline/echo: demo/mcq, Accuracy" in text
    assert "## baseline/first against baseline/echo: demo/saq, Accuracy" in text
    assert "| topic | first |" in text


def test_from_python_the_same_numbers(workspace: Path) -> None:
    (found,) = package.compare("first", "random", runs="whole", tasks="demo/mcq", workspace=workspace)
    done = folkways(
        "compare",
        "first",
        "random",
        "--run",
        "whole",
        "--task",
        "demo/mcq",
        "--format",
        "csv",
        "-w",
        workspace,
    )
    assert found.differences.write_csv() == done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("first",),
            "got baseline/first of part\nName two models, MODEL@RUN for one of another run, or more runs",
        ),
        (("first", "rnadom"), "unknown model 'rnadom'\nvalid: baseline/first, baseline/random"),
        (("first", "first"), "named twice"),
        (("first", "random", "--run", "nope"), "unknown run 'nope'"),
        (("first", "random", "--run", "whole", "--metric", "nope"), "unknown metric of demo/mcq"),
        (("first", "random", "--run", "whole", "--by", "nope"), "unknown facet of demo/mcq"),
        (("first", "random", "--run", "whole", "--profile", "nope"), "unknown profile"),
        (("first", "random", "--run", "whole", "--task", "nope"), "unknown task or benchmark"),
        (("first", "random", "--run", "whole", "--task", "blend"), "no such task in common"),
        (("first", "random", "--run", "whole", "--out", "/nowhere/at/all.md"), "does not exist"),
    ],
)
def test_wrong_input_is_one_message(workspace: Path, arguments: tuple[str, ...], words: str) -> None:
    done = folkways("compare", *arguments, "-w", workspace)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_task_whose_first_metric_was_not_computed_is_compared_and_decided_by_the_first_that_was(
    tmp_path: Path,
) -> None:
    """As in reports: the paper's metric of the adaptation needs a language model, which is not there."""
    (tmp_path / "data").mkdir()
    write_small_corpus(tmp_path / "data")
    path = tmp_path / "w.db"
    models = ["baseline/first", "baseline/echo"]
    options = {"models": models, "profile": "strict", "releases": {"xcr": str(tmp_path / "data")}}
    package.run("xcr", workspace=path, name="all", **options)
    strict = ("--profile", "strict")
    for arguments in ((), ("--task", "xcr")):
        done = folkways("compare", *arguments, *strict, "--json", "-w", path)
        assert done.returncode == 0
        assert {document["task"]: document["metric"] for document in json.loads(done.stdout)} == {
            "xcr/identification": "hi_csi",
            "xcr/prediction": "hp_csi",
            "xcr/adaptation": "csi_edit_intra",
        }
        assert not done.stderr
    package.run("xcr", workspace=path, name="again", **options)
    done = folkways("gate", "again", "--max-drop-vs", "all=100", "-m", "echo", *strict, "-w", path)
    assert done.returncode == 0 and "not compared" not in done.stdout, done.stdout + done.stderr
    assert "xcr/adaptation" in done.stdout
    done = folkways("gate", "again", "--min", "xcr/adaptation=0", "-m", "echo", *strict, "-w", path)
    assert "xcr/adaptation=0" in done.stdout and not done.stderr
    question = str(rows(path, "SELECT question FROM judgements LIMIT 1")[0][0])
    shown = folkways("show", f"xcr:{question}", "-w", path)
    assert shown.returncode == 0 and "XCR-Bench: adaptation" in shown.stdout, shown.stderr
    # Named, it is an error, which says by what else.
    metric = ("--metric", "csi_bert_intra", *strict)
    for named in (
        ("compare", "--task", "xcr/adaptation", *metric),
        ("gate", "again", "--min", "xcr/adaptation=0", "-m", "echo", *metric),
    ):
        done = folkways(*named, "-w", path)
        assert done.returncode == 2 and not done.stdout
        assert "csi_bert_intra" in done.stderr and "csi_edit_intra" in done.stderr
