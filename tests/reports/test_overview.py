"""The summary of a report: what turns round, what is open, and what was said, by judgements whose truth is
known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from folkways.display import number
from folkways.records import Metric
from folkways.reports.data import ReportData, RunInfo
from folkways.reports.formats.html import render_html
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.methods import method_rows
from folkways.reports.formats.summary import interval_example
from folkways.reports.views.leaderboard import MOST_IN_SUMMARY, Leaderboard
from folkways.reports.views.matrix import columns
from folkways.reports.views.overview import MAX_EXAMPLES, examples, open_orders, turned_round, uncertain
from folkways.reports.views.views import ReportView
from tests.support.report_data import small_report
from tests.support.report_page import page_without_figures, undrawn

METRIC = Metric("right", "Accuracy", "share of right answers")
QUESTIONS = 60


def report(rights: dict[tuple[str, str], int], said: str = "tea with milk") -> ReportView:
    """A report of one task: (model, culture) -> how many of QUESTIONS are right."""
    return ReportView(small_report(METRIC, rights, QUESTIONS, said))


@pytest.fixture
def two_leaders() -> ReportView:
    """``m/a`` leads in two cultures, ``m/b`` in the third."""
    return report(
        {
            ("m/a", "KR"): 55,
            ("m/b", "KR"): 20,
            ("m/a", "ET"): 50,
            ("m/b", "ET"): 15,
            ("m/a", "MX"): 10,
            ("m/b", "MX"): 45,
        }
    )


def test_a_culture_in_which_the_loser_leads_is_named(two_leaders: ReportView) -> None:
    assert turned_round(two_leaders, Leaderboard(two_leaders)) == [
        "Task: a is ahead of b overall, and behind it in Mexico."
    ]


def test_every_pair_is_looked_at_and_not_the_first_two_alone() -> None:
    """``c`` and ``d`` change places; ``a`` and ``b``, which lead, do not."""
    rights = {("m/a", "KR"): 55, ("m/b", "KR"): 50, ("m/c", "KR"): 40, ("m/d", "KR"): 5}
    rights |= {("m/a", "ET"): 55, ("m/b", "ET"): 50, ("m/c", "ET"): 5, ("m/d", "ET"): 39}
    view = report(rights)
    (sentence,) = turned_round(view, Leaderboard(view))
    assert (
        sentence
        == "Task: No difference is shown between c and d overall; c is ahead in South Korea; d is ahead "
        "in Ethiopia."
    )


def test_of_many_reversals_the_first_are_named_and_the_others_counted() -> None:
    rights = {}
    for place in range(8):
        up, down = (50, 4) if place % 2 else (4, 50)
        rights |= {(f"m/{place}", "KR"): up, (f"m/{place}", "ET"): down}
    view = report(rights)
    sentences = turned_round(view, Leaderboard(view))
    assert len(sentences) == 6
    assert (
        sentences[-1]
        == "11 further pairs of models change places in some culture; folkways compare names the cultures."
    )


def test_what_is_chance_does_not_turn_round() -> None:
    view = report({("m/a", "KR"): 40, ("m/b", "KR"): 20, ("m/a", "ET"): 29, ("m/b", "ET"): 31})
    assert turned_round(view, Leaderboard(view)) == [
        "No reversals: no model that trails overall clearly leads in any culture (1 pair of models, 2 "
        "cultures)."
    ]
    alone = report({("m/a", "KR"): 40, ("m/a", "ET"): 29})
    assert turned_round(alone, Leaderboard(alone)) == []


def test_that_nothing_turns_round_is_not_said_of_cultures_that_none_can_be_told_apart_in() -> None:
    rights = {("m/a", "KR"): 5, ("m/b", "KR"): 0, ("m/a", "ET"): 0, ("m/b", "ET"): 5}
    view = ReportView(small_report(METRIC, rights, 5, "tea with milk"))
    assert turned_round(view, Leaderboard(view)) == [
        "Whether models change places between cultures is open: there are too few questions about each to "
        "tell two models apart."
    ]


def test_a_pair_is_one_pair_however_many_tasks_it_did() -> None:
    one = report({("m/a", "KR"): 40, ("m/b", "KR"): 20, ("m/a", "ET"): 29, ("m/b", "ET"): 31}).data
    task = {"task": pl.lit("t/other")}
    data = replace(
        one,
        scores=pl.concat([one.scores, one.scores.with_columns(**task)]),
        judgements=pl.concat([one.judgements, one.judgements.with_columns(**task)]),
        metrics={**one.metrics, "t/other": one.metrics["t/t"]},
        task_titles={**one.task_titles, "t/other": "Other"},
    )
    view = ReportView(data)
    (sentence,) = turned_round(view, Leaderboard(view))
    assert "(1 pair of models, 2 cultures)" in sentence


def test_an_open_order_is_said_and_a_clear_one_is_not(two_leaders: ReportView) -> None:
    alike = report({("m/a", "KR"): 30, ("m/b", "KR"): 31, ("m/a", "ET"): 30, ("m/b", "ET"): 30})
    assert open_orders(alike, Leaderboard(alike)) == ["Which of a and b is better on Task is open."]
    assert open_orders(two_leaders, Leaderboard(two_leaders)) == []


@pytest.mark.parametrize(("right", "told"), [(16, True), (20, True), (55, False)])
def test_a_model_that_is_no_better_than_guessing_is_told(right: int, told: bool) -> None:
    view = report({("m/a", "KR"): right, ("baseline/first", "KR"): 18})
    sentences = uncertain(view, Leaderboard(view))
    assert ("On Task no model is clearly better than guessing." in sentences) is told


def test_wide_intervals_of_cultures_are_counted() -> None:
    few = ReportView(small_report(METRIC, {("m/a", "KR"): 3, ("m/a", "ET"): 2}, 6, "tea"))
    (sentence,) = uncertain(few, Leaderboard(few))
    assert sentence.startswith("2 of 2 scores of single cultures are uncertain by more than 20 points")


def test_examples_are_wrong_answers_of_the_leading_model_least_known_culture_first(
    two_leaders: ReportView,
) -> None:
    found = examples(two_leaders)
    assert [example.culture for example in found] == ["Mexico", "Ethiopia", "South Korea"]
    assert {(example.model, example.reply, example.gold) for example in found} == {
        ("a", "tea with milk", "gold")
    }
    judged = two_leaders.data.judgements
    for example in found:
        row = judged.filter(pl.col("text") == example.question, endpoint="m/a").row(0, named=True)
        assert row["right"] == 0


def test_how_many_answers_a_reply_lists_makes_it_no_less_wrong(two_leaders: ReportView) -> None:
    listed = Metric("answers_given", "Answers given", "", kind="mean", scale=1.0, bounds=None)
    metrics = {task: (*known, listed) for task, known in two_leaders.data.metrics.items()}
    judged = two_leaders.data.judgements.with_columns(answers_given=pl.lit(2.0))
    assert (
        examples(ReportView(replace(two_leaders.data, metrics=metrics, judgements=judged)))
        == examples(two_leaders)
        != []
    )


@pytest.mark.parametrize("said", ["A", "x" * 400, "   "])
def test_a_reply_that_tells_a_reader_nothing_is_no_example(said: str) -> None:
    assert examples(report({("m/a", "KR"): 3, ("m/a", "ET"): 2}, said)) == []


def test_a_letter_is_an_example_where_its_option_is_known() -> None:
    base = report({("m/a", "KR"): 3, ("m/a", "ET"): 2}, "D").data
    told = "said D. durian; right: A. orange"
    judged = base.judgements.with_columns(chosen_option=pl.lit("D"), reason=pl.lit(told))
    view = ReportView(replace(base, judgements=judged))
    assert {(example.reply, example.read) for example in examples(view)} == {("D", told)}
    assert told in page_without_figures(view)


def test_many_cultures_give_few_examples_and_control_characters_are_written_out(data: ReportData) -> None:
    codes = ["KR", "ET", "MX", "US", "GB", "CN", "IR", "DZ"]
    found = examples(report({("m/a", code): 10 for code in codes}, "tea\u202e"))
    assert len(found) == MAX_EXAMPLES
    assert {example.reply for example in found} == {"tea⟨U+202E⟩"}


def test_baselines_are_no_models_of_a_summary(data: ReportData) -> None:
    view = ReportView(data)
    board = Leaderboard(view)
    for task in view.tasks:
        first = board.first(task)
        assert [row.counted.endpoint for row in first if row.counted] == list(task.models[:MOST_IN_SUMMARY])


def references(view: ReportView) -> tuple[float, str | None, float]:
    """Of the one task: chance, the best baseline's name, and what no knowledge scores."""
    board, (task,) = Leaderboard(view), view.tasks
    best = board.best_baseline(task)
    return board.chance(task), best and view.short[best.endpoint], board.guessing(task)


