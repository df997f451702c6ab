"""What a spreadsheet may open: no text that it would run, every number as it was, and every text back as it
was."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.cli.out import write_frame
from folkways.spreadsheet import csv_bytes, for_csv, from_csv, guard
from folkways.text_tables import read_replies

HOSTILE = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-x", "=cmd|' /C calc'!A0"]
HARMLESS = ["rice", "-5", "+2.50", "-1e-3", ".5", "", "a=b", "'quoted'", "5%"]
texts = st.text(
    st.sampled_from("=+-@'\t\r\n a1.,é\u0660") | st.characters(exclude_categories=["Cs"]), max_size=8
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_begins_like_a_formula_is_text(text: str) -> None:
    assert guard(text) == f"'{text}"
    assert for_csv(pl.DataFrame({"why": [text]}))["why"].item() == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_words_stay_as_they_are(text: str) -> None:
    assert guard(text) == text
    assert for_csv(pl.DataFrame({"why": [text]}))["why"].item() == text


def test_columns_are_guarded_by_their_type_and_not_by_their_name() -> None:
    frame = pl.DataFrame(
        {"why": ["=1+1", None], "item": ["=a", "b"], "score": [-1.5, 2.0], "tags": [[1, 2], ["3"]]},
        strict=False,
    )
    found = for_csv(frame)
    assert found["why"].to_list() == ["'=1+1", None]
    assert found["item"].to_list() == ["'=a", "b"]
    assert found["score"].to_list() == [-1.5, 2.0]
    assert found["tags"][0].startswith("[")


@given(st.lists(texts, min_size=1, max_size=5))
def test_texts_come_back_as_they_were(found: list[str]) -> None:
    frame = pl.DataFrame({"text": found})
    guarded = for_csv(frame)
    assert guarded["text"].to_list() == [guard(text) for text in found]
    assert from_csv(guarded).equals(frame)
    rows = list(
        csv.reader(io.StringIO(csv_bytes(["text", "n"], [(text, -1) for text in found]).decode(), newline=""))
    )
    assert from_csv(pl.DataFrame({"text": [cell for cell, _ in rows[1:]]})).equals(frame)
    assert {number for _, number in rows[1:]} == {"-1"}


def test_a_file_of_verdicts_runs_nothing_and_is_read_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"verdict": ["yes"] * len(HOSTILE), "why": HOSTILE, "share": [-0.5] * len(HOSTILE)})
    file = tmp_path / "verdicts.csv"
    write_frame(frame, file)
    with file.open(encoding="utf-8", newline="") as stream:
        cells = [row["why"] for row in csv.DictReader(stream)]
    assert not [cell for cell in cells if cell[0] in "=+-@\t\r"]
    assert read_replies(file)["why"].to_list() == HOSTILE
    assert read_replies(file)["share"].to_list() == ["-0.5"] * len(HOSTILE)
