"""``folkways estimate`` of a run that asks until scores are known: what it may ask at most, and the errors of the
run."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.cli.estimate import cents
from tests.support.command_line import environment, folkways

MODEL = ("--model", "baseline/first")


def test_a_recipe_that_stops_early_is_estimated_at_most(tmp_path: Path) -> None:
    recipe = tmp_path / "study.toml"
    recipe.write_text('tasks = "demo/mcq"\nmodels = "baseline/first"\nuntil = 20\nstrata = ["culture"]\n')
    whole = folkways("estimate", "demo/mcq", *MODEL, cwd=tmp_path).stdout
    done = folkways("estimate", "study.toml", cwd=tmp_path)
    assert [line for line in whole.splitlines() if line not in done.stdout.splitlines()] == []
    assert "These are the most that --until 20 may ask" in done.stdout
    assert "the most that" not in whole
    assert done.stdout == folkways("estimate", "demo/mcq", *MODEL, "--until", 20, cwd=tmp_path).stdout


def test_what_the_run_refuses_is_refused_before_it(tmp_path: Path) -> None:
    for more, words in (
        (("--until", 5, "--limit", 3), "--until decides how many items are asked"),
        (("--strata", "culture"), "--strata says what --until has to know"),
    ):
        done = folkways("estimate", "demo/mcq", *MODEL, *more, cwd=tmp_path)
        assert (done.returncode, words in done.stderr) == (2, True), done


def test_names_that_do_not_fit_stand_whole_over_their_tasks(tmp_path: Path) -> None:
    names = ("Llama-3.1-8B-Instruct-Turbo", "Qwen2.5-72B-Instruct-Turbo-Preview")
    models = [part for name in names for part in ("--model", f"http://127.0.0.1:9/v1#lab/{name}")]
    for columns, times in (("80", 1), ("140", 2)):
        env = {**environment(), "COLUMNS": columns}
        done = folkways("estimate", "demo/saq", "demo/mcq", *models, cwd=tmp_path, env=env)
        lines = [line.split() for line in done.stdout.splitlines()]
        for name in names:
            assert sum(line[:1] == [name] for line in lines) == times
        assert sum("demo/saq" in line[:1] or "demo/mcq" in line[:1] for line in lines) == (
            4 if columns == "80" else 0
        )


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0, "0.00"),
        (0.0000839, "0.01"),
        (0.07, "0.07"),
        (1.1, "1.10"),
        (0.1 + 0.2, "0.30"),
        (1234.561, "1,234.57"),
    ],
)
def test_dollars_are_rounded_up_to_the_next_cent_and_no_further(usd: float, shown: str) -> None:
    """7 cents are 7.000000000000001 in a computer, and stay 7."""
    assert cents(usd) == shown
