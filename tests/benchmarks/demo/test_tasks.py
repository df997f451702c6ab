"""The demo's four verbs: what is asked, how replies are judged, and what comes of failures."""

from __future__ import annotations

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.demo.tasks import contains_answer
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.records import JUDGEMENTS, PROMPTS, State, require_columns
from folkways.releases.release_records import Release
from tests.support.demo_replies import BY_NAME, gold_reply, judge, respond


def prompts(name: str, release: Release, **options: object) -> pl.DataFrame:
    task = BY_NAME[name]
    return task.prompts(task.items(release), PromptOptions(**options), release)  # type: ignore[arg-type]


def test_prompts_are_complete_and_follow_the_items(task: Task, release: Release) -> None:
    items = task.items(release)
    found = task.prompts(items, PromptOptions(), release)
    assert list(found.columns) == list(PROMPTS)
    assert found["item"].unique(maintain_order=True).to_list() == items["item"].to_list()
    assert not found["user"].str.contains(r"\{\w+\}").any()
    assert found.select("item", "language", "variant").is_unique().all()
    assert set(found["prompt_source"]) == {"folkways"}


def test_short_answers_are_asked_in_both_languages_and_once_where_there_is_one(release: Release) -> None:
    found = prompts("demo/saq", release)
    assert found.height == 36 * 2 - 4
    assert found.filter(item="KR/food-1")["language"].to_list() == ["ko", "en"]
    assert found.filter(item="US/school-1")["language"].to_list() == ["en"]
    assert "국을 먹나요" in found.filter(item="KR/food-1")["user"][0]


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        (("local",), 36),
        (("en",), 36),
        (("ko",), 4),
        (("Korean", "kor"), 4),
        (("local", "en"), 68),
        (("en", "local"), 68),
    ],
)
def test_languages_can_be_chosen(languages: tuple[str, ...], expected: int, release: Release) -> None:
    assert prompts("demo/saq", release, languages=languages).height == expected


def test_an_english_task_is_asked_in_english_where_local_is_wanted(release: Release) -> None:
    assert set(prompts("demo/mcq", release, languages=("local",))["language"]) == {"en"}


def test_a_language_that_is_not_offered_is_an_error_with_those_that_are(release: Release) -> None:
    with pytest.raises(UnknownNameError, match=r"'ko'\nvalid: en, local"):
        prompts("demo/mcq", release, languages=("ko",))


def test_options_and_labels_are_in_the_prompt(release: Release) -> None:
    first = prompts("demo/mcq", release).row(0, named=True)
    assert first["choices"] == ["A", "B", "C", "D"]
    assert "C. Thanksgiving\nD. Independence Day" in first["user"]
    statement = prompts("demo/true-false", release).row(0, named=True)
    assert statement["choices"] == ["True", "False"]
    assert statement["user"].count("door to door") == 1


def test_what_is_to_be_found_is_not_shown(release: Release) -> None:
    marked = BY_NAME["demo/identification"].items(release)["gold"]
    shown = prompts("demo/identification", release)["user"]
    assert marked.str.contains("<CSI>").all()
    assert not any(gold in text for gold, text in zip(marked, shown, strict=True))
    hidden = prompts("demo/prediction", release)
    assert not hidden["user"].str.contains("thank-you note|Sunday roast|tuxedo").any()
    assert hidden["user"].str.count_matches(r"<CSI>\[MASK\]</CSI>").to_list() == [1] * 7 + [2, 2, 2, 1, 1]


def test_adaptation_names_culture_and_language(release: Release) -> None:
    found = prompts("demo/adaptation", release).filter(item="TR/s10")
    assert found["language"].to_list() == ["tr", "en"]
    assert "Turkish for a reader from Turkey" in found["user"][0]
    assert "English for a reader from Turkey" in found["user"][1]


def test_a_users_prompt_text_takes_the_place_of_ours(release: Release) -> None:
    found = prompts("demo/mcq", release, prompt_texts={"short": "{q} {options} {{unknown}}"})
    assert set(found["variant"]) == {"short"}
    assert set(found["prompt_source"]) == {"file:short"}
    assert found["user"][0].endswith("D. Independence Day {unknown}")
    both = prompts("demo/mcq", release, prompt_texts={"short": "{q} {options}"}, variants=("all",))
    assert both["variant"].unique().sort().to_list() == ["plain", "short"]
    with pytest.raises(FolkwaysError, match="no place for"):
        prompts("demo/mcq", release, prompt_texts={"short": "Just guess."})
    with pytest.raises(UnknownNameError, match="unknown variant of demo/mcq: 'inst-4'"):
        prompts("demo/mcq", release, variants=("inst-4",))


