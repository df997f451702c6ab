"""The human line: by hand, and on what annotators wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.data import ANNOTATIONS
from folkways.benchmarks.blend.results import RAW, RESULTS
from folkways.benchmarks.blend.results.people import people_judgements, people_table
from folkways.benchmarks.blend.short_answers import ShortAnswers
from folkways.benchmarks.results import Inputs
from folkways.errors import DataError
from tests.reports.test_people import with_raw_answers
from tests.support.blend_data import release_at, write_release


def group(count: int, *answers: str) -> dict[str, Any]:
    return {"answers": list(answers), "en_answers": list(answers), "count": count}


def question(key: str, groups: list[dict[str, Any]], raw: list[list[str]], **idks: int) -> dict[str, Any]:
    return {
        "culture": "US",
        "id": key,
        "question": "?",
        "en_question": "?",
        "groups": groups,
        "idks": [{"kind": kind, "count": count} for kind, count in idks.items()],
        "votes": [],
        "raw": [{"annotator": f"a{number}", "answers": answers} for number, answers in enumerate(raw)],
    }


BY_HAND = pl.DataFrame(
    [
        question(
            "q1",
            [group(3, "tea", "black tea"), group(1, "milk")],
            [["tea"], ["black tea", "milk"], ["tea"], ["idk"], []],
        ),
        question("q2", [group(2, "football"), group(1, "golf")], [["football"], ["golf", "football"]]),
        question("q3", [group(1, "rice")], [["rice"]], idk=4),
        question("q4", [group(1, "rice")], [["rice"], ["none at all"]], **{"no-answer": 3, "none at all": 1}),
    ],
    schema=dict(ANNOTATIONS),
)
"""q1: three people agree, two gave nothing. q2: the second person's first answer is nobody else's, the
first's is the second's second. q3: nobody else answered. q4 does not count for models."""


@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_by_hand(profile: str) -> None:
    judged = people_judgements(BY_HAND, profile, "simple")
    found = [
        (row["question"], row["sample"], row["counted"], row["sem_b"], row["sem_w"])
        for row in judged.iter_rows(named=True)
    ]
    assert found == [
        ("q1", 0, True, 1.0, 1.0),
        ("q1", 1, True, 1.0, 1.0),
        ("q1", 2, True, 1.0, 1.0),
        ("q1", 3, False, 0.0, 0.0),
        ("q1", 4, False, 0.0, 0.0),
        ("q2", 0, True, 1.0, 1.0),
        ("q2", 1, True, 0.0, 0.0),
        ("q3", 0, True, 0.0, 0.0),
        ("q4", 0, False, 0.0, 0.0),
        ("q4", 1, False, 0.0, 0.0),
    ]
    assert judged["state"].to_list().count("refused") == 3, "two of q1 and one of q4 gave no answer"
    table = people_table(judged).rows.row(0, named=True)
    assert (table["culture"], table["answers"], table["questions"]) == ("US", 6, 3)
    assert table["sem_b"] == pytest.approx(100 * 4 / 6)
    assert table["without_answer"] == pytest.approx(100 * 2 / 8)
    assert table["low"] < table["sem_b"] < table["high"]


def test_ones_own_vote_does_not_count() -> None:
    """For the first person tea and coffee have one vote each; for the second tea has one of three; for the
    third, coffee."""
    data = pl.DataFrame(
        [question("q", [group(2, "tea"), group(2, "coffee")], [["coffee", "tea"], ["tea"], ["coffee"]])],
        schema=dict(ANNOTATIONS),
    )
    weights = people_judgements(data, "paper", "simple")["sem_w"].to_list()
    assert weights == [1.0, 0.5, 0.5]


def test_people_are_summarised_as_models_are() -> None:
    judged = people_judgements(BY_HAND, "paper", "simple").with_columns(topic=pl.lit("Food"))
    scores = ShortAnswers().summarise(judged)
    assert scores.filter(pl.col("facet") == "culture", pl.col("metric") == "sem_b")[
        "score"
    ].item() == pytest.approx(100 * 4 / 6)


def test_states_without_raw_answers_are_refused(tmp_path: Path) -> None:
    annotations = blend.read_annotations(release_at(write_release(tmp_path)))
    with pytest.raises(DataError, match="folkways data fetch blend-raw"):
        people_judgements(annotations, "paper")


@pytest.mark.shared
def test_on_what_annotators_wrote(shared: Path) -> None:
    """Two cultures of the real data, against the plain share of first answers that lie in a group someone
    else voted for.

    The rule lets more through than that (substrings, English variants), but only a little.
    """
    annotations = blend.read_annotations(release_at(shared / "data" / "blend" / "3c00d45"))
    annotations = annotations.filter(pl.col("culture").is_in(["US", "NG-N"]))
    rows = people_table(people_judgements(annotations, "strict", "simple")).rows
    plain = {}
    for culture in ("US", "NG-N"):
        agreed = []
        for row in (
            annotations.filter(pl.col("culture") == culture).filter(blend.is_counted()).iter_rows(named=True)
        ):
            kinds = {kind["kind"] for kind in row["idks"]} | {"idk", "no-answer", "not-applicable"}
            people = [
                [answer for answer in person["answers"] if answer.strip() and answer not in kinds]
                for person in row["raw"]
            ]
            for place, mine in enumerate(people):
                others = {
                    answer for other, answers in enumerate(people) if other != place for answer in answers
                }
                if mine:
                    agreed.append(
                        any(mine[0] in g["answers"] and others & set(g["answers"]) for g in row["groups"])
                    )
        plain[culture] = (100 * sum(agreed) / len(agreed), len(agreed))
    for culture, score, answers in rows.select("culture", "sem_b", "answers").iter_rows():
        assert answers == plain[culture][1]
        assert plain[culture][0] <= score <= plain[culture][0] + 3
    assert dict(rows.select("culture", "answers").iter_rows()) == {"US": 2123, "NG-N": 1514}
    without = dict(rows.select("culture", "without_answer").iter_rows())
    assert without["NG-N"] > 2 * without["US"]


def test_the_human_line_says_what_it_was_made_of(tmp_path: Path) -> None:
    raw = release_at(with_raw_answers(write_release(tmp_path)))
    (result,) = (one for one in RESULTS if one.name == "people")
    for tools, told in (("simple", "text tools simple"), ("default", "default text tools")):
        (made,) = result.make(Inputs(data={RAW.name: (raw,)}, tool_set=tools))
        assert made.notes[0] == f"Made of {raw.label}; profile paper, {told}."
        assert (
            made.notes[1:]
            == people_table(people_judgements(blend.read_annotations(raw), "paper", tools)).notes
        )
