"""Shows on standard error how far an import of items is: a bar on a terminal, a line now and then
elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def import_progress(stage: str) -> Iterator[Callable[[int, int], None]]:
    """A function that is told how many items were added, and of how many, for the length of a block."""
    if sys.stderr.isatty():
        from rich.progress import MofNCompleteColumn, Progress

        from folkways.sdk.cli import terminal

        columns = (*Progress.get_default_columns(), MofNCompleteColumn())
        with Progress(*columns, console=terminal(stderr=True), transient=True) as bar:
            task = bar.add_task(f"importing into {stage}", total=None)
            yield lambda added, rows: bar.update(task, completed=added, total=rows)
        return
    last = time.monotonic()

    def show(added: int, rows: int) -> None:
        nonlocal last
        if added < rows and time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            click.echo(f"importing into {stage}: {added:,} of {rows:,} items were added", err=True)

    yield show
