"""Choice questions in the culture's language and in English: how they are read, asked, judged and compared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend.build.languages import own_languages
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.errors import DataError
from tests.support.blend_data import release_at
from tests.support.mcq_languages import make

TASK = get_task("blend/mcq")
OPTION = re.compile(r"^(?:.*[|])?([A-D])\. (.*)$", re.M)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    notes = make(folder)
    assert "left out: 2 questions: in no country did enough people know it and agree" in notes
    assert "items: South_Korea 2, Iran 1, Mexico 1, North_Korea 1" in notes
    assert any(note.startswith("fewer than 100 items") and "Iran" in note for note in notes)
    return folder


def test_the_record_and_the_card_tell_the_languages(folder: Path) -> None:
    record = json.loads((folder / "both" / "mc_questions_file.build.json").read_text())
    assert record["by_culture"]["South_Korea"]["items"] == 2
    assert record["languages"] == sorted(own_languages())
    card = (folder / "hub" / "README.md").read_text(encoding="utf-8")
    assert "\n- en\n- am\n" in card and "`local_choices`" in card and "blind_guesses" not in card


def asked(folder: Path, **options: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    release = open_release(folder / "both", "blend")
    items = TASK.items(release)
    return items, TASK.prompts(items, PromptOptions(**options), release)


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        (None, ["ko", "en", "ko", "en"]),
        (("local",), ["ko", "ko"]),
        (("ko", "en"), ["ko", "en", "ko", "en"]),
        (("Korean", "english"), ["ko", "en", "ko", "en"]),
        (("en",), ["en", "en"]),
        (("es",), []),
    ],
)
def test_both_languages_are_asked(
    folder: Path, languages: tuple[str, ...] | None, expected: list[str]
) -> None:
    _, prompts = asked(folder, languages=languages)
    korean = prompts.filter(pl.col("item").is_in(["Q-1_1", "Q-3_1"]))
    assert korean["language"].to_list() == expected


def test_the_options_move_together_and_own_prompts_are_in_both_languages(folder: Path) -> None:
    items, prompts = asked(folder, orders=3, prompt_texts={"bare": "{q}|{choices}"}, variants=("all",))
    (row,) = items.filter(pl.col("item") == "Q-1_1").iter_rows(named=True)
    worded = dict(zip(row["choices"], row["local_choices"], strict=True))
    sides = {
        (language, variant): user
        for item, language, variant, user in prompts.select("item", "language", "variant", "user").iter_rows()
        if item == "Q-1_1"
    }
    assert len(sides) == 2 * 2 * 3
    assert sides["ko", "bare"].startswith("[South_Korea] Q-1?|A. 커피")
    for variant in {variant for _, variant in sides}:
        english, korean = (OPTION.findall(sides[language, variant]) for language in ("en", "ko"))
        assert len(english) == 4
        assert [(letter, worded[text]) for letter, text in english] == korean
    assert TASK.question_in(row, "ko") == "[South_Korea] Q-1?"
    assert TASK.question_in(row, "en") == "What do people drink in South Korea?"


def judged(folder: Path, replies: dict[str, str], variant: str = "released") -> pl.DataFrame:
    """The judgements of one reply to South Korea's drink in each language."""
    items, prompts = asked(folder, orders=2)
    prompts = prompts.filter(pl.col("item") == "Q-1_1", pl.col("variant") == variant)
    responses = prompts.select(
        "task",
        "item",
        "language",
        "variant",
        sample=pl.lit(0, pl.Int64),
        state=pl.lit("answered"),
        response=pl.col("language").replace_strict(replies),
        reason=pl.lit(None, pl.String),
    )
    return TASK.judge(items, responses, "strict")


@pytest.mark.parametrize("variant", ["released", "released~order-2"])
@pytest.mark.parametrize(
    ("korean", "english", "right"),
    [
        ('{"answer_choice": "보리차"}', "barley tea", [1.0, 1.0]),
        ("맥주", "beer", [0.0, 0.0]),
        ("barley tea", "보리차", [0.0, 0.0]),  # neither is an option in that language
        ("제 대답은 샘물입니다.", "It is barley tea.", [0.0, 1.0]),
    ],
)
def test_replies_are_read_in_the_language_that_was_asked(
    folder: Path, variant: str, korean: str, english: str, right: list[float]
) -> None:
    verdicts = judged(folder, {"ko": korean, "en": english}, variant)
    assert verdicts.select("language", "accuracy").rows() == [("ko", right[0]), ("en", right[1])]


def test_whose_option_was_taken_is_known_in_both_languages(folder: Path) -> None:
    verdicts = judged(folder, {"ko": "맥주", "en": "Coffee"})
    assert verdicts["chosen_culture"].to_list() == ["GB", "MX"]
    assert set(verdicts["offered"].to_list()) == {"GB KP MX"}
    declined = judged(folder, {"ko": "죄송합니다", "en": "죄송합니다"})
    assert declined.select("language", "state").rows() == [("ko", "refused"), ("en", "unreadable")]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("language", "xx", "row 1: language 'xx' is not one that questions can be in"),
        ("language", "en", "row 1: language 'en' is not one"),
        ("local_prompt", " ", "row 1: local_prompt is empty"),
        ("local_choices", '{"A": "x"}', "row 1: local_choices has the letters A, and choices A, B, C, D"),
        ("local_choices", "x", "row 1: the choices are not a JSON object"),
    ],
)
def test_a_broken_file_is_refused_with_its_row(
    folder: Path, tmp_path: Path, column: str, value: str, message: str
) -> None:
    table = pl.read_csv(folder / "both" / "mc_questions_file.csv", infer_schema=False)
    table.with_columns(pl.lit(value).alias(column)).write_csv(tmp_path / "mc_questions_file.csv")
    with pytest.raises(DataError, match=message):
        TASK.items(open_release(tmp_path, "blend"))


def test_a_question_without_a_language_stays_in_english(folder: Path, tmp_path: Path) -> None:
    table = pl.read_csv(folder / "both" / "mc_questions_file.csv", infer_schema=False)
    first = pl.col("MCQID") == table["MCQID"][0]
    blank = [
        pl.when(first).then(pl.lit("")).otherwise(name).alias(name)
        for name in ("language", "local_prompt", "local_choices")
    ]
    table.with_columns(blank).write_csv(tmp_path / "mc_questions_file.csv")
    items = TASK.items(open_release(tmp_path, "blend"))
    prompts = TASK.prompts(items, PromptOptions(), release_at(tmp_path))
    assert prompts.filter(pl.col("item") == items["item"][0])["language"].to_list() == ["en"]
    assert prompts.height == 2 * items.height - 1