def test_right_replies_are_judged_right_and_score_100(task: Task, release: Release) -> None:
    judged = require_columns(judge(task, release, gold_reply), JUDGEMENTS, "judgements")
    assert judged["counted"].all()
    assert set(judged["state"]) == {"answered"}
    whole = task.summarise(judged).filter(facet="all")
    assert whole["metric"].to_list() == [metric.name for metric in task.metrics]
    assert whole["score"].to_list() == [100.0] * len(task.metrics)


@pytest.mark.parametrize("state", [State.FAILED, State.MISSING, State.REFUSED])
def test_without_an_answer_every_item_stays_in_the_denominator(
    task: Task, state: State, release: Release
) -> None:
    judged = judge(task, release, lambda item, language: state)
    right = judge(task, release, gold_reply)
    assert set(judged["state"]) == {str(state)}
    assert set(judged["reason"]) == {"the server hung up"}
    lost, best = (task.summarise(table).filter(facet="all") for table in (judged, right))
    if state is State.REFUSED:
        assert lost["score"].to_list() == [0.0] * len(task.metrics)
    else:  # who never replied has no score, and certainly not 0
        assert lost["score"].is_nan().all()
    assert lost["n"].to_list() == best["n"].to_list()


def test_judgements_keep_the_order_of_the_responses(task: Task, release: Release) -> None:
    responses = respond(task, release, gold_reply).reverse()
    judged = task.judge(task.items(release), responses, "strict")
    keys = ["item", "language", "variant", "sample"]
    assert judged.select(keys).equals(responses.select(keys))


@pytest.mark.parametrize(
    "reply", ["I'm sorry, but I cannot answer that.", "As an AI language model I do not know."]
)
def test_a_reply_that_declines_is_a_refusal_and_wrong(task: Task, reply: str, release: Release) -> None:
    judged = judge(task, release, lambda item, language: reply)
    assert set(judged["state"]) == {"refused"}
    assert set(task.summarise(judged).filter(facet="all")["score"]) == {0.0}


def test_a_sentence_given_back_without_tags_is_an_answer_and_other_text_is_none(release: Release) -> None:
    task = BY_NAME["demo/identification"]
    texts = dict(task.items(release).select("item", "text").iter_rows())
    judged = judge(task, release, lambda item, language: f'"{texts[item["item"]]}"')
    assert set(judged["state"]) == {"answered"}
    assert set(judged["si_csi"]) == {0.0}
    assert set(judge(task, release, lambda item, language: "Fine weather today!")["state"]) == {"unreadable"}


@pytest.mark.parametrize("reply", ["", " \n "])
def test_an_empty_reply_is_unreadable(task: Task, reply: str, release: Release) -> None:
    assert set(judge(task, release, lambda item, language: reply)["state"]) == {"unreadable"}


def test_a_refusal_in_the_language_asked_is_one(release: Release) -> None:
    judged = judge(
        BY_NAME["demo/saq"], release, lambda item, language: "모르겠습니다." if language == "ko" else "x"
    )
    assert set(judged.filter(language="ko")["state"]) == {"refused"}
    assert set(judged.filter(language="de")["state"]) == {"answered"}


def test_one_wrong_statement_makes_the_question_wrong(release: Release) -> None:
    def all_but_one(item: dict[str, str], language: str) -> str:
        wrong = item["item"] == "KR/manners-1/3"
        return {"True": "False", "False": "True"}[item["truth"]] if wrong else item["truth"]

    task = BY_NAME["demo/true-false"]
    scores = task.summarise(judge(task, release, all_but_one))
    korea = scores.filter(facet="culture", value="KR")
    assert korea.select("metric", "score", "n").rows() == [("all_right", 0.0, 1), ("right", 75.0, 4)]
    assert scores.filter(facet="all", metric="all_right").select("n", "score").row(0) == (
        9,
        pytest.approx(100 * 8 / 9),
    )


