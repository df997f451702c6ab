"""Scores of one task as a table for the terminal, without a run around them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
from rich.table import Column, Table

from folkways.benchmarks.base import Task
from folkways.display import count, interval, number, percent, reasons, shown_n
from folkways.errors import UnknownNameError
from folkways.names import facet_title, value_name
from folkways.records import headline_of

STATES = ("refused", "unreadable", "truncated", "failed", "missing")
"""How an expected item ends that has no answer."""

LOST = "not answered"
"""The heading of the column that counts those."""


def table_of_numbers(first: str | Column, numbers: Iterable[str], **look: Any) -> Table:
    """A table without lines: a column that says what the rows are about, then columns of numbers."""
    columns = [Column(heading, justify="right", no_wrap=True) for heading in numbers]
    return Table(first, *columns, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", **look)


def scores_table(task: Task, scores: pl.DataFrame) -> Table:
    """Every metric over the whole: score, interval, n, coverage, the items without an answer by state, and
    what the profile leaves out. In a narrow terminal the last column has several lines."""
    whole = {row["metric"]: row for row in scores.filter(pl.col("facet") == "all").iter_rows(named=True)}
    shown = [metric for metric in task.metrics if metric.name in whole and whole[metric.name]["n"]]
    numbers = ("score", "95 % interval", "n", "coverage")
    table = table_of_numbers(Column("metric", min_width=12), numbers, title=task.title, title_justify="left")
    table.add_column(LOST, min_width=len("unreadable,"))
    headline = headline_of(task.metrics, whole)
    apart = scores.filter(facet=headline.headline_by or "", metric=headline.name)
    groups = [
        (f"{headline.label}, {value_name(row['facet'], row['value'])}", row)
        for row in apart.iter_rows(named=True)
    ]
    rows = [(metric.label, whole[metric.name]) for metric in shown if not (groups and metric is headline)]
    for label, row in (*groups, *rows):
        table.add_row(
            label,
            number(row["score"], 2),
            interval(row["low"], row["high"]),
            shown_n(row["n"], row["left_out"], row["effective_questions"]),
            percent(row["coverage"]),
            ", ".join(f"{count(row[state])} {state}" for state in STATES if row[state]),
        )
    left_out: dict[str, list[str]] = {}
    for metric in shown:
        if why := whole[metric.name]["why_left_out"]:
            left_out.setdefault(reasons(why), []).append(metric.label)
    if left_out:
        table.caption = "\n".join(
            f"{', '.join(labels)}: the profile leaves out {why}" for why, labels in left_out.items()
        )
        table.caption_justify = "left"
    return table


def facet_table(task: Task, scores: pl.DataFrame, facet: str) -> Table:
    """The task's headline for each value of a facet: score, interval, n, coverage. UnknownNameError for a
    facet without scores."""
    headline = headline_of(task.metrics, scores["metric"])
    of_metric = scores.filter(pl.col("metric") == headline.name)
    facets = of_metric["facet"].unique(maintain_order=True).to_list()
    if facet not in facets:
        raise UnknownNameError(
            f"facet of {task.name} in these replies", facet, [name for name in facets if name != "all"]
        )
    numbers = (headline.label, "95 % interval", "n", "coverage")
    table = table_of_numbers(Column(facet_title(facet), no_wrap=True), numbers)
    for row in of_metric.filter(pl.col("facet") == facet).iter_rows(named=True):
        of = shown_n(row["n"], row["left_out"], row["effective_questions"])
        cells = (number(row["score"], 2), interval(row["low"], row["high"]), of, percent(row["coverage"]))
        table.add_row(value_name(facet, row["value"]), *cells)
    return table
