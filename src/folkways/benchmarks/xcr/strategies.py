"""Newmark's adaptation strategies as XCR-Bench names them (appendix on strategies), read out of what models
write."""

from __future__ import annotations

import re
from collections.abc import Mapping

STRATEGIES: Mapping[str, str] = {
    "Transference": r"transferences?",
    "Cultural Equivalent": r"(?:cultural(?:ly)?|functional) equivalen(?:ts?|ces?)(?: substitution)?",
    "Neutralization": r"neutrali[sz](?:ation|ing|e)",
    "Literal Translation": r"literal(?: translations?)?|through[- ]translation|calque",
    "Label": r"label(?:l?ing|s)?",
    "Naturalization": r"naturali[sz](?:ation|ing|e)",
    "Componential Analysis": r"componential(?: analysis)?",
    "Deletion": r"deletions?|omission",
    "Accepted Standard Translation": r"accepted(?: standard)?(?: translations?)?|standard translation",
    "Paraphrase or Gloss": r"paraphras(?:e|ing)(?:\s*(?:or|and|/|,)\s*gloss(?:es)?)?|gloss(?:es|ing)?",
    "Classifier": r"classifiers?",
}
"""Canonical name -> what models write for it. With the bare ``COUPLET`` these are the paper's twelve."""

COUPLET = "Couplet"
COMBINATION = "Combination"

_NAMED = re.compile(
    "|".join(rf"\b(?P<s{place}>{pattern})\b" for place, pattern in enumerate(STRATEGIES.values())), re.I
)
_COUPLET = re.compile(r"\bcouplets?\b", re.I)
_FILLER = re.compile(
    r"\b(?:adaptation|strateg(?:y|ies)|methods?|techniques?|used|number|no|combin(?:ed|ation)|mix|of|and|with|plus|the|a|by|for|both)\b|[\W\d_]",
    re.I,
)


def canonical_strategy(text: str) -> str | None:
    """The strategy that ``text`` names, spelling and numbering aside; None where it names none.

    Two different strategies are a couplet, whatever their order: ``Couplet (Label + Transference)``; more are
    a ``Combination``. Half of them or more are the list of the prompt given back, which names none.
    ``Couplet`` alone stays as it is.
    """
    named = sorted({_name(found) for found in _NAMED.finditer(text)})
    if len(named) == 1:
        return named[0]
    if named and 2 * len(named) < len(STRATEGIES):
        return f"{COUPLET if len(named) == 2 else COMBINATION} ({' + '.join(named)})"
    return COUPLET if _COUPLET.search(text) else None


def names_only_strategies(text: str) -> bool:
    """Whether ``text`` names a strategy and holds nothing besides but numbers, punctuation and words such as
    "method" or "and"."""
    rest, named = _NAMED.subn(" ", text)
    rest, couplets = _COUPLET.subn(" ", rest)
    return bool(named + couplets) and not _FILLER.sub("", rest)


def _name(found: re.Match[str]) -> str:
    return list(STRATEGIES)[int(str(found.lastgroup)[1:])]
