"""Strata, what is drawn of them, and what a sample tells of the whole: by hand and by counting row by row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.base import Task, needs_whole_questions
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import SCORES, Metric, State
from folkways.runs.options import RunOptions
from folkways.runs.planning import plan as planning
from folkways.runs.planning.plan import TaskPlan
from folkways.runs.planning.tasks import plan_tasks
from folkways.runs.sampling.rounds import SampledTask, next_size
from folkways.runs.sampling.strata import (
    NO_BOUNDS,
    SamplingFrame,
    Stratum,
    drawn_strata,
    of_sample,
    sampling_frame,
    unit_totals,
)
from folkways.stats.stratified import StratumSample, anytime_mean, mean_over_strata
from tests.support.xcr_data import write_small_corpus

RIGHT = Metric("right", "Right", "", headline_by="topic")
SHARE = Metric("share", "Share", "", "mean", 10.0, (0.2, 0.8))
COUNT = Metric("count", "Count", "", "mean", 2.0, None)
MADE = Metric("made", "Made of several", "")


def task_of(*, whole_questions: bool = False) -> Task:
    more = (Metric("all_right", "All right", "", per="question"),) if whole_questions else ()
    return cast(Task, SimpleNamespace(name="x/y", metrics=(RIGHT, SHARE, COUNT, MADE, *more)))


def plan_of(name: str = "demo/mcq", **options: Any) -> TaskPlan:
    (plan,) = plan_tasks(RunOptions(tasks=(name,), until=5.0, **options))
    return plan


@pytest.mark.parametrize(
    ("name", "strata", "samples"),
    [
        ("demo/mcq", ("culture",), 1),
        ("demo/mcq", ("culture", "topic"), 3),
        ("demo/saq", ("topic",), 2),
        ("demo/true-false", ("culture",), 2),
    ],
)
def test_a_frame_has_every_item_that_counts_in_an_order_of_the_seeds(
    name: str, strata: tuple[str, ...], samples: int
) -> None:
    plan = plan_of(name, strata=strata, samples=samples, seed=7)
    task, items = plan.task, plan.task.items(plan.release)
    prompts = task.prompts(items, plan.prompt_options, plan.release)
    frame = sampling_frame(plan, None)
    expected: dict[str, list[str]] = {}
    for row in items.iter_rows(named=True):
        unit = f"{row['culture']}/{row['question']}" if needs_whole_questions(task) else row["item"]
        units = expected.setdefault("+".join(row[by] for by in strata), [])
        if unit not in units:
            units.append(unit)

    def lot(unit: str) -> bytes:
        return blake2b(f"7/{unit}".encode(), digest_size=8).digest()

    assert dict(frame.strata) == {
        name: Stratum(name, tuple(sorted(units, key=lot))) for name, units in expected.items()
    }
    assert list(frame.strata) == list(expected)
    assert frame.populations == {name: len(units) for name, units in expected.items()}
    assert (frame.task, frame.metric, frame.items.columns) == (
        name,
        task.metrics[0],
        ["item", "unit", "stratum"],
    )
    assert frame.items["item"].to_list() == items["item"].to_list()
    assert frame.requests == prompts.height * samples / sum(frame.populations.values())
    assert pl.concat(frame.read()).equals(items)


def test_what_never_counts_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """An item that the rule takes out, one that the metric does not apply to, and one without a value of a
    stratum."""
    plan = plan_of(strata=("culture", "topic"))
    task = plan.task
    out, other, nameless, *rest = task.items(plan.release)["item"].to_list()
    judge = type(task).judge

    def judged(self: Task, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        assert set(responses["state"]) == {"missing"}
        assert profile == "strict"
        headline = self.metrics[0].name
        return judge(self, items, responses, profile).with_columns(
            pl.when(pl.col("item") == other).then(None).otherwise(headline).alias(headline),
            counted=pl.col("item") != out,
        )

    read = task.items(plan.release).with_columns(topic=pl.when(pl.col("item") != nameless).then("topic"))
    monkeypatch.setattr(type(task), "judge", judged)
    monkeypatch.setattr(planning, "item_batches", lambda *_: iter([read[:5], read[5:]]))
    frame = sampling_frame(plan, "strict")
    assert frame.items["item"].to_list() == rest
    assert {unit for stratum in frame.strata.values() for unit in stratum.units} == set(rest)
    assert [batch.height for batch in frame.read()] == [5, read.height - 5]
    assert [batch.height for batch in frame.read()] == [5, read.height - 5]


def test_items_that_come_at_once_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of()
    times = []

    def batches(*_: object) -> Iterator[pl.DataFrame]:
        times.append(1)
        yield plan.task.items(plan.release)

    monkeypatch.setattr(planning, "item_batches", batches)
    frame = sampling_frame(plan, None)
    assert next(iter(frame.read())) is next(iter(frame.read()))
    assert times == [1]


def test_what_cannot_be_sampled_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownNameError, match="unknown stratum of demo/mcq: 'nope'"):
        sampling_frame(plan_of(strata=("culture", "nope")), None)
    plan = plan_of()
    prompts = type(plan.task).prompts
    monkeypatch.setattr(type(plan.task), "prompts", lambda *arguments: prompts(*arguments).head(0))
    with pytest.raises(FolkwaysError, match="no item is left that counts"):
        sampling_frame(plan, None)


def test_a_headline_without_bounds_cannot_be_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    task = get_task("demo/mcq")
    monkeypatch.setattr(type(task), "metrics", (COUNT,))
    with pytest.raises(FolkwaysError, match="cannot be sampled"):
        sampling_frame(plan_of(), None)


def test_strata_are_narrowed_by_the_first_metric_that_is_computed(tmp_path: Path) -> None:
    """Without BERT that is an edit similarity, which has bounds; BERTScore has others."""
    write_small_corpus(tmp_path)
    read: dict[str, Any] = {"releases": {"xcr": str(tmp_path)}}
    frame = sampling_frame(plan_of("xcr/adaptation", **read), None)
    assert frame.metric.name == "csi_edit_intra"
    assert frame.populations == {"ARAB": 5, "CN": 5}
    with pytest.raises(FolkwaysError, match="values of its score CSI_bert, in English have no upper bound"):
        sampling_frame(plan_of("xcr/adaptation", **read, scoring_models={"bert-en": "tiny"}), None)


def judgements(seed: int = 1) -> pl.DataFrame:
    """Of two cultures: units of one to three rows, asked in an order of their own; some rows lost, not
    counted, or of no metric."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(60):
        culture = "KR" if number % 3 else "ET"
        state = str(rng.choice([str(state) for state in State], p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1]))
        answered = state == "answered"
        rows.append(
            {
                "item": f"i{number // 2 if culture == 'KR' else number}",
                "question": f"q{number // 4}",
                "culture": culture,
                "language": "en" if number % 2 else "ko",
                "topic": f"t{number % 2}",
                "ordinal": int((number * 37) % 61),
                "counted": bool(rng.random() < 0.9),
                "state": state,
                "right": float(answered and rng.random() < 0.6) if rng.random() < 0.9 else None,
                "share": float(rng.random()) if answered else 0.0,
                "count": float(rng.integers(0, 9)) if answered else 0.0,
            }
        )
    return pl.DataFrame(rows)


