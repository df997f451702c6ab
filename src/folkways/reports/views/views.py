"""The scores of a report as ordered records with names, for every output format."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from folkways.display import shown_n
from folkways.evidence.completeness import items_asked
from folkways.names import WHOLE, culture_name, short_endpoints, value_name
from folkways.records import Metric, Signature, State, headline_of, is_baseline
from folkways.reports.data import ReportData

MAX_ENDPOINTS_ON_PAGE = 10
"""Endpoints in detailed tables; the CSV and Parquet files have all."""

JOINT_LANGUAGE = "culture+language"


@dataclass(frozen=True, slots=True)
class Score:
    """One row of records.SCORES, with NaN for unknown values and None for counts that a log does not tell."""

    endpoint: str
    task: str
    profile: str
    metric: str
    facet: str
    value: str
    score: float
    low: float
    high: float
    interval: str
    n: int
    questions: int
    effective_questions: float | None
    answered: int
    refused: int | None
    unreadable: int | None
    truncated: int | None
    failed: int
    missing: int
    cut: int | None
    left_out: int
    why_left_out: str | None
    coverage: float
    at_best: float
    signature: str

    @property
    def baseline(self) -> bool:
        return is_baseline(self.endpoint)

    @property
    def lost(self) -> int:
        """Number of expected items without a reply."""
        return self.failed + self.missing

    @property
    def shown_n(self) -> str:
        """The denominator in words."""
        return shown_n(self.n, self.left_out, self.effective_questions)

    @property
    def states(self) -> dict[str, int | None]:
        """State -> number of items, in the order of ``State``; None where a log does not tell it."""
        return {state.value: getattr(self, state.value) for state in State}


@dataclass(frozen=True)
class FacetView:
    """The scores of one metric of a task by one facet, for the profile shown.

    values: groups in display order: in their own if they have one, else best first by the leading endpoint
        (heat maps and charts share it).
    """

    metric: Metric
    facet: str
    values: tuple[str, ...]
    scores: dict[tuple[str, str], Score]  # (value, endpoint)

    def name(self, value: str) -> str:
        """The displayed name of a group."""
        return value_name(self.facet, value)

    def rows(self, endpoints: Iterable[str]) -> list[tuple[str, list[Score]]]:
        """Group -> scores of the endpoints that have one."""
        wanted = tuple(endpoints)
        rows = [
            (value, [self.scores[value, name] for name in wanted if (value, name) in self.scores])
            for value in self.values
        ]
        return [(value, scores) for value, scores in rows if scores]


@dataclass(frozen=True)
class TaskView:
    """The section of one task.

    profile: the profile in charts and detailed tables, the first of the scores.
    endpoints: models by score, then baselines by score.
    whole: the headline metric over everything, in every profile, in the order of ``endpoints``.
    headline: the scores in headlines: ``whole``, or its scores by the facet that the task declares for this.
    others: the other metrics over everything.
    facets: the headline metric by each facet.
    more: the other metrics by facets that the headline does not have.
    ordered: facet -> its groups in an order of their own.
    people: (facet, value) -> score of people of the cultures; empty if unknown.
    people_are_in: the release with the answers of people, if the run was scored without it.
    """

    task: str
    title: str
    metric: Metric
    metrics: tuple[Metric, ...]
    profile: str
    profiles: tuple[str, ...]
    endpoints: tuple[str, ...]
    whole: tuple[Score, ...]
    headline: tuple[Score, ...]
    others: tuple[Score, ...]
    facets: dict[str, FacetView] = field(default_factory=dict)
    more: tuple[FacetView, ...] = ()
    ordered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    people: Mapping[tuple[str, str], Score] = field(default_factory=dict)
    people_are_in: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(name for name in self.endpoints if not is_baseline(name))

    @property
    def baselines(self) -> tuple[str, ...]:
        return tuple(name for name in self.endpoints if is_baseline(name))

    @property
    def shown(self) -> tuple[str, ...]:
        """The endpoints in detailed tables."""
        return self.endpoints[:MAX_ENDPOINTS_ON_PAGE]

    @property
    def cultures(self) -> int:
        """Number of cultures with a score."""
        return len(self.facets["culture"].values) if "culture" in self.facets else 0

    @property
    def slug(self) -> str:
        """The task for file names and anchors."""
        return "".join(character if character.isalnum() else "-" for character in self.task.lower())

    @cached_property
    def domain(self) -> tuple[float, float]:
        """The range of the axis: the whole scale, and more where a score or interval lies beyond it."""
        of_groups = (score for facet in self.facets.values() for score in facet.scores.values())
        ends = [
            end
            for score in (*of_groups, *self.whole)
            for end in (score.score, score.low, score.high)
            if end == end
        ]
        return min([0.0, *ends]), max([self.metric.scale, *ends])

    @property
    def measure(self) -> str:
        """What its scores are, with their unit: the title of an axis."""
        return measure_of(self.metric)

    def label_of(self, metric: str) -> str:
        """The label of a metric."""
        return next((one.label for one in self.metrics if one.name == metric), metric)

    def people_of(self, view: FacetView, value: str) -> Score | None:
        """The score of people in a group; that of the culture for each of its languages."""
        if view.metric.name != self.metric.name:
            return None
        if view.facet == JOINT_LANGUAGE:
            return self.people.get(("culture", value.rsplit("+", 1)[0]))
        return self.people.get((view.facet, value))

    @property
    def single_facets(self) -> list[FacetView]:
        """The facets other than culture, language, variant and combinations."""
        return [
            view
            for name, view in self.facets.items()
            if "+" not in name and name not in ("culture", "language", "variant")
        ]

    @property
    def maps(self) -> list[FacetView]:
        """The combinations of culture with a facet other than language."""
        return [
            view
            for name, view in self.facets.items()
            if name.startswith("culture+") and name != JOINT_LANGUAGE
        ]


def measure_of(metric: Metric) -> str:
    """What the scores of a metric are, with their unit: ``SEM-B, %``."""
    return f"{metric.label}, %" if metric.scale == 100 and "%" not in metric.label else metric.label


class ReportView:
    """The contents of a report."""

    def __init__(self, data: ReportData) -> None:
        self.data = data
        self._scores = _scores(data.scores)
        self._people = _scores(data.people)

    @cached_property
    def tasks(self) -> list[TaskView]:
        """Tasks in the order of ``data.metrics``, then of the scores."""
        present = dict.fromkeys(score.task for score in self._scores)
        by_task: dict[str, list[Score]] = {
            task: [] for task in [*self.data.metrics, *present] if task in present
        }
        for score in self._scores:
            by_task[score.task].append(score)
        return [self._task(task, scores) for task, scores in by_task.items()]

    def _task(self, task: str, scores: Sequence[Score]) -> TaskView:
        measured = dict.fromkeys(score.metric for score in scores)
        metrics = self.data.metrics.get(task) or tuple(Metric(name, name, "") for name in measured)
        headline = headline_of(metrics, measured)
        profiles = tuple(dict.fromkeys(score.profile for score in scores))
        whole = [score for score in scores if score.facet == WHOLE]
        of_headline = [score for score in scores if score.metric == headline.name]
        of_profile = [score for score in scores if score.profile == profiles[0]]
        shown = [score for score in of_headline if score.profile == profiles[0]]
        leading = {score.endpoint: score.score for score in shown if score.facet == WHOLE}
        names = dict.fromkeys(score.endpoint for score in scores)
        sign = 1 if headline.lower_is_better else -1
        worst = {name: sign * leading[name] for name in leading if leading[name] == leading[name]}
        endpoints = tuple(sorted(names, key=lambda name: (is_baseline(name), worst.get(name, math.inf))))
        whole.sort(key=lambda score: (endpoints.index(score.endpoint), profiles.index(score.profile)))
        ordered = self.data.ordered.get(task, {})
        facets = _facets(headline, [score for score in shown if score.facet != WHOLE], endpoints, ordered)
        key = (task, profiles[0], headline.name)
        people = [score for score in self._people if (score.task, score.profile, score.metric) == key]
        return TaskView(
            task=task,
            title=self.data.task_titles.get(task, task),
            metric=headline,
            metrics=metrics,
            profile=profiles[0],
            profiles=profiles,
            endpoints=endpoints,
            whole=tuple(score for score in whole if score.metric == headline.name),
            headline=tuple(_headline(of_headline, whole, self.data.headline_by.get(task))),
            others=tuple(score for score in whole if score.metric != headline.name),
            facets=facets,
            more=_more(of_profile, metrics, facets, endpoints, ordered),
            ordered=ordered,
            people={(score.facet, score.value): score for score in people},
            people_are_in=self.data.unknown_people.get(task),
        )

    @cached_property
    def endpoints(self) -> tuple[str, ...]:
        """Every endpoint, models first."""
        names = dict.fromkeys(name for task in self.tasks for name in task.endpoints)
        return tuple(sorted(names, key=is_baseline))

    @cached_property
    def short(self) -> dict[str, str]:
        """Short name of every endpoint, for charts."""
        return short_endpoints(self.endpoints)

    def in_short(self, sentence: str) -> str:
        """The sentence with the short name of every endpoint that it names, as tables and charts have it."""
        for endpoint in sorted(self.endpoints, key=len, reverse=True):
            sentence = sentence.replace(endpoint, self.short[endpoint])
        return sentence

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(name for name in self.endpoints if not is_baseline(name))

    @property
    def baselines(self) -> tuple[str, ...]:
        return tuple(name for name in self.endpoints if is_baseline(name))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The endpoints that a run asked; scores of other baselines are computed. All endpoints if there are
        no runs."""
        return frozenset(name for run in self.data.runs for name in run.endpoints) or frozenset(
            self.endpoints
        )

    @cached_property
    def items_asked(self) -> pl.DataFrame:
        """``completeness.items_asked`` of the judgements."""
        return items_asked(self.data.judgements)

    @cached_property
    def cultures(self) -> tuple[str, ...]:
        """Codes of all cultures with a score, ordered by name."""
        codes = {
            value
            for task in self.tasks
            if "culture" in task.facets
            for value in task.facets["culture"].values
        }
        return tuple(sorted(codes, key=culture_name))

    @cached_property
    def signatures(self) -> dict[str, str]:
        """Signature -> its mark in the report (``S1``), in the order of appearance."""
        ordered = [score.signature for task in self.tasks for score in (*task.whole, *task.others)]
        ordered += [score.signature for score in (*self._scores, *self._people)]
        return {text: f"S{position}" for position, text in enumerate(dict.fromkeys(ordered), 1)}

    def made(self, signature: str) -> Signature:
        """The parts of a signature; empty if the data do not have them."""
        return self.data.signatures.get(signature, Signature())

    @property
    def leaves_out(self) -> bool:
        """Whether any score leaves replies out by the rule of its profile."""
        return any(score.left_out for score in self._scores)

    @cached_property
    def incomplete(self) -> list[Score]:
        """Headline scores with expected items that got no reply."""
        return [score for task in self.tasks for score in task.whole if score.lost]


