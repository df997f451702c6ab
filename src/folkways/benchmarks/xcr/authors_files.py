"""Recognises the output files that XCR-Bench's own programs read and write."""

from __future__ import annotations

import json

import polars as pl

from folkways.benchmarks.xcr.data.reading import sentence_ids

SENTENCE = "Sentence"
_SCRIPTS = {"ARAB": r"[\u0600-\u06ff]", "CN": r"[\u4e00-\u9fff]"}  # Bengali stands for two cultures: the file does not say which


def tagged_outputs(table: pl.DataFrame) -> pl.DataFrame | None:
    """``CSI Output`` with one reply per row, for identification and prediction."""
    return _located(table, table["CSI Output"]) if "CSI Output" in table.columns else None


def adaptation_outputs(table: pl.DataFrame) -> pl.DataFrame | None:
    """``Intra`` and ``Inter``, with ``Method`` where it is there: replies already taken apart, put together as JSON lists.

    A row with neither version keeps an empty response: it was asked, and nothing came of it. The culture is told where the script
    of ``Inter`` tells it.
    """
    if not {"Intra", "Inter"} <= set(table.columns):
        return None
    columns = ["Intra", "Inter", *(["Method"] if "Method" in table.columns else [])]
    replies = [_joined(parts) for parts in table.select(columns).iter_rows()]
    found = _located(table, pl.Series(replies, dtype=pl.String))
    inter = table["Inter"].cast(pl.String)
    for culture, script in _SCRIPTS.items():
        if inter.str.contains(script).mean() > 0.5:  # type: ignore[operator]
            found = found.with_columns(culture=pl.lit(culture))
    return found.rename({"item": "release_id"}) if "item" in found.columns else found


def _located(table: pl.DataFrame, replies: pl.Series) -> pl.DataFrame:
    """The replies with the item that the sentence names, or with their position where the file has no sentences."""
    found = pl.DataFrame({"response": replies.cast(pl.String)})
    if SENTENCE in table.columns:
        sentences = table[SENTENCE].cast(pl.String).fill_null("").to_list()
        return found.with_columns(item=pl.Series(sentence_ids(sentences), dtype=pl.String))
    return found.with_columns(position=pl.int_range(pl.len(), dtype=pl.Int64))


def _joined(parts: tuple[str | None, ...]) -> str:
    return json.dumps([part or "" for part in parts], ensure_ascii=False) if any(parts[:2]) else ""
