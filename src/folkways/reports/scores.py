"""Scores of one task as a table for the terminal, without a run around them."""

from __future__ import annotations

import polars as pl
from rich.table import Table

from folkways.benchmarks.base import Task
from folkways.reports.text import count, number, percent

STATES = ("answered", "refused", "unreadable", "failed", "missing")


def scores_table(task: Task, scores: pl.DataFrame) -> Table:
    """Every metric over the whole: score, interval, n, coverage and the number of items in each state."""
    table = Table(title=task.title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("metric")
    for heading in ("score", "95 % interval", "n", "coverage", *STATES):
        table.add_column(heading, justify="right", no_wrap=True)
    whole = {row["metric"]: row for row in scores.filter(pl.col("facet") == "all").iter_rows(named=True)}
    for metric in task.metrics:
        row = whole.get(metric.name)
        if row is None or not row["n"]:
            continue
        table.add_row(
            metric.label,
            number(row["score"], 2),
            f"{number(row['low'], 2)} – {number(row['high'], 2)}",
            count(row["n"]),
            percent(row["coverage"]),
            *(count(row[state]) for state in STATES),
        )
    return table
