"""Writes the output of commands that make tables: to the terminal, a file or a folder, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TypeVar

import click

from folkways.cli.out import file_at, is_folder
from folkways.files import check_folder, write_bytes

if TYPE_CHECKING:
    from folkways.benchmarks.tables import Table
    from folkways.releases.release_records import Release

F = TypeVar("F", bound=Callable[..., Any])

WIDTH = 120
"""Characters per line if the output is not a terminal."""


def check_target(names: Sequence[str], shape: str, out: Path | None) -> None:
    """FolkwaysError if the tables cannot be written to ``out``; called before any work is done."""
    from folkways.errors import FolkwaysError

    if shape == "csv" and len(names) != 1 and (out is None or not is_folder(out)):
        raise FolkwaysError(
            "several tables as CSV need a folder with a file for each\nName it with --out DIR, or "
            "choose one table"
        )
    if out is not None:
        file_at(out, in_format("tables", shape))


def figures_option() -> Callable[[F], F]:
    """``--figures DIR`` of a command that makes tables, checked before any work is done."""

    def checked(_ctx: click.Context, _param: click.Parameter, folder: Path | None) -> Path | None:
        if folder is not None:
            from folkways.errors import need_extra

            check_folder(folder)
            need_extra("report", "drawing figures", "vl_convert")
        return folder

    return click.option(
        "--figures",
        type=click.Path(path_type=Path),
        callback=checked,
        metavar="DIR",
        help="Also draw the figures of the tables there, as SVG.",
    )


def write_figures(
    tables: Sequence[Table], folder: Path, releases: Iterable[Release], runs: Sequence[str] = ()
) -> None:
    """Write every figure of the tables as an SVG file of its own.

    tables, folder: what is drawn, and where to. releases, runs: what the numbers come from, for the line
        below each figure. Raises FolkwaysError if none of the tables has a figure, or a file cannot be
        written.
    """
    from folkways import __version__
    from folkways.errors import FolkwaysError
    from folkways.names import short_endpoints
    from folkways.reports.figures.analysis_figures import figures_of

    data = ", ".join(dict.fromkeys(release.label for release in releases))
    made_of = [*([f"Data: {data}."] if data else []), *([f"Runs: {', '.join(runs)}."] if runs else [])]
    source = " ".join([*made_of, f"Made with folkways {__version__}."])
    short = short_endpoints(tuple(_endpoints(tables)))
    figures = [figure for table in tables for figure in figures_of(table, short)]
    if not figures:
        raise FolkwaysError("none of these tables has a figure\nName others, or leave --figures out")
    for figure in figures:
        write_text(folder / f"{figure.slug}.svg", replace(figure, source=source).file())


def _endpoints(tables: Sequence[Table]) -> list[str]:
    """The endpoints that the tables name."""
    columns = (table.rows["endpoint"] for table in tables if "endpoint" in table.rows.columns)
    return list(
        dict.fromkeys(
            str(name) for column in columns for name in column.drop_nulls().unique(maintain_order=True)
        )
    )


def _in_short(tables: Sequence[Table]) -> list[Table]:
    """The tables and their notes with short names of endpoints, for people."""
    import polars as pl

    from folkways.names import short_endpoints

    short = short_endpoints(tuple(_endpoints(tables)))
    if not short:
        return list(tables)
    longest_first = sorted(short, key=len, reverse=True)

    def told(note: str) -> str:
        for name in longest_first:
            note = note.replace(name, short[name])
        return note

    return [
        replace(
            table,
            rows=table.rows.with_columns(pl.col(pl.String).replace(short)),
            notes=tuple(map(told, table.notes)),
        )
        for table in tables
    ]


def in_format(name: str, shape: str) -> str:
    """The file name in that format: ``tables.txt``."""
    return f"{name}.{shape.replace('text', 'txt')}"


def write_tables(tables: Sequence[Table], shape: str, out: Path | None) -> None:
    """Write tables as text, Markdown, CSV or JSON to a file, a folder or the terminal. FolkwaysError if that
    is not possible."""
    from folkways.cli.table_output import as_csv, as_json, as_markdown, as_text

    # one name on the command line can give several
    check_target([table.name for table in tables], shape, out)
    if shape == "csv" and out is not None and is_folder(out):
        for table in tables:
            write_text(out / f"{table.name}.csv", as_csv(table))
        return
    text = {
        "csv": lambda: as_csv(tables[0]),
        "json": lambda: as_json(tables) + "\n",
        "md": lambda: as_markdown(_in_short(tables)),
        "text": lambda: as_text(_in_short(tables), get_terminal_size((WIDTH, 0)).columns) + "\n",
    }[shape]()
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out / in_format("tables", shape) if is_folder(out) else out, text)


def write_text(path: Path, text: str, amount: str = "") -> None:
    """Write a file, whole or not at all, and print its name.

    path, text: the file. amount: what is printed after the name. Raises FolkwaysError.
    """
    write_bytes(path, text.encode())
    click.echo(f"wrote {path}{f' ({amount})' if amount else ''}", err=True)
