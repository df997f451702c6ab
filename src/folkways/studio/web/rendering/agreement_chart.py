"""Where the marks of a chart of agreement stand. The page draws them; the numbers are in the table below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from folkways.studio.services.measures.agreement_over_time import Point

WIDTH, HEIGHT = 640, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 12, 34
MOST_NAMES = 7


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot with its whisker. name: below it; empty where names would stand too close."""

    x: float
    y: float
    low: float
    high: float
    name: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing of WIDTH by HEIGHT. lines: the height of each line across, and what it stands for. path: joins the dots."""

    marks: tuple[Mark, ...]
    lines: tuple[tuple[float, str], ...]
    path: str
    left: float = LEFT
    right: float = WIDTH - RIGHT
    bottom: float = HEIGHT - BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


def chart_of(points: Sequence[Point]) -> Chart:
    """The chart of one stage, from 0 to 100 % whatever the points, so that two stages can be compared."""
    step = (WIDTH - LEFT - RIGHT) / max(len(points), 1)
    every = -(-len(points) // MOST_NAMES)
    marks = tuple(
        Mark(
            round(LEFT + step * (number + 0.5), 1),
            _height(point.share),
            _height(point.low),
            _height(point.high),
            point.name if number % every == 0 else "",
        )
        for number, point in enumerate(points)
    )
    lines = tuple((_height(share / 100), f"{share} %") for share in (0, 50, 100))
    return Chart(marks, lines, " ".join(f"{mark.x},{mark.y}" for mark in marks))


def _height(share: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - share), 1)
