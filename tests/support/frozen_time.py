"""Services at another time than now: of leases that run out, links that grow old, and what is in which
order."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar
from unittest.mock import patch

P = ParamSpec("P")
T = TypeVar("T")


def at_time(moment: float | None, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a call gives at a moment, in seconds since the epoch; None: now."""
    if moment is None:
        return call(*args, **kwargs)
    with patch("time.time", lambda: moment):
        return call(*args, **kwargs)
