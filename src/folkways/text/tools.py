"""One registry of text tools: which tool splits a language's text into tokens.

A tool set is a named choice of one tool per language, so that a signature can say which was used. Later tools (lemmatisers, word
segmenters) join a set here and nowhere else; asking for a tool that is not installed is an error, never a weaker tool in silence.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

from folkways.cultures import languages
from folkways.errors import UnknownNameError
from folkways.text.simple import SimpleSegmenter


class TextTool(Protocol):
    """Splits text of one language into tokens.

    name, version: as they stand in signatures; the version changes whenever any token can.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def version(self) -> str: ...  # noqa: D102

    def tokens(self, text: str) -> list[str]:
        """The tokens of ``text`` in order, cased as they stand. Never empty for a text that is not blank."""
        ...


TOOL_SETS = ("default", "simple")
"""``simple`` is the Unicode segmenter for every language; ``default`` is the best set that needs no extra, at present the same."""


@cache
def get_tool(language: str, tool_set: str = "default") -> TextTool:
    """The tool of a set for a language (a code of ``folkways.cultures``). UnknownNameError for an unknown language or set."""
    if tool_set not in TOOL_SETS:
        raise UnknownNameError("set of text tools", tool_set, TOOL_SETS)
    if language not in languages():
        raise UnknownNameError("language", language, languages())
    return SimpleSegmenter()
