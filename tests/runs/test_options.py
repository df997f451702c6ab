"""Bounds of options, and how replies from before are told of."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from folkways.endpoints.base import EndpointOptions
from folkways.errors import FolkwaysError
from folkways.runs.execute import check_compatible
from folkways.runs.models import open_models
from folkways.runs.options import AskOptions, Cluster, Deployment, ReusedReplies, RunOptions, age
from folkways.runs.planning.plan import Plan


@pytest.mark.parametrize("seed", [-(2**63), 0, 2**63 - 1])
def test_a_seed_has_64_bits(seed: int) -> None:
    assert RunOptions(("demo/mcq",), seed=seed).seed == seed


@pytest.mark.parametrize("seed", [-(2**63) - 1, 2**63])
def test_a_seed_of_more_bits_is_an_error(seed: int) -> None:
    with pytest.raises(FolkwaysError, match=f"at most 64 bits, got {seed}"):
        RunOptions(("demo/mcq",), seed=seed)


@pytest.mark.parametrize(
    "how", [{"gpus": 0}, {"gpus": 0.25}, {"gpus": 1}, {"gpus": 8.0}, {"copies": 1}, {"copies": 3}, {}]
)
def test_a_model_runs_on_a_share_of_a_gpu_or_on_whole_ones(how: dict[str, Any]) -> None:
    deployment = Deployment(**how)
    assert (deployment.gpus, deployment.copies) == (how.get("gpus"), how.get("copies", 1))


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"gpus": -0.5}, "gpus must be a whole number, or a share of one GPU between 0 and 1, got -0.5"),
        ({"gpus": 1.5}, "gpus must be a whole number, or a share of one GPU between 0 and 1, got 1.5"),
        ({"copies": 0}, "copies must be at least 1, got 0"),
    ],
)
def test_another_share_or_no_copy_is_an_error(how: dict[str, Any], problem: str) -> None:
    with pytest.raises(FolkwaysError) as error:
        Deployment(**how)
    assert str(error.value) == problem


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "less than a second"),
        (0.9, "less than a second"),
        (1.0, "1 second"),
        (59.9, "59 seconds"),
        (60.0, "1 minute"),
        (3_599.0, "59 minutes"),
        (3_600.0, "1 hour"),
        (86_399.0, "23 hours"),
        (86_400.0, "1 day"),
        (200_000.0, "2 days"),
    ],
)
def test_an_age_is_told_in_the_largest_unit_of_which_it_has_one(seconds: float, words: str) -> None:
    assert age(seconds) == words


@pytest.mark.parametrize(
    ("counts", "runs", "newer", "words"),
    [
        ((1, 1, 0.0, 0.0), (), None, "m: the one reply is from before: 1 hour old; afresh=True asks again"),
        (
            (3, 4, 0.0, 0.0),
            ("a",),
            None,
            "m: 3 of 4 replies are from before: 1 hour old, from run a; afresh=True asks again",
        ),
        (
            (4000, 4000, 0.0, 3_540.0),
            ("a", "b"),
            "c",
            "m: all 4,000 replies are from before: 1 minute to 1 hour old, from runs a to b; afresh=True asks again. "
            "Run c has newer replies, asked for afresh, which are not used; afresh=True and name='c' use them",
        ),
    ],
)
def test_replies_from_before_are_told_of_with_their_age_and_their_runs(
    counts: tuple[int, int, float, float], runs: tuple[str, ...], newer: str | None, words: str
) -> None:
    assert ReusedReplies("m", *counts, runs, newer).text(now=3_600.0) == words


@pytest.mark.parametrize(
    ("chosen", "refused"),
    [
        ("", ""),
        ("batch", ""),
        ("until", ""),
        ("cluster", ""),
        ("served", ""),
        ("batch served", ""),
        ("cluster served", ""),
        ("batch until", "until= asks in rounds, and batch= may take a day for each; leave one of them out"),
        ("cluster batch", "leave batch= and until= out, or cluster="),
        ("cluster until", "leave batch= and until= out, or cluster="),
        (
            "until served",
            "until= asks in rounds, each of which would start the servers anew: leave it out, or serve,",
        ),
    ],
)
def test_options_that_exclude_each_other(chosen: str, refused: str) -> None:
    """Each alone, and every pair: served models start their own servers."""
    words = chosen.split()
    until = 5.0 if "until" in words else None
    models = open_models(["baseline/first", "baseline/random"], EndpointOptions())
    if "served" in words:
        models = [models[0], replace(models[1], deployment=Deployment(copies=2))]
    plan = Plan(RunOptions(("demo/mcq",), until=until), (), tuple(models))
    asking = AskOptions(batch="batch" in words, cluster=Cluster("ray") if "cluster" in words else None)
    if not refused:
        check_compatible(plan, asking)
        return
    with pytest.raises(FolkwaysError, match=re.escape(refused)):
        check_compatible(plan, asking)
