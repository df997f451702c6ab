"""Progress of a run: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID
from rich.table import Column
from rich.text import Text

from folkways.cli.terminal import terminal
from folkways.engine.tally import Tally
from folkways.reports.names import short_endpoints
from folkways.reports.text import duration, one_line, shorten

PLAIN_SECONDS = 10.0
"""Seconds between two lines where there is no terminal."""

LONGEST_NAME = 30


class _Told(ProgressColumn):
    """One cell whose text the observer has put into the task's fields."""

    def __init__(self, name: str, style: str = "") -> None:
        super().__init__(Column(no_wrap=True))  # where there is no room, the bar gives way
        self._name = name
        self._style = style

    def render(self, task: Task) -> Text:
        """The cell as it stands."""
        return Text(str(task.fields["cells"][self._name]), style=self._style)


class RunProgress:
    """An observer of the engine. Use as a context manager; it writes to standard error, so that output can be piped."""

    def __init__(self, console: Console | None = None, then: str = "") -> None:
        """then: what follows the asking and takes a while; told once everything has been asked."""
        self.console = console or terminal(stderr=True)
        self._then = then
        self._live = self.console.is_terminal
        self._lines: dict[str, TaskID] = {}
        self._last = time.monotonic()
        self._bars = Progress(
            _Told("model", "bold"),
            BarColumn(bar_width=28),
            _Told("count"),
            _Told("rate", "cyan"),
            _Told("left", "cyan"),
            _Told("cost", "green"),
            _Told("trouble", "yellow"),
            console=self.console,
            transient=False,
        )

    @property
    def every(self) -> float:
        """Seconds between two looks at the counts."""
        return 0.25 if self._live else 1.0

    def __enter__(self) -> RunProgress:
        if self._live:
            self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live:
            self._bars.stop()

    def __call__(self, tallies: Sequence[Tally]) -> None:
        """Show the counts: at once on a terminal, every PLAIN_SECONDS and at the end elsewhere."""
        if self._live:
            names = short_endpoints(tuple(tally.endpoint for tally in tallies))
            for tally in tallies:
                self._show(tally, shorten(names[tally.endpoint], LONGEST_NAME))
        finished = all(tally.left == 0 or tally.stopped for tally in tallies)
        if not self._live and (finished or time.monotonic() - self._last >= PLAIN_SECONDS):
            self._last = time.monotonic()
            for tally in tallies:
                if tally.total:
                    self.console.print(one_line(f"{tally.endpoint}: {_line(tally)}"), soft_wrap=True)
        if finished and self._then and any(tally.done or tally.failed for tally in tallies):
            self.console.print(self._then)
            self._then = ""

    def _show(self, tally: Tally, name: str) -> None:
        if not tally.total:
            return
        cells = {"model": name, **_cells(tally)}
        if tally.endpoint not in self._lines:
            self._lines[tally.endpoint] = self._bars.add_task(tally.endpoint, total=tally.total, cells=cells)
        ended = tally.total - tally.left
        self._bars.update(self._lines[tally.endpoint], completed=ended, total=tally.total, cells=cells)


def _cells(tally: Tally) -> dict[str, str]:
    left = tally.seconds_left
    trouble = []
    if tally.failed:
        trouble.append(f"{tally.failed:,} failed")
    if tally.retries:
        trouble.append(f"{tally.retries:,} retried")
    if tally.rate_limited:
        trouble.append(f"slowed to {tally.places:.0f} at once")
    return {
        "count": f"{tally.total - tally.left:,} of {tally.total:,}" + (f" (+{tally.stored:,} stored)" if tally.stored else ""),
        "rate": f"{tally.rate:,.0f}/s" if tally.rate >= 10 else f"{tally.rate:.1f}/s",
        "left": f"{duration(left)} left" if left is not None and tally.left else duration(tally.seconds),
        "cost": f"${tally.usd:,.2f}" if tally.usd else "",
        "trouble": ", ".join(trouble),
    }


def _line(tally: Tally) -> str:
    cells = _cells(tally)
    return ", ".join(cell for cell in cells.values() if cell)