ASKED = {("m/a", "KR"): 40, ("baseline/first", "KR"): 18, ("baseline/random", "KR"): 12}


@pytest.mark.parametrize(
    ("rights", "chance", "computed", "expected"),
    [
        pytest.param(
            ASKED,
            25.0,
            set(),
            (25.0, "baseline first", 25.0),
            id="both are two things: chance is no baseline's luck",
        ),
        pytest.param(ASKED, None, set(), (math.nan, "baseline first", 30.0), id="without options no chance"),
        pytest.param(
            ASKED, 25.0, {"baseline/first"}, (25.0, "baseline random", 25.0), id="computed: not the run's"
        ),
        pytest.param(
            ASKED, None, {"baseline/first", "baseline/random"}, (math.nan, None, 30.0), id="none asked"
        ),
        pytest.param({("m/a", "KR"): 40}, 25.0, set(), (25.0, None, 25.0), id="chance without any baseline"),
        pytest.param({("m/a", "KR"): 40}, None, set(), (math.nan, None, math.nan), id="neither"),
    ],
)
def test_chance_and_the_best_baseline_are_two_columns(
    rights: dict[tuple[str, str], int],
    chance: float | None,
    computed: set[str],
    expected: tuple[float, str | None, float],
) -> None:
    base = report(rights)
    (task,) = base.tasks
    asked = tuple(name for name in base.endpoints if name not in computed)
    run = RunInfo("run-1", "2026-11-01", "finished", asked, (task.task,), None, 60, 1.0, "1.0")
    view = ReportView(replace(base.data, runs=(run,), chance={} if chance is None else {task.task: chance}))
    found = references(view)
    assert found[1] == expected[1]
    assert (found[0], found[2]) == pytest.approx((expected[0], expected[2]), nan_ok=True)
    page = page_without_figures(view)
    assert ('<th scope="row">Guessing</th>' in page) == (chance is not None)
    matrix = page[page.index('id="matrix"') : page.index("</table>")]
    assert {name for name in ("first", "random") if f"baseline {name}" in matrix} == {
        name.removeprefix("baseline/") for name, _ in rights if name.startswith("baseline/")
    }
    summary = render_markdown(view).split("## Summary")[1].split("\n## ")[0]
    wanted = [*(["Chance"] if chance is not None else []), *(["Best baseline"] if expected[1] else [])]
    row = next(line for line in summary.splitlines() if line.startswith("| Task |"))
    assert [name for name in ("Chance", "Best baseline") if f"| {name} |" in row] == wanted
    if expected[1]:
        name = expected[1].removeprefix("baseline ")
        share = number(100 * rights[f"baseline/{name}", "KR"] / QUESTIONS)
        assert f"| {share} ({name}) |" in summary


