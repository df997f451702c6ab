"""Orders of a question's options: which ones are asked, their names, and what a letter means in each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import permutations

import polars as pl

from folkways.errors import FolkwaysError

Order = tuple[int, ...]
"""The released index of the option at each position: (2, 0, 1, 3) shows the third released option as A."""

MOST = 24
"""The number of orders of four options; of more options no more are asked."""

MOST_SHUFFLED = 6
"""Options up to which every order can come; longer lists are only rotated."""

_ORDER = r"~order-(?P<number>[1-9]\d*)$"
_SUFFIX = re.compile(rf"^(?P<template>.*){_ORDER}", re.S)
_SPEAKS_OF_PLACES = re.compile(
    r"""
      \b of \s+ the \s+ (?: (?: options | answers | choices ) \s+ )? (?: above | below ) \b
    | \b (?: above | previous | preceding | first | last ) \s+ (?: options? | answers? | choices? ) \b
    | \b (?: options? | answers? | choices? | both | neither | either ) \s+ \(? (?-i: [A-D] ) \)? (?! \w )
    | ^ \W* (?-i: [A-D] ) \W+ (?: and | or | & | y | e | et | und | en | и | і | dan | ve | và ) \W+
        (?-i: [A-D] ) \W* $
    | \b (?: todas | todos | ninguna | ninguno | nenhuma | tutte ) \b .*
        \b (?: anteriores | precedenti | acima | arriba )
    | \b ci-dessus \b | \b obengenannt | \b bovenstaande \b | \b powyższ
    | вышеперечисл | перелічен | \b di \s+ atas \b | παραπάνω
    | \b (?: hepsi | hiçbiri ) \b | \b tất \s+ cả \b
    | ما \s+ سبق | هیچ \s* کدام | همه \s+ موارد | उपरोक्त | उपर्युक्त | উপরের
    | 以上 | 上述 | 上記 | 위의 | כל \s+ התשובות
    """,
    re.I | re.X,
)


def chosen_and_right(options: Mapping[str, str], chosen: str, right: str) -> str:
    """The chosen and the right option as they were shown (label -> text): ``said D. durian; right: A.
    orange``."""

    def named(label: str) -> str:
        text = options.get(label, "")
        return label if text in ("", label) else f"{label}. {text}"

    return (
        f"said {named(chosen)}, which is right"
        if chosen == right
        else f"said {named(chosen)}; right: {named(right)}"
    )


def variant_name(template: str, number: int) -> str:
    """``strict-format`` for the released order (number 1), ``strict-format~order-2`` and so on for the
    others."""
    return template if number == 1 else f"{template}~order-{number}"


def split_variant(variant: str) -> tuple[str, int]:
    """Template and number of the order; the inverse of ``variant_name``."""
    match = _SUFFIX.match(variant)
    return (match["template"], int(match["number"])) if match else (variant, 1)


def without_order(variant: str) -> pl.Expr:
    """The template of each row (``split_variant``), in the column ``variant`` of this name."""
    return pl.col(variant).cast(pl.String).str.replace(_ORDER, "")


def can_be_permuted(options: Sequence[str]) -> bool:
    """Whether every option means the same at any position; "all of the above" and "both A and B" do not."""
    return not any(_SPEAKS_OF_PLACES.search(option) for option in options)


@lru_cache(maxsize=4096)
def orders_of(question: str, options: int = 4) -> tuple[Order, ...]:
    """The orders of a question's options, at most MOST: the released one first, the others drawn by the
    question's id.

    The first ones are the rotations of the released order, which show each option once at each position;
    the next as many are the rotations of another order, and so on. The draw depends on the id alone, so
    that asking and judging find the same orders.
    """
    released = tuple(range(options))

    def lot(order: Order) -> bytes:
        # A hash of our own, because a library's shuffle may change from version to version and the draw must
        # not.
        return blake2b(f"{question}\0{order}".encode("utf-8", "surrogatepass"), digest_size=8).digest()

    rests = permutations(released[1:]) if options <= MOST_SHUFFLED else [released[1:]]
    cycles = [(*released[:1], *rest) for rest in rests]  # one of each set of rotations
    orders: list[Order] = []
    for start in sorted(cycles, key=lambda order: (order != released, lot(order))):
        turned = [start[turn:] + start[:turn] for turn in range(max(1, options))]
        orders += sorted(turned, key=lambda order: (order != released, lot(order)))
    return tuple(orders[:MOST])


def order_of(question: str, variant: str, options: int = 4) -> Order:
    """The order in which a variant shows the options of a question; the released one if there are not so
    many."""
    number, orders = split_variant(variant)[1], orders_of(question, options)
    return orders[number - 1 if number <= len(orders) else 0]


def asked_orders(
    question: str, options: Sequence[str], template: str, wanted: int
) -> Iterator[tuple[str, Order]]:
    """Name of the variant and order, for as many orders as are wanted and exist; a single one if options
    speak of positions.

    question: its id, which draws the orders.
    options: their texts, in the released order.
    template: name of the variant in the released order.
    wanted: number of orders.
    """
    orders = orders_of(question, len(options))
    if not can_be_permuted(options):
        orders = orders[:1]
    for number, order in enumerate(orders[:wanted], start=1):
        yield variant_name(template, number), order


def moved(label: str, labels: Sequence[str], order: Order) -> str:
    """The label that an option of the release has in this order; a label outside the list stays."""
    return labels[order.index(labels.index(label))] if label in labels else label


def released(label: str, labels: Sequence[str], order: Order) -> str | None:
    """The label in the release of the option with this label in the order; None for a label outside the
    list."""
    return labels[order[labels.index(label)]] if label in labels else None


def check_names(templates: Iterable[str]) -> None:
    """Raise FolkwaysError for a prompt text of the user whose name is that of an order."""
    for name in templates:
        if split_variant(name)[1] != 1:
            raise FolkwaysError(
                f"a prompt text cannot be called {name!r}: ~order-N is how orders of the options are called"
            )
