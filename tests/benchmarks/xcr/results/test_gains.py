"""Gains of adapting into the language over within English: planted ones, paired as scipy pairs them, with
their scales."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.xcr.adaptation import ENGLISH_BASELINE
from folkways.benchmarks.xcr.results.adaptation_scores import gain_tables
from folkways.benchmarks.xcr.results.corpus import gold_items
from tests.support.xcr_data import write_small_corpus
from tests.support.xcr_judgements import BERT, CATEGORIES, findings, row

ADAPTATION = "xcr/adaptation"


def test_planted_gains_by_category_and_over_all() -> None:
    rng = np.random.default_rng(3)
    intra, noise = rng.uniform(0.2, 0.6, (7, 12)), rng.normal(0, 0.05, (7, 12))
    inter = intra + 0.02 * np.arange(7)[:, None] + noise
    rows = [
        row(
            ADAPTATION,
            f"{k}-{place}",
            category,
            "CN",
            csi_edit_intra=intra[k, place],
            csi_edit_inter=inter[k, place],
        )
        for k, category in enumerate(CATEGORIES)
        for place in range(12)
    ]
    by_category, by_level = gain_tables(findings(rows))
    found = {line["category"]: line for line in by_category.rows.iter_rows(named=True)}
    for k, category in enumerate(CATEGORIES):
        line = found[category]
        outside = ttest_rel(100 * inter[k], 100 * intra[k])
        bounds = outside.confidence_interval()
        assert line["gain"] == pytest.approx(100 * (inter[k] - intra[k]).mean())
        assert (line["low"], line["high"], line["p"]) == pytest.approx(
            (bounds.low, bounds.high, outside.pvalue)
        )
        assert (line["n"], line["scales"]) == (12, "same")
    assert found["all"]["gain"] == pytest.approx(100 * (inter - intra).mean())
    assert by_category.rows["category"].to_list()[-1] == "all"
    assert set(by_level.rows["level"]) == {"Visible", "all"}


def test_only_sentences_with_both_scores_count_and_no_failed_requests() -> None:
    rows = [
        row(ADAPTATION, "both", culture="CN", csi_edit_intra=0.2, csi_edit_inter=0.5),
        row(ADAPTATION, "too", culture="CN", csi_edit_intra=0.2, csi_edit_inter=0.3),
        *(
            row(ADAPTATION, f"dropped-{k}", culture="CN", csi_edit_intra=None, csi_edit_inter=0.9)
            for k in range(7)
        ),
        row(ADAPTATION, "failed", culture="CN", state="failed", csi_edit_intra=0.0, csi_edit_inter=0.0),
    ]
    by_category, _ = gain_tables(findings(rows))
    line = by_category.rows.row(0, named=True)
    assert line["n"] == 2
    assert (line["intra"], line["inter"], line["gain"]) == pytest.approx((20, 40, 20))


def test_bertscore_of_the_paper_is_on_two_scales_and_of_strict_on_one() -> None:
    rows = [
        row(
            ADAPTATION,
            str(place),
            culture="CN",
            profile=profile,
            csi_bert_intra=0.3 + place / 100,
            csi_bert_inter=0.7,
        )
        for profile in ("paper", "strict")
        for place in range(4)
    ]
    by_category, _ = gain_tables(findings(rows, metrics=BERT))
    scales = dict(by_category.rows.select("profile", "scales").unique().iter_rows())
    assert scales == {"paper": "mixed", "strict": "same"}
    assert any("mixed scales" in measure for measure in by_category.rows["measure"])


def test_the_rescaling_of_the_paper_can_be_taken_back(tmp_path: Path) -> None:
    """Raw English scores lie 10 points below those in the language; where the rule gives 0, no scale changes
    that."""
    release = write_small_corpus(tmp_path)
    items = gold_items(release, "intra", ["ARAB"])
    assert set(items["items"]) == {0, 1}
    rows = []
    for place, (question, _, count) in enumerate(items.iter_rows()):
        raw = 0.5 + place / 50
        rescaled = (raw - ENGLISH_BASELINE) / (1 - ENGLISH_BASELINE)
        scores = (
            {"csi_bert_intra": rescaled, "csi_bert_inter": raw + 0.1}
            if count
            else {"csi_bert_intra": 0.0, "csi_bert_inter": 0.0}
        )
        rows.append(row(ADAPTATION, question, culture="ARAB", **scores))
    unreadable = row(
        ADAPTATION, "unreadable", culture="ARAB", state="unreadable", csi_bert_intra=0.0, csi_bert_inter=0.0
    )
    by_category, _ = gain_tables(findings([*rows, unreadable], release, BERT))
    gains = {line["scales"]: line for line in by_category.rows.filter(category="all").iter_rows(named=True)}
    with_items = int((items["items"] > 0).sum())
    assert gains["same"]["gain"] == pytest.approx(10 * with_items / (items.height + 1))
    assert gains["mixed"]["gain"] > gains["same"]["gain"] + 5
    assert gains["same"]["n"] == gains["mixed"]["n"] == items.height + 1


def test_without_both_versions_there_is_no_gain() -> None:
    with pytest.raises(NotAvailableError, match="both within English and in the language"):
        gain_tables(findings([row(ADAPTATION, str(k), culture="CN", csi_edit_inter=0.5) for k in range(3)]))
