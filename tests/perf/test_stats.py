"""The measurements of statistics: what the simulation samples, and that the bench's data are what it says."""

from __future__ import annotations

import numpy as np
import pytest

from folkways.stats.intervals import wilson
from perf.stats import SIMULATIONS, judging, relations, until
from perf.stats import __main__ as speed


def test_a_number_fixed_beforehand_is_the_smallest_that_is_enough() -> None:
    n = until.enough_for_any(460, 0.05)
    widths = [wilson(drawn / 2, drawn, population=460) for drawn in (n - 1, n)]
    assert [(one.high - one.low) / 2 <= 0.05 for one in widths] == [False, True]
    assert until.enough_for_any(7, 0.02) == 7


def test_a_way_of_stopping_ends_when_narrow_or_when_all_is_asked() -> None:
    assert until.stopped(lambda drawn: (0.0, 2 / drawn), 400, 0.02) == pytest.approx(50, abs=20)
    assert until.stopped(lambda _: (0.0, 1.0), 40, 0.02) == 40


def test_answers_have_the_share_that_was_asked_for_and_two_wordings_agree() -> None:
    rng = np.random.default_rng(0)
    values = until.answers(20_000, 0.3, 2, rng)
    assert values.mean() == pytest.approx(0.3, abs=0.02)
    assert (values == 0.5).mean() < 0.12
    assert set(until.answers(50, 0.3, 1, rng)) <= {0.0, 1.0}


def test_structures_are_those_of_the_benchmarks() -> None:
    for name, structure in until.structures().items():
        assert all(0 < level < 1 and n > 0 for n, level in structure), name
    assert len(until.SAQ_ITEMS) == 16


def test_the_table_has_a_line_for_each_way_and_target() -> None:
    found = until.simulate([(60, 0.4)], 1, 2, 0)
    assert set(found) == {(way, target) for way in until.WAYS for target in until.TARGETS}
    assert all(one.there == 120 and 0 < one.asked <= 120 for one in found.values())


def test_the_bench_has_80_000_judgements_per_model() -> None:
    base = speed.frame()
    assert base.height == 80_000
    assert base["question"].n_unique() == 500
    assert speed.judged(base.head(200), 3)["sem_b"].is_in([0.0, 1.0]).all()


def test_replies_of_a_simulated_model_are_as_often_right_as_was_asked_for() -> None:
    rng = np.random.default_rng(1)
    one = judging.replies((400,) * 20, 0.3, judging.KIND, rng)
    assert one.truth.mean() == pytest.approx(0.3, abs=0.05)
    assert one.verdicts[one.truth == 1].mean() == pytest.approx(0.95, abs=0.02)
    assert one.verdicts[one.truth == 0].mean() == pytest.approx(0.4, abs=0.04)
    labelled = one.labelled([3] * 20, rng)
    known = ~np.isnan(labelled.labels)
    assert np.bincount(labelled.cultures[known]).tolist() == [3] * 20
    assert (labelled.labels[known] == one.truth[known]).all()


def test_the_judges_simulation_has_a_line_for_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "STRUCTURES", {"BLEnD, 16 cultures": (250, 260)})
    monkeypatch.setattr(judging, "PER_CULTURE", (4, 8, 12))
    tables = [
        [*table] for table in (judging.differences(1), judging.allocation(1), judging.coverage(1, None))
    ]
    assert [len(lines) - 2 for lines in tables] == [24, 6, 9]
    assert all(line.count("|") == lines[0].count("|") for lines in tables for line in lines)


def test_the_simulation_of_relations_has_a_line_for_each_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "TEMPLATES", {"small": (3, 20)})
    monkeypatch.setattr(relations, "TOPICS", ((2, 3, 0.14),))
    monkeypatch.setattr(relations, "FEW", (6, 10))
    monkeypatch.setattr(relations, "ORDERS", (3,))
    tables = {name: [*make(2)] for name, (make, _) in relations.TABLES.items()}
    assert {name: len(lines) - 2 for name, lines in tables.items()} == {
        "templates": 4,
        "topics": 1,
        "ranks": 13,
        "wobbles": 5,
        "skewed": 8,
        "averages": 11,
        "treatments": 12,
    }
    assert all(line.count("|") == lines[0].count("|") for lines in tables.values() for line in lines)
    page = SIMULATIONS.read_text(encoding="utf-8")
    assert all(page.count(relations.BEGIN.format(name)) == 1 for name in tables)
