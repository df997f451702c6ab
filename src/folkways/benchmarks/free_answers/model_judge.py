"""A model as judge of free answers: what it is asked, and how its verdict is read. It never changes the
lexical rule.

The question is that of the rule (BLEnD, section 4.1): does the reply have any answer that people gave? Only
"the same" is left to a reader instead of lemmas. Both the reply and the judge's own words are untrusted.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from folkways.benchmarks.base import Task
from folkways.benchmarks.templates import Template, digest_of, wordings
from folkways.cultures import get_culture

MAX_TOKENS = 256
"""Output tokens that a verdict needs at most, with some words around it. Judges that reason at length need
NAME?max_tokens=N."""

LONGEST_REPLY = 4000
"""Characters of a reply that the judge is shown."""

_VERDICT = re.compile(r'"group"\s*:\s*"?(\d{1,6}|null)"?\s*[,}]')
_JOINERS = "\u200c\u200d"  # Persian and Amharic texts are spelled with them
_INVISIBLE = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """The number of the gold group that the reply means, by a judge, counted from 1; 0 for none of them."""

    group: int

    @property
    def value(self) -> float:
        """1 if the reply means one of the groups, else 0."""
        return float(self.group > 0)


def wording() -> str:
    """The prompt's text, with {names} for its parts."""
    return str(wordings("folkways.benchmarks.free_answers")["equivalence"])


def wording_digest() -> str:
    """The digest for the record of what was asked. The line break belongs to it: stored judgements have the
    digest of the text with it."""
    return digest_of(f"\n{wording()}")


def prompt_for(
    task: Task, item: Mapping[str, Any], language: str, reply: str, *, backwards: bool = False
) -> str:
    """The prompt for a judge about a reply to an item of a task with free answers.

    task, item: the question and the accepted answers.
    language: the one that the item was asked in.
    reply: what the model wrote.
    backwards: lists the last answer first, to see whether the order sways the judge.
    """
    local, english = task.question_in(item, language), task.question_in(item, "en")
    question = local if local == english else f"{local}\n(in English: {english})"
    groups = task.accepted_answers(item)[:: -1 if backwards else 1]
    lines = (f"{number}. {' / '.join(map(_quoted, group))}" for number, group in enumerate(groups, 1))
    parts = {
        "culture": get_culture(item["culture"]).name,
        "question": question,
        "groups": "\n".join(lines),
        "reply": _quoted(reply[:LONGEST_REPLY]),
        "cut": f", cut off after {LONGEST_REPLY} characters" if len(reply) > LONGEST_REPLY else "",
    }
    return Template(wording(), "folkways").fill(parts)


def read_verdict(said: str, groups: int) -> JudgeVerdict | None:
    """The verdict in a judge's reply about an item with ``groups`` groups; None if there is none, or if
    verdicts contradict each other.

    A judge that quotes a reply with a verdict in it must not be misread.
    """
    verdicts = {0 if number == "null" else int(number) for number in _VERDICT.findall(said)}
    if len(verdicts) != 1:
        return None
    group = verdicts.pop()
    return JudgeVerdict(group) if group <= groups else None


def imitates_verdict(reply: str) -> bool:
    """Whether a reply to a benchmark's question contains the form of a verdict: nobody answers like that by
    chance."""
    return _VERDICT.search(reply) is not None


def _quoted(text: str) -> str:
    """A JSON string on one line, without marks of ours and without anything that a person would not see."""
    return "".join(map(_shown, json.dumps(text, ensure_ascii=False)))


def _shown(character: str) -> str:
    if character in "<>":
        return f"\\u{ord(character):04x}"
    hidden = unicodedata.category(character) in _INVISIBLE and character not in _JOINERS
    return json.dumps(character)[1:-1] if hidden else character
