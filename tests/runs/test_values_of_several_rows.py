"""Metrics of which one value is of several rows (``Metric.per``), and may be on any of them: what two models,
two prompts or two runs have is paired by what the value is of."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways
from folkways.evidence.groups.treatments import TREATMENTS
from folkways.runs.results.find_models import find_models, judgements_of
from folkways.runs.results.judgements import load_inputs
from tests.support.culturalbench_data import rows_of, write_culturalbench

LOST: set[int] = set()
TIMES = [0]


def lot(*parts: object) -> int:
    return int(md5("\n".join(map(str, parts)).encode()).hexdigest(), 16)


def says(name: str, asked: str) -> str:
    """A letter or a truth that depends on the prompt; now and then nothing that can be read."""
    TIMES[0] += 1
    if TIMES[0] % 9 in LOST:
        raise ValueError("lost")
    number = lot(name, asked)
    options = [line for line in asked.split("\n") if line[:3] in ("A. ", "B. ", "C. ", "D. ")]
    if not options:
        return "False" if number % 3 == 0 else "True"
    return "no idea" if number % 5 == 0 else min(options, key=lambda line: lot(name, line[3:]))[0]


def first(prompt: str, system: str | None = None) -> str:
    return says("first", f"{system}{prompt}")


def second(prompt: str, system: str | None = None) -> str:
    return says("second", f"{system}{prompt}")


def in_orders(folder: Path, models: Any, **how: Any) -> folkways.Run:
    if not (folder / "data").is_dir():
        (folder / "data").mkdir()
        write_culturalbench(folder / "data", *rows_of("South Korea"))
    asked = {"releases": str(folder / "data"), "cultures": "KR", "permute_options": 3, **how}
    return folkways.run("culturalbench/easy", models, workspace=folder / "w.db", **asked)


def test_models_are_compared_on_every_question_that_was_asked_in_several_orders(tmp_path: Path) -> None:
    run = in_orders(tmp_path, [first, second])
    own = run.judgements().drop_nulls("consistent").pivot(on="endpoint", index="item", values="consistent")
    (whole,) = (
        folkways.compare(run, metric="consistent", by="topic")[0].differences.filter(facet="all").to_dicts()
    )
    expected = 100 * (own["python/first"] - own["python/second"]).mean()
    assert (whole["n"], whole["difference"]) == (own.height, pytest.approx(expected)) and own.height > 20
    assert expected


@pytest.mark.parametrize("numbers", [(3, 3), (4, 2), (2, 4)])
def test_a_question_asked_in_several_orders_is_of_one_run(tmp_path: Path, numbers: tuple[int, int]) -> None:
    runs = []
    for lost, orders in zip(({0, 5}, {2, 7}), numbers, strict=True):
        LOST.clear()
        LOST.update(lost)
        TIMES[0] = -1
        how = {"attempts": 1, "max_failed": 1, "afresh": True, "permute_options": orders}
        runs.append(in_orders(tmp_path, [first], **how))
    LOST.clear()
    own = [
        run.judgements()
        .group_by("item")
        .agg(lost=pl.col("state").is_in(["failed"]).sum(), value=pl.col("consistent").sum())
        for run in runs
    ]
    both = own[0].join(own[1], on="item").to_dicts()
    for order in (1, -1):
        (model,) = find_models(runs[0].workspace, [], [run.name for run in runs[::order]])
        judged = judgements_of(runs[0].workspace, model, "culturalbench/easy", "paper")
        values = judged.group_by("item").agg(
            pl.col("consistent").count(), rows=pl.len(), value=pl.col("consistent").sum()
        )
        assert {*values.filter(pl.col("rows") > 1)["consistent"]} == {1}
        found = dict(values.select("item", "value").iter_rows())
        for one in both:  # the value of the run that lost nothing, or else lost less of as many
            if bool(one["lost"]) != bool(one["lost_right"]):
                assert found[one["item"]] == one["value_right" if one["lost"] else "value"]


@pytest.mark.parametrize(
    ("task", "metric", "per_question"),
    [("demo/true-false", "all_right", 9), ("demo/true-false", "right", 36)],
)
def test_treatments_are_paired_by_every_question(
    tmp_path: Path, task: str, metric: str, per_question: int
) -> None:
    """Its value is on the row of a statement that the model got wrong, another one under each prompt."""
    run = folkways.run(task, [first], treatments="persona-second", workspace=tmp_path / "w.db")
    inputs = load_inputs(run.workspace, [run.record])
    label = next(one.label for one in inputs.metrics[task] if one.name == metric)
    rows = pl.concat(
        table.rows.select("metric", "culture", "control", "treated", "placebo_change", "n")
        for table in TREATMENTS.make(inputs)
        if table.name in ("treatments", "treatments-costs")
    )
    (whole,) = rows.filter(metric=label, culture="all").to_dicts()
    mean = dict(
        inputs.treated.with_columns(
            arm=pl.col("variant")
            .cast(pl.String)
            .str.replace(r"^plain(~with-persona-second)?", "")
            .str.head(8)
            + pl.col("variant").cast(pl.String).str.contains("~with").cast(pl.String)
        )
        .group_by("arm")
        .agg(100 * pl.col(metric).mean())
        .iter_rows()
    )
    expected = [mean["false"], mean["true"], mean[":placebotrue"] - mean["false"]]
    assert whole["n"] == per_question
    assert [whole["control"], whole["treated"], whole["placebo_change"]] == pytest.approx(expected)
