"""Similarity of two strings: by edits, and by the rare trigrams that they share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping


def edit_similarity(one: str, other: str) -> float:
    """Normalised Levenshtein similarity, 0 to 1: one minus the edit distance over the length of the longer
    string.

    Characters are Unicode code points, compared as they are (no lower-casing, no normalisation). Two empty
    strings are equal (1.0).
    """
    from rapidfuzz.distance import Levenshtein  # 5 MB that other benchmarks do without

    return float(Levenshtein.normalized_similarity(one, other))


Vector = Mapping[str, float]


class TrigramSimilarity:
    """Cosine of TF-IDF vectors of character trigrams inside words, from 0 (none in common) to 1.

    Words are case-folded and padded with a blank on either side, so that ``Peru`` has `` pe``, ``per``,
    ``eru`` and ``ru ``. A trigram's weight is its number in the text times ln((1 + N) / (1 + n)) + 1, for n
    of the N ``texts`` that have it.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        counted = [set(_trigrams(text)) for text in texts]
        self._texts = len(counted)
        self._having = Counter(trigram for trigrams in counted for trigram in trigrams)
        self._known: dict[str, Vector] = {}  # the same name is compared with many texts

    def __call__(self, one: str, other: str) -> float:
        """The similarity of two texts; 0 where one has no letters."""
        first, second = self._vector(one), self._vector(other)
        return sum(weight * second.get(trigram, 0.0) for trigram, weight in first.items())

    def _vector(self, text: str) -> Vector:
        if text in self._known:
            return self._known[text]
        counts = Counter(_trigrams(text))
        weights = {
            trigram: n * (math.log((1 + self._texts) / (1 + self._having[trigram])) + 1)
            for trigram, n in counts.items()
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        self._known[text] = {trigram: weight / length for trigram, weight in weights.items()}
        return self._known[text]


def _trigrams(text: str) -> list[str]:
    words = "".join(character if character.isalnum() else " " for character in text.casefold()).split()
    return [
        padded[start : start + 3]
        for padded in (f" {word} " for word in words)
        for start in range(len(padded) - 2)
    ]
