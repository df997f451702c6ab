"""A property that is computed when it is first read, and kept."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


class CachedAttribute(cached_property[T]):
    """``functools.cached_property`` for objects that one thread uses at a time.

    Before Python 3.12 that one computes under a lock that all objects of the class share: people's requests
    would wait for one another's reading of the database.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        super().__init__(compute)
        self.lock = nullcontext()
