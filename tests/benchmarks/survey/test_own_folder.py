"""A survey in a folder of one's own is recognised by name and without one; the example in the package is no such
folder."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.survey.questions import PeopleAnswers, SurveyQuestion
from folkways.benchmarks.survey.release import questions_of
from folkways.benchmarks.survey.results import PERMUTATIONS, PeoplesAnswers, permutation_test
from folkways.errors import DataError, FolkwaysError
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The example with another text, so that no checksum is that of a release."""
    folder = tmp_path / "own"
    shutil.copytree(str(files("folkways.benchmarks.survey").joinpath("data")), folder)
    questions = folder / "questions.jsonl"
    questions.write_text(questions.read_text("utf-8").replace("How often", "Tell me how often", 1), "utf-8")
    return folder


@pytest.mark.filterwarnings("error")
def test_a_folder_of_ones_own_is_a_survey(own: Path) -> None:
    for text in (own, str(own)):
        release = open_release(text)
        assert release.record.benchmark == "survey" and not release.verified
    done = run("survey", models=["baseline/first"], releases={"survey": str(own)}, workspace=own / "w.db")
    assert done.scores().height


@pytest.mark.parametrize(
    ("effective", "respondents"),
    [({}, 0), ({"DE": 3.4}, 3), ({"DE": 0.2}, 1), ({"DE": 1e9}, 0), ({"FR": 3}, 0), (None, 0)],
)
def test_people_of_unequal_weight_count_as_those_of_equal_weight_and_never_as_more(
    own: Path, effective: dict[str, float] | None, respondents: int
) -> None:
    """respondents: 0 for all who are counted."""
    path = own / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    items = get_task("survey/opinions").items(open_release(str(own)))
    before = dict(items.select("item", "respondents").iter_rows())
    item = f"{rows[0]['id']}/DE"
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in [{**rows[0], "effective": effective}, *rows[1:]])
    )
    read = dict(
        get_task("survey/opinions").items(open_release(str(own))).select("item", "respondents").iter_rows()
    )
    assert read == {**before, item: respondents or before[item]}


def test_weights_of_an_unknown_number_of_people_stay_so(own: Path) -> None:
    questions, counts = own / "questions.jsonl", own / "counts.csv"
    rows = [json.loads(line) for line in questions.read_text("utf-8").splitlines()]
    questions.write_text("".join(json.dumps({**row, "effective": {"DE": 3}}) + "\n" for row in rows))
    lines = [line.split(",") for line in counts.read_text("utf-8").splitlines()]
    at = lines[0].index("count")
    counts.write_text("\n".join(",".join([*line[:at], "", *line[at + 1 :]]) if line[0] != "question" else ",".join(line)
                                for line in lines))  # fmt: skip
    items = get_task("survey/opinions").items(open_release(str(own)))
    assert set(items["respondents"]) == {None}


OPTIONS = [{"label": "Yes", "value": 1}, {"label": "No", "value": 2}, {"label": "?", "missing": True}]
ASKED = {"id": "q", "text": "Is it so?", "options": OPTIONS, "ordered": True}
TRANSLATED = {"text": "Ist es so?", "options": ["Ja", "Nein", "?"]}
NO_TEXTS = "has texts in another language without text and as many options"
EMPTY_TEXT = "has texts in another language of which one is empty or no text"
NO_PEOPLE = "has effective that is not {culture: people of equal weight}"
NO_VALUES = "is ordered, and an option lacks its value, a number"
UNORDERED = "is ordered, and the values of its options neither rise nor fall in the order given"
ANSWERED = ("q,DE,0,5,4", "q,DE,1,3,4", "q,DE,2,2,2")


def problem_of(folder: Path, questions: list[Any], counts: Sequence[str] = ANSWERED) -> str:
    """What is wrong with a survey, after the name of its folder."""
    (folder / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions))
    header = "question,culture,option,count,weighted"
    (folder / "counts.csv").write_text("\n".join([header, *counts]) + "\n")
    with pytest.raises(DataError) as error:
        list(questions_of(folder_release(folder)))
    return str(error.value).removeprefix(f"{folder}/").splitlines()[0]


