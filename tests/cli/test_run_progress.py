"""Progress of a run where there is no terminal."""

from __future__ import annotations

import io

from rich.console import Console

from folkways.cli.asking.progress import RunProgress
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED


def test_an_interrupt_tells_once_what_is_waited_for_and_lines_end_with_their_model() -> None:
    written = io.StringIO()
    show = RunProgress(Console(file=written, width=200))
    counts = ModelProgress("m", total=9, done=2, in_flight=3, stopped=INTERRUPTED)
    show([counts])
    counts.end()
    for _ in range(3):
        show([counts])
    assert written.getvalue().count("waiting for 3 replies, press again to drop them") == 1
    assert written.getvalue().count("m: 2 of 9") == 2
