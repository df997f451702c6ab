"""HTML for notebooks of runs, scores, comparisons and items, with inline styles and escaped texts."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

import polars as pl
from markupsafe import Markup, escape

from folkways.display import count, interval, number, percent, sanitize
from folkways.errors import MissingExtraError
from folkways.names import facet_title, short_endpoints, value_name
from folkways.records import Metric
from folkways.reports.figures.world import WorldMap
from folkways.reports.figures.world_chart import world_map
from folkways.reports.palette import LIGHT

if TYPE_CHECKING:
    from folkways.benchmarks.tables import Table
    from folkways.reports.views.views import ReportView

MOST_ROWS = 40
"""Rows of scores that are shown; a line counts the others."""

MAP_WIDTH = 640

CELL = "padding:2px 10px 2px 0;vertical-align:baseline;"


def run_html(view: ReportView) -> str:
    """A run: the verdict, the matrix of models and tasks, what each model took, the map of the first task,
    and warnings."""
    from folkways.reports.formats.summary import doubts, gaps, lede
    from folkways.reports.formats.verdict_tables import MARKED, expense_table, matrix_table
    from folkways.reports.views.leaderboard import Leaderboard
    from folkways.reports.views.verdicts import verdict_of

    board = Leaderboard(view)
    made, matrix, expenses = verdict_of(board), matrix_table(board), expense_table(board)
    parts = [Markup("<p><b>{}</b></p>").format(sanitize(made.text)), _paragraph(lede(view))]
    if matrix.rows:
        parts.append(html_table(matrix.heads, matrix.rows, 1))
    if any(task.best for task in made.tasks):
        parts.append(_paragraph(MARKED))
    if expenses.rows:
        parts.append(html_table(expenses.heads, expenses.rows, 1))
    parts += [_paragraph(sentence) for sentence in (*gaps(view), *doubts(view))]
    shades = WorldMap(view)
    if shades.first is not None:
        parts.append(_picture(shades))
    return _framed(parts)


def scores_html(scores: pl.DataFrame) -> str:
    """Scores with names instead of codes, and the main columns."""
    short = short_endpoints(tuple(scores["endpoint"].unique(maintain_order=True)))
    rows = [
        (
            short[row["endpoint"]],
            row["task"],
            row["metric"],
            facet_title(row["facet"]),
            value_name(row["facet"], row["value"]),
            number(row["score"]),
            interval(row["low"], row["high"], " to "),
            count(row["n"]),
            percent(row["coverage"]),
        )
        for row in scores.head(MOST_ROWS).iter_rows(named=True)
    ]
    heads = ("model", "task", "metric", "by", "of", "score", "95 % interval", "n", "coverage")
    more = (
        [_paragraph(f"and {count(scores.height - MOST_ROWS)} more rows")] if scores.height > MOST_ROWS else []
    )
    return _framed([html_table(heads, rows, 5), *more])


def tables_html(tables: Iterable[Table]) -> str:
    """The tables of ``folkways compare``, each with its title and notes."""
    parts = []
    for table in tables:
        parts.append(Markup("<b>{}</b>").format(sanitize(table.title)))
        rows = table.rows.select(pl.all().cast(pl.String).fill_null("")).rows()
        parts.append(html_table(table.rows.columns, rows, 1))
        parts += [_paragraph(sentence) for sentence in (table.unit, *table.notes) if sentence]
    return _framed(parts)


def item_html(
    item: Mapping[str, Any],
    prompts: pl.DataFrame,
    responses: pl.DataFrame,
    judgements: pl.DataFrame,
    metrics: tuple[Metric, ...],
) -> str:
    """One item as in ``folkways show``. item, prompts, responses, judgements, metrics: as for
    ``render_item``."""
    from rich.console import Console

    from folkways.reports.formats.item import render_item

    console = Console(
        file=StringIO(),
        record=True,
        force_jupyter=False,
        width=100,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(render_item(item, prompts, responses, judgements, metrics))
    return console.export_html(
        inline_styles=True, code_format='<pre style="white-space:pre-wrap">{code}</pre>'
    )


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], first_number: int) -> Markup:
    """A table of texts; columns from index ``first_number`` on are aligned right."""

    sides = ["left" if column < first_number else "right" for column in range(len(heads))]

    def line(cell: Markup, texts: Sequence[str]) -> Markup:
        made = (cell.format(CELL, side, sanitize(text)) for text, side in zip(texts, sides, strict=True))
        return Markup("<tr>{}</tr>").format(Markup("").join(made))

    head = line(Markup('<th style="{}text-align:{}">{}</th>'), heads)
    body = Markup("").join(line(Markup('<td style="{}text-align:{}">{}</td>'), row) for row in rows)
    return Markup(
        '<table style="border-collapse:collapse"><thead>{}</thead><tbody>{}</tbody></table>'
    ).format(head, body)


def _picture(shades: WorldMap) -> Markup:
    """The map of the first task as an image, which cannot run scripts or reach the page around it. Without
    the extra ``report``, the line that installs it."""
    from folkways.reports.figures.figure import with_colours

    assert shades.first is not None  # noqa: S101 - the caller has looked
    try:
        svg = world_map(shades.first.shades, shades.cultures, MAP_WIDTH, "notebook")
    except MissingExtraError as error:  # a notebook would show a traceback in place of the table
        return _paragraph(str(error))
    drawing = with_colours(svg, LIGHT)
    packed = base64.b64encode(drawing.encode()).decode()
    title = f"{shades.first.task.title}, {shades.first.metric.label}"
    picture = Markup(
        '<div style="background:#fff"><img alt="Map: {}" width="{}" src="data:image/svg+xml;base64,{}"></div>'
    )
    return picture.format(sanitize(title), MAP_WIDTH, packed)


def _paragraph(sentence: str) -> Markup:
    return Markup("<p>{}</p>").format(sanitize(sentence))


def _framed(parts: Iterable[Markup]) -> str:
    return str(Markup("<div>{}</div>").format(Markup("").join(escape(part) for part in parts)))
