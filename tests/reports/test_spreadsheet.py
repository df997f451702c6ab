"""What a spreadsheet may open: no formula of a model's, every number as it was."""

from __future__ import annotations

import polars as pl

from folkways.reports.spreadsheet import for_csv


def test_only_formulas_in_columns_of_models_are_defused() -> None:
    frame = pl.DataFrame({"answer": ["=1+1", "@x", "-5", "rice", None], "item": ["=a"] * 5, "tags": [[1, 2]] * 5})
    found = for_csv(frame)
    assert found["answer"].to_list() == ["'=1+1", "'@x", "-5", "rice", None]
    assert found["item"].to_list() == ["=a"] * 5
    assert found["tags"][0] == "[1, 2]"