def test_a_question_whose_statements_were_not_all_asked_has_no_value(release: Release) -> None:
    task = BY_NAME["demo/true-false"]
    responses = respond(task, release, gold_reply).head(3)
    assert task.judge(task.items(release), responses, "strict")["all_right"].to_list() == [None] * 3


@pytest.mark.parametrize("lost", range(4))
@pytest.mark.parametrize("wrong", [None, *range(4)])
def test_a_lost_statement_leaves_a_question_open_unless_another_is_wrong(
    lost: int, wrong: int | None, release: Release
) -> None:
    """The score at best has the question as right only where it may be."""

    def reply(item: dict[str, str], language: str) -> str | State:
        number = int(item["item"].rpartition("/")[2]) - 1
        other = {"True": "False", "False": "True"}[item["truth"]]
        return State.FAILED if number == lost else other if number == wrong else item["truth"]

    task = BY_NAME["demo/true-false"]
    judged = judge(task, release, reply)
    scores = task.summarise(judged).filter(facet="all", metric="all_right")
    decided = wrong not in (None, lost)
    assert scores.select("score", "at_best").row(0) == (
        None if not decided else 0.0, 0.0 if decided else 100.0
    )  # fmt: skip
    assert judged.filter(pl.col("all_right").is_not_null())["state"].unique().to_list() == [
        "answered" if decided else "failed"
    ]


def test_refusing_to_adapt_is_right_only_where_nothing_fits(release: Release) -> None:
    task = BY_NAME["demo/adaptation"]
    for spelling in ("Non-transferable", "non transferrable."):
        judged = judge(task, release, lambda item, language, reply=spelling: reply)
        impossible = pl.col("item").is_in(["TR/s07", "KR/s05"])
        assert judged.filter(impossible)["transferable"].to_list() == [1.0] * 4
        assert judged.filter(impossible)["si_csi"].to_list() == [None] * 4
        assert set(judged.filter(~impossible)["transferable"]) == {0.0}
        assert set(judged.filter(~impossible)["si_csi"]) == {0.0}


@pytest.mark.parametrize(
    ("reply", "answer", "language", "expected"),
    [
        ("I think it is TEA.", "tea", "en", True),
        ("steak", "tea", "en", False),
        ("Maybe 17", "1", "en", False),
        ("20%, I would say", "20%", "en", True),
        ("ÇAY ikram edilir", "çay", "tr", True),
        ("çaydanlık", "çay", "tr", False),
        ("KOLONYASI dökülür", "kolonyası", "tr", True),
        ("Es el cempasuchil", "cempasúchil", "es", True),
        ("미역국을 먹습니다", "미역국", "ko", True),
        ("떡국", "미역국", "ko", False),
        ("원입니다.", "원", "ko", True),
        ("한국 원", "원", "ko", True),
        ("병원에 갑니다", "원", "ko", False),
        ("人们吃月饼。", "月饼", "zh", True),
        ("በእንጀራ ላይ", "እንጀራ", "am", True),
        ("M-PESA", "M-Pesa", "sw", True),
    ],
)
def test_an_answer_is_found_as_whole_words_where_words_have_borders(
    reply: str, answer: str, language: str, expected: bool
) -> None:
    assert contains_answer(reply, answer, language) is expected


def test_an_english_answer_counts_in_a_local_run_and_not_the_other_way_round(release: Release) -> None:
    judged = judge(
        BY_NAME["demo/saq"], release, lambda item, language: "asparagus" if language == "de" else "Spargel"
    )
    asparagus = judged.filter(item="DE/food-2")
    assert dict(asparagus.select("language", "correct").iter_rows()) == {"de": 1.0, "en": 0.0}


def test_a_response_to_an_unknown_item_is_named_with_its_row(release: Release) -> None:
    task = BY_NAME["demo/mcq"]
    responses = respond(task, release, gold_reply).with_columns(item=pl.lit("XX/nothing-1"))
    with pytest.raises(DataError, match=r"row 1: demo/mcq has no item 'XX/nothing-1'"):
        task.judge(task.items(release), responses, "strict")


def test_there_is_one_profile_under_every_benchmarks_names(task: Task) -> None:
    assert {task.resolve_profile(name) for name in (None, "strict", "paper", "lenient")} == {"strict"}
    with pytest.raises(UnknownNameError, match="unknown profile of demo/"):
        task.resolve_profile("loose")
