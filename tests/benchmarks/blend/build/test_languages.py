"""Choice questions in the culture's language: which options they have, and in whose words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.build.calls import RuleOracle
from folkways.benchmarks.blend.build.items import write_released
from folkways.benchmarks.blend.build.languages import (
    FEW_OPTIONS,
    NO_WORDING,
    OTHER_LENGTH,
    LocalAnswers,
    LocalOption,
    Origin,
    blind_guesses,
    build_in_languages,
    own_languages,
    read_glosses,
    stands_out,
)
from folkways.benchmarks.blend.build.sources import select_sources
from folkways.benchmarks.blend.data.files import cultures_by_name
from folkways.benchmarks.free_answers.matching import StrictMatcher
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.evidence.cultures import own_language
from tests.support.blend_data import group, release_at
from tests.support.mcq_languages import PLACES, Answers, answers, make, write

TASK = get_task("blend/mcq")


def built(
    folder: Path,
    given: Answers,
    glosses: dict[tuple[str, str], str] | None = None,
    *wanted: str,
    judge: RuleOracle | None = None,
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Items by question and country, and what each culture got."""
    release = release_at(write(folder, given))
    annotations, questions = blend.read_annotations(release), blend.read_questions(release)
    sources = select_sources(annotations, questions, by_culture=True).sources
    languages = frozenset(wanted) or own_languages()
    local = LocalAnswers(annotations, questions, glosses)
    made = build_in_languages(sources, judge or RuleOracle("overlap"), local, languages)
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


def test_of_several_wordings_the_same_topic_counts_before_votes(tmp_path: Path) -> None:
    given = answers()
    given["Q-2"]["South_Korea"] += [group(["삐루"], ["beer"], 2), group(["생맥주"], ["beer"], 1)]
    given["Q-4"] = {"South_Korea": [group(["비어"], ["beer"], 9)]}
    items, _ = built(tmp_path, given)
    assert "삐루" in texts(items["Q-1 South_Korea"], "local_choices")


def test_no_country_gives_two_options(tmp_path: Path) -> None:
    """Atole has more votes than beer, and is Mexico's as coffee is."""
    given = answers()
    given["Q-2"]["South_Korea"] += [group(["아톨레"], ["atole"], 1)]
    items, _ = built(tmp_path, given)
    assert "beer" in texts(items["Q-1 South_Korea"], "choices")


class Verdict(RuleOracle):
    """Answers by a function; notes about which questions it is asked."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        super().__init__("overlap")
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, calls: Any, attempt: int = 0) -> list[Any]:
        self.asked += [call.question for call in calls]
        return [self.answer(call) for call in calls]


def test_what_a_judge_finds_the_same_is_not_offered(tmp_path: Path) -> None:
    """It is asked about questions alone that have options enough before."""
    judge = Verdict(lambda call: (frozenset(range(len(call.answers))),))
    items, counts = built(tmp_path, answers(), judge=judge)
    assert "Q-1 South_Korea" not in items and "Q-3 South_Korea" in items
    assert counts["South_Korea"]["left_out"] == {FEW_OPTIONS: 1}
    assert judge.asked == ["Q-1"]
    given = answers()
    given["Q-2"] = {}
    without = Verdict(lambda _: ())
    built(tmp_path / "without", given, judge=without)
    assert without.asked == []


def test_a_question_without_a_verdict_is_nowhere(tmp_path: Path) -> None:
    items, counts = built(tmp_path, answers(), judge=Verdict(lambda _: None))
    assert {key.partition(" ")[0] for key in items} == {"Q-3"}
    assert counts["South_Korea"] == {"items": 1, "origins": {"digits": 3}, "left_out": {}}


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
        ("Q-1", "South_Korea", [group(["보리차"], ["b"], 3)], OTHER_LENGTH),
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
        "short",
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
        ("en,atole,atole", "row 2: the language 'en' is not one of am, ar"),
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


def test_answers_without_votes_and_english_are_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "final_1_saq_reference.tsv").write_text("id\tanswer\nam-ET_001\tዳቦ\n", encoding="utf-8")
    with pytest.raises(FolkwaysError, match=r"votes and an English version each.*SemEval"):
        make(tmp_path, release=str(tmp_path))


def test_a_build_without_items_says_why_and_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(
        FolkwaysError, match="no question is left, and nothing was written\nleft out: 1 item: "
    ):
        make(tmp_path, language=["es"], questions=["Q-1"])
    assert not (tmp_path / "both").exists()


def test_a_culture_whose_people_did_not_know_has_no_item_and_is_told_so(tmp_path: Path) -> None:
    release = write(tmp_path / "unknown", answers())
    file = release / "annotations" / "Iran_data.json"
    entries = {key: {**entry, "idks": {"idk": 9}} for key, entry in json.loads(file.read_text()).items()}
    file.write_text(json.dumps(entries))
    notes = make(tmp_path, release=str(release))
    (counts,) = (note for note in notes if note.startswith("items: "))
    assert counts.endswith(", Iran 0"), counts
    assert f"left out: {len(entries)} items: more than 2 people did not know it" in notes


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


@pytest.fixture(scope="module", params=[8, pytest.param(4, marks=pytest.mark.nightly)])
def real(shared: Path, request: pytest.FixtureRequest) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Items of every eighth question of the real answers, and these answers; at night of every fourth."""
    release = open_release(shared / "data" / "blend" / "24e7d73", "blend")
    annotations, questions = blend.read_annotations(release), blend.read_questions(release)
    sources = select_sources(annotations, questions, by_culture=True).sources[:: request.param]
    local = LocalAnswers(annotations, questions)
    made = build_in_languages(sources, RuleOracle("overlap"), local, own_languages())
    yield made.built.items, annotations


@pytest.mark.shared
def test_on_real_answers_the_right_option_alone_is_right_as_a_short_answer(
    real: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    """Each option is put to the matching of short answers, as a reply in each of the two languages."""
    items, annotations = real
    assert items.height > 170
    groups = {
        (culture, key): groups
        for culture, key, groups in annotations.select("culture", "id", "groups").iter_rows()
    }
    matcher = StrictMatcher()
    for row in items.iter_rows(named=True):
        accepted = groups[cultures_by_name()[row["country"]].code, row["ID"]]
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
    assert differences["high"].max() < 0 and differences["p_holm"].max() < 0.05


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


@pytest.mark.parametrize(
    ("english", "local", "is_seen"),
    [
        (10, 10, False),
        (17, 10, False),  # the others have 10 letters at most, and 8 at least
        (18, 10, True),  # more than 1.75 times as long
        (10, 20, False),
        (10, 21, True),  # more than twice as long
        (18, 21, True),
        (4, 10, False),
        (3, 10, True),  # less than half of the shortest
        (10, 4, False),
        (10, 3, True),
    ],
)
def test_a_right_option_stands_out_by_its_length_in_either_language(
    english: int, local: int, is_seen: bool
) -> None:
    def option(of_english: int, of_local: int, letter: str = "x") -> LocalOption:
        return LocalOption(letter * of_english, letter * of_local, next(iter(Origin)), "UK")

    wrong = [option(8, 10), option(10, 8), option(9, 9)]
    assert stands_out(option(english, local), wrong) is is_seen
    assert stands_out(option(english, local, "7"), wrong) is False, "numerals do not count"
