"""The summary of a model's verdicts, counted once more row by row."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from folkways.benchmarks.summary import interval_of_mean
from folkways.records import Metric
from folkways.runs.judging.model_summary import SUMMARY, summarise
from folkways.stats.intervals import Interval, wilson
from folkways.stats.raters.calibration import prediction_powered, rogan_gladen
from folkways.stats.raters.judge_quality import youden_index
from folkways.stats.raters.kappa import cohen_kappa
from folkways.stats.raters.stratified_calibration import stratified_ppi

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "model-judge.md").read_text(encoding="utf-8")
QUANTITIES = re.findall(
    r"`(\w+)`",
    "".join(row.split("|")[1] for row in PAGE.split("| quantity | is |")[1].split("\n\n")[0].split("\n")[2:]),
)
"""Those that the page describes, in its order."""
RULE = Metric("right", "Right", "")
JUDGED = Metric("judged", "Judged right", "")
NONE = Interval(math.nan, math.nan, "none")
Row = dict[str, Any]


def verdicts(
    seed: int, *, halves: bool = False, lost: float = 0.2, labels: float = 0.5, rows: int = 90
) -> list[Row]:
    """Irregular verdicts: some without a reply (wrong by rule and judge), some that the judge did not
    give."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(rows):
        lexical = float(rng.random() < 0.5)
        verdict: float | None = lexical if rng.random() < 0.7 else 1.0
        ended = str(rng.choice(["judged", "no reply", "unreadable"], p=[0.9 - lost, lost, 0.1]))
        if ended == "no reply":
            lexical, verdict = 0.0, 0.0
        elif ended != "judged":
            verdict = None
        label: float | None = None
        if ended != "no reply" and rng.random() < labels:
            label = 0.5 if halves and rng.random() < 0.2 else float(rng.random() < (0.8 if lexical else 0.3))
        found.append(
            {
                "task": "x/y",
                "endpoint": "m",
                "judge": "j",
                "question": f"q{int(rng.integers(0, 30)):02}",
                "culture": str(rng.choice(["KR", "ET", "US"], p=[0.6, 0.35, 0.05])),
                "language": str(rng.choice(["en", "ko"])),
                "lexical": lexical,
                "verdict": verdict,
                "ended": ended,
                "label": label,
            }
        )
    return found


def quantities(part: Sequence[Row]) -> list[tuple[str, float, Interval, Sequence[Row]]]:
    """Each quantity with its interval, as shares, and the rows that it rests on."""

    def numbers(rows: Sequence[Row]) -> np.ndarray:
        names = sorted({row["question"] for row in rows})
        return np.array([names.index(row["question"]) for row in rows], dtype=np.int64)

    def mean(name: str, rows: Sequence[Row], value: Callable[[Row], float], metric: Metric) -> None:
        values = np.array([float(value(row)) for row in rows])
        if not rows:
            found.append((name, math.nan, Interval(0.0, 100.0, "none"), rows))
            return
        interval = interval_of_mean(values, numbers(rows), metric)
        found.append((name, 100 * sum(values) / len(rows), hundred(interval), rows))

    def hundred(interval: Interval, share: float = 1.0) -> Interval:
        return Interval(100 * share * interval.low, 100 * share * interval.high, interval.method)

    def kappa(rows: Sequence[Row], first: str, second: str) -> Any:
        return cohen_kappa(
            *(np.array([row[name] >= 0.5 for row in rows]) for name in (first, second)), numbers(rows)
        )

    found: list[tuple[str, float, Interval, Sequence[Row]]] = []
    mean("lexical", part, lambda row: row["lexical"], RULE)
    decided = [row for row in part if row["verdict"] is not None]
    if decided:
        mean("judged", decided, lambda row: row["verdict"], JUDGED)
    found.append(("undecided", len(part) - len(decided), NONE, part))
    if len(decided) < len(part):
        for name, guess in (("judged_at_worst", 0.0), ("judged_at_best", 1.0)):
            mean(
                name,
                part,
                lambda row, guess=guess: guess if row["verdict"] is None else row["verdict"],
                JUDGED,
            )  # type: ignore[misc]
    judged = [row for row in part if row["ended"] == "judged"]
    if judged:
        mean("agreement", judged, lambda row: row["verdict"] == row["lexical"], JUDGED)
        table = kappa(judged, "verdict", "lexical")
        found.append(("kappa", table.kappa, table.interval, judged))
        pairs = [(row["verdict"], row["lexical"]) for row in judged]
        cells = {"both_right": (1, 1), "only_judge": (1, 0), "only_lexical": (0, 1), "both_wrong": (0, 0)}
        found += [(name, pairs.count(cell), NONE, judged) for name, cell in cells.items()]
    labelled = [row for row in part if row["label"] is not None]
    if not labelled:
        return found
    found.append(("labelled", len(labelled), NONE, labelled))
    said = [row["lexical"] if row["verdict"] is None else row["verdict"] for row in part]
    guesses = [
        math.nan if row["ended"] == "no reply" else guess for row, guess in zip(part, said, strict=True)
    ]
    labels = [math.nan if row["label"] is None else row["label"] for row in part]
    cultures = sorted({row["culture"] for row in part})
    of_culture = np.array([cultures.index(row["culture"]) for row in part])
    columns = (np.array(guesses), np.array(labels))
    if len(cultures) > 1:
        powered = stratified_ppi(*columns, of_culture, numbers(part)).corrected
    else:
        powered = prediction_powered(*columns, numbers(part))
    found.append(("corrected", 100 * powered.rate, hundred(powered.interval), part))
    firm = [row for row in labelled if row["label"] in (0, 1) and row["ended"] == "judged"]
    right, wrong = ([row for row in firm if row["label"] == label] for label in (1, 0))
    hits, rejections = sum(row["verdict"] == 1 for row in right), sum(row["verdict"] == 0 for row in wrong)
    if len(firm) == len(labelled):
        corrected = rogan_gladen(
            sum(row["verdict"] == 1 for row in judged),
            len(judged),
            true_positive=hits,
            labelled_positive=len(right),
            true_negative=rejections,
            labelled_negative=len(wrong),
        )
        share = sum(row["ended"] != "no reply" for row in part) / len(part)
        found.append(
            ("corrected_rogan_gladen", 100 * share * corrected.rate, hundred(corrected.interval, share), part)
        )
    for name, count, rows in (("sensitivity", hits, right), ("specificity", rejections, wrong)):
        if rows:
            found.append((name, 100 * count / len(rows), hundred(wilson(count, len(rows))), rows))
    if right and wrong:
        said_so, labelled_so = (np.array([row[name] for row in firm]) for name in ("verdict", "label"))
        youden = youden_index(said_so, labelled_so, numbers(firm))
        assert youden is not None
        assert youden.index.difference == pytest.approx(hits / len(right) + rejections / len(wrong) - 1)
        interval = Interval(youden.index.low, youden.index.high, "wilson 95% put together")
        found.append(("youden", youden.index.difference, interval, firm))
    if firm:
        for name, judge in (("kappa_judge_people", "verdict"), ("kappa_lexical_people", "lexical")):
            table = kappa(firm, judge, "label")
            found.append((name, table.kappa, table.interval, firm))
    return found


