"""Global-MMLU-Lite from its files to scores: the two kinds apart, parallel questions, and what is odd about
the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.global_mmlu_lite import BENCHMARK, READER
from folkways.benchmarks.multiple_choice.declaration import values_of
from folkways.benchmarks.results import Inputs, make_results
from folkways.benchmarks.templates import wordings
from folkways.cultures import languages
from folkways.errors import FolkwaysError
from folkways.releases.release_records import Release
from tests.support.hub_benchmarks import mmlu_rows, release_over, write_mmlu, write_parquet
from tests.support.multiple_choice import judged, score

(TASK,) = BENCHMARK.tasks


def instructions() -> Mapping[str, str]:
    found: Mapping[str, str] = wordings("folkways.benchmarks.multiple_choice")["instructions"]
    return found


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_mmlu(tmp_path_factory.mktemp("mmlu"))


def test_one_question_in_several_languages_is_one_question(release: Release) -> None:
    items = TASK.items(release)
    assert items.height == 16 and items["question"].n_unique() == 4
    assert items["item"].is_unique().all() and "ru/history/test/2" in items["item"]
    assert set(items["local_language"]) == {"ar", "en", "es", "ru"}


def test_a_question_belongs_to_a_country_where_annotators_agree_on_one(release: Release) -> None:
    found = dict(TASK.items(release).select("question", "culture").unique().iter_rows())
    assert found == {
        "geography/test/1": "JP",
        "history/test/2": "WORLD",
        "arithmetic/test/3": "WORLD",
        "biology/test/4": "WORLD",
    }
    regions = dict(TASK.items(release).select("question", "asked_region").unique().iter_rows())
    assert regions == {
        "geography/test/1": "Asia",
        "history/test/2": "several",
        "arithmetic/test/3": None,
        "biology/test/4": None,
    }


@pytest.mark.parametrize(
    ("cell", "named"),
    [
        ("", []),
        ("[]", []),
        ("-", []),
        ("Europe", ["Europe"]),
        ("['Europe', 'Europe']", ["Europe"]),
        ('["Asia", "Europe"]', ["Asia", "Europe"]),
        ("['Côte d\\'Ivoire']", ["Côte d'Ivoire"]),
        ("[broken", ["[broken"]),
    ],
)
def test_what_annotators_named(cell: str, named: list[str]) -> None:
    assert values_of(cell) == named


def test_prompts_instruct_in_the_language_of_the_question(release: Release) -> None:
    items = TASK.items(release)
    prompts = TASK.prompts(items, PromptOptions(variants=("all",)), release)
    assert prompts["variant"].value_counts().sort("variant")["count"].to_list() == [16, 16, 16]
    for language in ("ar", "en", "es", "ru"):
        shown = prompts.filter(language=language, variant="local")["user"]
        assert shown.str.ends_with(instructions()[language]).all()
        assert shown.str.contains("\nD. ").all() and not shown.str.contains(r"\{").any()
    assert prompts.filter(variant="english")["user"].str.ends_with(instructions()["en"]).all()
    assert prompts.filter(variant="plain")["user"].str.ends_with("\n\nAnswer:").all()
    assert prompts["choices"][0].to_list() == ["A", "B", "C", "D"]


def test_a_language_without_an_instruction_has_the_english_one_and_says_so(tmp_path: Path) -> None:
    release = write_mmlu(tmp_path, ["yo"])
    prompts = TASK.prompts(TASK.items(release), PromptOptions(), release)
    assert set(prompts["prompt_source"]) == {"folkways, in English"}
    assert prompts["user"].str.ends_with(instructions()["en"]).all()
    assert {language.split("-")[0] for language in instructions()} <= set(languages())


def test_wordings_of_the_user_take_the_place_of_ours(release: Release) -> None:
    own = PromptOptions(prompt_texts={"mine": "{question}\nA. {a}\nB. {b}\nC. {c}\nD. {d}\n{options}"})
    prompts = TASK.prompts(TASK.items(release).head(1), own, release)
    assert prompts["prompt_source"].to_list() == ["file:mine"] and "{" not in prompts["user"][0]
    with pytest.raises(FolkwaysError, match=r"write \{options\}"):
        TASK.prompts(TASK.items(release).head(1), PromptOptions(prompt_texts={"mine": "{question}"}), release)


def test_both_kinds_have_their_score_and_their_denominator(release: Release) -> None:
    """Right on everything agnostic, and on one of two sensitive questions."""
    found = judged(
        TASK, release, lambda row: "Z" if row["question"] == "history/test/2" else row["gold_letter"]
    )
    assert [score(TASK, found, name)["score"] for name in ("cs_accuracy", "ca_accuracy", "accuracy")] == [
        50.0,
        100.0,
        75.0,
    ]
    assert [score(TASK, found, name)["n"] for name in ("cs_accuracy", "ca_accuracy", "accuracy")] == [
        8,
        8,
        16,
    ]
    assert score(TASK, found, "cs_accuracy")["questions"] == 2
    assert score(TASK, found, "cs_accuracy")["unreadable"] == 4
    assert score(TASK, found, "accuracy", "sensitivity", "CS")["score"] == 50.0
    assert score(TASK, found, "letter_bias", "letter", "A")["score"] == 0.0


def test_a_reply_that_never_came_counts_as_wrong_in_its_own_kind(release: Release) -> None:
    found = judged(
        TASK, release, lambda row: None if row["question"] == "history/test/2" else row["gold_letter"]
    )
    names = ("cs_accuracy", "ca_accuracy", "accuracy")
    assert [score(TASK, found, name)["score"] for name in names] == [50.0, 100.0, 75.0]


def test_a_kind_without_any_reply_has_no_score(release: Release) -> None:
    found = judged(TASK, release, lambda row: None if row["sensitivity"] == "CS" else row["gold_letter"])
    assert score(TASK, found, "cs_accuracy")["score"] is None
    assert score(TASK, found, "ca_accuracy")["score"] == 100.0
    assert score(TASK, found, "accuracy")["score"] == 50.0


def test_replies_in_the_script_of_the_question(release: Release) -> None:
    said = {
        "ru": {"A": "А", "B": "Б", "C": "Франция", "D": "Г"},
        "ar": {"A": "أ", "B": "ب", "C": "ج", "D": "د"},
    }
    found = judged(
        TASK, release, lambda row: said.get(row["language"], {}).get(row["gold_letter"], row["gold_letter"])
    )
    assert score(TASK, found, "accuracy")["score"] == 100.0


def test_guessing_gives_a_quarter_in_each_kind_and_the_commonest_letter_its_share(release: Release) -> None:
    items = TASK.items(release).with_columns(gold_letter=pl.lit("B"))
    baselines = TASK.baselines(items)
    assert list(baselines) == ["baseline/chance", "baseline/constant:B"]
    for metric in ("cs_accuracy", "ca_accuracy", "accuracy"):
        assert score(TASK, baselines["baseline/chance"], metric)["score"] == 25.0
        assert score(TASK, baselines["baseline/constant:B"], metric)["score"] == 100.0


def test_the_difference_between_the_kinds_has_an_interval(release: Release) -> None:
    """Newcombe's interval (1998, method 10) of 1 of 2 against 2 of 2, with Wilson's limits as Brown, Cai and
    DasGupta (2001) modify them for few: Poisson counts of mean .0513 and .3554 reach 1 and 2 in one case of
    twenty."""
    found = judged(
        TASK, release, lambda row: "Z" if row["question"] == "history/test/2" else row["gold_letter"]
    )
    inputs = Inputs(
        found.with_columns(endpoint=pl.lit("m"), profile=pl.lit("strict")), metrics={TASK.name: TASK.metrics}
    )
    made, left_out = make_results(BENCHMARK.results, inputs)
    assert not left_out
    rows = made[0].tables[0].rows
    assert rows["language"].to_list() == ["all", "ar", "en", "es", "ru"]
    whole = rows.row(0, named=True)
    assert (whole["sensitive"], whole["agnostic"], whole["difference"]) == (50.0, 100.0, -50.0)
    assert (whole["n_sensitive"], whole["n_agnostic"]) == (2, 2)
    one_of_two, two_of_two = 0.5 - 0.0513 / 2, 1 - 0.3554 / 2
    below, above = one_of_two, (one_of_two**2 + two_of_two**2) ** 0.5
    assert whole["low"] == pytest.approx(-50 - 100 * below, abs=0.02)
    assert whole["high"] == pytest.approx(-50 + 100 * above, abs=0.02)


def test_what_is_odd_is_named_with_file_and_row(tmp_path: Path) -> None:
    rows = mmlu_rows("en")
    rows[0] |= {"answer": "E", "option_a": "Tokyo"}
    rows[1] |= {"country": "['Atlantis']", "cultural_sensitivity_label": "-"}
    rows[3] |= {"question": "", "sample_id": rows[2]["sample_id"]}
    write_parquet(tmp_path, "en/test-00000-of-00001.parquet", rows)
    write_parquet(tmp_path, "es/test-00000-of-00001.parquet", mmlu_rows("es"))
    release = release_over(tmp_path, "global-mmlu-lite")
    issues = {(issue.kind, issue.file.split("/")[0], issue.row) for issue in READER.check(release)}
    assert issues == {
        ("answer-outside", "en", 1),
        ("duplicate-option", "en", 1),
        ("unknown-country", "en", 2),
        ("kind-outside", "en", 2),
        ("empty-cell", "en", 4),
        ("duplicate-id", "en", 4),
        ("kind-count", "en", None),
        ("kind-count", "es", None),
        ("not-parallel", "en", None),
        ("answer-differs", "en", None),
    }
    items = TASK.items(release)
    assert [TASK.why_uncounted(item, "strict") is None for item in items.iter_rows(named=True)][:2] == [
        False,
        True,
    ]


def test_a_release_without_its_files_says_how_to_fetch_it(release: Release, tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="folkways data fetch"):
        TASK.items(replace(release, root=tmp_path))