def drawn(
    judged: list[dict[str, Any]], metric: Metric, by: tuple[str, ...], whole: bool, of: Any
) -> dict[str, StratumSample]:
    """Stratum -> what was drawn of it, populations still to be told."""
    units: dict[tuple[str, str], list[float]] = {}
    order: dict[tuple[str, str], int] = {}
    for row in judged:
        unit = f"{row['culture']}/{row['question']}" if whole else row["item"]
        key = ("+".join(row[name] for name in by), unit)
        entry = units.setdefault(key, [0.0, 0.0])
        order[key] = min(order.get(key, 10**9), row["ordinal"])
        value = row[metric.name]
        if row["counted"] and value is not None and of(row):
            low, high = metric.bounds or (-math.inf, math.inf)
            entry[0] += min(max(value, low), high)
            entry[1] += 1
    found: dict[str, list[list[float]]] = {}
    for key in sorted(units, key=order.__getitem__):
        found.setdefault(key[0], []).append(units[key])
    return {name: StratumSample(*np.array(parts).T, 0) for name, parts in found.items()}


@pytest.mark.parametrize("metric", [RIGHT, SHARE, COUNT], ids=lambda metric: metric.name)
@pytest.mark.parametrize(
    ("by", "whole"), [(("culture",), False), (("culture", "topic"), True), (("topic",), False)]
)
def test_units_are_added_up_in_the_order_of_drawing(metric: Metric, by: tuple[str, ...], whole: bool) -> None:
    judged = judgements()
    totals = unit_totals(task_of(whole_questions=whole), metric, by, judged, pl.col("language") == "en")
    expected = drawn(judged.rows(named=True), metric, by, whole, lambda row: row["language"] == "en")
    populations = {"none": 4, **dict.fromkeys(expected, 99)}
    found = drawn_strata(totals, populations)
    assert list(found) == list(populations)
    assert (found["none"].totals.size, found["none"].rows.size, found["none"].population) == (0, 0, 4)
    for name, one in expected.items():
        assert (found[name].totals.tolist(), found[name].rows.tolist()) == (
            pytest.approx(one.totals.tolist()),
            one.rows.tolist(),
        )
        assert found[name].population == 99
    assert totals.columns == ["stratum", "unit", "total", "rows"]


