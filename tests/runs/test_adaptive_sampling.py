"""Sampled runs: they stop when scores are known well enough, ask nothing twice, and say what they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import polars as pl
import pytest

from folkways.api import Run, run
from folkways.endpoints.base import Completion, Request
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.runs.options import RunOptions
from folkways.workspace import run_records
from folkways.workspace.database import open_workspace
from tests.support.blend_data import write_release
from tests.support.culturalbench_data import rows_of, write_culturalbench
from tests.support.mcq_data import right_letter

QUESTIONS = 1000


class Guesser:
    """Right with a chance of ``share``, by a hash of the request: the same answer whenever it is asked."""

    item_addressed = True
    local = True
    default_concurrency = 8

    def __init__(self, share: float, name: str = "guesser") -> None:
        self.name = self.identity = name
        self.share = share
        self.asked: list[str] = []

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """The right letter, or another one."""
        self.asked.append(request.item)
        lot = int(blake2b(f"{self.name}/{request.item}".encode(), digest_size=4).hexdigest(), 16) / 2**32
        right = right_letter(int(request.item.rsplit("_", 1)[1]))
        letter = right if lot < self.share else "BCDA"["ABCD".index(right)]
        return Completion(json.dumps({"answer_choice": letter}), input_tokens=5, output_tokens=1)


@pytest.fixture
def sampled(mcq: Callable[[int], Path], tmp_path: Path) -> Callable[..., Run]:
    """``sampled(endpoint, ...)``: a run of a release of QUESTIONS multiple-choice questions."""

    def ask(endpoint: Guesser, **options: object) -> Run:
        settings = {"releases": {"blend": str(mcq(QUESTIONS))}, "workspace": tmp_path / "w.db", **options}
        return run("blend/mcq", models=endpoint, **settings)  # type: ignore[arg-type]

    return ask


def headline(done: Run, facet: str = "culture") -> pl.DataFrame:
    return done.scores().filter(metric="accuracy", facet=facet)


def test_every_culture_is_asked_until_it_is_known_well_enough(sampled: Callable[..., Run]) -> None:
    model = Guesser(0.1)
    done = sampled(model, until=8.0)
    scores = headline(done)
    assert done.record.state == "finished"
    assert ((scores["high"] - scores["low"]) / 2 <= 8.0 + 1e-9).to_list() == [True] * 10
    assert len(model.asked) == len(set(model.asked)) == scores["n"].sum() < QUESTIONS
    assert set(done.judgements()["state"]) == {"answered"}
    assert scores["interval"].str.starts_with("anytime 95% of ").all()


@pytest.mark.parametrize("runs", [1, pytest.param(12, marks=pytest.mark.nightly)])
def test_the_score_that_asking_everything_gives_is_inside(
    sampled: Callable[..., Run], tmp_path: Path, runs: int
) -> None:
    """Ten intervals a run, of which five in a hundred may miss."""
    held = []
    for seed in range(runs):
        model = f"model-{seed}"
        part = sampled(Guesser(0.6, model), until=10.0, seed=seed, workspace=tmp_path / "part.db")
        whole = sampled(Guesser(0.6, model), seed=seed, workspace=tmp_path / "whole.db")
        both = headline(part).join(headline(whole), on="value", suffix="_whole")
        held += (
            both.select(pl.col("score_whole").is_between(pl.col("low") - 1e-9, pl.col("high") + 1e-9))
            .to_series()
            .to_list()
        )
        (one,), (other,) = headline(part, "all")["score"], headline(whole, "all")["score"]
        assert abs(one - other) < 6
    assert len(held) == 10 * runs
    assert sum(held) >= 9 * runs


def test_a_sampled_run_says_so_and_leaves_out_what_a_sample_cannot_tell(sampled: Callable[..., Run]) -> None:
    done = sampled(Guesser(0.5), until=10.0)
    scores = done.scores()
    assert scores["signature"].str.contains(r"\|sampling:until=10,by=culture$").all()
    assert set(scores["facet"]) <= {"all", "culture", "culture+language"}
    assert set(headline(done, "all")["interval"]) == {"anytime 95% of 1000 in 10 strata"}
    # Questions count alike there however many items each has, which a sample of items does not tell.
    assert "accuracy_by_question" not in scores["metric"]


def test_two_models_are_asked_the_same_items_as_far_as_both_go(sampled: Callable[..., Run]) -> None:
    first, second = Guesser(0.5, "first"), Guesser(0.02, "second")
    sampled(first, until=12.0)
    sampled(second, until=12.0)
    assert set(second.asked) < set(first.asked)


def test_what_is_stored_is_not_asked_again_and_a_finished_run_asks_nothing(
    sampled: Callable[..., Run],
) -> None:
    model = Guesser(0.3)
    once = sampled(model, until=12.0, name="mine")
    asked = len(model.asked)
    again = sampled(model, until=12.0, name="mine")
    assert len(model.asked) == asked
    assert again.scores().equals(once.scores(), null_equal=True)
    narrower = sampled(model, until=10.0)
    assert len(model.asked) == len(set(model.asked)) > asked
    assert narrower.record.id != once.record.id


def test_a_budget_is_spent_evenly_never_crossed_and_leaves_no_holes(sampled: Callable[..., Run]) -> None:
    model = Guesser(0.5)
    short = sampled(model, until=4.0, budget="90requests")
    assert (len(model.asked), short.record.state) == (90, "budget")
    scores = headline(short)
    assert scores["missing"].sum() == 0
    assert (scores.height, scores["n"].sum()) == (10, 90)
    assert scores["n"].max() - scores["n"].min() <= 8
    going_on = sampled(model, until=4.0)
    assert going_on.record.id == short.record.id
    assert going_on.record.state == "finished"
    assert len(model.asked) == len(set(model.asked)) > 90


def test_strata_may_be_finer_than_cultures_or_lie_across_them(sampled: Callable[..., Run]) -> None:
    """What a culture has is in four strata of its own, or in some of the four strata that all cultures
    share."""
    for strata, of_culture in (
        (("culture", "gold_letter"), "anytime 95% of 100 in 4 strata"),
        (("gold_letter",), "anytime 95% of 1000 in 4 strata"),
    ):
        done = sampled(Guesser(0.5), until=20.0, strata=strata)
        for facet, rows, method in (("all", 1, "anytime 95% of 1000 in "), ("culture", 10, of_culture)):
            found = headline(done, facet)
            assert found.height == rows
            assert found["interval"].str.starts_with(method).all()
            assert found["score"].is_between(found["low"], found["high"]).all()
            assert (found["high"] - found["low"] > 5).all()
        assert done.scores()["signature"].str.contains(f"by={re.escape('+'.join(strata))}$").all()


def test_metrics_without_bounds_have_no_interval_and_few_units_a_wide_one(tmp_path: Path) -> None:
    """Five requests of miniature BLEnD: a question of each culture, in two languages but for Americans."""
    release = write_release(tmp_path / "blend")
    chosen = {
        "models": "baseline/constant:coffee",
        "releases": {"blend": str(release)},
        "variants": ("inst-4",),
    }
    whole = run("blend/saq", workspace=tmp_path / "whole.db", **chosen).scores()  # type: ignore[arg-type]
    done = run("blend/saq", workspace=tmp_path / "part.db", until=10.0, budget="5requests", **chosen)  # type: ignore[arg-type]
    scores = done.scores().filter(pl.col("score").is_not_null())
    free = scores.filter(metric="answers_given", facet="all")
    assert free["interval"].to_list() == ["none: values without bounds"]
    assert free.select("low", "high").row(0) == (None, None)
    bounded = scores.filter(pl.col("metric") != "answers_given")
    assert bounded["interval"].str.starts_with("anytime 95% of ").all()
    assert (bounded["low"] >= 0).all()
    assert (bounded["high"] <= 100).all()
    assert (bounded["high"] - bounded["low"] > 5).all()
    assert bounded["missing"].sum() == 0
    both = bounded.join(whole, on=["metric", "facet", "value"], suffix="_whole")
    assert both.height == bounded.height > 10
    assert both["score_whole"].is_between(both["low"], both["high"]).all()


def test_a_question_that_needs_all_its_items_gets_them(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    release = write_culturalbench(tmp_path / "release", *rows_of("Japan", "South Korea"))
    done = run(
        "culturalbench/hard",
        models="baseline/constant:True",
        releases={"culturalbench": str(release.root)},
        cultures="KR,JP",
        workspace=tmp_path / "w.db",
        until=15.0,
    )
    judged = done.judgements()
    per_question = judged.group_by("culture", "question").len()["len"]
    assert set(per_question) == {4}
    assert per_question.len() < 42 + 42
    assert done.scores().filter(metric="all_right", facet="all")["n"][0] == per_question.len()


def test_wrong_wishes_are_refused_before_anything_is_asked(
    sampled: Callable[..., Run], tmp_path: Path
) -> None:
    model = Guesser(0.5)
    with pytest.raises(UnknownNameError, match="unknown stratum of blend/mcq: 'nope'"):
        sampled(model, until=5.0, strata=("culture", "nope"))
    with pytest.raises(FolkwaysError, match="give either it or limit="):
        sampled(model, until=5.0, limit=10)
    with pytest.raises(FolkwaysError, match="no item of this release tells its topic"):
        sampled(model, until=5.0, strata=("culture", "topic"))
    for until in (0.0, 49.1, -1.0):
        with pytest.raises(FolkwaysError, match=r"until must lie between 0\.1 and 49"):
            sampled(model, until=until)
    with pytest.raises(FolkwaysError, match="strata need at least one"):
        RunOptions(tasks=("demo",), strata=())
    with pytest.raises(UnknownNameError, match="unknown culture"):
        sampled(model, until=5.0, cultures=("XX",))
    assert model.asked == []
    assert run_records.list_runs(open_workspace(tmp_path / "w.db")) == []


def test_the_report_says_that_it_is_a_sample(sampled: Callable[..., Run]) -> None:
    told = sampled(Guesser(0.5), until=4.0, budget="60requests").report_data(with_judgements=False).warnings
    assert any(
        "until each stratum was known to within 4 points" in warning and "It stopped early" in warning
        for warning in told
    )
    assert not any("counts as missing" in warning for warning in told)


def test_what_was_asked_whole_has_the_interval_of_any_other_run(tmp_path: Path) -> None:
    """Nothing was sampled of the few questions there are: a width of nothing would promise what no benchmark
    can."""
    chosen = {"workspace": tmp_path / "w.db"}
    whole = run("demo/mcq", models="baseline/first", **chosen).scores()
    asked = run("demo/mcq", models="baseline/first", until=5.0, **chosen).scores()
    columns = ["metric", "score", "low", "high", "interval", "n"]
    for facet in ("all", "culture"):
        kept = asked.filter(pl.col("facet") == facet).sort("value", "metric")
        assert kept["n"].sum() % 18 == 0 < kept["n"].sum()
        assert kept.select(columns).equals(
            whole.filter(pl.col("facet") == facet).sort("value", "metric").select(columns)
        )
