"""Checks answers against the recruitment criteria of a population (CulturalBench, section 3.2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any


def failed_criteria(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """Names of the criteria of a population that the answers do not meet; empty if somebody may take part.

    A criterion has ``name`` and ``ask`` (the question) and one of: ``accept`` (accepted answers, compared
    without case, outer white space and punctuation), ``least`` or ``most`` (bounds of a number, inclusive),
    ``of`` and ``over`` (the number is more than this share of the one that another criterion asks for: years
    in a country and age, BLEnD, section 3). Without any of them it is only recorded. A question without an
    answer fails unless the criterion is ``optional``.
    """
    return [str(each["name"]) for each in criteria if not _passes(each, answers)]


def unclear_criteria(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """Names of the failed criteria that a person has to check, because the answer is free text.

    "UK citizen" is not an accepted answer but means one; "5 years" is not a number. A chosen option and a
    number out of bounds are clear.
    """
    failed = failed_criteria(criteria, answers)
    return [name for each in criteria if (name := str(each["name"])) in failed and _is_unclear(each, answers)]


def _is_unclear(criterion: Mapping[str, Any], answers: Mapping[str, str]) -> bool:
    answer = _answer(criterion["name"], answers)
    if not answer or "options" in criterion:
        return False
    whole = _answer(criterion["of"], answers) if "of" in criterion else "1"
    return "accept" in criterion or _number(answer) is None or (whole != "" and _number(whole) is None)


def _answer(name: object, answers: Mapping[str, str]) -> str:
    return answers.get(str(name), "").strip()


def _number(answer: str) -> float | None:
    try:
        return float(answer)
    except ValueError:
        return None


def plain_answer(answer: object) -> str:
    """An answer normalised for comparison: no case, outer punctuation or encoding differences; single
    spaces."""
    text = " ".join(unicodedata.normalize("NFKC", str(answer)).casefold().split())
    return text.strip(" .,;:!?\"'()")


def _passes(criterion: Mapping[str, Any], answers: Mapping[str, str]) -> bool:
    answer = _answer(criterion["name"], answers)
    if not answer:
        return bool(criterion.get("optional", False))
    if "accept" in criterion and plain_answer(answer) not in map(plain_answer, criterion["accept"]):
        return False
    if "least" in criterion or "most" in criterion:
        number = _number(answer)
        if number is None:
            return False
        if not float(criterion.get("least", "-inf")) <= number <= float(criterion.get("most", "inf")):
            return False
    if "of" in criterion:
        part, whole = _number(answer), _number(_answer(criterion["of"], answers))
        # Nobody has lived anywhere for longer than they are old: such a pair is a slip.
        return part is not None and whole is not None and criterion["over"] * whole < part <= whole
    return True
