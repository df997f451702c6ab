"""Files of people's labels: matched to the replies they are about, or refused with the row."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.errors import DataError, FolkwaysError
from folkways.runs.judging.replies import read_labels

REPLIES = pl.DataFrame(
    [
        ("blend/saq", "KR/Q-1", "ko", "inst-4", 0, "a/b"),
        ("blend/saq", "KR/Q-1", "en", "inst-4", 0, "a/b"),
        ("blend/saq", "KR/Q-2", "ko", "inst-4", 0, "a/b"),
        ("blend/saq", "KR/Q-2", "ko", "inst-4", 1, "a/b"),
        ("blend/saq", "US/Q-1", "en", "inst-4", 0, "a/b"),
    ],
    schema={
        "task": pl.String,
        "item": pl.String,
        "language": pl.String,
        "variant": pl.String,
        "sample": pl.Int64,
        "endpoint": pl.String,
    },
    orient="row",
)


def labels(folder: Path, text: str) -> list[float | None]:
    path = folder / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return read_labels(path, REPLIES).to_list()


def test_an_item_with_one_reply_needs_no_more_than_its_id(tmp_path: Path) -> None:
    assert labels(tmp_path, "item,label\nUS/Q-1,1\n") == [None, None, None, None, 1.0]


def test_columns_tell_replies_apart(tmp_path: Path) -> None:
    text = "item,language,sample,model,label\nKR/Q-1,en,0,a/b,0.5\nKR/Q-2,ko,1,a/b,0\nKR/Q-1,ko,0,a/b, 1.0 \n"
    assert labels(tmp_path, text) == [1.0, 0.5, None, 0.0, None]


def test_several_people_are_averaged(tmp_path: Path) -> None:
    assert labels(tmp_path, "item,label\nUS/Q-1,1\nUS/Q-1,1\nUS/Q-1,0\nUS/Q-1,0.5\n")[-1] == pytest.approx(
        0.625
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,label\nUS/Q-1,1\nUS/Q-1,yes\n", "row 2: label 'yes' is not one of 1, 0.5, 0"),
        ("item,label\nUS/Q-1,\n", "row 1: label '' is not one of"),
        ("item,label\nUS/Q-1,0.7\n", "row 1: label '0.7' is not one of"),
        ("item,label\nUS/Q-1,nan\n", "row 1: label 'nan' is not one of"),
        ("item,label\nUS/Q-1,1\nUS/Q-9,1\n", "row 2: the run has no counted reply with item 'US/Q-9'"),
        (
            "item,language,label\nUS/Q-1,ko,1\n",
            "row 1: the run has no counted reply with item 'US/Q-1', language 'ko'",
        ),
        (
            "item,label\nUS/Q-1,1\nKR/Q-1,1\n",
            "row 2: 2 replies of the run fit this label; say which with a column task or language",
        ),
        ("item\nUS/Q-1\n", "lacks the column 'label'; it has: item"),
        ("label\n1\n", "lacks the column 'item'"),
    ],
)
def test_labels_that_do_not_fit_are_refused_with_their_row(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        labels(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="does not exist"):
        read_labels(tmp_path / "labels.csv", REPLIES)
