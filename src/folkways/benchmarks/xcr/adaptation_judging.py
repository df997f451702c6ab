"""Compares one version of an adapted sentence, within English or in the language, with the gold version."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from folkways.metrics.edits import edit_similarity
from folkways.metrics.spans import tagged_spans
from folkways.releases.xcr import is_non_transferable


@dataclass(frozen=True, slots=True)
class Side:
    """What is true of one version; each number is 0 to 1, None where it does not apply.

    refused_rightly: only where gold says non-transferable: the reply says so too. adapted_rightly: only where gold adapts.
    """

    csi_edit: float | None
    sent_edit: float | None
    exact: float | None
    tags_kept: float
    refused_rightly: float | None
    adapted_rightly: float | None
    reason: str


def judge_side(gold: str, reply: str | None, profile: str) -> Side:
    """Compare ``reply`` (None: there is none) with ``gold`` under ``paper`` or ``strict``, both in Unicode normal form C."""
    gold = unicodedata.normalize("NFC", gold)
    expected = tagged_spans(gold, across_lines=False)
    impossible = is_non_transferable(gold)
    no_csi = profile == "strict" and not expected
    no_text = profile == "strict" and impossible
    if reply is None:
        return Side(
            csi_edit=None if no_csi else 0.0,
            sent_edit=None if no_text else 0.0,
            exact=None if no_text else 0.0,
            tags_kept=0.0,
            refused_rightly=0.0 if impossible else None,
            adapted_rightly=None if impossible else 0.0,
            reason="no answer",
        )
    reply = unicodedata.normalize("NFC", reply)
    found = tagged_spans(reply, across_lines=False)
    refused = is_non_transferable(reply)
    exact = refused if impossible else _tidy(reply) == _tidy(gold)
    dropped = profile == "paper" and (len(found) != len(expected) or not reply)
    return Side(
        csi_edit=None if dropped or no_csi else _paired(expected, found),
        sent_edit=None if dropped or no_text else edit_similarity(gold, reply),
        exact=None if no_text else float(exact),
        tags_kept=float(len(found) == len(expected)),
        refused_rightly=float(refused) if impossible else None,
        adapted_rightly=None if impossible else float(not refused),
        reason=_reason(impossible, refused, len(expected), len(found)),
    )


def _paired(expected: list[str], found: list[str]) -> float:
    """Mean edit similarity to the gold items in order, 0 for one that is missing; 0 where there is none, as the authors have it."""
    total = sum(edit_similarity(one, other) for one, other in zip(expected, found, strict=False))
    return total / len(expected) if expected else 0.0


def _tidy(text: str) -> str:
    return " ".join(re.sub(r"\s*(</?CSI>)\s*", r" \1 ", text).split())


def _reason(impossible: bool, refused: bool, expected: int, found: int) -> str:
    if impossible:
        return "called non-transferable, rightly" if refused else "adapted what gold calls non-transferable"
    if refused:
        return "called non-transferable, wrongly"
    return f"{found} of {expected} items tagged" if found != expected else "as many items tagged as in gold"
