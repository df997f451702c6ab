"""Which questions about different regions are the same: by number, and by wording where the numbers do not
tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.semeval2026.release import Entry, read_answers
from folkways.benchmarks.semeval2026.templates import same_wordings, sampled_questions, templates_of

WORDINGS = (
    "What is a common snack for nursery kids in {}?",
    "What is a popular food to go with beer in {}?",
    "Which region in {} is the most popular skiing destination?",
    "How do primary school students in {} get to school?",
)
NAMES = {"US": "the US", "FR": "France", "KR": "South Korea", "JP": "Japan"}


def items(shift: dict[str, int]) -> pl.DataFrame:
    rows = [
        (
            f"{code}_{number + 1:03}",
            code,
            WORDINGS[(number + shift.get(code, 0)) % len(WORDINGS)].format(name),
        )
        for code, name in NAMES.items()
        for number in range(len(WORDINGS))
    ]
    return pl.DataFrame(rows, schema=["question", "culture", "english"], orient="row")


def test_another_order_is_told_by_the_wording() -> None:
    found = templates_of(items({"JP": 1}))
    assert found["JP_001"] == found["US_002"] == "002" and found["JP_004"] == "001"
    assert [found[f"{code}_003"] for code in ("US", "FR", "KR")] == ["003"] * 3


def test_a_question_like_no_other_is_in_no_template() -> None:
    own = pl.col("english").replace(
        {"How do primary school students in Japan get to school?": "Who won the sumo cup in Japan?"}
    )
    found = templates_of(items({}).with_columns(own))
    assert "JP_004" not in found and found["JP_003"] == "003"
    school = "How do primary school students in Japan get to school"
    for other in (
        "How do they get there?",
        f"{school}, and what do they bring along for lunch on cold winter mornings after a long holiday?",
    ):
        changed = items({}).with_columns(pl.col("english").replace({f"{school}?": other}))
        assert "JP_004" not in templates_of(changed), "more that differs than is in common"
    assert templates_of(items({}).with_columns(english=pl.lit(None, dtype=pl.String))) == {}


@pytest.mark.nightly
@pytest.mark.shared
def test_the_released_questions(shared: Path) -> None:
    entries = read_answers(open_release(shared / "data" / "semeval2026-task7", "semeval2026"))
    rows = [(entry.number, entry.culture, entry.english) for entry in entries]
    table = pl.DataFrame(rows, schema=["question", "culture", "english"], orient="row")
    found = templates_of(table)
    moved = {question[:2] for question, template in found.items() if not question.endswith(template)}
    assert (
        sum(
            not template.endswith(question[3:])
            for question, template in found.items()
            if question.startswith("JP")
        )
        > 450
    )
    assert "JP" in moved and len(moved) < 6, "all other regions have the numbers, but for single questions"
    assert found["JP_060"] == "061", "the most famous private company"


def entries(code: str, shift: int = 0, texts: bool = True) -> list[Entry]:
    """The four questions about a region, in English, beginning at another one."""
    wordings = [
        WORDINGS[(number + shift) % len(WORDINGS)].format(NAMES[code]) for number in range(len(WORDINGS))
    ]
    return [
        Entry(
            f"en-{code}_{at:03}",
            f"en-{code}",
            "en",
            code,
            f"{code}_{at:03}",
            text,
            text if texts else None,
            ("x",),
        )
        for at, text in enumerate(wordings, 1)
    ]


def test_regions_share_what_is_sampled_by_wording_or_by_number() -> None:
    told = sampled_questions([*entries("US"), *entries("FR"), *entries("JP", 1)])
    assert (told["US_002"], told["FR_002"], told["JP_001"]) == ("002", "002", "002")
    silent = sampled_questions([*entries("US", texts=False), *entries("JP", 1, texts=False)])
    assert (silent["US_002"], silent["JP_002"]) == ("002", "JP_002"), "Japan's numbers tell nothing"


def test_choices_are_the_same_question_where_their_words_are() -> None:
    told = same_wordings([*entries("US"), *entries("FR", 2), *entries("KR", 1)])
    assert told["US_003"] == told["FR_001"] == told["KR_002"]
    assert len(set(told.values())) == len(WORDINGS)
    assert same_wordings(entries("US", texts=False)) == {}


def test_of_one_region_alone_no_word_is_known_to_be_its_name() -> None:
    texts = ["What do people eat in Korea?", "What do people in Korea eat?", "What do people eat?"]
    (seoul, *_) = entries("KR")
    asked = [replace(seoul, number=f"KR_{at:03}", english=text) for at, text in enumerate(texts, 1)]
    assert same_wordings(asked) == {"KR_001": "KR_001", "KR_002": "KR_001", "KR_003": "KR_003"}
    other = replace(seoul, number="FR_001", culture="FR", english="What do people eat?")
    assert set(same_wordings([*asked, other]).values()) == {"KR_001"}, "Korea is in no question about France"
