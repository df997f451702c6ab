"""Where ``--out`` leads, by one rule for all commands: a name with an ending is a file, any other name a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from folkways.cli.files import check_folder, check_text_target
from folkways.errors import FolkwaysError

F = TypeVar("F", bound=Callable[..., Any])

OF_FILES = (".bib", ".csv", ".html", ".json", ".jsonl", ".md", ".parquet", ".tex", ".tsv", ".txt", ".xlsx", ".yaml", ".yml")
"""Endings that nobody means as part of a folder's name."""


def out_option(what: str, gets: str, *, required: bool = False) -> Callable[[F], F]:
    """``--out FILE|DIR`` of a command that writes one thing. what: what goes there; gets: the file's name in a folder."""
    told = f"{what}: a file, or a folder (a name without an ending), which gets {gets}."
    return click.option("--out", required=required, type=click.Path(path_type=Path), metavar="FILE|DIR", help=told)


def is_folder(out: Path) -> bool:
    """Whether ``out`` names a folder: one that is there, or a new name without an ending. Digits are no ending (``build-1.2``)."""
    return out.is_dir() if out.exists() else not any(character.isalpha() for character in out.suffix)


def file_at(out: Path, name: str, endings: Sequence[str] = ()) -> Path:
    """The file that ``out`` leads to: itself, or ``name`` in the folder that it is. To be called before any work is done.

    endings: those that the file may have; any if none is given. FolkwaysError where no such file can be written. A new folder is
    made when something is written, by ``files.make_folder_of``.
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


def check_several(out: Path, option: str = "--out") -> None:
    """FolkwaysError where ``out`` has the name of a file; for commands that write several files, into a folder."""
    if out.suffix.lower() in OF_FILES and not out.exists():
        raise FolkwaysError(
            f"{option} {out} is the name of a file, but several files are written; name a folder: {option} {out.with_suffix('')}"
        )
