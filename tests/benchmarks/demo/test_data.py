"""The demo's data: complete, consistent, in the languages they say, our own, and what the record says they
are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.demo.sentences import NON_TRANSFERABLE
from folkways.benchmarks.demo.tasks import contains_answer
from folkways.cultures import cultures_of, get_culture
from folkways.metrics.spans import CLOSING, OPENING, tagged_spans
from folkways.records import ITEMS, require_columns
from folkways.releases.checksums import sha256_of
from folkways.releases.release_records import Release
from folkways.text.scripts import in_another_script
from tests.support.demo_replies import BY_NAME


def rows(name: str, release: Release) -> list[dict[str, Any]]:
    return BY_NAME[name].items(release).to_dicts()


def test_each_accepted_answer_is_shown_once(task: Task, release: Release) -> None:
    """As one that is the same in English and in the local language: rupiah."""
    if "answers" not in task.items(release).columns:
        return
    for item in rows(task.name, release):
        for group in item["gold"].split("; "):
            shown = group.split(" / ")
            assert len(shown) == len({*shown}), item["item"]


def test_the_record_describes_the_files_that_are_there(release: Release) -> None:
    files = {path.name for path in release.root.iterdir() if path.suffix != ".md"}
    assert {entry.path for entry in release.record.files} == files
    for entry in release.record.files:
        path = release.path(entry.path)
        assert (sha256_of(path), path.stat().st_size) == (entry.sha256, entry.size), (
            f"raise the revision of the record: {path.name}"
        )
    assert "not verified" in release.record.about
    readme = " ".join((release.root / "README.md").read_text(encoding="utf-8").split())
    assert "Nobody from the cultures concerned has verified them" in readme


def test_sizes_cultures_and_languages_are_those_promised(release: Release) -> None:
    counts = {name: BY_NAME[name].items(release).height for name in BY_NAME}
    assert sum(counts.values()) == 198
    cultures = {item["culture"] for name in BY_NAME for item in rows(name, release)}
    assert cultures == {culture.code for culture in cultures_of("demo")} | {"ANGLO"}
    languages = set()
    for sample_task in BY_NAME.values():
        items = sample_task.items(release)
        languages |= set(sample_task.prompts(items, PromptOptions(), release)["language"])
    assert languages == set(release.record.languages)
    assert len(languages) == 9


def test_every_item_is_complete_and_has_its_own_id(task: Task, release: Release) -> None:
    items = require_columns(task.items(release), ITEMS, "items")
    assert items["item"].is_unique().all()
    assert items.select(ITEMS.keys()).null_count().sum_horizontal().item() == 0
    assert items.select((pl.col("text").str.strip_chars() == "").any()).item() is False
    for code in items["culture"].unique():
        assert get_culture(code).code == code
    assert (items["task"] == task.name).all()


@pytest.mark.parametrize("name", ["demo/saq", "demo/everyday"])
def test_short_answers_are_in_the_language_they_say(name: str, release: Release) -> None:
    for item in rows(name, release):
        assert in_another_script(item["text"], "en") is False
        if item["local_text"] is None:
            assert item["culture"] == "US"
            continue
        language = get_culture(item["culture"]).languages[0]
        assert in_another_script(item["local_text"], language) is False, item["item"]
        assert item["local_text"] != item["text"]
        assert all(group["en"] and group["local"] for group in item["answers"]), item["item"]


@pytest.mark.parametrize("name", ["demo/saq", "demo/everyday"])
def test_no_question_gives_its_answer_away(name: str, release: Release) -> None:
    for item in rows(name, release):
        language = get_culture(item["culture"]).languages[0]
        for group in item["answers"]:
            assert not any(contains_answer(item["text"], answer, "en") for answer in group["en"]), item[
                "item"
            ]
            assert not any(
                contains_answer(item["local_text"], answer, language) for answer in group["local"] or ()
            ), item["item"]


def test_everyday_questions_are_the_same_about_every_culture(release: Release) -> None:
    topics: dict[str, set[str]] = {}
    for item in rows("demo/everyday", release):
        topics.setdefault(item["culture"], set()).add(item["topic"])
    assert len(topics) == 9
    assert set(map(frozenset, topics.values())) == {frozenset(topics["US"])}
    assert len(topics["US"]) == 8


def test_one_of_the_answers_to_choose_among_is_right_and_its_place_tells_nothing(release: Release) -> None:
    task = BY_NAME["demo/everyday"]
    items = task.items(release)
    asked = task.prompts(items, PromptOptions(), release)
    places: Counter[tuple[str, int]] = Counter()
    for place in range(4):
        replies = asked.select(
            "task", "item", "language", "variant", sample=0, state=pl.lit("answered")
        ).with_columns(response=asked["choices"].list.get(place), reason=None)
        judged = task.judge(items, replies.cast({"sample": pl.Int64, "reason": pl.String}), "strict")
        places.update((row["topic"], place) for row in judged.filter(correct=1.0).iter_rows(named=True))
    assert asked["choices"].list.n_unique().unique().to_list() == [4]
    assert sum(places.values()) == asked.height == 136
    assert all(places[topic, place] >= 2 for topic in items["topic"].unique() for place in range(4))


def test_every_culture_lends_its_answer_as_a_wrong_one(release: Release) -> None:
    """Where each culture has an answer of its own, an answer is offered to its culture and to three
    others."""
    for topic in ("money", "dish", "thanks"):
        options = [item["options"] for item in rows("demo/everyday", release) if item["topic"] == topic]
        offered = Counter(option for row in options for option in row)
        assert set(offered.values()) == {4}, topic


def test_answers_to_choose_among_do_not_depend_on_what_else_is_asked(release: Release) -> None:
    task = BY_NAME["demo/everyday"]
    items = task.items(release)
    whole = task.prompts(items, PromptOptions(), release).filter(pl.col("item").str.starts_with("KR/"))
    assert whole.equals(task.prompts(items.filter(culture="KR"), PromptOptions(), release))
    assert whole.filter(language="ko", item="KR/money")["choices"][0].to_list()[2:] == ["달러", "원"]


def test_options_are_four_different_ones_and_no_letter_is_favoured(release: Release) -> None:
    items = rows("demo/mcq", release)
    for item in items:
        assert len(set(item["options"])) == 4, item["item"]
    letters = Counter(item["answer"] for item in items)
    assert set(letters) == set("ABCD")
    assert max(letters.values()) - min(letters.values()) <= 1


def test_each_question_has_four_statements_with_true_and_false_ones(release: Release) -> None:
    truths: dict[str, list[str]] = {}
    for item in rows("demo/true-false", release):
        truths.setdefault(item["question"], []).append(item["truth"])
    for question, values in truths.items():
        assert len(values) == 4, question
        assert set(values) == {"True", "False"}, question
    patterns = Counter(tuple(values) for values in truths.values())
    assert len(patterns) >= 5, "a model could learn the pattern"


def test_sentences_carry_balanced_tags_around_something(release: Release) -> None:
    texts = [item["gold"] for item in rows("demo/identification", release)]
    texts += [item[side] for item in rows("demo/adaptation", release) for side in ("gold_en", "gold_local")]
    for text in texts:
        spans = tagged_spans(text, across_lines=False)
        assert text.count(OPENING) == text.count(CLOSING) == len(spans)
        assert all(spans) and (spans or NON_TRANSFERABLE.fullmatch(text)), text


def test_adaptations_keep_the_number_of_items_and_come_in_both_languages(release: Release) -> None:
    impossible = 0
    for item in rows("demo/adaptation", release):
        expected = len(tagged_spans(item["text"], across_lines=False))
        found = [len(tagged_spans(item[side], across_lines=False)) for side in ("gold_en", "gold_local")]
        if found == [0, 0]:
            impossible += 1
            continue
        assert found == [expected, expected], item["item"]
        assert (
            in_another_script(
                item["gold_local"].replace("CSI", ""), get_culture(item["culture"]).languages[0]
            )
            is False
        )
    assert impossible == 2


@pytest.mark.shared
def test_nothing_is_taken_from_the_three_benchmarks(release: Release, shared: Path) -> None:
    theirs: set[str] = set()
    for path in (shared / "data/blend/24e7d73/annotations").glob("*.json"):
        for question in json.loads(path.read_text(encoding="utf-8")).values():
            theirs |= {question["question"].casefold(), question["en_question"].casefold()}
    for path in (shared / "data/xcr").glob("*.csv"):
        for column in pl.read_csv(path, infer_schema=False).iter_columns():
            theirs |= {str(text).casefold() for text in column}
    assert len(theirs) > 15_000
    for name in BY_NAME:
        for item in rows(name, release):
            ours = {
                str(item.get(column)).casefold()
                for column in ("text", "local_text", "gold", "gold_en", "gold_local")
            }
            assert not ours & theirs - {"none", "non-transferable"}
