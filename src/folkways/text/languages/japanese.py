"""Japanese: words as MeCab cuts them with the dictionary UniDic (its small version), each as its lemma."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from folkways.errors import MissingExtraError, option
from folkways.text.versions import installed_version


@cache
def _tagger() -> Any:
    from fugashi import Tagger

    return Tagger()


@dataclass(frozen=True)
class MeCab:
    """Lemmas of Japanese text; a word that the dictionary does not have stands for itself. Punctuation
    divides and is dropped."""

    name: str = "mecab-unidic-lite"
    modules: ClassVar[tuple[str, ...]] = ("fugashi", "unidic_lite")

    @classmethod
    def missing(cls) -> str | None:
        """A package that is not there; None where both are. Nothing is imported."""
        return next((module for module in cls.modules if importlib.util.find_spec(module) is None), None)

    @classmethod
    def checked(cls) -> MeCab:
        """The tool; MissingExtraError with the install line where it is not installed."""
        missing = cls.missing()
        if missing is not None:
            raise MissingExtraError(
                f"comparing answers in Japanese (or leave base forms out: {option('text_tools', 'simple')})",
                "japanese",
                missing,
            )
        return cls()

    @property
    def version(self) -> str:
        """The installed versions, of the analyser and of the dictionary."""
        return "+".join(installed_version(name) for name in ("fugashi", "unidic-lite"))

    def tokens(self, text: str) -> list[str]:
        """The lemmas of ``text`` in order."""
        return [_lemma(word) for word in _tagger()(text) if word.feature.pos1 != "補助記号"] or text.split()


def _lemma(word: Any) -> str:
    """UniDic writes the origin of a loan word behind its lemma (テーブル-table)."""
    lemma: str | None = word.feature.lemma
    return lemma.partition("-")[0] or str(word) if lemma else str(word)
