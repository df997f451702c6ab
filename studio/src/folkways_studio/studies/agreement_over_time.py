"""How agreement changes while a study runs: by week, or by every hundred answers of a stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

from folkways_studio.records import Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.disagreements import CHANCE, AnsweredItem, DisagreementReport
from folkways_studio.studies.spread import spread

if TYPE_CHECKING:
    from folkways.sdk.statistics import Course

By = Literal["week", "hundred"]

HUNDRED = 100
MOST_POINTS = 52
"""The latest are kept."""

WIDTH, HEIGHT = 640, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 12, 34
MOST_NAMES = 7
"""Units of the chart's drawing."""


@dataclass(frozen=True, slots=True)
class Point:
    """Agreement in one stretch. name: the Monday of a week, or the numbers of answers.

    items: those whose last answer came in it, two answers or more. share: of pairs of people who say the
    same, averaged over items. low, high: 95 % interval (Wilson, of as many zeros and ones as there are items:
    wider than need be, as shares vary less).
    """

    name: str
    items: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AgreementCourse:
    """Agreement in one stage, the oldest stretch first; stretches without an item are left out."""

    stage: Stage
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class AgreementTrend:
    """Agreement in the later half of a stage's items against that in the earlier half (``course_of``)."""

    stage: Stage
    course: Course

    @property
    def grows_apart(self) -> bool:
        """Whether people agree less in the later half, beyond chance."""
        return self.course.high < 0


def agreement_trends(answered: Sequence[AnsweredItem]) -> tuple[AgreementTrend, ...]:
    """Every stage whose answers are meant to agree and that has enough items, in order of stages.

    An item's place is the moment at which its second answer came, and only as many answers count as its stage
    asks of every item: who is asked again is asked because people are apart, and items that wait for more
    answers would come late. Populations are apart, as one that comes late may agree less from the start. The
    chance that any stage of the study is ever said to grow apart, where none does, is CHANCE.
    """
    from folkways.sdk.statistics import course_of

    several = [each for each in answered if len(each.said) > 1]
    wanted = {each.stage.id: _answers_of_all(each.stage) for each in several}
    agree = spread([[one.labels for one in each.said[: wanted[each.stage.id]]] for each in several]).agree
    shares: defaultdict[int, defaultdict[int | None, list[tuple[float, float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    stages = {each.stage.id: each.stage for each in several}
    for each, share in zip(several, agree.tolist(), strict=True):
        if not isnan(share):
            shares[each.stage.id][each.population_id].append((each.said[1].created, share))
    trends = []
    for stage in sorted(shares, key=lambda number: stages[number].position):
        strata = [
            [share for _, share in sorted(values, key=lambda pair: pair[0])]
            for values in shares[stage].values()
        ]
        course = course_of(strata, 1 - CHANCE / len(shares))
        if course is not None:
            trends.append(AgreementTrend(stages[stage], course))
    return tuple(trends)


def _answers_of_all(stage: Stage) -> int:
    """How many answers every item of a stage gets; two at least."""
    return max(2, stage_kind(stage.kind).answers_wanted(stage.config))


def agreement_over_time(found: DisagreementReport, by: By = "week") -> tuple[AgreementCourse, ...]:
    """The course of every stage whose answers are meant to agree, in order of stages."""
    answered = found.answered
    stages = {each.stage.id: each.stage for each in answered}
    moments: defaultdict[int, list[float]] = defaultdict(list)
    for each in answered:
        moments[each.stage.id] += [one.created for one in each.said]
    places = {
        stage: {moment: index for index, moment in enumerate(sorted(times))}
        for stage, times in moments.items()
    }
    shares: defaultdict[int, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each, share in zip(answered, found.spread.agree.tolist(), strict=True):
        if isnan(share):
            continue
        last = max(one.created for one in each.said)
        stretch = _monday(last) if by == "week" else places[each.stage.id][last] // HUNDRED
        shares[each.stage.id][stretch].append(share)
    courses = []
    for stage in sorted(shares, key=lambda number: stages[number].position):
        points = [_point(_name(stretch, by), values) for stretch, values in sorted(shares[stage].items())]
        courses.append(AgreementCourse(stages[stage], tuple(points[-MOST_POINTS:])))
    return tuple(courses)


def _monday(moment: float) -> int:
    """The day on which the week of a moment begins, in UTC, as a number that can be sorted."""
    day = datetime.fromtimestamp(moment, UTC).date()
    return (day - timedelta(days=day.weekday())).toordinal()


def _name(stretch: int, by: By) -> str:
    if by == "week":
        return datetime.fromordinal(stretch).date().isoformat()
    return f"{stretch * HUNDRED + 1}–{(stretch + 1) * HUNDRED}"


def _point(name: str, shares: Sequence[float]) -> Point:
    from folkways.sdk.statistics import wilson

    interval = wilson(sum(shares), len(shares))
    return Point(name, len(shares), sum(shares) / len(shares), interval.low, interval.high)


def chart_of(points: Sequence[Point]) -> dict[str, Any]:
    """The chart of one stage, from 0 to 100 % whatever the points, so that two stages can be compared.

    marks: of each point its x, y, the low and high end of its whisker, and its name below it, empty where
    names would be too close. lines: the height of each line across, and its label. path: joins
    the points.
    """
    step = (WIDTH - LEFT - RIGHT) / max(len(points), 1)
    every = -(-len(points) // MOST_NAMES)
    marks = [
        {
            "x": round(LEFT + step * (number + 0.5), 1),
            **{"y": _height(point.share), "low": _height(point.low), "high": _height(point.high)},
            "name": point.name if number % every == 0 else "",
        }
        for number, point in enumerate(points)
    ]
    return {
        "marks": marks, "lines": [(_height(share / 100), f"{share} %") for share in (0, 50, 100)],
        "path": " ".join(f"{mark['x']},{mark['y']}" for mark in marks),
        "left": LEFT, "right": WIDTH - RIGHT, "bottom": HEIGHT - BOTTOM, "width": WIDTH, "height": HEIGHT,
    }  # fmt: skip


def _height(share: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - share), 1)
