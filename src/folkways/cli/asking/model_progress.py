"""Progress of a model that texts are put through: one line, written over, on a terminal; now and then a line
elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

PLAIN_SECONDS = 10.0
LIVE_SECONDS = 0.2
QUIET_SECONDS = 2.0  # what is done by then is not worth a line


def watch(name: str) -> Callable[[int, int], None]:
    """What is told how many texts the model ``name`` has done, of how many; it writes to standard error."""
    live = sys.stderr.isatty()
    began = last = 0.0
    before = 0

    def tell(done: int, total: int) -> None:
        nonlocal began, last, before
        now = time.monotonic()
        if done <= before or not began:  # the first lot of texts, or the next
            began = last = now
        before = done
        pause = LIVE_SECONDS if live else PLAIN_SECONDS
        if now - began < QUIET_SECONDS or (now - last < pause and done < total):
            return
        last = now
        rate = done / (now - began)
        line = (
            f"{name}: {done:,} of {total:,} texts, {rate:,.0f} per second, "
            f"{(total - done) / rate:,.0f} "
            "s left"
        )
        sys.stderr.write((f"\r\x1b[2K{line}" if live else line) + ("" if live and done < total else "\n"))
        sys.stderr.flush()

    return tell
