"""The authors' procedure of comparing short answers, re-enacted: ``saq_authors.py LANGUAGE IN OUT``.

Objects are built and texts are analysed where their code does it: in every comparison that the substring does
not decide, both texts anew. Only the comparing is done; replies come cleaned. IN has ``questions``, each with
``groups`` and ``reply``; OUT gets the verdict of each and the CPU seconds from the import of the tools to the
last verdict.
"""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from string import punctuation
from typing import Any

Tokenize = Callable[[str], list[str]]


def english_pipeline() -> Any:
    """Loaded once, before anything is compared, as in their code; the lookup table of the reference
    results."""
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    pipeline.initialize()
    return pipeline


def local_tool(language: str) -> Tokenize:
    """What one comparison in a local language builds."""
    if language == "ko":
        from konlpy.tag import Okt

        okt = Okt()
        return lambda text: list(
            okt.morphs(" ".join(word for word, kind in okt.pos(text) if kind != "Josa"), stem=True)
        )
    if language == "zh":
        import jieba

        return lambda text: list(jieba.cut(text))
    if language == "ha":
        import hausastemmer

        return lambda text: [hausastemmer.stem(word.strip("-")) for word in text.split()]
    if language == "ar":
        from qalsadi.lemmatizer import Lemmatizer

        arabic = Lemmatizer()
        return lambda text: list(arabic.lemmatize(text))
    if language == "fa":
        from hazm import Lemmatizer as PersianLemmatizer

        persian = PersianLemmatizer()
        return lambda text: [persian.lemmatize(word) for word in text.split()]
    if language == "id":
        from nlp_id.lemmatizer import Lemmatizer as IndonesianLemmatizer

        indonesian = IndonesianLemmatizer()
        return lambda text: str(indonesian.lemmatize(text)).split()
    raise SystemExit(f"no tool for {language}")


def normal(tokens: list[str]) -> list[str]:
    """Their normal form of tokens."""
    return [
        unicodedata.normalize("NFD", token).translate({0x0301: None}).lower()
        for token in tokens
        if token not in punctuation
    ]


def matches(answer: str, reply: str, language: str, pipeline: Any) -> bool:
    """One comparison."""
    if answer in reply or answer.replace("-", " ") in reply or answer.replace(" ", "-") in reply:
        return True
    if language == "en":
        if pipeline is None:
            return False
        wanted, said = ([token.lemma_ for token in pipeline(text)] for text in (answer, reply))
    else:
        tokenize = local_tool(language)
        wanted, said = tokenize(answer), tokenize(reply)
    found = normal(said)
    return all(token in found for token in normal(wanted))


def verdict(question: dict[str, Any], language: str, pipeline: Any) -> bool:
    """Groups in order; local answers, then English ones."""
    reply = question["reply"]
    for group in question["groups"]:
        local = group["answers"] if language != "en" else []
        if any(matches(answer, reply, language, pipeline) for answer in local):
            return True
        if any(matches(answer, reply, "en", pipeline) for answer in group["en_answers"]):
            return True
    return False


def main() -> None:
    """Compare and measure."""
    language, source, target = sys.argv[1:]
    task = json.loads(Path(source).read_text(encoding="utf-8"))
    began = time.process_time()
    pipeline = english_pipeline() if task["english"] else None
    if language != "en":
        local_tool(language)("x")
    start = time.process_time() - began
    found = [
        verdict(question, language, pipeline) if question["reply"] else False
        for question in task["questions"]
    ]
    result = {"verdicts": found, "start": start, "cpu": time.process_time() - began}
    Path(target).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
