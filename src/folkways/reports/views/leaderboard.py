"""The leaderboard of each task: ranks with their range, published figures, and shrunken scores of small
cultures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import polars as pl

from folkways.benchmarks.registry import benchmarks
from folkways.display import single_line
from folkways.evidence.contrasts import CULTURE
from folkways.evidence.order import ModelContrasts, Rank, model_contrasts
from folkways.names import WHOLE, facet_title, provider, value_name
from folkways.records import BASELINE_PREFIX, Metric
from folkways.reports.figures.charts import INK, MUTED, SERIES, Spec, axis_x, axis_y, layer, spec
from folkways.reports.figures.figure import Figure, make_figure, slugged
from folkways.reports.views.reference import placed, reference_points, remarks_of, warnings_of
from folkways.reports.views.views import ReportView, Score, TaskView
from folkways.stats.shrinkage import shrunk_scores

MOST_GROUPS = 60


@dataclass(frozen=True)
class PublishedNeighbours:
    """The models of a task among the published ones, for one metric and facet.

    places: ``reference.PLACED``, with ``name`` of the group and short name of the ``model``. figure: None if
    there are too few or too many groups.
    """

    title: str
    source: str
    places: pl.DataFrame
    notes: Sequence[str]
    figure: Figure | None


class PublishedView:
    """The published figures that are comparable with the scores of a report."""

    def __init__(self, view: ReportView) -> None:
        self.view = view

    @cached_property
    def points(self) -> pl.DataFrame:
        """REFERENCE of the models, in the profile that each task shows."""
        profiles = {task.task: task.profile for task in self.view.tasks}
        scores = self.view.data.scores.filter(
            ~pl.col("endpoint").str.starts_with(BASELINE_PREFIX),
            pl.col("profile")
            == pl.col("task").replace_strict(profiles, default=None, return_dtype=pl.String),
        )
        return reference_points(scores, self.view.data.signatures)

    @cached_property
    def warnings(self) -> list[str]:
        """Why figures that were published about these tasks are not shown."""
        return warnings_of(self.points)

    def rows(self, task: TaskView) -> list[tuple[str, float, str]]:
        """Name, score and source of the published headline scores over everything, highest first: of models,
        people and guessing. Empty if they are not comparable."""
        comparable = self.points.filter(
            pl.col("comparable"),
            pl.col("task") == task.task,
            pl.col("metric") == task.metric.name,
            pl.col("facet") == WHOLE,
        )
        columns = comparable.select("model", "kind", "published", "paper", "place").unique(
            maintain_order=True
        )
        ordered = columns.sort("published", descending=True).iter_rows()
        return [(name, score, _source(paper, table)) for name, _, score, paper, table in ordered]

    @cached_property
    def neighbours(self) -> list[PublishedNeighbours]:
        """The models among published ones, task by task: one table for each facet, and for local languages
        and English."""
        comparable = self.points.filter("comparable")
        if comparable.is_empty():
            return []
        asked_in = (
            pl.when(pl.col("language") == "en")
            .then(pl.lit("in English"))
            .otherwise(pl.lit("in the own language"))
        )
        key = ["task", "metric", "facet", "asked", "place"]
        tables = [
            self._neighbours(group)
            for _, group in comparable.with_columns(asked=asked_in).group_by(key, maintain_order=True)
        ]
        return [table for table in tables if table.places.height]

    def _neighbours(self, points: pl.DataFrame) -> PublishedNeighbours:
        first = points.row(0, named=True)
        task = next(task for task in self.view.tasks if task.task == first["task"])
        several = (
            first["facet"] == "culture"
            and points["language"].n_unique() + (first["asked"] != "in English") > 1
        )
        by = "" if first["facet"] == WHOLE else f", by {facet_title(first['facet'])}"
        title = single_line(
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
        return PublishedNeighbours(
            title, source, places, notes, self._figure(task, points, names, title, source)
        )

    def _figure(
        self, task: TaskView, points: pl.DataFrame, names: Mapping[str, str], title: str, source: str
    ) -> Figure | None:  # fmt: skip
        """The scores of the leading model among the published ones; None without several groups."""
        leading = next((name for name in task.models if (points["endpoint"] == name).any()), None)
        of_leading = points.filter((pl.col("endpoint") == leading) & (pl.col("kind") == "model"))
        if not 1 < of_leading["value"].n_unique() <= MOST_GROUPS:
            return None
        ours = of_leading.unique("value", maintain_order=True).sort("score", descending=True)
        name = self.view.short[str(leading)]
        parts = (str(points["place"][0]), title.rsplit(",", 1)[-1], str(points["metric"][0]))
        slug = "-".join((f"{task.slug}-published", *map(slugged, parts)))
        highest = of_leading.filter(pl.col("score") > pl.col("published").max().over("value"))[
            "value"
        ].n_unique()
        measure = f"{task.label_of(points['metric'][0])}, %"
        return make_figure(
            slug,
            f"{name} between published models: {title}",
            f"Grey ticks: models as published ({source}). The dot is the score here, the line its "
            "95\u202f% interval.",
            f"{name} is above every published model for {highest} of {ours.height} groups.",
            lambda width, _: _field(of_leading, ours, names, width, measure),
            measure=measure,
        )


def _source(paper: str, place: str) -> str:
    return f"{benchmarks()[paper].title}, {place}"


def _field(own: pl.DataFrame, ours: pl.DataFrame, names: Mapping[str, str], width: int, measure: str) -> Spec:
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
    x = axis_x((0, 100), width, measure)
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


MOST_IN_SUMMARY = 3
"""Models of a task in the summary; its leaderboard has all."""


@dataclass(frozen=True, slots=True)
class ShrunkenScore:
    """A culture's score, shrunken towards those of the other cultures, the more the fewer questions it has
    (``folkways.stats.shrinkage``)."""

    score: float
    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """One line of a task's leaderboard.

    kind: what the score is of; only models have a rank.
    name: displayed name;
    source: origin of the score, in small print.
    score, low, high: as in records.SCORES; NaN if unknown.
    counted: the score with its counts; None for published figures.
    """

    kind: Literal["model", "people", "published", "baseline"]
    name: str
    source: str
    score: float
    low: float
    high: float
    counted: Score | None = None
    rank: Rank | None = None


class Leaderboard:
    """Ranks, shrunken scores and published figures of a report's tasks, computed on first use.

    view: the scores. by: the facets by whose groups models are compared too.
    """

    def __init__(self, view: ReportView, by: Sequence[str] = (CULTURE,)) -> None:
        self.view = view
        self.by = by
        self.published = PublishedView(view)
        self._rows: dict[str, list[Row]] = {}
        self._compared: dict[str, ModelContrasts] = {}
        self._drawn_in: dict[str, Mapping[tuple[str, str], ShrunkenScore]] = {}

    def rows(self, task: TaskView) -> list[Row]:
        """The lines of a task: models by score, people, published figures, then baselines."""
        if task.task not in self._rows:
            self._rows[task.task] = self._made_rows(task)
        return self._rows[task.task]

    def _made_rows(self, task: TaskView) -> list[Row]:
        ranks = self.ranks(task)
        people = [task.people[WHOLE, WHOLE]] if (WHOLE, WHOLE) in task.people else []
        published = [
            Row("published", name, f"published: {source}", score, math.nan, math.nan)
            for name, score, source in self.published.rows(task)
        ]
        unplaced = dict(ranks)  # the rank of a model is shown once, at the first of its groups
        rows = [
            self._row(score, unplaced.pop(score.endpoint, None) if score.profile == task.profile else None)
            for score in task.headline
        ]
        return [
            *(row for row in rows if row.kind == "model"),
            *(_row("people", score.endpoint, "first answers against the others’", score) for score in people),
            *published,
            *(row for row in rows if row.kind == "baseline"),
        ]

    def first(self, task: TaskView) -> list[Row]:
        """The first models of a task in the profile shown, or baselines if there are no models, for a
        summary."""
        rows = [
            (row.counted.endpoint, row)
            for row in self.rows(task)
            if row.counted and row.counted.profile == task.profile
        ]
        models = [pair for pair in rows if pair[1].kind == "model"]
        models = models or [pair for pair in rows if pair[1].kind == "baseline"]
        names = list(dict.fromkeys(endpoint for endpoint, _ in models))[:MOST_IN_SUMMARY]
        return [row for endpoint, row in models if endpoint in names]

    def chance(self, task: TaskView) -> float:
        """The score of guessing among the options; NaN for a task without options."""
        return self.view.data.chance.get(task.task, math.nan)

    def best_baseline(self, task: TaskView, group: tuple[str, str] = (WHOLE, WHOLE)) -> Score | None:
        """The best baseline that a run asked, in the profile shown; None if none was asked. group: the facet
        and value that scores are of."""
        of_run = [score for score in _baselines(task, group) if score.endpoint in self.view.asked]
        return min(of_run, key=lambda score: _worse(score.score, task.metric), default=None)

    def guessing(self, task: TaskView, group: tuple[str, str] = (WHOLE, WHOLE)) -> float:
        """The score without any knowledge: chance, or for a task without options the best baseline, asked or
        computed; NaN without one. group: the facet and value that scores are of."""
        scores = sorted(
            (score.score for score in _baselines(task, group)), key=lambda one: _worse(one, task.metric)
        )
        return self.view.data.chance.get(task.task, scores[0] if scores else math.nan)

    def _row(self, score: Score, rank: Rank | None) -> Row:
        name = self.view.short[score.endpoint]
        source = provider(score.endpoint) if name != score.endpoint else ""
        name += f", {value_name(score.facet, score.value)}" if score.facet != WHOLE else ""
        return _row("baseline" if score.baseline else "model", name, source, score, rank)

    def ranks(self, task: TaskView) -> Mapping[str, Rank]:
        """Model -> its rank, for the models that have one (``evidence.order``)."""
        return self._evidence(task).ranks

    def contrasts(self, task: TaskView) -> pl.DataFrame:
        """``evidence.contrasts.CONTRASTS`` of every pair of models, over everything and by the facets of
        ``by``."""
        return self._evidence(task).contrasts

    def shrunk(self, task: TaskView) -> Mapping[tuple[str, str], ShrunkenScore]:
        """(culture, endpoint) -> shrunken score, for the endpoints in tables; empty for fewer than three
        cultures."""
        if task.task not in self._drawn_in:
            self._drawn_in[task.task] = self._shrunk(task)
        return self._drawn_in[task.task]

    def _evidence(self, task: TaskView) -> ModelContrasts:
        if task.task not in self._compared:
            self._compared[task.task] = self._compare(task)
        return self._compared[task.task]

    def _compare(self, task: TaskView) -> ModelContrasts:
        stored = self.view.data.contrasts.get((task.task, task.profile, task.metric.name))
        if stored is not None and tuple(self.by) == (CULTURE,):
            return stored
        judged = self.view.data.judgements
        if len(task.models) < 2 or task.metric.name not in judged.columns:
            return ModelContrasts()
        of_task = judged.lazy().filter((pl.col("task") == task.task) & (pl.col("profile") == task.profile))
        present = set(of_task.select(pl.col("endpoint").unique()).collect()["endpoint"])
        frames = {name: of_task.filter(pl.col("endpoint") == name) for name in task.models if name in present}
        return model_contrasts(frames, task.metric, self.by)

    def _shrunk(self, task: TaskView) -> Mapping[tuple[str, str], ShrunkenScore]:
        scores = self.view.data.scores.filter(
            (pl.col("task") == task.task)
            & (pl.col("profile") == task.profile)
            & (pl.col("metric") == task.metric.name),
            pl.col("endpoint").is_in(task.shown),
        )
        frame = shrunk_scores(scores, {task.task: task.metrics}).drop_nulls("shrunk")
        columns = frame.select("value", "endpoint", "shrunk", "shrunk_low", "shrunk_high").iter_rows()
        return {(value, endpoint): ShrunkenScore(*numbers) for value, endpoint, *numbers in columns}


def _worse(score: float, metric: Metric) -> float:
    """A number that is greater, the worse a score is."""
    return score if metric.lower_is_better else -score


def _baselines(task: TaskView, group: tuple[str, str]) -> list[Score]:
    """The scores of baselines in a group, in the profile shown."""
    scores = task.whole if group == (WHOLE, WHOLE) else task.headline
    return [
        score
        for score in scores
        if score.baseline
        and score.profile == task.profile
        and (score.facet, score.value) == group
        and score.score == score.score
    ]


def _row(
    kind: Literal["model", "people", "baseline"],
    name: str,
    source: str,
    score: Score,
    rank: Rank | None = None,
) -> Row:
    return Row(kind, name, source, score.score, score.low, score.high, score, rank)
