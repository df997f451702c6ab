"""The tool set ``paper``: what BLEnD's authors call for each language, where the user has installed it.

Nothing here is a dependency: some are GPL, one needs Java, some are large. Each tool is built once and gives
the tokens that the authors compare, with what is odd about their use of it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from folkways.errors import FolkwaysError, option
from folkways.text.versions import installed_version

Tokenize = Callable[[str], list[str]]


def _english() -> Tokenize:
    import spacy

    pipeline = spacy.load("en_core_web_sm")
    return lambda text: [token.lemma_ for token in pipeline(text)]


def _korean() -> Tokenize:
    """Two analyses: particles out, then stems."""
    from konlpy.tag import Okt

    okt = Okt()

    def tokens(text: str) -> list[str]:
        words = " ".join(word for word, kind in okt.pos(text) if kind != "Josa")
        stems: list[str] = okt.morphs(words, stem=True)
        return stems

    return tokens


def _hausa() -> Tokenize:
    """Divided by white space alone, so that punctuation stays on words; "kunshi" becomes nothing, which
    matches everything."""
    import hausastemmer

    return lambda text: [hausastemmer.stem(word.strip("-")) for word in text.split()]


def _arabic() -> Tokenize:
    """The letters of the first word's lemma: the authors go through a text as though it were a list."""
    from qalsadi.lemmatizer import Lemmatizer

    lemmatizer = Lemmatizer()
    return lambda text: list(lemmatizer.lemmatize(text))


def _persian() -> Tokenize:
    from hazm import Lemmatizer

    lemmatizer = Lemmatizer()
    return lambda text: [lemmatizer.lemmatize(word) for word in text.split()]


def _indonesian() -> Tokenize:
    from nlp_id.lemmatizer import Lemmatizer

    lemmatizer = Lemmatizer()
    return lambda text: str(lemmatizer.lemmatize(text)).split()


def _assamese() -> Tokenize:
    from indicnlp.tokenize.indic_tokenize import trivial_tokenize

    return lambda text: list(trivial_tokenize(text))


@dataclass(frozen=True)
class CodeSource:
    """Where a tool comes from.

    distribution: its name in the package registry;
    modules: all that must be there;
    install: what to type;
    make: builds it;
    note: what else it needs.
    """

    distribution: str
    modules: tuple[str, ...]
    install: str
    make: Callable[[], Tokenize]
    note: str = ""

    @property
    def installed(self) -> bool:
        """Whether every module can be found; nothing is imported."""
        return all(importlib.util.find_spec(module) is not None for module in self.modules)


SOURCES: Mapping[str, CodeSource] = {
    "en": CodeSource(
        "spacy",
        ("spacy", "en_core_web_sm"),
        "pip install 'spacy==3.7.4' && python -m spacy download en_core_web_sm",
        _english,
    ),
    "ko": CodeSource(
        "konlpy", ("konlpy",), "pip install 'konlpy==0.6.0'", _korean, "It is GPL and needs Java."
    ),
    "ha": CodeSource(
        "hausastemmer", ("hausastemmer",), "pip install 'hausastemmer==1.0'", _hausa, "It is GPL."
    ),
    "ar": CodeSource(
        "qalsadi",
        ("qalsadi",),
        "pip install 'qalsadi==0.5'",
        _arabic,
        "It is GPL; version 0.5.1 gives other lemmas.",
    ),
    "fa": CodeSource(
        "hazm", ("hazm",), "pip install 'hazm==0.10.0'", _persian, "It needs Python 3.11 or earlier."
    ),
    "id": CodeSource(
        "nlp-id",
        ("nlp_id",),
        "pip install 'nlp-id==0.1.15.0' 'numpy==1.26.4' 'scipy==1.12.0'",
        _indonesian,
        "It needs Python 3.11 or earlier.",
    ),
    "as": CodeSource("indic-nlp-library", ("indicnlp",), "pip install 'indic-nlp-library==0.92'", _assamese),
}
"""Language -> tool. Chinese has none here: the authors use jieba, as the default set does (``tools``)."""

UNAVAILABLE = {
    "es": "Spark NLP with the model lemma_es, which no package registry has",
    "am": "Spark NLP with the model lemma_am, which no package registry has",
    "el": "CLTK with a model of Ancient Greek, which no package registry has",
    "az": "the stemmer of github.com/aznlp-disc/stemmer, which is not a package",
    "su": "SUSTEM, which is not a package",
}
"""Language -> the authors' tool, where it cannot be installed."""


@dataclass(frozen=True)
class AuthorsTool:
    """The authors' tool for one language; built when the first text comes."""

    language: str

    @property
    def name(self) -> str:
        """The package's name."""
        return SOURCES[self.language].distribution

    @property
    def version(self) -> str:
        """The installed version."""
        return installed_version(self.name)

    def tokens(self, text: str) -> list[str]:
        """What the authors compare."""
        return _built(self.language)(text)


@cache
def _built(language: str) -> Tokenize:
    source = SOURCES[language]
    try:
        return source.make()
    # a model that is not there, no Java, a version that does not go with Python: each tool has its own
    except Exception as error:
        why = str(error) or type(error).__name__
        raise FolkwaysError(
            f"the text tool {source.distribution!r} for {language!r} is there and cannot be loaded: {why}\n"
            f"install it again with: {source.install}" + (f"\n{source.note}" if source.note else "")
        ) from error


def authors_tool(language: str) -> AuthorsTool:
    """The authors' tool. FolkwaysError with the line that installs it where it is not there, or that says why
    it cannot be."""
    source = SOURCES.get(language)
    if source is None:
        why = f"the authors use {UNAVAILABLE[language]}" if language in UNAVAILABLE else "the paper has none"
        raise FolkwaysError(
            f"there is no text tool of the set 'paper' for {language!r}: {why}\nuse "
            f"{option('text_tools', 'default')} or simple"
        )
    if not source.installed:
        raise FolkwaysError(
            f"the text tool of the set 'paper' for {language!r} needs {source.distribution!r}, which is "
            "not installed\n"
            f"install it with: {source.install}" + (f"\n{source.note}" if source.note else "")
        )
    return AuthorsTool(language)
