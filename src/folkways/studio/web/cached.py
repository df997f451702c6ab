"""A property that is computed when it is first read, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Cached(Generic[T]):
    """Like ``functools.cached_property``, for objects that one thread uses at a time.

    Before Python 3.12 that one computes under a lock that all objects of the class share: people's requests would wait for one
    another's reading of the database.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Cached[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Cached[T] | T:
        if instance is None:
            return self
        # Kept under the property's own name, where it is found before the property is from now on.
        value = instance.__dict__[self.name] = self.compute(instance)
        return value
