"""West Bengal against Bangladesh: exact tests of planted gaps, and the controls for sentences without tagged
items."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.results.corpus import gold_items
from folkways.benchmarks.xcr.results.regions import BALANCED, BOTH, COPY, MODEL, bias_tables, control_tables
from folkways.releases.release_records import Release
from tests.support.xcr_data import write_csv, xcr_release
from tests.support.xcr_judgements import CATEGORIES, findings, row

ADAPTATION = "xcr/adaptation"
PER_CATEGORY = 6


def judged(west: np.ndarray, east: np.ndarray, questions: list[str] | None = None) -> list[dict[str, object]]:
    """Scores (categories, sentences) of both cultures, by the items within English; NaN leaves a sentence
    out."""
    rows = []
    for culture, scores in (("IN-WB", west), ("BD", east)):
        for k, values in enumerate(scores):
            for place, value in enumerate(values):
                question = questions[k * len(values) + place] if questions else f"{k}-{place}"
                rows.append(
                    row(
                        ADAPTATION,
                        question,
                        CATEGORIES[k],
                        culture,
                        csi_edit_intra=None if np.isnan(value) else float(value),
                    )
                )
    return rows


def test_a_gap_in_every_category_has_the_smallest_p_there_is() -> None:
    rng = np.random.default_rng(1)
    east = rng.uniform(0.2, 0.6, (7, 10))
    west = east + 0.01 * (1 + np.arange(7))[:, None] + rng.normal(0, 0.001, (7, 10))
    tests, by_category = bias_tables(findings(judged(west, east)))
    line = tests.rows.row(0, named=True)
    assert (line["p"], line["p_two_sided"], line["categories"]) == (1 / 128, 1 / 64, 7)
    assert line["smallest_p"] == 1 / 128
    assert line["difference"] == pytest.approx(100 * (west - east).mean())
    outside = ttest_rel(100 * west.ravel(), 100 * east.ravel())
    assert (line["by_sentence"], line["p_sentences"]) == pytest.approx(
        (100 * (west - east).mean(), outside.pvalue)
    )
    assert line["sentences"] == 70
    found = {one["category"]: one["difference"] for one in by_category.rows.iter_rows(named=True)}
    assert found == pytest.approx(
        {name: 100 * (west[k] - east[k]).mean() for k, name in enumerate(CATEGORIES)}
    )


def test_p_is_that_of_scipy_where_signs_differ() -> None:
    rng = np.random.default_rng(5)
    west, east = rng.uniform(0, 1, (2, 7, 8))
    line = bias_tables(findings(judged(west, east)))[0].rows.row(0, named=True)
    differences = 100 * (west.mean(axis=1) - east.mean(axis=1))
    assert line["p"] == pytest.approx(wilcoxon(differences, alternative="greater", method="exact").pvalue)
    assert line["p_two_sided"] == pytest.approx(wilcoxon(differences, method="exact").pvalue)


def test_the_other_direction_is_found_two_sided_alone() -> None:
    east = np.full((7, 4), 0.5) + np.arange(28).reshape(7, 4) / 1000
    line = bias_tables(findings(judged(east - 0.1 - np.arange(7)[:, None] / 100, east)))[0].rows.row(
        0, named=True
    )
    assert line["p"] == 1.0
    assert line["p_two_sided"] == 1 / 64


def test_four_categories_cannot_be_significant() -> None:
    east = np.full((4, 5), 0.3) + np.arange(20).reshape(4, 5) / 1000
    line = bias_tables(findings(judged(east + 0.3 + np.arange(4)[:, None] / 50, east)))[0].rows.row(
        0, named=True
    )
    assert line["p"] == line["smallest_p"] == 1 / 16 > 0.05


def test_one_culture_alone_is_no_pair() -> None:
    with pytest.raises(NotAvailableError, match="--cultures IN-WB,BD"):
        bias_tables(findings([row(ADAPTATION, str(k), culture="BD", csi_edit_intra=0.5) for k in range(3)]))


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Six sentences of each category; Bangladesh's gold has no item for the first of each of five
    categories."""
    header = ("sentence", "cultural_context", "csi_category", "csi_hall_mapping", "hall_level")
    base = [
        (f"We {k} have <CSI> tea </CSI> number {n}.", "", CATEGORIES[k], "Art", "Visible")
        for k in range(7)
        for n in range(6)
    ]
    write_csv(tmp_path / xcr.BASE_FILE, [header, *base])
    columns = ("Sentence", "Intra-lingual", "Inter-lingual")
    for culture in ("IN-WB", "BD"):
        rows = []
        for number, (sentence, *_) in enumerate(base):
            empty = culture == "BD" and number % PER_CATEGORY == 0 and number < 5 * PER_CATEGORY
            rows.append(
                (
                    sentence,
                    *(("Non-transferable",) * 2 if empty else ("A <CSI> b </CSI>", "ক <CSI> খ </CSI>")),
                )
            )
        write_csv(tmp_path / xcr.ADAPTATION_FILES[culture], [columns, *rows])
    return xcr_release(tmp_path)


