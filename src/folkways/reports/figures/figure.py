"""Figures: charts rendered to SVG, in a wide and a narrow form, with captions and findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import orjson

from folkways import __version__
from folkways.display import count, number
from folkways.errors import of_extra
from folkways.names import facet_title
from folkways.reports.figures import charts
from folkways.reports.figures.charts import FEW_ITEMS, FEW_TOLD, IN_THEMES, MAX_SERIES, Spec
from folkways.reports.figures.framing import captioned, with_legend
from folkways.reports.palette import LIGHT
from folkways.reports.views.views import JOINT_LANGUAGE, FacetView, TaskView, measure_of

WIDE, NARROW = 640, 190
WIDE_CELL, NARROW_CELL = 92, 34
MAX_FIGURES_PER_KIND = 4
"""Maximum number of models of a task that get figures of their own; the tables have all."""

PEOPLE_CAPTION = (
    " The upright line is people of the culture, the band its 95\u202f% interval: each person judged by the "
    "same rule against the answers of the others."
)
"""How to read the line of people."""

_ID = re.compile(r'(\bid="|url\(#|href="#)')
_ARIA = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_FURTHER_DIGITS = re.compile(r"(?<=\d\.\d\d)\d+")


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its texts.

    slug: name of its file and anchor.
    measure: what the numbers are, with their unit.
    source: where they come from, for a file.
    caption: what it shows and how to read it.
    finding: the main result in one sentence, which is also the text alternative.
    wide, narrow: SVG for screens and phones, with colours from CSS variables.
    of: the model or task of the figure, if similar figures of others are next to it; otherwise empty.
    """

    slug: str
    title: str
    caption: str
    finding: str
    wide: str
    narrow: str
    of: str = field(default="", kw_only=True)
    measure: str = field(kw_only=True)
    source: str = field(default=f"Made with folkways {__version__}.", kw_only=True)

    def file(self) -> str:
        """The wide drawing for a file, in the colours of the light theme, with its title, what is measured,
        how to read it, and its source."""
        caption = self.caption.replace(IN_THEMES, "")
        description = f"{self.finding} {caption}".strip()
        return with_colours(
            captioned(self.wide, self.title, self.measure, f"{caption} {self.source}", description), LIGHT
        )


def render(spec: Spec, prefix: str, finish: Callable[[str], str] = str) -> str:
    """Render a specification of ``charts.spec`` to SVG, below its legend. MissingExtraError without the extra
    ``report``.

    prefix: makes its ids unique in the page. finish: applied to the SVG of the library.
    """
    svg = _ID.sub(rf"\g<1>{prefix}-", drawing(orjson.dumps(spec), finish))
    return with_legend(svg, spec["usermeta"]["keys"])


@lru_cache(maxsize=256)  # all of a large report; reports of one study have most drawings in common
def drawing(spec: bytes, finish: Callable[[str], str]) -> str:
    """The SVG of a specification in JSON, with the library's own ids. MissingExtraError without the extra
    ``report``."""
    with of_extra("report", "a chart"):
        import vl_convert

    svg: str = finish(vl_convert.vegalite_to_svg(orjson.loads(spec)))
    svg = _ARIA.sub("", svg)  # not the parts but the whole figure has a name, and a data table
    return _FURTHER_DIGITS.sub("", svg)


def with_colours(svg: str, colours: dict[str, str]) -> str:
    """The drawing with colours instead of CSS variables, for programs that do not support these."""
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda found: colours[found[1]], svg)


def task_figures(task: TaskView, short: dict[str, str]) -> dict[str, list[Figure]]:
    """The figures of a task by section: ``culture``, ``language``, ``facet``, ``map`` and ``more``."""
    drawn = task.models[:MAX_FIGURES_PER_KIND]
    cultures = [view for name, view in task.facets.items() if name == "culture" and len(view.values) > 1]
    paired = _asked_in(task.facets[JOINT_LANGUAGE], drawn) if charts.language_pairs(task) else []
    crossed = [view for view in task.more if view.facet.startswith("culture+")]
    return {
        "culture": [_groups(task, view, short) for view in cultures],
        "language": [_languages(task, endpoint, short) for endpoint in paired],
        "facet": [_groups(task, view, short) for view in task.single_facets if 1 < len(view.values) <= 60],
        "map": [
            _map(task, view, endpoint, short) for view in task.maps for endpoint in _asked_in(view, drawn)
        ],
        "more": [
            _map(task, view, endpoint, short) for view in crossed for endpoint in _asked_in(view, drawn)
        ],
    }


def _asked_in(view: FacetView, endpoints: Sequence[str]) -> list[str]:
    """The endpoints with scores in the view; a model of another run may lack some cultures, or all."""
    scored = {name for (_, name), score in view.scores.items() if score.score == score.score}
    return [name for name in endpoints if name in scored]


