"""Progress of a run: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID
from rich.table import Column
from rich.text import Text

from folkways.cli.out import terminal
from folkways.display import shorten, single_line
from folkways.engine import interrupts
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED
from folkways.names import short_endpoints
from folkways.runs.notebook_progress import figures, waiting
from folkways.workspace.run_records import RunRecord

PLAIN_SECONDS = 10.0
"""Seconds between two lines if standard error is not a terminal."""

LIVE_SECONDS = 0.2
QUIET_SECONDS = 2.0  # shorter work reports nothing


def watch(name: str) -> Callable[[int, int], None]:
    """A callback (texts done, texts in all) that reports the progress of the model ``name`` on standard
    error: on a terminal one line that is written over, elsewhere a line now and then."""
    live = sys.stderr.isatty()
    began = last = 0.0
    before = 0

    def tell(done: int, total: int) -> None:
        nonlocal began, last, before
        now = time.monotonic()
        if done <= before or not began:  # a new batch of texts
            began = last = now
        before = done
        pause = LIVE_SECONDS if live else PLAIN_SECONDS
        if now - began < QUIET_SECONDS or (now - last < pause and done < total):
            return
        last = now
        rate = done / (now - began)
        left = (total - done) / rate
        line = f"{name}: {done:,} of {total:,} texts, {rate:,.0f} per second, {left:,.0f} s left"
        sys.stderr.write((f"\r\x1b[2K{line}" if live else line) + ("" if live and done < total else "\n"))
        sys.stderr.flush()

    return tell


LONGEST_NAME = 30

FIGURES = {
    "count": "",
    **dict.fromkeys(("out", "rate", "pace", "left"), "cyan"),
    "cost": "green",
    "trouble": "yellow",
}
"""Figure to the right of the bar -> its colour."""


class _Cell(ProgressColumn):
    """A column whose text the observer has put into the fields of the task."""

    def __init__(self, name: str, style: str = "") -> None:
        super().__init__(Column(no_wrap=True))  # the bar shrinks instead
        self._name = name
        self._style = style

    def render(self, task: Task) -> Text:
        return Text(str(task.fields["cells"][self._name]), style=self._style)


class RunProgress:
    """An observer of the engine that reports on standard error. Use as a context manager."""

    def __init__(self, console: Console | None = None, then: str = "") -> None:
        """then: the name of the step that follows, printed once everything has been asked."""
        self.console = console or terminal(stderr=True)
        self._then = then
        self.asked = False  # whether any request has ended
        self._pending = False  # whether there was anything to ask
        self._stored = 0  # replies that were stored before
        self._live = self.console.is_terminal
        self._lines: dict[str, TaskID] = {}
        self._told: set[str] = set()
        self._away: set[str] = set()  # models whose server does not answer
        self._waits = False  # whether the message after the first Ctrl-C was printed
        self._done: set[str] = set()  # models whose last line was printed
        # model -> counts of its line when nothing was left to ask
        self._final: dict[str, tuple[int, int]] = {}
        self._last = time.monotonic()
        columns = [_Cell(name, style) for name, style in FIGURES.items()]
        self._bars = Progress(
            _Cell("model", "bold"), BarColumn(bar_width=28), *columns, console=self.console, transient=False
        )

    @property
    def every(self) -> float:
        """Seconds between two updates of the counts."""
        return 0.25 if self._live else 1.0

    def __enter__(self) -> RunProgress:
        if self._live:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bars.stop()
        if error is None and self._stored and not self._pending:
            replies = "the one reply was" if self._stored == 1 else f"all {self._stored:,} replies were"
            self.console.print(f"Nothing was asked: {replies} stored already.")

    def __call__(self, models: Sequence[ModelProgress]) -> None:
        """Show the counts: at once on a terminal, every PLAIN_SECONDS and at the end elsewhere."""
        if self._live:
            names = short_endpoints(tuple(counts.endpoint for counts in models))
            for counts in models:
                self._show(counts, shorten(names[counts.endpoint], LONGEST_NAME))
        for counts in models:
            about = f"{counts.endpoint}: {counts.about}" if counts.about else None
            for message in (
                about,
                f"warning: {counts.warning}" if counts.warning is not None else None,
                *counts.notes,
            ):
                if message is not None and message not in self._told:
                    self._told.add(message)
                    self.console.print(single_line(message), soft_wrap=True)
            self._show_wait(counts)
        waiting = sum(counts.in_flight for counts in models if counts.stopped == INTERRUPTED)
        if waiting and not self._waits:
            self._waits = True
            self.console.print(
                f"waiting for {waiting:,} {'reply' if waiting == 1 else 'replies'}, press again to drop them"
            )
        finished = all(counts.left == 0 or counts.stopped for counts in models)
        if not self._live and (finished or time.monotonic() - self._last >= PLAIN_SECONDS):
            self._last = time.monotonic()
            for counts in models:
                waits = counts.waits is not None and not finished
                now = (counts.left, counts.failed)
                # A model may take long to let go of: its counts are printed again only if they have changed.
                same = finished and self._final.get(counts.endpoint) == now
                if finished:
                    self._final[counts.endpoint] = now
                if counts.total and counts.endpoint not in self._done and not waits and not same:
                    message = ", ".join(filter(None, figures(counts).values()))
                    self.console.print(single_line(f"{counts.endpoint}: {message}"), soft_wrap=True)
                if counts.ended is not None:
                    self._done.add(counts.endpoint)
        self.asked = self.asked or any(counts.done or counts.failed for counts in models)
        self._pending = self._pending or any(counts.total for counts in models)
        self._stored = sum(counts.stored for counts in models)
        if finished and self._then and self.asked:
            self.console.print(self._then)
            self._then = ""

    def _show_wait(self, counts: ModelProgress) -> None:
        """Report once that the run waits for a server, and once that the server is back."""
        wait, announced = waiting(counts), counts.endpoint in self._away
        if wait is not None and not announced:
            self._away.add(counts.endpoint)
            self.console.print(single_line(f"{wait} (Ctrl-C ends the wait)"), soft_wrap=True)
        elif wait is None and announced:
            self._away.remove(counts.endpoint)
            if not counts.stopped:
                self.console.print(single_line(f"the server of {counts.endpoint} is back"), soft_wrap=True)

    def _show(self, counts: ModelProgress, name: str) -> None:
        if not counts.total:
            return
        now: dict[str, Any] = {"total": counts.total, "cells": {"model": name, **figures(counts)}}
        if counts.endpoint not in self._lines:
            self._lines[counts.endpoint] = self._bars.add_task(counts.endpoint, **now)
        self._bars.update(self._lines[counts.endpoint], completed=counts.total - counts.left, **now)


def check_finished(run: RunRecord, done: str) -> None:
    """If a run is not finished, say on standard error that not everything was ``done``, and end the
    command."""
    if run.state != "finished":
        message = f"not everything was {done} ({run.reason}); run the same command again to continue"
        terminal(stderr=True).print(single_line(message), soft_wrap=True)
        raise click.exceptions.Exit(interrupts.exit_code() if run.state == "interrupted" else 1)
