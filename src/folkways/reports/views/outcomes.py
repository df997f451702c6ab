"""How questions ended: which share was answered, refused, unreadable, truncated, failed or missing, by model
and by culture."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from folkways.benchmarks.tables import Layout
from folkways.display import count, number, one_line
from folkways.records import State
from folkways.reports.figures.analysis_charts import heat_map
from folkways.reports.figures.chart_parts import MAX_SERIES, MUTED, Spec, axis_y, spec
from folkways.reports.figures.figure import Figure, make_figure
from folkways.reports.views.grids import Cell, Grid
from folkways.reports.views.views import ReportView, Score, TaskView

COLOURS = {
    State.ANSWERED: "var(--heat-4)",
    State.REFUSED: "var(--series-4)",
    State.UNREADABLE: "var(--series-2)",
    State.TRUNCATED: "var(--series-5)",
    State.FAILED: "var(--bad)",
    State.MISSING: MUTED,
}
MAX_BARS = 12
"""Models of a task with a bar at most; the tables have the rest."""

SHARES = Layout("culture", "endpoint", "share")


def outcome_figures(view: ReportView) -> list[Figure]:
    """One figure of all tasks, and for each task whose questions did not all end answered one by culture."""
    tasks = [task for task in view.tasks if task.whole]
    if not tasks:
        return []
    return [_bars(view, tasks), *(figure for task in tasks for figure in _by_culture(view, task))]


def _headline(task: TaskView) -> list[Score]:
    """The scores whose states are shown: of models, or of baselines where there are no models."""
    whole = [score for score in task.whole if score.profile == task.profile]
    return [score for score in whole if not score.baseline][:MAX_BARS] or whole[:MAX_BARS]


def _bars(view: ReportView, tasks: list[TaskView]) -> Figure:
    rows = [
        {
            "task": one_line(task.title),
            "group": view.short[score.endpoint],
            "state": state.value,
            "order": order,
            "share": 100 * getattr(score, state.value) / score.n,
        }
        for task in tasks
        for score in _headline(task)
        if score.n
        for order, state in enumerate(State)
    ]
    totals = {
        state: sum(getattr(score, state.value) for task in tasks for score in _headline(task))
        for state in State
    }
    told = ", ".join(f"{count(amount)} {state.value}" for state, amount in totals.items() if amount)
    names = list(dict.fromkeys(row["group"] for row in rows))
    return make_figure(
        "outcomes",
        "How the questions ended",
        "One bar per model; its parts are shares of all answers that were expected.",
        f"Over all tasks: {told}.",
        lambda width, _: _stacked(rows, names, [one_line(task.title) for task in tasks], width),
    )


def _stacked(rows: list[Spec], names: list[str], titles: list[str], width: int) -> Spec:
    states = [state.value for state in State]
    legend = {"columns": 1 if width < 300 else 6}
    return spec(
        data={"values": rows},
        facet={
            "row": {
                "field": "task",
                "type": "nominal",
                "sort": titles,
                "title": None,
                "header": {
                    "labelAngle": 0, "labelAlign": "left", "labelAnchor": "start", "labelOrient": "top", "labelFontSize": 12.5,
                    "labelColor": "var(--ink)", "labelFontWeight": 600, "labelPadding": 4, "labelLimit": width + 190,
                },
            }
        },
        spacing=14,
        resolve={"scale": {"y": "independent"}},
        spec={
            "width": width,
            "height": {"step": 22},
            "mark": {"type": "bar", "stroke": "var(--paper)", "strokeWidth": 1},
            "encoding": {
                "y": axis_y(names),
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "stack": "zero",
                    "title": None,
                    "scale": {"domain": [0, 100]},
                    "axis": {"values": [0, 25, 50, 75, 100], "labelExpr": "datum.value + ' %'"},
                },
                "color": {
                    "field": "state",
                    "scale": {"domain": states, "range": [COLOURS[state] for state in State]},
                    "legend": legend,
                },
                "order": {"field": "order"},
            },
        },
    )  # fmt: skip


def _by_culture(view: ReportView, task: TaskView) -> Iterator[Figure]:
    """The share without an answer of each culture and model; nothing where every question of a task was
    answered."""
    if "culture" not in task.facets:
        return
    facet = task.facets["culture"]
    shown = (task.models or task.endpoints)[:MAX_SERIES]
    rows = [(value, [facet.scores.get((value, name)) for name in shown]) for value in facet.values]
    lost = [score.n - score.answered for _, scores in rows for score in scores if score is not None]
    if len(rows) < 2 or not any(lost):
        return
    any_left_out = any(score.left_out for _, scores in rows for score in scores if score is not None)
    grid = Grid(
        "",
        ("culture", *(view.short[name] for name in shown)),
        tuple((Cell(facet.name(value)), *(_share(score) for score in scores)) for value, scores in rows),
        SHARES,
        pl.DataFrame(),
    )
    worst = max(
        (cell.value, row[0].text, column)
        for row in grid.rows
        for column, cell in zip(grid.columns[1:], row[1:], strict=True)
        if cell.value is not None
    )
    yield make_figure(
        f"{task.slug}-without-answer",
        f"{task.title}, without an answer, by culture",
        "The share of expected answers, in percent, that were refused, unreadable, truncated, failed or "
        "missing. "
        + (
            "The profile leaves some of them out of the score."
            if any_left_out
            else "They count as not right."
        ),
        f"Most of all {number(worst[0])}\u202f% ({worst[1]}, {worst[2]}).",
        lambda width, _: heat_map(grid, SHARES, width),
        of=task.title,
    )


def _share(score: Score | None) -> Cell:
    if score is None or not score.n:
        return Cell("")
    share = 100 * (score.n - score.answered) / score.n
    return Cell(number(share), share, n=score.questions)
