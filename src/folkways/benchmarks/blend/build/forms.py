"""The form in which a question wants its answer, and which answers have it."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

_TIME = re.compile(r"\d{2}:\d{2}")
_DATE = re.compile(r"\d{2}/\d{2}")


class Form(StrEnum):
    """What a question asks for by its instruction in brackets; FREE where it has none."""

    TIME = "time"
    DATE = "date"
    NUMBER = "number"
    FREE = "free"


def form_of(question: str) -> Form:
    """The form that the words of an English question ask for."""
    if "HH:MM" in question:
        return Form.TIME
    if "MM/DD" in question:
        return Form.DATE
    return Form.NUMBER if "Arabic" in question else Form.FREE


@lru_cache(maxsize=50_000)
def number_in(answer: str) -> float | None:
    """The number that the answer is, or None."""
    try:
        return float(answer)
    except ValueError:
        return None


def is_time(answer: str) -> bool:
    """Two digits, a colon, two digits."""
    return _TIME.fullmatch(answer) is not None


def is_date(answer: str) -> bool:
    """Two digits, a slash, two digits."""
    return _DATE.fullmatch(answer) is not None


def fits(answer: str, form: Form) -> bool:
    """Whether an answer has the form; every answer is FREE."""
    match form:
        case Form.TIME:
            return is_time(answer)
        case Form.DATE:
            return is_date(answer)
        case Form.NUMBER:
            return number_in(answer) is not None
    return True


def settled_by_form(answers: tuple[str, ...], target: str) -> bool | None:
    """Whether one of the answers is the target, where all are numbers, all dates or all times; None where
    that cannot tell."""
    value = number_in(target)
    if value is not None:
        values = [number_in(answer) for answer in answers]
        return value in values if None not in values else None
    for has_form in (is_date, is_time):
        if has_form(target) and all(has_form(answer) for answer in answers):
            return target in answers
    return None
