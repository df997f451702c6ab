"""Shows a download on standard error: a bar with rate and time left on a terminal, a line now and then
elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from folkways.cli.out import terminal
from folkways.display import spelled_out
from folkways.releases.fetching.progress import FetchProgress

SECONDS_BETWEEN_LINES = 5.0


def transfer_progress() -> FetchProgress:
    """The display that fits standard error."""
    return Bar() if sys.stderr.isatty() else Lines()


class Lines(FetchProgress):
    """Plain lines: when it starts, every few seconds, at the first retry for each reason, and at the end."""

    def __init__(self) -> None:
        self._reasons: set[str] = set()
        self._label = ""
        self._files = self._done = self._size = self._here = self._begin = 0
        self._started = self._last = time.monotonic()

    def started(self, label: str, files: int, size: int, present: int) -> None:
        """Say what is coming."""
        self._label, self._files, self._done = label, files, 0
        self._size, self._here, self._begin = size, present, present
        self._started = self._last = time.monotonic()
        resumed = f", {in_bytes(present)} of them here already" if present else ""
        known = f", {in_bytes(size)}" if size else ""
        self._say(f"fetching {files} file{'s' if files != 1 else ''}{known}{resumed}")

    def grew(self, size: int) -> None:
        """Count a size that has just become known."""
        self._size += size

    def received(self, size: int) -> None:
        """Say how far it is, every few seconds."""
        self._here += size
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._say(self._state())

    def retrying(self, label: str, reason: str, wait: float) -> None:
        """Say why there is a pause, once for all files that have the same reason."""
        if reason not in self._reasons:
            self._reasons.add(reason)
            self._say(f"{label}: {spelled_out(reason)}; trying again")

    def finished(self, label: str) -> None:
        """Count a file."""
        self._done += 1

    def closed(self) -> None:
        """Say how it ended."""
        self._say(self._state())

    def _state(self) -> str:
        elapsed = max(time.monotonic() - self._started, 1e-3)
        rate = (self._here - self._begin) / elapsed
        left = (
            f", {(self._size - self._here) / rate:.0f} s left" if rate > 0 and self._size > self._here else ""
        )
        of = f" of {in_bytes(self._size)}" if self._size else ""
        return f"{self._done} of {self._files} files, {in_bytes(self._here)}{of}, {in_bytes(rate)}/s{left}"

    def _say(self, text: str) -> None:
        click.echo(f"{self._label}: {text}", err=True)


class Bar(FetchProgress):
    """A bar that rich draws, with the rate and the time left over all files."""

    def __init__(self) -> None:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as RichProgress

        self._console = terminal(stderr=True)
        self._reasons: set[str] = set()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[done]}/{task.fields[files]} files"),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        self._display = RichProgress(*columns, console=self._console)
        self._task = self._display.add_task("", visible=False, done=0, files=0)
        self._size = self._done = 0

    def started(self, label: str, files: int, size: int, present: int) -> None:
        """Begin to draw."""
        self._size, self._done = size, 0
        shown: dict[str, Any] = {"description": label, "visible": True, "done": 0, "files": files}
        self._display.update(self._task, total=size or None, completed=present, **shown)
        self._display.start()

    def grew(self, size: int) -> None:
        """Lengthen the bar."""
        self._size += size
        self._display.update(self._task, total=self._size)

    def received(self, size: int) -> None:
        """Move the bar."""
        self._display.update(self._task, advance=size)

    def retrying(self, label: str, reason: str, wait: float) -> None:
        """Say above the bar why there is a pause, once for all files that have the same reason."""
        if reason not in self._reasons:
            self._reasons.add(reason)
            self._console.print(f"{label}: {spelled_out(reason)}; trying again")

    def finished(self, label: str) -> None:
        """Count a file."""
        self._done += 1
        self._display.update(self._task, done=self._done)

    def closed(self) -> None:
        """Leave the bar as it is."""
        self._display.stop()


def in_bytes(size: float) -> str:
    """``11.7 MB``, ``38 kB``."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
