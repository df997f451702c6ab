"""Whether a person belongs to the population that a study recruits (CulturalBench, section 3.2: nationality, residence, group)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def failed_criteria(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> list[str]:
    """The criteria of a population that answers do not meet, by their names; none where somebody may take part.

    A criterion has ``name`` and ``ask`` (the question) and one of: ``accept`` (answers that pass, compared without case and outer
    white space), ``least`` or ``most`` (bounds of a number, inclusive). A criterion without any of them is only recorded. A
    question without an answer is failed, unless the criterion is ``optional``.
    """
    return [str(each["name"]) for each in criteria if not _passes(each, answers.get(str(each["name"]), ""))]


def _passes(criterion: Mapping[str, Any], answer: str) -> bool:
    answer = answer.strip()
    if not answer:
        return bool(criterion.get("optional", False))
    if "accept" in criterion and answer.casefold() not in {str(each).strip().casefold() for each in criterion["accept"]}:
        return False
    if "least" in criterion or "most" in criterion:
        try:
            number = float(answer)
        except ValueError:
            return False
        return float(criterion.get("least", "-inf")) <= number <= float(criterion.get("most", "inf"))
    return True
