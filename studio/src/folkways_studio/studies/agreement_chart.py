"""Where the marks of a chart of agreement stand. The page draws them; the numbers are in the table below
it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from folkways_studio.studies.agreement_over_time import Point

WIDTH, HEIGHT = 640, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 12, 34
MOST_NAMES = 7


def chart_of(points: Sequence[Point]) -> dict[str, Any]:
    """The chart of one stage, from 0 to 100 % whatever the points, so that two stages can be compared.

    marks: of each point its x, y, the low and high end of its whisker, and its name below it, empty where
    names would stand too close. lines: the height of each line across, and what it stands for. path: joins
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
