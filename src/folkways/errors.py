"""Errors that are meant for the person who gets them.

Every error says what was wrong, where, what to do about it, and which values are valid. The command line
prints the message without a traceback and exits with ``exit_code``.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_ON_COMMAND_LINE = [False]

OTHER_NAMES = {
    "models": "model",
    "settings": "setting",
    "releases": "release",
    "runs": "run",
    "formats": "format",
    "prompt_texts": "prompts",
    "scoring_precision": "precision",
    "cluster": "on",
}
"""Options in Python -> the command line's name, where that is another than the same with hyphens."""


@contextmanager
def on_command_line() -> Iterator[None]:
    """Within it messages name options as the command line has them."""
    before, _ON_COMMAND_LINE[0] = _ON_COMMAND_LINE[0], True
    try:
        yield
    finally:
        _ON_COMMAND_LINE[0] = before


def names_for_command_line() -> bool:
    """Whether messages name options as the command line has them."""
    return _ON_COMMAND_LINE[0]


def option(name: str, value: object = None) -> str:
    """An option as the reader of a message writes it: ``--language`` on the command line, ``language=`` in
    Python.

    name: Python's. value: what to give it, True for a switch (``--afresh``, ``afresh=True``), a dict for what
    the command line writes as NAME=VALUE.
    """
    pairs = value if isinstance(value, Mapping) else {}
    if not names_for_command_line():
        table = ", ".join(f"{key!r}: {entry}" for key, entry in pairs.items())
        return f"{name}={'' if value is None else f'{{{table}}}' if pairs else repr(value)}"
    flag = f"--{OTHER_NAMES.get(name, name).replace('_', '-')}"
    if pairs:
        return " ".join(f"{flag} {key}={quoted(entry)}" for key, entry in pairs.items())
    return flag if value is None or value is True else f"{flag} {quoted(value)}"


def quoted(word: object) -> str:
    """A word of a suggested command, such as the name of a run or a folder, as a shell reads it: in quotes
    where it has spaces."""
    return shlex.quote(str(word))


class FolkwaysError(Exception):
    """Base of all errors that folkways raises on purpose; the message is complete and for people."""

    exit_code = 2


class FolkwaysWarning(UserWarning):
    """What somebody should know and nothing stops for; the command line prints it as one line."""


MOST_LISTED = 20
"""Valid names that a message lists; of more, the CLOSEST to what was written."""

CLOSEST = 5

LISTING = {
    "task": "folkways tasks",
    "release": "folkways data list",
    "culture": "folkways cultures",
    "language": "folkways cultures",
}
"""What lists all names of a kind, by the first word of the kind."""


def _by_number(name: str) -> list[tuple[int, str]]:
    """Sorts table 2 before table 10."""
    return [(len(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name)]


class UnknownNameError(FolkwaysError):
    """A name (task, culture, release, model, column, ...) that folkways does not know."""

    def __init__(self, kind: str, name: str, valid: Iterable[str], *, hint: str = "") -> None:
        self.kind = kind
        self.name = name
        self.valid = sorted(valid, key=_by_number)
        close = difflib.get_close_matches(name, self.valid, n=1, cutoff=0.6)
        message = f"unknown {kind}{':' * (' of ' in kind)} {name!r}"
        if close:
            message += f"; did you mean {close[0]!r}?"
        message += f"\n{self._choice()}"
        if hint:
            message += f"\n{hint}"
        super().__init__(message)

    def _choice(self) -> str:
        """All valid names; of many that a command lists, the closest and the command."""
        command = LISTING.get(self.kind.split()[0])
        if command is None or len(self.valid) <= MOST_LISTED:
            return f"valid: {', '.join(self.valid) if self.valid else '(none)'}"
        closest = difflib.get_close_matches(self.name, self.valid, n=CLOSEST, cutoff=0.3)
        shown = (
            f"{', '.join(closest)}, and {len(self.valid) - len(closest)} more"
            if closest
            else f"{len(self.valid)} names"
        )
        return f"valid: {shown}; {command} lists them"


class DataError(FolkwaysError):
    """Data that cannot be read as what it should be, with file and row where they are known."""

    def __init__(self, message: str, *, file: Path | str | None = None, row: int | None = None) -> None:
        self.file = str(file) if file is not None else None
        self.row = row
        where = "" if file is None else f"{file}: " if row is None else f"{file}, row {row}: "
        super().__init__(where + message)


class NotOnDiskError(FolkwaysError):
    """Data that are not on this disk, or a file of them that is not; the message says how to get them."""


class MissingExtraError(FolkwaysError):
    """An optional library that this feature needs is not installed."""

    def __init__(self, feature: str, extra: str, missing: str) -> None:
        self.extra = extra
        super().__init__(
            f"{feature} needs the package {missing!r}, which is not installed.\nInstall it with: pip "
            f"install 'folkways[{extra}]'"
        )


def need_extra(extra: str, feature: str, *packages: str) -> None:
    """MissingExtraError where one of the packages that an extra brings is not installed. Imports none of
    them."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(feature, extra, package)


@contextmanager
def of_extra(extra: str, feature: str) -> Iterator[None]:
    """For imports of what an extra brings: MissingExtraError where they fail. feature: what needs them."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(feature, extra, error.name or str(error)) from None
