"""What all charts share: colours, fonts, axes, and how a score becomes a record of a chart's data.

Colours are CSS variables, so that a page's theme colours its figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol
from unicodedata import east_asian_width

from folkways.reports.views import TaskView

Spec = dict[str, Any]

MAX_SERIES = 6
SERIES = tuple(f"var(--series-{number})" for number in range(1, MAX_SERIES + 1))
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
HEAT_STEPS = tuple(range(10, 100, 10))
HEAT = tuple(f"var(--heat-{step})" for step in range(len(HEAT_STEPS) + 1))
HEAT_DARK_FROM = 60  # from this score on a heat cell is dark enough for light figures

INK, MUTED, RULE, PAPER = "var(--ink)", "var(--muted)", "var(--rule)", "var(--paper)"

CONFIG: Spec = {
    "background": "transparent",
    "aria": False,  # the figure element around the drawing names it, and a data table stands beside it
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": RULE,
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
        "titlePadding": 10,
        "labelFlush": False,
    },
    "axisY": {"labelColor": INK, "labelLimit": 190, "labelFontSize": 12.5},
    "legend": {
        "labelColor": INK,
        "labelFontSize": 12.5,
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "columnPadding": 22,
        "symbolStrokeWidth": 0,
        "symbolOpacity": 1,
        "symbolSize": 80,
        "labelLimit": 300,
        "offset": 14,
    },
}


def spec(**parts: Any) -> Spec:
    """A whole chart of these parts."""
    padding = {"left": 2, "right": 16, "top": 8, "bottom": 4}
    return {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": CONFIG, "padding": padding, **parts}


def axis_y(order: Sequence[str]) -> Spec:
    """Groups from top to bottom. Room for names is kept by our own estimate: readers' fonts are wider than the renderer's."""
    room = max((label_width(name) for name in order), default=0)
    return {
        "field": "group",
        "type": "nominal",
        "sort": list(order),
        "title": None,
        "axis": {"minExtent": min(room, 190)},
        "scale": {"paddingInner": 0.28, "paddingOuter": 0.14},
    }


def label_width(name: str) -> float:
    """Pixels that a label takes at most, with the gap to the axis."""
    return 8 + 6.9 * sum(1.9 if east_asian_width(character) in "WF" else 1 for character in name)


def axis_x(task: TaskView, width: int) -> Spec:
    """Scores from left to right, over the task's whole scale; fewer ticks on a chart of few pixels."""
    low, high = task.domain
    ticks = {"values": list(range(0, 101, 25 if width < 300 else 10))} if (low, high) == (0, 100) else {"tickCount": 5}
    return {"type": "quantitative", "scale": {"domain": [low, high], "nice": False}, "title": None, "axis": ticks}


class Measured(Protocol):
    """A score with its interval; NaN for what is not known."""

    @property
    def score(self) -> float: ...  # noqa: D102 - named as in records.SCORES
    @property
    def low(self) -> float: ...  # noqa: D102
    @property
    def high(self) -> float: ...  # noqa: D102


def record(score: Measured, group: str, series: str) -> Spec:
    """A score as a record of a chart's data; where the interval is not known it has no width."""
    known = score.low == score.low
    return {
        "group": group,
        "series": series,
        "score": score.score,
        "low": score.low if known else score.score,
        "high": score.high if known else score.score,
    }