def scored(*rows: tuple[str, str, str, float | None]) -> pl.DataFrame:
    known = {
        "task": "x/y",
        "low": 1.0,
        "high": 2.0,
        "interval": "old",
        "at_best": 3.0,
        "n": 5,
        "coverage": 0.5,
    }
    made = [
        {**known, "facet": facet, "value": value, "metric": metric, "score": score}
        for facet, value, metric, score in rows
    ]
    return pl.DataFrame(
        made,
        schema={
            name: kind
            for name, kind in SCORES.items()
            if name in {*known, *["facet", "value", "metric", "score"]}
        },
    )


GROUPS = {
    ("all", "all"): lambda _row: True,
    ("culture", "KR"): lambda row: row["culture"] == "KR",
    ("culture+language", "KR+en"): lambda row: (row["culture"], row["language"]) == ("KR", "en"),
    ("topic", "t0"): lambda row: row["topic"] == "t0",
}


@pytest.mark.parametrize(
    ("by", "populations"),
    [
        (("culture",), {"KR": 40, "ET": 30, "KRX": 5}),
        (("culture", "topic"), {"KR+t0": 50, "KR+t1": 40, "ET+t0": 20, "ET+t1": 30, "KRX+t0": 9}),
        (("topic",), {"t0": 90, "t1": 80}),
    ],
)
@pytest.mark.parametrize("seed", [1, 4])
def test_scores_of_a_sample_are_estimates_of_the_whole(
    by: tuple[str, ...], populations: dict[str, int], seed: int
) -> None:
    judged, task = judgements(seed), task_of()
    lost = judged.filter(pl.col("state").is_in(["failed", "missing"]))
    assert seed == 1 or lost["right"].null_count(), "there are lost replies that the metric is not of"
    options = RunOptions(tasks=("demo/mcq",), until=4.0, strata=by)
    asked = scored(
        *((*group, metric.name, 50.0) for group in GROUPS for metric in task.metrics),
        ("all", "all", "right", None),
        ("language", "en", "right", 50.0),
    )
    found = of_sample(asked, task, judged, options, populations)
    assert found.schema == asked.schema
    expected = []
    for (facet, value), of in GROUPS.items():
        own = facet.startswith("culture") and by[0] == "culture"
        strata = {name: size for name, size in populations.items() if not own or name.split("+")[0] == "KR"}
        rows = [row for row in judged.rows(named=True) if not own or row["culture"] == "KR"]
        for metric, at_most in ((RIGHT, 1.0), (SHARE, 0.8), (COUNT, math.nan)):
            best = [
                {
                    **row,
                    metric.name: at_most
                    if row["state"] in ("failed", "missing") and row[metric.name] is not None
                    else row[metric.name],
                }
                for row in rows
            ]
            known, righted = (drawn(told, metric, by, False, of) for told in (rows, best))
            empty = StratumSample(np.empty(0), np.empty(0), 0)
            one, other = (
                [replace(told.get(name, empty), population=size) for name, size in strata.items()]
                for told in (known, righted)
            )
            low = high = None
            if metric is RIGHT:
                _, interval = anytime_mean(one, target=0.04)
                low, high = 100 * interval.low, 100 * interval.high
            told = (facet, value, metric.name, metric.scale * mean_over_strata(one), low, high)
            expected.append(
                (
                    *told,
                    interval.method if metric is RIGHT else NO_BOUNDS,
                    None if math.isnan(at_best := metric.scale * mean_over_strata(other)) else at_best,
                    5,
                    0.5,
                )
            )
    columns = ("facet", "value", "metric", "score", "low", "high", "interval", "at_best", "n", "coverage")
    kept = found.fill_nan(None).select(columns).rows()
    assert kept[-1] == ("all", "all", "right", None, 1.0, 2.0, "old", 3.0, 5, 0.5)
    assert [row[:3] for row in kept[:-1]] == [row[:3] for row in expected]
    for row, wanted in zip(kept, expected, strict=False):
        assert row == tuple(pytest.approx(value) if isinstance(value, float) else value for value in wanted)


