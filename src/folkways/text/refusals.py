"""Phrases with which models decline to answer, in the languages that questions are asked in.

Short and to the point: a phrase is listed when it says that no answer will be given ("I do not know", "I
cannot answer", "as a language model"), in the wording that models use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from folkways.text.labels import first_turn
from folkways.toml_files import packaged_toml


def phrases() -> Mapping[str, Sequence[str]]:
    """Language -> regular expressions; a reply in which one is found declines."""
    return packaged_toml("folkways.text", "refusals.toml")


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    patterns = phrases().get(language)
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.I) if patterns else None


def is_refusal(reply: str, language: str = "en", *, within: int = 400) -> bool:
    """Whether the first ``within`` characters of a reply's own turn say, in English or in ``language``, that
    no answer will be given.

    Models decline in English whatever they are asked in, so English always counts; a language without phrases
    adds nothing. Meant for replies in which no answer was found: "I am not sure, but the answer is B" answers
    and should be read first.
    """
    patterns = (_pattern(code) for code in dict.fromkeys(("en", language)))
    opening = first_turn(reply)[:within]
    return any(pattern.search(opening) for pattern in patterns if pattern is not None)
