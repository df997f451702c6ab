from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import polars as pl

from folkways.names import short_endpoint, short_endpoints, value_name
from folkways.reports.data import ReportData
from folkways.reports.figures.charts import by_group, language_pairs
from folkways.reports.figures.drawings import draw
from folkways.reports.figures.figure import task_figures
from folkways.reports.figures.world import WorldMap
from folkways.reports.formats.html import render_html
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.methods import explain
from folkways.reports.formats.summary import coverage_notices, gaps, lede
from folkways.reports.views.judgement_sample import MAX_CHARACTERS, Sample, take_sample
from folkways.reports.views.views import ReportView
from tests.support.many_models import many
from tests.support.report_data import Shape, signed, simulate, with_judgement


def _columns(sample: Sample) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(sample.packed)))
    return found


def _column(sample: dict[str, Any], name: str) -> list[object]:
    column = sample[name]
    return column if isinstance(column, list) else [column["values"][code] for code in column["codes"]]


def test_models_come_before_baselines_and_best_first(data: ReportData) -> None:
    for task in ReportView(data).tasks:
        models = [score for score in task.whole if not score.baseline]
        assert [score.baseline for score in task.whole] == sorted(score.baseline for score in task.whole)
        assert [score.score for score in models] == sorted((score.score for score in models), reverse=True)


def test_groups_are_sorted_by_the_leading_model(data: ReportData) -> None:
    task = ReportView(data).tasks[0]
    view = task.facets["culture"]
    scores = [view.scores[value, task.endpoints[0]].score for value in view.values]
    assert scores == sorted(scores, reverse=True)


def test_every_profile_has_its_row(data: ReportData) -> None:
    strict = data.scores.with_columns(
        profile=pl.lit("strict"), score=pl.col("score") + 1, signature=pl.col("signature") + "|x:1"
    )
    task = ReportView(replace(data, scores=pl.concat([data.scores, strict]))).tasks[0]
    assert task.profiles == ("paper", "strict")
    assert len(task.whole) == 2 * len(task.endpoints)
    assert {score.profile for view in task.facets.values() for score in view.scores.values()} == {"paper"}


def test_every_signature_of_a_score_has_a_mark(data: ReportData) -> None:
    view = ReportView(data)
    assert set(view.signatures) == set(data.scores["signature"])
    assert sorted(view.signatures.values()) == sorted(
        f"S{number}" for number in range(1, len(view.signatures) + 1)
    )


def test_notices_speak_of_every_incomplete_score_and_of_no_other(data: ReportData) -> None:
    view = ReportView(data)
    whole = data.scores.filter(facet="all")
    expected = whole.filter(pl.col("coverage") < 1).select("endpoint", "task").unique().height
    assert len(coverage_notices(view)) == expected > 0
    assert len(gaps(view)) == 1 and "llama" in gaps(view)[0]
    full = replace(
        data,
        scores=data.scores.with_columns(
            failed=pl.lit(0, pl.Int64), missing=pl.lit(0, pl.Int64), coverage=pl.lit(1.0)
        ),
    )
    assert coverage_notices(ReportView(full)) == gaps(ReportView(full)) == []
    assert "every one got a reply" in lede(ReportView(full))


def test_charts_carry_the_scores(data: ReportData) -> None:
    view = ReportView(data)
    task = view.tasks[0]
    drawn = by_group(task, task.facets["culture"], view.short, 400)["layer"][2]["data"]["values"]
    found = {(row["group"], row["series"]): row["score"] for row in drawn}
    rows = data.scores.filter(task=task.task, metric=task.metric.name, facet="culture").filter(
        ~pl.col("endpoint").str.starts_with("baseline/")
    )
    expected = {
        (value_name("culture", row["value"]), view.short[row["endpoint"]]): row["score"]
        for row in rows.iter_rows(named=True)
    }
    assert found == expected


def test_own_language_and_english_are_paired(data: ReportData) -> None:
    pairs = language_pairs(ReportView(data).tasks[0])
    assert pairs["KR"] == ("KR+ko", "KR+en")
    assert "US" not in pairs and len(pairs) == 14


def test_figures_cover_culture_language_facet_and_map(data: ReportData) -> None:
    view = ReportView(data)
    figures = task_figures(view.tasks[0], view.short)
    assert {section: len(drawn) for section, drawn in figures.items()} == {
        "culture": 1,
        "language": 2,
        "facet": 1,
        "map": 2,
        "more": 0,
    }
    slugs = [figure.slug for drawn in figures.values() for figure in drawn]
    assert len(set(slugs)) == len(slugs)


def test_a_model_that_was_asked_about_one_culture_has_no_map_and_breaks_nothing(data: ReportData) -> None:
    """As in a report of two runs, of which one asked a single culture."""
    narrow = data.scores["endpoint"][0]
    rest = data.scores.filter((pl.col("endpoint") != narrow) | ~pl.col("facet").str.starts_with("culture+"))
    before, after = (draw(ReportView(replace(data, scores=scores))).tasks for scores in (data.scores, rest))
    assert any(sections["map"] for sections in before.values())
    for task, sections in after.items():
        assert len(sections["map"]) <= len(before[task]["map"])
        assert all(figure.finding for figure in (*sections["map"], *sections["language"]))


