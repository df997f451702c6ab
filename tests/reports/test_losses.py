"""What a report says of replies that never came: of how many, what they count as, and of models that never
replied."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

from folkways.records import Metric
from folkways.reports.data import ReportData
from folkways.reports.formats.latex import render_latex
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.methods import methods_paragraph
from folkways.reports.formats.notebook import scores_html
from folkways.reports.formats.summary import coverage_notices, lede
from folkways.reports.views.views import ReportView
from tests.support.report_data import report_of, small_report
from tests.support.report_page import page_without_figures

RIGHT = Metric("right", "Right", "It is right.")
NEAR = Metric("near", "Near", "How near to people.", kind="distribution", leaves_out=True)
MODELS = ("lab/whole", "lab/partly", "lab/silent", "baseline/random")
QUESTIONS = 8


def with_losses(metric: Metric, lost: int, models: tuple[str, ...] = MODELS) -> ReportData:
    """A report in which lab/partly lacks the last ``lost`` replies, and lab/silent all of them."""
    report = small_report(metric, {(model, "KR"): 4 for model in models}, QUESTIONS, "wrong")
    number = pl.int_range(pl.len()).over("endpoint")
    gone = ((pl.col("endpoint") == "lab/partly") & (number >= QUESTIONS - lost)) | (
        pl.col("endpoint") == "lab/silent"
    )
    state = pl.when(gone).then(pl.lit("failed")).otherwise("state")
    value = pl.when(gone).then(0.0).otherwise(metric.name)
    return report_of(report.judgements.with_columns(value.alias(metric.name), state=state), metric)


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        (MODELS, "24 answers were expected; 62.5 % got a reply."),
        (MODELS[:1], "8 answers were expected; every one got a reply."),
        (MODELS[:2], "16 answers were expected; 93.8 % got a reply."),
        (MODELS[1:2] + MODELS[3:], "8 answers were expected; 87.5 % got a reply."),
        (MODELS[3:], "8 answers were expected; every one got a reply."),
    ],
)
def test_the_share_of_replies_is_of_models_whatever_baselines_are_beside_them(
    models: tuple[str, ...], sentence: str
) -> None:
    assert lede(ReportView(with_losses(RIGHT, 1, models))).replace("\u202f", " ").endswith(sentence)


@pytest.mark.parametrize("metric", [RIGHT, NEAR], ids=lambda metric: metric.kind)
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_methods_count_only_the_losses_that_a_score_counts(metric: Metric, lost: int) -> None:
    view = ReportView(with_losses(metric, lost))
    words = methods_paragraph(view, view.tasks[0])
    worth = "as unlike those of people" if metric is NEAR else "as not right too"
    replies = {
        0: "",
        1: f" 1 reply never came and counts {worth}.",
        2: f" 2 replies never came and count {worth}.",
    }
    assert ("never came" in words) == (lost > 0) and replies[lost] in words
    assert "silent never replied and has no score." in words
    nothing = pl.when(pl.col("endpoint") == "lab/whole").then(0).otherwise("n")
    unasked = ReportView(replace(view.data, scores=view.data.scores.with_columns(n=nothing)))
    assert " silent never replied and has no score." in methods_paragraph(unasked, unasked.tasks[0])
    assert ("Replies without an opinion do not count." in words) == (metric is NEAR)
    assert ("count as not right" in words) == (metric is RIGHT)


@pytest.mark.parametrize(
    ("lost", "said"), [(1, "1 answer never came and counts"), (2, "2 answers never came and count")]
)
def test_a_question_of_several_replies_is_one_answer(lost: int, said: str) -> None:
    view = ReportView(with_losses(replace(RIGHT, per="question"), lost))
    assert f" {said} as not right too." in methods_paragraph(view, view.tasks[0])


def test_a_loss_that_the_rule_leaves_out_could_not_have_moved_the_score() -> None:
    for metric, right in ((RIGHT, "been right"), (NEAR, "answered as people do")):
        data = with_losses(metric, 1)
        notice = next(text for text in coverage_notices(ReportView(data)) if "partly" in text)
        assert notice.endswith(f"The score is 50.0; had all of these {right}, it would be 62.5.")
        left_out = replace(data, scores=data.scores.with_columns(at_best="score"))
        notice = next(text for text in coverage_notices(ReportView(left_out)) if "partly" in text)
        assert notice.endswith("The score is 50.0.")


@pytest.mark.parametrize("metric", [RIGHT, NEAR], ids=lambda metric: metric.kind)
def test_no_format_shows_ends_where_there_is_no_interval(metric: Metric) -> None:
    data = with_losses(metric, 0)
    none = pl.lit(None, pl.Float64)
    for scores in (data.scores, data.scores.with_columns(low=none, high=none)):
        view = ReportView(replace(data, scores=scores))
        for words in (page_without_figures(view), render_markdown(view), scores_html(scores)):
            assert not re.search(r"– *(to|,|–) *–|\[–", re.sub("<[^>]*>", "", words))


@pytest.mark.parametrize("metric", [RIGHT, NEAR], ids=lambda metric: metric.kind)
def test_a_paper_shows_no_brackets_where_there_is_no_interval(metric: Metric) -> None:
    """Of a model that never replied, and of a score without an interval."""
    data = with_losses(metric, 0)
    words = render_latex(ReportView(data))
    assert "[--" not in words and re.search(r"silent & -- & -- &", words)
    none = pl.lit(None, pl.Float64)
    without = replace(data, scores=data.scores.with_columns(low=none, high=none))
    words = render_latex(ReportView(without))
    assert "[--" not in words and re.search(r"whole & 50\.0 & -- & 8 &", words)


@pytest.mark.parametrize(("cultures", "amount"), [(("KR", "ES"), 2), (("KR",), 1), ((None,), 0)])
def test_cultures_with_a_score_are_counted(cultures: tuple[str | None, ...], amount: int) -> None:
    report = small_report(RIGHT, {("lab/one", str(code)): 4 for code in cultures}, QUESTIONS, "wrong")
    judged = report.judgements.with_columns(culture=pl.col("culture").replace({"None": None}))
    assert ReportView(report_of(judged, RIGHT)).tasks[0].cultures == amount
