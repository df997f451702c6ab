"""Scores of one task as a table for the terminal, without a run around them."""

from __future__ import annotations

import polars as pl
from rich.table import Table

from folkways.benchmarks.base import Task
from folkways.reports.text import count, interval, number, percent, sized

STATES = ("answered", "refused", "unreadable", "failed", "missing")


def scores_table(task: Task, scores: pl.DataFrame) -> Table:
    """Every metric over the whole: score, interval, n, coverage, and how many items are in each state that occurs."""
    whole = {row["metric"]: row for row in scores.filter(pl.col("facet") == "all").iter_rows(named=True)}
    shown = [metric for metric in task.metrics if metric.name in whole and whole[metric.name]["n"]]
    states = [state for state in STATES if any(whole[metric.name][state] for metric in shown)]
    table = Table(title=task.title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("metric", min_width=12)
    for heading in ("score", "95 % interval", "n", "coverage", *states):
        table.add_column(heading, justify="right", no_wrap=True)
    for metric in shown:
        row = whole[metric.name]
        table.add_row(
            metric.label,
            number(row["score"], 2),
            interval(row["low"], row["high"]),
            sized(row["n"], row["effective_questions"]),
            percent(row["coverage"]),
            *(count(row[state]) for state in states),
        )
    return table
