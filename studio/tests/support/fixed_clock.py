"""Time that stands still and numbers in a row in place of random ones, so that two runs make the same study."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import numpy.random  # noqa: F401 - takes secrets.randbits for good when it is imported


@dataclass
class Clock:
    """The time that the studio sees; drawn: the last number in place of one that is drawn at random."""

    now: float
    drawn: int

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def draw(self) -> int:
        """The next number."""
        self.drawn += 1
        return self.drawn

    def counted(self, length: int = 32) -> str:
        """The next number in so many digits."""
        return f"{self.draw():0{length}d}"


@contextmanager
def fixed_clock(begin: float) -> Iterator[Clock]:
    """Time that only the caller moves; the numbers of one that begins some hours later are others."""
    clock = Clock(begin, drawn=int(begin) % 100_000)
    with (
        patch.multiple(
            "secrets",
            token_hex=lambda length=32: clock.counted(2 * length),
            token_urlsafe=clock.counted,
            token_bytes=lambda length=32: clock.draw().to_bytes(length),
            randbits=lambda bits: clock.draw() % 2**bits,
            choice=lambda letters: letters[clock.draw() % len(letters)],
        ),
        patch("time.time", lambda: clock.now),
    ):
        yield clock
