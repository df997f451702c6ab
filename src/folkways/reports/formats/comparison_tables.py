"""A comparison as tables: verdicts first, then their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.tables import Table
from folkways.display import count, interval, named, number, p_value, plural, single_line
from folkways.evidence.comparison import Comparison
from folkways.evidence.contrasts import ALPHA
from folkways.names import facet_title, plain_names, value_name
from folkways.records import Metric, is_baseline

MOST_MODELS = 4
"""With more models, only neighbours in the ranking are shown as pairs; CSV and JSON have every pair."""


class Comparisons(list[Comparison]):
    """Comparisons of several tasks, shown as tables in a notebook."""

    def _repr_html_(self) -> str:
        from folkways.reports.formats.notebook import tables_html

        return tables_html(table for comparison in self for table in comparison_tables(comparison))


def comparison_tables(comparison: Comparison) -> Iterator[Table]:
    """Tables for display: two models by groups, or ranking and differences of more models; then the effect of
    prompt variants."""
    if len(comparison.models) > 2:
        if comparison.ranking.height:
            yield _ranking(comparison)
        yield _differences(comparison)
    else:
        yield _pair(comparison, *told_pairs(comparison)[0])
    if comparison.spread.filter(pl.col("source") == "variant").height:
        yield _spread(comparison)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison as JSON, with None for unknown values."""
    answers = comparison.answers
    shared = [
        {"first": first, "second": second, "rows": rows, "questions": questions}
        for first, second, rows, questions in comparison.differences.filter(facet="all")
        .select("first", "second", "n", "questions")
        .iter_rows()
    ]
    return {
        **{
            "folkways": __version__,
            "task": comparison.task,
            "profile": comparison.profile,
            "metric": comparison.metric.name,
        },
        "models": list(comparison.models),
        "verdicts": comparison.verdicts,
        "reversals": comparison.reversals.to_dicts(),
        "shared": shared,
        "expected": dict(answers.expected),
        "replied": dict(answers.replied),
        "notes": [
            *comparison.notes,
            *answers.notes(comparison.models if len(comparison.models) == 2 else None),
        ],
        **{name: getattr(comparison, name).to_dicts() for name in ("differences", "ranking", "spread")},
    }


def told_pairs(comparison: Comparison) -> list[tuple[str, str]]:
    """The pairs to show, in the order of the differences: of models, and of each model with the best
    baseline.

    With more than MOST_MODELS models, only neighbours in the ranking and pairs with an unranked model.
    """
    every = list(comparison.differences.select("first", "second").unique(maintain_order=True).iter_rows())
    best = _best_baseline(comparison)
    pairs = (
        [pair for pair in every if all(model == best or not is_baseline(model) for model in pair)]
        if best
        else every
    )
    if len(comparison.models) <= MOST_MODELS:
        return pairs
    ranked = comparison.ranking["model"].to_list()
    neighbours = {frozenset(pair) for pair in pairwise(ranked)}
    return [pair for pair in pairs if frozenset(pair) in neighbours or not set(pair) <= set(ranked)]


def _best_baseline(comparison: Comparison) -> str | None:
    """The baseline with the best score; None without baselines, or if there is nothing else."""
    baselines = [model for model in comparison.models if is_baseline(model)]
    if not baselines or len(baselines) == len(comparison.models):
        return None
    rows = comparison.differences.filter(facet="all")
    sign = -1 if comparison.metric.lower_is_better else 1
    scores = {
        row[side]: sign * row[f"{side}_score"]
        for side in ("first", "second")
        for row in rows.iter_rows(named=True)
    }
    return max(
        (model for model in baselines if model in scores), key=lambda model: scores[model], default=None
    )


def _ranking(comparison: Comparison) -> Table:
    short = plain_names(comparison.models)
    rows = [
        {
            "rank": str(row["rank"])
            if row["rank_low"] == row["rank_high"]
            else f"{row['rank_low']} to {row['rank_high']}",
            "model": single_line(short[row["model"]]),
            comparison.metric.label: number(row["score"]),
            "95 % interval": interval(row["low"], row["high"], " to "),
            "": "not told apart from the first" if row["level"] else "",
        }
        for row in comparison.ranking.iter_rows(named=True)
    ]
    return Table(
        "ranking",
        f"Ranking: {comparison.task}, {comparison.metric.label}",
        "A rank is the range of places that the paired differences leave open, by question.",
        pl.DataFrame(rows),
        notes=("Scores are over the rows that all ranked models replied to.",),
    )


def _differences(comparison: Comparison) -> Table:
    """A row for each pair over everything; the notes name the groups with a significant difference."""
    short = {model: single_line(name) for model, name in plain_names(comparison.models).items()}
    pairs = told_pairs(comparison)
    rows = comparison.differences.filter(facet="all")
    shown = [row for row in rows.iter_rows(named=True) if (row["first"], row["second"]) in pairs]
    notes = [*comparison.notes, *comparison.answers.notes(), *_of_groups(comparison, pairs)]
    return Table(
        "differences",
        f"Differences: {comparison.task}, {comparison.metric.label} ({comparison.profile})",
        "First minus second, on n questions, paired by item; p (Holm) is corrected for all pairs.",
        pl.DataFrame(
            {
                "first": short[row["first"]],
                "second": short[row["second"]],
                "difference": number(row["difference"]),
                "95 % interval": interval(row["low"], row["high"], " to "),
                "p (Holm)": p_value(row["p_holm"]),
                "n": count(row["questions"]),
            }
            for row in shown
        ),
        notes=tuple(_shortened(single_line(note), comparison) for note in notes),
    )


