"""A survey from its files to scores: the forms of a question, how replies are read, what has no score, and whose
values a model's are."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.results import Inputs, make_results
from folkways.benchmarks.survey import BENCHMARK
from folkways.benchmarks.survey.results import instrument_effects
from folkways.benchmarks.survey.task import METRICS, ShownQuestion
from folkways.evidence.comparison import compare_judgements
from folkways.records import LEFT_OUT, listed_likelihoods
from folkways.releases.release_records import Release
from tests.support.hub_benchmarks import release_over
from tests.support.multiple_choice import judged, score

(TASK,) = BENCHMARK.tasks

AGREE = ["Agree", "Neither", "Disagree"]
RELIGION = ["One", "Another"]


def entry(key: str, options: list[str], *, ordered: bool, **more: Any) -> dict[str, Any]:
    values = [
        {"label": name, **({"value": 10 * place} if ordered else {})} for place, name in enumerate(options)
    ]
    return {
        "id": key,
        "text": f"What about {key}?",
        "options": [{"label": "Cannot say", "missing": True}, *values],
        "ordered": ordered,
        **more,
    }


def write_survey(
    folder: Path, counts: str | None = None, questions: list[dict[str, Any]] | None = None
) -> Release:
    asked = questions or [
        entry(
            "taxes",
            AGREE,
            ordered=True,
            texts={"ko": {"text": "세금?", "options": ["모름", "찬성", "중간", "반대"]}},
        ),
        entry("faith", RELIGION, ordered=False),
    ]
    (folder / "questions.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in asked), encoding="utf-8"
    )
    rows = counts or (
        "taxes,KR,0,10,10\ntaxes,KR,1,60,50\ntaxes,KR,2,30,25\ntaxes,KR,3,10,25\n"
        "taxes,Germany,3,100,100\nfaith,KR,1,5,5\nfaith,KR,2,5,5\nfaith,DE,2,,0.3\n"
    )
    (folder / "counts.csv").write_text(f"question,culture,option,count,weighted\n{rows}", encoding="utf-8")
    return release_over(folder, "survey")


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return write_survey(tmp_path)


def test_an_item_is_a_question_of_a_culture_with_weighted_shares_of_its_opinions(release: Release) -> None:
    items = TASK.items(release)
    assert items.select("item", "question", "culture", "respondents").rows() == [
        ("taxes/DE", "taxes", "DE", 100),
        ("taxes/KR", "taxes", "KR", 100),
        ("faith/DE", "faith", "DE", None),
        ("faith/KR", "faith", "KR", 10),
    ]
    assert items["shares"].to_list() == [[0, 0, 1], [0.5, 0.25, 0.25], [0, 1], [0.5, 0.5]]
    assert items["options"][0].to_list() == AGREE and items["no_opinion"][0].to_list() == ["Cannot say"]
    assert items["positions"].to_list() == [[0, 10, 20], [0, 10, 20], None, None]
    assert items["gold"][1] == "Agree 50%, Neither 25%, Disagree 25%"


def test_every_question_is_shown_in_both_orders_with_letters_and_numbers_in_two_wordings(
    release: Release,
) -> None:
    prompts = TASK.prompts(TASK.items(release), PromptOptions(), release).filter(item="faith/KR")
    assert prompts["variant"].to_list() == [
        f"{wording}-{labels}-{order}"
        for wording in ("one", "two")
        for labels in ("letters", "numbers")
        for order in ("given", "reversed")
    ]
    assert prompts["user"].n_unique() == 8
    listed = {row["variant"]: row["user"] for row in prompts.iter_rows(named=True)}
    assert "A. One\nB. Another\nC. Cannot say" in listed["one-letters-given"]
    assert "A. Another\nB. One\nC. Cannot say" in listed["two-letters-reversed"]  # no opinion stays last
    assert "1. Another\n2. One\n3. Cannot say" in listed["one-numbers-reversed"]
    assert prompts["choices"].to_list()[:4] == [[*"ABC"], [*"ABC"], [*"123"], [*"123"]]
    same = TASK.prompts(TASK.items(release), PromptOptions(), release).filter(item="faith/DE")
    assert same["user"].to_list() == prompts["user"].to_list()  # so that it is asked once for all cultures


def test_the_country_is_named_only_in_the_variants_that_do(release: Release) -> None:
    named = PromptOptions(variants=("country-one", "country-two"))
    prompts = TASK.prompts(TASK.items(release), named, release)
    assert prompts.height == 32 and all("Korea" in text for text in prompts.filter(item="taxes/KR")["user"])
    plain = TASK.prompts(TASK.items(release), PromptOptions(), release)
    assert not plain["user"].str.contains("Korea|Germany").any()


def test_another_language_has_its_own_texts(release: Release) -> None:
    prompts = TASK.prompts(TASK.items(release), PromptOptions(languages=("ko",)), release)
    assert set(prompts["item"]) == {"taxes/KR", "taxes/DE"}
    assert "세금?\n\nA. 찬성\nB. 중간\nC. 반대\nD. 모름" in prompts["user"][0]
    assert set(prompts["prompt_source"]) == {"folkways, in English"}


def test_a_scale_of_numbers_keeps_its_numbers_as_labels_in_either_order() -> None:
    item = {
        "text": "How much?",
        "options": ["1", "2", "3", "A great deal"],
        "positions": [1.0, 2.0, 3.0, 4.0],
        "no_opinion": ["Don't know"],
        "languages_of_texts": [],
    }
    shown = ShownQuestion.of(item, "en", "numbers", "reversed")
    assert shown.listed == "4. A great deal\n3\n2\n1\n99. Don't know"
    assert [index for _, _, index in shown.lines] == [3, 2, 1, 0, None]
    assert shown.read("2") == 2 and shown.read("I choose 99.") == 4 and shown.read("a great deal") == 0
    without = ShownQuestion.of({**item, "positions": None}, "en", "numbers", "as-is")
    assert without.listed == "1\n2\n3\n4. A great deal\n5. Don't know", "numbered as other options are"
    assert shown.read("between 2 and 3") is None and shown.read("5") is None and shown.read("20 %") is None


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ("B", 1),
        ("b)", 1),
        ("2", 1),
        ("Another", 1),
        ("A or B", None),
        ("", None),
        ("12", None),
        ("1.5", None),
    ],
)
def test_a_reply_is_read_by_label_or_option(reply: str, line: int | None) -> None:
    item = {"text": "?", "options": RELIGION, "positions": None, "no_opinion": [], "languages_of_texts": []}
    labels = "letters" if reply[:1].upper() in ("A", "B") and reply != "Another" else "numbers"
    assert ShownQuestion.of(item, "en", labels, "given").read(reply) == line


WORRIED = {
    "text": "How worried are you?",
    "options": ["Very", "A little", "Not at all"],
    "positions": None,
    "no_opinion": ["Don't know"],
    "languages_of_texts": [],
}
SECOND = [
    "{x}",
    "{x}.",
    "({x})",
    "**{x}**",
    "{x}. {own}",
    "{own}",
    "**{own}.**",
    "My answer: {own}",
    "The answer is {x}.",
    "Not {y}, but {x}",
    "{y}? No, {x}",
    "{x} because {y} is too strong",
    "I am {own} worried",
    "Answer: {x} ({own})",
    "Answer: {x}\n\n{y}. {other}",
    '{{"answer": "{x}", "reason": "{y} is too much"}}',
    "الجواب: {x}",
    "答案是{x}",
]
NOTHING = [
    "{x}. {other}",
    "{other} ({x})",
    "not {x}",
    "{x} is wrong",
    "{x} or {y}",
    "{y}. {other}\n{x}. {own}",
    "Both {x} and {y}",
    "Cevap {x} değil",
]


@pytest.mark.parametrize("labels", ["letters", "numbers"])
@pytest.mark.parametrize(
    ("reply", "line"), [*((reply, 1) for reply in SECOND), *((reply, None) for reply in NOTHING)]
)
def test_numbers_are_read_as_letters_are(reply: str, line: int | None, labels: str) -> None:
    """Else labels would seem to move the answers."""
    shown = ShownQuestion.of(WORRIED, "en", labels, "given")
    (y, other, _), (x, own, _) = shown.lines[:2]
    assert shown.read(reply.format(x=x, y=y, own=own, other=other)) == line


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        *((reply, 1) for reply in ("2", "٢", "२", "๒", "２", "②", "2️⃣", "第2个", "2번", "ข้อ 2", "رقم ٢")),
        *((reply, 1) for reply in ("2/3", "2 out of 4", "I would rate this 2", "I am 25 and say 2.")),
        *(
            (reply, None)
            for reply in ("2.5", "20 %", "2/5/1990", "-", "12", "In the last 2 years I was worried")
        ),
    ],
)
def test_numbers_in_any_digits(reply: str, line: int | None) -> None:
    assert ShownQuestion.of(WORRIED, "en", "numbers", "given").read(reply) == line


def test_a_scale_that_begins_below_zero_has_its_signs() -> None:
    item = WORRIED | {"options": ["-1", "0", "1"], "positions": [-1.0, 0.0, 1.0]}
    shown = ShownQuestion.of(item, "en", "numbers", "given")
    answers = ("-1", "My answer: −1", "1", "My answer: 1", "0")
    assert [shown.read(answer) for answer in answers] == [0, 0, 2, 2, 1]


@pytest.mark.parametrize("lines", [26, 27])
def test_more_lines_than_there_are_letters_are_numbered(lines: int) -> None:
    item = WORRIED | {"options": [f"option {number}" for number in range(1, lines)]}
    labels = ShownQuestion.of(item, "en", "letters", "reversed").labels
    assert labels == ([*ascii_uppercase] if lines == 26 else [str(number) for number in range(1, 28)])


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ("Honestly I would rate this 2", 1),
        ("Honestly I really would rate this 2", None),  # seven words
        ("Hypothetically speaking: undoubtedly a 2", 1),
        ("Hypothetically speaking: undoubtedly am 2", None),  # 41 characters
        ("I would not rate this 2", None),
        ("I would rate this 2, or 3", None),
        ("I rate this 2: Very", None),
        ("I rate this 2: A little", 1),
    ],
)
def test_a_number_in_a_few_words_is_the_answer(reply: str, line: int | None) -> None:
    assert ShownQuestion.of(WORRIED, "en", "numbers", "given").read(reply) == line


@pytest.mark.parametrize(
    ("variant", "chances", "expected"),
    [
        ("one-letters-given", (0.1, 0.2, 0.3, 0.4), ("D", "Cannot say", 0.6, [1 / 6, 1 / 3, 0.5])),
        ("one-letters-reversed", (0.1, 0.2, 0.3, 0.4), ("D", "Cannot say", 0.6, [0.5, 1 / 3, 1 / 6])),
        ("one-numbers-given", (0.5, 0.25, 0.25, 0.0), ("1", "Agree", 1.0, [0.5, 0.25, 0.25])),
        ("one-letters-given", (0.0, 0.0, 0.0, 1.0), ("D", "Cannot say", 0.0, [])),
        ("one-letters-given", (0.5, 0.5), ("B", "Neither", 1.0, [0, 1, 0])),  # not of these lines
    ],
)
def test_likelihoods_are_shares_of_all_lines(
    release: Release, variant: str, chances: tuple[float, ...], expected: tuple[str, str, float, list[float]]
) -> None:
    with np.errstate(divide="ignore"):
        listed = listed_likelihoods(np.log(chances))
    item = TASK.items(release).row(1, named=True)
    response = {"response": "B", "language": "en", "variant": variant, "finish_reason": listed}
    found = TASK.score(item, response, "strict")
    details = found.details
    assert (found.answer, details["chosen_option"]) == expected[:2]
    shares = [float(share) for share in (details["shares_of_reply"] or "").split()]
    assert [found.values["opinions"], *shares] == pytest.approx([expected[2], *expected[3]], abs=1e-4)
    assert details["_sampled"] is (max(chances) == 1.0 or len(chances) == 2)


@pytest.mark.parametrize("likely", [False, True])
def test_as_many_people_are_drawn_as_answers_were_sampled_and_none_for_likelihoods(
    release: Release, likely: bool
) -> None:
    items = TASK.items(release).filter(item="taxes/KR")
    rows = judged(TASK, release, of_option("Agree")).filter(item="taxes/KR")
    ended = listed_likelihoods(np.log([0.7, 0.1, 0.1, 0.1])) if likely else "stop"
    responses = rows.select("task", "item", "language", "variant", "sample", "state", "reason").with_columns(
        response=pl.lit("A"), finish_reason=pl.lit(ended)
    )
    found = TASK.judge(items, responses, "strict")
    assert found["similarity"].count() == 1 and found["of_as_many_people"].count() == (not likely)


def of_option(option: str | Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str | None]:
    """A model that always takes an option, wherever it is shown."""

    def reply(row: dict[str, Any]) -> str:
        wanted = option if isinstance(option, str) else option(row)
        for line in row["user"].splitlines():
            label, _, text = line.partition(". ")
            if text == wanted:
                return label
        return wanted

    return reply


def test_a_model_that_always_agrees_is_as_near_as_by_hand(release: Release) -> None:
    rows = judged(TASK, release, of_option(lambda row: "Agree" if row["question"] == "taxes" else "One"))
    values = rows.drop_nulls("similarity").select("item", "similarity", "wasserstein", "mean_gap")
    by_item = {name: numbers for name, *numbers in values.rows()}
    # JS divergence of (1,0,0) and (1/2,1/4,1/4), by hand
    middle = np.array([0.75, 0.125, 0.125])
    divergence = 0.5 * np.log2(1 / 0.75) + 0.5 * (0.5 * np.log2(0.5 / 0.75) + 0.5 * np.log2(0.25 / 0.125))
    assert middle.sum() == 1 and by_item["taxes/KR"][0] == pytest.approx(1 - np.sqrt(divergence))
    assert by_item["taxes/KR"][1:] == pytest.approx([(0.25 * 1 + 0.25 * 2) / 2, -0.375])
    assert by_item["taxes/DE"] == pytest.approx([0, 1, -1])
    assert by_item["faith/DE"] == [pytest.approx(0, abs=1e-9), None, None]
    assert rows.height == 32 and set(rows["opinions"]) == {1.0}
    assert rows.drop_nulls("similarity").height == 4  # one row of a question of a culture
    assert set(rows.drop_nulls("chosen_option")["chosen_option"]) == {"Agree", "One"}


def test_a_model_that_takes_the_first_line_answers_with_both_ends(release: Release) -> None:
    rows = judged(TASK, release, lambda row: row["choices"][0])
    row = rows.filter(pl.col("item") == "taxes/DE").drop_nulls("similarity").row(0, named=True)
    assert row["mean_gap"] == pytest.approx(-0.5) and row["wasserstein"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("silent", "why"),
    [
        (lambda row: True, "no opinion in any reply"),
        (lambda row: row["variant"].endswith("given"), "no opinion in one of the two orders"),
        (lambda row: row["variant"].startswith("one"), "no opinion in a second wording"),
    ],
)
@pytest.mark.parametrize("instead", ["I cannot share opinions.", "no idea at all", "Cannot say"])
def test_a_question_without_control_of_order_and_wording_has_no_score(
    release: Release, silent: Callable[[dict[str, Any]], bool], why: str, instead: str
) -> None:
    rows = judged(TASK, release, of_option(lambda row: instead if silent(row) else row["options"][0]))
    assert rows["similarity"].null_count() == rows.height
    assert rows[LEFT_OUT].drop_nulls().unique().to_list() == [why]
    whole = score(TASK, rows, "similarity")
    assert whole["score"] is None and whole["left_out"] == whole["n"] == 4
    share = rows["opinions"].mean()
    assert share == pytest.approx(
        np.mean([0.0 if silent(row) else 1.0 for row in rows.iter_rows(named=True)])
    )


def test_dont_know_is_readable_and_no_opinion_and_out_of_the_distribution(release: Release) -> None:
    def reply(row: dict[str, Any]) -> str:
        return "Cannot say" if row["variant"] == "one-letters-given" else row["options"][0]

    rows = judged(TASK, release, of_option(reply))
    passed = rows.filter(variant="one-letters-given")
    assert set(passed["state"]) == {"answered"} and set(passed["opinions"]) == {0.0}
    assert set(passed["chosen_option"]) == {"Cannot say"}
    assert score(TASK, rows, "similarity", "culture", "DE")["score"] == pytest.approx(0, abs=1e-6)


def test_lost_replies_are_lost_and_not_far_away(release: Release) -> None:
    rows = judged(TASK, release, lambda row: None)
    whole = score(TASK, rows, "similarity")
    assert whole["missing"] == whole["n"] == 4 and whole["score"] is None


FORMS = [
    f"{wording}-{labels}-{order}"
    for wording in ("one", "two")
    for labels in ("letters", "numbers")
    for order in ("given", "reversed")
]


def test_one_wording_alone_gives_no_score(release: Release) -> None:
    """Though every reply to it has an opinion."""
    asked = PromptOptions(variants=("one",))
    rows = judged(TASK, release, of_option(lambda row: row["options"][0]), asked)
    whole = score(TASK, rows, "similarity")
    assert (whole["score"], whole["left_out"], whole["answered"]) == (None, 4, 4)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("instead", ["I cannot share opinions.", "no idea at all"])
def test_a_question_with_a_score_is_answered_whatever_one_form_got(
    release: Release, form: str, instead: str
) -> None:
    rows = judged(
        TASK, release, of_option(lambda row: instead if row["variant"] == form else row["options"][0])
    )
    whole = score(TASK, rows, "similarity")
    assert whole["answered"] == whole["n"] == 4 and whole["score"] is not None


@pytest.mark.parametrize("form", FORMS)
def test_a_question_that_lost_the_reply_to_any_one_form_keeps_its_score(release: Release, form: str) -> None:
    everything = judged(TASK, release, of_option(lambda row: row["options"][0]))
    lacking = judged(
        TASK, release, lambda row: None if row["variant"] == form else of_option(row["options"][0])(row)
    )
    for metric in ("similarity", "wasserstein", "mean_gap"):
        whole, less = score(TASK, everything, metric), score(TASK, lacking, metric)
        assert less["score"] == pytest.approx(whole["score"]) and less["missing"] == 0
        assert (less["n"], less["answered"]) == (whole["n"], whole["answered"])
    assert score(TASK, lacking, "opinions")["missing"] == 4


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("instead", [None, "I cannot share opinions.", "no idea at all"])
def test_models_are_compared_on_a_question_though_one_had_no_opinion_in_one_form(
    release: Release, form: str, instead: str | None
) -> None:
    def in_all_but_one(row: dict[str, Any]) -> str | None:
        return instead if row["variant"] == form else of_option(row["options"][-1])(row)

    frames = {
        "whole": judged(TASK, release, of_option(lambda row: row["options"][0])),
        "lacking": judged(TASK, release, in_all_but_one),
    }
    (similarity,) = (metric for metric in METRICS if metric.name == "similarity")
    found = compare_judgements(frames, TASK.name, "strict", similarity)
    first, second, n = found.differences.filter(facet="all").select("first_score", "second_score", "n").row(0)
    assert n == 4 and not any("left out" in note for note in found.answers.notes(("whole", "lacking")))
    assert [first, second] == pytest.approx(
        [score(TASK, frame, "similarity")["score"] for frame in frames.values()]
    )


@pytest.mark.parametrize("half", ["given", "reversed", "one", "two"])
def test_a_question_without_score_for_want_of_replies_is_lost(release: Release, half: str) -> None:
    """It is none about which the model had no opinion."""
    rows = judged(
        TASK,
        release,
        lambda row: None if half in row["variant"].split("-") else of_option(row["options"][0])(row),
    )
    whole = score(TASK, rows, "similarity")
    assert whole["missing"] == whole["n"] == 4 and whole["left_out"] == 0 and whole["score"] is None
    assert rows[LEFT_OUT].null_count() == rows.height


@pytest.mark.parametrize("silent", ["taxes", "faith"])
def test_a_lost_question_is_farthest_from_people(release: Release, silent: str) -> None:
    """In the metrics that it has: no lost reply brings a model nearer."""
    everything = judged(TASK, release, of_option(lambda row: row["options"][0]))
    lacking = judged(
        TASK, release, lambda row: None if row["question"] == silent else of_option(row["options"][0])(row)
    )
    for metric, n, lost_value in (
        ("similarity", 4, 0.0),
        ("wasserstein", 2, 1.0),
        ("mean_gap", 2, None),
        ("of_as_many_people", 4, None),
    ):
        values = dict(everything.drop_nulls(metric).select("item", metric).iter_rows())
        rest = [value for item, value in values.items() if not item.startswith(silent)]
        lost = [lost_value] * (n - len(rest)) if lost_value is not None else []
        whole = score(TASK, lacking, metric)
        assert len(values) == n and whole["n"] == len(rest) + len(lost) and whole["missing"] == len(lost)
        expected = 100 * float(np.mean([*rest, *lost])) if rest else None
        assert whole["score"] == (expected if expected is None else pytest.approx(expected, abs=1e-6))


def test_metrics_of_a_question_have_no_score_by_form(release: Release) -> None:
    scores = TASK.summarise(judged(TASK, release, of_option("Agree")))
    assert set(scores.filter(facet="variant")["metric"]) == {"opinions"}
    assert {"DE", "KR"} == set(scores.filter(facet="culture", metric="similarity")["value"])


@pytest.mark.parametrize(
    ("variants", "headline"),
    [
        (("one", "two"), []),
        (("country-one", "country-two"), []),
        (("one", "two", "country-one", "country-two"), ["as it is", "country"]),
    ],
)
def test_a_models_own_answers_and_those_for_a_named_country_are_never_one_headline(
    release: Release, variants: tuple[str, ...], headline: list[str]
) -> None:
    def reply(row: dict[str, Any]) -> str:
        return row["options"][0 if row["variant"].startswith("country") else -1]

    everything = judged(TASK, release, of_option(reply), PromptOptions(variants=variants))
    scores = TASK.summarise(everything)
    apart = scores.filter(facet=METRICS[0].headline_by, metric="similarity").sort("value")
    assert apart["value"].to_list() == headline
    for value, named in zip(headline, (False, True), strict=False):
        alone = PromptOptions(variants=tuple(name for name in variants if ("country" in name) is named))
        expected = score(TASK, judged(TASK, release, of_option(reply), alone), "similarity")
        row = apart.row(by_predicate=pl.col("value") == value, named=True)
        assert (row["score"], row["n"]) == (pytest.approx(expected["score"]), 4)
    assert len(set(apart["score"].round(6))) == len(headline)
    compared = compare_judgements({"m": everything, "n": everything}, TASK.name, "strict", METRICS[0])
    ways = compared.answers.groups["variant"].unique().sort().to_list()
    assert ways == (headline or ["country" if "country-one" in variants else "as it is"])


def test_baselines_and_people_have_a_score_without_condition(release: Release) -> None:
    uniform = TASK.baselines(TASK.items(release))["baseline/uniform"]
    assert not TASK.summarise(uniform).filter(facet=METRICS[0].headline_by).height


def test_equal_shares_and_halves_of_people_are_references(release: Release) -> None:
    items = TASK.items(release)
    uniform = TASK.baselines(items)["baseline/uniform"]
    assert uniform["similarity"][3] == pytest.approx(1)  # faith in KR: half and half
    assert uniform["wasserstein"].to_list()[1:3] == [pytest.approx((1 / 6 + 1 / 12) / 2), None]
    halves = TASK.human_baseline().judge(items.select("item"), release, "strict")
    assert halves is not None and halves["item"].to_list() == ["taxes/DE", "taxes/KR", "faith/KR"]
    assert halves["similarity"][0] == pytest.approx(1) and 0.5 < halves["similarity"][2] < 0.9


def test_no_metric_is_an_accuracy() -> None:
    assert not any(metric.accuracy for metric in METRICS)
    assert {metric.kind for metric in METRICS} == {"distribution", "mean"}


def test_a_scale_may_fall_and_counts_may_stand_for_weights(tmp_path: Path) -> None:
    falling = [{"label": name, "value": at} for name, at in zip("ABC", (3, 2.5, -1), strict=True)]
    texts = {"en": {"text": "Other?", "options": [*"abc"]}, "ko": {"text": "?", "options": [*"abc"]}}
    asked = entry("taxes", AGREE, ordered=True, texts=texts) | {"options": falling}
    (item,) = TASK.items(write_survey(tmp_path, "taxes,KR,0,30, \ntaxes,KR,2,10,\n", [asked])).iter_rows(
        named=True
    )
    assert (item["positions"], item["shares"], item["respondents"]) == ([3.0, 2.5, -1.0], [0.75, 0, 0.25], 40)
    assert (item["languages_of_texts"], item["scale"]) == (["ko"], "ordered")


@pytest.mark.parametrize("people", [29, 30])
def test_cultures_of_fewer_than_thirty_people_are_named(tmp_path: Path, people: int) -> None:
    assert BENCHMARK.reader is not None
    rows = f"taxes,KR,1,{people - 10},50\ntaxes,KR,2,10,50\ntaxes,DE,1,,0.5\nfaith,KR,1,40,40\n"
    found = BENCHMARK.reader.check(write_survey(tmp_path, rows))
    expected = [("few-people", "taxes", "KR: counts as only 29 people")] if people == 29 else []
    assert [(issue.kind, issue.key, issue.message) for issue in found] == expected


def test_a_question_of_nobodys_opinion_is_named(tmp_path: Path) -> None:
    rows = "taxes,KR,1,60,60\nfaith,KR,0,5,5\n"
    assert BENCHMARK.reader is not None
    found = BENCHMARK.reader.check(write_survey(tmp_path, rows))
    assert [(issue.kind, issue.key) for issue in found] == [("no-answers", "faith")]
    assert found[0].message == "nobody has an opinion"


# ---- whose values, and the instrument


def many(folder: Path) -> Release:
    """Twelve questions; people of DE mostly take the first option, of KR the last, of US either."""
    questions = [entry(f"q{number}", AGREE, ordered=True) for number in range(12)]
    shares = {"DE": (80, 10, 10), "KR": (10, 10, 80), "US": (45, 10, 45)}
    rows = "".join(
        f"{one['id']},{culture},{option},{count},{count}\n"
        for one in questions
        for culture, counts in shares.items()
        for option, count in enumerate((counts[0] + int(one["id"][1:]), *counts[1:]), 1)
    )
    return write_survey(folder, rows, questions)


def analysed(release: Release, reply: Callable[[dict[str, Any]], str | None]) -> dict[str, pl.DataFrame]:
    rows = judged(TASK, release, reply).with_columns(endpoint=pl.lit("model"), profile=pl.lit("strict"))
    inputs = Inputs(rows, {TASK.name: METRICS}, {TASK.name: release})
    made, left_out = make_results(BENCHMARK.results, inputs)
    assert not left_out
    return {one.result.name: one.tables[0].rows for one in made}


def test_whose_values_tells_the_culture_that_a_model_answers_like(tmp_path: Path) -> None:
    def mostly_first(row: dict[str, Any]) -> str:
        return "Disagree" if row["variant"] == "two-letters-given" else "Agree"

    rows = analysed(many(tmp_path), of_option(mostly_first))["survey-whose-values"]
    by_culture = {row["culture"]: row for row in rows.iter_rows(named=True)}
    assert by_culture["DE"]["corrected"] > by_culture["US"]["corrected"] > by_culture["KR"]["corrected"]
    assert by_culture["DE"]["difference"] > 0 > by_culture["KR"]["difference"]
    assert by_culture["KR"]["p_holm"] < 0.01 and by_culture["KR"]["nearest"] == "United States"
    assert by_culture["DE"]["half_of_people"] > by_culture["DE"]["world"] > by_culture["KR"]["similarity"]
    assert all(
        row["corrected_low"] <= row["corrected"] <= row["corrected_high"] for row in by_culture.values()
    )


def likeness(first: Sequence[float], second: Sequence[float]) -> float:
    from scipy.spatial.distance import jensenshannon

    return 100 * (1 - float(np.nan_to_num(jensenshannon(np.array(first), np.array(second), base=2))))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of scipy, where the two are alike
def test_each_number_of_whose_values_by_hand(tmp_path: Path) -> None:
    """Of a model that always agrees; the people who are nearest were not asked the first question."""
    release = many(tmp_path)
    counts = (tmp_path / "counts.csv").read_text().splitlines()
    (tmp_path / "counts.csv").write_text("\n".join(row for row in counts if not row.startswith("q0,US")))
    rows = analysed(release, of_option("Agree"))["survey-whose-values"]
    shares = {
        name: [np.array([first + n, 10, last]) / (first + n + 10 + last) for n in range(12)]
        for name, first, last in (("DE", 80, 10), ("US", 45, 45), ("KR", 10, 80))
    }
    for row in rows.iter_rows(named=True):
        name, asked = row["culture"], range(row["culture"] == "US", 12)
        real = [shares[name][n] for n in asked]
        others = [[shares[one][n] for one in shares if one != name and (one, n) != ("US", 0)] for n in asked]
        near = [(shares["KR" if name == "US" else "US"][n], shares[name][n]) for n in range(1, 12)]
        expected = {
            "similarity": [likeness((1, 0, 0), one) for one in real],
            "world": [likeness(np.mean(they, axis=0), one) for they, one in zip(others, real, strict=True)],
            "nearest_similarity": [likeness(they, one) for they, one in near],
            "uniform": [likeness((1 / 3, 1 / 3, 1 / 3), one) for one in real],
        }
        assert {each: row[each] for each in expected} == {
            each: pytest.approx(float(np.mean(values)), abs=1e-5) for each, values in expected.items()
        }
        assert row["questions"] == len(real) and row["nearest"] == (
            "South Korea" if name == "US" else "United States"
        )


@pytest.mark.parametrize(
    ("cultures", "by_line", "reading"),
    [
        (
            ("DE", "KR", "US"),
            ("one", "two"),
            "as large as between cultures: do not read the scores as values",
        ),
        (("DE", "KR", "US"), ("one",), "smaller than between cultures"),
        (("DE", "KR", "US"), (), "no effect shown"),
        (("DE",), ("one",), "an effect"),
    ],
)
def test_an_effect_of_the_form_is_read_beside_what_is_between_cultures(
    tmp_path: Path, cultures: tuple[str, ...], by_line: tuple[str, ...], reading: str
) -> None:
    """by_line: the wordings in which the model takes the first line, whatever it says; else it agrees."""
    release = many(tmp_path)
    items = TASK.items(release).filter(pl.col("culture").is_in(cultures))

    def reply(row: dict[str, Any]) -> str:
        return row["choices"][0] if row["variant"].split("-")[0] in by_line else of_option("Agree")(row) or ""

    rows = judged(TASK, release, reply).filter(pl.col("culture").is_in(cultures))
    table = instrument_effects(rows.with_columns(endpoint=pl.lit("m")), items, "survey").rows
    (order,) = table.filter(factor="order").iter_rows(named=True)
    assert order["reading"] == reading
    shares = [
        np.array([[first + n, 10, last] for n in range(12)]) for first, last in ((80, 10), (10, 80), (45, 45))
    ]
    pairs = [
        likeness(one / one.sum(), other / other.sum())
        for first, second in itertools.combinations(shares, 2)
        for one, other in zip(first, second, strict=True)
    ]
    between = None if len(cultures) == 1 else pytest.approx(100 - float(np.mean(pairs)))
    assert order["between_cultures"] == between


def test_a_question_that_names_a_country_is_asked_anew_for_each(tmp_path: Path) -> None:
    release = many(tmp_path)
    named = PromptOptions(variants=("country-one", "country-two"))
    rows = judged(TASK, release, of_option("Agree"), named).with_columns(endpoint=pl.lit("m"))
    rows = rows.filter(pl.col("question").is_in([f"q{number}" for number in range(5)]))
    table = instrument_effects(rows, TASK.items(release), "survey").rows
    assert set(table.select("condition", "questions").rows()) == {("country", 15)}, "of three countries"


@pytest.mark.parametrize("lost", ["two-letters-given", "two-letters-reversed"])
def test_a_form_whose_counterpart_was_not_answered_says_nothing_of_order(tmp_path: Path, lost: str) -> None:
    other = {"two-letters-given": "two-letters-reversed"}.get(lost, "two-letters-given")

    def reply(row: dict[str, Any]) -> str | None:
        if row["variant"] == lost:
            return "no idea at all"
        return of_option("Disagree" if row["variant"] == other else "Agree")(row)

    effects = analysed(many(tmp_path), reply)["survey-instrument"]
    distance = dict(effects.select("factor", "distance").iter_rows())
    assert distance["order"] == pytest.approx(0, abs=1e-6) and distance["wording"] > 1


@pytest.mark.parametrize("questions", [4, 5])
def test_nothing_is_said_of_fewer_than_five_questions(tmp_path: Path, questions: int) -> None:
    asked = [entry(f"q{number}", AGREE, ordered=False) for number in range(questions)]
    rows = "".join(
        f"q{number},{one},1,{30 + number},1\n" for number in range(questions) for one in ("DE", "KR")
    )
    release = write_survey(tmp_path, rows, asked)
    rows_ = judged(TASK, release, of_option("Agree")).with_columns(
        endpoint=pl.lit("m"), profile=pl.lit("strict")
    )
    made, left_out = make_results(
        BENCHMARK.results, Inputs(rows_, {TASK.name: METRICS}, {TASK.name: release})
    )
    if questions < 5:
        assert not made and all("needs 5 questions or more" in str(why) for why in left_out.values())
    else:
        values = made[0].tables[0].rows
        assert [one.result.name for one in made] == ["survey-whose-values", "survey-instrument"]
        assert values.select("culture", "questions", "nearest").rows() == [
            ("DE", 5, "South Korea"), ("KR", 5, "Germany")
        ]  # fmt: skip


def test_another_language_is_a_condition_of_its_own_and_unknown_numbers_of_people_have_no_halves(
    tmp_path: Path,
) -> None:
    texts = {"ko": {"text": "?", "options": ["모름", "찬성", "중간", "반대"]}}
    asked = [entry(f"q{number}", AGREE, ordered=True, texts=texts) for number in range(5)]
    shares = "".join(
        f"q{number},{one},{1 + (one == 'KR')},,1\n" for number in range(5) for one in ("DE", "KR")
    )
    release = write_survey(tmp_path, shares, asked)
    both = PromptOptions(languages=("en", "ko"))
    rows = judged(TASK, release, of_option(lambda row: {"en": "Agree", "ko": "중간"}[row["language"]]), both)
    inputs = Inputs(
        rows.with_columns(endpoint=pl.lit("m"), profile=pl.lit("strict")),
        {TASK.name: METRICS},
        {TASK.name: release},
    )
    made, _ = make_results(BENCHMARK.results, inputs)
    values = made[0].tables[0].rows.sort("condition", "culture")
    assert values.select("condition", "culture", "similarity", "half_of_people").rows() == [
        ("", "DE", pytest.approx(100), None), ("", "KR", pytest.approx(0, abs=1e-6), None),
        ("in ko", "DE", pytest.approx(0, abs=1e-6), None), ("in ko", "KR", pytest.approx(100), None),
    ]  # fmt: skip


def test_the_instrument_finds_what_moves_the_answers_and_nothing_else(tmp_path: Path) -> None:
    release = many(tmp_path)
    by_first_line = analysed(release, lambda row: row["choices"][0])["survey-instrument"]
    effects = {row["factor"]: row for row in by_first_line.iter_rows(named=True)}
    assert effects["order"]["distance"] == pytest.approx(100)
    assert effects["order"]["p_holm"] < 0.01 and "do not read" in effects["order"]["reading"]
    for factor in ("labels", "wording"):
        assert effects[factor]["distance"] == pytest.approx(0, abs=1e-6)
        assert effects[factor]["reading"] == "no effect shown"
    assert set(by_first_line["questions"]) == {12}  # each once, whatever the cultures
    by_opinion = analysed(release, of_option("Neither"))["survey-instrument"]
    assert by_opinion["distance"].to_list() == pytest.approx([0, 0, 0], abs=1e-6)
