"""Recomputed tables as text for the terminal, Markdown, CSV or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import Any

from folkways import __version__
from folkways.benchmarks.tables import ABBREVIATIONS, Layout, Table
from folkways.display import count, figure, json_for_terminal, number, single_line
from folkways.reports.views.grids import wide_forms
from folkways.spreadsheet import for_csv

SIDE_BY_SIDE = "{} ({})"
"""A cell that differs from the published value: the recomputed value, then the published one in brackets."""

HEADINGS = {**ABBREVIATIONS, "Holidays/Celebration/Leisure": "Holidays"}
"""Headings of columns whose name is not the heading."""

GAP = 2
"""Spaces between two columns."""

UNBROKEN = 18
"""Cells of at most this many characters, such as intervals, stay on one line; longer words are folded."""

Grid = tuple[str, list[str], list[list[str]]]
"""A heading (empty for a single grid), the column names, and the cells of each row."""


def as_json(tables: Sequence[Table]) -> str:
    """One document with the unit, notes and rows of each table; unknown values are null."""
    heads = [{name: getattr(table, name) for name in ("name", "title", "unit", "notes")} for table in tables]
    rows = [{"rows": table.rows.to_dicts()} for table in tables]
    return json_for_terminal(
        {"folkways": __version__, "tables": [left | right for left, right in zip(heads, rows, strict=True)]}
    )


def as_csv(table: Table) -> str:
    """The rows with full precision."""
    return for_csv(table.rows).write_csv()


def as_markdown(tables: Sequence[Table]) -> str:
    """A section for each table."""
    return "\n".join(line for table in tables for line in _section(table))


def _section(table: Table) -> Iterator[str]:
    bar = "\\|"  # escaped, as a plain one ends the cell
    yield f"## {table.title}\n"
    yield f"{table.unit}\n"
    for heading, columns, rows in grids(table):
        if heading:
            yield f"### {heading}\n"
        yield f"| {' | '.join(columns)} |"
        yield f"|{'---|' * len(columns)}"
        for row in rows:
            yield f"| {' | '.join(cell.replace('|', bar) for cell in row)} |"
        yield ""
    for note in table.notes:
        yield f"- {single_line(note)}"
    if table.notes:
        yield ""


def as_text(tables: Sequence[Table], width: int) -> str:
    """Tables for the terminal; ``width`` in characters."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console(
        file=StringIO(), markup=False, emoji=False, highlight=False, width=width, force_terminal=False
    )
    for table in tables:
        console.print(f"{table.title}", style="bold")
        console.print(table.unit)
        for heading, columns, rows in grids(table):
            if not rows:
                continue
            needs = [_narrowest(name, (row[index] for row in rows)) for index, name in enumerate(columns)]
            for part, places in enumerate(_fitting(needs, _names(rows), width)):
                title = heading if heading and part == 0 else None
                grid = RichTable(title=title, title_justify="left", box=None, pad_edge=False)
                wants = [
                    max(map(cell_len, (columns[index], *(row[index] for row in rows)))) for index in places
                ]
                room = width - GAP * (len(places) - 1)
                widths = _widths([needs[index] for index in places], wants, room)
                for index, fixed in zip(places, widths, strict=True):
                    numbers = _is_numeric(rows, index)
                    grid.add_column(
                        columns[index], justify="right" if numbers else "left", overflow="fold", width=fixed
                    )
                for row in rows:
                    grid.add_row(*(row[index] for index in places))
                console.print()
                console.print(grid)
        for note in table.notes:
            console.print(f"* {single_line(note)}")
        console.print()
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def _fitting(needs: list[int], names: int, width: int) -> Iterator[list[int]]:
    """Groups of column indices that each fit into ``width`` characters without breaking a word or number.

    needs: the narrowest that each column can be. Every group starts with the first ``names`` columns, which
    name the rows, or with as many of them as leave room for each other column.
    """
    while names > 1 and sum(need + GAP for need in needs[:names]) + max(needs[names:], default=0) > width:
        names -= 1
    places = [*range(names)]
    for index in range(names, len(needs)):
        if len(places) > names and sum(needs[shown] + GAP for shown in places) + needs[index] > width:
            yield places
            places = [*range(names)]
        places.append(index)
    yield places


def _names(rows: list[list[str]]) -> int:
    """How many columns name the rows: the first ones of words, up to that from which on no two rows are
    alike; one at least."""
    words = 1
    while words < len(rows[0]) and not _is_numeric(rows, words) and _alike(rows, words):
        words += 1
    return words


def _alike(rows: list[list[str]], columns: int) -> bool:
    return len({tuple(row[:columns]) for row in rows}) < len(rows)


def _is_numeric(rows: list[list[str]], column: int) -> bool:
    return all(row[column][:1] in "-−–+.<0123456789" for row in rows)


def _widths(needs: list[int], wants: list[int], room: int) -> list[int] | list[None]:
    """Columns as wide as they want to be, or narrower, the widest first, but none narrower than it needs.

    None for each where even that does not fit: then words are folded.
    """
    widths = list(wants)
    while sum(widths) > room:
        wider = [index for index, width in enumerate(widths) if width > needs[index]]
        if not wider:
            return [None] * len(widths)
        widths[max(wider, key=widths.__getitem__)] -= 1
    return widths


def _narrowest(heading: str, cells: Iterable[str]) -> int:
    """Minimum width of a column in characters, where headings and long cells may break between words."""
    from rich.cells import cell_len

    words = [cell_len(word) for word in heading.split()]
    for cell in cells:
        words += (
            [cell_len(cell)]
            if cell_len(cell) <= UNBROKEN
            else [min(UNBROKEN, cell_len(word)) for word in cell.split()]
        )
    return max(words, default=0)


def grids(table: Table) -> Iterator[Grid]:
    """The table for display: in wide form if its layout says so, otherwise row by row."""
    if table.layout is None:
        cells = [[_cell(value) for value in row] for row in table.rows.iter_rows()]
        yield "", [_heading(name) for name in table.rows.columns], cells
        return
    layout = table.layout
    for part, across, groups in wide_forms(table.rows, layout):
        lines = [
            [name or "every culture", *(_number(row, layout) if row else "" for row in rows)]
            for name, rows in groups
        ]
        yield (
            str(part[layout.by][0]) if layout.by else "",
            [_heading(name) for name in (layout.down, *across)],
            lines,
        )


def _number(row: dict[str, Any], layout: Layout) -> str:
    text = number(row[layout.cell], layout.decimals)
    if row.get("reproduced") is None:
        return text
    published = number(row["published"], layout.decimals)
    return published if row["reproduced"] else SIDE_BY_SIDE.format(text, published)


def _heading(name: str) -> str:
    return HEADINGS.get(name) or name.replace("_", " ")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return figure(value) if isinstance(value, float) else single_line(str(value))
