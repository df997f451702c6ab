"""Long lists, a page at a time: ``limit`` says how many, ``cursor`` (the ``next`` of the page before) where
to go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel

T = TypeVar("T")
R = TypeVar("R")

Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
Cursor = Annotated[int, Query(ge=0, le=2**31 - 1, description="What the page before gave as `next`.")]


class Page(BaseModel, Generic[T]):
    """Some of a long list. next: the cursor of the page after it; null on the last."""

    data: list[T]
    next: int | None = None


def page_of(found: Sequence[R], limit: int, number: Callable[[R], int], make: Callable[[R], T]) -> Page[T]:
    """The first ``limit`` of what was found, which is one more where there is another page. number: what a
    cursor names."""
    kept = found[:limit]
    return Page(
        data=[make(each) for each in kept], next=number(kept[-1]) if len(found) > limit and kept else None
    )


def slice_of(found: Sequence[R], cursor: int, limit: int, make: Callable[[R], T]) -> Page[T]:
    """A page of a list that is read as a whole; its cursors are places in it."""
    end = cursor + limit
    return Page(data=[make(each) for each in found[cursor:end]], next=end if end < len(found) else None)
