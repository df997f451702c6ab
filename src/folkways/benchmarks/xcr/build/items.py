"""Items with their sentences as they are handed to people: what judges see, and where everything comes
from."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson

from folkways.benchmarks.xcr.build.proposing import Named
from folkways.benchmarks.xcr.sentences import without_tags
from folkways.spreadsheet import guard

FORM = ("item_id", "culture", "item", "context")
VOTE = ("judge", "best", "ratings", "role")
"""The columns that people fill in (docs/reference/xcr.md)."""


@dataclass(frozen=True)
class Item:
    """A culture-specific item drawn from a fact.

    fact:       id, culture, fact, source, row, cluster_size and sources of the fact (see ``facts``).
    sentences:  model -> its tagged sentence. missing: model -> why there is none.
    """

    fact: Mapping[str, Any]
    named: Named
    proposed_by: str
    sentences: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """``item-`` and 12 hexadecimal digits of the culture and the item, whatever its case."""
        key = f"{self.fact['culture']}\0{self.named.item.casefold()}".encode()
        return f"item-{blake2b(key, digest_size=6).hexdigest()}"

    @property
    def candidates(self) -> list[dict[str, str]]:
        """``id`` (a, b, ...), ``text``, ``tagged`` and ``by``, in an order that says nothing of who wrote
        them."""
        writers = sorted(self.sentences)
        random.Random(self.id).shuffle(writers)  # noqa: S311 - an order, not a secret
        return [
            {
                "id": chr(ord("a") + place),
                "text": without_tags(self.sentences[writer]),
                "tagged": self.sentences[writer],
                "by": writer,
            }
            for place, writer in enumerate(writers)
        ]


def as_document(item: Item) -> dict[str, Any]:
    """The item as one line of ``items.jsonl``; what the studio's stage ``choose_best`` takes is among it."""
    fact = item.fact
    return {
        "id": item.id,
        "culture": fact["culture"],
        "item": item.named.item,
        "context": item.named.context,
        "fact": fact["fact"],
        "source": fact["source"],
        "candidates": item.candidates,
        "provenance": {
            "fact_id": fact["id"],
            "table_row": fact["row"],
            "similar_facts": fact["cluster_size"],
            "sources_of_these": fact["sources"],
            "proposed_by": item.proposed_by,
        },
        "missing": dict(item.missing),
    }


def to_json_lines(items: Iterable[Item]) -> bytes:
    """``items.jsonl``."""
    return b"".join(orjson.dumps(as_document(item)) + b"\n" for item in items)


def to_form(items: Sequence[Item]) -> bytes:
    """``choices-form.csv``: a line per item with its sentences, without who wrote them, and empty columns for
    a judge."""
    most = max((len(item.sentences) for item in items), default=0)
    letters = [chr(ord("a") + place) for place in range(most)]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*FORM, *(f"sentence_{letter}" for letter in letters), *VOTE])
    for item in items:
        texts = [candidate["text"] for candidate in item.candidates]
        cells = [
            item.id,
            item.fact["culture"],
            item.named.item,
            item.named.context,
            *texts,
            *[""] * (most - len(texts)),
        ]
        writer.writerow([*map(guard, cells), *[""] * len(VOTE)])
    return (
        b"\xef\xbb\xbf" + text.getvalue().encode()
    )  # with a mark, or spreadsheets take it for another encoding
