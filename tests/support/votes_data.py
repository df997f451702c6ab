"""Questions with votes of our own: a few by hand, many at random, and a collection large enough to be
asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import polars as pl
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench.build.tables import NUMERALS
from folkways.benchmarks.culturalbench.votes import ABSTENTIONS, ITEMS, LETTERS, VOTES, Meta, Votes

COUNTRIES = ("US", "Spain", "Bangladesh", "South Korea", "Zimbabwe")
TEXTS = (
    "tea",
    "rice",
    "bread",
    "None",
    "salt, or sugar",
    'a "flat" cake',
    "soup\nor stew",
    "Tea ",
    "رز",
    "(i), (ii)",
    "(iii)",
)


def statements_of(option: str) -> tuple[str, ...]:
    """The letters that an option of a multi-mode question stands for: ``(i), (iii)`` is A and C."""
    return tuple(LETTERS[NUMERALS.index(numeral)] for numeral in option.split(", "))


def votes_of(cast: Mapping[str, Sequence[str]], **changes: str) -> Votes:
    """A question per key with the votes of p0, p1, ...: ``{"q": ["A", "A C", "dont_know", "2:B"]}``, the last
    one of round 2.

    ``changes`` are columns of every item.
    """
    items = []
    rows = []
    for name, votes in cast.items():
        options = {f"option_{letter.lower()}": f"{letter.lower()} of {name}" for letter in LETTERS}
        items.append(
            {"item": name, "question": f"What about {name}?", "country": "Spain", **options, **changes}
        )
        for number, vote in enumerate(votes):
            told, _, chosen = vote.rpartition(":")
            rows.append(
                {
                    "item": name,
                    "annotator": f"p{number}",
                    "chosen": chosen.split(),
                    "round": int(told or 1),
                    "population": "Wales" if told == "2" else "",
                }
            )
    return Votes(pl.DataFrame(items, schema=dict(ITEMS)), pl.DataFrame(rows, schema=dict(VOTES)))


def choices() -> st.SearchStrategy[list[str]]:
    """What one person says of a question; agreement is frequent, so that many questions are kept."""
    letters = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=4, unique=True).map(sorted)
    return st.one_of(
        st.just(["A"]),
        st.just(["A"]),
        st.just(["B", "D"]),
        letters,
        st.sampled_from(ABSTENTIONS).map(lambda word: [word]),
    )


@st.composite
def collections(draw: st.DrawFn, most: int = 3) -> Votes:
    """Questions whose options may repeat, be "None" or be combinations already, with up to nine votes in up
    to two rounds."""
    items = []
    rows = []
    for number in range(draw(st.integers(1, most))):
        name = f"q{number}"
        options = draw(
            st.one_of(
                st.lists(st.sampled_from(TEXTS[:7]), min_size=4, max_size=4, unique=True),
                st.tuples(*[st.sampled_from(TEXTS)] * 4),
            )
        )
        country = draw(st.sampled_from((*COUNTRIES, "Atlantis")))
        question = draw(st.sampled_from([f"What about {name}?", "What is it?"]))
        items.append((name, question, *options, country, draw(st.sampled_from([None, "Religion", "Trains"]))))
        agreed = draw(st.one_of(st.none(), choices()))
        for round_ in range(1, draw(st.integers(1, 2)) + 1):
            for person in range(draw(st.sampled_from([0, 3, 5, 5, 5, 6, 9]))):
                chosen = agreed if agreed and draw(st.booleans()) else draw(choices())
                rows.append((name, f"p{person}", chosen, round_, "" if round_ == 1 else "Wales"))
    return Votes(
        pl.DataFrame(items, schema=dict(ITEMS), orient="row"),
        pl.DataFrame(rows, schema=dict(VOTES), orient="row"),
        Meta(title="Drawn at random", licence="CC-BY-4.0"),
    )


def large_collection(questions: int, seed: int = 5) -> Votes:
    """Questions of five countries by 12 people, five votes each: most are kept, every fourth has several
    right options."""
    random = Random(seed)
    items = []
    rows = []
    for number in range(questions):
        country = COUNTRIES[number % len(COUNTRIES)]
        options = [
            f"{thing} no. {number}" for thing in ("bread", "tea", "salt", "None" if number == 7 else "rice")
        ]
        if number == 7:
            options[3] = "None"
        items.append(
            (f"q{number}", f"What do guests in {country} bring to feast {number}?", *options, country, None)
        )
        gold = random.sample(LETTERS, 2 + number % 3) if number % 4 == 1 else [random.choice(LETTERS)]
        for person in random.sample(range(12), 5):
            said = random.random()
            chosen = (
                sorted(gold) if said < 0.9 else [random.choice(LETTERS)] if said < 0.97 else ["dont_know"]
            )
            rows.append((f"q{number}", f"person {person}", chosen, 1, ""))
    return Votes(
        pl.DataFrame(items, schema=dict(ITEMS), orient="row"),
        pl.DataFrame(rows, schema=dict(VOTES), orient="row"),
        Meta(title="Feasts", licence="CC-BY-4.0", about="Invented for tests; nobody was asked."),
    )
