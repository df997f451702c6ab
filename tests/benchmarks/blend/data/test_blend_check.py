"""Every hazard of BLEnD is reported: in a small release of ours, and in the published ones as often as it is
known to be there."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.blend import data as blend
from tests.support.blend_data import MCQ_ROWS, group, mcq_row, release_at, write_csv, write_mcq, write_release


def found(root: Path, kind: str) -> list[tuple[str, int | None, str | None, str | None]]:
    return [
        (odd.file, odd.row, odd.key, odd.value) for odd in blend.check(release_at(root)) if odd.kind == kind
    ]


def test_hazards_are_reported_with_file_question_and_value(tmp_path: Path) -> None:
    root = write_release(tmp_path, swapped=True)
    korea, spain = "annotations/South_Korea_data.json", "annotations/Spain_data.json"
    assert found(root, "empty-answer") == [(korea, None, "Q-2", "")]
    assert found(root, "group-without-english") == [(korea, None, "Q-2", "축구")]
    assert found(root, "idk-free-text") == [(korea, None, "Q-2", "i forgot")]
    assert found(root, "outer-space") == [(spain, None, "Q-3", " 21:30")]
    assert found(root, "count-above-five") == [(spain, None, "Q-3", " 21:30")]
    assert found(root, "question-without-answers") == [(spain, None, "Q-4", None)]
    assert {file for file, *_ in found(root, "swapped-columns")} == {
        "questions/South_Korea_questions.csv",
        "questions/Spain_questions.csv",
    }
    assert found(root, "two-english-wordings") == [("questions/US_questions.csv", None, None, "Question")]
    assert ("prompts/Spain_prompts.csv", 3, None, "inst-4") in found(root, "repeated-prompt-id")
    assert found(root, "missing-file") == []


@pytest.mark.parametrize("part", ["annotations", "questions", "prompts"])
def test_a_file_that_one_part_lacks_and_one_without_a_question_are_named(tmp_path: Path, part: str) -> None:
    root = write_release(tmp_path)
    file = f"{part}/Spain_data.json" if part == "annotations" else f"{part}/Spain_{part}.csv"
    content = (root / file).read_text(encoding="utf-8")
    (root / file).unlink()
    assert found(root, "missing-file") == [(file, None, None, "ES")]
    (root / file).write_text("{}" if part == "annotations" else content.splitlines()[0] + "\n")
    assert found(root, "missing-file") == []
    assert found(root, "empty-file") == ([] if part == "prompts" else [(file, None, None, None)])


@pytest.mark.parametrize("part", ["annotations", "questions", "prompts", "mcq"])
def test_a_release_of_one_part_is_looked_at_by_itself(tmp_path: Path, part: str) -> None:
    root = write_release(tmp_path)
    whole = {(odd.file, odd.kind, odd.row, odd.key) for odd in blend.check(release_at(root))}
    assert any(file.startswith(part) for file, *_ in whole) or part == "mcq"
    for other in root.iterdir():
        if other.name != part and other.is_dir():
            shutil.rmtree(other)
    alone = blend.check(release_at(root))
    assert {odd.file.split("/")[0] for odd in alone} <= {part}
    assert {(odd.file, odd.kind, odd.row, odd.key) for odd in alone} <= whole


def test_each_file_is_looked_at_however_many_are_without_a_question(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    files = sorted(path.relative_to(root).as_posix() for path in (root / "annotations").iterdir())
    for file in files:
        (root / file).write_text("{}")
    assert sorted(file for file, *_ in found(root, "empty-file")) == files and len(files) > 2


def test_an_id_that_occurs_twice_is_named_in_annotations_and_in_questions(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    annotations, questions = root / "annotations/Spain_data.json", root / "questions/Spain_questions.csv"
    entries = [{"ID": key, **entry} for key, entry in json.loads(annotations.read_text()).items()]
    annotations.write_text(json.dumps([*entries, entries[1]]), encoding="utf-8")
    lines = questions.read_text(encoding="utf-8").splitlines()
    questions.write_text("\n".join([*lines, lines[3]]) + "\n", encoding="utf-8")
    assert found(root, "repeated-question-id") == [
        ("annotations/Spain_data.json", 5, None, "Q-2"),
        ("questions/Spain_questions.csv", 5, None, "Q-3"),
    ]


def test_header_as_documented_is_not_odd(tmp_path: Path) -> None:
    assert found(write_release(tmp_path), "swapped-columns") == []


@pytest.mark.parametrize(
    ("answer", "country", "kind"),
    [
        ("tea\u200b", "Spain", "zero-width"),
        ("\u200etea", "Spain", "bidi-mark"),
        ("cafe\u0301", "Spain", "not-nfc"),
        ("پنير", "Iran", "arabic-letter-in-persian"),
        ("۱۲", "Iran", "non-ascii-digits"),
        ("tea\ncoffee", "Spain", "newline"),
    ],
)
def test_characters_that_decide_verdicts_unseen(tmp_path: Path, answer: str, country: str, kind: str) -> None:
    root = write_release(tmp_path)
    text = (
        (root / "annotations" / "Spain_data.json")
        .read_text(encoding="utf-8")
        .replace("té con limón", answer.replace("\n", "\\n"))
    )
    (root / "annotations" / f"{country}_data.json").write_text(text, encoding="utf-8")
    assert found(root, kind) == [(f"annotations/{country}_data.json", None, "Q-1", answer)]


def as_on_the_hub(file: Path) -> str:
    """Move a file of questions to the hub's layout, where empty cells are null; its path in the release."""
    moved = file.parents[1] / "questions_hf" / file.with_suffix(".json").name
    moved.parent.mkdir(exist_ok=True)
    moved.write_text(pl.read_csv(file).write_json(), encoding="utf-8")
    file.unlink()
    return f"questions_hf/{moved.name}"


