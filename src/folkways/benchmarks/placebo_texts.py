"""Placebos of a treatment with a text of its own for each item: texts of other items, as long."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from folkways.text.scripts import script_counts

EQUAL = 0.25
"""Share by which the length of a placebo may differ from the treatment's."""

_BEGINNING = 200
"""Characters of a text that tell its script."""


class OtherTexts:
    """The texts of all items, from which each item's placebos are drawn."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_script: dict[str, list[str]] = {}
        for text in sorted(set(texts) - {""}, key=lambda text: (len(text), text)):
            self._by_script.setdefault(_script(text), []).append(text)

    def like(self, text: str, number: int, lot: str) -> list[str]:
        """``number`` texts of other items in the script of ``text`` and as long in characters, give or take
        EQUAL; where there are too few, the beginnings of longer ones. Fewer where these are too few as well.

        lot: decides which; the same on every machine and in every version.
        """
        if not text:
            return [""] * number
        ranked = self._by_script.get(_script(text), [])
        shortest, longest = len(text) * (1 - EQUAL), len(text) * (1 + EQUAL)
        start, end = bisect_left(ranked, shortest, key=len), bisect_right(ranked, longest, key=len)
        equal = _drawn([other for other in ranked[start:end] if other != text], number, lot)
        if len(equal) == number:
            return equal
        longer = [other for other in ranked[end:] if not other.startswith(text)]
        return equal + [_beginning(other, len(text)) for other in _drawn(longer, number - len(equal), lot)]


def _script(text: str) -> str:
    return next(iter(script_counts(text[:_BEGINNING])), "")


def _drawn(texts: Sequence[str], number: int, lot: str) -> list[str]:
    """``number`` different ones, or all if they are fewer."""
    chosen: dict[int, str] = {}
    turn = 0
    while len(chosen) < min(number, len(texts)):
        # A hash of our own, because a library's draw may change from version to version and this must not.
        digest = blake2b(f"{lot}/{turn}".encode(), digest_size=8).digest()
        position = int.from_bytes(digest) % len(texts)
        chosen.setdefault(position, texts[position])
        turn += 1
    return [*chosen.values()]


def _beginning(text: str, length: int) -> str:
    """At most ``length`` characters, up to the end of a word where one ends in the last quarter of them."""
    cut = text[:length]
    whole_words, _, rest = cut.rpartition(" ")
    return whole_words if len(rest) < EQUAL * length and not text[length].isspace() else cut.rstrip()
