"""NormAd-Eti from its file to scores: four levels of context, words read whole, foils, and what is odd about
the data."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.normad import BENCHMARK
from folkways.benchmarks.normad import release as stories
from folkways.benchmarks.normad.task import LEVELS, WORDS
from folkways.benchmarks.results import Inputs, make_results
from folkways.errors import FolkwaysError
from folkways.releases.release_records import Release
from folkways.text.labels import settled_word
from tests.support.hub_benchmarks import normad_rows, release_over, write_delimited, write_normad
from tests.support.multiple_choice import judged, score

(TASK,) = BENCHMARK.tasks


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_normad(tmp_path_factory.mktemp("normad"))


def test_a_neutral_story_counts_for_no_country_and_names_the_foil_to_the_model(release: Release) -> None:
    items = TASK.items(release)
    assert items["culture"].to_list() == ["JP", "JP", "TR", "WORLD", "TL", "US"]
    assert items["country"].to_list() == ["Japan", "Japan", "Turkey", "Egypt", "Timor-Leste", "United States"]
    assert items["gold_letter"].to_list() == ["Yes", "No", "Yes", "Neither", "No", "Yes"]


def test_each_level_tells_what_it_says_and_no_more(release: Release) -> None:
    items = TASK.items(release)
    prompts = TASK.prompts(items, PromptOptions(), release)
    assert prompts.height == 4 * items.height and set(prompts["variant"]) == set(LEVELS)
    told = {level: prompts.filter(variant=level)["user"][0] for level in LEVELS}
    shown = {
        level: ["Japan" in text, "cleanliness" in text, "Shoes are taken off" in text]
        for level, text in told.items()
    }
    assert shown == {
        "story": [False, False, False],
        "country": [True, False, False],
        "value": [True, True, False],
        "rule": [False, False, True],
    }
    assert not prompts["user"].str.contains(r"\{").any()
    assert prompts["choices"][0].to_list() == ["Yes", "No", "Neither"]
    with pytest.raises(FolkwaysError, match=r"write \{story\}"):
        TASK.prompts(items, PromptOptions(prompt_texts={"mine": "{rule}"}), release)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Yes", "Yes"),
        ("no.", "No"),
        ("**Neither**", "Neither"),
        ("Neutral", "Neither"),
        ("Yes, because no guest would mind.", "Yes"),
        ("The answer is no, since yes would be rude", "No"),
        ("It is neither yes nor no.", "Neither"),
        ("Yes, No or Neither? No", "No"),
        ("Yes/No", None),
        ("It is not known", None),
        ("Nobody knows; another notion", None),
        ("I would say that is a yes", "Yes"),
        ("It might be yes or it might be no", None),
        ("", None),
    ],
)
def test_words_are_read_whole(reply: str, label: str | None) -> None:
    assert settled_word(reply, WORDS) == label


@given(st.text(max_size=60))
def test_any_reply_is_a_word_or_nothing(reply: str) -> None:
    assert settled_word(reply, WORDS) in {*WORDS.values(), None}


def test_scores_by_level_and_label(release: Release) -> None:
    """Always Yes, but right where the rule is given."""
    found = judged(TASK, release, lambda row: row["gold_letter"] if row["variant"] == "rule" else "Yes")
    assert score(TASK, found, "accuracy", "variant", "rule")["score"] == 100.0
    assert score(TASK, found, "accuracy", "variant", "story")["score"] == 50.0
    assert score(TASK, found, "accuracy", "variant+gold_label", "story+no")["score"] == 0.0
    assert score(TASK, found, "accuracy", "variant+gold_label", "rule+neutral")["n"] == 1
    assert score(TASK, found, "accuracy")["questions"] == 6
    assert score(TASK, found, "accuracy", "subaxis", "visiting")["n"] == 8


def test_what_context_adds_is_paired_by_story(release: Release) -> None:
    found = judged(TASK, release, lambda row: row["gold_letter"] if row["variant"] == "rule" else "Yes")
    inputs = Inputs(
        found.with_columns(endpoint=pl.lit("m"), profile=pl.lit("strict")), metrics={TASK.name: TASK.metrics}
    )
    (made,), left_out = make_results(BENCHMARK.results, inputs)
    shown, gains = (table.rows for table in made.tables)
    assert not left_out
    assert [table.layout and table.layout.drawn for table in made.tables] == ["intervals", None]
    assert shown.filter(label="all")["level"].to_list() == list(LEVELS)
    whole = (
        gains.filter(label="all").select("less", "more", "without", "with", "difference", "stories").rows()
    )
    assert whole == [
        ("story", "country", 50.0, 50.0, 0.0, 6),
        ("country", "value", 50.0, 50.0, 0.0, 6),
        ("value", "rule", 50.0, 100.0, 50.0, 6),
        ("story", "rule", 50.0, 100.0, 50.0, 6),
    ]
    known = gains.filter(label="all", more="rule", less="story").row(0, named=True)
    assert known["low"] < 50.0 < known["high"] and 0 < known["p"] <= known["p_holm"]
    assert gains.filter(label="yes", less="story", more="rule")["difference"].to_list() == [0.0]


def test_levels_that_were_not_asked_have_no_gain(release: Release) -> None:
    found = judged(TASK, release, lambda row: "Yes", PromptOptions(variants=("story", "rule")))
    inputs = Inputs(found.with_columns(endpoint=pl.lit("m"), profile=pl.lit("strict")))
    (made,), _ = make_results(BENCHMARK.results, inputs)
    assert made.tables[1].rows.filter(label="all").select("less", "more").rows() == [("story", "rule")]


def test_guessing(release: Release) -> None:
    baselines = TASK.baselines(TASK.items(release))
    assert score(TASK, baselines["baseline/chance"], "accuracy")["score"] == pytest.approx(100 / 3)
    assert score(TASK, baselines["baseline/constant:Yes"], "accuracy")["score"] == 50.0


def test_a_blank_axis_is_none(tmp_path: Path) -> None:
    rows = normad_rows()
    rows[0] |= {"Axis": "", "Subaxis": ""}
    write_delimited(tmp_path, "normad_etiquette_final_data.csv", rows)
    item = TASK.items(release_over(tmp_path, "normad")).row(0, named=True)
    assert (item["axis"], item["subaxis"]) == (None, None)


def test_questions_that_are_not_on_this_disk_are_an_error_that_says_how_to_fetch_them(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("About")
    write_delimited(tmp_path, "normad_etiquette_final_data.csv", normad_rows())
    release = release_over(tmp_path, "normad")
    (tmp_path / "normad_etiquette_final_data.csv").unlink()
    with pytest.raises(FolkwaysError, match="folkways data fetch"):
        TASK.items(release)
    with pytest.raises(FolkwaysError, match="none of the files that hold its questions"):
        TASK.items(release_over(tmp_path, "normad"))


def test_what_is_odd_is_named_with_row(tmp_path: Path) -> None:
    rows = [*normad_rows(), {**normad_rows()[1], "ID": "7"}]
    rows[0] |= {"Gold Label": "maybe", "Country": "atlantis"}
    rows[2] |= {"ID": "1", "Value": ""}
    write_delimited(tmp_path, "normad_etiquette_final_data.csv", rows)
    release = release_over(tmp_path, "normad")
    issues = {(issue.kind, issue.row) for issue in stories.check(release)}
    assert issues == {
        ("answer-outside", 1),
        ("unknown-country", 1),
        ("empty-cell", 3),
        ("duplicate-id", 3),
        ("duplicate-story", 7),
        ("foil-country", None),
        ("story-count", None),
    }
    items = TASK.items(release)
    assert items["item"].to_list() == ["0", "1", "1-2", "3", "4", "5", "7"]
    assert items["culture"][0] == "atlantis"
    assert TASK.why_uncounted(items.row(0, named=True), "strict") is not None
