"""Choice questions in the culture's language: which options they have, in whose words, and how they are asked,
judged and compared with English."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.build.calls import RuleOracle
from folkways.benchmarks.blend.build.commands import build_mcq
from folkways.benchmarks.blend.build.items import write_released
from folkways.benchmarks.blend.build.languages import (
    FEW_OPTIONS,
    NO_WORDING,
    OTHER_LENGTH,
    LocalAnswers,
    blind_guesses,
    build_in_languages,
    own_languages,
    read_glosses,
)
from folkways.benchmarks.blend.build.sources import select_sources
from folkways.benchmarks.free_answers.matching import StrictMatcher
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.cultures import culture_named
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.evidence.cultures import own_language
from tests.support.blend_data import NOT_KNOWING, group, release_at, write_csv

TASK = get_task("blend/mcq")
NO_MODELS: Any = SimpleNamespace(progress=lambda _text: None)
Answers = dict[str, dict[str, list[dict[str, Any]]]]

OPTION = re.compile(r"^(?:.*[|])?([A-D])\. (.*)$", re.M)
HOUR = "When do people eat in {}? (Provide in HH:MM format (e.g., 18:00).)"
QUESTIONS = {"Q-1": "What do people drink in {}?", "Q-2": "What do guests get in {}?", "Q-3": HOUR}
PLACES = ("UK", "South_Korea", "North_Korea", "Mexico", "Iran")


def answers() -> Answers:
    """South Koreans' wordings of coffee and beer come from another question, that of spring water from the
    North; nobody words atole or doogh in Korean, and tea is theirs too."""
    hours = {
        "UK": "18:00",
        "South_Korea": "19:00",
        "North_Korea": "20:00",
        "Mexico": "14:00",
        "Iran": "21:00",
    }
    return {
        "Q-1": {
            "UK": [group(["tea"], ["tea"], 5), group(["beer"], ["ale", "beer"], 2)],
            "South_Korea": [
                group(["보리차", "보리茶"], ["barley tea", "boiled barley"], 3),
                group(["차"], ["tea"], 1),
            ],
            "North_Korea": [group(["샘물"], ["spring water"], 2)],
            "Mexico": [group(["café"], ["Coffee"], 4), group(["atole"], ["atole"], 3)],
            "Iran": [group(["دوغ"], ["doogh"], 3)],
        },
        "Q-2": {
            "South_Korea": [group(["coffee", "커피"], ["coffee"], 1), group(["맥주"], ["beer", "ale"], 1)]
        },
        "Q-3": {place: [group([hour], [hour], 2)] for place, hour in hours.items()},
    }


def write(folder: Path, given: Answers) -> Path:
    for place in PLACES:
        entries, rows = {}, []
        for key, text in QUESTIONS.items():
            english, local = text.format(place.replace("_", " ")), f"[{place}] {key}?"
            groups = given[key].get(place, [])
            entries[key] = {
                "question": local,
                "en_question": english,
                "annotations": groups,
                "idks": NOT_KNOWING,
            }
            rows.append((key, "Food", "English (US)", english, english if place == "UK" else local))
        file = folder / "annotations" / f"{place}_data.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(entries), encoding="utf-8")
        header = ["ID", "Topic", "Source", "Question", "Translation"]
        write_csv(folder / "questions" / f"{place}_questions.csv", header, rows)
    return folder


def built(
    folder: Path, given: Answers, glosses: dict[tuple[str, str], str] | None = None, *wanted: str
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Items by question and country, and what each culture got."""
    release = release_at(write(folder, given))
    annotations, questions = blend.read_annotations(release), blend.read_questions(release)
    sources = select_sources(annotations, questions, by_culture=True).sources
    languages = frozenset(wanted) or own_languages()
    local = LocalAnswers(annotations, questions, glosses)
    made = build_in_languages(sources, RuleOracle("overlap"), local, languages)
    items = {f"{row['ID']} {row['country']}": row for row in made.built.items.iter_rows(named=True)}
    return items, made.by_culture


def texts(row: dict[str, Any], column: str) -> list[str]:
    return list(json.loads(row[column]).values())


