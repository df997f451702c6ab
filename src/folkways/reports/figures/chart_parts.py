"""What all charts share: colours, fonts, axes, and how a score becomes a record of a chart's data.

Colours are CSS variables, so that a page's theme colours its figures.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any, Protocol
from unicodedata import east_asian_width

Spec = dict[str, Any]


class Estimate(Protocol):
    """A score with its interval; NaN for bounds that are not known."""

    @property
    def score(self) -> float: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


NARROW = 300
"""Pixels; a chart that is less wide has fewer ticks."""

FEW_ITEMS = 2
"""A cell of a heat map with no more items than these has no colour and shows how many they are: 0 and 100
come of one reply."""

FEW_TOLD = f"A cell without colour rests on {FEW_ITEMS} items or fewer and shows their number, n."

LABEL_ROOM = 190
"""Pixels for the names of rows; longer ones take several lines."""

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
    "axisY": {"labelColor": INK, "labelLimit": 0, "labelFontSize": 12.5},
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
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "config": CONFIG,
        "padding": padding,
        **parts,
    }


def layer(values: Sequence[Spec], mark: Spec, **encoding: Any) -> Spec:
    """A mark for each of the values, with data of its own."""
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def named(field: str, order: Sequence[str], axis: Spec) -> Spec:
    """Names along an axis, in this order."""
    return {"field": field, "type": "nominal", "sort": list(order), "title": None, "axis": axis}


def axis_y(order: Sequence[str]) -> Spec:
    """Groups from top to bottom. Room for names is kept by our own estimate: readers' fonts are wider than
    the renderer's."""
    return {**named("group", order, label_room(order)), "scale": {"paddingInner": 0.28, "paddingOuter": 0.14}}


def label_room(order: Sequence[str]) -> Spec:
    """What an axis of these names needs: room for them, and lines for those that are longer than
    LABEL_ROOM."""
    room = max((label_width(name) for name in order), default=0)
    return {"minExtent": min(LABEL_ROOM, room), **label_lines(order, LABEL_ROOM)}


def label_width(name: str) -> float:
    """Pixels that a label takes at most, with the gap to the axis."""
    return 8 + 6.9 * sum(1.9 if east_asian_width(character) in "WF" else 1 for character in name)


def label_lines(names: Sequence[str], room: float) -> Spec:
    """What an axis needs to show its labels whole: those wider than ``room`` pixels are broken into lines."""
    broken = {name: lines for name in names if len(lines := _lines(name, room)) > 1}
    return (
        {"labelLineHeight": 13, "labelExpr": f"{json.dumps(broken)}[datum.label] || datum.label"}
        if broken
        else {}
    )


def row_height(names: Sequence[str], room: float) -> int:
    """Pixels from row to row of a map, so that the names of rows fit."""
    return max(24, 13 * max((len(_lines(name, room)) for name in names), default=1) + 4)


def _lines(name: str, room: float) -> list[str]:
    """The name in lines of at most ``room`` pixels, broken between words where there are any."""
    if label_width(name) <= room:
        return [name]
    longest = max(4, int(room / (label_width(name) / len(name))))
    return textwrap.wrap(name, longest, break_on_hyphens=False)


def axis_x(domain: tuple[float, float], width: int) -> Spec:
    """Scores from left to right, over a whole scale; fewer ticks on a chart of few pixels."""
    low, high = domain
    ticks = (
        {"values": list(range(0, 101, 25 if width < NARROW else 10))}
        if (low, high) == (0, 100)
        else {"tickCount": 5}
    )
    return {
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False},
        "title": None,
        "axis": ticks,
    }


def marks(points: Sequence[Spec], names: Sequence[str], x: Spec, y: Spec, legend: Spec | None) -> list[Spec]:
    """Layers with a mark and its interval for each of ``points`` (``record``): series by colour and shape,
    each in its own lane.

    names: of the series, at most MAX_SERIES, in the order of their lanes. legend: None for no legend.
    """
    series = {"field": "series", "sort": list(names), "legend": legend}
    shared = {
        "y": y,
        "yOffset": {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": list(names), "paddingOuter": 0.2},
        },
        "color": {**series, "scale": {"domain": list(names), "range": list(SERIES[: len(names)])}},
    }
    shape = {**series, "scale": {"domain": list(names), "range": list(SHAPES[: len(names)])}}
    rule = {"type": "rule", "strokeWidth": 2, "strokeCap": "round", "opacity": 0.75}
    point = {"type": "point", "filled": True, "size": 58, "opacity": 1}
    return [
        layer(points, rule, x={**x, "field": "low"}, x2={"field": "high"}, **shared),
        layer(points, point, x={**x, "field": "score"}, **shared, shape=shape),
    ]


def lanes_height(series: int) -> Spec:
    """The height of a chart whose groups have a lane for each of so many series."""
    return {"step": 26 if series == 1 else 14 * series + 10, "for": "position"}


def series_legend(series: int, width: int) -> Spec | None:
    """The legend of so many series; none for one, and below each other on a chart of few pixels."""
    return ({"columns": 1} if width < NARROW else {}) if series > 1 else None


def record(score: Estimate, group: str, series: str) -> Spec:
    """A score as a record of a chart's data; where the interval is not known it has no width."""
    low, high = (score.low, score.high) if score.low == score.low else (score.score, score.score)
    return {"group": group, "series": series, "score": score.score, "low": low, "high": high}
