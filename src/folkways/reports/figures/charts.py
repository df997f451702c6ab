"""Charts as Vega-Lite specifications (plain dicts). Colours are CSS variables, which the theme of the page
sets.

Charts show at most ``MAX_SERIES`` models; baselines are short grey ticks that mark the score without
knowledge.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol
from unicodedata import east_asian_width

from folkways.cultures import language_name
from folkways.display import number
from folkways.names import culture_name, local_languages
from folkways.reports.data import PEOPLE
from folkways.reports.views.views import JOINT_LANGUAGE, FacetView, Score, TaskView

Spec = dict[str, Any]


class Estimate(Protocol):
    """A score with its interval; NaN for unknown bounds."""

    @property
    def score(self) -> float: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


NARROW_CHART = 300
"""Width in pixels below which a chart has fewer ticks."""

FEW_ITEMS = 2
"""A cell of a heat map with at most this many items has no colour and shows their number: a single reply
gives 0 or 100."""

FEW_TOLD = f"A cell without colour rests on {FEW_ITEMS} items or fewer and shows their number, n."

IN_THEMES = " in the light theme, lighter in the dark one"
"""Ends what a caption says of dark cells; a file has the light theme alone."""

LABEL_SIZE = 12.5
"""Pixels of the names of rows and of legends."""

_EM = {
    **dict.fromkeys("ijl|I.,:;'!", 0.34),
    **dict.fromkeys('frt()[]{}/\\- "', 0.42),
    **dict.fromkeys("ABCDEFGHKNOPQRSUVXYZ&w+=<>~", 0.8),
    **dict.fromkeys("mWM@%", 1.0),
}
"""Widths of characters in parts of the font's size; others are 0.64 wide."""

LABEL_ROOM = 190
"""Width in pixels of the names of rows; longer ones take several lines."""

MAX_SERIES = 6
SERIES = tuple(f"var(--series-{number})" for number in range(1, MAX_SERIES + 1))
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
HEAT_STEPS = tuple(range(10, 100, 10))
HEAT = tuple(f"var(--heat-{step})" for step in range(len(HEAT_STEPS) + 1))
HEAT_DARK_FROM = 60  # score from which a heat cell is dark enough for light figures

INK, MUTED, RULE, PAPER = "var(--ink)", "var(--muted)", "var(--rule)", "var(--paper)"

CONFIG: Spec = {
    "background": "transparent",
    "aria": False,  # the figure element has the name, and there is a data table
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
}


def spec(keys: Sequence[Spec] = (), **parts: Any) -> Spec:
    """A complete chart. keys: the entries of its legend (``key``), which ``figure.render`` draws above it."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "config": CONFIG,
        "padding": right_of(0),
        "usermeta": {"keys": list(keys)},
        **parts,
    }


def right_of(overhang: float) -> Spec:
    """Pixels around a chart whose names reach over its right end by ``overhang`` pixels."""
    return {"left": 2, "right": max(16.0, overhang + 4), "top": 8, "bottom": 4}


def key(label: str, mark: str, colour: str, *, dashed: bool = False) -> Spec:
    """An entry of a legend.

    label, colour: its name, and the colour of its mark. mark: one of SHAPES, ``line``, ``bar``, ``upright``
        or ``tick``. dashed: whether a dashed line goes through the mark.
    """
    return {"label": label, "mark": mark, "colour": colour, "dashed": dashed}


def series_keys(names: Sequence[str]) -> list[Spec]:
    """The legend of these series; empty for a single one."""
    entries = zip(names, SHAPES, SERIES, strict=False)
    return [key(name, shape, colour) for name, shape, colour in entries] if len(names) > 1 else []


def layer(values: Sequence[Spec], mark: Spec, **encoding: Any) -> Spec:
    """A layer with a mark for each value and its own data."""
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def named(field: str, order: Sequence[str], axis: Spec) -> Spec:
    """Names along an axis, in this order."""
    return {"field": field, "type": "nominal", "sort": list(order), "title": None, "axis": axis}


def axis_y(order: Sequence[str]) -> Spec:
    """Groups from top to bottom. The width of names is our own estimate, because readers' fonts are wider
    than the renderer's."""
    return {**named("group", order, label_room(order)), "scale": {"paddingInner": 0.28, "paddingOuter": 0.14}}


def label_room(order: Sequence[str]) -> Spec:
    """Axis settings for these names: their width, and line breaks in those wider than LABEL_ROOM."""
    room = max((label_width(name) for name in order), default=0)
    return {"minExtent": min(LABEL_ROOM, room), **label_lines(order, LABEL_ROOM)}


