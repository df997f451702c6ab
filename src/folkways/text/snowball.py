"""Indonesian and Persian: the Snowball stemmers.

For Indonesian there is PySastrawi, nearer to the authors' tool (100 % of their verdicts, Snowball 99), but its word list may not be
used commercially.
"""

from __future__ import annotations

from collections.abc import Callable


def make_base(algorithm: str) -> Callable[[str], str]:
    """Word -> stem, by Snowball's name of the algorithm. Imports snowballstemmer."""
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer(algorithm).stemWord
    return stem
