"""GlobalOpinionQA's file, with rows of the shapes that it has: samples, volunteered options, numbers as options."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from folkways.benchmarks.global_opinion_qa import BENCHMARK, FILE, is_no_opinion
from folkways.errors import DataError
from folkways.releases.release_records import Release
from tests.support.hub_benchmarks import release_over

(TASK,) = BENCHMARK.tasks

ROWS = [
    (
        "How worried are you about rents?",
        "defaultdict(<class 'list'>, {'Kenya': [0.5, 0.3, 0.1, 0.1], 'Peru (Old national sample)': [1, 0, 0, 0], "
        "'Peru (Current national sample)': [0.1, 0.6, 0.1, 0.2], 'Britain': [0.2, 0.2, 0.2, 0.4]})",
        "['Very', 'A little', 'Not at all', 'DK/Refused']",
        "GAS",
    ),
    (
        "From 0 (never) to 2 (always), is it justified?",
        "defaultdict(<class 'list'>, {'Atlantis': [1, 0, 0], 'S. Korea': [25.0, 25.0, 50.0], 'Japan': [1, 2]})",
        "[0.0, 1.0, 2.0]",
        "WVS",
    ),
    ("One option only?", "{'Japan': [0.9, 0.1]}", "['Yes', 'Both (VOL)']", "GAS"),
]


def write(folder: Path, rows: list[tuple[str, ...]]) -> Release:
    path = folder / FILE
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question", "selections", "options", "source"), *rows])
    return release_over(folder, "global-opinion-qa")


def test_shares_are_of_opinions_and_one_sample_of_each_country(tmp_path: Path) -> None:
    release = write(tmp_path, ROWS)
    items = {row["item"]: row for row in TASK.items(release).iter_rows(named=True)}
    assert sorted(items) == ["GAS-1/GB", "GAS-1/KE", "GAS-1/PE", "WVS-2/KR"]
    assert items["GAS-1/PE"]["shares"] == pytest.approx([0.1 / 0.8, 0.6 / 0.8, 0.1 / 0.8])
    assert items["GAS-1/KE"]["options"] == ["Very", "A little", "Not at all"]
    assert items["GAS-1/KE"]["no_opinion"] == ["DK/Refused"] and items["GAS-1/KE"]["positions"] is None
    assert items["WVS-2/KR"]["options"] == ["0", "1", "2"] and items["WVS-2/KR"]["positions"] == [0, 1, 2]
    assert items["WVS-2/KR"]["shares"] == pytest.approx([0.25, 0.25, 0.5])
    assert {row["respondents"] for row in items.values()} == {None}
    assert TASK.human_baseline().judge(TASK.items(release), release, "strict") is None


SURVEYED = [
    "Andorra",
    "Argentina",
    "Armenia",
    "Australia",
    "Bangladesh",
    "Bolivia",
    "Brazil",
    "Canada",
    "Chile",
    "China",
    "Colombia",
    "Cyprus",
    "Czechia",
    "Ecuador",
    "Egypt",
    "Ethiopia",
    "Germany",
    "Greece",
    "Guatemala",
    "India",
    "Indonesia",
    "Iran",
    "Iraq",
    "Japan",
    "Jordan",
    "Kazakhstan",
    "Kenya",
    "Kyrgyzstan",
    "Lebanon",
    "Libya",
    "Malaysia",
    "Mexico",
    "Mongolia",
    "Morocco",
    "Myanmar",
    "Netherlands",
    "Nicaragua",
    "Nigeria",
    "Pakistan",
    "Peru",
    "Philippines",
    "Romania",
    "Russia",
    "Serbia",
    "Singapore",
    "Slovakia",
    "Tajikistan",
    "Thailand",
    "Tunisia",
    "Turkey",
    "Ukraine",
    "Uruguay",
    "Uzbekistan",
    "Venezuela",
    "Vietnam",
    "Zimbabwe",
    "Britain",
    "Ghana",
    "Israel",
    "Italy",
    "Poland",
    "Senegal",
    "Spain",
    "Sweden",
    "Tanzania",
    "Uganda",
    "Angola",
    "Haiti",
    "Kosovo",
    "Maldives",
    "Moldova",
    "Zambia",
]
MORE = [
    "Bosnia Herzegovina",
    "Czech Rep.",
    "Great Britain",
    "Hong Kong SAR",
    "Macau SAR",
    "New Zealand",
    "Northern Ireland",
    "Palest. ter.",
    "Puerto Rico",
    "S. Africa",
    "S. Korea",
    "South Africa",
    "South Korea",
    "Taiwan",
    "Taiwan ROC",
    "United States",
    "Burkina Faso",
    "Ivory Coast",
]


@pytest.mark.parametrize("ending", ["", " (Current national sample)", " (Non-national sample)"])
def test_no_country_of_the_surveys_is_left_out(tmp_path: Path, ending: str) -> None:
    names = [*SURVEYED, *MORE]
    for name in names:
        selections = {f"{name}{ending}": [0.5, 0.5]}
        release = write(tmp_path / name, [("Why?", str(selections), "['a', 'b']", "GAS")])
        assert TASK.items(release).height == 1, name


def test_two_names_of_a_country_are_two_samples_of_it(tmp_path: Path) -> None:
    selections = {"Great Britain (Old national sample)": [1, 0], "Britain": [0.25, 0.75], "Kenya": [0, 1]}
    release = write(tmp_path, [("Why?", str(selections), "['a', 'b']", "GAS")])
    assert TASK.items(release).select("item", "shares").rows() == [
        ("GAS-1/GB", [0.25, 0.75]),
        ("GAS-1/KE", [0.0, 1.0]),
    ]
    assert BENCHMARK.reader is not None
    (issue,) = BENCHMARK.reader.check(release)
    assert issue.kind == "several-samples" and "'Britain' is used" in issue.message


def test_countries_that_nobody_knows_are_no_samples_of_one(tmp_path: Path) -> None:
    selections = {"Atlantis": [1, 0], "Lemuria": [0, 1], "Kenya": [0, 1]}
    release = write(tmp_path, [("Why?", str(selections), "['a', 'b']", "GAS")])
    assert BENCHMARK.reader is not None
    issues = [(issue.kind, issue.value) for issue in BENCHMARK.reader.check(release)]
    assert issues == [("unknown-country", "Atlantis"), ("unknown-country", "Lemuria")]


def test_what_is_odd_is_named(tmp_path: Path) -> None:
    assert BENCHMARK.reader is not None
    release = write(tmp_path, ROWS)
    assert BENCHMARK.reader.looks_like(tmp_path)
    issues = [(issue.kind, issue.row) for issue in BENCHMARK.reader.check(release)]
    assert issues == [
        ("several-samples", 1),
        ("unknown-country", 2),
        ("shares-not-1", 2),
        ("wrong-shares", 2),
        ("option-count", 3),
    ]


@pytest.mark.parametrize(
    ("selections", "options"),
    [
        ("defaultdict(<class 'list'>, {'Kenya': __import__('os').getcwd()})", "['a', 'b']"),
        ("open('/etc/passwd')", "['a', 'b']"),
        ("{'Kenya': [1, 0]}", "'ab'"),
        ("[1, 2]", "['a', 'b']"),
        ("", "['a', 'b']"),
        ("(" * 300, "['a', 'b']"),
    ],
)
def test_a_cell_is_never_run_and_an_unreadable_one_has_its_row(
    tmp_path: Path, selections: str, options: str
) -> None:
    release = write(tmp_path, [ROWS[0], ("Why?", selections, options, "GAS")])
    with pytest.raises(DataError) as caught:
        TASK.items(release)
    assert "row 2" in str(caught.value)


@pytest.mark.parametrize(
    "selections", ["{'Kenya': [-1, 2]}", "{'Kenya': ['x', 1]}", "{'Kenya': [None, 1]}", "{'Kenya': 3}"]
)
def test_wrong_shares_leave_a_country_out(tmp_path: Path, selections: str) -> None:
    more = selections.replace("}", ", 'Japan': [0.5, 0.5]}")
    release = write(
        tmp_path, [ROWS[0], *(("Why?", each, "['a', 'b']", "GAS") for each in (selections, more))]
    )
    found = {(row["question"], row["culture"]) for row in TASK.items(release).iter_rows(named=True)}
    assert {pair for pair in found if pair[0] != "GAS-1"} == {("GAS-3", "JP")}, (
        "the others of its question stay"
    )
    assert BENCHMARK.reader is not None
    assert ("wrong-shares", 2) in [(issue.kind, issue.row) for issue in BENCHMARK.reader.check(release)]


@pytest.mark.parametrize(
    ("option", "none"),
    [
        ("DK/Refused", True),
        ("Don\u2019t know", True),
        ("Both equally (VOL)", True),
        ("No answer", True),
        ("Refused", True),
        ("Nobody", False),
        ("I would refuse", False),
        ("No", False),
    ],
)
def test_options_that_were_not_read_out_are_no_opinion(option: str, none: bool) -> None:
    assert is_no_opinion(option) is none
