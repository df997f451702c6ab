"""Output of commands: ``--out`` (a name with an ending is a file, any other a folder), formats and the
terminal."""

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
    """A console for standard output or standard error, without markup and emoji codes:
    ``baseline/constant:A:`` is printed as it is."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def how_to_go_on(reason: str | None) -> str:
    """Why a run stopped, and what to do. A reason in full sentences already says what to do."""
    return reason if reason and reason.endswith(".") else f"{reason}. Run the same command again to continue."


def out_option(what: str, gets: str, *, required: bool = False) -> Callable[[F], F]:
    """``--out FILE|DIR`` of a command that writes one file. what: help text; gets: name of the file in a
    folder."""
    text = f"{what}: a file, or a folder (a name without an ending), which gets {gets}."
    return click.option(
        "--out", required=required, type=click.Path(path_type=Path), metavar="FILE|DIR", help=text
    )


def folder_option(text: str) -> Callable[[F], F]:
    """``--out DIR`` of a command that writes several files, checked before any work is done. text: help
    text."""

    def checked(_ctx: click.Context, _param: click.Parameter, out: Path | None) -> Path | None:
        if out is not None:  # it is None during completion
            check_several(out)
            check_folder(out)
        return out

    return click.option(
        "--out", required=True, type=click.Path(path_type=Path), callback=checked, metavar="DIR", help=text
    )


def report_option(default: str, what: str) -> Callable[[F], F]:
    """``--out DIR`` of a command that writes a report, to the folder ``default`` without it. what: the folder
    gets."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=Path(default),
        show_default=True,
        metavar="DIR",
        help=f"Folder that gets {what}.",
    )


def say_written(files: Iterable[Path], notes: Iterable[str]) -> None:
    """Print the names of the files that were written, and notes on standard error."""
    from folkways.display import single_line

    for path in files:
        click.echo(f"wrote {path}")
    for note in notes:
        click.echo(single_line(note), err=True)


def print_json(value: object) -> None:
    """Print indented JSON, with null for unknown values and control characters escaped."""
    from folkways.display import json_for_terminal

    click.echo(json_for_terminal(value))


class _Shape(click.Choice[str]):
    """The listed formats, and ``json``, which predates the option ``--json``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return "json" if value == "json" else super().convert(value, param, ctx)


def format_option(command: F) -> F:
    """``--format`` and ``--json`` of a command that writes text, CSV, Markdown or JSON, as the parameter
    ``shape``."""

    def chosen(ctx: click.Context, _param: click.Parameter, value: str) -> str:
        named = ctx.get_parameter_source("shape") is not ParameterSource.DEFAULT
        if not ctx.meta.get(_AS_JSON):
            return value
        if named and value != "json":
            raise click.UsageError(f"--json and --format {value} contradict each other; use one of them", ctx)
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
        help="Output format.",
    )
    return shapes(flag(command))


def is_folder(out: Path) -> bool:
    """Whether ``out`` is an existing folder, or a new name without an ending; digits are not an ending
    (``build-1.2``)."""
    return out.is_dir() if out.exists() else not any(character.isalpha() for character in out.suffix)


def file_at(out: Path, name: str, endings: Sequence[str] = ()) -> Path:
    """The file to write: ``out``, or ``name`` in it if it is a folder. Called before any work is done.

    endings: the allowed ones; () for any. FolkwaysError if the file cannot be written. A new folder is
    created later, when the file is written.
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
    """FolkwaysError if no file can be written at ``path``; called before any work is done."""
    if path.is_dir():
        raise FolkwaysError(f"{path} is a folder; name a file in it, or another place")
    if not path.parent.is_dir():
        raise FolkwaysError(f"the folder {path.parent} does not exist; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FolkwaysError(f"{path} cannot be written: it or its folder is read-only")


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write ``frame`` as CSV, JSON lines, JSON or Parquet, by the ending of the file (one of SUFFIXES), in
    one step.

    In CSV, text that a spreadsheet would run as a formula gets an apostrophe (``folkways.spreadsheet``); the
    other formats are exact. NaN becomes null.
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
