"""A multiple choice that a TOML file declares: every form of the data gives the same items, and slips in the
file are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.multiple_choice.release import ChoiceReader
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.errors import DataError
from tests.support.hub_benchmarks import release_over, write_delimited
from tests.support.multiple_choice import judged, score

KEYS: dict[str, Any] = {
    "name": "theirs/mcq",
    "release": "theirs",
    "title": "Theirs",
    "about": "Questions.",
    "files": "questions.csv",
    "item": "{id}",
    "question": "{q}",
    "labels": ["A", "B", "C"],
    "options": ["{a}", "{b}", "{c}"],
    "answer": "{right}",
    "culture": "{country}",
    "language": "{lang}",
    "facets": {"topic": "{topic}"},
}
ROWS = [
    {
        "id": "1",
        "q": "Who {bows}?",
        "a": "x",
        "b": "y",
        "c": "z",
        "right": "B",
        "country": "South Korea",
        "lang": "Korean",
        "topic": "t",
    },
    {
        "id": "2",
        "q": "¿Qué?",
        "a": "p",
        "b": "q",
        "c": "r",
        "right": "C",
        "country": "MX",
        "lang": "spa",
        "topic": "",
    },
]
FORMS: dict[str, tuple[dict[str, Any], Callable[[dict[str, str]], dict[str, str]]]] = {
    "letters": ({}, lambda row: row),
    "numbers from 0": ({"answer_from": 0}, lambda row: row | {"right": str("ABC".index(row["right"]))}),
    "numbers from 1": ({"answer_from": 1}, lambda row: row | {"right": str("ABC".index(row["right"]) + 1)}),
    "the option's text": ({"answer_from": "text"}, lambda row: row | {"right": row[row["right"].lower()]}),
    "a list in one column": (
        {"options": "{all}"},
        lambda row: row | {"all": json.dumps([row["a"], row["b"], row["c"]])},
    ),
    "a separator": (
        {"options": "{all}", "separator": "|"},
        lambda row: row | {"all": f"{row['a']} |{row['b']}|{row['c']}"},
    ),
    "an older schema": (
        {"options": ["{k}", "{l}", "{m}"], "options_otherwise": ["{a}", "{b}", "{c}"]},
        lambda row: row,
    ),
    "codes": (
        {"codes": {"language": {"K": "ko", "*": "es"}, "culture": {"here": "KR"}}},
        lambda row: row | ({"lang": "K", "country": "here"} if row["id"] == "1" else {"lang": "any"}),
    ),
}


def task_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, keys: dict[str, Any], wordings: str = ""
) -> ChoiceTask:
    """The task that a package made for this test declares."""
    package = f"declares_{abs(hash(folder))}"
    (folder / package).mkdir()
    (folder / package / "__init__.py").touch()
    (folder / package / "mcq.toml").write_text(tomlkit.dumps(keys), "utf-8")
    if wordings:
        (folder / package / "wordings.toml").write_text(wordings, "utf-8")
    monkeypatch.syspath_prepend(folder)
    return ChoiceTask.from_toml(package, "mcq.toml")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    more, changed = FORMS[form]
    task = task_of(tmp_path, monkeypatch, {**KEYS, **more})
    write_delimited(tmp_path / "data", "questions.csv", [changed(row) for row in ROWS])
    release = release_over(tmp_path / "data", "theirs")
    found = task.items(release).select(
        "item", "culture", "text", "gold", "options", "local_language", "gold_letter", "topic"
    )
    assert found.rows() == [
        ("1", "KR", "Who {bows}?", "B. y", ["x", "y", "z"], "ko", "B", "t"),
        ("2", "MX", "¿Qué?", "C. r", ["p", "q", "r"], "es", "C", None),
    ]
    assert score(task, judged(task, release, lambda row: row["gold_letter"]), "accuracy")["score"] == 100.0
    assert task.chance() == pytest.approx(100 / 3)
    assert ChoiceReader(task).looks_like(tmp_path / "data") and ChoiceReader(task).check(release) == []
    assert not ChoiceReader(task).looks_like(tmp_path / f"declares_{abs(hash(tmp_path))}")


def test_parts_of_paths_and_counts_are_names_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {**KEYS, "files": "{lang}/test", "item": "{lang}/{number}", "language": "{lang}"}
    task = task_of(tmp_path, monkeypatch, keys)
    for language in ("es", "ko"):
        for part in (0, 1):  # two shards: the count goes on, and the row begins again
            write_delimited(tmp_path / "data", f"{language}/test-0000{part}-of-00002.csv", [ROWS[part]])
    items = task.items(release_over(tmp_path / "data", "theirs"))
    assert items.select("item", "local_language").rows() == [
        ("es/1", "es"),
        ("es/2", "es"),
        ("ko/1", "ko"),
        ("ko/2", "ko"),
    ]


def test_texts_of_the_package_join_ours_and_the_signature_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = 'short = "{question} {options}"\n[instructions]\nko = "글자 하나."\n'
    task = task_of(tmp_path, monkeypatch, KEYS, texts)
    write_delimited(tmp_path / "data", "questions.csv", ROWS)
    release = release_over(tmp_path / "data", "theirs")
    prompts = task.prompts(task.items(release), PromptOptions(variants=("local", "short")), release)
    told = {
        (row["language"], row["variant"]): (row["user"], row["prompt_source"])
        for row in prompts.iter_rows(named=True)
    }
    package = f"declares_{abs(hash(tmp_path))}"
    assert told["ko", "local"][0].endswith("\n\n글자 하나.") and told["ko", "local"][1] == package
    assert told["es", "local"][1] == "folkways" and "letra" in told["es", "local"][0]
    assert told["ko", "short"] == ("Who {bows}? A. x\nB. y\nC. z", package)


def test_metrics_may_count_some_items_and_some_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = [
        {"name": "accuracy"},
        {"name": "of_t", "where": {"topic": "t"}},
        {"name": "readable", "readable_only": True},
    ]
    task = task_of(tmp_path, monkeypatch, {**KEYS, "metrics": metrics})
    write_delimited(tmp_path / "data", "questions.csv", ROWS)
    assert [each.metric.accuracy for each in task.declared.metrics] == [True, False, False]
    found = judged(
        task, release_over(tmp_path / "data", "theirs"), lambda row: "B" if row["item"] == "1" else "no idea"
    )
    scores = {name: score(task, found, name) for name in ("accuracy", "of_t", "readable")}
    assert {name: (row["score"], row["n"], row["left_out"]) for name, row in scores.items()} == {
        "accuracy": (50.0, 2, 0),
        "of_t": (100.0, 1, 0),
        "readable": (100.0, 2, 1),
    }


def test_wrong_answers_of_published_data_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(tmp_path, monkeypatch, {**KEYS, "wrong_answers": "uncounted"})
    write_delimited(tmp_path / "data", "questions.csv", [ROWS[0], {**ROWS[1], "right": "E"}])
    release = release_over(tmp_path / "data", "theirs")
    found = judged(task, release, lambda row: "B")
    assert (score(task, found, "accuracy")["score"], score(task, found, "accuracy")["n"]) == (100.0, 1)
    assert found["reason"].to_list() == [
        "said B. y, which is right",
        "the release gives 'E' as the answer, which is not one of A, B, C",
    ]
    assert [(issue.kind, issue.row) for issue in ChoiceReader(task).check(release)] == [("answer-outside", 2)]


@pytest.mark.parametrize("options", [[], ["x"], ["x", "y"], ["x", "y", "z", "w"]])
@pytest.mark.parametrize("published", [True, False])
def test_a_question_with_another_number_of_options_is_left_out_of_published_data_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], published: bool
) -> None:
    keys = {**KEYS, "options": "{all}", **({"wrong_answers": "uncounted"} if published else {})}
    task = task_of(tmp_path, monkeypatch, keys)
    rows = [{**ROWS[0], "all": '["x", "y", "z"]'}, {**ROWS[1], "right": "A", "all": json.dumps(options)}]
    write_delimited(tmp_path / "data", "questions.csv", rows)
    release = release_over(tmp_path / "data", "theirs")
    (issue,) = ChoiceReader(task).check(release)
    remedy = "it is left out" if published else "give each question as many"
    message = f"{len(options)} options in place of 3; {remedy}"
    assert (issue.kind, issue.row, issue.message) == ("option-count", 2, message)
    if published:
        assert task.items(release)["item"].to_list() == ["1"]
    else:
        says = rf"questions\.csv, row 2: has {len(options)} options, and labels has 3 \(A, B, C\)"
        with pytest.raises(DataError, match=says):
            task.items(release)


def test_the_check_says_what_becomes_of_an_answer_that_is_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_delimited(tmp_path / "data", "questions.csv", [ROWS[0], {**ROWS[1], "right": "E"}])
    for name, remedy in (("error", "correct it"), ("uncounted", "the question is not counted")):
        (tmp_path / name).mkdir()
        task = task_of(tmp_path / name, monkeypatch, {**KEYS, "wrong_answers": name})
        (issue,) = ChoiceReader(task).check(release_over(tmp_path / "data", "theirs"))
        assert issue.message == f"the answer is not one of A, B, C; {remedy}"


def test_a_file_without_a_question_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(tmp_path, monkeypatch, {**KEYS, "files": "{lang}/test", "language": "{lang}"})
    write_delimited(tmp_path / "data", "es/test.csv", ROWS[:1])
    (tmp_path / "data" / "ko").mkdir()
    (tmp_path / "data" / "ko" / "test.csv").write_text(",".join(ROWS[0]) + "\n", encoding="utf-8")
    issues = ChoiceReader(task).check(release_over(tmp_path / "data", "theirs"))
    assert [(issue.file, issue.kind) for issue in issues] == [("ko/test.csv", "empty-file")]


def test_a_question_that_comes_twice_is_quoted_by_its_first_eighty_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, text = task_of(tmp_path, monkeypatch, KEYS), "".join(chr(0x4E00 + number) for number in range(100))
    rows = [{**ROWS[0], "id": name, "q": text} for name in ("one", "two")]
    write_delimited(tmp_path / "data", "questions.csv", rows)
    issues = ChoiceReader(task).check(release_over(tmp_path / "data", "theirs"))
    assert [(issue.kind, issue.row, issue.value) for issue in issues] == [
        ("duplicate-question", 2, text[:80])
    ]


def test_a_repeat_names_the_row_that_it_repeats_and_its_file_where_that_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(tmp_path, monkeypatch, {**KEYS, "files": "{lang}/test", "language": "{lang}"})
    other = {**ROWS[1], "id": "3", "a": "r", "c": "p"}  # the same options in another order
    write_delimited(tmp_path / "data", "es/test-00000-of-00002.csv", [ROWS[0], ROWS[1], ROWS[0]])
    write_delimited(tmp_path / "data", "es/test-00001-of-00002.csv", [{**ROWS[0], "q": "Who?"}, other])
    write_delimited(tmp_path / "data", "ko/test-00000-of-00001.csv", [{**ROWS[1], "id": "4"}])
    issues = ChoiceReader(task).check(release_over(tmp_path / "data", "theirs"))
    first, second = (f"es/test-0000{part}-of-00002.csv" for part in (0, 1))
    item, question = "the same item id as in", "the same question with the same options as in"
    assert [(issue.file, issue.row, issue.kind, issue.value, issue.message) for issue in issues] == [
        (first, 3, "duplicate-id", "1", f"{item} row 1"),
        (first, 3, "duplicate-question", "Who {bows}?", f"{question} row 1"),
        (second, 1, "duplicate-id", "1", f"{item} {first}, row 1"),
        (second, 2, "duplicate-question", "¿Qué?", f"{question} {first}, row 2"),
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"qestion": "{q}"}, "unknown key 'qestion'; valid: name, release"),
        ({"question": None}, "the key 'question' is missing"),
        ({"answer_from": 2}, "answer_from is 2; valid:"),
        ({"wrong_answers": "drop"}, "wrong_answers is 'drop'; valid:"),
        ({"options": ["{a}", "{b}"]}, "2 options and 3 labels"),
        ({"metrics": [{"name": "x", "whre": {}}]}, "unknown key 'whre' of a metric"),
        ({"metrics": [{"name": "x", "where": {"level": "1"}}]}, "names the facet 'level'; facets: topic"),
        ({"metrics": [{"label": "X"}]}, "a metric without a name"),
    ],
)
def test_a_slip_in_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], said: str
) -> None:
    keys = {name: value for name, value in {**KEYS, **change}.items() if value is not None}
    with pytest.raises(DataError, match=r"mcq\.toml") as raised:
        task_of(tmp_path, monkeypatch, keys)
    assert said in str(raised.value)


def test_a_column_that_is_not_there_and_a_list_that_is_none_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_delimited(tmp_path / "data", "questions.csv", ROWS)
    release = release_over(tmp_path / "data", "theirs")
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with pytest.raises(DataError, match="no column 'cuontry'; the header is: id, q"):
        task_of(tmp_path / "one", monkeypatch, {**KEYS, "culture": "{cuontry}"}).items(release)
    with pytest.raises(DataError, match=r"not a JSON list: 'x'; if they are separated"):
        task_of(tmp_path / "two", monkeypatch, {**KEYS, "options": "{a}"}).items(release)