@lru_cache(maxsize=4096)  # most charts of a report have the same names
def text_width(text: str, size: float = LABEL_SIZE) -> float:
    """Width of a text in pixels in DejaVu Sans, the widest of the usual fonts; readers' fonts differ from the
    renderer's."""
    # exact, so that text at the edge of its room breaks alike whatever the version of Python
    return size * math.fsum(
        1.05
        if east_asian_width(character) in "WF"
        else _EM.get(character, 0.64 if character < "\u0370" else 0.8)
        for character in text
    )


def label_width(name: str) -> float:
    """Width of a label in pixels, with the gap to the axis."""
    return 8 + text_width(name)


def label_lines(names: Sequence[str], room: float) -> Spec:
    """Axis settings that break labels wider than ``room`` pixels into lines."""
    broken = {name: lines for name in names if len(lines := text_lines(name, room)) > 1}
    return (
        {"labelLineHeight": 13, "labelExpr": f"{json.dumps(broken)}[datum.label] || datum.label"}
        if broken
        else {}
    )


def column_lines(names: Sequence[str], room: float) -> Spec:
    """Axis settings of names above their columns, broken into lines of ``room`` pixels that end at the same
    height: the library hangs the lines of a label below its place."""
    lines = {name: text_lines(name, room) for name in names}
    most = max(map(len, lines.values()), default=1)
    if most == 1:
        return {}
    level = {name: ["\u00a0"] * (most - len(parts)) + parts for name, parts in lines.items()}
    return {
        "labelLineHeight": 13,
        "labelPadding": 8 + 13 * (most - 1),
        "labelExpr": f"{json.dumps(level)}[datum.label] || datum.label",
    }


def row_height(names: Sequence[str], room: float) -> int:
    """Height of the rows of a map in pixels, so that their names fit."""
    return max(24, 13 * max((len(text_lines(name, room)) for name in names), default=1) + 4)


_SEAM = re.compile(r"(?<=[\s/_=?&:-])(?=\S)")


def text_lines(name: str, room: float) -> list[str]:
    """The name in lines of at most ``room`` pixels, broken at spaces and signs, and within a word only where
    that alone is wider."""
    lines = [""]
    for part in _SEAM.split(name):
        for piece in _pieces(part, room):
            if lines[-1] and label_width((lines[-1] + piece).rstrip()) > room:
                lines.append("")
            lines[-1] += piece
    return [line.rstrip() for line in lines]


def _pieces(part: str, room: float) -> list[str]:
    longest = max(4, int(len(part) * room / label_width(part)))
    return [part[start : start + longest] for start in range(0, len(part), longest)]


def title_lines(title: str, room: float) -> list[str]:
    """The title of an axis ``room`` pixels long, in lines."""
    return text_lines(title, room + 40)


def slanted_extent(names: Sequence[str], angle: float) -> float:
    """Room in pixels that the longest of these names takes above a chart at an angle in degrees."""
    longest = max(map(label_width, names), default=0.0)
    return 10 + longest * math.sin(math.radians(abs(angle)))


def slanted_overhang(names: Sequence[str], step: float, angle: float) -> float:
    """By how many pixels names at this angle, one every ``step`` pixels, reach over the right end of a
    chart."""
    across = math.cos(math.radians(angle))
    after = (len(names) - index - 0.5 for index in range(len(names)))
    return max(
        (label_width(name) * across - left * step for name, left in zip(names, after, strict=True)), default=0
    )


def words_fit(names: Sequence[str], room: float) -> bool:
    """Whether these names can be broken into lines of ``room`` pixels between their words."""
    return all(label_width(part.strip()) <= room for name in names for part in _SEAM.split(name))


def axis_x(domain: tuple[float, float], width: int, title: str) -> Spec:
    """Scores from left to right over the whole scale, with fewer ticks on narrow charts. title: what they
    are, with their unit."""
    low, high = domain
    ticks = (
        {"values": list(range(0, 101, 25 if width < NARROW_CHART else 10))}
        if (low, high) == (0, 100)
        else {"tickCount": 5}
    )
    return {
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False},
        "title": title_lines(title, width),
        "axis": ticks,
    }


