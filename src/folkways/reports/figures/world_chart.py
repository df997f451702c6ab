"""The world map as a Vega-Lite specification: colour is the score, hatching the width of its interval.

Only the score decides how dark a place is, so that the map works in print and for people who see fewer
colours. Uncertainty does not fade a place, which would look like a middling score, but hatches it, with a
light and a dark line side by side that are visible on every colour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from folkways.reports.figures.charts import CONFIG, HEAT, HEAT_STEPS, INK, MUTED, PAPER, RULE, Spec, spec
from folkways.reports.figures.figure import render
from folkways.reports.figures.world import SHAPES, VERY_WIDE, WIDE, Shade, places, topology

DOUBTS = (f"under {WIDE:g} points wide", f"{WIDE:g} to {VERY_WIDE:g}", f"{VERY_WIDE:g} or more")
HATCHES = ("transparent", "url(#hatch-1)", "url(#hatch-2)")
SPACING = {"hatch-1": 7, "hatch-2": 3.8}

UNCOLOURED = {"score": 0, "doubt": DOUBTS[-1]}
"""The state in which a map is drawn: each place has a colour and a hatching, which ``coloured`` replaces."""

UNSEEN = "0.00"
"""Opacity of places without a score, which stay in the drawing for other states."""

_MARK = re.compile(r'<path data-(place|hatch)="([^"]*)"[^>]*>')
_FILL = re.compile(r' fill="[^"]*"')
_PATH = re.compile(r' d="[^"]*"')
_FURTHER_DIGITS = re.compile(r"(?<=\.\d)\d+")

_MARKED = re.compile(r'aria-label="(place|hatch):([^"]*)"')


def world_map(shades: Mapping[str, Shade], cultures: Sequence[str], width: int, prefix: str) -> str:
    """The map in one state as SVG, with the place of each mark as ``data-place`` or ``data-hatch``.

    shades: culture -> its score in this state. cultures: all that need shapes in the drawing, with a score in
    this state or not. width: in pixels. prefix: makes its ids unique in the page.
    """
    return coloured(render(world_spec(tuple(cultures), width), prefix, marked), shades)


@lru_cache(maxsize=16)
def world_spec(cultures: tuple[str, ...], width: int) -> Spec:
    """The map of these cultures, in the one state that is drawn."""
    shown_places = [places()[code] for code in cultures]
    layers: list[Spec] = [
        {
            "data": _countries(),
            "mark": {"type": "geoshape", "fill": "var(--panel)", "stroke": RULE, "strokeWidth": 0.7},
        }
    ]
    for kind in ("group", "country"):
        shapes = [
            {"shape": country, "place": entry.culture, **UNCOLOURED}
            for entry in shown_places
            if entry.kind == kind
            for country in entry.countries
        ]
        if shapes:
            outline = {
                "stroke": INK,
                "strokeWidth": 1,
                **({"strokeDash": [3, 2]} if kind == "group" else {"strokeOpacity": 0.6}),
            }
            layers += [_shapes(shapes, what, width, outline) for what in ("place", "hatch")]
    dots = [
        {"place": entry.culture, "longitude": entry.at[0], "latitude": entry.at[1], **UNCOLOURED}
        for entry in shown_places
        if entry.at is not None
    ]
    if dots:
        layers += [_dots(dots, what, width) for what in ("place", "hatch")]
    for layer in layers[3:]:  # a single legend, of the first two layers of places
        layer["encoding"]["fill"]["legend"] = None
    return spec(
        datasets={SHAPES: topology()},
        width=width,
        height=round(width * 0.47),
        # the seam is in the Bering Strait, so that no country is split
        projection={"type": "equalEarth", "rotate": [-11, 0, 0]},
        layer=layers,
        resolve={"scale": {"fill": "independent"}},  # colours and hatchings are both fills
        # The names of shapes come as ARIA labels; ``marked`` makes them data of the page.
        config={**CONFIG, "aria": True, "legend": {"labelColor": INK}},
    )


def _countries() -> Spec:
    return {"name": SHAPES, "format": {"type": "topojson", "feature": SHAPES}}


def _shapes(rows: Sequence[Spec], what: str, width: int, outline: Spec) -> Spec:
    looked_up = {"data": {"values": list(rows)}, "key": "shape", "fields": ["place", "score", "doubt"]}
    stroke = outline if what == "place" else {"stroke": PAPER, "strokeWidth": 0.5}
    return {
        "data": _countries(),
        "transform": [{"lookup": "id", "from": looked_up}, {"filter": "isValid(datum.place)"}, _name(what)],
        "mark": {"type": "geoshape", "strokeJoin": "round", **stroke},
        "encoding": {"fill": _fill(what, width), "opacity": {"value": 1}, "description": {"field": "name"}},
    }


def _dots(rows: Sequence[Spec], what: str, width: int) -> Spec:
    outline = {"stroke": INK, "strokeWidth": 1.2} if what == "place" else {"stroke": None}
    return {
        "data": {"values": list(rows)},
        "transform": [_name(what)],
        "mark": {"type": "circle", "size": 70, **outline},
        "encoding": {
            "longitude": {"field": "longitude", "type": "quantitative"},
            "latitude": {"field": "latitude", "type": "quantitative"},
            "fill": _fill(what, width),
            "opacity": {"value": 1},
            "description": {"field": "name"},
        },
    }


def _name(what: str) -> Spec:
    return {"calculate": f"'{what}:' + datum.place", "as": "name"}


def _fill(what: str, width: int) -> Spec:
    """Colour by score, or hatching by uncertainty, each with its legend below the map."""
    title = {"titleFontSize": 12, "titleColor": MUTED, "titleFontWeight": "normal"}
    key = {"orient": "bottom", **title, "labelFontSize": 11.5, "offset": 6}
    if what == "hatch":
        symbols = {
            "symbolType": "square",
            "symbolSize": 190,
            "symbolStrokeWidth": 1,
            "symbolStrokeColor": MUTED,
        }
        return {
            "field": "doubt",
            "type": "nominal",
            "scale": {"domain": list(DOUBTS), "range": list(HATCHES)},
            "legend": {**key, **symbols, "title": "95\u202f% interval", "columns": 3},
        }
    return {
        "field": "score",
        "type": "quantitative",
        "scale": {"type": "threshold", "domain": list(HEAT_STEPS), "range": list(HEAT)},
        "legend": {
            **key,
            "type": "gradient",
            "gradientLength": min(300, width - 20),
            "gradientThickness": 12,
            "title": "Score",
        },
    }


def marked(svg: str) -> str:
    """The drawing with the patterns of its hatching, and the place of each mark as ``data-place`` or
    ``data-hatch``."""
    patterns = "".join(
        f'<pattern id="{name}" width="{step}" height="{step}" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)">'
        f'<path d="M0.5,0V{step}" stroke="{PAPER}" stroke-width="1"/>'
        f'<path d="M1.3,0V{step}" stroke="{INK}" stroke-width="0.5" stroke-opacity="0.7"/></pattern>'
        for name, step in SPACING.items()
    )
    svg = _MARKED.sub(r'data-\1="\2"', svg)
    # A tenth of a pixel is enough for a coast.
    svg = _PATH.sub(lambda path: _FURTHER_DIGITS.sub("", path[0]), svg)
    return re.sub(r"(<svg[^>]*>)", rf"\g<1><defs>{patterns}</defs>", svg, count=1)


def coloured(svg: str, shades: Mapping[str, Shade]) -> str:
    """A drawing of ``marked`` in another state: the colour and hatching of each place by its score. Drawing
    a map takes a hundred times as long."""

    def in_state(mark: re.Match[str]) -> str:
        what, culture = mark.groups()
        shade = shades.get(culture)
        step = None if shade is None else shade.step
        if shade is None or step is None:
            tag, step, doubt = mark[0].replace(' opacity="1"', f' opacity="{UNSEEN}"'), 0, 0
        else:
            tag, doubt = mark[0], shade.doubt
        if what == "place":
            return tag.replace(HEAT[0], HEAT[step])
        return tag.replace("hatch-2)", f"hatch-{doubt})") if doubt else _FILL.sub("", tag)

    return _MARK.sub(in_state, svg)
