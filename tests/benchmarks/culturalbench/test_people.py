"""The human line: figures by hand, and the rule written out a second time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings

from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.culturalbench.build.counting import MajorityRule, count
from folkways.benchmarks.culturalbench.build.tables import BUILT_VOTES, easy_table, hard_table, votes_table
from folkways.benchmarks.culturalbench.people import (
    PEOPLE_JUDGEMENTS,
    judge_people_on_easy,
    judge_people_on_hard,
    leave_one_out,
    people_judgements,
    read_built_votes,
)
from folkways.benchmarks.culturalbench.results.data_tables import people_table
from folkways.benchmarks.culturalbench.results.setups import by_mode
from folkways.benchmarks.culturalbench.results.values import scores_of, with_people
from folkways.benchmarks.culturalbench.votes import LETTERS, Votes, frame_bytes
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.results import Inputs
from folkways.errors import DataError
from folkways.records import JUDGEMENTS
from folkways.releases.release_records import Release
from tests.support.culturalbench_data import culturalbench_release
from tests.support.votes_data import collections, votes_of

EASY, HARD = BENCHMARK.tasks


def release_of(
    folder: Path, votes: Votes, rule: MajorityRule | None = None, record: str | None = None
) -> Release:
    """A release as ``folkways build`` leaves it, without the files that no task reads."""
    rule = rule or MajorityRule()
    counted = count(votes, rule)
    (folder / "CulturalBench-Easy.csv").write_bytes(frame_bytes(easy_table(votes, counted, 0)))
    (folder / "CulturalBench-Hard.csv").write_bytes(frame_bytes(hard_table(votes, counted)))
    (folder / "votes.csv").write_bytes(frame_bytes(votes_table(votes, counted)))
    if record is not None:
        (folder / "build.json").write_text(record)
    return open_release(str(folder), "culturalbench")


def line(votes: Votes, folder: Path) -> dict[str, float]:
    release = release_of(folder, votes)
    judged = people_judgements(EASY.items(release), release, EASY.name)
    assert judged is not None
    return people_table(judged).rows.row(0, named=True)


def test_votes_are_read_as_they_were_written_also_where_there_are_none(tmp_path: Path) -> None:
    votes = votes_of({"q": ["A", "A C", "dont_know", "2:B"]})
    for name, number in (("some", 4), ("none", 0)):
        (tmp_path / name).mkdir()
        given = replace(votes, votes=votes.votes.head(number))
        read = read_built_votes(release_of(tmp_path / name, given))
        assert read.schema == pl.Schema(BUILT_VOTES) and read.height == number


def test_who_differs_is_wrong_and_the_others_are_right(tmp_path: Path) -> None:
    """Five of five: all right. Four of five: three of the four others agree with each of the four, and none
    with the fifth."""
    row = line(votes_of({"all": ["A"] * 5, "most": ["B"] * 4 + ["C"]}), tmp_path)
    assert row["right"] == pytest.approx(90.0)
    assert (row["answers"], row["questions"], row["annotators"], row["without_answer"]) == (10, 2, 5, 0.0)
    assert row["mean_of_annotators"] == pytest.approx((4 * 100 + 50) / 5)
    assert row["low"] < 90 < row["high"]


def test_who_does_not_know_does_not_count(tmp_path: Path) -> None:
    row = line(votes_of({"all": ["A"] * 4 + ["dont_know"], "most": ["B"] * 4 + ["cannot_answer"]}), tmp_path)
    assert (row["right"], row["answers"], row["without_answer"]) == (100.0, 8, pytest.approx(20.0))


def test_more_or_fewer_options_than_the_gold_ones_are_wrong(tmp_path: Path) -> None:
    """C has one vote of four for everybody: whoever chose it as well is wrong, and so is who left out one of
    two gold options."""
    assert line(votes_of({"q": ["A C", "A", "A", "A", "A"]}), tmp_path)["right"] == pytest.approx(80.0)
    assert line(votes_of({"q": ["A B", "A B", "A B", "A B", "A"]}), tmp_path)["right"] == pytest.approx(80.0)


def test_an_option_one_vote_short_is_gold_for_those_who_left_it(tmp_path: Path) -> None:
    """A has all five, C three: the two who left C see three of four others choose it, the three who chose it
    see two of four."""
    assert line(votes_of({"q": ["A C", "A C", "A C", "A", "A"]}), tmp_path)["right"] == 0.0


def test_votes_of_other_rounds_and_on_dropped_questions_do_not_count(tmp_path: Path) -> None:
    row = line(votes_of({"q": ["B"] * 5 + ["2:A"] * 5, "lost": ["A", "B", "C", "D", "A"]}), tmp_path)
    assert (row["right"], row["answers"], row["questions"]) == (100.0, 5, 1)


@settings(max_examples=settings().max_examples * 3 // 5)  # each makes five tables
@given(collections())
def test_whatever_the_votes_people_are_judged_by_the_rule(votes: Votes) -> None:
    """Each property is checked by a function of its own: drawing votes takes longer than both."""
    check_a_second_writing_of_the_rule(votes)
    check_a_person_is_right_on_easy_who_is_right_on_all_four_of_hard(votes)


def check_a_second_writing_of_the_rule(votes: Votes) -> None:
    """Person by person and option by option, in loops."""
    counted = count(votes, MajorityRule())
    cast = votes_table(votes, counted)
    found = {
        (row["question"], row["annotator"]): row
        for row in leave_one_out(cast, MajorityRule()).iter_rows(named=True)
    }
    deciding = cast.filter("counted", "kept")
    assert len(found) == deciding.height
    gold = dict(counted.select("item", "gold").iter_rows())
    for (question,), rows in deciding.group_by("question_idx"):
        people = rows["annotator"].to_list()
        chosen = dict(zip(people, rows["chosen"].to_list(), strict=True))
        for person in people:
            row = found[str(question), person]
            others = [chosen[other] for other in people if other != person]
            expected = {
                letter
                for letter in LETTERS
                if sum(letter in votes for votes in others) + 1 >= 0.8 * len(people)
            }
            assert {letter for letter in LETTERS if row[f"gold_{letter}"]} == expected
            assert expected >= set(gold[str(question)])  # leaving one out takes no gold option away
            assert row["counted"] == (chosen[person][0] in LETTERS)


def check_a_person_is_right_on_easy_who_is_right_on_all_four_of_hard(votes: Votes) -> None:
    counted = count(votes, MajorityRule())
    kept = counted.filter(pl.col("dropped").is_null())["item"].to_list()
    if not kept:
        return
    cast = votes_table(votes, counted)
    easy_items, hard_items = (
        pl.DataFrame({"task": "t", "item": names, "question": names, "culture": "ES", "mode": "single"})
        for names in (kept, kept * 4)
    )
    hard_items = hard_items.sort("question", maintain_order=True)
    easy = judge_people_on_easy(easy_items, cast, MajorityRule())
    hard = judge_people_on_hard(hard_items, cast, MajorityRule())
    assert hard.height == 4 * easy.height
    whole = hard.filter(pl.col("all_right").is_not_null())
    person = ["question", "annotator"]
    assert (
        whole.select(*person, right="all_right")
        .sort(person)
        .equals(easy.select(*person, "right").sort(person))
    )
    assert (
        hard.group_by(person)
        .agg(pl.col("right").min())
        .sort(person)
        .equals(easy.select(*person, "right").sort(person))
    )


def test_judgements_are_in_the_form_of_the_tasks_and_can_be_summarised(tmp_path: Path) -> None:
    release = release_of(tmp_path, votes_of({"a": ["A"] * 4 + ["B"], "b": ["A C"] * 5}))
    for task, metric in ((EASY, "right"), (HARD, "all_right")):
        judged = task.human_baseline().judge(task.items(release), release, "paper")
        assert judged is not None
        assert set(PEOPLE_JUDGEMENTS) <= set(judged.columns)
        first = judged.unique("question", keep="first")["item"].to_list()
        assert set(judged.drop_nulls(metric)["item"]) == {*first}, (
            "a question of Hard counts on its first row"
        )
        scores = task.summarise(judged.drop("task", "item", "sample", "answer", "reason"))
        by_mode = scores.filter((pl.col("metric") == metric) & (pl.col("facet") == "mode")).select(
            "value", "score", "n", "questions"
        )
        assert sorted(by_mode.rows()) == [("multi", 100.0, 5, 1), ("single", pytest.approx(80.0), 5, 1)]
        culture = scores.filter((pl.col("metric") == metric) & (pl.col("facet") == "culture")).row(
            0, named=True
        )
        assert (culture["value"], culture["score"]) == ("ES", pytest.approx(90.0))
        assert culture["interval"].endswith("by question")
        assert culture["low"] < 90 < culture["high"]


def asked_a_model(folder: Path, votes: Votes) -> Inputs:
    """A model that is right about every question of the votes, and these."""
    release = release_of(folder, votes)
    items = EASY.items(release)
    others = {"task": EASY.name, "endpoint": "m", "profile": "paper", "state": "answered"}
    judged = items.with_columns(
        *(pl.lit(value).alias(name) for name, value in others.items()),
        pl.lit(1.0).alias("right"), counted=pl.lit(True), language=pl.lit("en"), variant=pl.lit("v"), sample=pl.lit(0, pl.Int64),
    )  # fmt: skip
    lacking = [
        pl.lit(None, kind).alias(name) for name, kind in JUDGEMENTS.items() if name not in judged.columns
    ]
    return Inputs(judged.with_columns(lacking), releases={EASY.name: release})


def test_people_are_beside_models_in_the_analyses_of_setups_and_question_types(tmp_path: Path) -> None:
    inputs = asked_a_model(tmp_path, votes_of({"a": ["A"] * 4 + ["B"], "b": ["A C"] * 5}))
    both, _ = by_mode(inputs)
    scores = {(row["endpoint"], row["type"]): row["score"] for row in both.rows.iter_rows(named=True)}
    assert scores == {
        ("m", "single"): 100.0, ("m", "multi"): 100.0,
        ("people", "single"): pytest.approx(80.0), ("people", "multi"): 100.0,
    }  # fmt: skip
    whole = with_people(inputs, EASY.name, "all", scores_of(inputs, EASY.name, "all"))
    assert whole.filter(endpoint="people")["score"].item() == pytest.approx(90.0)
    few = Inputs(inputs.judged.head(1), releases=inputs.releases)
    assert (
        with_people(few, EASY.name, "all", scores_of(few, EASY.name, "all"))
        .filter(endpoint="people")["n"]
        .item()
        == 5
    )


def test_people_of_a_region_are_the_mean_over_its_countries(tmp_path: Path) -> None:
    """Spain has two questions and Italy one."""
    countries = {"a": "Spain", "b": "Spain", "c": "Italy", "d": "Peru"}
    votes = votes_of({name: ["A"] * 5 if name == "c" else ["A"] * 4 + ["B"] for name in countries})
    country = pl.col("item").replace_strict(countries).alias("country")
    inputs = asked_a_model(tmp_path, replace(votes, items=votes.items.with_columns(country)))
    rows = with_people(inputs, EASY.name, "region", scores_of(inputs, EASY.name, "region"))
    people = rows.filter(endpoint="people").select("value", "score")
    assert dict(people.iter_rows()) == {
        "South Europe": pytest.approx(90.0),
        "South America": pytest.approx(80.0),
    }


def test_whoever_voted_alone_does_not_count(tmp_path: Path) -> None:
    release = release_of(tmp_path, votes_of({"a": ["A"]}), MajorityRule(1, 1), '{"threshold": 1, "of": 1}')
    judged = people_judgements(EASY.items(release), release, EASY.name)
    assert judged is not None
    assert judged.select("counted", "state", "reason").rows() == [(False, "answered", "nobody else voted")]


def test_countries_of_people_come_as_reports_have_them_and_unknown_ones_last(tmp_path: Path) -> None:
    countries = {"a": "Atlantis", "b": "Japan", "c": "Spain", "d": "Peru"}
    votes = votes_of({name: ["A"] * 5 for name in countries})
    named = votes.items.with_columns(country=pl.col("item").replace_strict(countries))
    release = release_of(tmp_path, replace(votes, items=named))
    judged = people_judgements(EASY.items(release), release, EASY.name)
    assert judged is not None
    assert people_table(judged).rows["country"].to_list() == ["all", "Peru", "Spain", "Japan", "Atlantis"]


def test_a_release_without_votes_has_no_line(tmp_path: Path) -> None:
    """Nor has a published one beside whose files somebody has put some: its fingerprint does not cover
    them."""
    release = release_of(tmp_path, votes_of({"a": ["A"] * 5}))
    assert EASY.human_baseline().judge(EASY.items(release), release, "paper") is not None
    published = culturalbench_release(tmp_path)
    assert published.has("votes.csv")
    assert EASY.human_baseline().judge(EASY.items(published), published, "paper") is None
    (tmp_path / "votes.csv").unlink()
    assert EASY.human_baseline().judge(EASY.items(release), release, "paper") is None


def test_the_rule_is_that_of_the_build(tmp_path: Path) -> None:
    """With 5 of 5, who chose C is wrong, since one of the others did not; with 4 of 5 these four are right."""
    votes = votes_of({"q": ["A C", "A C", "A C", "A C", "A"]})
    release = release_of(tmp_path, votes, MajorityRule(5, 5), '{"threshold": 5, "of": 5}')
    judged = people_judgements(EASY.items(release), release, EASY.name)
    assert judged is not None
    assert judged["right"].to_list() == [0.0] * 5  # the last is wrong by either, whose four others chose C
    (tmp_path / "build.json").write_text('{"threshold": 4, "of": 5}')
    usual = people_judgements(EASY.items(release), release, EASY.name)
    assert usual is not None and usual["right"].to_list() == [1.0] * 4 + [0.0]
    (tmp_path / "build.json").write_text('{"threshold": "many"}')
    with pytest.raises(DataError, match=r"build\.json: does not tell the majority"):
        people_judgements(EASY.items(release), release, EASY.name)


@pytest.mark.parametrize(
    ("chosen", "number"), [("Q", "1"), ("", "1"), ("A", ""), ("A", "0"), ("A", "9" * 20)]
)
def test_votes_that_cannot_be_read_are_named(tmp_path: Path, chosen: str, number: str) -> None:
    release = release_of(tmp_path, votes_of({"a": ["A"] * 5}))
    path = tmp_path / "votes.csv"
    path.write_text(path.read_text().replace("p3,A,1", f"p3,{chosen},{number}"))
    told = rf"votes\.csv, row 4: is not a vote: chosen '{chosen}', round '{number}'"
    with pytest.raises(DataError, match=told):
        people_judgements(EASY.items(release), release, EASY.name)
