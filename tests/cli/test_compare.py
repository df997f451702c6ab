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
from tests.support.river import folkways
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
        "baseline/first against baseline/random: demo/mcq, Accuracy\nNo difference can be told: "
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
        (("first",), "needs two models or more, got baseline/first"),
        (("first", "rnadom"), "unknown model 'rnadom'\nvalid: baseline/first, baseline/random"),
        (("first", "first"), "named twice"),
        (("first", "random", "--run", "nope"), "unknown run 'nope'"),
        (
            ("first", "random", "--run", "whole", "--run", "part"),
            "stands for several; say which: baseline/first@whole",
        ),
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


def test_what_cannot_be_compared_is_named_and_the_rest_is(tmp_path: Path) -> None:
    """The headline of the adaptation needs a language model, which is not there."""
    (tmp_path / "data").mkdir()
    write_small_corpus(tmp_path / "data")
    path = tmp_path / "w.db"
    models = ["baseline/first", "baseline/echo"]
    package.run("xcr", models=models, workspace=path, name="all", releases={"xcr": str(tmp_path / "data")})
    for arguments in ((), ("--task", "xcr")):
        done = folkways("compare", *arguments, "--json", "-w", path)
        assert done.returncode == 0
        assert {document["task"] for document in json.loads(done.stdout)} == {
            "xcr/identification",
            "xcr/prediction",
        }
        assert "left out: xcr/adaptation (the metric csi_bert_intra is not in the judgements" in done.stderr
    # A gate decides on what can be compared, and names the rest; a strict one does not pass what was not.
    package.run("xcr", models=models, workspace=path, name="again", releases={"xcr": str(tmp_path / "data")})
    for strict, code in (((), 0), (("--strict",), 1)):
        done = folkways("gate", "again", "--max-drop-vs", "all=100", *strict, "-m", "echo", "-w", path)
        assert done.returncode == code, done.stdout + done.stderr
        assert "xcr/adaptation: no more than 100 below all" in done.stdout
        assert "not compared: the metric csi_bert_intra" in done.stdout
    named = folkways("compare", "--task", "xcr/adaptation,xcr/identification", "-w", path)
    assert named.returncode == 2 and "csi_bert_intra" in named.stderr and not named.stdout
    told: list[str] = []
    assert len(package.compare(workspace=path, tell=told.append)) == 2 and len(told) == 1