@pytest.mark.parametrize("hub", [False, True])
def test_question_files_and_choices(tmp_path: Path, hub: bool) -> None:
    root = write_release(tmp_path)
    write_csv(
        root / "questions" / "Spain_questions.csv",
        ["", "ID", "Topic", "Source", "Question", "Translation", "Notes"],
        [
            ("0", "Q-1", "Food", "es", "What is it?", "¿Qué es?", ""),
            ("1", "Q-1", "Soup", "es", "Is it?", "", ""),
        ],
    )
    as_on_the_hub(root / "questions" / "US_questions.csv")  # a country before Spain
    file = "questions/Spain_questions.csv"
    if hub:
        file = as_on_the_hub(root / file)
    assert (file, None, None, "Notes") in found(root, "extra-column")
    assert found(root, "index-column") == [(file, None, None, "")]
    assert found(root, "repeated-question-id") == [(file, 2, None, "Q-1")]
    assert found(root, "unknown-topic") == [(file, 2, None, "Soup")]
    assert found(root, "empty-question") == [(file, 2, "Q-1", None)]
    assert ("annotations/Spain_data.json", None, "Q-3", None) in found(root, "unmatched-question")
    write_mcq(root, [*MCQ_ROWS, mcq_row(3, "Spain", ["x", "y", "x", "z"], "C", "Q-2")])
    assert found(root, "equal-choices") == [("mc_questions_file.csv", 5, None, "x")]
    assert found(root, "repeated-mcq-id") == [("mc_questions_file.csv", 5, None, "Q-2_3")]


