"""Global PIQA from its files to scores: varieties that weigh alike, the last stated answer, and what is odd
about the data."""

from __future__ import annotations

from pathlib import Path

import langcodes
import polars as pl
import pytest
from babel import Locale
from babel.languages import get_territory_language_info

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.global_piqa import BENCHMARK, READER, countries
from folkways.benchmarks.results import Inputs, make_results
from folkways.cultures import cultures
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from tests.support.hub_benchmarks import piqa_rows, release_over, write_delimited, write_piqa
from tests.support.multiple_choice import judged, score

(TASK,) = BENCHMARK.tasks


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Two situations in German, Japanese and Brazilian Portuguese, six in English."""
    root = tmp_path_factory.mktemp("piqa")
    write_piqa(root, ("deu_latn", "jpn_jpan", "por_latn_braz"), 2)
    return write_piqa(root, ("eng_latn",), 6)


def test_every_variety_of_the_release_is_in_a_culture_and_a_language() -> None:
    varieties = {
        entry.path.removeprefix("data/nonparallel_").removesuffix(".tsv")
        for entry in get_record("global-piqa").files
    }
    assert varieties == set(countries()) and len(varieties) == 136
    assert set(countries().values()) <= set(cultures())
    assert {READER.declared.language_of(variety) for variety in varieties} == set(
        get_record("global-piqa").languages
    )


@pytest.mark.parametrize(
    ("variety", "language", "culture"),
    [
        ("por_latn_braz", "pt", "BR"),
        ("cmn_hans", "zh", "CN"),
        ("cmn_hant", "zh-Hant", "TW"),
        ("kor_hang", "ko", "KR"),
        ("jpn_jpan", "ja", "JP"),
        ("hin_latn", "hi-Latn", "IN"),
        ("acm_arab", "acm", "IQ"),
        ("tgl_latn", "tl", "PH"),
        ("eng_latn", "en", "WORLD"),
        ("tlh_piqd", "tlh", "WORLD"),
    ],
)
def test_language_and_culture_of_a_variety(variety: str, language: str, culture: str) -> None:
    assert (READER.declared.language_of(variety), READER.declared.culture_of(variety)) == (language, culture)


def test_items_and_prompts(release: Release) -> None:
    items = TASK.items(release)
    assert items.height == 12 and items["item"].is_unique().all()
    assert dict(items.select("variety", "gold_letter").unique().iter_rows()) == {
        "deu_latn": "B",
        "eng_latn": "A",
        "jpn_jpan": "B",
        "por_latn_braz": "A",
    }
    prompts = TASK.prompts(items, PromptOptions(languages=("ja",)), release)
    assert prompts.height == 2 and prompts["choices"][0].to_list() == ["A", "B"]
    assert "A. 靴を履いたまま入る。\nB. 靴を脱いで入る。" in prompts["user"][0]


def test_a_language_that_only_the_release_has_can_be_asked_for(tmp_path: Path) -> None:
    release = write_piqa(tmp_path, ("acm_arab", "eng_latn"), 1)
    prompts = TASK.prompts(TASK.items(release), PromptOptions(languages=("acm",)), release)
    assert prompts["language"].to_list() == ["acm"] and prompts["prompt_source"].to_list() == [
        "folkways, in English"
    ]


def test_every_variety_weighs_the_same(release: Release) -> None:
    """Wrong in English alone, which has half of the situations: 3 of 4 varieties right, and 6 of 12
    situations."""
    found = judged(TASK, release, lambda row: "B" if row["variety"] == "eng_latn" else row["gold_letter"])
    whole, pooled = score(TASK, found, "accuracy"), score(TASK, found, "accuracy", "all (pooled)")
    assert (whole["score"], whole["n"]) == (75.0, 12)
    assert (pooled["score"], pooled["n"]) == (50.0, 12)
    assert whole["low"] < 75.0 < whole["high"] and whole["interval"].endswith("within variety")
    assert score(TASK, found, "accuracy", "variety", "eng_latn")["score"] == 0.0
    assert score(TASK, found, "accuracy", "culture", "JP")["score"] == 100.0


def test_the_last_stated_answer_is_read_where_a_model_thinks_first(release: Release) -> None:
    def reply(row: dict[str, str]) -> str:
        other = "AB"["BA".index(row["gold_letter"])]
        return f"At first I thought {other}.\nAnswer: {other}\n\n**Answer: {row['gold_letter']}**\n"

    thinking = judged(TASK, release, reply, PromptOptions(variants=("final-line",)))
    assert score(TASK, thinking, "accuracy")["score"] == 100.0
    assert score(TASK, judged(TASK, release, reply), "accuracy")["unreadable"] == 12


def test_varieties_are_drawn_towards_one_another(release: Release) -> None:
    found = judged(TASK, release, lambda row: "B" if row["variety"] == "eng_latn" else row["gold_letter"])
    inputs = Inputs(
        found.with_columns(endpoint=pl.lit("m"), profile=pl.lit("strict")), metrics={TASK.name: TASK.metrics}
    )
    (made,), left_out = make_results(BENCHMARK.results, inputs)
    rows = {row["variety"]: row for row in made.tables[0].rows.iter_rows(named=True)}
    assert set(left_out) == {"consistency-global-piqa-mcq"} and set(rows) == {
        "deu_latn",
        "eng_latn",
        "jpn_jpan",
        "por_latn_braz",
    }
    assert (
        rows["eng_latn"]["score"]
        == 0.0
        < rows["eng_latn"]["shrunk"]
        < rows["deu_latn"]["shrunk"]
        < rows["deu_latn"]["score"]
        == 100.0
    )
    assert rows["eng_latn"]["weight"] > rows["deu_latn"]["weight"]


def test_chance_is_one_half(release: Release) -> None:
    baselines = TASK.baselines(TASK.items(release))
    assert score(TASK, baselines["baseline/chance"], "accuracy")["score"] == 50.0
    assert score(TASK, baselines["baseline/constant:A"], "accuracy")["score"] == 50.0  # of four varieties
    assert score(TASK, baselines["baseline/constant:A"], "accuracy", "all (pooled)")[
        "score"
    ] == pytest.approx(100 * 8 / 12)


def test_what_is_odd_is_named_with_file_and_row(tmp_path: Path) -> None:
    rows = piqa_rows("eng_latn", 3)
    rows[0] |= {"label": 2}
    rows[1] |= {"solution1": rows[1]["solution0"]}
    rows.append({**rows[2], "example_id": "9"})
    write_delimited(tmp_path, "data/nonparallel_eng_latn.tsv", rows, "\t")
    write_delimited(tmp_path, "data/nonparallel_tlh_piqd.tsv", piqa_rows("tlh_piqd", 100), "\t")
    issues = {
        (issue.kind, issue.key or issue.row) for issue in READER.check(release_over(tmp_path, "global-piqa"))
    }
    assert issues == {
        ("answer-outside", "answer"),
        ("duplicate-option", 2),
        ("duplicate-prompt", 4),
        ("variety-count", "eng_latn"),
        ("unknown-variety", "tlh_piqd"),
    }


def test_the_state_of_before_june_2026_is_known_by_its_number_of_varieties(tmp_path: Path) -> None:
    release = write_piqa(tmp_path, list(countries())[:116], 1)
    assert "older-state" in {issue.kind for issue in READER.check(release)}


UNKNOWN_TO_CLDR = {*("acm", "acq", "bsk", "btx", "ckm", "cls", "ekp", "idu", "iso", "nag", "rwr", "urh")}
"""Languages of one country that CLDR knows no country of."""


@pytest.mark.parametrize("variety", sorted(countries()))
def test_a_variety_is_at_home_where_cldr_has_its_language(variety: str) -> None:
    """The country that its name tells, else that in which its language is likeliest in its script."""
    language, script, *named = variety.split("_")
    home = cultures()[countries()[variety]].iso3166_1
    if named and home is not None:
        places = {"sari": "SK", "cerk": "SI", "prle": "SI", "torl": "RS"}  # parts of a country
        place = Locale("en").territories[home].lower()
        assert places.get(named[0]) == home or place.startswith(named[0])
        return
    written = langcodes.get(langcodes.standardize_tag(f"{language}-{script.title()}"))
    likely = langcodes.get(written.to_tag()).maximize().territory
    if home is None:  # in several countries: CLDR has to have another beside the likeliest, or know none
        whole = langcodes.get(langcodes.standardize_tag(language, macro=True)).language
        spoken = [code for code in Locale("en").territories if whole in _languages(code)]
        assert language in ("afb", "arb", "bcc") or len(spoken) > 1
    elif language in UNKNOWN_TO_CLDR:
        alone = langcodes.get(language).maximize().territory
        assert alone in ("US", "ZZ"), "what langcodes says of a language that it knows nothing of"
    else:
        assert likely == home


def _languages(territory: str) -> set[str]:
    return {code.split("_")[0] for code in get_territory_language_info(territory)}
