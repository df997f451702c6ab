"""Tamil: the stemmer of the Snowball project, as its package has it. (Its Basque one parts laguna and
lagunak.)"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


@cache
def stemmer_of(name: str) -> Callable[[str], str]:
    """Word -> stem, by the algorithm of that name. Imports snowballstemmer."""
    from snowballstemmer import stemmer

    stem: Callable[[str], str] = stemmer(name).stemWord
    return stem
