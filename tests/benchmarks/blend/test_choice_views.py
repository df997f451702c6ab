"""Whose options are taken and which letters are preferred, against counts made by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.benchmarks.blend.choices import SEEN, seen, views
from folkways.benchmarks.registry import get_task
from folkways.records import CUT, JUDGEMENTS
from tests.support.blend_data import MCQ_HEADER, release_at, write_csv

TASK = get_task("blend/mcq")
ORIGINS = (
    ("South_Korea", "US", "Spain", "dummy"),
    ("US", "Iran", "South_Korea", "Spain"),
    ("UK", "Iran", "Spain", "US"),
)
GOLD = ("A", "C", "C")
CULTURES = ("South_Korea", "South_Korea", "Spain")


def items(folder: Path) -> pl.DataFrame:
    rows = []
    for number, (origins, gold, country) in enumerate(zip(ORIGINS, GOLD, CULTURES, strict=True)):
        choices = {letter: f"thing {number}{letter}" for letter in "ABCD"}
        listed = "\n".join(f"{letter}. {text}" for letter, text in choices.items())
        countries = dict(zip("ABCD", origins, strict=True))
        texts = (json.dumps(choices), json.dumps(countries), gold)
        rows.append(
            (
                f"Q-{number}_0",
                f"Q-{number}",
                country,
                f"What do people do?\n\n{listed}\n\nSay a letter.",
                *texts,
            )
        )
    write_csv(folder / "mc_questions_file.csv", MCQ_HEADER, rows)
    return TASK.items(release_at(folder))


def judged(folder: Path, *replies: str | None) -> pl.DataFrame:
    known = items(folder)
    responses = known.select("task", "item").with_columns(
        language=pl.lit("en"),
        variant=pl.lit("released"),
        sample=pl.lit(0, pl.Int64),
        state=pl.Series(["failed" if reply is None else "answered" for reply in replies]),
        response=pl.Series(replies, dtype=pl.String),
        reason=pl.lit(None, pl.String),
    )
    return TASK.judge(known, responses, "strict")


def scores_of(frame: pl.DataFrame, metric: str) -> dict[tuple[str, str], dict[str, float]]:
    scores = TASK.summarise(frame).filter(pl.col("metric") == metric)
    return {(row["facet"], row["value"]): row for row in scores.iter_rows(named=True)}


def test_the_question_ends_where_the_options_begin_in_any_wording(tmp_path: Path) -> None:
    assert items(tmp_path)["text"].unique().to_list() == ["What do people do?"]


def test_judgements_tell_whose_option_was_taken(tmp_path: Path) -> None:
    frame = judged(tmp_path, "B", "C", "no idea")
    assert frame.select(SEEN).rows() == [
        ("A", "B", "US", "ES US dummy"),
        ("C", "C", "KR", "ES IR US"),
        ("C", None, None, "GB IR US"),
    ]
    assert frame.columns[: len(JUDGEMENTS)] == list(JUDGEMENTS)


def test_taken_counts_where_it_was_offered(tmp_path: Path) -> None:
    taken = scores_of(judged(tmp_path, "B", "A", None), "taken")
    assert {key: (row["score"], row["n"]) for key, row in taken.items() if key[0] == "option_culture"} == {
        ("option_culture", "US"): (
            pytest.approx(200 / 3),
            3,
        ),  # taken twice of three times; the third time nothing came
        ("option_culture", "ES"): (0.0, 2),
        ("option_culture", "IR"): (0.0, 2),
        ("option_culture", "GB"): (None, 1),  # nothing came where it stood
        ("option_culture", "dummy"): (0.0, 1),
    }
    assert taken["culture+option_culture", "KR+US"]["score"] == 100.0
    assert taken["culture+option_culture", "ES+US"]["failed"] == 1
    assert all(row["at_best"] == row["score"] for row in taken.values() if row["answered"])


def test_letters_are_counted_over_readable_replies(tmp_path: Path) -> None:
    frame = judged(tmp_path, "A", "A", "I would rather not say")
    shares = {name: scores_of(frame, name) for name in ("letter_chosen", "letter_right", "letter_bias")}
    found = {letter: tuple(rows["letter", letter]["score"] for rows in shares.values()) for letter in "AC"}
    assert found == {"A": (100.0, 50.0, 50.0), "C": (0.0, 50.0, -50.0)}
    assert scores_of(frame, "letter_chosen")["letter", "A"]["n"] == 2
    right = scores_of(frame, "accuracy")
    assert (right["gold_letter", "A"]["score"], right["gold_letter", "C"]["score"]) == (100.0, 0.0)


def test_data_that_tell_no_countries_have_no_views_of_cultures() -> None:
    assert seen(["A", "B"], [], "KR", "A", "B") == ("A", "B", None, None)


@settings(max_examples=settings().max_examples * 2 // 5)  # each makes whole tables
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["KR", "US"]),
            st.permutations(["KR", "US", "ES", "dummy"]),
            st.sampled_from("ABCD"),
        ),
        min_size=2,
        max_size=30,
    )
)
def test_what_is_taken_and_what_is_right_make_up_every_reply(rows: list[tuple[str, list[str], str]]) -> None:
    """Over cultures, taken wrong options and right answers add up to the number of items."""
    records = []
    for number, (culture, countries, letter) in enumerate(rows):
        gold = "ABCD"[countries.index(culture)]
        facets = dict(zip(SEEN, seen("ABCD", countries, culture, gold, letter), strict=True))
        records.append(
            {
                "question": f"{culture}/{number}",
                "culture": culture,
                "counted": True,
                "state": "answered",
                **facets,
            }
        )
    frame = pl.DataFrame(records)
    scores = pl.concat(views(frame, "blend/mcq"))
    taken = scores.filter(pl.col("facet") == "option_culture")
    wrong = sum(taken["score"] * taken["n"]) / 100
    right = sum(record["gold_letter"] == record["chosen_letter"] for record in records)
    assert wrong + right == pytest.approx(len(rows))
    by_letter = dict(scores.filter(pl.col("metric") == "letter_chosen").select("value", "score").iter_rows())
    counts = Counter(record["chosen_letter"] for record in records)
    assert {letter: share for letter, share in by_letter.items() if share} == {
        letter: pytest.approx(100 * count / len(rows)) for letter, count in counts.items()
    }
    bias = scores.filter(pl.col("metric") == "letter_bias")["score"].sum()
    assert bias == pytest.approx(0.0, abs=1e-9)


def test_facets_are_columns_of_items_and_of_judgements(tmp_path: Path) -> None:
    assert set(TASK.facets) <= set(items(tmp_path).columns)
    assert set(TASK.facets) <= set(judged(tmp_path, "A", "A", "A").columns)


def test_what_was_cut_and_what_does_not_count_is_told_of_options_too(tmp_path: Path) -> None:
    told = judged(tmp_path, "B", "C", "A").with_columns(
        pl.Series(CUT, [True, False, True]), counted=pl.Series([True, True, False])
    )
    taken = next(views(told, TASK.name)).filter(facet="option_culture").sort("value")
    assert taken.select("value", "n", "score", "cut").rows() == [
        *(("ES", 2, 0.0, 1), ("IR", 1, 0.0, 0)),
        *(("US", 2, 50.0, 1), ("dummy", 1, 0.0, 1)),
    ]
