"""Of which scores it is said that replies are in another language, or were cut: tables of scores that somebody wrote."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.registry import get_task, tasks
from folkways.display import percent
from folkways.records import MANY_IN_OTHER_LANGUAGE, OTHER_LANGUAGE, SCORES, Signature
from folkways.reports.formats.summary import MAX_NAMED
from folkways.runs.results.notes import FEW, LEAST, MORE, cut_warnings, other_language_warnings

TASKS = {name: get_task(name) for name in ("demo/saq", "demo/mcq")}
MANY = 100 * MANY_IN_OTHER_LANGUAGE
KOREAN = {"of-korean": Signature({"lang": "ko"}), "of-both": Signature({"lang": "en+ko"})}


def scores(*rows: dict[str, Any]) -> pl.DataFrame:
    usual = {
        **dict.fromkeys(("unreadable", "failed", "missing", "truncated", "cut", "refused", "left_out"), 0),
        **{"task": "demo/saq", "endpoint": "lab/m", "profile": "strict", "facet": "all", "value": "all"},
        **{"metric": OTHER_LANGUAGE, "n": 10, "answered": 10, "signature": "of-both"},
    }
    made = [{name: value for name, value in {**usual, **row}.items() if name in SCORES} for row in rows]
    return pl.DataFrame(made, schema=dict(SCORES))


def told(*rows: dict[str, Any]) -> list[str]:
    """What is said, without who it is of and what it means."""
    sentences = other_language_warnings(scores(*rows), KOREAN, TASKS)
    return [
        sentence.removeprefix(f"lab/m, {TASKS['demo/saq'].title}: ").partition(" are in another language")[0]
        for sentence in sentences
    ]


def share(score: float) -> str:
    return percent(score / 100)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"score": MANY}], []),
        ([{"score": MANY + 1}], [f"{share(MANY + 1)} of the replies"]),
        ([{"score": 60.0, "signature": "of-korean"}], [f"{share(60)} of the replies asked for in Korean"]),
        ([{"score": 60.0, "metric": "sem_b"}], []),
        ([{"score": 60.0, "n": 0}], []),
        ([{"score": None}], []),
        ([{"score": 60.0, "endpoint": "baseline/echo"}], []),
        ([{"score": 5.0}, {"score": 90.0, "facet": "culture", "value": "KR"}], []),
        (
            [{"score": 60.0}, {"score": 90.0, "facet": "culture", "value": "KR"}],
            [f"{share(60)} of the replies"],
        ),
        ([{"score": 60.0}, {"score": 5.0, "facet": "language", "value": "ko"}], []),
        (
            [{"score": 5.0}, {"score": 50.0, "facet": "language", "value": "ko"}],
            [f"{share(50)} of the replies asked for in Korean"],
        ),
        (
            [
                {"score": 50.0, "facet": "language", "value": "ko"},
                {"score": 80.0, "facet": "language", "value": "az"},
            ],
            [f"{share(80)} of the replies asked for in Azerbaijani and {share(50)} of those in Korean"],
        ),
        ([{"score": 60.0}, {"score": 70.0, "profile": "paper"}], [f"{share(60)} of the replies"]),
    ],
)
def test_replies_in_another_language_are_told_where_they_are_many_by_language_if_it_is_known(
    rows: list[dict[str, Any]], said: list[str]
) -> None:
    assert told(*rows) == said


def test_the_worst_languages_are_named_and_the_others_counted() -> None:
    codes = ["am", "az", "el", "eu", "fa", "ha", "ko", "su"]
    assert len(codes) > MAX_NAMED + 1
    rows = [{"score": 20.0 + place, "facet": "language", "value": code} for place, code in enumerate(codes)]
    (sentence,) = told(*rows)
    assert sentence.startswith(f"{share(27)} of the replies asked for in Sundanese")
    assert sentence.count(" of those in ") == MAX_NAMED - 1
    assert sentence.endswith(f"{len(codes) - MAX_NAMED} further languages")


@pytest.mark.parametrize(
    ("settings", "advised"),
    [
        ("", None),
        ("seed=1", None),
        ("max_tokens=9", LEAST),
        (f"max_tokens={LEAST // MORE}", LEAST),
        (f"max_tokens={LEAST // MORE + 1}", LEAST + MORE),
        ("max_tokens=100+max_tokens=200", 200 * MORE),
        ("xmax_tokens=900,max_tokens=100", 100 * MORE),
    ],
)
def test_of_cut_replies_a_longer_limit_is_advised(settings: str, advised: int | None) -> None:
    made = {"of-both": Signature({"settings": settings})}
    rows = scores({"metric": "sem_b", "cut": 3, "truncated": 2, "failed": 1, "missing": 2})
    (sentence,) = cut_warnings(rows, made, TASKS)
    assert sentence.startswith("3 of 7 replies of lab/m on demo/saq were cut at ")
    assert ", 2 of them truncated (before an answer)" in sentence
    number = re.search(r"--max-tokens(?: (\d+))?", sentence)
    assert number and (number[1] and int(number[1])) == advised


@pytest.mark.parametrize(("limit", "by_design"), [(FEW, True), (FEW + 1, False)])
def test_a_short_limit_of_the_task_itself_cuts_by_design(limit: int, by_design: bool) -> None:
    task = next(task for task in tasks().values() if task.max_tokens == FEW)
    made = {"of-both": Signature({"settings": f"max_tokens={limit}"})}
    (sentence,) = cut_warnings(scores({"task": task.name, "cut": 1}), made, {task.name: task})
    assert ("by design" in sentence) is by_design
    assert "1 of 10 replies of lab/m" in sentence and " was cut at " in sentence


def test_profiles_with_the_same_counts_share_a_sentence_and_others_do_not() -> None:
    alike = [{"metric": "sem_b", "cut": 3, "truncated": 2, "profile": name} for name in ("paper", "strict")]
    assert len(cut_warnings(scores(*alike), {}, TASKS)) == 1
    for other in ({"cut": 4}, {"endpoint": "lab/other"}, {"n": 11}):
        rows = scores(alike[0], {**alike[1], **other})
        told = cut_warnings(rows, {}, TASKS)
        assert len(told) == 2, other
        named = [
            f" (of those judged as {name})" in line
            for name, line in zip(("paper", "strict"), told, strict=True)
        ]
        assert named == [("endpoint" not in other)] * 2, told
    unlike = scores(alike[0], {**alike[1], "truncated": 0})
    (sentence,) = cut_warnings(unlike, {}, TASKS)
    assert "2 (paper), none (strict) of them truncated (before an answer)" in sentence
    assert cut_warnings(scores({"cut": 0}, {"cut": 2, "facet": "culture", "value": "KR"}), {}, TASKS) == []


def test_replies_that_are_compared_with_several_cultures_are_said_to_count_once_for_each() -> None:
    for name in ("survey/opinions", "wvs/map", "demo/saq"):
        task = get_task(name)
        (sentence,) = cut_warnings(scores({"task": name, "cut": 3}), {}, {name: task})
        assert ("once for each culture" in sentence) is (name != "demo/saq")


def test_a_model_is_told_of_once_over_all_tasks_with_the_same_remedy() -> None:
    made = {name: Signature({"settings": f"max_tokens={limit}"}) for name, limit in (("a", 64), ("b", 48))}
    of_model = [
        {"metric": "sem_b", "cut": 3, "truncated": 2, "signature": "b"},
        {"metric": "accuracy", "task": "demo/mcq", "cut": 1, "signature": "a"},
    ]
    rows = scores(*of_model, *({**row, "endpoint": "lab/other"} for row in of_model))
    assert cut_warnings(rows, made, TASKS) == [
        f"1 of 10 replies of {model} on demo/mcq was cut at 64 tokens, none of them "
        "truncated (before an answer); 3 of 10 replies on "
        "demo/saq were cut at 48 tokens, 2 of them "
        "truncated (before an answer): ask again with --max-tokens 512."
        for model in ("lab/m", "lab/other")
    ]


def test_limits_by_design_are_told_of_once_and_apart_from_others() -> None:
    short = [task for task in tasks().values() if task.max_tokens == FEW][:2]
    made = {"of-both": Signature({"settings": f"max_tokens={FEW}"})}
    named = {task.name: task for task in short} | TASKS
    rows = scores(*({"task": task.name, "cut": 1} for task in short), {"task": "demo/mcq", "cut": 1})
    told = cut_warnings(rows, made, named)
    assert len(told) == 2 and sum("demo/mcq" in sentence for sentence in told) == 1
    (by_design,) = (sentence for sentence in told if "demo/mcq" not in sentence)
    assert all(task.name in by_design for task in short)
    assert (
        f"). These limits cut replies by design. To let models talk or think first, ask again with --max-tokens {LEAST}"
        in by_design
    )
