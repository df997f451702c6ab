"""Orders of the four options of a question: which ones are asked, what they are called, and what a letter means in each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import permutations

Order = tuple[int, ...]
"""Where each place of the list gets its option from: (2, 0, 1, 3) shows the third released option as A."""

RELEASED: Order = (0, 1, 2, 3)
MOST = 24
"""Four options have so many orders."""

_SUFFIX = re.compile(r"^(?P<template>.*)~order-(?P<number>[1-9]\d*)$", re.S)
_SPEAKS_OF_PLACES = re.compile(
    r"""
      \b of \s+ the \s+ (?: (?: options | answers | choices ) \s+ )? (?: above | below ) \b
    | \b (?: above | previous | preceding | first | last ) \s+ (?: options? | answers? | choices? ) \b
    | \b (?: options? | answers? | choices? | both | neither | either ) \s+ \(? (?-i: [A-D] ) \)? (?! \w )
    | ^ \W* (?-i: [A-D] ) \W+ (?: and | or | & ) \W+ (?-i: [A-D] ) \W* $
    """,
    re.I | re.X,
)


def variant_name(template: str, number: int) -> str:
    """``strict-format`` for the released order (number 1), ``strict-format~order-2`` and so on for the others."""
    return template if number == 1 else f"{template}~order-{number}"


def split_variant(variant: str) -> tuple[str, int]:
    """Template and number of the order; the opposite of ``variant_name``."""
    found = _SUFFIX.match(variant)
    return (found["template"], int(found["number"])) if found else (variant, 1)


def can_be_permuted(options: Sequence[str]) -> bool:
    """Whether every option says the same wherever it stands; "all of the above" and "both A and B" do not."""
    return not any(_SPEAKS_OF_PLACES.search(option) for option in options)


@lru_cache(maxsize=4096)
def orders_of(question: str) -> tuple[Order, ...]:
    """All 24 orders of a question's options: the released one first, the others drawn by the question's id.

    The first four are the rotations of the released order, so that each option stands once in each place, and so on by fours.
    Which comes when depends on nothing but the id: whoever asks and judges finds the same orders.
    """

    def lot(order: Order) -> bytes:
        # A hash of our own, because a library's shuffle may change from version to version and the draw must not.
        return blake2b(f"{question}\0{order}".encode("utf-8", "surrogatepass"), digest_size=8).digest()

    cycles = [(0, *rest) for rest in permutations((1, 2, 3))]  # one of each four rotations
    found: list[Order] = []
    for start in sorted(cycles, key=lambda order: (order != RELEASED, lot(order))):
        turned = [start[turn:] + start[:turn] for turn in range(4)]
        found += sorted(turned, key=lambda order: (order != RELEASED, lot(order)))
    return tuple(found)


def order_of(question: str, variant: str) -> Order:
    """The order in which a variant shows the options of a question; the released one for numbers that there are not."""
    number = split_variant(variant)[1]
    return orders_of(question)[number - 1] if number <= MOST else RELEASED