def test_a_group_may_have_a_plus_in_its_name() -> None:
    """What its facet has none of is of the value."""
    judged = judgements()
    options, populations = RunOptions(tasks=("demo/mcq",), until=4.0), {"KR": 40, "ET": 30, "KRX": 5}
    plain = of_sample(scored(("topic", "t0", "right", 50.0)), task_of(), judged, options, populations)
    asked = scored(("topic", "t0+1", "right", 50.0))
    renamed = judged.with_columns(topic=pl.col("topic") + "+1")
    found = of_sample(asked, task_of(), renamed, options, populations)
    assert found["score"].to_list() == plain["score"].to_list() != [50.0]


def test_what_was_asked_whole_keeps_its_score_and_one_unit_less_does_not() -> None:
    judged = judgements()
    units = judged.group_by("culture").agg(pl.col("item").n_unique()).rows()
    options = RunOptions(tasks=("demo/mcq",), until=4.0)
    asked = scored(
        ("all", "all", "right", 50.0),
        ("culture", "KR", "right", 50.0),
        ("culture", "ET", "right", 50.0),
        ("all", "all", "made", 9.0),
    )
    whole = of_sample(asked, task_of(), judged, options, dict(units))
    assert whole.equals(asked)
    more = {name: size + (name == "ET") for name, size in units}
    part = of_sample(asked, task_of(), judged, options, more)
    assert part["interval"].str.starts_with("anytime").to_list() == [True, False, True]
    assert part["metric"].to_list() == ["right"] * 3


@pytest.mark.parametrize(
    ("drawn", "half_width", "target", "size"),
    [
        (0, 0.5, 0.05, 24),
        (24, 0.5, 0.05, 24),
        (24, 0.06, 0.05, 8),
        (100, 0.06, 0.05, 22),
        (100, 0.0725, 0.05, 56),
        (100, 0.1, 0.05, 100),
        (100, 0.05, 0.05, 8),
    ],
)
def test_a_round_draws_half_of_what_seems_to_be_missing(
    drawn: int, half_width: float, target: float, size: int
) -> None:
    assert next_size(drawn, half_width, target) == size


def test_strata_are_wide_until_they_are_known_or_used_up() -> None:
    strata = {
        name: Stratum(name, tuple("abcd"[:size]))
        for name, size in (("new", 4), ("wide", 4), ("known", 4), ("used up", 2))
    }
    frame = SamplingFrame("x/y", RIGHT, strata, pl.DataFrame(), 2.0, list)
    share = SampledTask(cast(Any, None), cast(Any, None), frame, 1)
    assert [stratum.name for stratum in share.wide(0.49)] == list(strata)
    assert share.wide(0.5) == []
    share.drawn.update({"wide": 3, "known": 3, "used up": 2})
    share.half_widths.update({"wide": 0.11, "known": 0.1, "used up": 0.3})
    assert [stratum.name for stratum in share.wide(0.1)] == ["new", "wide"]
    gains = [share.gain(stratum) for stratum in strata.values()]
    assert gains == pytest.approx([0.5 / 4, 0.11 / 12, 0.1 / 12, 0.3 / 8])
