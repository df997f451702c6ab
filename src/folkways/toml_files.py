"""How TOML that people write is read: a file that cannot be is an error that says where and why."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from folkways.errors import DataError, FolkwaysError


def read_toml(path: Path, what: str = "TOML file") -> dict[str, Any]:
    """The content of a file. what: its kind, and how to come by one, for the error where there is none."""
    return read_toml_text(path, what)[1]


def read_toml_text(path: Path, what: str = "TOML file") -> tuple[str, dict[str, Any]]:
    """Text and content of a file in UTF-8; FolkwaysError where there is none, DataError where it cannot be
    read."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin with a byte order mark
    except FileNotFoundError:
        raise FolkwaysError(f"there is no file {path}, which should be a {what}") from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 (byte {error.start}); save it as UTF-8", file=path) from None
    return text, parse_toml(text, path)


@cache
def packaged_toml(package: str, name: str) -> dict[str, Any]:
    """The content of a file that comes with a package; do not change it."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def parse_toml(text: str, source: Path | str) -> dict[str, Any]:
    """The content of a text; DataError that names ``source``, with line and column, where it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"is not valid TOML: {error}", file=source) from None
