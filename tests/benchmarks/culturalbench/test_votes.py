"""Questions with votes as text: what is read, and what is said of rows that cannot be."""

from __future__ import annotations

import orjson
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench.votes import ABSTENTIONS, ITEMS, LETTERS, VOTES, Meta, Votes, to_files
from folkways.benchmarks.culturalbench.votes_files import TextTable, parse_chosen, read_collection
from folkways.errors import DataError
from tests.support.votes_data import collections, votes_of

ITEM = {
    "item": "q1",
    "question": "What?",
    "option_a": "a",
    "option_b": "b",
    "option_c": "c",
    "option_d": "d",
    "country": "Spain",
}
VOTE = {"item": "q1", "annotator": "p1", "chosen": "A"}


def read(items: list[dict[str, str | None]], votes: list[dict[str, str | None]]) -> Votes:
    files = [
        [TextTable(f"{name}.csv", pl.DataFrame(rows))] if rows else []
        for name, rows in (("items", items), ("votes", votes))
    ]
    return read_collection(*files, Meta())


@given(
    st.one_of(
        st.lists(st.sampled_from(LETTERS), min_size=1, max_size=4, unique=True),
        st.sampled_from(ABSTENTIONS).map(lambda x: [x]),
    )
)
def test_choices_are_read_in_every_way_of_writing_them(chosen: list[str]) -> None:
    expected = sorted(chosen)
    for separator in (" ", ",", ", ", ";", "|"):
        assert parse_chosen(separator.join(chosen)) == expected
        assert parse_chosen(separator.join(chosen).lower()) == expected
    assert parse_chosen(orjson.dumps(chosen).decode()) == expected


@pytest.mark.parametrize(
    "text", ["", "E", "A A", "A dont_know", "dont_know cannot_answer", "I don't know", "AB", "[]", "1"]
)
def test_what_is_no_choice(text: str) -> None:
    assert parse_chosen(text) is None


