"""English, Spanish, Greek: lemmas looked up in the tables of simplemma."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial


def make_base(language: str) -> Callable[[str], str]:
    """Word -> lemma; a word that is in no table stays. Imports simplemma; a table is read when the first word is looked up."""
    from simplemma import lemmatize

    return partial(lemmatize, lang=language)