def test_questions_and_answers_are_odd_from_known_bounds_on(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    groups = [
        group(["té"], ["tea"], 5),
        group(["té", "té", "vino"], ["tea", "wine"], 5),
        group([], ["water"], 4),
        group(["mosto"], [], 6),
    ]
    counted = ["7", "12", "x", "ab", "abc", "abcd", "“a b c”", "(a b c)", "a/b/c", "a, b, c", "Abcd"]
    file = "annotations/Spain_data.json"
    entries = {
        "Q-1": {"annotations": groups, "idks": {"idk": 5, "no-answer": 6, "not-applicable": 0, "no time": 7}},
        "Q-2": {"annotations": [group(counted, ["tea"], 5), group(["b"], ["b c d"], 5)], "idks": {}},
        "Q-9": {"annotations": [group(["a b c"], ["a b c"], 1)], "idks": {}},
    }
    texts = {"question": "¿Qué?", "en_question": "What?"}
    (root / file).write_text(json.dumps({key: {**texts, **entry} for key, entry in entries.items()}), "utf-8")
    issues = [
        (odd.kind, odd.key, odd.value, odd.message)
        for odd in blend.check(release_at(root))
        if odd.file in (file, "questions/Spain_questions.csv")
    ]
    twice, people = "in 2 groups: the first decides its weight", "from 5 people"
    assert [issue for issue in issues if issue[1] == "Q-1"] == [
        ("repeated-answer", "Q-1", "té", f"the same answer (es) {twice}"),
        ("repeated-answer", "Q-1", "tea", f"the same answer (en) {twice}"),
        ("group-without-local", "Q-1", None, "an answer that cannot be given in the local language"),
        ("group-without-english", "Q-1", "mosto", "an answer that cannot be given in English"),
        ("count-above-five", "Q-1", "mosto", f"6 votes {people}"),
        ("groups-unsorted", "Q-1", None, "a later group has more votes: weights can exceed 1"),
        ("idk-above-five", "Q-1", "6", f"6 times 'no-answer' {people}"),
        ("idk-free-text", "Q-1", "no time", "free text among the kinds of not knowing"),
        ("idk-above-five", "Q-1", "7", f"7 times 'no time' {people}"),
    ]
    assert [(kind, key) for kind, key, *_ in issues if key and key != "Q-1"] == [
        ("unmatched-question", "Q-3"),
        ("unmatched-question", "Q-4"),
        ("unmatched-question", "Q-9"),
    ]
    counts = {kind: int(value or 0) for kind, key, value, _ in issues if key is None}
    assert counts == {
        "capitals": 1,
        "bare-number": 2,
        "single-letter": 2,
        "short-answer": 8,  # té three times, tea three times, ab and abc
        "curly-quotes": 1,
        "brackets": 1,
        "slash": 1,
        "list-in-answer": 1,
    }


def test_templates_that_lack_the_question_or_the_papers_name(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    rows = [("inst-4", "{q}", "Sin pregunta"), ("pers-3", "{q} now", "{q} ya"), ("inst-1", "None", "{q}")]
    write_csv(root / "prompts" / "Spain_prompts.csv", ["id", "English", "Translation"], rows)
    rows = [("inst-4", "{q}", "{q}")]
    write_csv(root / "prompts" / "US_prompts.csv", ["id", "English", "Translation"], rows)
    spain, us = "prompts/Spain_prompts.csv", "prompts/US_prompts.csv"
    assert found(root, "prompt-without-question") == [(spain, 1, None, "inst-4"), (spain, 3, None, "inst-1")]
    assert found(root, "missing-template") == [(us, None, None, "pers-3")]


@pytest.mark.shared
def test_the_newest_release_has_the_known_hazards(shared: Path) -> None:
    data_issues = blend.check(release_at(shared / "data" / "blend" / "24e7d73"))
    counts = Counter(odd.kind for odd in data_issues)
    known = {
        "empty-answer": 7, "group-without-english": 28, "question-without-answers": 277,
        "outer-space": 84, "zero-width": 98,
        "not-nfc": 213, "arabic-letter-in-persian": 125, "non-ascii-digits": 19,
        "idk-free-text": 161, "swapped-columns": 14,
        "extra-column": 4, "index-column": 16, "repeated-prompt-id": 2, "count-above-five": 1,
        "prompt-without-question": 2,
    }  # fmt: skip
    assert {kind: counts[kind] for kind in known} == known
    assert sum(int(odd.value or 0) for odd in data_issues if odd.kind == "capitals") == 1690 + 452
    # 67 local strings of the cultures with a language of their own, and 207 English ones
    assert counts["repeated-answer"] == 67 + 207
    assert {odd.file for odd in data_issues if odd.kind == "repeated-prompt-id"} == {
        "prompts/Azerbaijan_prompts.csv"
    }


@pytest.mark.shared
@pytest.mark.nightly  # the newest release has these kinds of oddities and more
def test_the_june_release_has_the_documented_headers(shared: Path) -> None:
    counts = Counter(odd.kind for odd in blend.check(release_at(shared / "data" / "blend" / "3e4dcbd")))
    assert counts["swapped-columns"] == 0
    assert counts["empty-answer"] == 0
    assert counts["count-above-five"] == 23