def test_options_are_in_peoples_words_best_source_first(tmp_path: Path) -> None:
    items, counts = built(tmp_path, answers())
    row = items["Q-1 South_Korea"]
    assert texts(row, "choices") == ["Coffee", "barley tea", "beer", "spring water"]
    assert texts(row, "local_choices") == ["커피", "보리차", "맥주", "샘물"]
    assert texts(row, "wordings") == ["own people", "same question", "own people", "same question"]
    assert texts(row, "choice_countries") == ["Mexico", "South_Korea", "UK", "North_Korea"]
    assert (row["answer_idx"], row["language"]) == ("B", "ko")
    assert row["prompt"].startswith("What do people drink in South Korea?\n\nA. Coffee\nB. barley tea")
    assert row["local_prompt"].startswith("[South_Korea] Q-1?\n\nA. 커피\nB. 보리차\nC. 맥주\nD. 샘물\n\n")
    assert counts["South_Korea"]["items"] == 2
    assert counts["South_Korea"]["origins"] == {"own people": 2, "same question": 1, "digits": 3}
    assert counts["Iran"]["left_out"] == {FEW_OPTIONS: 1}
    assert {key.partition(" ")[2] for key in items} == {*PLACES} - {"UK"}


def test_one_more_way_of_wording_makes_room_for_the_better_source(tmp_path: Path) -> None:
    """Doogh has more votes than spring water, and its wording is of a worse source."""
    given = answers()
    given["Q-2"]["South_Korea"] += [group(["두그"], ["doogh"], 1)]
    items, _ = built(tmp_path, given)
    assert set(texts(items["Q-1 South_Korea"], "choices")) == {
        "barley tea",
        "Coffee",
        "doogh",
        "spring water",
    }


@pytest.mark.parametrize(
    ("country", "key", "groups", "why"),
    [
        ("South_Korea", "Q-1", [group(["커피 우유"], [], 1)], FEW_OPTIONS),  # a rare answer without English
        (
            "South_Korea",
            "Q-1",
            [group(["맥쥬"], ["beers"], 1)],
            FEW_OPTIONS,
        ),  # the same in English, inflected
        ("South_Korea", "Q-1", [group(["물"], ["mineral water"], 1)], FEW_OPTIONS),  # a word in common
    ],
)
def test_no_wrong_option_overlaps_with_a_rare_answer(
    tmp_path: Path, country: str, key: str, groups: list[dict[str, Any]], why: str
) -> None:
    given = answers()
    given[key][country] += groups
    items, counts = built(tmp_path, given)
    assert f"{key} {country}" not in items
    assert counts[country]["left_out"] == {why: 1}


@pytest.mark.parametrize(
    ("question", "country", "groups", "why"),
    [
        ("Q-2", "South_Korea", [group(["coffee"], ["coffee"], 1), group(["맥주"], ["beer"], 1)], FEW_OPTIONS),
        (
            "Q-2",
            "South_Korea",
            [group(["커피 2잔"], ["coffee"], 1), group(["맥주"], ["beer"], 1)],
            FEW_OPTIONS,
        ),
        ("Q-2", "South_Korea", [group(["맥주"], ["coffee"], 1), group(["맥주"], ["beer"], 1)], FEW_OPTIONS),
        (
            "Q-2",
            "South_Korea",
            [group(["커피"], ["drink", "coffee"], 1), group(["맥주"], ["beer"], 1)],
            FEW_OPTIONS,
        ),
        ("Q-1", "UK", [group(["beer"], ["beer"], 1)], FEW_OPTIONS),
        ("Q-1", "North_Korea", [group(["cola"], ["spring water"], 2)], FEW_OPTIONS),
        ("Q-1", "South_Korea", [group(["barley"], ["barley tea"], 3)], NO_WORDING),
        ("Q-1", "South_Korea", [group(["보리차" * 4], ["barley tea"], 3)], OTHER_LENGTH),
        ("Q-1", "South_Korea", [group(["보리차"], ["tea of barley that was roasted"], 3)], OTHER_LENGTH),
    ],
    ids=(
        "script",
        "digits",
        "two alike",
        "second English",
        "one vote",
        "their script",
        "gold",
        "long",
        "English",
    ),
)
def test_an_option_that_would_give_the_answer_away_is_not_offered(
    tmp_path: Path, question: str, country: str, groups: list[dict[str, Any]], why: str
) -> None:
    given = answers()
    given[question][country] = groups
    items, counts = built(tmp_path, given)
    assert "Q-1 South_Korea" not in items
    assert counts["South_Korea"]["left_out"] == {why: 1}


