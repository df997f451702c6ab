"""Compares one version of an adapted sentence, within English or in the language, with the gold version."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from folkways.benchmarks.xcr.comparisons import Comparison
from folkways.benchmarks.xcr.data import is_non_transferable
from folkways.metrics.spans import tagged_spans
from folkways.records import State

NOTHING_READ = (State.REFUSED, State.UNREADABLE)
"""States of a reply that is there without versions in it: the authors' tables have an empty cell then, and
leave the row out."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is true of one version; each number is 0 to 1, None where it does not apply.

    csi, sent: what is to be compared of its tagged items, and of the whole sentence with its tags.
    refused_rightly: only where gold says non-transferable: the reply says so too. adapted_rightly: only where
    gold adapts.
    """

    csi: Comparison | None
    sent: Comparison | None
    exact: float | None
    tags_kept: float
    refused_rightly: float | None
    adapted_rightly: float | None
    reason: str


def judge_side(gold: str, reply: str, profile: str) -> Side:
    """Compare ``reply`` with ``gold`` under ``paper`` or ``strict``, both in Unicode normal form C.

    ``paper`` compares nothing where the number of tagged items differs or the version is empty, and gives
    items 0 where neither side has any. ``strict`` divides by the gold items, so that a missing one scores 0;
    sentences without gold items have no value for items, those that gold calls non-transferable none for the
    sentence, and to call others so scores 0.
    """
    gold, reply = unicodedata.normalize("NFC", gold), unicodedata.normalize("NFC", reply)
    expected, found = tagged_spans(gold, across_lines=False), tagged_spans(reply, across_lines=False)
    impossible, refused = is_non_transferable(gold), is_non_transferable(reply)
    pairs = tuple(zip(found, expected, strict=False))
    csi: Comparison | None = Comparison(pairs, over=max(len(expected), 1))
    sent: Comparison | None = Comparison(((reply, gold),))
    exact: float | None = float(refused if impossible else _tidy(reply) == _tidy(gold))
    if profile == "paper":
        if len(found) != len(expected) or not reply:
            csi = sent = None
    else:
        csi = csi if expected else None
        sent = Comparison() if refused or not reply else sent
        if impossible:
            sent = exact = None
    return Side(
        csi=csi,
        sent=sent,
        exact=exact,
        tags_kept=float(len(found) == len(expected)),
        refused_rightly=float(refused) if impossible else None,
        adapted_rightly=None if impossible else float(not refused),
        reason=_reason(impossible, refused, len(expected), len(found)),
    )


def no_version(gold: str, profile: str, state: State) -> Side:
    """The side of a reply that has no version: the worst, or nothing where ``paper`` leaves the row out or
    nothing applies.

    A request that failed scores 0 in both profiles: it must not make the rest look better.
    """
    impossible = is_non_transferable(gold)
    left_out = profile == "paper" and state in NOTHING_READ
    strict = profile == "strict"
    return Side(
        csi=None if left_out or (strict and not tagged_spans(gold, across_lines=False)) else Comparison(),
        sent=None if left_out or (strict and impossible) else Comparison(),
        exact=None if strict and impossible else 0.0,
        tags_kept=0.0,
        refused_rightly=0.0 if impossible else None,
        adapted_rightly=None if impossible else 0.0,
        reason="no answer",
    )


def _tidy(text: str) -> str:
    return " ".join(re.sub(r"\s*(</?CSI>)\s*", r" \1 ", text).split())


def _reason(impossible: bool, refused: bool, expected: int, found: int) -> str:
    if impossible:
        return "called non-transferable, rightly" if refused else "adapted what gold calls non-transferable"
    if refused:
        return "called non-transferable, wrongly"
    return f"{found} of {expected} items tagged" if found != expected else "as many items tagged as in gold"
