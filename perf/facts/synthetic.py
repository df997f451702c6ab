"""A table of facts about cultures that nobody holds: sentences drawn from a grammar and a made-up vocabulary,
with planted repeats.

A share of the rows repeats an earlier fact of the culture letter for letter, another share in nearly the same
words (one word of some twenty is another one); ``kind`` and ``of_row`` say which, for counting how many are
found.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SYLLABLES = [
    first + vowel + last
    for first in "bdfgklmnprstvz"
    for vowel in "aeiou"
    for last in ("", "n", "r", "s", "l")
]
WHO = (
    "people",
    "families",
    "elders",
    "children",
    "neighbours",
    "guests",
    "workers",
    "students",
    "couples",
    "hosts",
)
WHEN = (
    "at weddings",
    "in the evening",
    "on market days",
    "before meals",
    "after the harvest",
    "during the fast",
    "at school",
)
FRAMES = (
    "In {culture}, {who} usually {a} the {b} {when}, because {c} and {d} {e} stand for {f} in the "
    "{g} of {h}.",
    "{who} in {culture} {a} {b} with {c} {when}, and it is thought rude to {d} a {e} near {f}, {g} or {h}.",
    "It is common in {culture} that {who} {a} {b} {when}; the {c} of the {d} {e} is kept by {f} for "
    "{g} and {h}.",
)
HEADER = ("culture", "fact", "source", "kind", "of_row")


@dataclass(frozen=True)
class Plan:
    """How many facts of how many cultures, of which shares repeat an earlier one exactly or nearly, and are
    unfit."""

    facts: int = 1_100_000
    cultures: int = 60
    same: float = 0.05
    alike: float = 0.10
    unfit: float = 0.02
    seed: int = 0


def write(path: Path, plan: Plan) -> None:
    """Write the table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(rows(plan))


def rows(plan: Plan) -> Iterator[tuple[str, str, str, str, str]]:
    """The rows; cultures are of very different size (Zipf), as in every collection of such facts."""
    draw = random.Random(plan.seed)
    cultures = [f"Culture {number}" for number in range(1, plan.cultures + 1)]
    weights = [1 / number for number in range(1, plan.cultures + 1)]
    vocabulary = ["".join(draw.choices(SYLLABLES, k=draw.choice((2, 2, 3)))) for _ in range(30_000)]
    recent: dict[str, list[tuple[int, str]]] = {culture: [] for culture in cultures}
    chosen = iter(draw.choices(cultures, weights, k=plan.facts))
    for row, culture in enumerate(chosen, 1):
        source = f"https://example.org/{draw.randrange(10**6)}"
        kind = draw.random()
        if kind < plan.unfit:
            yield culture, "Too short.", source, "unfit", ""
            continue
        earlier = recent[culture]
        if earlier and kind < plan.unfit + plan.same + plan.alike:
            of_row, fact = draw.choice(earlier)
            same = kind < plan.unfit + plan.same
            yield (
                culture,
                fact if same else _changed(fact, draw, vocabulary),
                source,
                "same" if same else "alike",
                str(of_row),
            )
            continue
        fact = _fact(culture, draw, vocabulary)
        if len(earlier) < 2000:
            earlier.append((row, fact))
        else:
            earlier[draw.randrange(2000)] = (row, fact)
        yield culture, fact, source, "", ""


def _fact(culture: str, draw: random.Random, vocabulary: list[str]) -> str:
    # Common words are more common, as in any language: places in the list are drawn by the cube of a uniform
    # number.
    words = {slot: vocabulary[int(len(vocabulary) * draw.random() ** 3)] for slot in "abcdefgh"}
    return draw.choice(FRAMES).format(culture=culture, who=draw.choice(WHO), when=draw.choice(WHEN), **words)


def _changed(fact: str, draw: random.Random, vocabulary: list[str]) -> str:
    """The fact with its last word replaced."""
    head, _, _ = fact.rstrip(".").rpartition(" ")
    return f"{head} {draw.choice(vocabulary)}."
