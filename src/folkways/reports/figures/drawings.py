"""All figures of a report: tasks, world map, states of items, and analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from folkways.benchmarks.tables import Layout
from folkways.display import count, number, single_line
from folkways.records import State
from folkways.reports.figures.analysis_figures import ResultView, heat_map, result_views
from folkways.reports.figures.charts import MAX_SERIES, MUTED, Spec, axis_y, spec
from folkways.reports.figures.figure import Figure, make_figure, render, task_figures
from folkways.reports.figures.world import Variant, WorldMap
from folkways.reports.figures.world_chart import marked, world
from folkways.reports.views.grids import Cell, Grid
from folkways.reports.views.leaderboard import Leaderboard
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
"""Maximum number of models with a bar; the tables have all."""

SHARES = Layout("culture", "endpoint", "share")


def outcome_figures(view: ReportView) -> list[Figure]:
    """A figure of all tasks, and one by culture for each task with questions that were not answered."""
    tasks = [task for task in view.tasks if task.whole]
    if not tasks:
        return []
    return [_bars(view, tasks), *(figure for task in tasks for figure in _by_culture(view, task))]


def _headline(task: TaskView) -> list[Score]:
    """The scores whose states are shown: of models, or of baselines if there are no models."""
    whole = [score for score in task.whole if score.profile == task.profile]
    return [score for score in whole if not score.baseline][:MAX_BARS] or whole[:MAX_BARS]


def _bars(view: ReportView, tasks: list[TaskView]) -> Figure:
    rows = [
        {
            "task": single_line(task.title),
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
    amounts = ", ".join(f"{count(amount)} {state.value}" for state, amount in totals.items() if amount)
    names = list(dict.fromkeys(row["group"] for row in rows))
    return make_figure(
        "outcomes",
        "How the questions ended",
        "One bar per model; its parts are shares of all answers that were expected.",
        f"Over all tasks: {amounts}.",
        lambda width, _: _stacked(rows, names, [single_line(task.title) for task in tasks], width),
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
    """The share of unanswered questions of each culture and model; nothing if every question was answered."""
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


WORLD_WIDE, WORLD_NARROW = 960, 330
WORLD_CAPTION = (
    "Darker is higher in the light theme, lighter in the dark one; the more hatched a place, the "
    "wider its 95\u202f% interval. "
    "Dots are parts of countries and places too small to see; dashed outlines are cultures of many "
    "countries. Borders are Natural "
    "Earth’s and take no side in any dispute."
)


@dataclass(frozen=True)
class Drawings:
    """The figures of a report.

    tasks: task -> section -> figures.
    leaderboard: has the figures of models among published ones.
    outcomes: states of items.
    analyses: with tables and figures.
    world: the map in its first state; None without one.
    worlds: a map of each task, for files.
    """

    tasks: Mapping[str, Mapping[str, list[Figure]]]
    leaderboard: Leaderboard
    outcomes: Sequence[Figure]
    analyses: Sequence[ResultView]
    world: Figure | None
    worlds: tuple[Figure, ...]

    @property
    def of_papers(self) -> list[ResultView]:
        """The analyses of single benchmarks."""
        return [analysis for analysis in self.analyses if not analysis.result.across_benchmarks]

    @property
    def across(self) -> list[ResultView]:
        """The analyses over several benchmarks."""
        return [analysis for analysis in self.analyses if analysis.result.across_benchmarks]

    def __iter__(self) -> Iterator[Figure]:
        """All figures that are also written as files."""
        yield from self.worlds
        for sections in self.tasks.values():
            for figures in sections.values():
                yield from figures
        yield from (
            neighbours.figure for neighbours in self.leaderboard.published.neighbours if neighbours.figure
        )
        yield from self.outcomes
        for analysis in self.analyses:
            for table in analysis.tables:
                yield from table.figures


def draw(view: ReportView, leaderboard: Leaderboard | None = None) -> Drawings:
    """All figures of the report. leaderboard: that of the view, if the caller has it already."""
    world_map = WorldMap(view)
    return Drawings(
        tasks={task.task: task_figures(task, view.short) for task in view.tasks},
        leaderboard=leaderboard if leaderboard is not None else Leaderboard(view),
        outcomes=outcome_figures(view),
        analyses=result_views(view.data.results, view.short),
        world=_world(world_map, world_map.first, view, "world") if world_map.first else None,
        worlds=tuple(_worlds(world_map, view)),
    )


def _worlds(world_map: WorldMap, view: ReportView) -> Iterator[Figure]:
    """The map of each task's leading model, for files."""
    drawn: set[str] = set()
    for variant in world_map.variants:
        if variant.task.task not in drawn:
            drawn.add(variant.task.task)
            yield _world(world_map, variant, view, f"{variant.task.slug}-world", narrow=False)


def _world(
    world_map: WorldMap, variant: Variant, view: ReportView, slug: str, *, narrow: bool = True
) -> Figure:
    title = f"{variant.task.title}, {variant.metric.label}: {view.short[variant.endpoint]}"
    cultures = world_map.cultures if narrow else tuple(variant.shades)
    wide = render(world(variant, cultures, WORLD_WIDE), f"{slug}-w", marked)
    small = render(world(variant, cultures, WORLD_NARROW), f"{slug}-n", marked) if narrow else wide
    return Figure(slug, title, WORLD_CAPTION, variant.finding(view.short), wide, small)