def test_the_score_that_explains_intervals_is_of_the_group_that_it_names() -> None:
    """As of blend/saq, whose headline is by language: the score over both languages is another number."""
    base = small_report(METRIC, {("m/a", "KR"): 20, ("m/a", "ET"): 41}, QUESTIONS, "tea")
    apart = ReportView(replace(base, headline_by=dict.fromkeys(base.metrics, "culture")))
    for view, group in ((ReportView(base), ""), (apart, ", South Korea")):
        (first, *_) = matrix = columns(view, Leaderboard(view))
        share = number(first.scores["m/a"].score)
        assert interval_example(view, matrix).startswith(f"a scored {share} on Task{group}. Other questions")


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_each_group_of_a_headline_and_the_whole_stand_beside_the_baseline_of_the_same(
    lower_is_better: bool,
) -> None:
    """What a baseline scores in one group says nothing of guessing in another, nor over both."""
    rights = {
        ("m/a", "KR"): 20,
        ("m/a", "ET"): 41,
        ("baseline/random", "KR"): 5,
        ("baseline/random", "ET"): 40,
    }
    if lower_is_better:
        rights = {key: QUESTIONS - right for key, right in rights.items()}
    metric = replace(METRIC, lower_is_better=lower_is_better)
    base = small_report(metric, rights, QUESTIONS, "tea")
    view = ReportView(replace(base, headline_by=dict.fromkeys(base.metrics, "culture"), chance={}))
    shares = {code: 100 * rights["baseline/random", code] / QUESTIONS for code in ("KR", "ET")}
    board, (task,) = Leaderboard(view), view.tasks
    guesses = {code: board.guessing(task, ("culture", code)) for code in shares}
    assert guesses == pytest.approx(shares)
    assert board.guessing(task) == pytest.approx(sum(shares.values()) / 2)
    assert not [sentence for sentence in uncertain(view, board) if "guessing" in sentence]
    summary = render_markdown(view).split("## Summary")[1].split("\n## ")[0]
    for code, name in (("KR", "South Korea"), ("ET", "Ethiopia")):
        (row,) = [line for line in summary.splitlines() if f"| a, {name} |" in line]
        assert f"| {number(shares[code])} (random) |" in row