def _groups(task: TaskView, view: FacetView, short: dict[str, str]) -> Figure:
    slug = f"{task.slug}-by-{slugged(view.facet)}"
    left_out = len(task.models) - MAX_SERIES
    caption = f"{task.metric.label}; the dot is the score, the line its 95\u202f% interval."
    if task.baselines and task.models:
        caption += " Short grey ticks: baselines."
    if any(task.people_of(view, value) for value in view.values):
        caption += PEOPLE_CAPTION
    elif task.people_are_in and view.facet == "culture":
        caption += (
            f" People are not drawn: folkways data fetch {task.people_are_in} brings their answers; then "
            "score the run."
        )
    if left_out > 0:
        caption += f" The best {MAX_SERIES} of {len(task.models)} models are drawn; the files have the rest."
    return make_figure(
        slug,
        f"{task.title}, by {facet_title(view.facet)}",
        caption,
        span(task, view, short),
        lambda width, _: charts.by_group(task, view, short, width),
        measure=task.measure,
    )


def _languages(task: TaskView, endpoint: str, short: dict[str, str]) -> Figure:
    pairs = charts.scores_in_both(task, endpoint).values()
    better = sum(local.score > english.score for local, english in pairs)
    finding = (
        f"{short[endpoint]} scores higher in the own language than in English for {better} of "
        f"{len(pairs)} cultures."
    )
    return make_figure(
        f"{task.slug}-language-{_model_slug(task, endpoint, short)}",
        f"{task.title}, own language and English: {short[endpoint]}",
        f"{task.metric.label}, sorted by the gain of the own language; the line is the 95\u202f% interval."
        + (PEOPLE_CAPTION if task.people else ""),
        finding,
        lambda width, _: charts.local_against_english(task, endpoint, width),
        measure=task.measure,
        of=short[endpoint],
    )


def _map(task: TaskView, view: FacetView, endpoint: str, short: dict[str, str]) -> Figure:
    facet = view.facet.partition("+")[2]
    with_people = bool(task.people) and view.metric.name == task.metric.name
    scores = [
        score for (_, name), score in view.scores.items() if name == endpoint and score.score == score.score
    ]
    scores.sort(key=lambda score: score.score)
    enough = [score for score in scores if score.questions > FEW_ITEMS]
    finding = ""
    if enough:
        lowest, highest = enough[0], enough[-1]
        finding = (
            f"{short[endpoint]} ranges from {number(lowest.score)} ({view.name(lowest.value)}) to "
            f"{number(highest.score)} ({view.name(highest.value)}); coloured cells rest on "
            f"{count(min(score.n for score in enough))} or more answers."
        )
    return make_figure(
        f"{task.slug}-culture-{slugged(facet)}-{_model_slug(task, endpoint, short)}",
        f"{task.title}, culture by {facet_title(facet)}: {short[endpoint]}",
        f"{view.metric.label} in each cell; darker is higher in the light theme, lighter in the dark one."
        + (f" {FEW_TOLD}" if len(enough) < len(scores) else "")
        + (" The last column is people of the culture: each against the others." if with_people else ""),
        finding,
        lambda _, cell: charts.heat(task, view, endpoint, cell),
        measure=measure_of(view.metric),
        of=short[endpoint],
    )


def make_figure(
    slug: str,
    title: str,
    caption: str,
    finding: str,
    spec: Callable[[int, int], Spec],
    *,
    measure: str,
    of: str = "",
    narrow: bool = True,
) -> Figure:
    """A figure in both forms.

    slug, title, caption, finding, measure, of: as in Figure. spec: makes the chart from the width of the
    drawing and of one cell, in pixels. narrow: whether phones need it; a file has the wide form alone.
    """
    wide = render(spec(WIDE, WIDE_CELL), f"{slug}-w")
    for_phones = render(spec(NARROW, NARROW_CELL), f"{slug}-n") if narrow else ""
    return Figure(slug, title, caption, finding, wide, for_phones, of=of, measure=measure)


def _model_slug(task: TaskView, endpoint: str, short: dict[str, str]) -> str:
    """The model for file names; models with the same slug get their number in the task as well."""
    slug = slugged(short[endpoint])
    alike = [name for name in task.endpoints if slugged(short[name]) == slug]
    return slug if slug and len(alike) == 1 else f"{slug}-{task.endpoints.index(endpoint) + 1}".strip("-")


def slugged(text: str) -> str:
    """Text for file names and anchors."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def span(task: TaskView, view: FacetView, short: dict[str, str]) -> str:
    """A sentence on the groups in which the leading model scores highest and lowest, and on what extremes
    mean."""
    endpoint = task.endpoints[0]
    group_scores = [view.scores[value, endpoint] for value in view.values if (value, endpoint) in view.scores]
    scores = [score for score in group_scores if score.score == score.score]
    if len(scores) < 2:
        return ""
    highest = max(scores, key=lambda score: score.score)
    lowest = min(scores, key=lambda score: score.score)
    if highest.score == lowest.score:
        return f"{short[endpoint]} scores {number(highest.score)} everywhere."
    apart = (
        f"the two are picked from {len(scores)} groups, so their distance looks larger than it is"
        if len(scores) > 2 and lowest.high < highest.low
        else "their intervals do not overlap"
        if lowest.high < highest.low
        else "their intervals overlap, so the order is not certain"
    )
    return (
        f"{short[endpoint]} scores highest for {view.name(highest.value)} ({number(highest.score)}) "
        f"and lowest for {view.name(lowest.value)} ({number(lowest.score)}); {apart}."
    )