CASES = {
    "labels of all kinds": verdicts(1, halves=True),
    "every labelled reply was judged": [
        row for row in verdicts(2) if row["label"] is None or row["ended"] == "judged"
    ],
    "no labels": verdicts(3, labels=0.0),
    "nothing was judged": [
        {**row, "verdict": None, "ended": "failed"} for row in verdicts(4, lost=0.0, labels=0.0, rows=12)
    ],
    "labels of what was not judged": [
        {**row, "verdict": None, "ended": "failed"} for row in verdicts(5, lost=0.0, rows=12)
    ],
    "everything was decided": [row for row in verdicts(6) if row["verdict"] is not None],
    "only half right": [{**row, "label": row["label"] and 0.5} for row in verdicts(7) if row["label"] != 0],
    "all right": [{**row, "label": 1.0} for row in verdicts(8, lost=0.0) if row["ended"] == "judged"],
}


@pytest.mark.parametrize("case", CASES)
def test_every_quantity_is_what_counting_row_by_row_gives(case: str) -> None:
    rows = CASES[case]
    types = dict.fromkeys(("lexical", "verdict", "label"), pl.Float64)
    found = summarise(
        pl.DataFrame(rows, schema_overrides=types), RULE, "signed", self_judged=case == "no labels"
    )
    expected = []
    cultures, languages = (
        list(dict.fromkeys(row[facet] for row in rows)) for facet in ("culture", "language")
    )
    groups = [
        ("all", "all"),
        *(("culture", value) for value in cultures),
        *(("language", value) for value in languages),
    ]
    for facet, value in groups:
        part = [row for row in rows if facet == "all" or row[facet] == value]
        for quantity, estimate, interval, base in quantities(part):
            where = ("x/y", "m", "j", None, facet, value, quantity)
            place = (*where, float(estimate), interval.low, interval.high, None, interval.method)
            questions = len({row["question"] for row in base})
            expected.append((*place, len(base), questions, case == "no labels", "signed"))
    frame = pl.DataFrame(expected, schema=dict(SUMMARY), orient="row").fill_nan(None)
    assert_frame_equal(found, frame, check_exact=False, rel_tol=1e-9, abs_tol=1e-9)


def test_these_verdicts_come_to_every_quantity() -> None:
    compared = set(QUANTITIES[QUANTITIES.index("judged_difference") :])
    assert {name for rows in CASES.values() for name, *_ in quantities(rows)} == set(QUANTITIES) - compared


def test_of_no_verdicts_there_is_an_empty_summary() -> None:
    empty = summarise(pl.DataFrame(schema={"task": pl.String}), RULE, "signed", self_judged=False)
    assert (empty.height, empty.schema) == (0, pl.Schema(SUMMARY))
