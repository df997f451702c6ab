"""What is printed through rich: as it is written, whatever is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def terminal(*, stderr: bool = False) -> Console:
    """Standard output, or standard error. No text is markup, and none is a picture: ``baseline/constant:A:`` is no emoji."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)