def test_figures_of_models_with_names_alike_have_files_of_their_own() -> None:
    """On disks for which capitals and small letters are the same, too."""
    alike = dict.fromkeys(("a/模型", "a/모델", "a/b.c", "a/B.C"), 0.0)
    view = ReportView(simulate(Shape(saq=2), alike, ("blend/saq",)))
    slugs = [
        figure.slug.casefold()
        for sections in draw(view).tasks.values()
        for figures in sections.values()
        for figure in figures
    ]
    assert len(slugs) == len(set(slugs)) > len(alike)


def test_the_sample_is_bounded_spread_and_repeatable(data: ReportData) -> None:
    sample = take_sample(ReportView(data), max_rows=300)
    assert sample.rows == 300 < sample.total
    assert set(_column(_columns(sample), "task")) == set(data.metrics)
    assert {"failed", "missing", "refused", "unreadable", "answered"} == set(
        _column(_columns(sample), "state")
    )
    assert not any(str(name).startswith("baseline") for name in _column(_columns(sample), "endpoint"))
    again = take_sample(ReportView(data), max_rows=300)
    assert sample.packed == again.packed


def test_the_sample_judges_by_the_headline_metric(data: ReportData) -> None:
    columns = _columns(take_sample(ReportView(data), max_rows=10**6))
    found = Counter(zip(_column(columns, "task"), _column(columns, "outcome"), strict=True))
    models = data.judgements.filter(~pl.col("endpoint").str.starts_with("baseline/"))
    for task, metrics in data.metrics.items():
        right = models.filter(pl.col("task") == task).select((pl.col(metrics[0].name) >= 1).sum()).item()
        assert found[task, "right"] == right > 0


def test_long_texts_are_cut_in_the_sample(data: ReportData) -> None:
    long = with_judgement(data, response="ж" * 5000)
    replies = [
        text for text in _column(_columns(take_sample(ReportView(long), max_rows=10**6)), "response") if text
    ]
    assert max(len(str(text)) for text in replies) == MAX_CHARACTERS


def test_methods_say_what_the_signature_says() -> None:
    signature = "task:blend/saq|data:blend@24e7d73#1a2b|lang:en+ko|prompts:release+file:mine.csv|profile:strict|text-ko:okt:1.2|odd_key:x"
    words = dict(explain(signed(signature)))
    assert words["Languages"] == "English, Korean"
    assert words["Text, Korean"] == "okt:1.2"
    assert words["Prompt text"] == "the authors’ wording, wording from the user’s file:mine.csv"
    assert "fixed" in words["Judging"]
    assert words["Odd key"] == "x"


def test_short_names_stay_apart() -> None:
    names = ("http://a:1/v1#org/llama", "http://b:2/v1#org/llama", "openai/gpt-4o", "baseline/constant:A/B")
    short = short_endpoints(names)
    assert len(set(short.values())) == 4
    assert short["openai/gpt-4o"] == "gpt-4o"
    assert short_endpoint("replay:runs/llama-3.1.recorded.jsonl") == "replay llama-3.1"
    assert short_endpoint(r"replay:C:\runs\llama.csv") == "replay llama"
    assert short_endpoint("replay:.csv") == "replay .csv"
    assert short["baseline/constant:A/B"] == "baseline constant:A/B"


def test_a_model_that_was_never_reached_has_a_dash_and_no_place(data: ReportData) -> None:
    """Its score is not known: it is not zero, it is not drawn, and it comes last."""
    unreached = pl.col("endpoint") == "openai/gpt-4o-mini"
    unknown = {
        name: pl.when(unreached).then(float("nan")).otherwise(name) for name in ("score", "low", "high")
    }
    counts = {
        name: pl.when(unreached).then(pl.lit(0, pl.Int64)).otherwise(name)
        for name in ("answered", "refused", "unreadable", "failed")
    }
    scores = data.scores.with_columns(
        **unknown,
        **counts,
        missing=pl.when(unreached).then("n").otherwise("missing"),
        coverage=pl.when(unreached).then(0.0).otherwise("coverage"),
    ).filter(unreached | pl.col("endpoint").str.starts_with("http"))
    view = ReportView(replace(data, scores=scores))
    task = view.tasks[0]
    assert task.models[-1] == "openai/gpt-4o-mini"
    drawings = draw(view)
    page = render_html(view, drawings).replace("<wbr>", "")
    row = re.search(r'<th scope="row"><span class="name">gpt-4o-mini</span>.*?</tr>', page, re.DOTALL)
    assert row and '<td class="num score">–</td>' in row[0] and "0\u202f%" in row[0]
    assert "| openai/gpt-4o-mini | SEM-B | – |" in render_markdown(view)
    for drawing in drawings:
        assert "NaN" not in drawing.wide + drawing.finding and "nan" not in drawing.finding, drawing.slug
    assert not any(
        variant.endpoint == "openai/gpt-4o-mini" and "highest" in variant.finding(view.short)
        for variant in WorldMap(view).variants
    )


def test_tables_have_ten_models_at_most() -> None:
    for models in (9, 10, 11):
        made = many(models=models, tasks=1, rows=4_000)
        (task,) = ReportView(made).tasks
        assert len(task.endpoints) == models and task.shown == task.endpoints[: min(models, 10)]
