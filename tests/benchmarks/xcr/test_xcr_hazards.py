"""The hazards of the released corpus, every cell of the reference's table, as a person finds them with
``folkways data check``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from folkways.benchmarks.xcr import release as xcr
from folkways.cli.data import command
from tests.support.xcr_data import xcr_release

CULTURES = ("ARAB", "CN", "BD", "IN-WB")
HAZARDS = {
    "exact": (1033, 1033, 884, 883),
    "+ spaces inside tags": (1033, 1033, 1013, 1012),
    "+ spaces around punctuation": (1033, 1033, 1034, 1033),
    "+ the misspelling": (1034, 1034, 1034, 1034),
    "non-transferable": ((55, 55), (10, 9), (82, 82), (64, 63)),
    "untagged": ((7, 8), (5, 9), (22, 21), (12, 13)),
    "unequal-csi-count": ((36, 41), (46, 61), (29, 30), (19, 22)),
    "unbalanced-tags": ((2, 2), (0, 1), (0, 0), (0, 0)),
    "not-nfc": (28, 0, 42, 24),
}
"""The reference's table: cumulative joins, cells within English and in the language, and of the last row the
language alone."""
STEPS = ("joined-by-tag-spaces", "joined-by-punctuation", "joined-by-spelling")


@pytest.fixture(scope="module")
def found(shared: Path) -> list[dict[str, Any]]:
    """What ``folkways data check`` writes about the released files."""
    done = CliRunner().invoke(
        command, ["check", str(shared / "data" / "xcr"), "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0
    return json.loads(done.stdout)["issues"]  # type: ignore[no-any-return]


@pytest.mark.shared
def test_every_cell_of_the_table(found: list[dict[str, Any]], shared: Path) -> None:
    release = xcr_release(shared / "data" / "xcr")
    counts = Counter((odd["file"], odd["kind"], odd["key"]) for odd in found)
    table: dict[str, list[Any]] = {name: [] for name in HAZARDS}
    for culture in CULTURES:
        file = xcr.ADAPTATION_FILES[culture]
        rows = xcr.read_adaptation(release, culture).height
        odd_joins = [counts[file, step, "Sentence"] for step in STEPS]
        exact = rows - sum(odd_joins) - counts[file, "unmatched", "Sentence"]
        for place, name in enumerate(
            ("exact", "+ spaces inside tags", "+ spaces around punctuation", "+ the misspelling")
        ):
            table[name].append(exact + sum(odd_joins[:place]))
        for kind in ("non-transferable", "untagged", "unequal-csi-count", "unbalanced-tags"):
            table[kind].append((counts[file, kind, "Intra-lingual"], counts[file, kind, "Inter-lingual"]))
        table["not-nfc"].append(counts[file, "not-nfc", "Inter-lingual"])
    assert table == {name: list(cells) for name, cells in HAZARDS.items()}


@pytest.mark.shared
def test_every_data_issue_names_a_row_that_has_what_it_says(
    found: list[dict[str, Any]], shared: Path
) -> None:
    release = xcr_release(shared / "data" / "xcr")
    columns = {"Sentence": "sentence", "Intra-lingual": "intra", "Inter-lingual": "inter"}
    tables = {file: xcr.read_adaptation(release, culture) for culture, file in xcr.ADAPTATION_FILES.items()}
    tables[xcr.BASE_FILE] = xcr.read_base(release)
    assert len(found) > 1000
    assert {odd["file"] for odd in found if odd["row"] is None} == {
        xcr.PROMPT_FILES["identification"],
        xcr.PROMPT_FILES["prediction"],
    }
    for odd in (odd for odd in found if odd["row"] is not None):
        assert tables[odd["file"]][columns.get(odd["key"], odd["key"])][odd["row"] - 1] == odd["value"]


@pytest.mark.shared
def test_what_the_reference_says_beside_its_table(found: list[dict[str, Any]]) -> None:
    rows = {
        (xcr.BASE_FILE, "unbalanced-tags"): [326],
        (xcr.BASE_FILE, "duplicate-sentence"): [903, 1020],
        (xcr.BASE_FILE, "conflicting-labels"): [903],
        (xcr.BASE_FILE, "prompt-example"): [627, 659],
        (xcr.ADAPTATION_FILES["BD"], "swapped-columns"): [158, 745],
        (xcr.ADAPTATION_FILES["CN"], "cut-off"): [303],
        (xcr.ADAPTATION_FILES["CN"], "latex"): [203],
    }
    for (file, kind), wanted in rows.items():
        assert sorted(odd["row"] for odd in found if (odd["file"], odd["kind"]) == (file, kind)) == wanted
    may_day = next(odd for odd in found if odd["file"] == xcr.BASE_FILE and odd["kind"] == "unbalanced-tags")
    assert "May Day" in may_day["value"]


@pytest.mark.shared
def test_no_row_is_dropped_and_none_used_twice(shared: Path) -> None:
    release = xcr_release(shared / "data" / "xcr")
    base = xcr.corpus(release)
    assert base["id"].n_unique() == base.height == 1034
    for culture in CULTURES:
        joined = xcr.adaptations(release, culture)
        assert joined["id"].to_list() == base["id"].to_list()
        assert sorted(joined["row"]) == list(range(1, 1035))
