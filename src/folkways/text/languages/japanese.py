"""Japanese: words as MeCab cuts them with the dictionary UniDic (its small version), each as its lemma."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from folkways.text.versions import installed_version


@cache
def _tagger() -> Any:
    from fugashi import Tagger

    return Tagger()


@dataclass(frozen=True)
class MeCab:
    """Lemmas of Japanese text; a word that is not in the dictionary stays as it is. Punctuation
    divides and is dropped."""

    name: str = "mecab-unidic-lite"

    @property
    def version(self) -> str:
        """The installed versions, of the analyser and of the dictionary."""
        return "+".join(installed_version(name) for name in ("fugashi", "unidic-lite"))

    def tokens(self, text: str) -> list[str]:
        """The lemmas of ``text`` in order."""
        return [_lemma(word) for word in _tagger()(text) if word.feature.pos1 != "補助記号"] or text.split()


def _lemma(word: Any) -> str:
    """UniDic writes the origin of a loan word after its lemma (テーブル-table)."""
    lemma: str | None = word.feature.lemma
    return lemma.partition("-")[0] or str(word) if lemma else str(word)
