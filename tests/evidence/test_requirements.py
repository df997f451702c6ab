"""Requirements decided on intervals, and what readers of JUnit and GitHub get of them."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.evidence.answers import Answers
from folkways.evidence.comparison import DIFFERENCES, Comparison, compare_judgements
from folkways.evidence.requirements import (
    Check,
    Minimum,
    Status,
    check_drop,
    check_minimum,
    check_range,
    failed,
    lost_task,
    parse_drop,
    parse_minimum,
    unknown_drop,
)
from folkways.records import SCORES, Metric
from folkways.reports.formats.gate_output import as_annotations, as_junit, as_lines
from tests.evidence.test_comparison import judged


def scores(
    low: float, score: float, high: float, coverage: float = 1.0, value: str = "ET", facet: str = "culture"
) -> pl.DataFrame:
    row = {
        "endpoint": "mine",
        "task": "demo/mcq",
        "profile": "strict",
        "metric": "correct",
        "facet": facet,
        "value": value,
        "score": score,
        "low": low,
        "high": high,
        "questions": 60,
        "coverage": coverage,
    }
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in SCORES.items() if name not in row]
    return pl.DataFrame([row]).with_columns(missing).select(list(SCORES))


@pytest.mark.parametrize(
    ("required", "by_default", "strictly"),
    [
        (20, Status.PASS, Status.PASS),
        (25, Status.PASS, Status.PASS),
        (30, Status.UNSURE, Status.FAIL),
        (35, Status.UNSURE, Status.FAIL),
        (36, Status.FAIL, Status.FAIL),
    ],
)
def test_only_what_the_interval_rules_out_fails_and_strictly_what_it_does_not_bear_out(
    required: float, by_default: Status, strictly: Status
) -> None:
    wanted = Minimum("demo/mcq", "ET", required)
    for strict, expected in ((False, by_default), (True, strictly)):
        (check,) = check_minimum(scores(25.0, 30.0, 35.0), wanted, "correct", strict=strict)
        assert check.status is expected
        assert check.name == f"demo/mcq:ET={required}"
        assert "found 30.0 (95 % interval 25.0 to 35.0, 60 questions)" in check.message


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("required", [0, 20, 24.9, 25, 30, 35, 35.1, 36, 100])
def test_where_less_is_better_a_requirement_is_the_most_that_a_score_may_be(
    required: float, strict: bool
) -> None:
    """As of the score that counts the opposite."""
    (check,) = check_minimum(
        scores(25.0, 30.0, 35.0),
        Minimum("demo/mcq", "ET", required),
        "correct",
        lower_is_better=True,
        strict=strict,
    )
    opposite = Minimum("demo/mcq", "ET", 100 - required)
    (mirrored,) = check_minimum(scores(65.0, 70.0, 75.0), opposite, "correct", strict=strict)
    assert check.status is mirrored.status
    inside = 25 <= required < 35
    side = "most" if required >= 35 else "above"
    said = f"{required:g} lies within" if inside else f"{side} {required:g}"
    assert said in check.message


def test_a_score_without_replies_fails_whatever_it_is() -> None:
    (few,) = check_minimum(scores(80.0, 85.0, 90.0, coverage=0.4), Minimum("demo/mcq", "ET", 50), "correct")
    assert few.status is Status.FAIL
    assert "40 % of the items got a reply, less than 95 %" in few.message
    (enough,) = check_minimum(
        scores(80.0, 85.0, 90.0, coverage=0.4), Minimum("demo/mcq", "ET", 50), "correct", coverage=30
    )
    assert enough.status is Status.PASS
    (nothing,) = check_minimum(
        scores(math.nan, math.nan, math.nan, coverage=0.0),
        Minimum("demo/mcq", "ET", 0),
        "correct",
        coverage=0,
    )
    assert nothing.status is Status.FAIL
    assert "found nothing" in nothing.message


@pytest.mark.parametrize("required", [0, 30, 31])
def test_a_score_without_interval_decides_nothing_in_either_direction(required: float) -> None:
    for strict, expected in ((False, Status.UNSURE), (True, Status.FAIL)):
        (check,) = check_minimum(
            scores(math.nan, 30.0, math.nan), Minimum("demo/mcq", "ET", required), "correct", strict=strict
        )
        assert (check.status, check.message) == (
            expected,
            f"found 30.0 (no interval, 60 questions); without an interval {required} is neither shown to be "
            "reached nor shown to be missed",
        )


def test_groups_are_found_by_code_name_and_language() -> None:
    for group in ("ET", "Ethiopia"):
        assert len(list(check_minimum(scores(1, 2, 3), Minimum("demo/mcq", group, 1), "correct"))) == 1
    both = scores(1, 2, 3, value="ET+am", facet="culture+language")
    assert len(list(check_minimum(both, Minimum("demo/mcq", "ET+am", 1), "correct"))) == 1
    elsewhere = pl.concat(
        [
            scores(1, 2, 3),
            scores(1, 2, 3, value="KR", facet="topic"),
            scores(1, 2, 3, value="A+B", facet="topic"),
        ]
    )
    for frame, group in (
        (scores(1, 2, 3), "KR"),
        (both, "ET+en"),
        (elsewhere, "KR"),
        (pl.concat([elsewhere, both]), "A+B"),
    ):
        with pytest.raises(UnknownNameError):
            list(check_minimum(frame, Minimum("demo/mcq", group, 1), "correct"))
    with pytest.raises(UnknownNameError, match="'blend/saq'"):
        list(check_minimum(scores(1, 2, 3), Minimum("blend/saq", None, 1), "correct"))


def test_a_model_without_a_score_of_the_group_fails_beside_those_that_have_one() -> None:
    """No check at all would pass."""
    theirs = scores(1, 2, 3, value="KR").with_columns(endpoint=pl.lit("theirs"))
    checks = check_minimum(pl.concat([scores(50, 60, 70), theirs]), Minimum("demo/mcq", "ET", 50), "correct")
    assert [(check.model, check.status) for check in checks] == [
        ("mine", Status.PASS),
        ("theirs", Status.FAIL),
    ]


def test_requirements_are_read_from_text() -> None:
    assert parse_minimum("blend/saq:ET=30") == [Minimum("blend/saq", "ET", 30.0)]
    assert [minimum.task for minimum in parse_minimum("xcr=12.5")] == [
        "xcr/identification",
        "xcr/prediction",
        "xcr/adaptation",
    ]
    assert parse_drop("last-week=2") == ("last-week", 2.0)


@pytest.mark.parametrize("text", ["blend/saq", "=3", "blend/saq=", "blend/saq=x", "blend/saq=nan", "nope=3"])
def test_a_requirement_that_cannot_be_read(text: str) -> None:
    with pytest.raises(FolkwaysError, match=r"valid: "):
        parse_minimum(text)


def test_a_drop_has_a_size() -> None:
    with pytest.raises(FolkwaysError, match="must be 0 or more"):
        parse_drop("before=-0.5")


@pytest.mark.parametrize(
    ("now", "before", "most", "status"),
    [
        (0.2, 0.8, 5, Status.FAIL),
        (0.8, 0.8, 40, Status.PASS),
        (0.78, 0.8, 1, Status.UNSURE),
        (0.9, 0.2, 0, Status.PASS),
    ],
)
def test_drops_are_decided_on_the_interval_of_the_paired_difference(
    now: float, before: float, most: float, status: Status
) -> None:
    comparison = compare_judgements(
        {"now": judged(now, 1), "then": judged(before, 2)}, "x/y", "strict", Metric("right", "", "")
    )
    check = check_drop(comparison, most, "then", "mine")
    assert check.status is status
    assert check.name == f"x/y: no more than {most} worse than then"
    if status is Status.UNSURE:
        assert check_drop(comparison, most, "then", "mine", strict=True).status is Status.FAIL


def test_a_drop_on_a_fraction_of_the_items_is_no_evidence() -> None:
    half = judged(0.8, 1).with_columns(
        state=pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("failed")).otherwise("state")
    )
    comparison = compare_judgements(
        {"now": half, "then": judged(0.2, 2)}, "x/y", "strict", Metric("right", "", "")
    )
    check = check_drop(comparison, 5, "then", "mine")
    assert check.status is Status.FAIL
    assert (
        "50 % of what was asked there got a reply in both, less than 95 %: too few to decide on"
        in check.message
    )


MINUS = "\N{MINUS SIGN}"
CHECKS = [
    Check("a=1", "m", Status.PASS, "fine"),
    Check("b=2", "m", Status.UNSURE, "perhaps, 5 %"),
    Check("c:KR=3", "evil\x1b[31m\n::error::<x>&", Status.FAIL, "bad <&>\n::stop"),
]


def test_junit_counts_and_escapes() -> None:
    suite = ElementTree.fromstring(as_junit(CHECKS, "run-1")).find("testsuite")
    assert suite is not None
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("folkways gate run-1", "3", "1")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["a=1", "b=2", "c:KR=3"]
    failure = cases[2].find("failure")
    assert failure is not None
    assert failure.get("message") == "bad <&> ::stop"
    assert "\x1b" not in str(cases[2].get("classname"))
    assert (cases[1].find("failure"), cases[1].findtext("system-out")) == (None, "unsure: perhaps, 5 %")


def test_github_gets_one_line_for_each_and_no_command_of_a_models() -> None:
    warning, error = as_annotations(CHECKS)
    assert warning == "::warning title=folkways gate%3A b=2::m: perhaps, 5 %25"
    assert error.startswith("::error title=folkways gate%3A c%3AKR=3::evil")
    assert "\n" not in error


def test_lines_for_people() -> None:
    first, _, last = as_lines(CHECKS)
    assert first == "ok      a=1  m: fine"
    assert last.startswith("FAILED  c:KR=3")
    assert failed(CHECKS)
    assert not failed(CHECKS[:2])


def test_every_model_is_checked_on_its_own_row_of_the_scores() -> None:
    """Another task, metric, group and kind of group are other requirements."""
    mine = scores(25.0, 30.0, 35.0)
    others = [
        mine.with_columns(pl.lit(value).alias(name), score=pl.lit(1.0), low=pl.lit(0.0), high=pl.lit(2.0))
        for name, value in (("task", "demo/saq"), ("metric", "other"), ("facet", "language"), ("value", "KR"))
    ]
    second = mine.with_columns(
        endpoint=pl.lit("theirs"), score=pl.lit(40.0), low=pl.lit(38.0), high=pl.lit(42.0), questions=1
    )
    frame = pl.concat([*others, mine, second], how="vertical_relaxed")
    below, above = check_minimum(frame, Minimum("demo/mcq", "ET", 38), "correct")
    missed = "found 30.0 (95 % interval 25.0 to 35.0, 60 questions); below 38 in the whole interval"
    assert below == Check("demo/mcq:ET=38", "mine", Status.FAIL, missed)
    reached = "found 40.0 (95 % interval 38.0 to 42.0, 1 question); at least 38, as required"
    assert above == Check("demo/mcq:ET=38", "theirs", Status.PASS, reached)
    with pytest.raises(UnknownNameError, match="demo/mcq"):
        list(check_minimum(mine, Minimum("demo/mcq", None, 1), "other"))


@pytest.mark.parametrize(
    ("coverage", "left_out", "demanded", "words"),
    [
        (0.95, 0, None, None),
        (0.949, 0, None, "94.9 % of the items got a reply, less than 95 %"),
        (0.9499, 0, None, "94.9 % of the items got a reply, less than 95 %"),
        (0.57, 0, None, "57 % of the items got a reply, less than 95 %"),
        (0.5, 0, 50.0, None),
        (0.5, 0, 50.5, "50 % of the items got a reply, less than 50.5 %"),
        (0.5, 3, 60.0, "50 % of the items are scored under this profile, less than 60 %"),
    ],
)
def test_how_many_items_must_have_got_a_reply(
    coverage: float, left_out: int, demanded: float | None, words: str | None
) -> None:
    frame = scores(50.0, 60.0, 70.0, coverage=coverage).with_columns(
        left_out=pl.lit(left_out, dtype=pl.Int64)
    )
    more = {} if demanded is None else {"coverage": demanded}
    (check,) = check_minimum(frame, Minimum("demo/mcq", "ET", 50), "correct", **more)
    assert check.status is (Status.PASS if words is None else Status.FAIL)
    assert (words or "as required") in check.message


def test_the_whole_is_a_group_of_its_own() -> None:
    both = pl.concat(
        [
            scores(1, 2, 3),
            scores(50, 60, 70, value="all", facet="all"),
            scores(5, 6, 7, value="ET+am", facet="culture+language"),
        ]
    )
    for group, status in ((None, Status.PASS), ("ET", Status.FAIL), ("ET+am", Status.FAIL)):
        (check,) = check_minimum(both, Minimum("demo/mcq", group, 50), "correct")
        assert check.status is status
    assert [Minimum("a/b", group, 0.5).name for group in (None, "ET")] == ["a/b=0.5", "a/b:ET=0.5"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("blend/saq:=3", "no culture"), ("blend/saq=inf", "finite"), ("3", "cannot read '3'; valid")],
)
def test_what_is_wrong_with_a_requirement_is_named(text: str, words: str) -> None:
    with pytest.raises(FolkwaysError, match=words):
        parse_minimum(text)


def test_a_drop_of_nothing_is_a_requirement_too() -> None:
    assert parse_drop("a=b=0") == ("a=b", 0.0)
    with pytest.raises(FolkwaysError, match="cannot read '=2'"):
        parse_drop("=2")


@pytest.mark.parametrize(
    ("metric", "drop", "low", "high"),
    [
        (Metric("right", "Right", ""), False, 0.0, 100.0),
        (Metric("right", "Right", ""), True, 0.0, 100.0),
        (Metric("right", "Right", "", "mean", 2.0, (1.0, 5.0)), False, 2.0, 10.0),
        (Metric("right", "Right", "", "mean", 2.0, (1.0, 5.0)), True, 0.0, 8.0),
    ],
)
def test_what_no_score_can_be_is_not_required_of_it(
    metric: Metric, drop: bool, low: float, high: float
) -> None:
    task, of_drop = get_task("demo/mcq"), {"drop": True} if drop else {}
    for value in (low, high):
        check_range(value, "it", task, metric, **of_drop)
    for value in (low - 0.01, high + 0.01):
        with pytest.raises(
            FolkwaysError,
            match=f"require it: {'drops' if drop else 'scores'} of Right .* between {low:g} and {high:g}",
        ):
            check_range(value, "it", task, metric, **of_drop)
    check_range(1e9, "it", task, Metric("count", "Count", "", "mean", 1.0, None), **of_drop)


def compared(
    low: float | None,
    high: float | None,
    *,
    n: int = 95,
    turned: bool = False,
    gone: bool = False,
    lower: bool = False,
    unlike: tuple[str, ...] = (),
) -> Comparison:
    """A comparison of ``new`` with ``old``, of which the first was asked 200 rows and the second 100: 3
    points lower."""
    row = dict.fromkeys(DIFFERENCES) | {
        "task": "x/y",
        "metric": "right",
        "facet": "all",
        "value": "all",
        "ahead": "old",
    }
    row |= {"first": "new", "second": "old", "first_score": 57.0, "second_score": 60.0, "difference": -3.0}
    row |= {"low": low, "high": high, "n": n, "p_holm": 0.5}
    group = row | {"facet": "culture", "value": "KR", "difference": -9.0, "p_holm": 0.01 if turned else 0.5}
    other = group | {"value": "ET", "difference": 9.0, "ahead": "new"}
    differences = pl.DataFrame([group, row, other], schema=dict(DIFFERENCES))
    values = np.zeros((100, 2))
    values[n:, 0] = math.nan
    groups = pl.DataFrame({"culture": ["JP" if gone and number >= n else "KR" for number in range(100)]})
    answers = Answers(
        ("new", "old"),
        values,
        np.arange(100),
        100,
        groups,
        {"new": 200, "old": 100},
        {"new": n, "old": 100},
        samples={"new": {0: 200}, "old": {0: 100}},
    )
    empty = pl.DataFrame()
    metric = Metric("right", "Right", "", lower_is_better=lower)
    return Comparison(
        "x/y",
        "strict",
        metric,
        ("new", "old"),
        "culture",
        differences,
        empty,
        empty,
        answers,
        unlike,
        tuple(f"{one}." for one in unlike),
    )


@pytest.mark.parametrize(
    ("low", "high", "most", "by_default", "strictly", "words"),
    [
        (-5.0, -1.0, 5.0, Status.PASS, Status.PASS, "no drop of more than 5"),
        (-5.0, -1.0, 4.9, Status.UNSURE, Status.FAIL, "a drop of 4.9 lies within the interval"),
        (-5.0, -1.0, 1.0, Status.UNSURE, Status.FAIL, "a drop of 1 lies within the interval"),
        (-5.0, -1.0, 0.9, Status.FAIL, Status.FAIL, "a drop of more than 0.9 in the whole interval"),
        (
            None,
            None,
            3.0,
            Status.UNSURE,
            Status.FAIL,
            "without an interval a drop of more than 3 is neither shown nor ruled out",
        ),
        (
            None,
            None,
            2.9,
            Status.UNSURE,
            Status.FAIL,
            "without an interval a drop of more than 2.9 is neither shown nor ruled out",
        ),
    ],
)
def test_a_drop_is_ruled_out_or_shown_by_the_ends_of_its_interval(
    low: float | None, high: float | None, most: float, by_default: Status, strictly: Status, words: str
) -> None:
    interval = "no interval" if low is None else f"95 % interval {MINUS}5.0 to {MINUS}1.0"
    start = f"found 57.0 here and 60.0 there on 95 shared rows: {MINUS}3.0 ({interval}); {words}"
    for strict, status in ((False, by_default), (True, strictly)):
        check = check_drop(compared(low, high), most, "before", "mine", strict=strict)
        assert (check.name, check.model, check.status) == (
            f"x/y: no more than {most:g} worse than before",
            "mine",
            status,
        )
        assert check.message.startswith(start)
        assert ("in the whole interval" in check.message) == words.endswith("in the whole interval")
        assert "worse in" not in check.message


@pytest.mark.parametrize("most", [5.0, 2.0])
def test_groups_in_which_it_is_lower_are_named_where_the_whole_is_not_shown_to_be(most: float) -> None:
    message = check_drop(compared(-5.0, -1.0, turned=True), most, "before", "mine").message
    assert message.endswith("; but worse in South Korea")


def test_where_less_is_better_a_drop_is_a_rise() -> None:
    for low, high, status in ((-5.0, -1.0, Status.PASS), (4.0, 9.0, Status.FAIL), (1.0, 9.0, Status.UNSURE)):
        check = check_drop(compared(low, high, lower=True), 3.0, "before", "mine")
        assert check.status is status and check.name == "x/y: no more than 3 worse than before"
        assert " rise of " in check.message and "drop" not in check.message


def test_a_culture_that_is_gone_and_other_data_are_told_and_are_at_most_unsure() -> None:
    for options, words in (
        ({"gone": True}, "; not compared: Japan, where no row got a reply"),
        ({"unlike": ("data",)}, "about other data. data."),
    ):
        for most, strict, status in (
            (5.0, False, Status.UNSURE),
            (5.0, True, Status.FAIL),
            (0.5, False, Status.FAIL),
        ):
            check = check_drop(compared(-5.0, -1.0, **options), most, "before", "mine", strict=strict)  # type: ignore[arg-type]
            assert (check.status, words in check.message) == (status, True)
    other = check_drop(compared(-5.0, -1.0, unlike=("settings",)), 5.0, "before", "mine")
    assert (other.status, other.message.endswith(". settings.")) == (Status.PASS, True)


def test_a_task_that_the_earlier_run_asked_alone_fails() -> None:
    assert lost_task("x/y", 2.0, "before", "mine") == Check(
        "x/y: no more than 2 worse than before",
        "mine",
        Status.FAIL,
        "found nothing: before was asked x/y, this run was not",
    )


def test_a_drop_is_decided_on_most_of_what_the_earlier_run_was_asked() -> None:
    few = check_drop(compared(-5.0, -1.0, n=94), 5.0, "before", "mine")
    assert (
        few.status,
        few.message.endswith(
            "94 % of what was asked there got a reply in both, less than 95 %: too few to decide on"
        ),
    ) == (Status.FAIL, True)
    assert check_drop(compared(-5.0, -1.0, n=94), 5.0, "before", "mine", coverage=94.0).status is Status.PASS
    almost = compared(-5.0, -1.0, n=94)
    almost = replace(almost, answers=replace(almost.answers, samples={"new": {0: 200}, "old": {0: 99}}))
    assert "; 94.9 % of what was asked there got" in check_drop(almost, 5.0, "before", "mine").message


def test_a_drop_that_cannot_be_told_is_what_it_is_taken_for() -> None:
    name = "x/y: no more than 2.5 worse than before"
    told = unknown_drop("x/y", 2.5, "before", "mine", Status.UNSURE, "not compared: why")
    assert told == Check(name, "mine", Status.UNSURE, "not compared: why")
    assert not failed([])
