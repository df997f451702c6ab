"""The forms in which a corpus sentence is shown to a model: without its tags, or with its culture-specific
items masked."""

from __future__ import annotations

import re

MASK = "[MASK]"
_OPENING = re.compile(r"(\s*)<CSI>\s*")
_CLOSING = re.compile(r"\s*</CSI>(\s*)")
_SPAN = re.compile(r"(?s)<CSI>.*?</CSI>")


def without_tags(sentence: str) -> str:
    """The sentence as it reads without tags: the spaces that were put in with them go as well ("the pub,
    again")."""

    def opening(found: re.Match[str]) -> str:
        return " " if found[1] or sentence[found.start() - 1 : found.start()].isalnum() else ""

    def closing(found: re.Match[str]) -> str:
        return " " if found[1] or text[found.end() : found.end() + 1].isalnum() else ""

    text = _OPENING.sub(opening, sentence)
    return _CLOSING.sub(closing, text).strip()


def masked(sentence: str) -> str:
    """The sentence with every tagged item replaced by the mask, inside its tags. A tag that is never closed
    stays as it is."""
    return _SPAN.sub(f"<CSI> {MASK} </CSI>", sentence)
