"""Edit similarity: how much of a string would have to be rewritten to get another."""

from __future__ import annotations


def edit_similarity(one: str, other: str) -> float:
    """Normalised Levenshtein similarity, 0 to 1: one minus the edit distance over the length of the longer
    string.

    Characters are Unicode code points, compared as they are (no lower-casing, no normalisation). Two empty
    strings are equal (1.0).
    """
    from rapidfuzz.distance import Levenshtein  # 5 MB that other benchmarks do without

    return float(Levenshtein.normalized_similarity(one, other))
