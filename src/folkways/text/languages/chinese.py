"""Chinese: words as jieba cuts them. The authors use it too."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

from folkways.text.versions import installed_version


@cache
def _tokenizer() -> Any:
    """jieba's tokenizer with its own word list, read anew: its cache lies where anyone can write."""
    with warnings.catch_warnings():
        # its regular expressions are not raw strings (3.12 on)
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)  # the same in 3.11
        import jieba

    logging.getLogger("jieba").setLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


@dataclass(frozen=True)
class Jieba:
    """Words of Chinese text; white space and punctuation are tokens too, as the authors have them."""

    name: str = "jieba"

    @property
    def version(self) -> str:
        """The installed version."""
        return installed_version("jieba")

    def tokens(self, text: str) -> list[str]:
        """The words of ``text`` in order, with what is between them."""
        words: list[str] = _tokenizer().lcut(text)
        return words
