"""Whether a person belongs to the population that a study recruits (CulturalBench, section 3.2: nationality,
residence, group)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any


def failed_criteria(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """The criteria of a population that answers do not meet, by their names; none where somebody may take
    part.

    A criterion has ``name`` and ``ask`` (the question) and one of: ``accept`` (answers that pass, compared
    without case, outer white space and marks), ``least`` or ``most`` (bounds of a number, inclusive). A
    criterion without any of them is only recorded. A question without an answer is failed, unless the
    criterion is ``optional``.
    """
    return [str(each["name"]) for each in criteria if not _passes(each, answers.get(str(each["name"]), ""))]


def unclear_criteria(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """Those of the criteria that answers do not meet which a person has to look at, by their names: the
    answer was written freely.

    "UK citizen" is none of the answers that pass, and yet means one; "5 years" is no number. An option that
    was chosen and a number out of bounds are clear.
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
    """An answer as it is compared: without case, outer marks and ways of encoding a letter; white space
    counts as one space."""
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
