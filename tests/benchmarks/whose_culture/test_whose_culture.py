"""Whose culture answers: figures computed by hand, on questions and options made up here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.whose_culture import matching, result
from folkways.benchmarks.whose_culture.matching import Answers, of_answers, of_options
from folkways.benchmarks.whose_culture.result import whose_culture, whose_culture_tables
from folkways.records import compact

GOLD: Mapping[str, Sequence[str]] = {
    "KR": ["rice", "soup"],
    "KP": ["rice", "noodles"],
    "US": ["bread", "eggs", "cereal"],
    "GB": ["bread", "toast", "rice"],
}


def answers(template: str, language: str) -> Answers:
    return {culture: [[(text, language)] for text in texts] for culture, texts in GOLD.items()}


def same(answer: str, reply: str, language: str) -> bool:
    return answer in reply.split()


def judged(*replies: tuple[str, str, float], questions: int = 1) -> pl.DataFrame:
    """Culture, reply and whether it is right, the same to each of some questions."""
    rows = [
        ("m", "blend/saq", culture, "en", f"q{number}", "answered", True, reply, right)
        for number in range(questions)
        for culture, reply, right in replies
    ]
    names = ["endpoint", "task", "culture", "language", "question", "state", "counted", "answer", "right"]
    return pl.DataFrame(rows, schema=names, orient="row")


def matches(*replies: tuple[str, str, float], questions: int = 1) -> pl.DataFrame:
    return of_answers(judged(*replies, questions=questions), "right", pl.col("question"), answers, same)


def weights(row: dict[str, Any]) -> dict[str, float]:
    return dict(zip(row["others"], row["weights"], strict=True))


def test_of_very_many_wrong_answers_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MOST", 30)
    found = matches(("KR", "bread", 0.0), ("US", "noodles", 0.0), ("GB", "bread", 1.0), questions=40)
    assert found.height == 30
    assert {*found["asked_culture"]} == {"KR", "US"}
    assert found.equals(
        matches(("KR", "bread", 0.0), ("US", "noodles", 0.0), ("GB", "bread", 1.0), questions=40)
    )


def test_answers_that_would_be_right_do_not_count_for_others() -> None:
    (row,) = matches(("KR", "bread", 0.0)).to_dicts()
    # Rice is right in Korea, so that one answer is left of North Korea's two and two of Britain's three.
    assert weights(row) == {"KP": 1.0, "US": 3.0, "GB": 2.0}
    assert sorted(row["matched"]) == ["GB", "US"]


def test_only_wrong_answers_that_can_be_read_are_compared() -> None:
    rows = [("KR", "rice", 1.0), ("KR", "toast", 0.0), ("US", "pizza", 0.0)]
    assert matches(*rows)["matched"].to_list() == [["GB"], []]
    assert matches(*rows).height == matches(*rows, ("KR", "some rice", 0.0)).height, (
        "right by the comparison, if not by the profile"
    )
    lost = judged(("KR", "toast", 0.0)).with_columns(state=pl.lit("refused"))
    assert of_answers(lost, "right", pl.col("question"), answers, same).is_empty()


def test_shares_and_chance() -> None:
    overall, pairs = whose_culture_tables(
        matches(("KR", "bread", 0.0), ("KR", "noodles", 0.0), questions=10), "t"
    )
    found = {row["culture"]: row for row in pairs.rows.iter_rows(named=True)}
    # Bread is half Britain's and half America's, noodles North Korea's: a half, a quarter and a quarter of
    # twenty answers.
    assert [found[name]["share"] for name in ("KP", "US", "GB")] == pytest.approx([50.0, 25.0, 25.0])
    # One answer of six is 1/6, 3/6, 2/6; two of three cultures with weights 1, 3, 2: {3,2} weighs 6, {1,3} 3,
    # {1,2} 2.
    assert found["KP"]["chance"] == pytest.approx(100 * (5 / 11 / 2 + 1 / 6) / 2)
    assert found["US"]["chance"] == pytest.approx(100 * (9 / 11 / 2 + 3 / 6) / 2)
    assert found["GB"]["chance"] == pytest.approx(100 * (8 / 11 / 2 + 2 / 6) / 2)
    assert {row["wrong"] for row in found.values()} == {20} and {
        row["questions"] for row in found.values()
    } == {10}
    assert (
        overall.rows.drop("p_holm")
        .sort("culture")
        .equals(
            pairs.rows.drop("asked_culture", "p_holm")
            .sort("culture")
            .select(overall.rows.drop("p_holm").columns)
        )
    ), "one culture was asked about"


def test_a_preference_stands_out_and_what_chance_gives_does_not() -> None:
    evenly = [("KR", text, 0.0) for text in ("noodles", "bread", "eggs", "cereal", "toast")]
    preferring = [("KR", text, 0.0) for text in ("toast", "toast", "toast", "toast", "eggs")]
    even, stands = (
        whose_culture_tables(matches(*replies, questions=60), "t")[1] for replies in (evenly, preferring)
    )
    assert even.rows["p_holm"].min() > 0.05
    for row in even.rows.iter_rows(named=True):
        assert row["difference"] == pytest.approx(row["share"] - row["chance"])
        # About as far to both sides, a little further towards nothing.
        middle = (row["low"] + row["high"]) / 2
        assert abs(middle) < abs(row["difference"]) < abs(middle) + 0.01, row
    best = stands.rows.sort("difference").row(-1, named=True)
    assert (best["culture"], best["p_holm"] < 0.001) == ("GB", True) and best["low"] > 0
    assert any("South Korea to United Kingdom +" in note for note in stands.notes)


def test_what_stands_out_is_named_from_the_largest_down(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = {
        "KR": ("toast", "eggs"),
        "KP": ("toast", "toast"),
        "US": ("toast", "toast", "toast", "noodles"),
    }
    found = matches(
        *((culture, text, 0.0) for culture, texts in replies.items() for text in texts), questions=90
    )
    for named in (1, 2, 6):
        monkeypatch.setattr(result, "NAMED", named)
        table = whose_culture_tables(found, "t")[1]
        above = table.rows.filter(pl.col("p_holm") < 0.05, pl.col("difference") > 0)["difference"]
        assert above.len() == 3 and not above.is_sorted(descending=True)
        listed = [f"{value:+.1f}" for value in above.sort(descending=True).to_list()]
        told = table.notes[-1].removesuffix(" (p_holm < .05).").partition(": above chance ")[2].split("; ")
        assert [part.split()[-1] for part in told[:named]] == listed[:named]
        assert told[named:] == ([f"and {3 - named} more"] if named < 3 else [])


def test_one_other_culture_has_a_share_and_no_chance_line() -> None:
    two = matches(("KR", "noodles", 0.0), ("KR", "pizza", 0.0), questions=10).with_columns(
        others=pl.lit(["KP"]), weights=pl.lit([1.0]), matched=pl.col("matched").list.set_intersection(["KP"])
    )
    (table,) = whose_culture_tables(two, "t")
    (row,) = table.rows.to_dicts()
    assert row["share"] == 50.0 and not {"chance", "difference", "p", "p_holm"} & set(row)
    assert row["low"] < 50 < row["high"] and "no chance line" in table.notes[0]


def options(*taken: str, offered: str, questions: int = 10) -> pl.DataFrame:
    rows = [
        ("m", "KR", "en", f"q{at}", "answered", True, 0.0, name, offered)
        for at in range(questions)
        for name in taken
    ]
    names = [
        "endpoint",
        "culture",
        "language",
        "question",
        "state",
        "counted",
        "accuracy",
        "chosen_culture",
        "offered",
    ]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_options_that_are_nobodys_make_the_others_less_likely() -> None:
    found = of_options(options("US", offered="US dummy", questions=1), "accuracy", pl.col("question"), 3)
    assert weights(found.row(0, named=True)) == {"US": 1.0, "dummy": 2.0}
    table = whose_culture_tables(
        of_options(options("US", "US", "dummy", offered="GB US dummy"), "accuracy", pl.col("question"), 3),
        "t",
    )[1]
    found_in = {row["culture"]: row for row in table.rows.iter_rows(named=True)}
    assert found_in["US"]["share"] == pytest.approx(200 / 3)
    assert [row["chance"] for row in found_in.values()] == pytest.approx([100 / 3, 100 / 3])
    assert set(found_in) == {"US", "GB"}, "an option that is nobody's has no row"


def test_each_reply_of_many_has_the_weights_of_its_own_options() -> None:
    offered = [
        " ".join([*cultures_of, *["dummy"] * (number % 4)])
        for number, cultures_of in enumerate([["US"], ["GB", "US"], ["KP", "GB", "US"]] * 400)
    ]
    taken = options("US", offered="", questions=len(offered)).with_columns(offered=pl.Series(offered))
    found = of_options(taken, "accuracy", pl.col("question"), 5)
    for row, names in zip(found.iter_rows(named=True), offered, strict=True):
        parts = names.split()
        dummies = parts.count("dummy")
        each = max(1.0, (5 - len(parts) + dummies) / dummies) if dummies else 1.0
        assert row["others"] == parts
        assert row["weights"] == [each if part == "dummy" else 1.0 for part in parts]


@settings(max_examples=settings().max_examples * 2 // 5)  # each makes whole tables
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*GOLD]), st.sampled_from(["rice", "bread", "toast", "soup", "pie", "eggs rice"])
        ),
        min_size=1,
    )
)
def test_what_is_matched_and_chance_add_up_alike(replies: list[tuple[str, str]]) -> None:
    found = matches(*((culture, reply, 0.0) for culture, reply in replies), questions=10)
    if found.is_empty():
        return
    _, pairs = whose_culture_tables(found, "t")
    rows = pairs.rows.group_by("asked_culture").agg(
        pl.col("share", "chance").sum(), pl.col("difference").sum()
    )
    # Every matched answer is dealt out whole, by what was found and by chance.
    assert rows["share"].to_list() == pytest.approx(rows["chance"].to_list())
    assert rows["difference"].to_list() == pytest.approx([0.0] * rows.height, abs=1e-9)
    shuffled = whose_culture_tables(found.sample(fraction=1.0, shuffle=True, seed=1), "t")[1].rows
    assert shuffled["culture"].to_list() == pairs.rows["culture"].to_list()
    assert shuffled["share"].to_list() == pytest.approx(pairs.rows["share"].to_list())


def test_judgements_as_reports_have_them() -> None:
    small = compact(judged(("KR", "bread", 0.0), ("KR", "rice", 1.0), questions=10))
    found = of_answers(small, "right", pl.col("question"), answers, same)
    assert found.equals(matches(("KR", "bread", 0.0), questions=10))
    taken = options("US", offered="US dummy", questions=2)
    by_template = pl.col("question").str.slice(0, 1)
    assert of_options(compact(taken), "accuracy", by_template, 3).equals(
        of_options(taken, "accuracy", by_template, 3)
    )


def test_a_benchmark_opts_in_by_its_own_result() -> None:
    result = whose_culture("blend/saq", lambda inputs: matches(("KR", "toast", 0.0), questions=12))
    assert [table.name for table in result.make(Inputs())] == ["whose-blend-saq", "whose-blend-saq-en"]
    with pytest.raises(NotAvailableError, match="10 wrong answers or more"):
        whose_culture_tables(matches(("KR", "toast", 0.0), questions=3), "t")
