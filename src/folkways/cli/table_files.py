"""Where commands that make tables write them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from folkways.benchmarks.tables import Table

FORMATS = ("text", "csv", "json", "md")

WIDTH = 120
"""Characters of a line where there is no terminal to ask."""


def check_target(names: Sequence[str], shape: str, out: Path | None) -> None:
    """FolkwaysError unless there is a place for what will be written; found out before any work is done."""
    from folkways.errors import FolkwaysError

    if shape == "csv" and len(names) != 1 and (out is None or out.suffix or out.is_file()):
        raise FolkwaysError(
            "several tables as CSV need a folder, in which each has a file of its own\nName it with --out DIR, or name a single one"
        )
    if out is not None and not out.absolute().parent.is_dir():
        raise FolkwaysError(f"the folder {out.absolute().parent} does not exist; create it first")


def write_tables(tables: Sequence[Table], shape: str, out: Path | None) -> None:
    """Tables as text, Markdown, CSV or JSON, to a file, a folder or the terminal; FolkwaysError where that cannot be written."""
    from folkways.cli.table_output import as_csv, as_json, as_markdown, as_text

    if shape == "csv" and (len(tables) != 1 or (out is not None and (out.is_dir() or not out.suffix))):
        for table in tables:
            write_text(Path(out or ".") / f"{table.name}.csv", as_csv(table))
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
        write_text(out / f"tables.{shape.replace('text', 'txt')}" if out.is_dir() else out, text)


def write_text(path: Path, text: str) -> None:
    """Write a file and say so; FolkwaysError where that cannot be."""
    from folkways.errors import FolkwaysError

    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FolkwaysError(f"{path} cannot be written: {error.strerror or error}\nName another place with --out") from error
    click.echo(f"wrote {path}", err=True)
