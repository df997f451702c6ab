"""Reading and checking CulturalBench on invented data in the released schema and size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.released_data import open_release
from folkways.cultures import REGIONS
from folkways.errors import DataError, FolkwaysError
from folkways.records import DataIssue
from tests.support.culturalbench_data import (
    Row,
    culturalbench_release,
    culturalbench_rows,
    write_culturalbench,
    write_culturalbench_parquet,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("culturalbench")


@pytest.fixture(scope="module")
def tables(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    release = write_culturalbench(folder)
    return culturalbench.easy(release), culturalbench.hard(release)


def test_sizes_regions_and_modes_are_those_of_the_paper(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    easy, hard = tables
    assert (easy.height, hard.height) == (1227, 4908)
    assert dict(easy["mode"].value_counts().iter_rows()) == {"single": 1141, "multi": 86}
    assert easy["culture"].n_unique() == 45
    counts = dict(easy["region"].value_counts().iter_rows())
    assert [counts[region] for region in REGIONS] == [27, 150, 115, 76, 96, 134, 127, 106, 159, 211, 26]
    assert set(hard["answer"]) == {"True", "False"}
    assert dict(hard["mode"].value_counts().iter_rows()) == {"single": 4564, "multi": 344}


def test_the_option_none_stays_a_word(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    for table in tables:
        nobody_said = ("topic", "part", *(name for name in table.columns if name.startswith("local_")))
        assert sum(table.drop(nobody_said).null_count().row(0)) == 0
        assert table.select(nobody_said).null_count().row(0) == (table.height,) * len(nobody_said)
    assert tables[0].filter(pl.col("options").list.contains("None"))["country"].to_list() == ["Spain"]
    assert tables[1].filter(pl.col("option") == "None")["country"].to_list() == ["Spain"]


def test_parquet_reads_like_csv(tmp_path: Path, tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    release = write_culturalbench_parquet(tmp_path)
    assert culturalbench.looks_like(tmp_path)
    assert culturalbench.easy(release).equals(tables[0])
    assert culturalbench.hard(release).equals(tables[1])
    assert {odd.kind for odd in culturalbench.check(release)} == {"option-none"}


def test_only_the_option_none_is_odd_about_sound_data(
    folder: Path, tables: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    found = culturalbench.check(culturalbench_release(folder))
    assert [(odd.file, odd.kind, odd.key, odd.value) for odd in found] == [
        ("CulturalBench-Easy.csv", "option-none", "prompt_option_d", "None"),
        ("CulturalBench-Hard.csv", "option-none", "prompt_option", "None"),
    ]
    easy = tables[0]
    assert easy.filter(pl.col("row") == found[0].row)["country"].item() == "Spain"


def spoilt(root: Path) -> tuple[list[Row], list[Row], list[DataIssue]]:
    easy, hard = (rows[:count] for rows, count in zip(culturalbench_rows(), (12, 48), strict=True))
    easy[0] |= {"answer": "E"}
    easy[1] |= {"country": "Atlantis"}
    easy[2] |= {"prompt_option_b": easy[2]["prompt_option_a"].upper()}
    easy[4] |= {"prompt_question": "  "}
    easy.append(easy[5] | {"data_idx": "900"})
    easy.append(easy[6] | {"data_idx": "901", "question_idx": "777"})
    del hard[4 * 7]
    hard[4 * 8 - 1] |= {"answer": "Perhaps"}
    hard[4 * 9 - 1] |= {"answer": "True", "country": "Italy"}
    hard = [row for row in hard if row["question_idx"] != "10"]
    hard += [hard[0] | {"question_idx": "555"}]
    write_culturalbench(root, easy, hard)
    return easy, hard, culturalbench.check(culturalbench_release(root))


@pytest.mark.parametrize(
    ("kind", "row", "value"),
    [
        ("answer-outside", 1, "E"),
        ("unknown-country", 2, "Atlantis"),
        ("duplicate-option", 3, None),
        ("empty-cell", 5, None),
        ("duplicate-id", 13, "5"),
        ("duplicate-question", 13, None),
        ("duplicate-question", 14, None),
        ("only-in-easy", 14, "777"),
        ("only-in-easy", 11, "10"),
        ("not-four-judgements", 29, None),
        ("answer-outside", 32, "Perhaps"),
        ("country-differs", 36, None),
        ("only-in-hard", 44, "555"),
    ],
)
def test_each_hazard_is_found_with_its_row(kind: str, row: int, value: str | None, tmp_path: Path) -> None:
    _, _, found = spoilt(tmp_path)
    assert not [odd for odd in found if odd.kind == "only-in-easy" and odd.row not in (11, 14)]
    matching = [odd for odd in found if odd.kind == kind and odd.row == row]
    assert matching, Counter((odd.kind, odd.row) for odd in found)
    assert value is None or value in {odd.value for odd in matching}


def test_gold_that_does_not_fit_is_found(tmp_path: Path) -> None:
    easy, hard = (rows[:count] for rows, count in zip(culturalbench_rows(), (4, 16), strict=True))
    hard[0] |= {"answer": "False"}
    hard[4], hard[5] = hard[4] | {"answer": "True"}, hard[5] | {"answer": "False"}
    hard[12:16] = [row | {"answer": "False"} for row in hard[12:16]]
    found = culturalbench.check(write_culturalbench(tmp_path, easy, hard))
    assert [(odd.kind, odd.row, odd.key) for odd in found] == [
        ("gold-count", 1, "0"),
        ("gold-differs", 5, "1"),
        ("gold-count", 13, "3"),
    ]


def test_one_right_option_of_several_is_odd_and_spaces_around_one_are_not(tmp_path: Path) -> None:
    easy, hard = culturalbench_rows()
    multi = next(
        row for row in easy if culturalbench.is_multi_mode([row[f"prompt_option_{x}"] for x in "abcd"])
    )
    single = easy[0]
    rows = [
        dict(row) for one in (single, multi) for row in hard if row["question_idx"] == one["question_idx"]
    ]
    for number, row in enumerate(rows[4:]):
        row["answer"] = str(number == 2)
    for row in rows[:4]:
        row["prompt_option"] += " "
    found = culturalbench.check(write_culturalbench(tmp_path, [single, multi], rows))
    assert [(odd.kind, odd.row, odd.message) for odd in found if odd.kind.startswith("gold")] == [
        ("gold-count", 5, "1 of 4 judgements are True in a multi-mode question")
    ]


def test_a_question_without_a_topic_yet_may_get_one_further_below(tmp_path: Path) -> None:
    easy, hard = culturalbench_rows()
    write_culturalbench(tmp_path, easy[:2], hard[:8])
    ids = [row["question_idx"] for row in easy[:2]]
    (tmp_path / "topics.csv").write_text(
        f"question_idx,topic,head\n{ids[0]},,\n{ids[0]}, Tea ,x\n{ids[1]}, ,\n"
    )
    assert culturalbench.easy(open_release(str(tmp_path), "culturalbench"))["topic"].to_list() == [
        "Tea",
        None,
    ]


def test_unusable_files_are_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="folkways data fetch"):
        culturalbench.easy(culturalbench_release(tmp_path))
    assert [odd.kind for odd in culturalbench.check(culturalbench_release(tmp_path))] == [
        "missing-file",
        "missing-file",
    ]
    (tmp_path / "CulturalBench-Easy.csv").write_text("data_idx,question\n1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column 'question_idx'"):
        culturalbench.easy(culturalbench_release(tmp_path))
    assert not culturalbench.looks_like(tmp_path)
    (tmp_path / "CulturalBench-Easy.csv").unlink()
    (tmp_path / "CulturalBench-Hard.parquet").write_text("no parquet", encoding="utf-8")
    with pytest.raises(DataError, match="not readable as Parquet"):
        culturalbench.hard(culturalbench_release(tmp_path))


@pytest.mark.parametrize(
    ("options", "multi"),
    [
        (["(i)", "(i), (ii)", "(ii), (iii), (iv)", "(i), (ii), (iv)"], True),
        (["i)", "i) and iv)", "(II) & (III)", "iv"], True),
        (["(i), (ii)", "(iii)", "(iv)", "All of the above"], True),
        (["(i), (ii)", "All", "None", "Both"], False),
        (["(i)", "(ii)", "All of the above", "None of these"], False),
        (["(i), (ii)", "(iii)", "(iv)", "Tea"], False),
        (["(i) bread", "(ii) tea", "(iii) salt", "(iv) milk"], False),
        (["Tissue", "Bag", "Umbrella", "None"], False),
    ],
)
def test_mode_is_told_by_the_options(options: list[str], multi: bool) -> None:
    assert culturalbench.is_multi_mode(options) is multi