def folder_release(folder: Path) -> Release:
    return Release(get_record("survey-example"), folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(({name: value}, "needs id and text, both not empty")
          for name in ("id", "text") for value in (None, "", 5)),
        ({"text": " "}, "needs id and text, both not empty"),
        *(({"options": value}, 'needs options: a list of {"label": ...}')
          for value in (None, {}, ["Yes", "No"], [{"label": "Yes"}, {}], [{"label": "Yes"}, {"label": " "}])),
        ({"options": OPTIONS[1:]}, "needs at least two options that are not missing"),
        *(({"options": [OPTIONS[0], {"label": "No", "value": value}]}, NO_VALUES)
          for value in (None, "2", True)),
        *(({"options": [*OPTIONS, {"label": "Maybe", "value": value}]}, UNORDERED) for value in (2, 1.5)),
        ({"language": 5}, "has the language 5; give a code or a name, for example \"ko\""),
        ({"language": "Klingon"}, "unknown language 'Klingon'"),
        ({"texts": ["de"]}, 'has texts that are not {language: {"text": ..., "options": [...]}}'),
        ({"texts": {"Klingon": TRANSLATED}}, "unknown language 'Klingon'"),
        ({"texts": {"de": "Ist es so?"}}, NO_TEXTS),
        ({"texts": {"de": {"text": "Ist es so?"}}}, NO_TEXTS),
        ({"texts": {"de": {**TRANSLATED, "options": ["Ja", "Nein"]}}}, NO_TEXTS),
        *(({"texts": {"de": {**TRANSLATED, "text": text}}}, EMPTY_TEXT) for text in (None, " ")),
        *(({"texts": {"de": {**TRANSLATED, "options": ["Ja", option, "?"]}}}, EMPTY_TEXT)
          for option in (2, "")),
        *(({"effective": value}, NO_PEOPLE) for value in ([3], {"DE": "3"}, {"DE": 0}, {"DE": -1})),
    ],
)  # fmt: skip
def test_what_is_no_question_is_said_with_its_row(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    assert problem_of(tmp_path, [{**ASKED, "id": "first"}, {**ASKED, **change}]) == (
        f"questions.jsonl, row 2: {message}"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q,Atlantis,0,5,4", ", row 4: unknown culture 'Atlantis'"),
        ("q,DE,x,5,4", ", row 4: option is 'x'; give a whole number from 0 on"),
        ("q,DE,,5,4", ", row 4: option is ''; give a whole number from 0 on"),
        ("q,FR,0,1.5,4", ", row 4: count is '1.5'; give a whole number from 0 on"),
        ("q,FR,0,-5,4", ", row 4: count is '-5'; give a whole number from 0 on"),
        *((f"q,FR,0,5,{text}", f", row 4: weighted is {text!r}; give a number from 0 on, or a count")
          for text in ("-1", "inf", "nan", "many")),
        ("q,FR,0,,", ", row 4: weighted is ''; give a number from 0 on, or a count"),
        ("q,Germany,1,5,4", ", row 4: has option 1 of 'q' in DE twice"),
        ("q,FR,3,5,4", ", row 4: has option 3; there are 3"),
        ("other,DE,0,5,4", ": counts answers to 'other', which questions.jsonl lacks"),
    ],
)  # fmt: skip
def test_what_counts_no_answers_is_said_with_its_row(tmp_path: Path, line: str, message: str) -> None:
    assert problem_of(tmp_path, [ASKED], (*ANSWERED, line)) == f"counts.csv{message}"


def test_a_survey_is_read_whole(tmp_path: Path) -> None:
    twice = [ASKED, ASKED]
    assert problem_of(tmp_path, twice) == "questions.jsonl, row 2: has the question 'q' twice"
    falling = [{"label": "?", "missing": True}, {"label": "Yes", "value": 2}, {"label": "No", "value": 1}]
    texts = {"de": TRANSLATED, "English": {"text": "Own", "options": ["1", "2", "3"]}}
    problem_of(
        tmp_path, [{**ASKED, "options": falling, "texts": texts, "category": "So", "language": None}] * 2
    )
    (tmp_path / "counts.csv").write_text(
        "question,culture,option,count,weighted\nq,DE,0,2,\nq,DE,1,5,1\nq,DE,2,3,\nq,FR,2,,0.5\nq,KR,0,3,3\n"
        "q,ET,1,4,4\nq,ET,2,0,0\n"
    )
    read = questions_of(folder_release(tmp_path))
    assert next(read) == SurveyQuestion(
        "q",
        "Is it so?",
        ("Yes", "No"),
        (2.0, 1.0),
        ("?",),
        "en",
        "So",
        {"de": ("Ist es so?", ("Nein", "?", "Ja"))},
        {
            "DE": PeopleAnswers((0.25, 0.75), 8),
            "FR": PeopleAnswers((0.0, 1.0), None),
            "ET": PeopleAnswers((1.0, 0.0), 4),
        },
    )


def test_other_packages_data_are_none(own: Path) -> None:
    with pytest.raises(FolkwaysError, match="unknown benchmark with data in folders 'demo'"):
        run("demo/mcq", models=["baseline/first"], releases={"demo": str(own)}, workspace=own / "w.db")


def test_every_analysis_has_a_name_of_its_own_in_its_benchmark() -> None:
    counts = Counter(
        (name, one.name) for name, benchmark in benchmarks().items() for one in benchmark.results
    )
    assert not [name for name, count in counts.items() if count > 1]


def test_the_world_is_everybody_else() -> None:
    items = get_task("survey/opinions").items(open_release("survey-example"))
    people = PeoplesAnswers(items)
    item = items.row(0, named=True)
    others = items.filter(pl.col("question") == item["question"], pl.col("culture") != item["culture"])
    assert others.height == 3
    assert np.array(people.others(item)) == pytest.approx(np.array(others["shares"].to_list()))


def test_no_permutation_test_is_certain() -> None:
    one, other = np.tile([0.9, 0.1], (4, 1)), np.tile([0.1, 0.9], (4, 1))
    distance, chance, p = permutation_test([(one, other)] * 10)
    assert distance > chance and p == pytest.approx(1 / (PERMUTATIONS + 1))
