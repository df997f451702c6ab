"""The option that a reply to a multiple-choice question settles on, by its letter or by its text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from folkways.metrics.labels import first_label
from folkways.text.languages.simple import SimpleSegmenter


def chosen_label(reply: str, choices: Mapping[str, str]) -> str | None:
    """The label of the option that the reply settles on, or None.

    An option's text with nothing else, as it stands or in any punctuation; a letter (``first_label``); a sentence that names
    exactly one option. A letter with the text of another option and nothing else ("A. rice" where B is rice) settles on neither.
    choices: label -> text, which may be empty where the options are not known.
    """
    plain, said = _plain(reply), _words(reply)
    texts = {label: _words(option) for label, option in choices.items()} if len(said) > 1 else {}
    for same in (
        [label for label, option in choices.items() if _plain(option) == plain],
        [label for label, text in texts.items() if text == said],
    ):
        if len(same) == 1:
            return same[0]
    if (lettered := _LETTERED.fullmatch(reply.strip())) and (letter := lettered[1].upper()) in texts:
        beside = _words(lettered[2])
        if beside and beside != texts[letter] and beside in texts.values():
            return None
    if label := first_label(reply, list(choices)):
        return label
    if len({letter.upper() for letter in _LISTED.findall(reply)} & choices.keys()) > 1:
        return None  # the options again, of which only one may be word for word as it was shown
    named = [label for label, text in texts.items() if text and f" {text} " in f" {said} "]
    return named[0] if len(named) == 1 else None


_SEGMENTER = SimpleSegmenter()
_LISTED = re.compile(r"(?<!\w)([A-Za-z])\s*[).:]")
_LETTERED = re.compile(r"[\W_]*([A-Za-z])\s*[^\w\s][\W_]*(.+)")


def _plain(text: str) -> str:
    return text.strip().strip(".\"'`*[]()").casefold()


def _words(text: str) -> str:
    """The words with a space between them: “Tea?” and tea are one option's text."""
    return " ".join(_SEGMENTER.tokens(unicodedata.normalize("NFKC", text).casefold()))
