"""Every figure of a report: those of its tasks, the world map, how questions ended, and those of the
analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from folkways.reports.figures.analysis_figures import ResultView, result_views
from folkways.reports.figures.figure import Figure, render, task_figures
from folkways.reports.figures.world import Variant, WorldMap
from folkways.reports.figures.world_chart import marked, world
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.outcomes import outcome_figures
from folkways.reports.views.views import ReportView

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

    tasks:  task -> section -> figures.
    leaderboard: with the figures of models between published ones. outcomes: how questions ended. analyses:
    what the papers ask, with tables and figures. world:  the map as it is first seen; None where there is
    nothing to map. worlds: a map of each task, for files.
    """

    tasks: Mapping[str, Mapping[str, list[Figure]]]
    leaderboard: Leaderboard
    outcomes: Sequence[Figure]
    analyses: Sequence[ResultView]
    world: Figure | None
    worlds: tuple[Figure, ...]

    @property
    def of_papers(self) -> list[ResultView]:
        """The analyses that papers ask for."""
        return [analysis for analysis in self.analyses if not analysis.result.across_benchmarks]

    @property
    def across(self) -> list[ResultView]:
        """Those of several benchmarks together."""
        return [analysis for analysis in self.analyses if analysis.result.across_benchmarks]

    def __iter__(self) -> Iterator[Figure]:
        """Every figure that becomes a file of its own."""
        yield from self.worlds
        for sections in self.tasks.values():
            for figures in sections.values():
                yield from figures
        yield from (found.figure for found in self.leaderboard.published.between if found.figure)
        yield from self.outcomes
        for analysis in self.analyses:
            for table in analysis.tables:
                yield from table.figures


def draw(view: ReportView, leaderboard: Leaderboard | None = None) -> Drawings:
    """Every figure of the report. ``leaderboard`` is that of the view where the caller has it already."""
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
    """The leading model's map of each task, as files."""
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