def test_methods_name_tasks_only_where_they_differ(data: ReportData) -> None:
    view = ReportView(data)
    rows: dict[str, Any] = dict(method_rows(view))
    assert [whose for _, whose in rows["Software"]] == [""]
    for told in rows.values():
        assert (
            len(told) == 1
            or all(whose for _, whose in told)
            or len({words for words, _ in told}) == len(told)
        )
    one = ReportView(replace(data, scores=data.scores.filter(task="blend/saq", profile="paper")))
    assert all(len(told) == 1 or heading == "Intervals" for heading, told in method_rows(one))


def test_what_was_chosen_stands_with_letter_and_text_on_both_sides(two_leaders: ReportView) -> None:
    chosen = two_leaders.data.judgements.with_columns(
        chosen_option=pl.lit("D"),
        reason=pl.lit("said D. durian; right: A. orange"),
        response=pl.lit('{"answer_choice": "D"}'),
    )
    view = ReportView(replace(two_leaders.data, judgements=chosen))
    assert {example.read for example in examples(view)} == {"said D. durian; right: A. orange"}
    assert "said D. durian; right: A. orange" in page_without_figures(view)
    assert {example.read for example in examples(two_leaders)} == {""}


def test_a_page_says_which_models_change_places_whoever_works_it_out(one_task: ReportData) -> None:
    view = ReportView(one_task)
    sentences = turned_round(view, Leaderboard(view))
    assert sentences
    pages = {
        how: render_html(view, undrawn(view), turned=turned)
        for how, turned in (("itself", None), ("caller", sentences), ("nobody", []))
    }
    assert pages["itself"] == pages["caller"] != pages["nobody"]
