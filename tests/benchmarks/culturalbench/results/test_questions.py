"""Counts and words of a release, by other means."""

from __future__ import annotations

import statistics
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.results.data_tables import (
    example_table,
    questions_table,
    topic_country_table,
    words_table,
)
from folkways.cultures import get_culture
from folkways.errors import DataError
from tests.support.culturalbench_data import COUNTRIES, culturalbench_rows, write_culturalbench


@pytest.fixture(scope="module")
def easy(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return culturalbench.easy(write_culturalbench(tmp_path_factory.mktemp("culturalbench")))


def of(rows: pl.DataFrame, by: str) -> dict[str, int]:
    return dict(rows.filter(by=by).select("value", "questions").iter_rows())


def test_questions_are_those_of_the_paper_by_region_country_and_mode(easy: pl.DataFrame) -> None:
    rows = questions_table(easy).rows
    assert of(rows, "all") == {"all": 1227}
    assert list(of(rows, "region").items()) == [
        ("North America", 27),
        ("South America", 150),
        ("East Europe", 115),
        ("South Europe", 76),
        ("West Europe", 96),
        ("Africa", 134),
        ("Middle East/West Asia", 127),
        ("South Asia", 106),
        ("Southeast Asia", 159),
        ("East Asia", 211),
        ("Oceania", 26),
    ]
    assert of(rows, "country") == {get_culture(name).name: number for name, number in COUNTRIES.items()}
    assert of(rows, "mode") == {"single": 1141, "multi": 86}
    assert of(rows, "topic") == {}
    shares = rows.group_by("by").agg(pl.col("percent").sum())
    assert shares["percent"].to_list() == pytest.approx([100.0] * shares.height)


def test_questions_by_topic_and_head(easy: pl.DataFrame) -> None:
    topics = pl.DataFrame(
        {"question_idx": ["0", "1", "2"], "topic": ["Tea", "Tea", "Rest"], "head": ["Life", "Life", None]}
    )
    rows = questions_table(easy, topics).rows
    assert [*of(rows, "topic").items()] == [("(unknown)", 1224), ("Tea", 2), ("Rest", 1)]
    twice = pl.concat([topics, topics.with_columns(topic=pl.lit("Later"))])
    assert questions_table(easy, twice).rows.equals(rows), "the first topic of a question counts"
    assert of(rows, "head") == {"Life": 2, "(unknown)": 1225}
    with pytest.raises(DataError, match="topics lack the column head"):
        questions_table(easy, topics.drop("head"))


def test_topics_by_country_are_shares_of_its_questions(easy: pl.DataFrame) -> None:
    topics = easy.select("question_idx", head=pl.lit("Life"), topic=pl.lit("Food"))
    peru = easy.filter(culture="PE").height
    other = easy.filter(culture="PE").head(2)["question_idx"].implode()
    topics = topics.with_columns(
        topic=pl.when(pl.col("question_idx").is_in(other)).then(pl.lit("Dance")).otherwise("topic")
    )
    table = topic_country_table(easy, topics)
    cells = {(row["culture"], row["topic"]): row for row in table.rows.iter_rows(named=True)}
    assert cells["PE", "Dance"]["of_topic"] == 2 and cells["PE", "Dance"]["questions"] == peru
    assert cells["PE", "Dance"]["share"] == pytest.approx(200 / peru)
    assert cells["JP", "Dance"]["share"] == 0 and cells["JP", "Food"]["share"] == 100
    assert table.rows["topic"].unique(maintain_order=True).to_list() == ["Food", "Dance"], (
        "most frequent first"
    )


def test_each_topic_has_its_first_question_as_an_example(easy: pl.DataFrame) -> None:
    """Questions that nobody has sorted are a topic of their own."""
    rare, late = easy["question_idx"][5], easy["question_idx"][-1]
    named = dict.fromkeys(easy["question_idx"][:20], "Food") | {rare: "Dance", late: "Dance"}
    topics = pl.DataFrame({"question_idx": [*named], "topic": [*named.values()], "head": "Life"})
    topics = pl.concat([topics, topics.head(3).with_columns(topic=pl.lit("Later"))])
    rows = example_table(easy, topics).rows
    unsorted = easy.n_unique("question_idx") - 21
    assert rows.select("topic", "questions").rows() == [("(unknown)", unsorted), ("Food", 19), ("Dance", 2)]
    assert rows["question"].to_list() == [easy["question"][index] for index in (20, 0, 5)]
    (dance,) = rows.filter(topic="Dance").iter_rows(named=True)
    source = easy.row(5, named=True)
    assert dance["options"] == "; ".join(
        f"{letter}. {option}" for letter, option in zip("ABCD", source["options"], strict=True)
    )
    assert (dance["country"], dance["answer"]) == (source["country"], source["answer"])


def test_words_are_those_of_python(easy: pl.DataFrame) -> None:
    rows = words_table(easy).rows
    released = culturalbench_rows()[0]
    columns = ("prompt_question", *(f"prompt_option_{letter}" for letter in "abcd"))
    for row, column in zip(rows.iter_rows(named=True), columns, strict=True):
        words = [len(entry[column].split()) for entry in released]
        assert row["texts"] == len(words)
        assert row["mean"] == pytest.approx(statistics.mean(words))
        assert row["sd"] == pytest.approx(statistics.stdev(words))


def test_a_single_question_has_no_deviation(tmp_path: Path) -> None:
    easy, hard = culturalbench_rows()
    table = culturalbench.easy(write_culturalbench(tmp_path, easy[:1], hard[:4]))
    assert words_table(table).rows["sd"].to_list() == [None] * 5
