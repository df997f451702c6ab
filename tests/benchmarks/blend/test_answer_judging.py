"""Judgements of short answers, as whole rows, on items written by hand."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.blend.answer_judging import ITEM_COLUMNS, judge_answers
from folkways.errors import DataError
from folkways.records import JUDGEMENTS, RESPONSES, State
from tests.support.blend_data import group

METRICS = (
    "sem_b",
    "sem_w",
    "sem_b_first",
    "refusal",
    "other_script",
    "other_language",
    "answers_given",
    "inside_word",
)
TEMPLATES = json.dumps(
    {"inst": ["Say it.\nQuestion: {q}\nAnswer:", "말해요.\n질문: {q}\n답변:"]}, ensure_ascii=False
)
TEA = [group(["보리차"], ["barley tea"], 3), group(["차"], ["tea"], 1)]
CAFE = [group(["café"], ["coffee"], 2)]
ANYTHING = [group([""], [""], 2)]


def item(
    name: str, local_language: str, groups: list[dict[str, Any]], skip_reason: str | None = None
) -> dict[str, Any]:
    return {
        "item": name,
        "question": name.split("/")[1],
        "culture": name.split("/")[0],
        "topic": None,
        "question_local": "무엇?" if local_language == "ko" else "What is drunk here?",
        "question_en": "What is drunk there?",
        "local_language": local_language,
        "templates": TEMPLATES,
        "groups": groups,
        "skip_reason": skip_reason,
    }


ITEMS = pl.DataFrame(
    [
        item("KR/tea", "ko", TEA),
        item("ES/tea", "es", CAFE),
        item("US/tea", "en", [group(["coffee"], ["coffee"], 2), group(["None"], ["None"], 1)]),
        item("KR/any", "ko", ANYTHING),
        item("KR/few", "ko", TEA, "skipped: too few"),
        item("KR/odd", "ko", [group(["?"], [], 1)]),
        item("US/own", "en", [group(["drunk"], ["drunk"], 1), group(["mouse"], ["mouse"], 1)]),
    ],
    schema_overrides={"topic": pl.String, "skip_reason": pl.String},
)


def judged(
    profile: str,
    *rows: tuple[str, str, str | None],
    state: str = State.ANSWERED,
    reason: str | None = None,
    variant: str = "inst",
) -> pl.DataFrame:
    table = [
        ("blend/saq", name, language, variant, 0, state, reply, reason) for name, language, reply in rows
    ]
    return judge_answers(ITEMS, pl.DataFrame(table, schema=dict(RESPONSES), orient="row"), profile, METRICS)


def row(profile: str, name: str, language: str, reply: str | None, **more: Any) -> tuple[Any, ...]:
    """counted, state, answer, reason and METRICS."""
    return (
        judged(profile, (name, language, reply), **more)
        .select("counted", "state", "answer", "reason", *METRICS)
        .row(0)
    )


@pytest.mark.parametrize(
    ("profile", "name", "language", "reply", "expected"),
    [
        (
            "paper",
            "KR/tea",
            "ko",
            "보리차",
            (True, "answered", "보리차", "substring_local: 보리차", 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        ),
        (
            "paper",
            "KR/tea",
            "en",
            "Tea",
            (True, "answered", "tea", "substring_en: tea", 1.0, 1 / 3, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        ),
        (
            "paper",
            "KR/tea",
            "en",
            "steak",
            (True, "answered", "steak", "substring_en: tea", 1.0, 1 / 3, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0),
        ),
        (
            "strict",
            "KR/tea",
            "en",
            "steak",
            (True, "answered", "steak", "no match", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, None),
        ),
        # Of a list the first answer counts for one metric; all for the others.
        (
            "strict",
            "KR/tea",
            "en",
            "wine, tea",
            (True, "answered", "wine, tea", "words_en: tea", 1.0, 1 / 3, 0.0, 0.0, 0.0, 0.0, 2.0, None),
        ),
        # A match by tokens, of which there are none: nothing stands inside a word.
        (
            "paper",
            "KR/odd",
            "ko",
            "물",
            (True, "answered", "물", "tokens_local: ?", 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        ),
        # The language that was asked in decides which other one is looked for.
        (
            "strict",
            "ES/tea",
            "es",
            "they drink it with the milk",
            (
                True,
                "answered",
                "they drink it with the milk",
                "no match",
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0,
                1.0,
                None,
            ),
        ),
        (
            "strict",
            "ES/tea",
            "en",
            "lo toman con la leche del día",
            (
                True,
                "answered",
                "lo toman con la leche del día",
                "no match",
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0,
                1.0,
                None,
            ),
        ),
        (
            "strict",
            "KR/tea",
            "ko",
            "tea.",
            (True, "answered", "tea", "words_en: tea", 1.0, 1 / 3, 1.0, 0.0, 1.0, 1.0, 1.0, None),
        ),
        # Nothing, and what has no letters; an empty answer matches all but nothing.
        (
            "paper",
            "KR/any",
            "ko",
            "  ",
            (True, "unreadable", None, "empty reply", 0.0, 0.0, 0.0, 0.0, None, None, 0.0, 0.0),
        ),
        (
            "paper",
            "KR/any",
            "ko",
            "[]",
            (True, "answered", "[]", "substring_local: ", 1.0, 1.0, 0.0, 0.0, None, None, 0.0, 1.0),
        ),
        # The authors lose the word None, even where it is an answer.
        (
            "strict",
            "US/tea",
            "en",
            "None",
            (True, "answered", "None", "words_en: None", 1.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0, None),
        ),
        # Declining, and a refusal that holds an answer.
        (
            "strict",
            "KR/tea",
            "ko",
            "죄송합니다",
            (True, "refused", "죄송합니다", "declines to answer", 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, None),
        ),
        (
            "strict",
            "KR/tea",
            "en",
            "I cannot answer: tea",
            (
                True,
                "answered",
                "I cannot answer: tea",
                "words_en: tea",
                *(1.0, 1 / 3, 1.0),
                *(0.0, 0.0, 0.0, 1.0, None),
            ),
        ),
        # What does not count is read all the same, but never compared.
        (
            "strict",
            "KR/few",
            "en",
            "I cannot answer: tea, milk",
            (False, "refused", "I cannot answer: tea, milk", "skipped: too few", *[None] * 6, 2.0, None),
        ),
        (
            "strict",
            "KR/few",
            "en",
            "",
            (False, "unreadable", None, "skipped: too few", *[None] * 6, 0.0, None),
        ),
        (
            "strict",
            "KR/any",
            "en",
            "tea",
            (False, "answered", "tea", "skipped: no answer that can be matched", *[None] * 6, 1.0, None),
        ),
        # What a reply repeats of the question is not its answer, nor the first of its answers; to the
        # authors it is.
        (
            "strict",
            "US/own",
            "en",
            "Ah, what is drunk here? I guess juice",
            (
                *(True, "answered", "Ah, what is drunk here? I guess juice", "no match"),
                *(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, None),
            ),
        ),
        (
            "paper",
            "US/own",
            "en",
            "Ah, what is drunk here? I guess juice",
            (
                *(True, "answered", "ah, what is drunk here? i guess juice", "substring_en: drunk"),
                *(1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0),
            ),
        ),
        (
            "strict",
            "US/own",
            "en",
            "What is drunk here: ale, drunk",
            (
                *(True, "answered", "What is drunk here: ale, drunk", "words_en: drunk"),
                *(1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, None),
            ),
        ),
        (
            "strict",
            "US/own",
            "en",
            "What is drunk here",
            (
                *(True, "unreadable", "What is drunk here"),
                "the reply repeats the prompt and says nothing else",
                *(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, None),
            ),
        ),
    ],
)
def test_a_verdict_in_full(
    profile: str, name: str, language: str, reply: str, expected: tuple[Any, ...]
) -> None:
    assert row(profile, name, language, reply) == expected


def test_a_word_that_the_authors_lose_is_unreadable_and_right_in_nothing() -> None:
    found = row("paper", "US/tea", "en", "None")
    assert found[:3] == (True, "unreadable", "none")
    assert "'none'" in found[3]
    assert found[4:] == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize("state", [State.FAILED, State.MISSING, State.REFUSED])
def test_what_brought_no_reply_is_worth_nothing_and_keeps_its_reason(state: State) -> None:
    refusal = 1.0 if state == State.REFUSED else None
    lost = row("paper", "KR/tea", "ko", None, state=state, reason="why")
    assert lost == (True, state, None, "why", 0.0, 0.0, 0.0, refusal, *[None] * 4)
    assert row("paper", "KR/few", "ko", None, state=state, reason="why") == (
        False,
        state,
        None,
        "skipped: too few",
        *[None] * 8,
    )


def test_a_reply_that_is_null_is_empty() -> None:
    assert row("strict", "KR/tea", "ko", None)[:4] == (True, "unreadable", None, "empty reply")


@pytest.mark.parametrize("profile", ["paper", "strict"])
@pytest.mark.parametrize(
    ("name", "language", "variant", "prompt"),
    [
        ("KR/tea", "ko", "inst", "말해요.\n질문: 무엇?\n답변:"),
        ("KR/tea", "en", "inst", "Say it.\nQuestion: What is drunk there?\nAnswer:"),
        ("US/tea", "en", "inst", "Say it.\nQuestion: What is drunk here?\nAnswer:"),
        ("ES/tea", "es", "inst", "말해요.\n질문: What is drunk here?\n답변:"),
        ("KR/tea", "ko", "mine", "무엇?"),
        ("KR/tea", "en", "mine", "What is drunk there?"),
    ],
)
def test_a_prompt_that_is_not_known_is_put_together_again(
    profile: str, name: str, language: str, variant: str, prompt: str
) -> None:
    assert row(profile, name, language, f"{prompt} kola", variant=variant)[2] == "kola"


def test_the_same_reply_is_cleaned_of_the_prompt_that_was_sent() -> None:
    """Equal replies to one item, told apart by prompt, by language and by item."""
    rows = [
        ("KR/tea", "en", "Cup: tea"),
        ("KR/tea", "en", "Cup: tea"),
        ("KR/tea", "ko", "Cup: tea"),
        ("ES/tea", "en", "Cup: tea"),
    ]
    table = [
        ("blend/saq", name, language, "inst", 0, "answered", reply, None) for name, language, reply in rows
    ]
    responses = pl.DataFrame(table, schema=dict(RESPONSES), orient="row").with_columns(
        prompt=pl.Series(["Cup:", "Drink?", "Drink?", "Drink?"])
    )
    found = judge_answers(ITEMS, responses, "strict", METRICS)
    assert found["answer"].to_list() == ["tea", "Cup: tea", "Cup: tea", "Cup: tea"]
    assert found["other_language"].to_list() == [0.0, 0.0, 1.0, 0.0]
    assert found["sem_b"].to_list() == [1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(("tool_set", "right"), [("default", 1.0), ("simple", 0.0)])
def test_words_are_reduced_by_the_tools_that_are_named(tool_set: str, right: float) -> None:
    answered = ("blend/saq", "US/own", "en", "inst", 0, "answered", "Two mice", None)
    responses = pl.DataFrame([answered], schema=dict(RESPONSES), orient="row")
    assert judge_answers(ITEMS, responses, "strict", METRICS, tool_set)["sem_b"].item() == right


def test_columns_have_their_types_even_where_nothing_is_in_them() -> None:
    types = {**JUDGEMENTS, "topic": pl.String, **dict.fromkeys(METRICS, pl.Float64)}
    skipped = judged("paper", ("KR/few", "ko", None), state=State.FAILED)
    assert dict(skipped.schema) == types
    assert dict(judged("paper", ("KR/tea", "ko", None), state=State.FAILED).schema) == types
    assert dict(judged("paper").schema) == types
    assert skipped.select("task", "item", "question", "culture", "language", "variant", "sample").row(0) == (
        *("blend/saq", "KR/few", "few", "KR", "ko", "inst", 0),
    )


def test_tables_that_lack_a_column_are_told_of() -> None:
    responses = pl.DataFrame(schema=dict(RESPONSES))
    for name in ITEM_COLUMNS:
        with pytest.raises(DataError, match=f"items of blend/saq lack the column {name}"):
            judge_answers(ITEMS.drop(name), responses, "paper", METRICS)
    for name in RESPONSES:
        with pytest.raises(DataError, match=f"responses lack the column {name}"):
            judge_answers(ITEMS, responses.drop(name), "paper", METRICS)
