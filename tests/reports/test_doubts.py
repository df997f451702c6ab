"""What a report says of doubtful numbers, by tables of cases: of which profile it counts, which replies it marks
as lost, and which metrics a model can be ahead by."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import polars as pl
import pytest
from rich.console import Console

from folkways.records import Metric
from folkways.reports.data import ReportData
from folkways.reports.figures.charts import FEW_ITEMS
from folkways.reports.formats.site import packed_score
from folkways.reports.formats.summary import MANY_UNREADABLE, doubts
from folkways.reports.formats.terminal import terminal_summary
from folkways.reports.views.leaderboard import MOST_IN_SUMMARY, Leaderboard
from folkways.reports.views.overview import turned_round
from folkways.reports.views.views import ReportView
from tests.support.report_data import report_of, small_report

RIGHT = Metric("right", "Right", "It is right.")
QUESTIONS = 40


def with_states(states: dict[str, str], amount: int, metric: Metric = RIGHT) -> ReportData:
    """A report in which the last ``amount`` replies of each model ended in its state."""
    report = small_report(metric, dict.fromkeys(((model, "KR") for model in states), 4), QUESTIONS, "wrong")
    number = pl.int_range(pl.len()).over("endpoint")
    state = pl.when(number >= QUESTIONS - amount).then(pl.col("endpoint").replace_strict(states))
    return report_of(report.judgements.with_columns(state=state.otherwise("state")), metric)


def of_profiles(data: ReportData, *profiles: str) -> ReportData:
    """The report with the same scores in several profiles."""
    return replace(
        data, scores=pl.concat([data.scores.with_columns(profile=pl.lit(name)) for name in profiles])
    )


@pytest.mark.parametrize("profiles", [("strict",), ("strict", "paper"), ("paper", "strict", "exact")])
def test_unreadable_replies_are_counted_in_the_first_profile_alone(profiles: tuple[str, ...]) -> None:
    models = {"lab/one": "unreadable", "lab/two": "answered", "baseline/random": "unreadable"}
    data = of_profiles(with_states(models, QUESTIONS // 2), *profiles)
    (sentence,) = [text for text in doubts(ReportView(data)) if "no answer could be read" in text]
    assert sentence.startswith(
        f"one: no answer could be read out of {QUESTIONS // 2} of {QUESTIONS} replies (Task)."
    )
    assert sentence.count("(Task)") == 1


def test_of_questions_of_several_replies_those_are_counted_and_called_so() -> None:
    whole = Metric("right", "Right", "It is right.", per="question")
    (sentence,) = [
        text
        for text in doubts(ReportView(with_states({"lab/one": "unreadable"}, 9, whole)))
        if "could be read" in text
    ]
    assert sentence.startswith(
        f"one: no answer could be read out of a reply to 9 of {QUESTIONS} questions (Task)."
    )


@pytest.mark.parametrize(
    "names", [("item",) * 4, ("question",) * 4, ("item", "question", "item", "question")]
)
def test_over_many_tasks_replies_and_questions_are_added_apart(names: tuple[str, ...]) -> None:
    parts = []
    for number, per in enumerate(names):
        metric = Metric("right", "Right", "It is right.", per="question" if per == "question" else "item")
        one = with_states({"lab/one": "unreadable"}, 9, metric)
        task = {"task": pl.lit(f"t/{number}")}
        parts.append(
            (f"t/{number}", one.scores.with_columns(**task), one.judgements.with_columns(**task), metric)
        )
    data = replace(
        one,
        scores=pl.concat([scores for _, scores, *_ in parts]),
        judgements=pl.concat([judged for *_, judged, _ in parts]),
        metrics={name: (metric,) for name, *_, metric in parts},
        task_titles={name: name for name, *_ in parts},
    )
    (sentence,) = [text for text in doubts(ReportView(data)) if "could be read" in text]
    items, questions = names.count("item"), names.count("question")
    said = [f"{9 * items} of {40 * items} replies on {items} tasks"] * (items > 0)
    said += [f"a reply to {9 * questions} of {40 * questions} questions on {questions} tasks"] * (
        questions > 0
    )
    assert f"out of {' and '.join(said)}. They count as wrong" in sentence


@pytest.mark.parametrize("amount", range(0, 9))
def test_unreadable_replies_are_told_where_they_are_many(amount: int) -> None:
    view = ReportView(with_states({"lab/one": "unreadable"}, amount))
    told = any("no answer could be read" in text for text in doubts(view))
    assert told is (amount > MANY_UNREADABLE * QUESTIONS)


@pytest.mark.parametrize("state", ["refused", "unreadable", "failed", "missing"])
def test_a_terminal_colours_replies_that_never_came_and_no_others(state: str) -> None:
    console = Console(width=160, file=StringIO(), record=True, force_terminal=True, color_system="standard")
    console.print(terminal_summary(with_states({"lab/one": state, "lab/two": "answered"}, 3)))
    text = console.export_text(styles=True)
    assert f"3 {state}" in text
    coloured = f"\x1b[1;33m3 {state}" in text
    assert coloured is (state in ("failed", "missing"))


@pytest.mark.parametrize("kind", ["accuracy", "distribution"])
def test_no_model_is_ahead_by_how_near_it_is_to_people(kind: str) -> None:
    rights = {("m/a", "KR"): 35, ("m/b", "KR"): 5, ("m/a", "ET"): 30, ("m/b", "ET"): 8}
    rights |= {("m/a", "MX"): 4, ("m/b", "MX"): 33}
    view = ReportView(small_report(replace(RIGHT, kind=kind), rights, QUESTIONS, "wrong"))
    assert bool(turned_round(view, Leaderboard(view))) is (kind != "distribution")


@pytest.mark.parametrize("models", [0, 1, MOST_IN_SUMMARY, MOST_IN_SUMMARY + 2])
def test_a_summary_has_the_first_models_in_the_first_profile_or_else_baselines(models: int) -> None:
    names = [f"lab/{number:02}" for number in range(models)]
    rights = {(name, "KR"): 30 - number for number, name in enumerate(names)}
    rights |= {("baseline/first", "KR"): 35, ("baseline/random", "KR"): 39}
    data = of_profiles(small_report(RIGHT, rights, QUESTIONS, "wrong"), "strict", "paper")
    view = ReportView(data)
    rows = Leaderboard(view).first(view.tasks[0])
    endpoints = [row.counted.endpoint for row in rows if row.counted]
    assert {row.counted.profile for row in rows if row.counted} == {view.tasks[0].profile}
    expected = names[:MOST_IN_SUMMARY] or ["baseline/first", "baseline/random"]
    assert sorted(endpoints) == expected and len(endpoints) == len(rows)


@pytest.mark.parametrize(
    ("questions", "mark"), [(1, "~"), (FEW_ITEMS - 1, "~"), (FEW_ITEMS, "~"), (FEW_ITEMS + 1, "")]
)
def test_a_site_marks_scores_of_few_questions(questions: int, mark: str) -> None:
    data = small_report(RIGHT, {("lab/one", "KR"): questions // 3}, questions, "wrong")
    (task,) = ReportView(data).tasks
    (score,) = task.whole
    packed = packed_score(score)
    ends = f"|{round(score.low)}|{round(score.high)}" if score.low == score.low else ""
    assert packed == f"{mark}{round(1000 * (questions // 3) / questions)}{ends}"
    assert packed_score(None) == packed_score(replace(score, score=float("nan"))) == ""
