"""Reads texts as JSON, writes their tokens by an authors' tool: ``tokens.py LANGUAGE``, with folkways' sources on the path.

``en`` is spaCy's lookup table, as in the reference results. ``ar-words`` gives the lemma of every word, which the authors meant.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

Tokenize = Callable[[str], list[str]]


def english() -> Tokenize:
    """Lemmas of spaCy's lookup table."""
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    pipeline.initialize()
    return lambda text: [token.lemma_ for token in pipeline(text)]


def arabic_words() -> Tokenize:
    """The lemma of every word."""
    from qalsadi.lemmatizer import Lemmatizer

    lemmatizer = Lemmatizer()
    return lambda text: list(lemmatizer.lemmatize_text(text)) if text.strip() else []


def tool(language: str) -> Tokenize:
    """The tool of that name."""
    if language == "en":
        return english()
    if language == "ar-words":
        return arabic_words()
    from folkways.text.authors import authors_tool

    return authors_tool(language).tokens


if __name__ == "__main__":
    tokenize = tool(sys.argv[1])
    texts = json.load(sys.stdin)
    answer = {text: tokenize(text) for text in texts}
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")  # standard output belongs to what the tools print
