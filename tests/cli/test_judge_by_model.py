"""``folkways judge-by-model --limit``: some items of each task, the same of every model, whatever people have
labelled."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tests.support.command_line import folkways

JUDGE = ("judge-by-model", "last", "--judge", 'baseline/constant:{"group": 1}')


def test_a_limit_draws_the_same_items_of_every_model(tmp_path: Path) -> None:
    here = {"cwd": tmp_path}
    assert (
        folkways(
            "run", "demo/saq", "--model", "baseline/first", "--model", "baseline/echo", **here
        ).returncode
        == 0
    )
    whole = folkways(*JUDGE, "--out", "whole.csv", **here)
    assert whole.returncode == 0, whole.stderr
    everything = pl.read_csv(tmp_path / "whole.csv")
    labels = everything.filter(pl.col("ended") == "judged").select(
        "item", "language", "endpoint", label=pl.lit(1)
    )
    labels.write_csv(tmp_path / "people.csv")
    done = folkways(*JUDGE, "--limit", 4, "--labels", "people.csv", "--out", "some.csv", **here)
    assert done.returncode == 0, done.stderr
    shown = [part.splitlines() for part in done.stdout.split("demo/saq: ")[1:]]
    judge = f"judged by {JUDGE[3]}"
    assert [(lines[0], lines[1].split()[0], lines[2].partition(",")[0]) for lines in shown] == [
        (f"baseline/first, {judge}", "estimate", "right by the rule"),
        (f"baseline/echo, {judge}", "estimate", "right by the rule"),
        (f"baseline/first above baseline/echo, {judge}", "estimate", "by the judge"),
    ]
    some = pl.read_csv(tmp_path / "some.csv")
    items = {model: set(part["item"]) for (model,), part in some.group_by("endpoint")}
    assert items["baseline/first"] == items["baseline/echo"]
    assert len(items["baseline/first"]) == 4
    assert some["culture"].n_unique() == 4  # spread over cultures, as the limit of a run is
    kept = everything.filter(pl.col("item").is_in(items["baseline/first"]))
    assert some.drop("label").equals(kept.drop("label"))
    assert some.filter(pl.col("label").is_null(), pl.col("ended") == "judged").is_empty()
    assert all(
        "|limit:4|" in signature for signature in pl.read_csv(tmp_path / "some-summary.csv")["signature"]
    )
    assert "limit:" not in pl.read_csv(tmp_path / "whole-summary.csv")["signature"][0]