def marks(points: Sequence[Spec], names: Sequence[str], x: Spec, y: Spec) -> list[Spec]:
    """Layers with a mark and its interval for each of ``points`` (``record``): series by colour and shape,
    each in its own lane.

    names: of the series, at most MAX_SERIES, in the order of their lanes. x, y: the axes.
    """
    series = {"field": "series", "sort": list(names), "legend": None}
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


def lanes_height(series: int, groups: Sequence[str]) -> Spec:
    """The height of a chart whose groups have a lane for each series, and room for their names."""
    lanes = 26 if series == 1 else 14 * series + 10
    return {"step": max(lanes, row_height(groups, LABEL_ROOM)), "for": "position"}


def record(score: Estimate, group: str, series: str) -> Spec:
    """A score as a data record of a chart; an unknown interval has no width."""
    low, high = (score.low, score.high) if score.low == score.low else (score.score, score.score)
    return {"group": group, "series": series, "score": score.score, "low": low, "high": high}


PEOPLE_COLUMN = "people"
"""The column of a heat map with the scores of people of each culture over everything."""


def by_group(task: TaskView, view: FacetView, short: dict[str, str], width: int) -> Spec:
    """The scores of every model of ``task`` in every group of ``view``, in its order;
    baselines are ticks. short: endpoint -> its name. width: in pixels."""
    models = task.models[:MAX_SERIES] or task.endpoints[:MAX_SERIES]
    labels = _unique_labels(view)
    dots = [
        record(score, labels[value], short[score.endpoint])
        for value, scores in view.rows(models)
        for score in scores
    ]
    ticks = [
        {"group": labels[value], "score": score.score}
        for value, scores in view.rows(() if models == task.endpoints else task.baselines[:MAX_SERIES])
        for score in scores
    ]
    names = [short[name] for name in models]
    x = axis_x(task.domain, width, task.measure)
    groups = [labels[value] for value, _ in view.rows(models)]
    y = axis_y(groups)
    people = [
        record(score, labels[value], PEOPLE)
        for value in view.values
        if (score := task.people_of(view, value))
    ]
    tick = {"type": "tick", "color": MUTED, "thickness": 2, "size": 10 + 4 * len(names), "opacity": 0.55}
    return spec(
        [*people_key(people), *series_keys(names)],
        width=width,
        height=lanes_height(len(names), groups),
        layer=[
            *_people_layers(people, x, y, 8 + 14 * len(names)),
            layer(ticks, tick, x={**x, "field": "score"}, y=y),
            *marks(dots, names, x, y),
        ],
    )


def people_key(people: Sequence[object]) -> list[Spec]:
    """The legend of the line of people, if any is drawn."""
    return [key(PEOPLE, "upright", INK)] if people else []


def _people_layers(people: Sequence[Spec], x: Spec, y: Spec, size: int) -> list[Spec]:
    """The scores of people of the cultures: in each row a vertical line ``size`` pixels high, on a pale band
    for its interval."""
    if not people:
        return []
    band = {"type": "rule", "color": INK, "strokeWidth": size, "opacity": 0.1}
    line = {"type": "tick", "color": INK, "thickness": 2.5, "size": size}
    return [
        layer(people, band, x={**x, "field": "low"}, x2={"field": "high"}, y=y),
        layer(people, line, x={**x, "field": "score"}, y=y),
    ]


def language_pairs(task: TaskView) -> dict[str, tuple[str, str]]:
    """Culture -> (group of its local language, group of English), for the cultures that were asked in
    both."""
    values = task.facets[JOINT_LANGUAGE].values if JOINT_LANGUAGE in task.facets else ()
    present: dict[str, list[str]] = {}
    for value in values:
        culture, language = value.rsplit("+", 1)
        present.setdefault(culture, []).append(language)
    pairs = {}
    for culture, spoken in present.items():
        local = [code for code in (*local_languages(culture), *spoken) if code in spoken and code != "en"]
        if local and "en" in spoken:
            pairs[culture] = (f"{culture}+{local[0]}", f"{culture}+en")
    return pairs


def scores_in_both(task: TaskView, endpoint: str) -> dict[str, tuple[Score, Score]]:
    """Culture -> the endpoint's scores in the local language and in English, where it was asked in both."""
    scores = task.facets[JOINT_LANGUAGE].scores if JOINT_LANGUAGE in task.facets else {}
    pairs = language_pairs(task).items()
    both = {
        culture: (scores.get((local, endpoint)), scores.get((english, endpoint)))
        for culture, (local, english) in pairs
    }
    return {culture: (local, english) for culture, (local, english) in both.items() if local and english}


