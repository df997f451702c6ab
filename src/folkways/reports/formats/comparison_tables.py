"""A comparison laid out for people: verdicts first, then the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.tables import Table
from folkways.display import count, interval, number, one_line, p_value
from folkways.evidence.comparison import Comparison
from folkways.evidence.sentences import RANKS
from folkways.names import facet_title, value_name

MOST_MODELS = 4
"""Of more models, only those next to each other in the ranking are told pair by pair; CSV and JSON have every pair."""


class Comparisons(list[Comparison]):
    """Comparisons of several tasks, which a notebook shows as tables."""

    def _repr_html_(self) -> str:
        from folkways.reports.formats.notebook import tables_html

        return tables_html(table for comparison in self for table in comparison_tables(comparison))


def comparison_tables(comparison: Comparison) -> Iterator[Table]:
    """Tables of texts: the ranking of three models or more, each pair by groups, and how much the way of asking matters."""
    if comparison.ranking.height:
        yield _ranking(comparison)
    for first, second in told_pairs(comparison):
        yield _pair(comparison, first, second)
    if comparison.spread.filter(pl.col("source") == "variant").height:
        yield _spread(comparison)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Everything there is to tell, for JSON; what is not known is None."""
    answers = comparison.answers
    shared = [
        {"first": first, "second": second, "rows": rows, "questions": questions}
        for first, second, rows, questions in comparison.differences.filter(facet="all")
        .select("first", "second", "n", "questions")
        .iter_rows()
    ]
    return {
        **{"folkways": __version__, "task": comparison.task, "profile": comparison.profile, "metric": comparison.metric.name},
        "models": list(comparison.models),
        "verdicts": comparison.verdicts,
        "reversals": comparison.reversals.to_dicts(),
        "shared": shared,
        "expected": dict(answers.expected),
        "replied": dict(answers.replied),
        "notes": [*comparison.notes, *answers.notes(comparison.models if len(comparison.models) == 2 else None)],
        **{name: getattr(comparison, name).to_dicts() for name in ("differences", "ranking", "spread")},
    }


def told_pairs(comparison: Comparison) -> list[tuple[str, str]]:
    """The pairs that are told one by one, as they stand in the differences."""
    pairs = list(comparison.differences.select("first", "second").unique(maintain_order=True).iter_rows())
    if len(comparison.models) <= MOST_MODELS:
        return pairs
    ranked = comparison.ranking["model"].to_list()
    neighbours = {frozenset(pair) for pair in pairwise(ranked)}
    return [pair for pair in pairs if frozenset(pair) in neighbours or not set(pair) <= set(ranked)]


def _ranking(comparison: Comparison) -> Table:
    rows = [
        {
            "rank": str(row["rank"]) if row["rank_low"] == row["rank_high"] else f"{row['rank_low']} to {row['rank_high']}",
            "model": one_line(row["model"]),
            comparison.metric.label: number(row["score"]),
            "95 % interval": interval(row["low"], row["high"], " to "),
            "": "not told apart from the first" if row["level"] else "",
        }
        for row in comparison.ranking.iter_rows(named=True)
    ]
    return Table(
        "ranking",
        f"Ranking: {comparison.task}, {comparison.metric.label}",
        f"The unit is the question. {RANKS}",
        pl.DataFrame(rows),
        notes=("Scores are over the rows that all ranked models replied to.", *map(one_line, comparison.answers.notes())),
    )


def _pair(comparison: Comparison, first: str, second: str) -> Table:
    rows = comparison.differences.filter(first=first, second=second)
    whole = rows.filter(pl.col("facet") == "all").row(0, named=True)
    groups = rows.filter(pl.col("facet") == comparison.by).sort("difference", descending=True)
    shown = [_cells(row, comparison) for row in (whole, *groups.iter_rows(named=True))]
    notes = [*comparison.notes, *comparison.answers.notes((first, second))]
    several = f"; p (Holm) is corrected for the {groups['looks'][0]} groups looked at" if groups.height > 1 else ""
    return Table(
        "pair",
        f"{one_line(first)} against {one_line(second)}: {comparison.task}, {comparison.metric.label}",
        f"{one_line(whole['verdict'])}\n\nThe unit is the question ({count(whole['questions'])} of them, {count(whole['n'])} rows, "
        f"paired by item): differences are first minus second, p is below .05 where the interval does not hold 0{several}.",
        pl.DataFrame(shown),
        notes=(
            *(one_line(note) for note in notes),
            f"McNemar's exact test, by question: p {p_value(whole['p_mcnemar'])}. Effect size (Cohen's d of pairs): "
            f"{number(whole['effect'], 2)}.",
            "detectable: the true difference that these questions would find four times of five. "
            "better: questions on which the first, or the second, does better.",
        ),
    )


def _cells(row: dict[str, Any], comparison: Comparison) -> dict[str, str]:
    facet = facet_title(comparison.by)
    return {
        facet: f"all ({comparison.profile})" if row["facet"] == "all" else value_name(comparison.by, row["value"]),
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
            "model": one_line(row["model"]),
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
        notes=("A difference between groups that is no larger than between ways of asking says little about the groups.",),
    )
