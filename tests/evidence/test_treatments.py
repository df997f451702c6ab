"""What a change of the prompt does: by hand, and with faults that only one arm has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.treatments import LENGTH, without_treatments
from folkways.evidence.groups.treatments import CROSSED, EFFECTS, MATRIX, TREATMENTS, slope_on_baseline
from folkways.records import Metric
from folkways.stats.hypotheses.corrections import holm
from folkways.stats.pairwise import paired_contrasts

RIGHT = Metric("right", "Accuracy", "")
TASK = "x/one"
CULTURES = ("ET", "KR", "MX", "US", "DE")
QUESTIONS = 30
ARMS = ("", "~with-born", *(f"~with-born:placebo-{number}" for number in (1, 2, 3)), "~with-born:for-")

Value = Callable[[str, str, int], float]


def inputs(value: Value, metric: Metric = RIGHT, variants: tuple[str, ...] = ARMS) -> Inputs:
    """Judgements of one model. value: of an arm (one of ``variants``), a culture and a question's number; a
    crossed arm names the next culture, or the one so many after it (``:for-#2``)."""
    rows = []
    for arm, culture, n in product(variants, CULTURES, range(QUESTIONS)):
        cue, _, step = arm.partition("#")
        other = CULTURES[(CULTURES.index(culture) + int(step or 1)) % len(CULTURES)] if ":for-" in arm else ""
        asked = (f"{culture}/q{n}", f"q{n}", culture, "en", f"plain{cue}{other}", 0, True, "answered")
        rows.append(("m", TASK, "strict", *asked, "rice", None, 4 + len(arm), value(arm, culture, n)))
    columns = ("endpoint", "task", "profile", "item", "question", "culture", "language", "variant", "sample")
    judged = pl.DataFrame(
        rows,
        schema=[*columns, "counted", "state", "answer", "reason", LENGTH, metric.name],
        schema_overrides={"reason": pl.String},
        orient="row",
    )
    return Inputs(judged=without_treatments(judged), treated=judged, metrics={TASK: (metric,)})


def drawn(seed: int = 1, **shares: float) -> Value:
    """Zeros and ones, right with the share of an arm's first word (``plain``, ``born``, ``placebo``, ``other``)."""
    rng = np.random.default_rng(seed)
    names = dict(zip(ARMS, ("plain", "born", "placebo", "placebo", "placebo", "other"), strict=True))
    values: dict[tuple[str, str, int], float] = {}
    return lambda arm, culture, n: values.setdefault(
        (arm, culture, n), float(rng.random() < shares.get(names.get(arm, arm), 0.5))
    )


def tables(of: Inputs) -> dict[str, pl.DataFrame]:
    return {table.name: table.rows for table in TREATMENTS.make(of)}


def arm_values(value: Value, arm: str, culture: str) -> np.ndarray:
    return np.array([value(arm, culture, n) for n in range(QUESTIONS)])


def test_the_effect_is_treated_less_the_mean_of_the_placebos_paired_by_row_and_clustered_by_question() -> (
    None
):
    value = drawn(born=0.8)
    effects = tables(inputs(value))["treatments"]
    assert effects.columns == list(EFFECTS)
    for culture in CULTURES:
        row = effects.row(by_predicate=pl.col("culture") == culture, named=True)
        control, treated, *placebos = (arm_values(value, arm, culture) for arm in ARMS[:5])
        cues = np.mean(placebos, axis=0)
        test = paired_contrasts(np.column_stack([treated, cues]), np.arange(QUESTIONS), 1.0)
        assert row["against"] == "placebos"
        assert row["difference"] == pytest.approx(100 * (treated.mean() - cues.mean()))
        assert (row["low"], row["high"], row["p"]) == pytest.approx(
            (100 * test.low[0], 100 * test.high[0], test.p[0])
        )
        assert (row["change"], row["placebo_change"]) == pytest.approx(
            (100 * (treated - control).mean(), 100 * (cues - control).mean())
        )
        assert row["difference"] == pytest.approx(row["change"] - row["placebo_change"])
        assert (row["better"], row["worse"]) == ((treated > control).sum(), (treated < control).sum())
        assert (row["n"], row["questions"]) == (QUESTIONS, QUESTIONS)


def test_questions_that_cultures_share_are_one_unit_over_all_cultures() -> None:
    effects = tables(inputs(drawn(born=0.8)))["treatments"]
    whole = effects.row(by_predicate=pl.col("culture") == "all", named=True)
    assert (whole["n"], whole["questions"]) == (QUESTIONS * len(CULTURES), QUESTIONS)


def test_holm_is_over_the_cultures_of_one_treatment() -> None:
    effects = tables(inputs(drawn(born=0.9, plain=0.5)))["treatments"]
    cultures = effects.filter(pl.col("culture") != "all")
    assert cultures["culture"].to_list() == sorted(CULTURES)
    assert cultures["p_holm"].to_list() == pytest.approx(holm(cultures["p"].to_list()))
    whole = effects.filter(culture="all")
    assert whole["p_holm"].to_list() == whole["p"].to_list()
    assert whole["p"][0] < 0.001


def test_placebos_take_away_what_any_cue_does() -> None:
    shared = drawn(plain=0.2)

    def value(arm: str, culture: str, n: int) -> float:
        return shared("" if not arm else "~with-born", culture, n)  # every cue does the same

    effects = tables(inputs(value))["treatments"]
    whole = effects.row(by_predicate=pl.col("culture") == "all", named=True)
    assert whole["change"] > 15
    assert whole["difference"] == pytest.approx(0)


def test_a_row_without_one_of_its_placebos_is_left_out() -> None:
    known = inputs(drawn())
    lost = (pl.col("item") == "KR/q3") & pl.col("variant").str.ends_with("placebo-2")
    state = pl.when(lost).then(pl.lit("failed")).otherwise("state").alias("state")
    effects = tables(replace(known, treated=known.treated.with_columns(state)))["treatments"]
    counts = dict(effects.select("culture", "n").iter_rows())
    assert (counts["KR"], counts["ET"]) == (QUESTIONS - 1, QUESTIONS)


def test_without_placebos_the_effect_is_from_the_prompt_as_it_is_and_says_so() -> None:
    value = drawn(born=0.8)
    (table, *_) = TREATMENTS.make(inputs(value, variants=ARMS[:2]))
    row = table.rows.row(by_predicate=pl.col("culture") == "all", named=True)
    assert row["against"] == "control"
    assert row["difference"] == pytest.approx(row["change"])
    assert row["placebo_change"] is None
    assert "without placebos" in table.notes[-1]
    assert "regression to the mean" in table.notes[0]


def test_the_crossed_arm_is_by_the_culture_that_it_names() -> None:
    value = drawn(born=0.9, other=0.1)
    crossed = tables(inputs(value))["treatments-crossed"]
    assert crossed.columns == list(CROSSED)
    assert set(crossed["named"]) == {"all", *CULTURES}
    row = crossed.row(by_predicate=pl.col("named") == "KR", named=True)
    other, *cues = (arm_values(value, arm, "ET") for arm in (ARMS[5], *ARMS[2:5]))  # KR is named for ET
    assert row["difference"] == pytest.approx(100 * (other - np.mean(cues, axis=0)).mean())
    treated, *cues = (arm_values(value, arm, "KR") for arm in (ARMS[1], *ARMS[2:5]))
    cultures = crossed.filter(pl.col("named") != "all")
    assert cultures["p_holm"].to_list() == pytest.approx(holm(cultures["p"].to_list()))
    whole = crossed.filter(named="all")
    assert whole["p_holm"].to_list() == whole["p"].to_list()
    assert row["gain"] == pytest.approx(100 * (treated - np.mean(cues, axis=0)).mean())


def test_the_matrix_has_every_culture_named_on_questions_about_every_culture() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((len(CULTURES), len(CULTURES), QUESTIONS)).round(3)
    values[2, 2], values[1, 4] = 1.0, 1.0  # MX does best by its own name, KR by the last one's
    crossed = tuple(f"~with-born:for-#{step}" for step in range(1, len(CULTURES)))
    cue = drawn(plain=0.5)

    def value(arm: str, culture: str, n: int) -> float:
        about = CULTURES.index(culture)
        if arm == "~with-born" or arm in crossed:
            step = crossed.index(arm) + 1 if arm in crossed else 0
            return float(values[about, (about + step) % len(CULTURES), n])
        return cue(arm, culture, n)

    metric = Metric("right", "Accuracy", "", kind="mean")
    made = TREATMENTS.make(inputs(value, metric, (*ARMS[:5], *crossed)))
    (table,) = [table for table in made if table.name == "treatments-matrix"]
    assert table.rows.columns == list(MATRIX)
    means = np.full((len(CULTURES), len(CULTURES)), np.nan)
    for row in table.rows.iter_rows(named=True):
        about, named = CULTURES.index(row["culture"]), CULTURES.index(row["named"])
        placebos = np.mean([arm_values(value, arm, row["culture"]) for arm in ARMS[2:5]], axis=0)
        test = paired_contrasts(np.column_stack([values[about, named], placebos]), np.arange(QUESTIONS), 1.0)
        means[about, named] = 100 * (values[about, named] - placebos).mean()
        assert row["difference"] == pytest.approx(means[about, named])
        assert row["p"] == pytest.approx(test.p[0])
        assert (row["n"], row["questions"]) == (QUESTIONS, QUESTIONS)
    assert not np.isnan(means).any()
    assert table.rows["p_holm"].to_list() == pytest.approx(holm(table.rows["p"].to_list()))
    on, off = np.diag(means).mean(), means[~np.eye(len(CULTURES), dtype=bool)].mean()
    best = int((means.argmax(axis=1) == np.arange(len(CULTURES))).sum())
    assert 0 < best < len(CULTURES)
    (note,) = table.notes
    assert f"{on:+.1f} points where the culture of the question is named, −{-off:.1f} where another" in note
    assert f"does best for {best} of {len(CULTURES)} cultures" in note
    (plot,) = table.drawn
    assert (plot.layout.drawn, plot.rows["of"].n_unique()) == ("heatmap", 1)
    (pooled,) = [table.rows for table in made if table.name == "treatments-crossed"]
    assert pooled.filter(named="all")["n"][0] == QUESTIONS * len(CULTURES) * (len(CULTURES) - 1)
    assert pooled.filter(named="all")["difference"][0] == pytest.approx(off)
    assert "treatments-matrix" not in tables(inputs(cue))


def test_costs_are_the_other_metrics_refusals_and_length() -> None:
    """Every third treated reply declines, and has half of the other metric's points."""
    known = inputs(drawn())
    declines = (pl.col("variant") == f"plain{ARMS[1]}") & (
        pl.col("question").str.slice(1).cast(pl.Int64) % 3 == 0
    )
    judged = known.treated.with_columns(
        state=pl.when(declines).then(pl.lit("refused")).otherwise("state"),
        depth=pl.when(declines).then(0.5).otherwise(1.0),
    )
    further = (Metric("depth", "Depth", ""), Metric("gap", "Gap", "", kind="distribution", bounds=None))
    judged = judged.with_columns(gap=pl.col("depth") - 1)
    costs = tables(replace(known, treated=judged, metrics={TASK: (RIGHT, *further)}))
    rows = {row["metric"]: row for row in costs["treatments-costs"].iter_rows(named=True)}
    assert set(rows) == {"Depth", "Gap", "Refused", "Characters"}
    changed = judged.filter(declines).height
    better_and_worse = {metric: (row["better"], row["worse"]) for metric, row in rows.items()}
    assert better_and_worse == {
        "Depth": (0, changed),
        "Gap": (None, None),  # neither way is better, nor are longer replies
        "Refused": (0, changed),
        "Characters": (None, None),
    }
    assert rows["Characters"]["control"] == 4
    assert rows["Characters"]["treated"] == 4 + len(ARMS[1])
    assert rows["Refused"]["difference"] == pytest.approx(100 / 3)
    assert rows["Depth"]["difference"] == pytest.approx(-50 / 3)


def test_fewer_is_better_where_lower_is_better() -> None:
    metric = Metric("refusal", "Refusals", "", lower_is_better=True)
    value = drawn(born=0.9, plain=0.1)
    row = tables(inputs(value, metric))["treatments"].row(by_predicate=pl.col("culture") == "all", named=True)
    assert row["worse"] > row["better"]


@pytest.mark.parametrize(("split", "stored"), [("asked_in", True), ("asked_in", False), ("register", True)])
def test_a_task_that_keeps_languages_apart_has_effects_in_each(split: str, stored: bool) -> None:
    english, local = inputs(drawn()), inputs(drawn(2, plain=0.2))
    arms = [
        of.treated.filter(culture="DE").with_columns(language=pl.lit(language))
        for of, language in ((english, "en"), (local, "de"))
    ]
    judged = pl.concat(arms)
    if stored:
        asked_in = {"en": "English", "de": "local language"}
        judged = judged.with_columns(pl.col("language").replace(asked_in).alias(split))
    metrics = {TASK: (replace(RIGHT, headline_by=split),)}
    both = Inputs(judged=without_treatments(judged), treated=judged, metrics=metrics)
    effects = tables(both)["treatments"].filter(culture="DE")
    alone = [
        tables(replace(both, judged=without_treatments(part), treated=part))["treatments"].filter(
            culture="DE"
        )
        for part in judged.partition_by("language")
    ]
    assert {row["asked_in"]: row["difference"] for row in effects.to_dicts()} == {
        part["asked_in"].item(): part["difference"].item() for part in alone
    }
    assert effects["asked_in"].sort().to_list() == ["English", "local language"]


def test_two_templates_are_read_as_a_treatment() -> None:
    value = drawn(**{"inst": 0.5, "pers": 0.9})
    known = inputs(value, variants=("inst", "pers"))
    known = replace(known, judged=known.treated, treated=known.treated.head(0))
    effects = tables(known)["treatments"]
    assert set(effects["treatment"]) == {"plainpers"}
    assert effects.filter(culture="all")["difference"][0] > 20
    alone = replace(known, judged=known.judged.filter(variant="plaininst"))
    with pytest.raises(NotAvailableError, match=r"a run with treatments=.*variants="):
        TREATMENTS.make(alone)


def test_the_slope_on_the_baseline_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(2)
    control, effect = rng.normal(size=12), rng.normal(size=12)
    slope = slope_on_baseline(pl.DataFrame({"control": control, "difference": effect}))
    assert slope is not None
    line = stats.linregress(control, effect)
    reach = stats.t.ppf(0.975, 10) * line.stderr
    assert slope == pytest.approx((line.slope, line.slope - reach, line.slope + reach))
    assert slope_on_baseline(pl.DataFrame({"control": [1.0] * 6, "difference": effect[:6]})) is None
    assert slope_on_baseline(pl.DataFrame({"control": control[:4], "difference": effect[:4]})) is None


def test_what_differs_by_rounding_alone_neither_changes_nor_turns() -> None:
    """The mean of three equal placebos is not always what each of them is."""
    shares = {(culture, n): (n + 1) / 7 % 1 for culture, n in product(CULTURES, range(QUESTIONS))}

    def value(arm: str, culture: str, n: int) -> float:
        share = shares[culture, n]
        return share if arm == "" else float(np.nextafter(share, arm == ARMS[1]))

    made = inputs(value, Metric("right", "Similarity", "", kind="mean"))
    effects = tables(made)["treatments"]
    assert set(effects["change"]) == set(effects["placebo_change"]) == set(effects["difference"]) == {0.0}
    assert effects["better"].sum() == effects["worse"].sum() == 0
    (text,) = (table.notes[0] for table in TREATMENTS.make(made) if table.name == "treatments")
    assert "better in 0 of 5 cultures" in text and "worse in 0 (0)" in text
