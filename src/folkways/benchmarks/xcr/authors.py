"""Output files of the authors' own programs, and their adaptation prompt, prepared for sending.

The prompt was copied from a typeset page: its lines are broken at the page's width, words are hyphenated
at line ends, and one text serves three cultures ("Bengali/Chinese/Arabic", and "Bengali" alone in one
place). It is sent with the lines rejoined and the one culture that is meant; nothing else is changed.
"""

from __future__ import annotations

import json
import re

import polars as pl

from folkways.benchmarks.xcr.release import sentence_ids

SENTENCE = "Sentence"
# Bengali is written in two cultures: the file does not say which
_SCRIPTS = {"ARAB": r"[\u0600-\u06ff]", "CN": r"[\u4e00-\u9fff]"}

_ANY_CULTURE = re.compile(r"\bBengali/Chinese/\s*Arabic\b|\bBengali\b(?!/)")
_HYPHENATED = re.compile(r"(\w+)-\n(\w+)")
_SOFT_BREAK = re.compile(r"(?<=[\w,;()>/])\n(?=[A-Za-z<(])")


def tagged_outputs(table: pl.DataFrame) -> pl.DataFrame | None:
    """``CSI Output`` with one reply per row, for identification and prediction."""
    return _located(table, table["CSI Output"]) if "CSI Output" in table.columns else None


def adaptation_outputs(table: pl.DataFrame) -> pl.DataFrame | None:
    """``Intra``, ``Inter`` and, if there is one, ``Method``: replies that are already taken apart, as JSON
    lists.

    A row with neither version keeps an empty response: it was asked without result. The culture is set if
    the script of ``Inter`` identifies it.
    """
    if not {"Intra", "Inter"} <= set(table.columns):
        return None
    columns = ["Intra", "Inter", *(["Method"] if "Method" in table.columns else [])]
    replies = [_joined(parts) for parts in table.select(columns).iter_rows()]
    located = _located(table, pl.Series(replies))
    inter = table["Inter"].cast(pl.String)
    for culture, script in _SCRIPTS.items():
        if inter.str.contains(script).sum() > inter.count() / 2:
            located = located.with_columns(culture=pl.lit(culture))
    return located.rename({"item": "release_id"}) if "item" in located.columns else located


def _located(table: pl.DataFrame, replies: pl.Series) -> pl.DataFrame:
    """The replies with the item of their sentence, or with their position if the file has no sentences."""
    frame = pl.DataFrame({"response": replies.cast(pl.String)})
    if SENTENCE in table.columns:
        sentences = table[SENTENCE].cast(pl.String).fill_null("").to_list()
        return frame.with_columns(item=pl.Series(sentence_ids(sentences), dtype=pl.String))
    return frame.with_columns(position=pl.int_range(pl.len(), dtype=pl.Int64))


def _joined(parts: tuple[str | None, ...]) -> str:
    return json.dumps([part or "" for part in parts], ensure_ascii=False) if any(parts[:2]) else ""


def for_people(prompt: str, adjective: str) -> str:
    """The prompt with rejoined lines, for the people that ``adjective`` names ("Chinese")."""
    return _ANY_CULTURE.sub(lambda _: adjective, rejoined(prompt))


def rejoined(prompt: str) -> str:
    """The prompt without the page's line breaks. A hyphen at a line end stays if the same word is hyphenated
    elsewhere."""

    def word(found: re.Match[str]) -> str:
        hyphenated = f"{found[1]}-{found[2]}"
        return hyphenated if hyphenated.lower() in prompt.lower() else f"{found[1]}{found[2]}"

    return _SOFT_BREAK.sub(" ", _HYPHENATED.sub(word, prompt))
