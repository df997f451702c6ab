"""Questions with the votes of people: folkways' own schema, from which CulturalBench's Easy and Hard are
built.

A folder holds ``items`` and ``votes`` (CSV, JSON lines or Parquet) and ``meta.json``. What is declared here
is what is read, what is written and what the documentation lists.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial

import polars as pl

from folkways.files import json_bytes, packed
from folkways.records import Schema, require_columns
from folkways.spreadsheet import csv_bytes

LETTERS = ("A", "B", "C", "D")
"""The options of an item, by their order."""

DONT_KNOW, CANNOT_ANSWER = "dont_know", "cannot_answer"
ABSTENTIONS = (DONT_KNOW, CANNOT_ANSWER)
"""What a person may say in place of options: "I don't have the knowledge" and "this cannot be answered"
(section 3.2)."""

OPTIONS = tuple(f"option_{letter.lower()}" for letter in LETTERS)


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a file: its name, what it says, and whether every row needs it."""

    name: str
    about: str
    required: bool = True


ITEM_FIELDS = (
    Field("item", "Id of the question, unique; it becomes `question_idx`."),
    Field("question", "The question, without its options."),
    *(Field(name, f"Option {letter}.") for name, letter in zip(OPTIONS, LETTERS, strict=True)),
    Field(
        "country", "Whose culture it asks about: a name or code of `folkways cultures`, or one of your own."
    ),
    Field("topic", "Topic, where people have given it one.", required=False),
)

VOTE_FIELDS = (
    Field("item", "Id of the question."),
    Field("annotator", "Pseudonym of the person. It is published with the benchmark."),
    Field(
        "chosen", "Letters of every option that the person chose (`A C`), or `dont_know`, or `cannot_answer`."
    ),
    Field("round", "Round of verification, from 1; 1 if empty.", required=False),
    Field(
        "population",
        "The finer group that this round was put to (`Wales`); empty for the country's people.",
        required=False,
    ),
)

META_FIELDS = (
    Field("title", "What the collection is called.", required=False),
    Field(
        "licence",
        "SPDX identifier of the licence that questions and votes are under (`CC-BY-4.0`).",
        required=False,
    ),
    Field("about", "Who was asked, when and how, for the data card.", required=False),
    Field("citation", "BibTeX.", required=False),
)

ITEMS: Schema = {entry.name: pl.String for entry in ITEM_FIELDS}  # topic is null where there is none
VOTES: Schema = {
    "item": pl.String,
    "annotator": pl.String,
    "chosen": pl.List(pl.String),  # letters in their order, or one of ABSTENTIONS
    "round": pl.Int64,
    "population": pl.String,  # "" for the people of the country
}


@dataclass(frozen=True, slots=True)
class Meta:
    """What a collection says of itself; empty where it does not (see META_FIELDS)."""

    title: str = ""
    licence: str = ""
    about: str = ""
    citation: str = ""


@dataclass(frozen=True)
class Votes:
    """A collection: ITEMS, VOTES, what it says of itself, and what was noticed while reading that changes
    nothing."""

    items: pl.DataFrame
    votes: pl.DataFrame
    meta: Meta = field(default_factory=Meta)
    notes: tuple[str, ...] = ()


def to_files(votes: Votes, kind: str = "csv") -> dict[str, bytes]:
    """File name -> contents of a folder that ``folkways build easy --votes`` reads; kind is ``csv``,
    ``jsonl`` or ``parquet``.

    Writes nothing. Raises DataError for frames that lack a column; the same votes give the same bytes.
    """
    items = require_columns(votes.items, ITEMS, "items").select(list(ITEMS))
    cast = require_columns(votes.votes, VOTES, "votes").select(list(VOTES))
    written = frame_bytes if kind == "csv" else partial(packed, kind=kind)
    meta = json_bytes({"schema": 1, **asdict(votes.meta)})
    return {f"items.{kind}": written(items), f"votes.{kind}": written(cast), "meta.json": meta}


def frame_bytes(frame: pl.DataFrame) -> bytes:
    """A frame as CSV in UTF-8: what is not known is an empty cell, lists are separated by spaces, truth is
    True or False."""
    return csv_bytes(frame.columns, frame.iter_rows())
