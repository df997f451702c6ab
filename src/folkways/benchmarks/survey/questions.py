"""Questions of a survey and what people of each culture answered, whatever files they come from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]

_NUMBER = re.compile(r"[+-]?\d+(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class PeopleAnswers:
    """What people of a culture answered to a question.

    shares: of the options of opinion, in their order; they sum to 1. respondents: how many people gave one of
    them, or as how many of equal weight they count; None where only shares are published.
    """

    shares: tuple[float, ...]
    respondents: int | None = None

    @classmethod
    def of(cls, weights: Sequence[float], respondents: int | None = None) -> PeopleAnswers | None:
        """From weights (counts, shares, percentages) of the options of opinion, which need not sum to 1; None
        where nobody has an opinion. ValueError for a weight that is negative or no number."""
        if any(not weight >= 0 or math.isinf(weight) for weight in weights):
            raise ValueError("a share of people is negative or no number")
        whole = math.fsum(weights)
        if not whole:
            return None
        return cls(tuple(weight / whole for weight in weights), respondents)


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """A question with options.

    options: those that are opinions, as they are shown. values: their places on an ordered scale, increasing
    or decreasing; empty where they have no order. no_opinion: further options ("Don't know"), shown after the
    others. texts: language -> question and all options, where it was asked in other languages too.
    people: culture code -> what people answered.
    """

    key: str
    text: str
    options: tuple[str, ...]
    values: tuple[float, ...] = ()
    no_opinion: tuple[str, ...] = ()
    language: str = "en"
    category: str = ""
    texts: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    people: Mapping[str, PeopleAnswers] = field(default_factory=dict)

    def rows(self) -> Iterator[Row]:
        """An item for each culture that was asked, with what people there answered."""
        for culture, answers in sorted(self.people.items()):
            yield {
                "item": f"{self.key}/{culture}",
                "release_id": self.key,
                "question": self.key,
                "culture": culture,
                "text": self.text,
                "gold": ", ".join(
                    f"{option} {share:.0%}"
                    for option, share in zip(self.options, answers.shares, strict=True)
                ),
                "category": self.category or None,
                "scale": "ordered" if self.values else "no order",
                "options": list(self.options),
                "positions": list(self.values) or None,
                "no_opinion": list(self.no_opinion),
                "shares": list(answers.shares),
                "respondents": answers.respondents,
                "language_of_text": self.language,
                "languages_of_texts": list(self.texts),
                "texts": [text for text, _ in self.texts.values()],
                "options_of_texts": [list(options) for _, options in self.texts.values()],
            }


def plain_number(option: str) -> str:
    """``7.0`` as ``7``; any other text unchanged. Scales come as numbers with a point."""
    return str(int(float(option))) if _NUMBER.fullmatch(option.strip()) else option


def on_scale(options: Iterable[str]) -> tuple[float, ...]:
    """The places of options that are all whole numbers; empty for others."""
    texts = list(options)
    if len(texts) > 2 and all(_NUMBER.fullmatch(option.strip()) for option in texts):
        return tuple(float(option) for option in texts)
    return ()
