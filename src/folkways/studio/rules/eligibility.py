"""Whether a person belongs to the population that a study recruits (CulturalBench, section 3.2: nationality, residence, group)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Whether somebody may take part, and which questions they failed (names of criteria)."""

    eligible: bool
    failed: tuple[str, ...]


def eligibility(criteria: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> Eligibility:
    """Judge answers by the criteria of a population.

    A criterion has ``name`` and ``ask`` (the question) and one of: ``accept`` (answers that pass, compared without case and outer
    white space), ``least`` or ``most`` (bounds of a number, inclusive). A criterion without any of them is only recorded. A
    question without an answer is failed, unless the criterion is ``optional``.
    """
    failed = [str(criterion["name"]) for criterion in criteria if not _passes(criterion, answers.get(str(criterion["name"]), ""))]
    return Eligibility(not failed, tuple(failed))


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
