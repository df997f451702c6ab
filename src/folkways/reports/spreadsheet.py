"""Frames as CSV can hold them, and as a spreadsheet may open them."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

MODEL_WRITTEN = ("response", "answer", "reason")
"""Columns that carry a model's words; a spreadsheet must not run them as formulas."""


def for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists as JSON, and an apostrophe before whatever of a model's words a spreadsheet takes for a formula."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    columns = [pl.col(name).map_elements(_as_json, return_dtype=pl.String).alias(name) for name in nested]
    columns += [_defused(name) for name in MODEL_WRITTEN if frame.schema.get(name) == pl.String]
    return frame.with_columns(columns)


def _as_json(value: Any) -> str:
    plain = value.to_list() if isinstance(value, pl.Series) else value
    return json.dumps(plain, ensure_ascii=False, default=str)


def _defused(name: str) -> pl.Expr:
    text = pl.col(name)
    formula = text.str.contains(r"^[=+\-@\t\r]") & text.str.strip_chars().cast(pl.Float64, strict=False).is_null()
    return pl.when(formula).then(pl.concat_str(pl.lit("'"), text)).otherwise(text).alias(name)
