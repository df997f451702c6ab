"""Lemmas of English, Spanish, Greek and others, from the tables of simplemma; its lists of base words, for
stemmers that ask."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simplemma import Lemmatizer

MOST_TABLES = 32
"""Tables that stay in memory. simplemma's own lemmatizer keeps eight, fewer than there are languages: where
nine take turns, it would read a table anew for each word."""

MOST_WORDS = 8192
"""Words whose lemmas stay in memory: simplemma keeps eight times as many, which takes 20 MB."""


def lemma_of(word: str, language: str) -> str:
    """The lemma of a word; the word itself where it is in no table. A table is read when the first word is
    looked up."""
    return _lemmatizer().lemmatize(word, language)


@cache
def _lemmatizer() -> Lemmatizer:
    from simplemma import Lemmatizer
    from simplemma.strategies import DefaultStrategy
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    return Lemmatizer(
        cache_max_size=MOST_WORDS,
        lemmatization_strategy=DefaultStrategy(dictionary_factory=DefaultDictionaryFactory(MOST_TABLES)),
    )


@cache
def known_lemmas(language: str) -> frozenset[str]:
    """The words that simplemma gives as lemmas of themselves. Imports simplemma and reads the table."""
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    table = DefaultDictionaryFactory().get_dictionary(language)
    return frozenset(word.lower() for word, lemma in table.items() if word == lemma)