def test_numerals_are_those_of_one_system(tmp_path: Path) -> None:
    given = answers()
    given["Q-3"]["Iran"] = [group(["۲۱:۰۰"], ["۲۱:۰۰", "21:00"], 2)]
    given["Q-3"]["South_Korea"] = [group(["7"], ["7"], 3), group(["19:00"], ["19:00"], 2)]
    items, _ = built(tmp_path, given)
    row = items["Q-3 Iran"]
    assert row["choices"] == row["local_choices"]
    assert set(texts(row, "wordings")) == {"digits"}
    assert "21:00" in texts(row, "choices")
    assert not any("۲" in text for text in texts(row, "local_choices"))
    assert "Q-3 South_Korea" not in items  # its most frequent answer is no time


def test_glosses_word_what_people_did_not_and_are_marked(tmp_path: Path) -> None:
    given = answers()
    given["Q-2"] = {}
    file = tmp_path / "glosses.csv"
    file.write_text(
        "language,english,local\nko,Atole,아톨레\nko,doogh,두그\nes,atole,atole\n", encoding="utf-8"
    )
    items, counts = built(tmp_path, given, read_glosses(file), "ko")
    row = items["Q-1 South_Korea"]
    assert texts(row, "local_choices") == ["아톨레", "보리차", "두그", "샘물"]
    assert texts(row, "wordings") == ["file", "same question", "file", "same question"]
    assert set(counts) == {"South_Korea", "North_Korea"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("en,atole,atole", "row 2: the language 'en' is none of am, ar"),
        ("ko, ,아톨레", "row 2: the English is empty"),
        ("ko,atole,", "row 2: the translation is empty"),
        ("ko,atole,atole", "row 2: 'atole' has letters of another script than that of ko"),
    ],
)
def test_glosses_that_cannot_be_used(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "glosses.csv"
    file.write_text(f"language,english,local\nes,tea,té\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_glosses(file)


def make(folder: Path, **options: Any) -> list[str]:
    """Build from ``answers``; the notes to the user."""
    release = write(folder / "answers", answers())
    values: dict[str, Any] = {
        "judge": "stand-in:overlap",
        "profile": "strict",
        "language": ["local"],
        **options,
    }
    out = folder / "both" / "mc_questions_file.csv"
    return list(
        build_mcq(
            NO_MODELS,
            release=str(release),
            out=out,
            calls=None,
            hub=folder / "hub",
            hub_format="jsonl",
            **values,
        ).notes
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"profile": "paper"}, FolkwaysError, "--language needs --profile strict"),
        ({"dummies": "stand-in:overlap"}, FolkwaysError, "--dummies makes up English options"),
        ({"wording_of": "blend-mcq"}, FolkwaysError, "--wording-of takes over a prompt in English"),
        ({"language": None, "glosses": Path("x.csv")}, FolkwaysError, "--glosses needs --language"),
        ({"language": ["ko", "en"]}, UnknownNameError, "valid: am, ar"),
    ],
)
def test_options_that_do_not_go_together(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(tmp_path, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    notes = make(folder)
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


def many(count: int, gold: str, wrong: str) -> pl.DataFrame:
    """Items whose right option is ``gold``, each letter as often; the wrong ones begin with ``wrong``."""
    letters = "ABCD"
    rows = []
    for number in range(count):
        right = letters[number % 4]
        options = {letter: gold if letter == right else wrong + letter.lower() for letter in letters}
        rows.append((json.dumps(options), right, "es", json.dumps(options)))
    schema = dict.fromkeys(("choices", "answer_idx", "language", "local_choices"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


@pytest.mark.parametrize(
    ("gold", "guess"),
    [
        ("a long one", "most length"),
        ("x", "least length"),
        ("x1", "most digits"),
        ("쌀a", "most other script"),
        ("Ab", "most capitals"),
    ],
)
def test_a_guess_that_options_give_away_is_told_from_chance(gold: str, guess: str) -> None:
    items = many(40, gold, "bb" if gold == "x" else "b")
    rows = {(row["language"], row["guess"]): row for row in blind_guesses(items).iter_rows(named=True)}
    for language in ("es", "en"):
        row = rows[language, guess]
        assert (row["items"], row["share"]) == (40, 100.0)
        assert row["low"] > 25 and row["p_holm"] < 0.001


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("language", "xx", "row 1: language 'xx' is none that questions can be in"),
        ("language", "en", "row 1: language 'en' is none"),
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


@pytest.fixture(scope="module")
def real(shared: Path) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Items of every second question of the real answers, and these answers."""
    release = open_release(shared / "data" / "blend" / "24e7d73", "blend")
    annotations, questions = blend.read_annotations(release), blend.read_questions(release)
    sources = select_sources(annotations, questions, by_culture=True).sources[::2]
    local = LocalAnswers(annotations, questions)
    made = build_in_languages(sources, RuleOracle("overlap"), local, own_languages())
    yield made.built.items, annotations


@pytest.mark.shared
def test_on_real_answers_the_right_option_alone_is_right_as_a_short_answer(
    real: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    """Each option is put to the matching of short answers, as a reply in each of the two languages."""
    items, annotations = real
    assert items.height > 700
    groups = {
        (culture, key): groups
        for culture, key, groups in annotations.select("culture", "id", "groups").iter_rows()
    }
    matcher = StrictMatcher()
    for row in items.iter_rows(named=True):
        accepted = groups[culture_named("blend", row["country"]).code, row["ID"]]
        for column, language in (("choices", "en"), ("local_choices", row["language"])):
            options = json.loads(row[column])
            right = [letter for letter, text in options.items() if matcher.match(accepted, text, language)]
            assert right == [row["answer_idx"]], (row["MCQID"], column, options)


@pytest.mark.shared
def test_a_model_that_knows_less_in_a_language_is_told_paired_with_english(
    real: tuple[pl.DataFrame, pl.DataFrame], tmp_path: Path
) -> None:
    """Right in English, and always A in every other language: the difference is the share of other letters."""
    write_released(real[0], tmp_path / "mc_questions_file.csv")
    release = open_release(tmp_path, "blend")
    items = TASK.items(release)
    right = items.select("item", "culture", letter="answer_idx")
    prompts = TASK.prompts(items, PromptOptions(), release).join(right, on="item", maintain_order="left")
    responses = prompts.select(
        "task",
        "item",
        "language",
        "variant",
        sample=pl.lit(0, pl.Int64),
        state=pl.lit("answered"),
        response=pl.when(pl.col("language") == "en").then("letter").otherwise(pl.lit("A")),
        reason=pl.lit(None, pl.String),
    )
    differences = own_language(TASK.judge(items, responses, "strict"), TASK.metrics[0])
    assert differences.height == 14
    others = right.group_by("culture").agg(share=100 * (pl.col("letter") != "A").mean())
    compared = differences.join(others, on="culture")
    assert compared["difference"].to_list() == pytest.approx((-compared["share"]).to_list())
    assert differences["high"].max() < 0 and differences["p_holm"].max() < 0.001


@pytest.mark.shared
def test_on_real_answers_nothing_is_known_by_script_length_or_digits(
    real: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    guesses = blind_guesses(real[0])
    assert set(guesses["language"]) == {"en", *own_languages()}
    assert guesses["items"].max() == real[0].height
    above = guesses.filter(pl.col("share") > 25)
    assert above["p_holm"].min() > 0.05, above.sort("p_holm").head(3).to_dicts()
    assert not guesses["guess"].str.contains("script").any()  # no option has a letter of another script
