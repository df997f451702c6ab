"""``folkways probe``: what is asked and stored, what is told of each signal, and what is said where there is
none."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways
from tests.support.exposed_model import write_release
from tests.support.tiny_language_model import make_language_model

ALL = (
    "masked-option",
    "masked-word",
    "continuation",
    "named",
    "option-order",
    "paraphrase",
    "released-order",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two releases of questions, and what two models said of one of them."""
    folder = tmp_path_factory.mktemp("probe")
    write_release(folder / "old", 12, 1)
    write_release(folder / "new", 10, 2)
    return folder


PROBE = (
    "probe",
    "culturalbench/easy",
    "--release",
    "./old",
    "--control",
    "./new",
    "--model",
    "baseline/constant:A",
)


def test_every_signal_has_a_value_a_control_and_a_difference(folder: Path) -> None:
    done = folkways(*PROBE, "--out", "signals.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    told = pl.read_csv(folder / "signals.csv")
    assert tuple(told["signal"].unique(maintain_order=True)) == ALL
    lacking = told.filter(pl.col("lacking").is_not_null())
    assert set(lacking["signal"]) == {"paraphrase", "released-order"}
    given = told.filter(pl.col("lacking").is_null())
    numbers = (
        "value",
        "low",
        "high",
        "control_value",
        "control_low",
        "control_high",
        "difference",
        "difference_low",
    )
    assert all(
        given[name].null_count() == 0
        for name in (*numbers, "difference_high", "cannot_say", "about", "signature")
    )
    assert (given["low"] <= given["value"]).all() and (given["value"] <= given["high"]).all()
    assert (given["difference"] - (given["value"] - given["control_value"])).abs().max() < 1e-9
    assert set(given["n"]) == {12} and set(given["control_n"]) == {10}
    assert (
        "baseline/constant:A cannot give it: it does not tell how likely a text is; hf/ models do"
        in done.stdout
    )
    assert "It cannot say how the model knows" in done.stdout
    assert f"of {given.height}, {given.height / 20:.1f} miss by chance on average" in done.stderr
    assert (
        "control of masked-option, masked-word, continuation, named, option-order: culturalbench/easy of "
        "dir:new" in done.stdout
    )


@pytest.mark.local_model
def test_the_order_of_a_release_is_compared_with_other_orders_of_its_own(
    folder: Path, tmp_path: Path
) -> None:
    model = make_language_model(tmp_path / "model")
    probe = (*PROBE[:-1], f"hf/{model}", "--only", "released-order", "--json", "-w", tmp_path / "w.db")
    done = folkways(*probe, cwd=folder)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["signals"]
    assert row["control"] == "the same items in other orders"
    assert row["value"] != row["control_value"]
    assert row["difference"] == pytest.approx(row["value"] - row["control_value"])


def test_a_letter_that_a_model_prefers_is_no_signal(folder: Path) -> None:
    """A is right more often in the released order than in others, and a model that says A all the time
    remembers nothing."""
    letters = pl.read_csv(folder / "old" / "CulturalBench-Easy.csv")["answer"]
    assert (letters == "A").mean() != 0.25
    done = folkways(*PROBE, "--only", "option-order", "--json", cwd=folder)
    (row,) = json.loads(done.stdout)["signals"]
    assert (row["value"], row["control_value"], row["n"]) == (0.0, 0.0, 12)
    assert "by chance" not in done.stdout + done.stderr, "one interval is what it says"


def test_nothing_is_asked_twice_and_what_a_run_asked_is_not_asked_again(folder: Path, tmp_path: Path) -> None:
    model = ("--model", "baseline/random")
    releases = ("--release", f"{folder}/old", "--control", f"{folder}/new")
    run = folkways(
        "run",
        "culturalbench",
        *model,
        "--release",
        f"culturalbench={folder}/old",
        "--permute-options",
        4,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    first = folkways("probe", "culturalbench/easy", *releases, *model, "--only", "option-order", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    with closing(sqlite3.connect(tmp_path / "folkways.db")) as database:
        query = (
            "select count(distinct e.key) from expected e join runs r on r.id = e.run_id where "
            "r.command like 'probe%'"
        )
        ((expected,),) = database.execute(query)
        counted = "select count(*) from responses"
        ((before,),) = database.execute(counted)
        hard = 12 * 4
        assert before - hard == expected == 4 * (12 + 10)
        again = folkways(
            "probe", "culturalbench/easy", *releases, *model, "--only", "option-order", cwd=tmp_path
        )
        assert again.stdout == first.stdout
        assert database.execute(counted).fetchone() == (before,)


def test_a_budget_ends_it_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with ChatServer() as server:
        asked = (
            "probe",
            "demo/saq",
            "--model",
            f"{server.url}/v1#m",
            "--only",
            "masked-word",
            "--limit",
            "6",
        )
        stopped = folkways(*asked, "--budget", "2requests", cwd=tmp_path)
        done = folkways(*asked, cwd=tmp_path)
    assert stopped.returncode == 1
    assert "run the same command again to continue" in stopped.stderr
    assert "3 values lack a reply" in stopped.stderr
    assert done.returncode == 0, done.stderr
    assert (
        "no control: the demo's items are the control of other tasks; name a release with --control"
        in done.stdout
    )


@pytest.mark.parametrize("form", [(), ("--json",), ("--out", "told.csv")])
def test_it_says_no_word_that_would_be_a_verdict(folder: Path, form: tuple[str, ...]) -> None:
    done = folkways(*PROBE, *form, cwd=folder)
    said = done.stdout + done.stderr + ((folder / "told.csv").read_text() if form[:1] == ("--out",) else "")
    said += folkways("probe", "--help").stdout
    assert "masked-option" in said
    assert not [word for word in ("contaminat", "cheat", "leak", "guilty") if word in said.lower()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("probe", "blend/nothing", "--model", "baseline/first"), "blend/nothing"),
        ((*PROBE, "--only", "masked-options"), "masked-option, masked-word"),
        (
            (
                "probe",
                "culturalbench/easy",
                "--release",
                "./old",
                "--control",
                "./old",
                "--model",
                "baseline/first",
            ),
            "is what is probed",
        ),
        ((*PROBE[:-1], "baseline/first?read=loglik"), "leave read=loglik out"),
        ((*PROBE[:-3], "./nowhere", "--model", "baseline/first"), "no such folder"),
        ((*PROBE, "--out", "missing/signals.csv"), "does not exist"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = folkways(*arguments, "--workspace", "unused.db", cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr.replace("\n", " ")
    assert not done.stdout
