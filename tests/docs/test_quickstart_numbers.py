"""The numbers of the first page are what the quickstart gives: with its recorded replies, and nightly with
the model itself."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

import folkways
from folkways.cli.quickstart import LANGUAGES, MODEL, RECORDED, TASKS
from folkways.workspace.results import failure_counts
from tests.support.doc_pages import REPOSITORY
from tests.support.gguf_file import real_model

SHARE_ALIKE = 0.95
"""At temperature 0 another processor or build of llama.cpp may turn a near tie, and no more."""


def scores(model: str, folder: Path) -> tuple[dict[str, float], pl.DataFrame]:
    """Score of the whole and of each culture, and the replies."""
    run = folkways.run(TASKS, models=model, languages=LANGUAGES, workspace=folder / "folkways.db", name="q")
    # A model on this machine has a day for each reply: however busy the machine is, nothing is late and
    # nothing fails.
    failures = failure_counts(run.workspace, run.record)["message"].to_list()
    assert (run.record.state, run.record.reason, failures) == ("finished", None, [])
    rows = run.scores().filter(pl.col("facet").is_in(["all", "culture"]))
    replies = run.responses().select("item", "language", "response")
    run.workspace.close()
    return dict(rows.select("value", "score").iter_rows()), replies


def recorded(folder: Path) -> tuple[dict[str, float], pl.DataFrame]:
    (folder / RECORDED).write_bytes(files("folkways").joinpath("data", RECORDED).read_bytes())
    return scores(f"replay:{folder / RECORDED}", folder)


def test_the_readme_says_what_the_recorded_replies_score(tmp_path: Path) -> None:
    found, replies = recorded(tmp_path)
    readme = " ".join((REPOSITORY / "README.md").read_text(encoding="utf-8").split())
    shown = re.search(
        r"gets (\d+) % right where guessing gets 25 %, (\d+) % about Germany and (\d+) % about South Korea",
        readme,
    )
    assert shown is not None
    assert [int(number) for number in shown.groups()] == [
        round(found[value]) for value in ("all", "DE", "KR")
    ]
    assert replies.height == 112


@pytest.mark.nightly  # a minute of two processors
@pytest.mark.local_model
def test_the_model_still_replies_as_recorded(tmp_path: Path) -> None:
    real_model()
    (tmp_path / "recorded").mkdir()
    before, old = recorded(tmp_path / "recorded")
    now, new = scores(MODEL, tmp_path)
    both = old.join(new, on=["item", "language"], suffix="_now", validate="1:1")
    alike = (both["response"] == both["response_now"]).sum()
    assert both.height == old.height == new.height
    assert alike >= SHARE_ALIKE * both.height
    assert abs(now["all"] - before["all"]) <= 100 * (1 - SHARE_ALIKE)
