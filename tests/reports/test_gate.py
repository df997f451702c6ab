"""Requirements decided on intervals, and what readers of JUnit and GitHub get of them."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import polars as pl
import pytest

from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import SCORES, Metric
from folkways.reports.comparison import compare_judgements
from folkways.reports.gate import Check, Minimum, Status, check_drop, check_minimum, failed, parse_drop, parse_minimum
from folkways.reports.gate_output import as_annotations, as_junit, as_lines
from tests.reports.test_comparison import judged


def scores(low: float, score: float, high: float, coverage: float = 1.0, value: str = "ET", facet: str = "culture") -> pl.DataFrame:
    row = {
        "endpoint": "mine",
        "task": "sample/mcq",
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
    wanted = Minimum("sample/mcq", "ET", required)
    for strict, expected in ((False, by_default), (True, strictly)):
        (check,) = check_minimum(scores(25.0, 30.0, 35.0), wanted, "correct", strict=strict)
        assert check.status is expected
        assert check.name == f"sample/mcq:ET={required}"
        assert "found 30.0 (95 % interval 25.0 to 35.0, 60 questions)" in check.message


def test_a_score_without_replies_fails_whatever_it_is() -> None:
    (few,) = check_minimum(scores(80.0, 85.0, 90.0, coverage=0.4), Minimum("sample/mcq", "ET", 50), "correct")
    assert few.status is Status.FAIL
    assert "40 % of the items got a reply, less than 95 %" in few.message
    (enough,) = check_minimum(scores(80.0, 85.0, 90.0, coverage=0.4), Minimum("sample/mcq", "ET", 50), "correct", coverage=30)
    assert enough.status is Status.PASS
    (nothing,) = check_minimum(
        scores(math.nan, math.nan, math.nan, coverage=0.0), Minimum("sample/mcq", "ET", 0), "correct", coverage=0
    )
    assert nothing.status is Status.FAIL
    assert "found nothing" in nothing.message


def test_a_score_without_interval_is_decided_on_itself_and_says_so() -> None:
    (check,) = check_minimum(scores(math.nan, 30.0, math.nan), Minimum("sample/mcq", "ET", 31), "correct")
    assert (check.status, check.message) == (Status.FAIL, "found 30.0 (no interval, 60 questions); below 31")
    for strict, expected in ((False, Status.PASS), (True, Status.FAIL)):
        (check,) = check_minimum(scores(math.nan, 30.0, math.nan), Minimum("sample/mcq", "ET", 30), "correct", strict=strict)
        assert (check.status, "no interval" in check.message) == (expected, True)


def test_groups_are_found_by_code_name_and_language() -> None:
    for group in ("ET", "Ethiopia"):
        assert len(list(check_minimum(scores(1, 2, 3), Minimum("sample/mcq", group, 1), "correct"))) == 1
    both = scores(1, 2, 3, value="ET+am", facet="culture+language")
    assert len(list(check_minimum(both, Minimum("sample/mcq", "ET+am", 1), "correct"))) == 1
    for frame, group in ((scores(1, 2, 3), "KR"), (both, "ET+en")):
        with pytest.raises(UnknownNameError):
            list(check_minimum(frame, Minimum("sample/mcq", group, 1), "correct"))
    with pytest.raises(UnknownNameError, match="'blend/saq'"):
        list(check_minimum(scores(1, 2, 3), Minimum("blend/saq", None, 1), "correct"))


def test_requirements_are_read_from_text() -> None:
    assert parse_minimum("blend/saq:ET=30") == [Minimum("blend/saq", "ET", 30.0)]
    assert [minimum.task for minimum in parse_minimum("xcr=12.5")] == ["xcr/identification", "xcr/prediction", "xcr/adaptation"]
    assert parse_drop("last-week=2") == ("last-week", 2.0)


@pytest.mark.parametrize("text", ["blend/saq", "=3", "blend/saq=", "blend/saq=x", "blend/saq=nan", "nope=3"])
def test_a_requirement_that_cannot_be_read(text: str) -> None:
    with pytest.raises(FolkwaysError, match=r"valid: "):
        parse_minimum(text)


def test_a_drop_has_a_size() -> None:
    with pytest.raises(FolkwaysError, match="from 0 on"):
        parse_drop("before=-2")


@pytest.mark.parametrize(
    ("now", "before", "most", "status"),
    [(0.2, 0.8, 5, Status.FAIL), (0.8, 0.8, 40, Status.PASS), (0.78, 0.8, 1, Status.UNSURE), (0.9, 0.2, 0, Status.PASS)],
)
def test_drops_are_decided_on_the_interval_of_the_paired_difference(now: float, before: float, most: float, status: Status) -> None:
    comparison = compare_judgements({"now": judged(now, 1), "then": judged(before, 2)}, "x/y", "strict", Metric("right", "", ""))
    check = check_drop(comparison, most, "then", "mine")
    assert check.status is status
    assert check.name == f"x/y: no more than {most} below then"
    if status is Status.UNSURE:
        assert check_drop(comparison, most, "then", "mine", strict=True).status is Status.FAIL


def test_a_drop_on_a_fraction_of_the_items_is_no_evidence() -> None:
    half = judged(0.8, 1).with_columns(state=pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("failed")).otherwise("state"))
    comparison = compare_judgements({"now": half, "then": judged(0.2, 2)}, "x/y", "strict", Metric("right", "", ""))
    check = check_drop(comparison, 5, "then", "mine")
    assert check.status is Status.FAIL
    assert "50 % of the items got a reply in both" in check.message


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
