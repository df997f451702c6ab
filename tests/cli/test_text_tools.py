"""``--text-tools``: the same replies, judged with another set of tools."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.support.blend_data import write_csv, write_release
from tests.support.command_line import folkways

HEADER = ["item", "response"]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    write_csv(tmp_path / "replies.csv", HEADER, [("ES/Q-1", "unos limones con té"), ("ES/Q-2", "fútbol")])
    return write_release(tmp_path / "release")


def verdicts(release: Path, *more: str) -> list[float]:
    folder = release.parent
    told = folkways(
        *(
            "judge",
            "blend/saq",
            "--release",
            release,
            "--responses",
            folder / "replies.csv",
            "--out",
            folder / "verdicts.csv",
        ),
        *("--culture", "ES", "--language", "es", "--variant", "inst-4", *more),
    )
    assert told.returncode == 0, told.stderr
    judged = pl.read_csv(folder / "verdicts.csv").filter(pl.col("item").is_in(["ES/Q-1", "ES/Q-2"]))
    return judged["sem_b"].to_list()


@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_judge_with_and_without_base_forms(release: Path, profile: str) -> None:
    assert verdicts(release, "--profile", profile) == [1.0, 1.0]
    assert verdicts(release, "--profile", profile, "--text-tools", "default") == [1.0, 1.0]
    assert verdicts(release, "--profile", profile, "--text-tools", "simple") == [0.0, 1.0]


@pytest.mark.parametrize(
    ("task", "tools", "said"),
    [
        ("blend/saq", "spacy", "unknown set of text tools: 'spacy'\nvalid: default, paper, simple"),
        ("blend/saq", "paper", "there is no text tool of the set 'paper' for 'es'"),
        ("demo/saq", "simple", "demo/saq is judged without text tools"),
    ],
)
def test_what_cannot_be_had_is_said_at_once(release: Path, task: str, tools: str, said: str) -> None:
    data = ("--release", release) if task == "blend/saq" else ()
    replies, out = release.parent / "replies.csv", release.parent / "verdicts.csv"
    told = folkways(
        *("judge", task, *data, "--responses", replies, "--out", out, "--culture", "ES", "--language", "es"),
        *("--variant", "inst-4", "--text-tools", tools),
    )
    assert told.returncode == 2
    assert said in told.stderr
    assert "Traceback" not in told.stderr


def test_a_run_is_scored_again_with_other_tools(release: Path) -> None:
    workspace = release.parent / "w.db"
    replies = release.parent / "stored.csv"
    write_csv(
        replies,
        ["item", "language", "variant", "response"],
        [("ES/Q-1", "es", "inst-4", "unos limones con té")],
    )
    asked = (
        "--model",
        f"replay:{replies}",
        "--release",
        release,
        "--cultures",
        "ES",
        "--languages",
        "es",
        "--variants",
        "inst-4",
    )
    assert folkways("run", "blend/saq", *asked, "-w", workspace).returncode in (0, 1)
    found = {}
    for tools in ("default", "simple"):
        out = release.parent / f"{tools}.csv"
        told = folkways("score", "last", "-w", workspace, "--text-tools", tools, "--out", out)
        assert told.returncode == 0, told.stderr
        scores = pl.read_csv(out, infer_schema_length=None)
        found[tools] = scores.row(
            by_predicate=(pl.col("metric") == "sem_b") & (pl.col("facet") == "all"), named=True
        )
    assert found["default"]["score"] > found["simple"]["score"]
    assert "|text-simplemma:" in found["default"]["signature"]
    assert "|text-simple:2|" in found["simple"]["signature"]
    assert "simplemma" not in found["simple"]["signature"]
