"""What the paper says in numbers about its corpus. Figures 3 and 4 are drawings: most counts have no number beside them.

Source: Kabir et al. (2026), arXiv:2601.14063, first version. Only facts are here. The abstract's 4.9k parallel sentences are left
out: section 2.3 has 4,136, which the files bear out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import polars as pl

PAPER_NAMES: Mapping[str, str] = {"Visible Behaviour": "Behavior"}
"""Element of the data -> what Table 8 calls it."""


@cache
def published_counts() -> Mapping[str, int]:
    """Quantity -> the number that the paper gives for it."""
    counts = _published().filter(pl.col("value").is_not_null())
    return dict(counts.select("quantity", "value").iter_rows())


@cache
def published_levels() -> Mapping[str, str]:
    """Element, as the data call it -> the level that Table 8 puts it on; elements that the table lacks are absent."""
    levels = _published().filter(pl.col("quantity") == "level-of-element")
    of_paper: dict[str, str] = dict(levels.select("name", "text").iter_rows())
    ours = {paper: data for data, paper in PAPER_NAMES.items()}
    return {ours.get(element, element): level for element, level in of_paper.items()}


@cache
def _published() -> pl.DataFrame:
    text = files("folkways").joinpath("data", "published", "xcr.csv").read_bytes()
    return pl.read_csv(text, schema_overrides={"value": pl.Int64, "text": pl.String})