def as_numbers(scores: pl.DataFrame) -> pl.DataFrame:
    """records.SCORES with NaN for null, for charts and sorting."""
    return scores.with_columns(pl.col("score", "low", "high", "at_best").fill_null(math.nan))


def _scores(frame: pl.DataFrame) -> list[Score]:
    scores = as_numbers(frame).select(list(Score.__slots__))
    return [Score(*row) for row in scores.iter_rows()]


def _rank(score: float | None) -> float:
    return score if score is not None and score == score else float("-inf")


def _more(
    scores: Sequence[Score],
    metrics: Sequence[Metric],
    known: Container[str],
    endpoints: Sequence[str],
    ordered: Mapping[str, tuple[str, ...]],
) -> tuple[FacetView, ...]:
    """The metrics by facets that the headline does not have, such as how often each letter was chosen."""
    others = [score for score in scores if score.facet != WHOLE and score.facet not in known]
    views = (
        _facets(metric, [score for score in others if score.metric == metric.name], endpoints, ordered)
        for metric in metrics
    )
    return tuple(view for by_facet in views for view in by_facet.values())


def _headline(scores: Sequence[Score], whole: Sequence[Score], apart: str | None) -> Iterator[Score]:
    """The scores of ``whole`` in order, each replaced by its scores for the groups of the facet ``apart``, if
    any."""
    metrics = {score.metric for score in scores}
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        if score.facet == apart:
            groups.setdefault((score.endpoint, score.profile), []).append(score)
    for score in whole:
        if score.metric in metrics:
            yield from groups.get((score.endpoint, score.profile), [score])


def _facets(
    metric: Metric, scores: Sequence[Score], endpoints: Sequence[str], ordered: Mapping[str, tuple[str, ...]]
) -> dict[str, FacetView]:
    by_facet: dict[str, dict[tuple[str, str], Score]] = {}
    for score in scores:
        by_facet.setdefault(score.facet, {})[score.value, score.endpoint] = score
    views = {}
    for facet, scores_of in by_facet.items():
        values = dict.fromkeys(value for value, _ in scores_of)

        def place(
            value: str,
            scores_of: dict[tuple[str, str], Score] = scores_of,
            order: Sequence[str] = ordered.get(facet, ()),
        ) -> tuple[int, float]:
            first = next((scores_of[value, name] for name in endpoints if (value, name) in scores_of), None)
            position = order.index(value) if value in order else len(order)
            return position, -_rank(first.score if first else None)

        views[facet] = FacetView(metric, facet, tuple(sorted(values, key=place)), scores_of)
    return views
