"""Writes the output of commands that make tables: to the terminal, a file or a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from folkways.cli.out import file_at, is_folder
from folkways.files import make_folder

if TYPE_CHECKING:
    from folkways.benchmarks.tables import Table

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


def in_format(name: str, shape: str) -> str:
    """The file name in that format: ``tables.txt``."""
    return f"{name}.{shape.replace('text', 'txt')}"


def write_tables(tables: Sequence[Table], shape: str, out: Path | None) -> None:
    """Write tables as text, Markdown, CSV or JSON to a file, a folder or the terminal. FolkwaysError if that
    is not possible."""
    from folkways.cli.table_output import as_csv, as_json, as_markdown, as_text

    check_target(
        [table.name for table in tables], shape, out
    )  # one name on the command line can give several
    if shape == "csv" and out is not None and is_folder(out):
        for table in tables:
            write_text(out / f"{table.name}.csv", as_csv(table))
        return
    text = {
        "csv": lambda: as_csv(tables[0]),
        "json": lambda: as_json(tables) + "\n",
        "md": lambda: as_markdown(tables),
        "text": lambda: as_text(tables, get_terminal_size((WIDTH, 0)).columns) + "\n",
    }[shape]()
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out / in_format("tables", shape) if is_folder(out) else out, text)


def write_text(path: Path, text: str, amount: str = "") -> None:
    """Write a file and print its name, with ``amount`` if there is one. FolkwaysError if it cannot be
    written."""
    from folkways.errors import FolkwaysError

    make_folder(path.parent)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FolkwaysError(
            f"{path} cannot be written: {error.strerror or error}\nName another place with --out"
        ) from error
    click.echo(f"wrote {path}{f' ({amount})' if amount else ''}", err=True)
