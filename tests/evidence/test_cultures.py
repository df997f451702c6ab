"""Own language against English, topics and repeated wrong replies, by hand; and the sentences on them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.summary import summarise_means
from folkways.evidence import cultures as evidence
from folkways.evidence.weak_spots import weak_spots
from folkways.records import JUDGEMENTS, Metric, chosen_rows

METRIC = Metric("correct", "Accuracy", "Right or wrong.")
FEWER = Metric("correct", "Slips", "Share of slips.", lower_is_better=True)


def judged(rows: list[dict[str, Any]]) -> pl.DataFrame:
    usual = {"task": "t/t", "variant": "v", "sample": 0, "counted": True, "state": "answered", "reason": None}
    whole = [{**usual, "item": f"{row['culture']}/{row['question']}", "answer": "x", **row} for row in rows]
    kinds = {**JUDGEMENTS, "correct": pl.Float64, "other_language": pl.Float64, "topic": pl.String}
    return pl.DataFrame(whole, schema={name: kind for name, kind in kinds.items() if name in whole[0]})


def asked(culture: str, language: str, rights: str, **more: Any) -> list[dict[str, Any]]:
    """One question for each 0 or 1 of ``rights``."""
    return [
        {"culture": culture, "language": language, "question": f"q{number}", "correct": float(right), **more}
        for number, right in enumerate(rights)
    ]


def languages(rows: list[dict[str, Any]], metric: Metric = METRIC) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (row["culture"], row["language"]): row
        for row in evidence.own_language(judged(rows), metric).iter_rows(named=True)
    }


def test_own_language_less_english_is_paired_by_question() -> None:
    rows = asked("KR", "ko", "1" * 10 + "0" * 10) + asked("KR", "en", "1" * 2 + "0" * 18)
    rows += asked("ES", "es", "0" * 20) + asked("ES", "en", "1" * 20)
    rows += asked("GB", "en", "1" * 20)
    of_pair = languages(rows)
    assert set(of_pair) == {("KR", "ko"), ("ES", "es")}  # nobody asked about Britain in two languages
    assert of_pair["KR", "ko"]["difference"] == pytest.approx(40.0)
    assert of_pair["ES", "es"]["difference"] == pytest.approx(-100.0)
    assert 0 < of_pair["KR", "ko"]["low"] < 40 < of_pair["KR", "ko"]["high"]
    sentences = {pair[0]: evidence.language_sentence(row, METRIC) for pair, row in of_pair.items()}
    assert sentences["KR"].startswith("Korean better than English by 40.0 points (")
    assert sentences["ES"].startswith("Spanish worse than English by 100.0 points (")
    assert evidence.language_sentence(of_pair["ES", "es"], FEWER).startswith("Spanish better than English")


def test_a_question_without_a_pair_does_not_count() -> None:
    rows = asked("KR", "ko", "11111111") + asked("KR", "en", "0000")
    assert languages(rows)["KR", "ko"]["difference"] == pytest.approx(100.0)
    lost = asked("KR", "en", "00000000", state="failed")
    assert languages(asked("KR", "ko", "11111111") + lost) == {}


def test_a_difference_that_chance_may_make_is_not_told_apart() -> None:
    row = languages(asked("KR", "ko", "11100000") + asked("KR", "en", "11000000"))["KR", "ko"]
    assert evidence.language_sentence(row, METRIC).startswith("Korean less English: 12.5 points (")
    assert evidence.language_sentence(row, METRIC).endswith("), not told apart.")
    clear_alone = row | {"low": 1.0, "p_holm": 0.2}
    assert evidence.language_sentence(clear_alone, METRIC).endswith(
        "once every language compared is allowed for."
    )


def test_differences_are_corrected_for_the_cultures_of_the_model() -> None:
    rows = asked("KR", "ko", "1" * 8 + "0" * 12) + asked("KR", "en", "0" * 20)
    alone = languages(rows)["KR", "ko"]["p_holm"]
    both = languages(rows + asked("ES", "es", "1" * 20) + asked("ES", "en", "1" * 20))
    assert both["KR", "ko"]["p_holm"] == pytest.approx(2 * alone)


def test_a_culture_answered_in_another_language_is_left_out_and_said() -> None:
    rows = asked("KR", "ko", "1" * 20, other_language=0.0) + asked("KR", "en", "0" * 20, other_language=0.0)
    assert set(languages(rows)) == {("KR", "ko")}
    for row in rows[:3]:
        row["other_language"] = 1.0  # 15 % of the Korean ones
    assert languages(rows) == {}
    assert evidence.asked_in_both(judged(rows)) == [("KR", "ko")]
    assert evidence.not_compared("ko") == (
        "Korean is not compared with English: too many replies are in another language than asked."
    )


def of_topics(rights: dict[str, str]) -> pl.DataFrame:
    rows = [
        {
            "culture": "KR",
            "language": "en",
            "question": f"{topic}{number}",
            "correct": float(right),
            "topic": topic,
        }
        for topic, answers in rights.items()
        for number, right in enumerate(answers)
    ]
    return judged(rows)


def test_topics_are_compared_with_the_mean_of_the_topics() -> None:
    frame = of_topics(
        {"Food": "1" * 18 + "0" * 2, "Sport": "0" * 20, "Family": "1" * 10 + "0" * 10, "Few": "11111"}
    )
    rows = evidence.topics(frame, METRIC, "topic")
    gaps = dict(rows.select("topic", "gap").iter_rows())
    mean = (90 + 0 + 50) / 3
    assert gaps == pytest.approx({"Food": 90 - mean, "Sport": -mean, "Family": 50 - mean})
    assert evidence.topic_sentence(rows, METRIC) == (
        "Best topic Food 90.0 (69.9 to 98.2), worst Sport 0.0 (0.0 to 16.1): Food is better than the other "
        "topics and Sport is worse than the other topics."
    )
    assert evidence.topic_sentence(rows, FEWER).startswith("Best topic Sport 0.0")


def test_a_topic_and_a_weak_spot_of_the_same_questions_have_the_same_gap() -> None:
    """Each question is asked twice, so that answers are worth less than their number."""
    once = of_topics({"Food": "1111111011", "Sport": "0000010000", "Work": "1101100111"})
    frame = pl.concat([once, once.with_columns(sample=pl.lit(1, pl.Int64))])
    scores = summarise_means(frame, "t/t", (METRIC,), ("topic",)).with_columns(
        endpoint=pl.lit("m"), profile=pl.lit("strict"), signature=pl.lit("")
    )
    (spot,) = weak_spots([(scores, METRIC, ("topic",))])["m"]
    (topic,) = evidence.topics(frame, METRIC, "topic").filter(topic="Sport").iter_rows(named=True)
    assert (spot.value, spot.gap) == ("Sport", pytest.approx(-topic["gap"]))
    assert spot.p_holm == pytest.approx(topic["p_holm"])


@pytest.mark.parametrize(("lost", "weak"), [(0, True), (1, True), (2, False)])
def test_of_a_group_with_many_lost_replies_it_is_not_known_whether_it_is_weak(lost: int, weak: bool) -> None:
    frame = of_topics({"Food": "1" * 20, "Sport": "0" * 20, "Work": "1" * 19 + "0"})
    failed = (pl.col("topic") == "Sport") & (pl.int_range(pl.len()).over("topic") < lost)
    frame = frame.with_columns(state=pl.when(failed).then(pl.lit("failed")).otherwise("state"))
    scores = summarise_means(frame, "t/t", (METRIC,), ("topic",)).with_columns(
        endpoint=pl.lit("m"), profile=pl.lit("strict"), signature=pl.lit("")
    )
    assert [spot.value for spot in weak_spots([(scores, METRIC, ("topic",))])["m"]] == ["Sport"] * weak
    assert ("Sport" in evidence.topics(frame, METRIC, "topic")["topic"]) is weak


def test_topics_that_chance_may_have_ordered_are_not_told_apart() -> None:
    rows = evidence.topics(of_topics({"Food": "111100", "Sport": "111000"}), METRIC, "topic")
    assert evidence.topic_sentence(rows, METRIC).endswith(": no topic is told apart from the others.")
    alike = evidence.topics(of_topics({"Food": "111000", "Sport": "111000"}), METRIC, "topic")
    assert evidence.topic_sentence(alike, METRIC) == "All topics: 50.0."
    assert evidence.topics(of_topics({"Food": "111000"}), METRIC, "topic").is_empty()
    assert evidence.topic_sentence(alike.clear(), METRIC) == ""


def test_topics_are_corrected_for_the_topics_of_all_cultures() -> None:
    frame = of_topics({"Food": "1" * 12 + "0" * 8, "Sport": "1" * 6 + "0" * 14})
    both = pl.concat([frame, frame.with_columns(culture=pl.lit("ES"))])
    alone, together = (evidence.topics(rows, METRIC, "topic")["p_holm"].min() for rows in (frame, both))
    assert together == pytest.approx(2 * alone) and together < 1


def said(culture: str, replies: dict[str, str], language: str = "en", **more: Any) -> list[dict[str, Any]]:
    """question -> the wrong reply."""
    usual = {"culture": culture, "language": language, "correct": 0.0, **more}
    return [{**usual, "question": question, "answer": answer} for question, answer in replies.items()]


def repeated(rows: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    frame = evidence.repeated_replies(evidence.wrong_replies(judged(rows), METRIC))
    return {(row["culture"], row["language"]): row for row in frame.iter_rows(named=True)}


ETHIOPIA = {
    f"q{number}": reply for number, reply in enumerate(["Injera", "injera.", "INJERA", "injera", "tea"])
}


def test_the_most_repeated_wrong_reply_has_its_share_here_and_elsewhere() -> None:
    rows = said("ET", ETHIOPIA) + said("KR", {"q0": "injera", "q1": "rice", "q9": "soup"})
    rows += said("ES", {"q0": "bread", "q1": "ham"})
    rows += said("ET", {"q0": "injera"}, language="am")  # another language
    row = repeated(rows)["ET", "en"]
    assert (row["key"], row["reply"], row["times"], row["questions"]) == ("injera", "Injera", 4, 5)
    # q0 was wrong about two other cultures, one of them with the reply; q1 about two; q9 about one
    assert row["elsewhere"] == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert evidence.repeated_sentence(row).startswith(
        "in 4 of the 5 questions it got wrong in English (80.0\u202f%), about other cultures in 16.7\u202f%: "
    )
    assert set(repeated(rows)) == {("ET", "en")}  # nothing else came in three questions


@pytest.mark.parametrize("slice_length", [1, 2, 5])
def test_replies_are_looked_at_a_few_at_a_time(slice_length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = said("ET", ETHIOPIA) + said("KR", {"q0": "injera", "q1": "rice", "q9": "soup", "q3": "x" * 101})
    rows += said("ET", {"q0": "tea", "q1": "tea", "q7": "?"}, variant="w") + said(
        "ES", {"q0": "Tea", "q1": "ham"}
    )
    whole = repeated(rows)
    wrong = evidence.wrong_replies(judged(rows), METRIC)
    assert (wrong.different, wrong.questions.height) == (7, 12)
    monkeypatch.setattr("folkways.evidence.cultures.SLICE", slice_length)
    assert repeated(rows) == whole != {}


def test_askings_of_one_question_count_once_and_right_or_unread_ones_not_at_all() -> None:
    rows = said("ET", {"q0": "tea", "q1": "tea"}) + said("ET", {"q0": "tea", "q1": "tea"}, variant="w")
    assert repeated(rows) == {}
    more = said("ET", {"q2": "tea"}, correct=1.0) + said("ET", {"q3": "tea"}, state="refused")
    more += said("ET", {"q4": "tea"}, counted=False)
    assert repeated(rows + more) == {}
    assert repeated(rows + more + said("ET", {"q5": "tea"}))["ET", "en"]["times"] == 3
    assert repeated(said("ET", {"q0": "tea", "q1": "tea", "q5": "tea"}))["ET", "en"]["times"] == 3


def test_a_reply_is_called_frequent_only_after_correction_for_all_replies() -> None:
    few = said("ET", {f"q{n}": "tea" for n in range(4)}) + said("KR", {f"r{n}": f"a{n}" for n in range(9)})
    many = few + said("ET", {f"z{n}": f"b{n}" for n in range(4)})
    assert repeated(few)["ET", "en"]["p"] < 0.05  # ten replies could have been it
    assert repeated(few)["ET", "en"]["p"] < repeated(many)["ET", "en"]["p"]
    assert evidence.repeated_sentence(repeated(few)["ET", "en"]).endswith(
        f"more often here (p {evidence.p_value(repeated(few)['ET', 'en']['p'])})"
    )
    assert evidence.repeated_sentence(repeated(many)["ET", "en"]).endswith(
        "not more often than chance allows"
    )


def test_without_another_culture_in_the_language_nothing_is_compared() -> None:
    row = repeated(said("ET", ETHIOPIA, language="am") + said("KR", {"q0": "injera"}))["ET", "am"]
    assert row["elsewhere"] is None and row["p"] is None
    assert evidence.repeated_sentence(row).endswith("; no other culture was asked about in Amharic")


def test_whose_answer_a_repeated_reply_is() -> None:
    rows = judged(
        said("ET", {"q0": "tea", "q1": "tea", "q2": "tea", "q3": "tea"})
        + said("GB", {"q0": "Tea!", "q1": "tea", "q9": "tea"}, correct=1.0)
        + said("ES", {"q1": "tea"}, correct=1.0)
        + said("IR", {"q2": "tea"}, correct=1.0, language="fa")  # another language
        + said("ET", {"q3": "tea"}, correct=1.0, variant="w")  # the culture itself
    )
    wrong = evidence.wrong_replies(rows, METRIC)
    repeated_rows = evidence.repeated_replies(wrong)
    right = evidence.right_replies(rows, METRIC, repeated_rows["key"])
    found = evidence.right_elsewhere(repeated_rows, wrong.rows, right)
    assert found.select("culture", "other", "times").rows() == [("ET", "GB", 2), ("ET", "ES", 1)]
    assert evidence.right_sentence(found) == (
        "the same reply to the same question counts as right about United Kingdom (2 questions) and Spain "
        "(1 question)"
    )
    assert evidence.right_sentence(found.clear()) == ""


@pytest.mark.parametrize(
    ("reply", "key"),
    [
        ("  Fish & Chips! ", "fish chips"),
        ("떡볶이.", "떡볶이"),
        ("እንጀራ።", "እንጀራ"),
        ("نان و پنیر", "نان و پنیر"),
        ("भात", "भात"),
        ("?!", None),
        ("x" * 101, None),
    ],
)
def test_replies_are_compared_by_letters_and_digits(reply: str, key: str | None) -> None:
    assert pl.DataFrame({"answer": [reply]}).select(key=evidence.reply_key())["key"][0] == key


def cell(
    culture: str, difference: float, p_holm: float, language: str = "en", chance: float | None = 5.0
) -> dict[str, Any]:
    return {
        "language": language,
        "culture": culture,
        "share": 30.0,
        "chance": chance,
        "difference": difference,
        "p_holm": p_holm,
    }


def test_whose_answers_are_above_chance_is_said_for_each_language() -> None:
    cells = [
        cell("GB", 25.0, 0.001),
        cell("ES", 30.0, 0.04),
        cell("IR", 40.0, 0.06),
        cell("KR", -20.0, 0.001),
    ]
    cells += [cell("KP", 3.0, 0.5, "ko"), cell("AZ", 9.0, 0.001, "az", None)]
    assert [*evidence.whose_sentences(pl.DataFrame(cells))] == [
        "Asked in English, its wrong answers are above chance those of Spain (30.0 %, by chance 5.0 %); United "
        "Kingdom (30.0 %, by chance 5.0 %).",
        "Asked in Korean, its wrong answers are those of no other culture above chance.",
    ]


@pytest.mark.parametrize("models", ["xxyyxz", "xyz", "x", "", "yyxx", "-yy-xy", "y--y"])
def test_chosen_rows_are_those_of_a_filter_wherever_they_are(models: str) -> None:
    names = [None if name == "-" else name for name in models]
    rows = pl.DataFrame({"number": range(len(names)), "model": pl.Series(names, dtype=pl.String)})
    for name in "xyw":
        expected = rows.filter(pl.col("model") == name)
        assert chosen_rows(rows, rows["model"] == name).equals(expected)
