"""Random sets of results, read as people read them: no output contradicts another, and no sentence is false.

What is true is computed here row by row, from the judgements alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

from folkways.display import json_for_terminal
from folkways.evidence.comparison import Comparison, NothingSharedError, compare_judgements
from folkways.evidence.requirements import Status, check_drop
from folkways.names import culture_name
from folkways.records import JUDGED_ITEMS, Metric, is_baseline
from folkways.reports.formats.comparison_tables import comparison_document, comparison_tables
from folkways.reports.formats.latex import render_latex
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.overview import open_orders, turned_round
from folkways.reports.views.views import ReportView
from tests.support.report_data import report_of

CODES = ("KR", "ET", "MX", "GB", "IR")
SCHEMA = {**JUDGED_ITEMS, "right": pl.Float64}
KEY = ["item", "language", "variant", "sample"]


def results(rng: np.random.Generator) -> tuple[dict[str, pl.DataFrame], Metric]:
    """Two to five models and perhaps a baseline, with whatever goes wrong in real runs."""
    metric = Metric(
        "right",
        "Right",
        "",
        lower_is_better=bool(rng.random() < 0.15),
        per="question" if rng.random() < 0.2 else "item",
    )
    cultures = rng.choice(CODES, size=rng.integers(1, 5), replace=False)
    questions = int(rng.choice([3, 5, 6, 8, 20, 60]))
    languages, variants = (
        (("en",), ("en", "ko"))[rng.integers(2)],
        (("plain",), ("plain", "other"))[rng.integers(2)],
    )
    asked = [
        {
            "item": f"{culture}/{number}/{part}",
            "question": f"q{number}",
            "culture": str(culture),
            "language": language,
            "variant": way,
        }
        for culture in cultures
        for number in range(questions)
        for language in languages
        for way in variants
        for part in range(2 if metric.per == "question" else 1)
    ]
    base = pl.DataFrame(asked).with_columns(
        task=pl.lit("t/t"), profile=pl.lit("strict"), sample=pl.lit(0, dtype=pl.Int64), counted=pl.lit(True), text=pl.lit("?"),
        gold=pl.lit("gold"), response=pl.lit("said"), answer=pl.lit("said"), reason=pl.lit(None, dtype=pl.String),
    )  # fmt: skip
    ease = rng.random(base.height)
    frames: dict[str, pl.DataFrame] = {}
    answers: dict[str, np.ndarray] = {}
    names = [f"lab/m{number}" for number in range(rng.integers(2, 6))] + (
        ["baseline/first"] if rng.random() < 0.3 else []
    )
    for name in names:
        skill = {
            code: float(rng.choice([0.05, 0.3, 0.5, 0.7, 0.95])) if rng.random() < 0.4 else 0.5
            for code in cultures
        }
        chance = np.array([skill[code] for code in base["culture"]])
        right = (0.6 * ease + 0.4 * rng.random(base.height) < chance).astype(float)
        if answers and rng.random() < 0.15:  # the same answers as another
            right = answers[str(rng.choice(list(answers)))]
        answers[name] = right
        state = np.full(base.height, "answered", dtype=object)
        kind = rng.random()
        if kind < 0.15:
            state[rng.random(base.height) < 0.03] = "failed"
        elif kind < 0.25:
            state[base["culture"].to_numpy() == cultures[0]] = "failed"
        elif kind < 0.35:
            state[base["language"].to_numpy() != "en"] = "missing"
        elif kind < 0.4:
            state[:] = "failed"
        elif kind < 0.55:
            state[rng.random(base.height) < 0.3] = "unreadable"
        frame = base.with_columns(
            endpoint=pl.lit(name), state=pl.Series(state, dtype=pl.String), __right=pl.Series(right)
        )
        value = pl.when(pl.col("state") == "answered").then("__right").otherwise(0.0)
        if metric.per == "question":  # one value for both rows of a question, on one of them
            whole = value.min().over("culture", "question", "language", "variant")
            frame = frame.with_columns(
                right=pl.when(pl.col("item").str.ends_with(str(rng.integers(2)))).then(whole)
            )
        else:
            frame = frame.with_columns(right=value)
        if rng.random() < 0.15:  # asked a part
            half = [f"q{number}" for number in range(max(1, questions // 2))]
            other = pl.lit(bool(len(frames) % 2)) & (pl.col("culture") == cultures[0])
            frame = frame.filter(pl.col("question").is_in(half) != other)
        frames[name] = frame
    return {name: frame.select(list(SCHEMA)) for name, frame in frames.items()}, metric


def truth(one: pl.DataFrame, other: pl.DataFrame, metric: Metric) -> pl.DataFrame:
    """The rows that both replied to, with the value of each; of a question as a whole where the metric is."""
    key = ["culture", "question", "language", "variant", "sample"] if metric.per == "question" else KEY
    sides = []
    for frame in (one, other):
        lost = pl.col("state").is_in(["failed", "missing"])
        whole = frame.group_by(key).agg(
            pl.col("right").max(), lost=lost.any(), unit=pl.col("question").first()
        )
        places = frame.select(*dict.fromkeys((*key, "culture"))).unique(key)
        sides.append(
            whole.filter(~pl.col("lost") & pl.col("right").is_not_null()).join(places, on=key).drop("lost")
        )
    return sides[0].join(sides[1], on=key, suffix="_other")


def read(seed: int) -> dict[str, int]:
    """Read everything that is said of one random set; how many sentences of each kind there were."""
    rng = np.random.default_rng(seed)
    frames, metric = results(rng)
    view = ReportView(report_of(pl.concat(frames.values()), metric))
    board = Leaderboard(view)
    (task,) = view.tasks
    pages = {"md": render_markdown(view, board), "latex": render_latex(view, board)}
    for page in pages.values():
        assert not re.search(r"\bnan\b|\bNone\b", page), seed
    try:
        every = compare_judgements({name: frames[name] for name in task.models}, "t/t", "strict", metric)
    except NothingSharedError:
        every = None
    ranks = board.ranks(task)
    if every is None:
        assert not ranks and not turned_round(view, board)
        return {"nothing": 1}
    kinds = _pairs(frames, every, metric, seed)
    _order(frames, every, ranks, metric, pages, view, seed)
    _summary(every, ranks, view, board, seed)
    assert list(comparison_tables(every))
    assert json.loads(json_for_terminal(comparison_document(every)))["verdicts"] == every.verdicts
    return kinds


def _pairs(frames: dict[str, pl.DataFrame], every: Comparison, metric: Metric, seed: int) -> dict[str, int]:
    kinds: dict[str, int] = {}
    sign = -1 if metric.lower_is_better else 1
    for first, second in combinations(every.models, 2):
        shared = truth(frames[first], frames[second], metric)
        rows = every.differences.filter(first=first, second=second)
        assert (shared.height > 0) == (rows.height > 0), seed
        if not shared.height:
            continue
        whole = rows.filter(facet="all").row(0, named=True)
        difference = 100 * float((shared["right"] - shared["right_other"]).mean())  # type: ignore[arg-type]
        assert whole["difference"] == pytest.approx(difference, abs=1e-9), seed
        assert (whole["n"], whole["questions"]) == (shared.height, shared["unit"].n_unique()), seed
        if whole["low"] is not None:
            assert (whole["p"] < 0.05) == (not whole["low"] <= 0 <= whole["high"]), seed
            assert whole["low"] <= difference <= whole["high"], seed
        alone = compare_judgements({first: frames[first], second: frames[second]}, "t/t", "strict", metric)
        own = alone.differences.filter(facet="all").row(0, named=True)
        numbers = (
            "first_score",
            "second_score",
            "difference",
            "low",
            "high",
            "p",
            "n",
            "questions",
            "first_better",
        )
        assert [own[name] for name in numbers] == [whole[name] for name in numbers], (
            f"a third model changes the pair ({seed})"
        )
        _verdict(whole, shared, sign, every, kinds, seed)
        _cultures(frames, whole["verdict"], first, second, shared, metric, seed)
        _gate(alone, own, sign, seed)
    return kinds


def _verdict(
    whole: dict[str, Any],
    shared: pl.DataFrame,
    sign: int,
    every: Comparison,
    kinds: dict[str, int],
    seed: int,
) -> None:
    verdict, first, second = whole["verdict"], whole["first"], whole["second"]
    ahead = None if abs(whole["difference"]) < 1e-9 else first if sign * whole["difference"] > 0 else second
    behind = second if ahead == first else first
    means = shared.group_by("unit").agg(pl.col("right", "right_other").mean())
    same = bool((means["right"] - means["right_other"]).abs().max() < 1e-9)  # type: ignore[operator]
    clear = whole["p_holm"] is not None and whole["p_holm"] < 0.05
    said = {
        "equally": "do equally well on every question" in verdict,
        "few": "too few to tell" in verdict,
        "better": " does better than " in verdict,
        "looks": " differences looked at" in verdict,
        "open": "o difference is shown: " in verdict,
    }
    assert sum(said.values()) == 1, (seed, verdict)
    (kind,) = [name for name, is_said in said.items() if is_said]
    kinds[kind] = kinds.get(kind, 0) + 1
    assert (kind == "equally") == same, (seed, verdict)
    assert kind != "few" or whole["questions"] < 6, (seed, verdict)
    assert (kind == "better") == (clear and not same), (seed, verdict)
    if kind in ("better", "looks"):
        assert f"{ahead} does better than {behind}, by" in verdict or f"{ahead} comes out" in verdict, (
            seed,
            verdict,
        )
    turned = every.reversals.filter(first=first, second=second, facet="culture")
    for row in turned.iter_rows(named=True):
        kinds["turned"] = kinds.get("turned", 0) + 1
        of_culture = shared.filter(culture=row["value"])
        lead = sign * float((of_culture["right"] - of_culture["right_other"]).mean())  # type: ignore[arg-type]
        assert row["ahead"] == (first if lead > 0 else second), (seed, verdict)
        assert row["name"] in verdict or "more" in verdict, (seed, verdict)
        assert not (clear and row["ahead"] == ahead), (seed, verdict)
    for group in every.differences.filter(first=first, second=second, facet="culture").iter_rows(named=True):
        significant = group["p_holm"] is not None and group["p_holm"] < 0.05 and group["ahead"] is not None
        listed = group["value"] in turned["value"].to_list()
        assert listed == (significant and not (clear and group["ahead"] == ahead)), seed


def _cultures(
    frames: dict[str, pl.DataFrame],
    verdict: str,
    first: str,
    second: str,
    shared: pl.DataFrame,
    metric: Metric,
    seed: int,
) -> None:
    """A culture that is not compared is named in the verdict as one that a model has no reply for only where
    it has none, and no other culture is."""
    here = set(shared["culture"])
    told = verdict.partition("Not compared: ")[2]
    own = {model: set(truth(frames[model], frames[model], metric)["culture"]) for model in (first, second)}
    for model, other in ((first, second), (second, first)):
        for code in own[model] - here:
            (clause,) = (part for part in told.split("; ") if culture_name(code) in part)
            why = "no row for" if code in own[other] else f"{other} has no reply for"
            assert clause.startswith(why), (seed, verdict)
    for code in here:
        assert culture_name(code) not in told, (seed, verdict)


def _gate(alone: Comparison, row: dict[str, Any], sign: int, seed: int) -> None:
    check = check_drop(alone, 0.0, "before", "m", coverage=0)
    if row["low"] is None:
        assert check.status is Status.UNSURE, seed
    elif row["p"] < 0.05 and sign * row["difference"] < 0:
        assert check.status is Status.FAIL, (seed, check.message)
    else:
        assert check.status is not Status.FAIL, (seed, check.message)
    assert check_drop(alone, 0.0, "before", "m", coverage=0, strict=True).status is not Status.UNSURE, seed


def _order(
    frames: dict[str, pl.DataFrame],
    every: Comparison,
    ranks: Any,
    metric: Metric,
    pages: dict[str, str],
    view: ReportView,
    seed: int,
) -> None:
    for model, rank in ranks.items():
        covered = every.answers
        assert covered.replied[model] >= 0.95 * covered.expected[model], seed
        assert not is_baseline(model) and 1 <= rank.low <= rank.value <= rank.high <= len(ranks), (seed, rank)
    better: dict[str, set[str]] = {model: set() for model in ranks}
    for first, second in combinations(ranks, 2):
        pair = every.differences.filter(
            pl.col("first").is_in([first, second]), pl.col("second").is_in([first, second]), facet="all"
        )
        row = pair.row(0, named=True)
        if row["p_holm"] is not None and row["p_holm"] < 0.05:
            better[second if row["ahead"] == first else first].add(row["ahead"])
    for model, rank in ranks.items():
        assert rank.low == 1 + len(better[model]), seed
        assert rank.high == len(ranks) - sum(model in others for others in better.values()), seed
        firsts = {name for name, one in ranks.items() if one.value == 1}
        assert rank.level == (rank.value > 1 and not firsts <= better[model]), seed
    if every.ranking.height:
        ranked = {
            row["model"]: (row["rank"], row["rank_low"], row["rank_high"])
            for row in every.ranking.iter_rows(named=True)
        }
        assert ranked == {model: (one.value, one.low, one.high) for model, one in ranks.items()}, seed
    for model, frame in frames.items():
        if frame["state"].is_in(["failed", "missing"]).all() and not is_baseline(model):
            line = next(
                row for row in pages["md"].splitlines() if row.startswith("|") and view.short[model] in row
            )
            assert "| – | – |" in line and model not in ranks, (seed, line)


def _summary(every: Comparison, ranks: Any, view: ReportView, board: Leaderboard, seed: int) -> None:
    turned = turned_round(view, board)
    pairs = every.reversals.filter(facet="culture").select("first", "second").n_unique()
    if pairs:
        assert len(turned) == min(pairs, 6) and not any(
            sentence.startswith("Nothing") for sentence in turned
        ), (seed, turned)
    elif every.differences.filter(facet="culture")["value"].n_unique() > 1:
        known = every.differences.filter(facet="culture")["p"].count() > 0
        assert len(turned) == 1, (seed, turned)
        assert turned[0].startswith("No reversals" if known else "Whether models change"), (seed, turned)
    first = [*ranks][:2]
    is_open = bool(open_orders(view, board))
    if len(first) == 2:
        pair = every.differences.filter(pl.col("first", "second").is_in(first), facet="all").row(
            0, named=True
        )
        assert is_open == (pair["p_holm"] is None or pair["p_holm"] >= 0.05), seed
    else:
        assert not is_open, seed


def read_many(seeds: Iterable[int]) -> set[str]:
    """The kinds of sentences that were read."""
    return {kind for seed in seeds for kind in read(seed)}


ALWAYS = (1, 2, 3, 4, 6, 8, 11, 12, 14, 17, 19, 29, 31, 33, 36, 39)
"""Sets with every kind of sentence; all forty, of which many say the same of many pairs on too few questions,
are read at night."""


def test_no_output_contradicts_another() -> None:
    kinds = read_many(ALWAYS)
    assert kinds == {"equally", "few", "better", "looks", "open", "turned", "nothing"}


@pytest.mark.nightly
@pytest.mark.timeout(2400)
def test_no_output_contradicts_another_in_two_thousand_sets() -> None:
    kinds = read_many(range(40)) | read_many(range(1_000, 3_000))
    assert kinds == {"equally", "few", "better", "looks", "open", "turned", "nothing"}, (
        "every kind of sentence was read"
    )
