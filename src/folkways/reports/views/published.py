"""Published figures in a report: marked rows of leaderboards, models between published ones, and why some may
not be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from folkways.benchmarks.registry import benchmarks
from folkways.display import one_line
from folkways.names import WHOLE, facet_title, value_name
from folkways.records import BASELINE_PREFIX
from folkways.reports.figures.chart_parts import INK, MUTED, SERIES, Spec, axis_x, axis_y, layer, spec
from folkways.reports.figures.figure import Figure, make_figure, slugged
from folkways.reports.views.reference import placed, reference_points, remarks_of, warnings_of
from folkways.reports.views.views import ReportView, TaskView

MOST_GROUPS = 60


@dataclass(frozen=True)
class Between:
    """The models of a task between the published ones, in one metric by one facet.

    places: ``reference.PLACED``, with ``name`` of the group and ``model`` as the report writes it. figure:
    where there is one.
    """

    title: str
    source: str
    places: pl.DataFrame
    notes: Sequence[str]
    figure: Figure | None


class PublishedView:
    """What was published about the tasks of a report, as far as it may stand beside its scores."""

    def __init__(self, view: ReportView) -> None:
        self.view = view

    @cached_property
    def points(self) -> pl.DataFrame:
        """REFERENCE of the models, in the profile that each task shows."""
        profiles = {task.task: task.profile for task in self.view.tasks}
        own = self.view.data.scores.filter(
            ~pl.col("endpoint").str.starts_with(BASELINE_PREFIX),
            pl.col("profile")
            == pl.col("task").replace_strict(profiles, default=None, return_dtype=pl.String),
        )
        return reference_points(own, self.view.data.signatures)

    @cached_property
    def warnings(self) -> list[str]:
        """Why figures that were published about these tasks do not stand here."""
        return warnings_of(self.points)

    def rows(self, task: TaskView) -> list[tuple[str, float, str]]:
        """Whose score of the task's headline over everything was published, the score and where; highest
        first.

        Of models, people and guessing, without an interval; empty where it may not be compared.
        """
        found = self.points.filter(
            pl.col("comparable"),
            pl.col("task") == task.task,
            pl.col("metric") == task.metric.name,
            pl.col("facet") == WHOLE,
        )
        columns = found.select("model", "kind", "published", "paper", "place").unique(maintain_order=True)
        ordered = columns.sort("published", descending=True).iter_rows()
        return [(name, score, _source(paper, place)) for name, _, score, paper, place in ordered]

    @cached_property
    def between(self) -> list[Between]:
        """The models between published ones, task by task; groups of a facet in one table, own languages and
        English apart."""
        comparable = self.points.filter("comparable")
        if comparable.is_empty():
            return []
        asked = (
            pl.when(pl.col("language") == "en")
            .then(pl.lit("in English"))
            .otherwise(pl.lit("in the own language"))
        )
        key = ["task", "metric", "facet", "asked", "place"]
        tables = [
            self._between(group)
            for _, group in comparable.with_columns(asked=asked).group_by(key, maintain_order=True)
        ]
        return [table for table in tables if table.places.height]

    def _between(self, points: pl.DataFrame) -> Between:
        first = points.row(0, named=True)
        task = next(task for task in self.view.tasks if task.task == first["task"])
        several = (
            first["facet"] == "culture"
            and points["language"].n_unique() + (first["asked"] != "in English") > 1
        )
        by = "" if first["facet"] == WHOLE else f", by {facet_title(first['facet'])}"
        title = one_line(
            f"{task.title}, {task.label_of(first['metric'])}{by}{', ' + first['asked'] if several else ''}"
        )
        names = {value: value_name(first["facet"], value) for value in points["value"].unique()}
        places = placed(points).with_columns(
            name=pl.col("value").replace_strict(names, return_dtype=pl.String),
            model=pl.col("endpoint").replace_strict(dict(self.view.short), return_dtype=pl.String),
        )
        notes = [
            f"{text[0].upper()}{text[1:]}." for text in points["note"].unique(maintain_order=True) if text
        ]
        notes += remarks_of(points)
        source = _source(first["paper"], first["place"])
        return Between(title, source, places, notes, self._figure(task, points, names, title, source))

    def _figure(
        self, task: TaskView, points: pl.DataFrame, names: Mapping[str, str], title: str, source: str
    ) -> Figure | None:  # fmt: skip
        """The leading model's scores on the field of published ones, where there are several groups."""
        leading = next((name for name in task.models if (points["endpoint"] == name).any()), None)
        own = points.filter((pl.col("endpoint") == leading) & (pl.col("kind") == "model"))
        if not 1 < own["value"].n_unique() <= MOST_GROUPS:
            return None
        ours = own.unique("value", maintain_order=True).sort("score", descending=True)
        name = self.view.short[str(leading)]
        slug = (
            f"{task.slug}-published-{slugged(title.rsplit(',', 1)[-1])}-{slugged(str(points['metric'][0]))}"
        )
        highest = own.filter(pl.col("score") > pl.col("published").max().over("value"))["value"].n_unique()
        return make_figure(
            slug,
            f"{name} between published models: {title}",
            f"Grey ticks: models as published ({source}). The dot is the score here, the line its "
            "95\u202f% interval.",
            f"{name} is above every published model for {highest} of {ours.height} groups.",
            lambda width, _: _field(own, ours, names, width),
        )


def _source(paper: str, place: str) -> str:
    return f"{benchmarks()[paper].title}, {place}"


def _field(own: pl.DataFrame, ours: pl.DataFrame, names: Mapping[str, str], width: int) -> Spec:
    ticks = [
        {"group": names[value], "score": score}
        for value, score in own.select("value", "published").iter_rows()
    ]
    dots = [
        {
            "group": names[value],
            "score": score,
            "low": score if low is None else low,
            "high": score if high is None else high,
        }
        for value, score, low, high in ours.select("value", "score", "low", "high").iter_rows()
    ]
    x = axis_x((0, 100), width)
    y = axis_y([row["group"] for row in dots])
    score = {**x, "field": "score"}
    tick = {"type": "tick", "color": MUTED, "thickness": 1.5, "size": 14, "opacity": 0.6}
    rule = {"type": "rule", "strokeWidth": 2.5, "color": SERIES[0], "opacity": 0.8}
    point = {
        "type": "point",
        "filled": True,
        "size": 62,
        "opacity": 1,
        "fill": SERIES[0],
        "stroke": INK,
        "strokeWidth": 0,
    }
    layers = [
        layer(ticks, tick, x=score, y=y),
        layer(dots, rule, x={**x, "field": "low"}, x2={"field": "high"}, y=y),
        layer(dots, point, x=score, y=y),
    ]
    return spec(width=width, height={"step": 24}, layer=layers)
