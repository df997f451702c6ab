"""The report as a single HTML file that needs no network, no fonts and no libraries.

Its Content-Security-Policy forbids every connection and allows only its own style and script, by their
hashes. Jinja2 escapes every string, after ``display.sanitize``.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from folkways import __version__
from folkways import display as text
from folkways.cultures import language_name
from folkways.evidence.cultures import FEWEST_REPEATS
from folkways.evidence.sentences import RANKS
from folkways.names import culture_name, facet_title, language_endonym, local_languages, provider
from folkways.records import State
from folkways.reports.figures.charts import FEW_ITEMS
from folkways.reports.figures.drawings import Drawings, draw
from folkways.reports.figures.figure import slugged
from folkways.reports.figures.sparklines import bar, heat_step, marks, rules
from folkways.reports.figures.world import WorldMap, choices
from folkways.reports.formats.glyphs import faces
from folkways.reports.formats.methods import bibliography, method_rows, methods_paragraph
from folkways.reports.formats.summary import (
    coverage_notices,
    doubts,
    gaps,
    glosses,
    interval_example,
    lede,
    unasked,
)
from folkways.reports.palette import css_variables
from folkways.reports.views.cultures import SEED, CulturePage, culture_pages
from folkways.reports.views.judgement_sample import MAX_CHARACTERS, Sample, take_sample
from folkways.reports.views.matrix import columns
from folkways.reports.views.overview import Example, examples, turned_round, uncertain
from folkways.reports.views.verdicts import model_counts, verdict_of
from folkways.reports.views.views import ReportView, Score, TaskView

_INDENTED = re.compile(r">\n\s+<")
_ROOT = re.compile(r'^<svg[^>]*?viewBox="([^" ]+ [^" ]+ ([^" ]+)[^"]*)"[^>]*>')


MOST_DETAILED = 24
"""Endpoints, over all tasks, in the tables of tasks by group, which have everything about a score; the heat
maps have all endpoints."""

CELLS_DRAWN = 600
"""Cells of the heat maps of cultures that are in the page from the start; the page draws a further task when
it is chosen, since a browser takes a second for 15,000."""

SCRIPTS = ("shared", "page", "world", "exports", "items")
"""Parts of the script of the page, in order."""


@dataclass(frozen=True)
class Read:
    """The judgements and examples in the page; selecting them reads the texts of all judgements."""

    sample: Sample
    examples: Sequence[Example]
    cultures: Sequence[CulturePage]

    @classmethod
    def of(cls, view: ReportView) -> Read:
        """Select them from the judgements of the view."""
        cultures = culture_pages(view)  # first: what a sample took as Python objects is not all given back
        return cls(take_sample(view), examples(view), cultures)


def render_html(
    view: ReportView,
    drawings: Drawings | None = None,
    read: Read | None = None,
    turned: Sequence[str] | None = None,
) -> str:
    """The whole page of ``view``. drawings, read, turned: results of ``draw``, ``Read.of`` and
    ``turned_round``, if the caller has them already."""
    read = read if read is not None else Read.of(view)
    drawings = drawings if drawings is not None else draw(view)
    style = css_variables() + rules() + asset("report.css")
    # The parts share the names of the first, and keep their own to themselves.
    shared, *parts = (asset(f"script/{name}.js") for name in SCRIPTS)
    script = '"use strict";\n(() => {\n' + shared + "".join(f"{{\n{part}}}\n" for part in parts) + "})();\n"
    world = WorldMap(view)
    leaderboard = drawings.leaderboard
    matrix = columns(view, leaderboard)
    page = environment().get_template("report.html.j2").render(
        view=view,
        data=view.data,
        drawings=drawings,
        world=world,
        world_choices=choices(world.variants, view.short),
        world_json=Markup(text.json_for_html(world.embedded())),  # noqa: S704 - json_for_html leaves no character that could end the element
        leaderboard=leaderboard,
        matrix=matrix,
        by_culture=[task for task in view.tasks if "culture" in task.facets],
        late=_late(view, {page.code for page in read.cultures}),
        few_items=FEW_ITEMS,
        most_detailed=max(1, MOST_DETAILED // max(1, len(view.tasks))),
        nan=math.nan,
        glosses=glosses(column.task.metric for column in matrix),
        example=interval_example(view, matrix),
        ranks=RANKS if any(column.leading for column in matrix) else "",
        turned=turned_round(view, leaderboard) if turned is None else turned,
        examples=read.examples,
        method_rows=method_rows(view),
        lede=lede(view),
        verdict=verdict_of(leaderboard),
        counts=model_counts(leaderboard),
        gaps=gaps(view),
        unasked=unasked(view),
        notices=coverage_notices(view),
        doubts=[view.in_short(sentence) for sentence in doubts(view, uncertain(view, leaderboard))],
        sample=read.sample,
        cultures=read.cultures,
        seed=SEED,
        fewest_repeats=FEWEST_REPEATS,
        prose={task.task: methods_paragraph(view, task) for task in view.tasks},
        bibtex=bibliography(view.data.releases),
        items_data=Markup(read.sample.packed),  # noqa: S704 - base64
        items_size=text.size(len(read.sample.packed)),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        generator=f"folkways {__version__}",
        max_characters=MAX_CHARACTERS,
    )  # fmt: skip
    glyphs = faces(page, read.sample.letters)
    styles = (style, glyphs) if glyphs else (style,)
    # Comments stand in no text that was escaped. The glyphs come last: nothing waits for them to be drawn.
    last = f"<style>{glyphs}</style>" if glyphs else ""
    page = _INDENTED.sub(">\n<", page)
    return page.replace("<!--policy-->", policy(styles, script), 1).replace("<!--glyphs-->", last, 1)


def _late(view: ReportView, paged: set[str]) -> dict[str, Markup]:
    """Task -> its heat map of cultures as JSON, for the tasks after CELLS_DRAWN cells. paged: the cultures
    that have a page."""
    drawn, late = 0, {}
    for task in view.tasks:
        facet = task.facets.get("culture")
        if facet is None:
            continue
        shown = task.models or task.endpoints
        if drawn and drawn + len(facet.values) * len(shown) > CELLS_DRAWN:
            rows = [
                [
                    facet.name(value),
                    value if value in paged else "",
                    *(_cell(view, task, facet.scores.get((value, name)), value) for name in shown),
                    *([_cell(view, task, task.people_of(facet, value), "")] if task.people else []),
                ]
                for value, _ in facet.rows(shown)
            ]
            table = {
                "title": task.title,
                "id": f"{task.slug}-cultures",
                "task": task.task,
                "metric": facet.metric.label,
                "models": [view.short[name] for name in shown],
                "people": bool(task.people),
                "rows": rows,
            }
            late[task.task] = Markup(text.json_for_html(table))  # noqa: S704 - json_for_html leaves no character that could end the element
        drawn += len(facet.values) * len(shown)
    return late


def _cell(view: ReportView, task: TaskView, score: Score | None, culture: str) -> str:
    """A cell of a heat map: score, interval and n, then the classes of cell and bar."""
    if score is None:
        return ""
    ends = f"{text.number(score.low, 0)}–{text.number(score.high, 0)}" if score.low == score.low else ""
    coloured = culture and score.score == score.score and score.questions > FEW_ITEMS
    heat = f"h{heat_step(score.score, task.domain)}" if coloured else "-"
    home = "home" if view.data.homes.get(score.endpoint) == culture else "-"
    return "|".join((text.number(score.score), ends, score.shown_n, heat, home, marks(score, task.domain)))


def _ends(low: float | None, high: float | None) -> Markup:
    """Both ends of an interval; a dash without one."""
    return Markup('<span class="to"> to </span>').join(text.interval(low, high, "|").split("|"))


def policy(styles: Sequence[str], script: str) -> str:
    """The Content-Security-Policy of the page: nothing may be loaded, and only these styles and this script
    may run."""
    hashes = " ".join(f"'{_hash(style)}'" for style in styles)
    return (
        f"default-src 'none'; style-src {hashes}; script-src '{_hash(script)}'; img-src data:; font-src "
        "data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def asset(name: str) -> str:
    """A style or script of the templates, by its path there."""
    return (
        files("folkways.reports.formats").joinpath("templates", *name.split("/")).read_text(encoding="utf-8")
    )


def inline(svg: str) -> Markup:
    """A drawing in the page: it scales with its column, and the figure around it has its text alternative."""
    root = r'<svg viewBox="\1" width="\2" aria-hidden="true" focusable="false">'
    return Markup(_ROOT.sub(root, svg))  # noqa: S704 - Vega escapes the names in the drawing


_SEAM = re.compile(r"(?<=[-_./:@#?=&+,])(?=\w)")


def breakable(name: str) -> Markup:
    """A name that breaks between its parts where it needs several lines, and not within a word."""
    return Markup("<wbr>").join(_SEAM.split(text.sanitize(name)))


def _states(scores: Sequence[Score]) -> list[str]:
    """The states that some of these scores have, and always ``answered``."""
    return [
        state.value
        for state in State
        if state is State.ANSWERED or any(score.states[state.value] for score in scores)
    ]


def _finalize(value: Any) -> Any:
    """Sanitize plain strings that a template prints; Jinja2 then escapes them."""
    return text.sanitize(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache  # templates take half a second to compile
def environment() -> Environment:
    """What the templates of pages are rendered with: every string is sanitized and escaped."""
    environment = Environment(
        loader=PackageLoader("folkways.reports.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(
        number=text.number,
        count=text.count,
        ends=_ends,
        percent=text.percent,
        duration=text.duration,
        plural=text.plural,
        culture=culture_name,
        language=language_name,
        endonym=language_endonym,
        provider=provider,
        facet=facet_title,
        inline=inline,
        slug=slugged,
        breakable=breakable,
        states=_states,
        of_facet=lambda drawings, part: [drawing for drawing in drawings if part in f"{drawing.slug}-"],
    )
    environment.globals.update(bar=bar, local_languages=local_languages, heat_step=heat_step)
    return environment
