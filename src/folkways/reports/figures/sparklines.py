"""The bars in the cells of tables: a score, its interval, guessing and people on one scale.

A bar is one empty element whose classes say where its marks are, because the page's policy allows no style
attributes and thousands of drawings would make the page large.
"""

from __future__ import annotations

import math

from markupsafe import Markup

from folkways.reports.figures.charts import Estimate

STEPS = 50
"""Steps of the scale of a bar: a mark is at most half a step from its value."""

MARKS = "lwscp"
"""First letters of the classes of a bar: low end and width of the interval, score, chance, people; what
follows is a number of steps. They are also the names of its CSS variables."""


def bar(
    estimate: Estimate, domain: tuple[float, float], chance: float = math.nan, people: float = math.nan
) -> Markup:
    """The bar of a score; empty for a score that is not known.

    estimate: score and interval. domain: lowest and highest value of the scale. chance, people: what guessing
    and people of the cultures score; NaN draws no mark.
    """
    classes = marks(estimate, domain, chance, people)
    return Markup('<i class="bar {}"></i>').format(classes) if classes else Markup("")


def marks(
    estimate: Estimate, domain: tuple[float, float], chance: float = math.nan, people: float = math.nan
) -> str:
    """The classes of the bar of a score; empty for a score that is not known.

    estimate, domain, chance, people: as for ``bar``.
    """
    if math.isnan(estimate.score):
        return ""
    values = {"s": estimate.score, "c": chance, "p": people}
    steps = {name: _step(value, domain) for name, value in values.items() if not math.isnan(value)}
    if not math.isnan(estimate.low):
        steps["l"] = _step(estimate.low, domain)
        steps["w"] = _step(estimate.high, domain) - steps["l"]
    return " ".join(f"{name}{step}" for name, step in steps.items())


def heat_step(score: float, domain: tuple[float, float]) -> int:
    """Number of the colour of a score, from 0 for the lowest tenth of the scale to 9."""
    return min(9, int(10 * _share(score, domain)))


def _step(value: float, domain: tuple[float, float]) -> int:
    return round(STEPS * _share(value, domain))


def _share(value: float, domain: tuple[float, float]) -> float:
    low, high = domain
    return min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.0


def rules() -> str:
    """The style rules of all classes of bars."""
    return "".join(
        f".{name}{step}{{--{name}:{100 * step // STEPS}%}}" for name in MARKS for step in range(STEPS + 1)
    )