def local_against_english(task: TaskView, endpoint: str, width: int) -> Spec:
    """For each culture the scores in the local language and in English, joined by a line; the largest gain of
    the local language comes first."""
    pairs = scores_in_both(task, endpoint)
    order = sorted(pairs, key=lambda culture: pairs[culture][1].score - pairs[culture][0].score)
    kinds = ["own language", "English"]
    label = {
        culture: f"{culture_name(culture)} ({language_name(pairs[culture][0].value.rsplit('+', 1)[1])})"
        for culture in order
    }
    values = [
        record(score, label[culture], kind)
        for culture in order
        for score, kind in zip(pairs[culture], kinds, strict=True)
    ]
    people_scores = {culture: task.people.get(("culture", culture)) for culture in order}
    people = [record(score, label[culture], PEOPLE) for culture, score in people_scores.items() if score]
    x = axis_x(task.domain, width, task.measure)
    y = axis_y([label[culture] for culture in order])
    drawn = [*_people_layers(people, x, y, 30), *marks(values, kinds, x, y)]
    keys = [*people_key(people), *series_keys(kinds)]
    return spec(keys, width=width, height={"step": 34, "for": "position"}, layer=drawn)


def heat(task: TaskView, view: FacetView, endpoint: str, cell: int) -> Spec:
    """A heat map of culture by facet for ``endpoint``, from ``view`` of ``task``, with the score in each
    cell. cell: width of a cell in pixels."""
    rows: list[Spec] = []
    order = list(task.facets["culture"].values) if "culture" in task.facets else []
    for value in view.values:
        score = view.scores.get((value, endpoint))
        if score is not None and score.score == score.score:
            culture, group = value.split("+", 1)
            rows.append(_cell(culture, group, score, task))
    order_of = task.ordered.get(view.facet.partition("+")[2], ())
    places = {name: index for index, name in enumerate(order_of)}
    groups = sorted({row["group"] for row in rows}, key=lambda name: (places.get(name, len(places)), name))
    people = (
        {culture: task.people.get(("culture", culture)) for culture in order}
        if view.metric.name == task.metric.name
        else {}
    )
    rows += [_cell(culture, PEOPLE_COLUMN, score, task) for culture, score in people.items() if score]
    groups += [PEOPLE_COLUMN] if any(people.values()) else []
    names = [culture_name(code) for code in order]
    rotated = cell < 60
    axis = {
        "orient": "top",
        "labelAngle": -55 if rotated else 0,
        "labelAlign": "left" if rotated else "center",
        "labelColor": INK,
        "labelLimit": 0,
        **({"minExtent": slanted_extent(groups, 55)} if rotated else column_lines(groups, cell)),
    }
    base = {"y": named("culture", names, label_room(names)), "x": named("group", groups, axis)}
    scale = {"type": "threshold", "domain": list(HEAT_STEPS), "range": list(HEAT)}
    shaded = {
        "transform": [{"filter": "!datum.few"}],
        "mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 2},
        "encoding": {
            **base,
            "fill": {"field": "share", "type": "quantitative", "scale": scale, "legend": None},
        },
    }
    written = {
        "mark": {"type": "text", "fontSize": 11.5},
        "encoding": {
            **base,
            "text": {"field": "text"},
            "color": {"field": "ink", "type": "nominal", "scale": None},
        },
    }
    height = {"step": row_height(names, LABEL_ROOM)}
    padding = right_of(slanted_overhang(groups, cell, 55) if rotated else 0)
    return spec(
        width={"step": cell}, height=height, padding=padding, data={"values": rows}, layer=[shaded, written]
    )


def _cell(culture: str, group: str, score: Score, task: TaskView) -> Spec:
    low, high = task.domain
    share = 100 * (score.score - low) / (high - low)
    few = score.questions <= FEW_ITEMS
    return {
        "culture": culture_name(culture),
        "group": group,
        "share": share,
        "few": few,
        "text": f"n={score.questions}" if few else number(score.score, 0),
        "ink": MUTED
        if few
        else "var(--heat-light-ink)"
        if share >= HEAT_DARK_FROM
        else "var(--heat-dark-ink)",
    }


def _unique_labels(view: FacetView) -> dict[str, str]:
    """Group -> its name, followed by its code if several groups have the same name."""
    names = {value: view.name(value) for value in view.values}
    all_names: Sequence[str] = list(names.values())
    return {
        value: name if all_names.count(name) == 1 else f"{name} ({value})" for value, name in names.items()
    }
