"""The scores of one model on one task, from a log of another program."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

UNKNOWN = math.nan
"""Score of a sample that was not scored, for example because it failed: it must not count as 0."""

WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values that Inspect's scorers give instead of numbers: correct, partially correct, incorrect, no answer."""

Scores = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class ScoredLog:
    """The samples of one log in its order; every sequence has one entry per sample.

    task, model: names as in the log.
    items: ids of the samples.
    repeats: the epoch, from 1.
    questions: the sampling unit: the item, unless the log says that several items are one question.
    contents: a digest of question and target; samples with the same id and different contents are different
        samples.
    scores: name -> values; None where a score does not apply, UNKNOWN for samples that were not scored.
    facets: name -> values to group samples by.
    settings: how the model was asked, for a note where two logs differ.
    notes: sentences that a reader must know.
    lower_is_better: the scores that are better when lower, where the log says so.
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
    lower_is_better: frozenset[str] = frozenset()


def number(value: Any) -> float | None:
    """A score as a number; UNKNOWN for text without a numeric meaning, None for lists and other
    structures."""
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
    """Score -> values, for the scores that at least one sample has."""
    names = dict.fromkeys(name for row in rows for name in row)
    by_name = {name: [row.get(name, UNKNOWN) for row in rows] for name in names}
    return {
        name: values
        for name, values in by_name.items()
        if any(value is not None and math.isfinite(value) for value in values)
    }


def facets(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str | None]]:
    """Name -> values as text, for keys with a string, number or boolean in every sample that has them."""
    by_name: dict[str, list[str | None]] = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        values = [row.get(name) for row in rows]
        kinds = {*map(type, values)} - {type(None)}
        if kinds and kinds <= {str, int, float, bool}:
            by_name[name] = (
                values if kinds == {str} else [None if value is None else str(value) for value in values]
            )
    return by_name


def digest(*parts: Any) -> str:
    """A short text that is the same for the same parts."""
    return blake2b(orjson.dumps(parts, default=str), digest_size=8).hexdigest()


def told(values: Mapping[str, Any]) -> str:
    """``name=value`` pairs of the values that are not None."""
    return ",".join(f"{name}={value}" for name, value in sorted(values.items()) if value is not None)
