"""What models are asked while a corpus is built, and what is read out of their replies. Replies are untrusted
text."""

from __future__ import annotations

from dataclasses import dataclass

from folkways.benchmarks.templates import Template, digest_of, wordings
from folkways.metrics.spans import CLOSING, OPENING, tagged_spans
from folkways.text.json_replies import last_value

MAX_TOKENS = {"items": 512, "sentence": 256}
"""Output tokens that a reply needs at most."""

MOST_ITEMS = 2
ITEM_WORDS = 8
"""Of an item, at most."""

SENTENCE_WORDS = (5, 60)
ROOT = 4
"""Letters at the beginning of a word that say which word it is, whatever its ending."""


@dataclass(frozen=True, slots=True)
class Named:
    """A culture-specific item that a model named, and its context for outsiders."""

    item: str
    context: str


def wordings_digest() -> str:
    """Of both prompts, for the record of a build."""
    return digest_of(wordings("folkways.benchmarks.xcr")["build"])


def prompt(form: str, **parts: str) -> str:
    """The text that asks for the ``items`` of a fact (culture, fact), or for a ``sentence`` (culture, item,
    context)."""
    return Template(wordings("folkways.benchmarks.xcr")["build"][form], "folkways").fill(parts)


def read_items(reply: str) -> list[Named] | None:
    """The items that a reply names, MOST_ITEMS at most; None where it has not the asked form."""
    value = last_value(reply, "items")
    if not isinstance(value, list):
        return None
    found = []
    for entry in value:
        item, context = (
            (_line(entry.get(key)) for key in ("item", "context")) if isinstance(entry, dict) else ("", "")
        )
        if _roots(context) and _roots(item) and len(item.split()) <= ITEM_WORDS and OPENING not in item:
            found.append(Named(item, context))
    return found[:MOST_ITEMS] if found or not value else None


def read_sentence(reply: str, item: str) -> tuple[str | None, str]:
    """The tagged sentence of a reply, and why there is none where it cannot be used."""
    value = last_value(reply, "sentence")
    sentence = _line(
        value if isinstance(value, str) else reply if OPENING in reply and "\n" not in reply.strip() else ""
    )
    if not sentence:
        return None, "no sentence in the asked form"
    spans = tagged_spans(sentence, across_lines=False)
    if (
        not spans
        or sentence.count(OPENING) != len(spans)
        or sentence.count(CLOSING) != len(spans)
        or not all(spans)
    ):
        return None, "the item is not between one pair of tags"
    if not SENTENCE_WORDS[0] <= len(sentence.split()) <= SENTENCE_WORDS[1]:
        return None, f"not {SENTENCE_WORDS[0]} to {SENTENCE_WORDS[1]} words long"
    if not any(_roots(span) & _roots(item) for span in spans):
        return None, "other words are tagged than the item"
    return sentence, ""


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _roots(text: str) -> set[str]:
    words = ["".join(letter for letter in word if letter.isalnum()) for word in text.casefold().split()]
    return {word[:ROOT] for word in words if word}
