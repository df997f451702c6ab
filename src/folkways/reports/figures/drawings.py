"""All figures of a report: tasks, world map, states of items, and analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from folkways.benchmarks.tables import Layout
from folkways.display import number
from folkways.reports.figures.analysis_figures import ResultView, result_views
from folkways.reports.figures.charts import MAX_SERIES
from folkways.reports.figures.figure import Figure, make_figure, task_figures
from folkways.reports.figures.forms import heat_map
from folkways.reports.figures.world import Variant, WorldMap
from folkways.reports.figures.world_chart import world_map
from folkways.reports.views.grids import Cell, Grid
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView, Score, TaskView, measure_of

SHARES = Layout("culture", "endpoint", "share", measure="Without an answer, %")


def outcome_figures(view: ReportView) -> list[Figure]:
    """A figure by culture for each task with questions that were not answered."""
    return [figure for task in view.tasks if task.whole for figure in _by_culture(view, task)]


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
        measure=SHARES.measure,
        of=task.title,
    )


def _share(score: Score | None) -> Cell:
    if score is None:
        return Cell("")
    share = 100 * (score.n - score.answered) / score.n
    return Cell(number(share), share, n=score.questions)


WORLD_WIDE = 960
WORLD_CAPTION = (
    "Darker is higher in the light theme, lighter in the dark one; the more hatched a place, the wider its "
    "95\u202f% interval. Dots are parts of countries and places too small to see; dashed outlines are "
    "cultures of many countries. Borders are Natural Earth’s and take no side in any dispute."
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
    states = WorldMap(view)
    return Drawings(
        tasks={task.task: task_figures(task, view.short) for task in view.tasks},
        leaderboard=leaderboard if leaderboard is not None else Leaderboard(view),
        outcomes=outcome_figures(view),
        analyses=result_views(view.data.results, view.short),
        world=_world(states.first, view, "world", states.cultures) if states.first else None,
        worlds=tuple(_worlds(states, view)),
    )


def _worlds(states: WorldMap, view: ReportView) -> Iterator[Figure]:
    """The map of each task's leading model, for files."""
    drawn: set[str] = set()
    for variant in states.variants:
        if variant.task.task not in drawn:
            drawn.add(variant.task.task)
            yield _world(variant, view, f"{variant.task.slug}-world")


def _world(variant: Variant, view: ReportView, slug: str, cultures: Sequence[str] = ()) -> Figure:
    """The map in one state; on phones it scrolls. cultures: those that other states of the same drawing
    need, besides its own."""
    title = f"{variant.task.title}, {variant.metric.label}: {view.short[variant.endpoint]}"
    drawing = world_map(variant.shades, cultures or tuple(variant.shades), WORLD_WIDE, f"{slug}-w")
    return Figure(
        slug,
        title,
        WORLD_CAPTION,
        variant.finding(view.short),
        drawing,
        drawing,
        measure=measure_of(variant.metric),
    )
