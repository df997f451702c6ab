"""A survey in a folder of one's own is recognised by name and without one; the example in the package is no such
folder."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.survey.results import PERMUTATIONS, PeoplesAnswers, permutation_test
from folkways.errors import DataError, FolkwaysError


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


@pytest.mark.parametrize("effective", [[3], {"DE": "3"}, {"DE": 0}, {"DE": -1}])
def test_what_is_no_number_of_people_is_said_with_its_row(own: Path, effective: object) -> None:
    path = own / "questions.jsonl"
    first, *others = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), "effective": effective}), *others]))
    with pytest.raises(
        DataError, match=r"row 1: has effective that is not \{culture: people of equal weight\}"
    ):
        get_task("survey/opinions").items(open_release(str(own)))


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
