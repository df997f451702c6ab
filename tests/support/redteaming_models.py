"""The models of a round of red-teaming and asking: a helper that makes the planned questions, and others with
beliefs of their own.

They read the question as a model would, out of the prompt in whatever wording; what they hold true is written
down by the test.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4)
def settings_of(text: str) -> dict[str, Any]:
    """makes: scenario -> what the helper replies to it; believes: model -> question -> options that it holds
    right."""
    found: dict[str, Any] = json.loads(text)
    return found


def answer_round(settings: str, model: str, prompt: str) -> str:
    """The reply to a prompt of the helper, of the verifier, or of CulturalBench's Easy or Hard."""
    known = settings_of(settings)
    for scenario, made in known["makes"].items():
        if scenario in prompt:
            return f"Here is one: {json.dumps(made)}"
    believed = next(
        (options for question, options in known["believes"][model].items() if question in prompt), []
    )
    lettered = dict(re.findall(r"^([A-D])\. (.+)$", prompt, re.M))
    if not lettered:
        return str(prompt.rpartition("Proposed answer: ")[2].partition("\n")[0] in believed)
    statements = dict(re.findall(r"^(\([iv]+\)) (.+)$", prompt, re.M))
    if not statements:
        return next((letter for letter, option in lettered.items() if option in believed), "I do not know.")
    held = {numeral for numeral, statement in statements.items() if statement in believed}
    # Whoever believes something else than what is offered takes what comes nearest.
    return min(lettered, key=lambda letter: (len(held ^ set(lettered[letter].split(", "))), letter))
