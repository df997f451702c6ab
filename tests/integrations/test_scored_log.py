"""What is made of the scores and the metadata of anybody's samples."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folkways.integrations.scored_log import (
    ScoredLog,
    averaged,
    columns,
    facets,
    number,
    scale_of,
    scales_of,
    told,
    worst_of,
)
from folkways.records import Metric

UNSCORED = math.nan


def log(*values: float | None, name: str = "s", **more: Any) -> ScoredLog:
    """Of samples with these values."""
    ids = [f"i{place}" for place in range(len(values))]
    made = ScoredLog(Path(__file__), "quiz", "org/m", ids, [1] * len(ids), ids, ids, {name: values})
    return replace(made, **more)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((True, 1.0), (False, 0.0), (0, 0.0), (7, 7.0), (2.5, 2.5), (-1, -1.0)),
        *(
            ("C", 1.0),
            ("P", 0.5),
            ("I", 0.0),
            ("N", 0.0),
            ("yes", 1.0),
            ("No", 0.0),
            ("TRUE", 1.0),
            ("False", 0.0),
        ),
        *(("0.75", 0.75), ("-3", -3.0), ("c", UNSCORED), ("maybe", UNSCORED), ("", UNSCORED)),
        *((math.nan, UNSCORED), (math.inf, UNSCORED), ("nan", UNSCORED), ("-inf", UNSCORED)),
        *((None, None), ([1], None), ({"a": 1}, None)),
    ],
)
def test_a_score_is_a_number_or_none_was_given(value: object, expected: float | None) -> None:
    assert str(number(value)) == str(expected)


def test_a_score_does_not_apply_to_samples_with_others_and_one_without_any_was_not_scored() -> None:
    rows: list[dict[str, float | None]] = [
        *({"a": 1.0, "never": UNSCORED}, {"b": 0.0, "lists": None}, {}, {"a": UNSCORED, "b": 2.0})
    ]
    found = {name: str(values) for name, values in columns(rows).items()}
    assert found == {"a": "[1.0, None, nan, nan]", "b": "[None, 0.0, nan, 2.0]"}


def test_what_is_a_word_a_number_or_a_truth_in_every_sample_groups_them() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "x", "number": 1, "truth": True, "mixed": 1, "some": None, "list": [1], "now and then": "x"},
        {
            "text": "",
            "number": 2.5,
            "truth": False,
            "mixed": "1",
            "some": 3,
            "none": None,
            "now and then": {},
        },
        {},
    ]
    assert facets(rows) == {
        "text": ["x", "", None],
        "number": ["1", "2.5", None],
        "truth": ["True", "False", None],
        "mixed": ["1", "1", None],
        "some": [None, "3", None],
    }


@pytest.mark.parametrize(
    ("values", "stated", "scale", "bounds"),
    [
        ([0.0, 1.0, UNSCORED, None], {}, 100.0, (0.0, 1.0)),
        ([0.0, 1.01], {}, 1.0, None),
        ([-0.01, 0.5], {}, 1.0, None),
        ([1.0], {"scale": 1.0, "bounds": (1.0, 5.0)}, 1.0, (1.0, 5.0)),
    ],
)
def test_values_between_0_and_1_are_shares_unless_the_log_says_otherwise(
    values: list[float | None], stated: dict[str, Any], scale: float, bounds: tuple[float, float] | None
) -> None:
    metric = log(*values, stated={"s": stated}, lower_is_better={"s": True, "other": False}).metric("s")
    assert (metric.scale, metric.bounds, metric.lower_is_better) == (scale, bounds, True)
    assert not log(*values).metric("s").lower_is_better
    assert log(7.0).metric("s", [0.5]).scale == 100.0, "by the values of all logs that are compared"
    assert log(1.0, name="state").metric("state").name == "score state", "a column of folkways has that name"


@pytest.mark.parametrize(
    ("values", "more", "is_told"),
    [
        ([0.0, 0.5, 1.0, UNSCORED, None], {}, True),
        ([0.0, 0.25], {}, False),
        ([2.0], {}, False),
        ([0.25], {"lower_is_better": {"s": False}}, True),
        ([0.25], {"lower_is_better": {"other": False}}, False),
    ],
)
def test_which_way_is_better_is_told_by_the_log_or_by_right_and_wrong(
    values: list[float | None], more: dict[str, Any], is_told: bool
) -> None:
    assert (log(*values, **more).untold("s") == "") is is_told


@pytest.mark.parametrize(
    ("bounds", "lower", "worst"),
    [(None, False, 0.0), (None, True, 4.0), ((0.0, 10.0), True, 10.0), ((1.0, 5.0), False, 1.0)],
)
def test_a_lost_sample_is_worth_the_worst_end_or_the_worst_value(
    bounds: tuple[float, float] | None, lower: bool, worst: float
) -> None:
    metric = Metric("s", "s", "", "mean", 1.0, bounds, lower_is_better=lower)
    assert worst_of(metric, [UNSCORED, 1.0, 4.0, None, UNSCORED]) == worst
    assert worst_of(metric, [UNSCORED]) == (0.0 if bounds is None else worst)


def test_judgements_have_a_state_and_groups_and_lost_ones_a_worth() -> None:
    where: dict[str, list[str | None]] = {
        "culture": ["KR", "Middle-earth", None], "language": ["ko", None, "en"], "part": ["x", None, "y"]
    }  # fmt: skip
    made = log(1.0, UNSCORED, None, facets=where, repeats=[1, 2, 3])
    metric = made.metric("s")
    columns_ = ["item", "sample", "s", "state", "language", "variant", "culture", "part", "counted"]
    assert made.judgements(made.scores["s"], metric, "part").select(columns_).rows() == [
        ("i0", 1, 1.0, "answered", "ko", "", "KR", "x", True),
        ("i1", 2, 0.0, "missing", "", "", "Middle-earth", None, True),
        ("i2", 3, None, "answered", "en", "", None, "y", True),
    ]
    assert made.judgements(made.scores["s"], metric, lost=0.25)["s"].to_list() == [1.0, 0.25, None]
    averaged = replace(metric, mean_over="part")
    assert made.judgements(made.scores["s"], averaged)["part"].to_list() == ["x", None, "y"]
    ours = {"item": ["a", "b", "c"], "sample": ["0", None, "2"], **where}
    read = replace(made, facets=ours).judgements(made.scores["s"], metric, ours=True)
    assert read.select("item", "question", "sample").rows() == [
        ("a", "i0", 0),
        ("b", "i1", 0),
        ("c", "i2", 2),
    ]


def test_a_log_contributes_its_first_score_with_what_must_be_known_of_it() -> None:
    where = {"culture": ["KR", "Middle-earth", "KR", "US"]}
    more = {"facets": where, "settings": {"temperature": "0"}, "notes": ["it is cut short"]}
    given = log(0.25, 0.5, 0.75, 1.0, **more).contribution()
    assert given.judgements["culture"].to_list() == ["KR", None, "KR", "US"], "reports know cultures by code"
    assert set(given.judgements["endpoint"]) == set(given.scores["endpoint"]) == {"org/m"}
    shown = given.scores.select("facet", "value", "score", "refused", "cut").sort("facet", "value").rows()
    assert shown == [("all", "all", 62.5, None, None), ("culture", "KR", 50.0, None, None),
                     ("culture", "US", 100.0, None, None)]  # fmt: skip
    (made,) = given.signatures.values()
    assert made.parts == {"task": "quiz", "temperature": "0"}
    assert given.notes == [
        "org/m on quiz: it is cut short",
        "quiz: nothing says whether less of s is better; more is taken to be better",
    ]
    assert set(log(1.0, 0.0).contribution().scores["facet"]) == {"all"}, "no sample names a culture"


def test_settings_are_told_in_order_without_those_that_are_not_set() -> None:
    assert told({"top_p": 1, "seed": None, "level": 0}) == "level=0,top_p=1"


SHARE = Metric("s", "s", "", "proportion", 100.0, (0.0, 1.0), lower_is_better=False)
GAP = Metric(
    "g",
    "g",
    "",
    "mean",
    1.0,
    None,
    lower_is_better=True,
    per="question",
    headline_by="type",
    mean_over="type",
)


@pytest.mark.parametrize(
    ("metric", "its_own"),
    [(SHARE, {}), (GAP, {"per": "question", "headline_by": "type", "mean_over": "type"})],
)
def test_what_a_log_states_of_a_metric_is_read_again(metric: Metric, its_own: dict[str, str]) -> None:
    (stated,) = scales_of([metric]).values()
    assert replace(metric, **scale_of(stated)) == metric
    assert averaged(metric) == its_own


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("bounds", wrong) for wrong in ([1, 0], [0, 0], [0], [0, 1, 2], ["a", "b"], [], 5)),
        *(("scale", wrong) for wrong in (0, -1, math.inf, math.nan, "much")),
        *(("lower_is_better", wrong) for wrong in (None, 2, "no")),
        *(("kind", "median"), ("per", "person")),
    ],
)
def test_what_no_metric_can_be_is_no_scale(name: str, value: object) -> None:
    (stated,) = scales_of([GAP]).values()
    with pytest.raises((ValueError, TypeError)):
        scale_of({**stated, name: value})
