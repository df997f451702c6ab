"""Sentences of a data card on people and their pay: every amount in its digits, and no small group."""

from __future__ import annotations

import polars as pl
import pytest

from folkways_studio.exports.data_statement import pay_sentences, people_in_words, shares
from folkways_studio.exports.demographics import DEMOGRAPHICS, EVERYBODY
from folkways_studio.studies.offers import Offer, Wage
from folkways_studio.studies.working_time import Rate

LAW = Wage(10030, "KRW", 6.02, "law")


@pytest.mark.parametrize(
    ("rate", "wage", "sentence"),
    [
        (Rate(12, 0.0, "EUR"), None, "Koreans: 12 EUR an hour."),
        (Rate(0.0, 0.25, "EUR"), None, "Koreans: 0.25 EUR an answer."),
        (Rate(12.5, 0.1, "EUR"), None, "Koreans: 12.5 EUR an hour and 0.1 EUR an answer."),
        (Rate(0.0, 0.0, "EUR"), None, "Koreans: 0 EUR."),
        (Rate(12, 0.0, "EUR"), LAW, "Koreans: 12 EUR an hour; the local wage is 10030 KRW an hour (law)."),
        (Rate(1234567.5, 0.00001, "IRR"), None, "Koreans: 1234567.5 IRR an hour and 0.00001 IRR an answer."),
        (
            Rate(12, 0.0, "EUR"),
            Wage(1500000, "IRR", 2.5, "law"),
            "Koreans: 12 EUR an hour; the local wage is 1500000 IRR an hour (law).",
        ),
    ],
)
def test_pay_is_told_in_digits_beside_the_local_wage(rate: Rate, wage: Wage | None, sentence: str) -> None:
    offers = {"Koreans": Offer(rate, wage, ()), "Welsh": Offer(None, LAW, ())}
    assert list(pay_sentences(offers)) == [sentence]


def test_a_study_without_pay_says_so() -> None:
    assert list(pay_sentences({})) == ["The study states no pay."]
    assert list(pay_sentences({"Welsh": Offer(None, LAW, ())})) == ["The study states no pay."]


@pytest.mark.parametrize(
    ("people", "words"),
    [(0, "Fewer than 5 people"), (4, "Fewer than 5 people"), (5, "5 people"), (60, "60 people")],
)
def test_fewer_than_five_people_are_not_counted(people: int, words: str) -> None:
    assert people_in_words(people) == words


def test_shares_are_told_question_by_question_in_their_order() -> None:
    rows = [
        ("korea", EVERYBODY, EVERYBODY, 8, 100.0),
        ("korea", "age", "20-29", 5, 62.5),
        ("korea", "age", "30-39", 3, 37.5),
        ("uk", "age", "20-29", 6, 100.0),
        ("korea", "gender", "woman", 8, 100.0),
    ]
    frame = pl.DataFrame(rows, schema=dict(DEMOGRAPHICS), orient="row")
    assert list(shares(frame)) == [
        "korea, age: 20-29 62 %, 30-39 38 %",
        "uk, age: 20-29 100 %",
        "korea, gender: woman 100 %",
    ]
    assert list(shares(None)) == []
