"""Tables of facts of our own, for building items from them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

FACTS = [
    (
        "Harland",
        "In Harland people bring their own mug to the village hall when there is soup.",
        "https://example.org/harland/1",
    ),
    (
        "Harland",
        "At a Harland wedding the youngest cousin hides one shoe of the groom until he sings.",
        "https://example.org/harland/2",
    ),
    (
        "Harland",
        "Neighbours in Harland leave a lantern at the gate when a child is born in the house.",
        "https://example.org/harland/3",
    ),
    (
        "Ostery",
        "Families in Ostery eat cold pea pancakes on the morning of the first snow.",
        "https://example.org/ostery/1",
    ),
    (
        "Ostery",
        "It is rude in Ostery to pour tea for yourself before the oldest guest has some.",
        "https://example.org/ostery/2",
    ),
]


def write_facts(
    path: Path, rows: Sequence[Sequence[str]] = FACTS, header: Sequence[str] = ("culture", "fact", "source")
) -> Path:
    """Write a table of facts as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path