def test_a_gap_that_is_made_of_sentences_without_items_is_told(release: Release) -> None:
    """The model scores .6 wherever gold has items, in both cultures; the rule gives it 0 where gold has
    none."""
    west, east = np.full((7, PER_CATEGORY), 0.6), np.full((7, PER_CATEGORY), 0.6)
    east[:5, 0] = 0.0
    made = findings(judged(west, east, xcr.corpus(release)["id"].to_list()), release)
    assert bias_tables(made)[0].rows["p"][0] == pytest.approx(1 / 32), "it looks like a bias"
    (table,) = control_tables(made)
    found = {line["who"]: line for line in table.rows.iter_rows(named=True)}
    assert found[MODEL]["difference"] == pytest.approx(60 / 6 * 5 / 7)
    assert found[BALANCED]["difference"] == pytest.approx(found[MODEL]["difference"]), "and is none"
    assert found[COPY]["difference"] == pytest.approx(100 / 6 * 5 / 7)
    assert found[BOTH]["difference"] == pytest.approx(0)
    assert (found[BOTH]["p"], found[BOTH]["categories"]) == (1.0, 0)
    assert (found[MODEL]["no_items_west_bengal"], found[MODEL]["no_items_bangladesh"]) == (0, 5)
    assert (found[BOTH]["n_west_bengal"], found[BOTH]["n_bangladesh"]) == (37, 37)


def test_a_true_gap_stays_where_both_golds_have_items(release: Release) -> None:
    west, east = np.full((7, PER_CATEGORY), 0.6), np.full((7, PER_CATEGORY), 0.5)
    east[:5, 0] = 0.0
    (table,) = control_tables(findings(judged(west, east, xcr.corpus(release)["id"].to_list()), release))
    found = {line["who"]: line["difference"] for line in table.rows.iter_rows(named=True)}
    assert found[BOTH] == pytest.approx(10)
    assert found[BALANCED] < found[MODEL]


def test_a_rule_that_leaves_them_out_leaves_no_gap_to_the_controls(release: Release) -> None:
    west, east = np.full((7, PER_CATEGORY), 0.6), np.full((7, PER_CATEGORY), 0.6)
    east[:5, 0] = np.nan
    (table,) = control_tables(findings(judged(west, east, xcr.corpus(release)["id"].to_list()), release))
    assert table.rows["difference"].to_list() == pytest.approx([0.0] * 4)


def test_the_control_needs_the_corpus() -> None:
    east = np.full((7, 3), 0.5)
    with pytest.raises(NotAvailableError, match="corpus"):
        control_tables(findings(judged(east, east)))


@pytest.mark.shared
def test_copying_the_real_gold_scores_what_the_reference_says(shared: Path) -> None:
    real = xcr_release(shared / "data" / "xcr")
    shares = {
        (side, culture): 100 * float((items.filter(culture=culture)["items"] > 0).mean())  # type: ignore[arg-type]
        for side in ("intra", "inter")
        for items in [gold_items(real, side)]
        for culture in ("IN-WB", "BD")
    }
    rounded = {key: round(share, 1) for key, share in shares.items()}
    assert rounded == {
        ("intra", "IN-WB"): 92.6,
        ("inter", "IN-WB"): 92.6,
        ("intra", "BD"): 89.9,
        ("inter", "BD"): 90.0,
    }