@pytest.mark.parametrize(
    ("item", "vote", "message"),
    [
        ({}, {"chosen": "E"}, "votes.csv, row 1: .*'E'; valid: letters from A to D"),
        ({}, {"chosen": " "}, "votes.csv, row 1: .*chosen is empty"),
        ({}, {"annotator": None}, "votes.csv, row 1: .*annotator is empty"),
        ({}, {"item": "q2"}, "votes.csv, row 1: .*'q2'"),
        ({}, {"round": "second"}, "votes.csv, row 1: .*whole number from 1 on, got 'second'"),
        ({}, {"round": "0"}, "round .*from 1 on, got '0'"),
        ({}, {"round": "²"}, "round .*from 1 on, got '²'"),
        ({}, {"round": "٢"}, "round .*from 1 on, got '٢'"),
        ({}, {"round": "9" * 20}, "round .*from 1 on, got '9{20}'"),
        ({}, {"annotator": "p1 "}, "annotator .*space: 'p1 '"),
        ({"option_c": ""}, {}, "items.csv, row 1: .*option_c is empty"),
        ({"country": " Spain"}, {}, "country ' Spain' .*space, in 1 item$"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(
    item: dict[str, str], vote: dict[str, str | None], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read([ITEM | item], [VOTE | vote])


@pytest.mark.parametrize("changes", [*({name: ""} for name in ITEM), {"item": "q1 "}])
def test_what_is_wrong_with_an_item_is_not_said_of_its_votes_too(changes: dict[str, str]) -> None:
    broken = ITEM | changes
    votes = [
        VOTE | {"item": broken["item"].strip() or "q2", "annotator": f"p{number}"} for number in range(3)
    ]
    with pytest.raises(DataError) as error:
        read([broken, ITEM | {"item": "q2"}], votes)
    assert str(error.value).startswith(
        "one thing is wrong; correct or remove this row:\n  items.csv, row 1: "
    )
    with pytest.raises(DataError, match=r"\Aone thing is wrong"):
        read([broken], [])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match=r"items\.csv: has no column option_d, country; its columns: item"):
        read([{name: text for name, text in ITEM.items() if name not in ("option_d", "country")}], [VOTE])


def test_every_problem_is_counted_and_the_first_are_shown() -> None:
    def said(problems: int) -> str:
        with pytest.raises(DataError) as error:
            read([ITEM], [VOTE | {"annotator": f"p{number}", "chosen": "X"} for number in range(problems)])
        return str(error.value)

    assert "row 12" in said(12) and "more" not in said(12) and said(13).endswith("and 1 more")
    message = said(30)
    assert message.startswith("30 things are wrong")
    assert "row 12" in message
    assert "row 13" not in message
    assert message.endswith("and 18 more")


@pytest.mark.parametrize("length", [58, 59])
def test_a_long_text_is_quoted_up_to_sixty_letters(length: int) -> None:
    with pytest.raises(DataError) as error:
        read([ITEM], [VOTE | {"chosen": "X" * length}])
    shown = "X" * 58 if length == 58 else "X" * 55 + "…"
    assert f"the choice '{shown}'; valid" in str(error.value)


def test_spaces_around_a_population_are_no_other_population() -> None:
    votes = [
        VOTE | {"annotator": f"p{number}", "population": text}
        for number, text in enumerate((" Wales", "Wales"))
    ]
    assert set(read([ITEM], votes).votes["population"]) == {"Wales"}


def test_one_person_has_one_vote_on_a_question_in_a_round() -> None:
    twice = read([ITEM], [VOTE, VOTE | {"chosen": "A"}])
    assert twice.votes.height == 1
    assert twice.notes == (
        "votes.csv, row 2: annotator 'p1' has voted on item 'q1' in round 1 in votes.csv, row 1 as well, "
        "alike; it counts once",
    )
    with pytest.raises(
        DataError, match=r"row 2: annotator 'p1' .* as well, and otherwise; keep one of the two"
    ):
        read([ITEM], [VOTE, VOTE | {"chosen": "B"}])
    assert read([ITEM], [VOTE | {"round": "1"}, VOTE | {"round": "2", "chosen": "B"}]).votes.height == 2


def test_one_id_is_one_question_and_one_round_one_population() -> None:
    assert read([ITEM, ITEM], [VOTE]).notes == (
        "items.csv, row 2: item 'q1' is in items.csv, row 1 as well, alike; it counts once",
    )
    with pytest.raises(
        DataError, match=r"item 'q1' has another option_b here than in items\.csv, row 1: 'other'"
    ):
        read([ITEM, ITEM | {"option_b": "other"}], [VOTE])
    with pytest.raises(
        DataError, match="round 1 of item 'q1' was put to 'Wales' already, here to 'the country'"
    ):
        read([ITEM], [VOTE | {"population": "Wales"}, VOTE | {"annotator": "p2", "population": None}])


def test_votes_beside_questions_in_one_file() -> None:
    nested = ITEM | {
        "votes": '[{"annotator": "p1", "chosen": ["A", "C"]}, {"annotator": "p2", "chosen": "dont_know", '
        '"round": 2}]'
    }
    expected = [("q1", "p1", ["A", "C"], 1, ""), ("q1", "p2", ["dont_know"], 2, "")]
    assert read([nested], []).votes.rows() == expected
    flat = [
        ITEM | {"annotator": "p1", "chosen": "A C", "round": None},
        ITEM | {"annotator": "p2", "chosen": "dont_know", "round": "2"},
    ]
    together = read(flat, [])
    assert (together.votes.rows(), together.items.height, together.notes) == (expected, 1, ())
    for text in ("no list", '["A"]', '{"annotator": "p1"}'):
        with pytest.raises(DataError, match=r"items\.csv, row 1: votes is a list of objects"):
            read([ITEM | {"votes": text}], [])


@given(collections())
def test_what_is_written_as_rows_is_read_back(votes: Votes) -> None:
    files = to_files(votes, "jsonl")
    texts = []
    for name in ("items", "votes"):
        rows = [orjson.loads(line) for line in files[f"{name}.jsonl"].splitlines()]
        as_text = [
            {
                key: value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
                for key, value in row.items()
            }
            for row in rows
        ]
        texts.append([TextTable(name, pl.DataFrame(as_text, infer_schema_length=None))] if rows else [])
    back = read_collection(*texts, Meta())
    assert back.items.equals(votes.items.select(list(ITEMS)))
    assert back.votes.equals(votes.votes.select(list(VOTES)))


def test_frames_without_a_column_are_not_written() -> None:
    votes = votes_of({"q": ["A"]})
    with pytest.raises(DataError, match="votes lack the column annotator"):
        to_files(Votes(votes.items, votes.votes.drop("annotator")))
