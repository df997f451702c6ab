"""The small drawings in the lines of a leaderboard: one chart of all scores, split into the cells of the
table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup

from folkways.reports.figures.charts import INK, MUTED, PAPER, RULE, SERIES, Spec, record, spec
from folkways.reports.figures.figure import render
from folkways.reports.views.leaderboard import Row
from folkways.reports.views.views import TaskView

STRIP_WIDTH, STRIP_HEIGHT = 170, 28

_ROOT = re.compile(r"^<svg[^>]*>")


def strip_cells(task: TaskView, rows: Sequence[Row], place: str = "strip") -> list[Markup]:
    """The drawing of ``strips``, split into a small SVG for each line of a leaderboard, in order.

    place: the part of the page, for unique ids.
    """
    if not rows:
        return []
    drawing = _ROOT.sub(
        "", render(strips(task, rows, STRIP_WIDTH, STRIP_HEIGHT), f"{task.slug}-{place}")
    ).removesuffix("</svg>")
    name = f"{task.slug}-{place}s"
    cells = []
    for position in range(len(rows)):
        box = f"0 {position * STRIP_HEIGHT} {STRIP_WIDTH} {STRIP_HEIGHT}"
        inner = f'<g id="{name}">{drawing}</g>' if position == 0 else f'<use href="#{name}"/>'
        svg = f'<svg class="strip" viewBox="{box}" aria-hidden="true" focusable="false">{inner}</svg>'
        cells.append(Markup(svg))  # noqa: S704 - drawn from numbers alone
    return cells


def strips(task: TaskView, rows: Sequence[Row], width: int = STRIP_WIDTH, height: int = STRIP_HEIGHT) -> Spec:
    """A dot with whiskers for each line in ``rows`` of the leaderboard of ``task``, without text, ``width``
    pixels wide and exactly ``height`` pixels high, so that it can be split into cells.
    """
    values = [
        {**record(row, str(position), ""), "kind": row.kind}
        for position, row in enumerate(rows)
        if row.score == row.score
    ]
    places = [str(position) for position in range(len(rows))]
    low, high = task.domain
    x = {
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False, "range": [6, width - 6]},
        "axis": None,
    }
    y = {
        "field": "group",
        "type": "nominal",
        "axis": None,
        "scale": {"domain": places, "paddingInner": 0, "paddingOuter": 0},
    }
    color = {
        "field": "kind",
        "scale": {
            "domain": ["model", "people", "published", "baseline"],
            "range": ["var(--accent)", INK, SERIES[1], MUTED],
        },
        "legend": None,
    }
    return {
        **spec(width=width, height={"step": height}, data={"values": values}),
        "padding": 0,
        "layer": [
            {
                "mark": {"type": "rule", "color": RULE},
                "encoding": {"x": {**x, "datum": low}, "x2": {"datum": high}, "y": y},
            },
            *(
                {
                    "mark": {"type": "tick", "color": RULE, "size": 7, "thickness": 1},
                    "encoding": {"x": {**x, "datum": at}, "y": y},
                }
                for at in (low, (low + high) / 2, high)
            ),
            {
                "mark": {"type": "rule", "strokeWidth": 3.5, "strokeCap": "butt", "opacity": 0.5},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": color},
            },
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 90,
                    "opacity": 1,
                    "stroke": PAPER,
                    "strokeWidth": 1.5,
                },
                "encoding": {"x": {**x, "field": "score"}, "y": y, "fill": color},
            },
        ],
    }
