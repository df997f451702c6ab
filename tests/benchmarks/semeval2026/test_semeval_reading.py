"""Entries and issues of releases with everything odd that a file may have, in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import data_issues, open_release
from folkways.benchmarks.semeval2026.release import (
    is_trial,
    looks_like,
    questions_file,
    read_answers,
    read_letters,
)
from folkways.errors import DataError
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from tests.support.semeval_data import ANSWERS, LETTERS, OPTIONS, QUESTIONS, write_trial, write_tsv

TRIAL_ANSWERS, TRIAL_LETTERS = "trial_data_unique_answer.tsv", "trial_data_multiple_choice.tsv"
WITH_OPTIONS = ("id", "question", *(f"option_{label}" for label in "ABCD"))


@pytest.fixture
def odd(tmp_path: Path) -> Release:
    gold = [
        ("am-ET_001", "ቡና;ሻይ"),
        ("en-ET_001", "No answer; coffee"),
        ("en-ET_002", "idk;IDK"),
        ("en-ET_003", ";tea"),
        ("en-ET_004", "2025-07-04 0:00; 2025-08-05"),
        ("en-ET_005", "Tea;tea ;x"),
        ("en-ET_006", "; "),
    ]
    texts = [
        ("am-ET_001", "Where?"),
        ("en-ET_001", " Where?"),
        ("en-ET_002", "Where? "),
        ("am-ET_009", "Who?"),
        ("en-ET_003", " "),
        ("en-ET_004", "How?"),
        ("en-ET_005", "What?"),
        ("en-ET_004", "How often?"),
    ]
    letters = [("en-US_0001", "A"), ("en-US_0002", "B"), ("ga-IE_0001", "C"), ("en-US_0004", "D")]
    choices = [
        ("en-US_0001", "Why?", "a", "a ", "b", " "),
        ("en-US_0002", "Why? ", " a", "b", "c", "d"),
        ("en-US_0003", "When?", "a", "b", "c", "d"),
        ("ga-IE_0001", "Why?", "a", "b", "c", "d"),
        ("en-US_0004", "Why?", "a", "b", "c", "d"),
    ]
    write_tsv(tmp_path / ANSWERS, ("id", "answer"), gold)
    write_tsv(tmp_path / QUESTIONS, ("id", "text"), texts)
    write_tsv(tmp_path / LETTERS, ("id", "answer"), letters)
    write_tsv(tmp_path / OPTIONS, WITH_OPTIONS, choices)
    return open_release(tmp_path, "semeval2026")


def test_entries_in_full(odd: Release) -> None:
    told = [
        (one.id, one.language, one.culture, one.number, one.text, one.english, one.answers)
        for one in read_answers(odd)
    ]
    assert told == [
        ("am-ET_001", "am", "ET", "ET_001", "Where?", "Where?", ("ቡና", "ሻይ")),
        ("en-ET_001", "en", "ET", "ET_001", "Where?", "Where?", ("No answer", "coffee")),
        ("en-ET_002", "en", "ET", "ET_002", "Where?", "Where?", ("idk", "IDK")),
        ("en-ET_003", "en", "ET", "ET_003", "", "", ("tea",)),
        ("en-ET_004", "en", "ET", "ET_004", "How often?", "How often?", ("2025-07-04 0:00", "2025-08-05")),
        ("en-ET_005", "en", "ET", "ET_005", "What?", "What?", ("Tea", "tea", "x")),
        ("en-ET_006", "en", "ET", "ET_006", None, None, ()),
    ]
    # The same words are one question of a region, and not of two.
    asked = [(one.id, one.number, one.text, one.answers, one.options) for one in read_letters(odd)]
    assert asked == [
        ("en-US_0001", "US_0001", "Why?", ("A",), ("a", "a", "b", "")),
        ("en-US_0002", "US_0001", "Why?", ("B",), ("a", "b", "c", "d")),
        ("ga-IE_0001", "IE_0001", "Why?", ("C",), ("a", "b", "c", "d")),
        ("en-US_0004", "US_0001", "Why?", ("D",), ("a", "b", "c", "d")),
    ]
    # What is sampled is the question, which regions share.
    sampled = get_task("semeval2026/mcq").items(odd).select("item", "question", "gold")
    assert sampled.rows() == [
        ("en-US_0001", "US_0001", "A. a"),
        ("en-US_0002", "US_0001", "B. b"),
        ("ga-IE_0001", "US_0001", "C. c"),
        ("en-US_0004", "US_0001", "D. d"),
    ]


def test_issues_in_full(odd: Release) -> None:
    assert [(one.file, one.kind, one.row, one.key, one.value) for one in data_issues(odd)] == [
        (ANSWERS, "no-answer-among", 2, "en-ET_001", "No answer; coffee"),
        (ANSWERS, "outer-space", 2, "en-ET_001", " coffee"),
        (ANSWERS, "no-answer-alone", 3, "en-ET_002", "idk;IDK"),
        (ANSWERS, "repeated-answer", 3, "en-ET_002", "idk"),
        (ANSWERS, "empty-answer", 4, "en-ET_003", ";tea"),
        (ANSWERS, "rewritten-date", 5, "en-ET_004", "2025-07-04 0:00"),
        (ANSWERS, "rewritten-date", 5, "en-ET_004", " 2025-08-05"),
        (ANSWERS, "outer-space", 5, "en-ET_004", " 2025-08-05"),
        (ANSWERS, "outer-space", 6, "en-ET_005", "tea "),
        (ANSWERS, "repeated-answer", 6, "en-ET_005", "tea"),
        (ANSWERS, "no-answer-alone", 7, "en-ET_006", "; "),
        (ANSWERS, "empty-answer", 7, "en-ET_006", "; "),
        (QUESTIONS, "repeated-question", 3, "en-ET_002", "Where?"),
        (QUESTIONS, "question-without-gold", 4, "am-ET_009", None),
        (QUESTIONS, "empty-question", 5, "en-ET_003", None),
        (QUESTIONS, "repeated-id", 8, "en-ET_004", None),
        (QUESTIONS, "gold-without-question", None, "en-ET_006", None),
        (OPTIONS, "empty-option", 1, "en-US_0001", None),
        (OPTIONS, "equal-options", 1, "en-US_0001", None),
        (OPTIONS, "question-without-gold", 3, "en-US_0003", None),
        (OPTIONS, "repeated-question", 5, "en-US_0004", "Why?"),
    ]


@pytest.mark.parametrize("file", [ANSWERS, LETTERS])
def test_broken_gold_is_an_error_of_the_check(odd: Release, file: str) -> None:
    with odd.path(file).open("a", encoding="utf-8") as gold:
        gold.write("en-XX_0009\tA\n")
    with pytest.raises(DataError, match=r"unknown culture 'XX'"):
        data_issues(odd)


@pytest.mark.parametrize(
    ("files", "trial", "asked"),
    [
        ((ANSWERS,), False, (QUESTIONS, OPTIONS)),
        ((LETTERS,), False, (QUESTIONS, OPTIONS)),
        ((TRIAL_ANSWERS,), True, (TRIAL_ANSWERS, TRIAL_LETTERS)),
        ((TRIAL_LETTERS,), True, (TRIAL_ANSWERS, TRIAL_LETTERS)),
        ((TRIAL_LETTERS, ANSWERS), False, (QUESTIONS, OPTIONS)),
        ((TRIAL_ANSWERS, LETTERS), False, (QUESTIONS, OPTIONS)),
    ],
)
def test_gold_of_the_competition_comes_before_the_trial_data(
    tmp_path: Path, files: tuple[str, ...], trial: bool, asked: tuple[str, str]
) -> None:
    assert not looks_like(tmp_path)
    for name in files:
        (tmp_path / name).touch()
    release = Release(get_record("semeval2026"), tmp_path)
    assert (looks_like(tmp_path), is_trial(release)) == (True, trial)
    assert tuple(questions_file(release, options=options) for options in (False, True)) == asked


@pytest.mark.parametrize(
    ("options", "answer", "letter"),
    [
        ("bread\nsand", " bread ", "A"),
        ("bread \n\n sand", "sand / grit", "B"),
        ("bread\nbreadcrumbs", "breadcrumbs", "B"),  # begins with both, and is one of them
        ("bread\nbreadcrumbs", "breadcrumbs, fried", None),  # begins with both
        ("1\n2\n3\n4\nbread", "bread", None),  # there are four letters
        ("1\n2\n3\n4\nbread", "bread or so", None),
        ("bread\nbread", "bread", None),
    ],
)
def test_the_right_option_of_the_trial_data(
    tmp_path: Path, options: str, answer: str, letter: str | None
) -> None:
    header = ("index", "lang_reg", "question", "multiple_choice_options", "correct_answer")
    row = ("7", "eu-ES", " What? ", f'"{options}"', answer)
    write_tsv(tmp_path / TRIAL_LETTERS, header, [row])
    release = open_release(tmp_path, "semeval2026")
    if letter is None:
        with pytest.raises(DataError, match="is not one of") as error:
            data_issues(release)
        assert (error.value.row, error.value.file) == (1, str(release.path(TRIAL_LETTERS)))
        return
    (entry,) = read_letters(release)
    assert (entry.id, entry.culture, entry.text, entry.answers) == (
        *("eu-PV_trial-7", "ES-PV", "What?"),
        (letter,),
    )


def test_issues_of_the_trial_data_in_full(tmp_path: Path) -> None:
    write_trial(tmp_path)
    (tmp_path / TRIAL_ANSWERS).unlink()
    with (tmp_path / TRIAL_LETTERS).open("a", encoding="utf-8") as file:
        file.write('3\ten-US\tWho?\t"a\nb\nc\nd\ne"\t b \n')
    found = data_issues(open_release(tmp_path, "semeval2026"))
    assert [(one.file, one.kind, one.row, one.key, one.value) for one in found] == [
        (TRIAL_ANSWERS, "missing-file", None, None, None),
        (TRIAL_LETTERS, "few-options", 2, "2", "ogia \nharea \nklera"),
        (TRIAL_LETTERS, "other-wording", 2, "2", "ogia / bread"),
    ]
    assert found[1].message == "3 options: chance is higher"
