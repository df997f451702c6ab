"""Telling a model that declines to answer from one that answers in a form nobody can read."""

from __future__ import annotations

import re

_DECLINES = re.compile(
    r"""
      \bI\s*(?:['’]m|\s+am)\s+(?:(?:really|very|so)\s+)?(?:sorry|unable|not\s+able|afraid)\b
    | \bI\s+(?:can\s*not|can['’]?t|won['’]?t|will\s+not|must\s+decline|have\s+to\s+decline|decline)\b
    | \bI\s+(?:do\s+not|don['’]?t)\s+(?:know|have\s+(?:enough\s+)?(?:information|knowledge|an?\s+answer)|feel\s+comfortable)\b
    | \bI(?:\s+would|['’]d)\s+rather\s+not\b
    | \bas\s+an?\s+(?:AI|artificial\s+intelligence|(?:large\s+)?language\s+model)\b
    | \b(?:unable|not\s+possible)\s+to\s+(?:answer|assist|help|provide|determine)\b
    | \bcannot\s+(?:answer|assist|help|comply|provide)\b
    | ^\W*(?:sorry|my\s+apologies|I\s+apologi[sz]e)\b
    """,
    re.I | re.X,
)


def declines(reply: str, *, within: int = 400) -> bool:
    """Whether the first ``within`` characters say that no answer will be given (English phrasings).

    Meant for replies in which no answer was found: "I am not sure, but the answer is B" answers and should be read first.
    """
    return bool(_DECLINES.search(reply[:within]))
