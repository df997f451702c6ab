"""Long lists of keys, in parts that one statement can name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

KEYS_PER_QUERY = 500

Key = TypeVar("Key")


def in_parts(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    """All keys once, in their order, KEYS_PER_QUERY at a time."""
    return (keys[start : start + KEYS_PER_QUERY] for start in range(0, len(keys), KEYS_PER_QUERY))
