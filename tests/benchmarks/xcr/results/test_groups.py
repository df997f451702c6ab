"""Scores by category, level and element: planted means, and the same numbers as the scores of a run."""

from __future__ import annotations

import pytest

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.xcr.results.scores import group_tables
from tests.support.xcr_judgements import CATEGORIES, findings, row

IDENTIFICATION, PREDICTION, ADAPTATION = "xcr/identification", "xcr/prediction", "xcr/adaptation"


def identification(endpoint: str, step: float) -> list[dict[str, object]]:
    """Five sentences of each category; the mean SI-CSI of category number k is ``k * step``, its values
    spread around that."""
    return [
        row(
            IDENTIFICATION,
            f"{k}-{place}",
            category,
            endpoint=endpoint,
            hall_level=("Visible", "Invisible")[k % 2],
            hi_csi=float(place < k),
            si_csi=k * step + (place - 2) * 0.01,
        )
        for k, category in enumerate(CATEGORIES)
        for place in range(5)
    ]


def test_planted_means_and_their_n() -> None:
    (table,) = group_tables(findings([*identification("a", 0.1), *identification("b", 0.05)]), "category")
    found = {
        (line["endpoint"], line["metric"], line["category"]): line
        for line in table.rows.iter_rows(named=True)
    }
    for k, category in enumerate(CATEGORIES):
        assert found["a", "si_csi", category]["score"] == pytest.approx(10 * k)
        assert found["b", "si_csi", category]["score"] == pytest.approx(5 * k)
        assert found["a", "hi_csi", category]["score"] == pytest.approx(100 * min(k, 5) / 5)
        line = found["a", "si_csi", category]
        assert (line["n"], line["sentences"]) == (5, 5)
        assert line["low"] < line["score"] < line["high"]
    assert found["a", "si_csi", "all"]["score"] == pytest.approx(30)
    assert found["a", "si_csi", "all"]["n"] == 35
    assert "Sports Tradition 5" in table.notes[0]
    assert "Sports Tradition" in table.notes[1], "groups of few sentences are named"


def test_the_same_numbers_as_the_scores_of_a_run() -> None:
    made = findings(identification("a", 0.1))
    (table,) = group_tables(made, "hall_level")
    scores = get_task(IDENTIFICATION).summarise(made.judgements)
    wanted = (
        scores.filter(facet="hall_level")
        .select("metric", "value", "score", "low", "high", "n")
        .sort("metric", "value")
    )
    rows = table.rows.filter(table.rows["level"] != "all").select(
        "metric", value="level", score="score", low="low", high="high", n="n"
    )
    assert rows.sort("metric", "value").equals(wanted)


def test_cultures_of_the_adaptation_stand_apart() -> None:
    rows = [
        row(ADAPTATION, f"{k}-{place}", category, culture, csi_edit_intra=value, csi_edit_inter=value / 2)
        for culture, value in (("CN", 0.8), ("BD", 0.4))
        for k, category in enumerate(CATEGORIES)
        for place in range(3)
    ]
    (table,) = group_tables(findings(rows), "category")
    scores = {(line["culture"], line["metric"]): line["score"] for line in table.rows.iter_rows(named=True)}
    assert scores == pytest.approx(
        {
            ("CN", "csi_edit_intra"): 80,
            ("CN", "csi_edit_inter"): 40,
            ("BD", "csi_edit_intra"): 40,
            ("BD", "csi_edit_inter"): 20,
        }
    )
    assert {"CSI edit, in English, China", "CSI edit, in English, Bangladesh"} <= set(table.rows["measure"])


def test_strict_prediction_takes_shares_of_gold_items() -> None:
    rows = [
        row(PREDICTION, "one", "Social Etiquette", hp_csi=1.0, hp_weight=1.0),
        row(PREDICTION, "three", "Social Etiquette", hp_csi=1 / 3, hp_weight=3.0),
        row(PREDICTION, "two", "Cultural Value", hp_csi=0.0, hp_weight=2.0),
    ]
    (table,) = group_tables(findings(rows), "category")
    found = {
        line["category"]: (line["score"], line["n"], line["sentences"])
        for line in table.rows.iter_rows(named=True)
    }
    assert found["Social Etiquette"] == (pytest.approx(50), 4, 2)
    assert found["all"] == (pytest.approx(100 / 3), 6, 3)


def test_a_single_category_makes_no_table() -> None:
    with pytest.raises(NotAvailableError, match="single category"):
        group_tables(
            findings([row(IDENTIFICATION, str(k), si_csi=0.5, hi_csi=1.0) for k in range(4)]), "category"
        )
