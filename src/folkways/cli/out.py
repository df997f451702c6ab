"""What a command says and writes: ``--out`` (a name with an ending is a file, any other a folder), formats
and the terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from folkways.errors import FolkwaysError
from folkways.files import check_folder, check_several

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

F = TypeVar("F", bound=Callable[..., Any])

_AS_JSON = "folkways.as_json"

SUFFIXES = (".csv", ".jsonl", ".json", ".parquet")
"""Endings of the files that a frame is written to."""


def terminal(*, stderr: bool = False) -> Console:
    """Standard output, or standard error. No text is markup, and none is a picture: ``baseline/constant:A:``
    is no emoji."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def how_to_go_on(reason: str | None) -> str:
    """Why a run stopped, and what to do: a reason that is whole sentences says so itself, as the same command
    would fail again."""
    return reason if reason and reason.endswith(".") else f"{reason}. Run the same command again to go on."


def out_option(what: str, gets: str, *, required: bool = False) -> Callable[[F], F]:
    """``--out FILE|DIR`` of a command that writes one thing. what: what goes there; gets: the file's name in
    a folder."""
    told = f"{what}: a file, or a folder (a name without an ending), which gets {gets}."
    return click.option(
        "--out", required=required, type=click.Path(path_type=Path), metavar="FILE|DIR", help=told
    )


def folder_option(told: str) -> Callable[[F], F]:
    """``--out DIR`` of a command that writes several files; whether it can be that folder is found out before
    any work is done."""

    def checked(_ctx: click.Context, _param: click.Parameter, out: Path | None) -> Path | None:
        if out is not None:  # a shell that completes a line has none yet
            check_several(out)
            check_folder(out)
        return out

    return click.option(
        "--out", required=True, type=click.Path(path_type=Path), callback=checked, metavar="DIR", help=told
    )


def say_written(files: Iterable[Path], notes: Iterable[str]) -> None:
    """Name the files that were written, and on standard error what a person must know of them."""
    from folkways.display import one_line

    for path in files:
        click.echo(f"wrote {path}")
    for note in notes:
        click.echo(one_line(note), err=True)


def print_json(value: object) -> None:
    """Print a document: indented, null for what is not known, nothing in it that a terminal would obey."""
    from folkways.display import json_for_terminal

    click.echo(json_for_terminal(value))


class _Shape(click.Choice[str]):
    """The formats that are shown, and ``json``, which was a format before every command had ``--json``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """One of the formats; a usage error otherwise."""
        return "json" if value == "json" else super().convert(value, param, ctx)


def format_option(command: F) -> F:
    """``--format`` and ``--json`` of a command that writes text, CSV, Markdown or JSON, as the parameter
    ``shape``."""

    def chosen(ctx: click.Context, _param: click.Parameter, value: str) -> str:
        given = ctx.get_parameter_source("shape") is not ParameterSource.DEFAULT
        if not ctx.meta.get(_AS_JSON):
            return value
        if given and value != "json":
            raise click.UsageError(f"--json and --format {value} are two formats; name one of them", ctx)
        return "json"

    def as_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        ctx.meta[_AS_JSON] = value

    flag = click.option(
        "--json", is_flag=True, is_eager=True, expose_value=False, callback=as_json, help="Write JSON."
    )
    shapes = click.option(
        "--format",
        "shape",
        type=_Shape(("text", "csv", "md")),
        default="text",
        show_default=True,
        callback=chosen,
        help="How it is written.",
    )
    return shapes(flag(command))


def is_folder(out: Path) -> bool:
    """Whether ``out`` names a folder: one that is there, or a new name without an ending. Digits are no
    ending (``build-1.2``)."""
    return out.is_dir() if out.exists() else not any(character.isalpha() for character in out.suffix)


def file_at(out: Path, name: str, endings: Sequence[str] = ()) -> Path:
    """The file that ``out`` leads to: itself, or ``name`` in the folder that it is. To be called before any
    work is done.

    endings: those that the file may have; any if none is given. FolkwaysError where no such file can be
    written. A new folder is made when something is written, by what writes it.
    """
    inside = is_folder(out)
    path = out / name if inside else out
    if endings and path.suffix.lower() not in endings:
        valid = f"one of {', '.join(endings)}" if len(endings) > 1 else endings[0]
        raise FolkwaysError(f"cannot tell the format of {path}; end its name with {valid}")
    if not inside or path.exists():
        check_text_target(path)
    else:
        check_folder(out)
    return path


def check_text_target(path: Path) -> None:
    """FolkwaysError unless a text of any name can be written there; to be called before any work is done."""
    if path.is_dir():
        raise FolkwaysError(f"{path} is a folder; name a file in it, or another place")
    if not path.parent.is_dir():
        raise FolkwaysError(f"the folder {path.parent} does not exist; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FolkwaysError(f"{path} cannot be written: it or its folder is read-only")


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write ``frame`` as CSV, JSON lines, JSON or Parquet, by the file's ending (one of SUFFIXES); complete
    or not at all.

    CSV gets an apostrophe before what a spreadsheet would run as a formula (``folkways.spreadsheet``); the
    other formats are exact. What is not a number is null.
    """
    from folkways.files import packed, write_bytes
    from folkways.records import without_nan
    from folkways.spreadsheet import for_csv

    frame = without_nan(frame)
    match path.suffix.lower():
        case ".csv":
            content = for_csv(frame).write_csv().encode()
        case ".json":
            content = frame.write_json().encode()
        case ending:
            content = packed(frame, ending.removeprefix("."))
    write_bytes(path, content)
