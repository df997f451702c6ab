"""The numbers that progress displays show, at a clock of the test's own."""

from __future__ import annotations

import time

import pytest

from folkways.endpoints.base import Completion
from folkways.endpoints.prices import Price
from folkways.engine import progress
from folkways.engine.progress import ModelProgress, away_from_all


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(progress.time, "monotonic", lambda: 110.0)
    return 110.0


def test_rate_and_time_left_count_what_ended_in_either_way(now: float) -> None:
    running = ModelProgress("m", total=100, done=25, failed=5, by_others=10, stored=40, began=now - 10)
    assert (running.seconds, running.rate, running.left, running.seconds_left) == (10.0, 3.0, 60, 20.0)


def test_before_anything_has_ended_there_is_no_time_left_to_tell(now: float) -> None:
    assert (
        ModelProgress("m", total=10, began=now - 5).rate,
        ModelProgress("m", total=10, began=now - 5).seconds_left,
    ) == (0.0, None)
    assert ModelProgress("m", total=10, done=2, began=now).rate == 0.0  # the clock has not moved


def test_slow_runs_have_a_time_left(now: float) -> None:
    assert ModelProgress("m", total=3, done=1, began=now - 100).seconds_left == pytest.approx(200.0)


def test_another_process_may_answer_more_than_was_planned(now: float) -> None:
    assert ModelProgress("m", total=3, done=1, by_others=5, began=now).left == 0


def test_the_rate_of_a_model_that_is_done_falls_no_further() -> None:
    progress = ModelProgress("m", total=4, done=4)
    progress.end()
    seconds, rate = progress.seconds, progress.rate
    time.sleep(0.02)
    assert (progress.seconds, progress.rate) == (seconds, rate)


@pytest.mark.parametrize(
    ("of_workers", "away"),
    [
        ([], None),
        ([None], None),
        (["refused"], "refused"),
        (["refused", None], None),
        ([None, "refused"], None),
        (["refused", "silent"], "refused"),
    ],
)
def test_a_server_is_away_where_no_worker_reaches_it(of_workers: list[str | None], away: str | None) -> None:
    assert away_from_all([ModelProgress("m", away=why) for why in of_workers]) == away


@pytest.mark.parametrize(
    ("counts", "price", "usd"),
    [
        ([(1_000_000, 100_000), (2_000_000, 0)], Price(1.0, 10.0), 4.0),
        ([(1_000_000, 100_000), (2_000_000, 0)], None, None),
        ([(1_000_000, 100_000), (2_000_000, None)], Price(1.0, 10.0), None),
        ([(None, 5), (1_000_000, 100_000)], Price(1.0, 10.0), None),
        ([(0, 0)], Price(1.0, 10.0), 0.0),
    ],
)
def test_the_cost_is_known_where_each_reply_has_a_price_and_both_counts(
    counts: list[tuple[int | None, int | None]], price: Price | None, usd: float | None
) -> None:
    progress = ModelProgress("m")
    for inputs, outputs in counts:
        progress.count(Completion("A", input_tokens=inputs, output_tokens=outputs), price)
    assert progress.usd == usd
    assert progress.input_tokens == sum(inputs or 0 for inputs, _ in counts)
    assert progress.output_tokens == sum(outputs or 0 for _, outputs in counts)
