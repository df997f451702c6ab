"""CulturalBench in another language: the table of translations, the release that it makes, and how that is
asked and judged."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.culturalbench.build.translated import TranslatedBuild, build_translated
from folkways.benchmarks.released_data import open_release
from folkways.errors import DataError, FolkwaysError
from folkways.evidence.cultures import own_language
from folkways.records import RESPONSES
from folkways.releases.release_records import Release, ReleaseFile
from tests.support.culturalbench_data import Row, culturalbench_rows, write_culturalbench

EASY, HARD = BENCHMARK.tasks
SINGLE, MULTI, LEFT = "1117", "1137", "1118"  # of South Korea; the gold letters are B, D and C
OPTIONS = ("option_a", "option_b", "option_c", "option_d")
KOREAN = ("빵", "떡", "차", "소금")
LIST = ("(i)", "(i), (ii)", "(ii), (iii), (iv)", "(i), (ii), (iv)")


def translation(question: str, text: str, options: tuple[str, ...], **more: str) -> Row:
    row = {"question_idx": question, "language": "ko", "question": text, "config": ""}
    return {**row, **dict(zip(OPTIONS, options, strict=True)), **more}


TABLE = (
    translation(SINGLE, "무엇을 가져가나요?", KOREAN),
    translation(MULTI, "모두 고르세요. (i) 빵 …", LIST, config="easy"),
    translation(MULTI, "모두 고르세요.", ("하나", "둘", "셋", "넷"), config="hard"),
)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Release:
    easy, hard = culturalbench_rows()
    chosen = {SINGLE, MULTI, LEFT}
    few = [row for row in hard if row["question_idx"] in chosen]
    few[:4] = few[3::-1]  # Hard has the options of a question in an order of its own
    folder = tmp_path_factory.mktemp("english")
    write_culturalbench(folder, [row for row in easy if row["question_idx"] in chosen], few)
    return open_release(folder)


def built(english: Release, folder: Path, *rows: Row) -> TranslatedBuild:
    with (folder / "ko.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return build_translated(english, folder / "ko.csv", folder / "out")


@pytest.fixture(scope="module")
def korean(english: Release, tmp_path_factory: pytest.TempPathFactory) -> Release:
    folder = tmp_path_factory.mktemp("korean")
    done = built(english, folder, *TABLE)
    assert (dict(done.languages), done.untranslated) == ({"ko": 2}, 1)
    return open_release(folder / "out")


@pytest.mark.parametrize("listed", [True, False])
def test_topics_go_along_where_the_record_lists_them(english: Release, tmp_path: Path, listed: bool) -> None:
    folder = shutil.copytree(english.root, tmp_path / "english")
    (folder / "topics.csv").write_text("question_idx,topic,head\n1117,food,daily life\n", encoding="utf-8")
    topics = (ReleaseFile("topics.csv", "", optional=True),) if listed else ()
    files = tuple(entry for entry in english.record.files if entry.path != "topics.csv")
    release = replace(english, root=folder, record=replace(english.record, files=files + topics))
    done = built(release, tmp_path, *TABLE)
    assert (tmp_path / "out" / "topics.csv" in done.files) == listed
    assert (tmp_path / "out" / "topics.csv").is_file() == listed


def prompts(
    task: Task,
    release: Release,
    languages: tuple[str, ...] | None = None,
    variants: tuple[str, ...] | None = None,
) -> pl.DataFrame:
    return task.prompts(task.items(release), PromptOptions(languages, variants), release)


@pytest.mark.parametrize("task", BENCHMARK.tasks)
def test_translated_questions_are_asked_in_both_languages_and_the_english_is_as_before(
    task: Task, english: Release, korean: Release
) -> None:
    each = 1 if task is EASY else 4
    asked = prompts(task, korean)
    before = prompts(task, english)
    assert asked.filter(language="en").equals(before)
    assert asked.filter(language="ko").height == 2 * each
    assert before["language"].unique().to_list() == ["en"]
    local = prompts(task, korean, languages=("local",))
    assert local["language"].to_list().count("ko") == 2 * each
    assert local["language"].to_list().count("en") == each  # the question without a translation
    assert prompts(task, korean, languages=("en",)).equals(before)


def test_easy_shows_korean_texts_with_the_korean_instruction(korean: Release) -> None:
    asked = prompts(EASY, korean, languages=("ko",), variants=("all",))
    single = asked.filter(item=f"easy/{SINGLE}")
    texts = dict(single.select("variant", "user").iter_rows())
    options = "A. 빵\nB. 떡\nC. 차\nD. 소금"
    assert texts["strict-format"] == f"무엇을 가져가나요?\n\n{options}\n\n정답인 보기의 알파벳만 답하세요."
    assert texts["plain"] == f"무엇을 가져가나요?\n\n{options}\n\nAnswer:"
    assert dict(single.select("variant", "prompt_source").iter_rows()) == {
        "strict-format": "folkways",
        "plain": "folkways, in English",
    }
    multi = asked.filter(item=f"easy/{MULTI}", variant="plain")["user"].item()
    assert multi.startswith("모두 고르세요. (i) 빵 …\n\nA. (i)\nB. (i), (ii)")


def test_hard_shows_each_option_where_its_english_text_is(korean: Release) -> None:
    asked = prompts(HARD, korean, languages=("ko",)).join(
        HARD.items(korean).select("item", "option", "answer", "question"), on="item"
    )
    assert set(asked["prompt_source"]) == {"folkways, in English"}
    shown = {
        (option.split(",")[0], re.findall("Proposed answer: (.*)", text)[0], answer)
        for option, text, answer in asked.filter(question=SINGLE)
        .select("option", "user", "answer")
        .iter_rows()
    }
    assert shown == {
        ("They take bread", "빵", "False"),
        ('They take "flat" cakes', "떡", "True"),
        ("They take tea\nor milk", "차", "False"),
        ("They take salt", "소금", "False"),
    }
    several = asked.filter(question=MULTI)["user"]
    assert [re.findall("Proposed answer: (.*)", text)[0] for text in several] == ["하나", "둘", "셋", "넷"]


def answers(task: Task, rows: list[tuple[str, str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "task": task.name,
                "item": item,
                "language": language,
                "variant": variant,
                "sample": 0,
                "state": "answered",
                "response": said,
            }
            for item, language, variant, said in rows
        ],
        schema=dict(RESPONSES),
    )


def test_replies_are_judged_by_the_options_of_their_language_and_paired_by_it(korean: Release) -> None:
    single, multi, left = f"easy/{SINGLE}", f"easy/{MULTI}", f"easy/{LEFT}"
    said = [
        (single, "ko", "떡"),  # right: the option that B shows in Korean
        (single, "en", 'They take "flat" cakes, number 1117'),
        (multi, "ko", "A"),
        (multi, "en", "D"),
        (left, "en", "A"),
    ]
    judged = EASY.judge(
        EASY.items(korean),
        answers(EASY, [(item, language, "strict-format", text) for item, language, text in said]),
        "lenient",
    )
    assert judged["right"].to_list() == [1, 1, 0, 1, 0]
    scores = EASY.summarise(judged).filter(metric="right", facet="language")
    assert dict(scores.select("value", "score").iter_rows()) == pytest.approx({"ko": 50, "en": 200 / 3})
    paired = own_language(judged, EASY.metrics[0]).row(0, named=True)
    # two questions in both: 1 - 1 and 0 - 1, so half a question worse in Korean; the third is not paired
    assert (paired["culture"], paired["language"]) == ("KR", "ko")
    assert paired["difference"] == pytest.approx(-50)


def test_options_change_their_order_in_both_languages_alike(korean: Release) -> None:
    asked = EASY.prompts(EASY.items(korean), PromptOptions(orders=4, variants=("plain",)), korean)
    english_of = dict(zip(KOREAN, ("bread", '"flat" cakes', "tea", "salt"), strict=True))
    single = asked.filter(item=f"easy/{SINGLE}")
    assert single["variant"].n_unique() == 4
    replies = []
    for variant in single["variant"].unique(maintain_order=True):
        shown = dict(single.filter(variant=variant).select("language", "user").iter_rows())
        local = re.findall(r"(?m)^[A-D]\. (.*)$", shown["ko"])
        other = re.findall(r"(?m)^[A-D]\. They take ([^,\n]*)", shown["en"])
        assert [english_of[text] for text in local] == other
        replies.append((f"easy/{SINGLE}", "ko", variant, "떡"))
    judged = EASY.judge(EASY.items(korean), answers(EASY, replies), "lenient")
    assert judged["right"].to_list() == [1] * 4
    assert set(judged["chosen_option"]) == {"B"}


def test_hard_counts_a_question_once_in_each_language(korean: Release) -> None:
    items = HARD.items(korean).filter(pl.col("question") == SINGLE)
    replies = []
    for item, answer in items.select("item", "answer").iter_rows():
        replies.append((item, "ko", "strict-format", answer))
        replies.append((item, "en", "strict-format", "False"))
    judged = HARD.judge(HARD.items(korean), answers(HARD, replies), "paper")
    scores = HARD.summarise(judged).filter(metric="all_right", facet="language")
    assert dict(scores.select("value", "score").iter_rows()) == {"ko": 100, "en": 0}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([translation("7", "무엇?", KOREAN)], "row 1: the release has no question '7' in easy"),
        ([{**TABLE[0], "option_c": " "}], f"row 1: question '{SINGLE}' has no option_c"),
        ([{**TABLE[0], "language": ""}], f"row 1: question '{SINGLE}' has no language"),
        ([{**TABLE[0], "language": "en"}], "row 1: .*the language 'en' is that of the questions"),
        ([{**TABLE[0], "language": "korish"}], "row 1: .*'korish'"),
        ([{**TABLE[0], "option_d": "빵 "}], "row 1: two options of .* say '빵'"),
        ([TABLE[0], TABLE[0]], "row 2: .* has a translation in row 1 already"),
        ([TABLE[0], {**TABLE[0], "config": "hard"}], "row 2: .* has a translation in row 1 already"),
        ([{**TABLE[1], "config": "medium"}], "row 1: config is 'medium'; valid: easy, hard"),
        ([{**TABLE[1], "config": ""}], "row 1: .* has other options in hard than in easy; give it two rows"),
        ([TABLE[1]], "row 1: .* is translated for easy alone; give a row for hard"),
        ([TABLE[1], {**TABLE[2], "language": "ja"}], "row 1: .* has two languages for easy and hard"),
    ],
)
def test_a_wrong_table_is_named_with_row_and_value_and_writes_nothing(
    rows: list[Row], message: str, english: Release, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=f"ko.csv, {message}"):
        built(english, tmp_path, *rows)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("lacks", "has"), [("easy", "hard"), ("hard", "easy")])
@pytest.mark.parametrize("named", [True, False])
def test_a_question_of_one_configuration_needs_no_row_for_the_other(
    lacks: str, has: str, named: bool, tmp_path: Path
) -> None:
    rows = dict(zip(("easy", "hard"), culturalbench_rows(), strict=True))
    kept = {"easy": {SINGLE, LEFT}, "hard": {SINGLE, LEFT}}
    kept[lacks].remove(SINGLE)
    (tmp_path / "english").mkdir()
    write_culturalbench(
        tmp_path / "english",
        *([row for row in rows[name] if row["question_idx"] in kept[name]] for name in ("easy", "hard")),
    )
    english = open_release(tmp_path / "english")
    row = {**TABLE[0], "config": has if named else ""}
    assert built(english, tmp_path, row).languages == {"ko": 1}
    for name in ("easy", "hard"):
        items = {"easy": EASY, "hard": HARD}[name].items(open_release(tmp_path / "out"))
        assert ("ko" in {*items["local_language"]}) == (name == has)
    with pytest.raises(DataError, match=f"the release has no question '{SINGLE}' in {lacks}"):
        built(english, tmp_path, {**TABLE[0], "config": lacks})


def test_json_lines_without_the_column_config_are_read_and_files_of_others_stay(
    english: Release, tmp_path: Path
) -> None:
    row = {name: value for name, value in TABLE[0].items() if name != "config"}
    (tmp_path / "ko.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    assert build_translated(english, tmp_path / "ko.jsonl", tmp_path / "out").untranslated == 2
    first, *others = sorted((tmp_path / "out").iterdir())
    whole = first.read_bytes()
    for cut_off in (first, *others):  # killed before it was there: the same command goes on
        cut_off.unlink()
    (tmp_path / "out" / f".{first.name}.0a1b.part").write_bytes(whole[:10])
    for _ in range(2):
        build_translated(english, tmp_path / "ko.jsonl", tmp_path / "out")
        assert first.read_bytes() == whole and all(other.exists() for other in others)
    for name, content in ((first.name, whole + b"x"), ("notes.txt", b"mine")):
        shutil.copytree(tmp_path / "out", tmp_path / name)
        (tmp_path / name / name).write_bytes(content)
        with pytest.raises(FolkwaysError, match=f"has a {name} that is not of this build"):
            build_translated(english, tmp_path / "ko.jsonl", tmp_path / name)
        assert (tmp_path / name / name).read_bytes() == content


def write_study(path: Path, *contents: Row) -> None:
    """The exported items of a study that settled a translation of each question in ``contents``."""
    result = {
        f"local_{name}": text for name, text in zip(("question", *OPTIONS), ("무엇?", *KOREAN), strict=True)
    }
    item = {"parent_id": None, "state": "done", "language": "ko", "result": json.dumps(result)}
    rows = [
        {**item, "item": f"item-{number}", "item_id": number, "content": json.dumps(content)}
        for number, content in enumerate(contents, 1)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_a_study_that_settled_a_question_twice_is_refused(english: Release, tmp_path: Path) -> None:
    write_study(tmp_path / "items.jsonl", {"question_idx": SINGLE}, {"question_idx": SINGLE})
    with pytest.raises(DataError, match=r"row 2: .* has a translation in row 1 already"):
        build_translated(english, tmp_path / "items.jsonl", tmp_path / "out")


@pytest.mark.parametrize("config", ["easy", "hard"])
def test_a_question_that_a_study_settled_for_one_configuration_waits(
    config: str, english: Release, tmp_path: Path
) -> None:
    several = {"question_idx": MULTI, "config": config}
    write_study(tmp_path / "items.jsonl", {"question_idx": SINGLE}, several)
    done = build_translated(english, tmp_path / "items.jsonl", tmp_path / "out")
    assert (dict(done.languages), done.untranslated) == ({"ko": 1}, 2)


def test_the_questions_are_written_as_items_for_people(tmp_path: Path) -> None:
    easy, hard = culturalbench_rows()
    chosen = {SINGLE, MULTI, LEFT}
    of_hard = [row for row in hard if row["question_idx"] in chosen]
    other = [row for row in hard if row["question_idx"] not in chosen][:3]  # three options: it has no item
    write_culturalbench(tmp_path, [row for row in easy if row["question_idx"] in chosen], [*of_hard, *other])
    builder = next(each for each in BENCHMARK.builders if each.name == "translated")
    made = builder.make(None, release=str(tmp_path), translations=None, out=tmp_path / "out")
    assert list(made.summary) == ["3 questions to translate, 1 of them twice"]
    rows = list(csv.DictReader((tmp_path / "out" / "items.csv").open(encoding="utf-8")))
    texts = {row["id"]: row["prompt_option_a"] for row in rows}
    assert texts.keys() == {SINGLE, LEFT, f"{MULTI}-easy", f"{MULTI}-hard"}
    assert texts[f"{MULTI}-easy"].startswith("(i)") and not texts[f"{MULTI}-hard"].startswith("(i)")


def test_a_release_that_lacks_a_local_text_is_refused_with_its_row(korean: Release, tmp_path: Path) -> None:
    text = (korean.root / "CulturalBench-Hard.csv").read_text(encoding="utf-8")
    (tmp_path / "CulturalBench-Hard.csv").write_text(text.replace("소금", ""), encoding="utf-8")
    with pytest.raises(DataError, match=r"CulturalBench-Hard.csv, row 1: .* no local_option"):
        HARD.items(open_release(tmp_path))
