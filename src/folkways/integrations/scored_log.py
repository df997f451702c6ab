"""What a log of another program tells of one model on one task: samples, and one score or several for
each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

UNKNOWN = math.nan
"""The score of a sample that nobody scored, because it failed say: nothing is known of the model there, and
nothing is no zero."""

WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's scorers say in place of a number: correct, partially correct, incorrect, no answer."""

Scores = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class ScoredLog:
    """The samples of one log, in its order; every sequence has one entry per sample.

    task, model: as the log calls them. items:       the sample's id. repeats: which of several times it was
    asked (an epoch), from 1. questions:   what is sampled independently: the item, unless the log says that
    several items are one question. contents:    a digest of what was asked and what is right: samples of one
    id and two contents are two samples. scores:      name -> values; None where a score does not apply to a
    sample, UNKNOWN where it was not scored. facets:      name -> values by which samples can be grouped.
    settings:    how the model was asked, in parts that a reader should know of where two logs differ. notes:
    what a reader must know of this log.
    """

    path: Path
    task: str
    model: str
    items: Sequence[str]
    repeats: Sequence[int]
    questions: Sequence[str]
    contents: Sequence[str]
    scores: Scores
    facets: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def number(value: Any) -> float | None:
    """A score as a number, UNKNOWN for a word that is none; None for lists and the like, which are several
    numbers."""
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, str):
        from_word = WORDS.get(value, WORDS.get(value.lower()))
        if from_word is not None:
            return from_word
        try:
            return float(value)
        except ValueError:
            return UNKNOWN
    return None


def columns(rows: Sequence[Mapping[str, float | None]]) -> dict[str, list[float | None]]:
    """Score -> values, for the scores that are known of one sample at least."""
    names = dict.fromkeys(name for row in rows for name in row)
    by_name = {name: [row.get(name, UNKNOWN) for row in rows] for name in names}
    return {
        name: values
        for name, values in by_name.items()
        if any(value is not None and math.isfinite(value) for value in values)
    }


def facets(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str | None]]:
    """Name -> values as text, for what is a word, a number or a truth value in every sample that has it."""
    names = dict.fromkeys(
        name for row in rows for name, value in row.items() if isinstance(value, str | int | float)
    )
    texts = {name: [row.get(name) for row in rows] for name in names}
    plain = {
        name: values
        for name, values in texts.items()
        if all(isinstance(value, str | int | float | None) for value in values)
    }
    return {
        name: [None if value is None else str(value) for value in values] for name, values in plain.items()
    }


def digest(*parts: Any) -> str:
    """A short text that is the same for the same parts."""
    return blake2b(orjson.dumps(parts, default=str), digest_size=8).hexdigest()


def told(values: Mapping[str, Any]) -> str:
    """``name=value`` pairs of what is set."""
    return ",".join(f"{name}={value}" for name, value in sorted(values.items()) if value is not None)