def _of_groups(comparison: Comparison, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Notes on groups: where pairs change places, how many differences are significant, and the command that
    shows all."""
    facet = facet_title(comparison.by)
    for first, second in pairs:
        turned = comparison.reversals.filter(first=first, second=second)
        if turned.height:
            names = named([f"{row['name']} ({row['ahead']} ahead)" for row in turned.iter_rows(named=True)])
            yield f"{first} and {second} change places in {names}."
    groups = comparison.differences.filter(pl.col("facet") == comparison.by)
    clear = groups.filter(pl.col("p_holm") < ALPHA).height
    if groups.height:
        untested = groups["p"].null_count()
        few = f"; {count(untested)} rest on too few questions for a test" if untested else ""
        yield (
            f"By {facet}, {count(clear)} of {count(groups.height)} differences hold (p below .05, "
            f"Holm{few}). Each {facet} of one pair: folkways compare MODEL MODEL"
        )


def _shortened(text: str, comparison: Comparison) -> str:
    """The text with short names of models."""
    short = plain_names(comparison.models)
    longer = sorted((model for model in short if short[model] != model), key=len, reverse=True)
    if not longer:
        return text
    return re.sub("|".join(map(re.escape, longer)), lambda match: single_line(short[match[0]]), text)


def _pair(comparison: Comparison, first: str, second: str) -> Table:
    rows = comparison.differences.filter(first=first, second=second)
    whole = rows.filter(pl.col("facet") == "all").row(0, named=True)
    groups = rows.filter(pl.col("facet") == comparison.by).sort("difference", descending=True)
    shown = [_cells(row, comparison) for row in (whole, *groups.iter_rows(named=True))]
    notes = [*comparison.notes, *comparison.answers.notes((first, second))]
    short = plain_names(comparison.models)
    several = (
        f" p (Holm) corrects for {looks} groups." if (looks := max(groups["looks"], default=0)) > 1 else ""
    )
    return Table(
        "pair",
        f"{single_line(short[first])} against {single_line(short[second])}: {comparison.task}, "
        f"{comparison.metric.label}",
        f"{_shortened(single_line(whole['verdict']), comparison)}\n"
        "\n"
        f"The unit is the question ({count(whole['questions'])} of them, {plural(whole['n'], 'row')}, "
        "paired by item). Differences are first minus second; p < .05 exactly when the interval excludes "
        f"0.{several}",
        pl.DataFrame(shown),
        notes=(
            *(_shortened(single_line(note), comparison) for note in notes),
            f"McNemar's exact test, by question: p {p_value(whole['p_mcnemar'])}. Effect size (Cohen's d of "
            f"pairs): {number(whole['effect'], 2)}.",
            "detectable: the true difference that this many questions would find four times out of five (p "
            "(Holm) below .05, if no other differs). better: questions on which the first, or the second, "
            "does better.",
            *_alike(comparison.metric),
        ),
    )


def _alike(metric: Metric) -> Iterator[str]:
    """A note on what the line of the whole counts, where groups count alike."""
    if metric.mean_over is not None:
        yield (
            f"all: every {facet_title(metric.mean_over)} counts alike, however many questions it has. "
            "better, McNemar's test and the effect size count questions, the lines below rows: they may "
            "point the other way."
        )


def _cells(row: dict[str, Any], comparison: Comparison) -> dict[str, str]:
    facet = facet_title(comparison.by)
    return {
        facet: f"all ({comparison.profile})"
        if row["facet"] == "all"
        else value_name(comparison.by, row["value"]),
        "first": number(row["first_score"]),
        "second": number(row["second_score"]),
        "difference": number(row["difference"]),
        "95 % interval": interval(row["low"], row["high"], " to "),
        "p": p_value(row["p"]),
        "p (Holm)": p_value(row["p_holm"]),
        "better": f"{row['first_better']}:{row['second_better']}",
        "detectable": number(row["detectable"]),
        "questions": count(row["questions"]),
    }


def _spread(comparison: Comparison) -> Table:
    rows = [
        {
            "model": single_line(plain_names(comparison.models)[row["model"]]),
            "over": f"{row['groups']} {facet_title(row['source'])}s",
            "lowest": f"{number(row['lowest_score'])} ({value_name(row['source'], row['lowest'])})",
            "highest": f"{number(row['highest_score'])} ({value_name(row['source'], row['highest'])})",
            "apart": number(row["range"]),
        }
        for row in comparison.spread.iter_rows(named=True)
    ]
    return Table(
        "spread",
        "How much the way of asking matters, beside what is asked about",
        "The unit is the group: a model's score on its replies in each.",
        pl.DataFrame(rows),
        notes=(
            "A difference between groups that is no larger than between ways of asking says little about "
            "the groups.",
        ),
    )
