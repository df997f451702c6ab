"""Progress of a run: its figures in words, and a bar for each model in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from folkways.display import duration, plural, sanitize
from folkways.engine.progress import ModelProgress

FIGURES = ("count", "out", "rate", "pace", "left", "cost", "trouble")


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook; IPython is not imported to find out."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(getattr(shell, "get_ipython", lambda: None)(), "kernel")


def figures(counts: ModelProgress) -> dict[str, str]:
    """The text next to a model's bar; empty without any."""
    if counts.waits is not None and counts.stopped is None:
        return {**dict.fromkeys(FIGURES, ""), "count": f"{counts.total:,} to ask", "left": counts.waits}
    left, wait = counts.seconds_left, counts.seconds_to_wait
    trouble = [] if wait is None else [f"waiting for its server, {duration(wait)} left"]
    if counts.failed:
        trouble.append(f"{counts.failed:,} failed")
    if counts.retries:
        trouble.append(f"{counts.retries:,} retried")
    rate = f"{counts.rate:,.0f}/s" if counts.rate >= 10 else f"{counts.rate:.1f}/s"
    until = f"{duration(left)} left" if left is not None and counts.left else duration(counts.seconds)
    return {
        "count": f"{counts.total - counts.left:,} of {counts.total:,}"
        + (f" (+{counts.stored:,} stored)" if counts.stored else ""),
        "out": f"{counts.out:,} out in {plural(counts.batches, 'batch', 'batches')}"
        if counts.out and counts.batches
        else "",
        "rate": rate if wait is None else "",
        "pace": _pace(counts) if wait is None else "",
        "left": until if wait is None else "",
        "cost": f"${counts.usd:,.2f}" if counts.usd else "",
        "trouble": ", ".join(trouble),
    }


def _pace(counts: ModelProgress) -> str:
    """How many requests are on their way at most, and why no more."""
    if not counts.places or not counts.left:
        return ""
    return f"{counts.places:.0f} at once" + (f" ({counts.why})" if counts.why else "")


def waiting(counts: ModelProgress) -> str | None:
    """The message on a server that is waited for; None without one."""
    seconds = counts.seconds_to_wait
    if seconds is None:
        return None
    message = f"waiting for the server of {counts.endpoint}: {counts.away}, {duration(seconds)} left"
    return (
        message
        if counts.done
        else f"{message}; nothing has come from it yet: has it been started, and is the address right?"
    )


class NotebookProgress:
    """An observer of the engine that draws a bar for each model below the cell, and draws it anew with each
    look."""

    def __init__(self) -> None:
        self._handle: Any = None

    def __call__(self, models: Sequence[ModelProgress]) -> None:
        from IPython import display

        shown = display.HTML(bars(models))  # type: ignore[no-untyped-call]
        if self._handle is None:
            self._handle = display.display(shown, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(shown)


def bars(models: Sequence[ModelProgress]) -> str:
    """A line of HTML for each model that has something to ask, with its bar and figures, and what is
    wrong."""
    line = Markup(
        '<div><progress value="{}" max="{}" style="width:16em;vertical-align:middle"></progress> '
        "<b>{}</b> {}</div>"
    )
    lines = []
    for counts in models:
        if counts.total:
            counted = ", ".join(filter(None, figures(counts).values()))
            lines.append(
                line.format(
                    counts.total - counts.left, counts.total, sanitize(counts.endpoint), sanitize(counted)
                )
            )
        notes = (f"warning: {counts.warning}" if counts.warning else None, waiting(counts))
        lines += [Markup("<div>{}</div>").format(sanitize(note)) for note in notes if note is not None]
    return str(Markup("").join(lines))
