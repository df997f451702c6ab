"""Lemmas of English, Spanish, Greek and others, from the tables of simplemma; its lists of base words, for
stemmers that ask."""

from __future__ import annotations

from functools import cache


def lemma_of(word: str, language: str) -> str:
    """The lemma of a word; the word itself where it is in no table. A table is read when the first word is
    looked up."""
    from simplemma import lemmatize

    return lemmatize(word, lang=language)


@cache
def known_lemmas(language: str) -> frozenset[str]:
    """The words that simplemma gives as lemmas of themselves. Imports simplemma and reads the table."""
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    table = DefaultDictionaryFactory().get_dictionary(language)
    return frozenset(word.lower() for word, lemma in table.items() if word == lemma)
