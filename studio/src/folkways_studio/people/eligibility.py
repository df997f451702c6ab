"""Checks answers against the recruitment criteria of a population (CulturalBench, section 3.2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any


def failed_criteria(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """Names of the criteria of a population that the answers do not meet; empty if somebody may take part.

    A criterion has ``name`` and ``ask`` (the question) and one of: ``accept`` (accepted answers, compared
    without case, outer white space and punctuation), ``least`` or ``most`` (bounds of a number, inclusive).
    Without any of them it is only recorded. A question without an answer fails unless the criterion is
    ``optional``.
    """
    return [str(each["name"]) for each in criteria if not _passes(each, answers.get(str(each["name"]), ""))]


def unclear_criteria(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """Names of the failed criteria that a person has to check, because the answer is free text.

    "UK citizen" is not an accepted answer but means one; "5 years" is not a number. A chosen option and a
    number out of bounds are clear.
    """
    failed = failed_criteria(criteria, answers)
    return [
        name
        for each in criteria
        if (name := str(each["name"])) in failed and _is_unclear(each, answers.get(name, "").strip())
    ]


def _is_unclear(criterion: Mapping[str, Any], answer: str) -> bool:
    if not answer or "options" in criterion:
        return False
    return "accept" in criterion or _number(answer) is None


def _number(answer: str) -> float | None:
    try:
        return float(answer)
    except ValueError:
        return None


def _plain(answer: object) -> str:
    """An answer normalised for comparison: no case, outer punctuation or encoding differences; single
    spaces."""
    text = " ".join(unicodedata.normalize("NFKC", str(answer)).casefold().split())
    return text.strip(" .,;:!?\"'()")


def _passes(criterion: Mapping[str, Any], answer: str) -> bool:
    answer = answer.strip()
    if not answer:
        return bool(criterion.get("optional", False))
    if "accept" in criterion and _plain(answer) not in map(_plain, criterion["accept"]):
        return False
    if "least" in criterion or "most" in criterion:
        number = _number(answer)
        if number is None:
            return False
        return float(criterion.get("least", "-inf")) <= number <= float(criterion.get("most", "inf"))
    return True
