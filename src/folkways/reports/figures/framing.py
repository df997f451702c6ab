"""What is drawn around a drawing: its legend, and in a file also its title, what is measured, and its source.

Widths are estimated for a wide font and every line is broken to fit, because the fonts of readers are wider
than those of the library that draws.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from folkways.display import sanitize
from folkways.reports.figures.charts import INK, LABEL_SIZE, MUTED, PAPER, Spec, text_lines, text_width

FONT = "system-ui, sans-serif"
LINE = 20
"""Pixels from one line of a legend to the next."""

SYMBOL, GAP = 26, 20
"""Pixels for the mark of an entry, and between two entries."""

NARROWEST = 420
"""Pixels below which a file is made wider, so that its title needs few lines."""

_ROOT = re.compile(
    r'^<svg([^>]*?) width="[^"]*" height="[^"]*" viewBox="0 0 ([\d.]+) ([\d.]+)">(.*)</svg>$', re.DOTALL
)

_MARKS = {
    "circle": '<circle r="4.5" fill="{0}"/>',
    "square": '<rect x="-4" y="-4" width="8" height="8" fill="{0}"/>',
    "diamond": '<path d="M0,-5.5L4.5,0L0,5.5L-4.5,0Z" fill="{0}"/>',
    "triangle-up": '<path d="M0,-5L5,4H-5Z" fill="{0}"/>',
    "triangle-down": '<path d="M0,5L5,-4H-5Z" fill="{0}"/>',
    "cross": '<path d="M-5,-1.8H-1.8V-5H1.8V-1.8H5V1.8H1.8V5H-1.8V1.8H-5Z" fill="{0}"/>',
    "bar": '<rect x="-6" y="-6" width="12" height="12" fill="{0}"/>',
    "line": "",
    "upright": '<path d="M0,-7V7" stroke="{0}" stroke-width="2.5"/>',
    "tick": '<path d="M0,-6V6" stroke="{0}" stroke-width="2" stroke-opacity="0.55"/>',
}
"""Mark of an entry -> its drawing around a point, in a colour."""


def with_legend(svg: str, keys: Sequence[Spec]) -> str:
    """The drawing below a legend of these entries (``charts.key``), as many to a line as fit over it."""
    if not keys:
        return svg
    head, width, height, drawn = _parts(svg)
    width = max(width, *(SYMBOL + text_width(key["label"]) + 4 for key in keys))
    x, y, entries = 4.0, 14.0, []
    for key in keys:
        needed = SYMBOL + text_width(key["label"])
        if x > 4 and x + needed > width:
            x, y = 4.0, y + LINE
        entries.append(f'<g transform="translate({x:.1f},{y:g})">{_entry(key)}</g>')
        x += needed + GAP
    top = y + 12
    legend = f'<g class="legend">{"".join(entries)}</g>'
    return _joined(head, width, height + top, f'{legend}<g transform="translate(0,{top:g})">{drawn}</g>')


def _entry(key: Spec) -> str:
    line = (
        f'<path d="M-9,0H9" stroke="{key["colour"]}" stroke-width="2"'
        f"{' stroke-dasharray=' + chr(34) + '4,3' + chr(34) if key['dashed'] else ''}/>"
        if key["mark"] == "line" or key["dashed"]
        else ""
    )
    mark = _MARKS[key["mark"]].format(key["colour"])
    label = _text(key["label"], SYMBOL - 4, 4.5, LABEL_SIZE, INK)
    return f'<g transform="translate(11,0)">{line}{mark}</g>{label}'


def captioned(svg: str, title: str, measure: str, source: str, description: str = "") -> str:
    """The drawing as a file: on the colour of paper, below its title and what is measured, above its source.

    svg: the drawing. measure: what its numbers are, with their unit. description: its text alternative, next
        to the title.
    """
    head, drawn_width, height, drawn = _parts(svg)
    width = max(drawn_width, float(NARROWEST))
    above, top = _lines(
        [(title, 15.0, INK, ' font-weight="bold"'), (measure, LABEL_SIZE, MUTED, "")], 4.0, width
    )
    below, bottom = _lines([(source, 11.0, MUTED, "")], top + 6 + height, width)
    height = bottom + 8
    whole = (
        f"<title>{escape(sanitize(title))}</title><desc>{escape(sanitize(description))}</desc>"
        f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>'
        f'{above}<g transform="translate({(width - drawn_width) / 2:g},{top + 6:g})">{drawn}</g>{below}'
    )
    return _joined(head, width, height, whole)


def _lines(texts: Sequence[tuple[str, float, str, str]], y: float, width: float) -> tuple[str, float]:
    """Texts (with size, colour and style) below each other from ``y``, and where they end."""
    drawn = []
    for text, size, colour, style in texts:
        wide = 1.12 if style else 1.0  # bold
        for line in text_lines(text, (width - 16) * LABEL_SIZE / size / wide) if text else ():
            y += size + 4
            drawn.append(_text(line, 8, y, size, colour, style))
    return "".join(drawn), y


def _text(text: str, x: float, y: float, size: float, colour: str, style: str = "") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="{FONT}" font-size="{size:g}px" fill="{colour}"{style}>'
        f"{escape(sanitize(text))}</text>"
    )


def _parts(svg: str) -> tuple[str, float, float, str]:
    """Attributes of the root, width and height in pixels, and what is drawn."""
    root = _ROOT.match(svg)
    if root is None:
        raise ValueError("a drawing has a size and a view box that begins at 0 0")
    return root[1], float(root[2]), float(root[3]), root[4]


def _joined(head: str, width: float, height: float, drawn: str) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return f"<svg{head} {size}>{drawn}</svg>"
