"""Gates on a judge's verdicts, corrected by people's labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.errors import DataError, FolkwaysError
from folkways.evidence.requirements import Minimum
from folkways.runs.gate import NEEDED, check_judged, read_verdicts

TASK = "demo/saq"


def verdicts(*, labels: int = 3, wrong: int = 0, state: str = "answered") -> pl.DataFrame:
    """Of 40 questions in each of two cultures, KR in two languages: right to judge and people, but for the
    last ``wrong`` ones in KR. labels: how many of each four items have one. state: of every fourth item."""
    rows: list[dict[str, Any]] = [
        {
            **{"task": TASK, "endpoint": "m", "question": f"{culture}/{number // 2}", "culture": culture},
            **{"item": f"{culture}/{number}", "language": "en" if number % 2 else "ko", "variant": "plain"},
            **{"sample": "0", "judge": "j", "response": "x", "lexical": 0.0, "ended": "judged"},
            "verdict": float(culture != "KR" or number >= wrong),
            "label": float(culture != "KR" or number >= wrong) if number % 4 < labels else None,
            "state": "answered" if number % 4 else state,
        }
        for culture in ("KR", "ET")
        for number in range(40)
    ]
    return pl.DataFrame(rows)


def told(table: pl.DataFrame, wanted: Minimum, **how: Any) -> list[tuple[str, str]]:
    return [(one.status.value, one.message) for one in check_judged(table, wanted, "correct", ["m"], **how)]


FOUND = {
    "whole": "found 75.0 (95 % interval 61.0 to 85.2, 40 questions); ",
    "KR": "found 50.0 (95 % interval 25.5 to 74.5, 20 questions); ",
    "KR+ko": "found 50.0 (95 % interval 24.9 to 75.1, 20 questions); ",
    "ET": "found 100.0 (95 % interval 93.4 to 100.0, 20 questions); ",
    "lost": "found 100.0 (95 % interval 87.5 to 100.0, 40 questions); ",
}
BETWEEN = "{} lies within the interval: it is neither shown to be reached nor shown to be missed"


@pytest.mark.parametrize(
    ("found", "bound", "how", "status", "decision", "labels", "p"),
    [
        ("whole", 50, {}, "pass", "at least 50, as required", 60, "0.001"),
        ("whole", 50, {"strict": True}, "pass", "at least 50, as required", 60, "0.001"),
        ("whole", 76, {}, "unsure", BETWEEN.format(76), 60, "0.445"),
        ("whole", 76, {"strict": True}, "fail", BETWEEN.format(76), 60, "0.445"),
        ("whole", 95, {}, "fail", "below 95 in the whole interval", 60, "0.004"),
        ("KR", 80, {}, "fail", "below 80 in the whole interval", 30, "0.011"),
        (
            *("KR+ko", 70, {"part": ["a part", "another"]}),
            *("unsure", f"{BETWEEN.format(70)}; a part; another", 20, "0.070"),
        ),
        ("ET", 80, {}, "pass", "at least 80, as required", 30, "1.000"),
        ("ET", 80, {"strict": True}, "fail", "at least 80, as required", 30, "1.000"),
        (
            *("lost", 50, {}),
            *("fail", "75 % of the items got a reply, less than 95 %: too few to decide on", 60, "1.000"),
        ),
        ("lost", 50, {"coverage": 75}, "pass", "at least 50, as required", 60, "1.000"),
    ],
)
def test_what_verdicts_decide(
    found: str, bound: float, how: dict[str, Any], status: str, decision: str, labels: int, p: str
) -> None:
    """In a strict gate both tests have to pass."""
    table = verdicts(state="failed") if found == "lost" else verdicts(wrong=20)
    group = None if found in ("whole", "lost") else found
    message = f"{FOUND[found]}{decision} ({labels} labels; noisy-but-valid p = {p})"
    if (found, status) == ("ET", "fail"):
        message += "; that test does not bear it out: label more, or take a better judge"
    assert told(table, Minimum(TASK, group, bound), **how) == [(status, message)]


def test_without_labels_on_two_questions_nothing_is_found() -> None:
    table = verdicts().filter(pl.col("culture") == "KR")
    one = table.with_columns(label=pl.when(pl.col("item") == "KR/0").then("label"))
    nothing = "found nothing: 1 label is too few to correct by, on fewer than two questions"
    assert told(one, Minimum(TASK, None, 50)) == [("fail", nothing)]
    other = table.with_columns(endpoint=pl.lit("n"), label=pl.lit(None, dtype=pl.Float64))
    with pytest.raises(FolkwaysError, match="no labels of n on demo/saq: labels of another model"):
        list(check_judged(pl.concat([table, other]), Minimum(TASK, None, 50), "correct", ["m", "n"]))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"label": pl.lit(None)}, "has no labels of people; write it with folkways judge-by-model --labels"),
        ({"judge": pl.col("culture")}, "has verdicts of 2 judges (KR, ET); a gate decides by one"),
        ({"task": None}, "lacks the column 'task'; give what folkways judge-by-model --out wrote"),
    ],
)
def test_files_that_cannot_decide(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    table = verdicts().select(NEEDED)
    table.write_csv(tmp_path / "good.csv")
    read = read_verdicts(tmp_path / "good.csv")
    numbers = dict.fromkeys(("lexical", "verdict", "label"), pl.Float64)
    assert read.equals(table.cast(numbers)) and dict(read.schema).items() >= numbers.items()
    named = {name: one for name, one in change.items() if one is not None}
    changed = table.with_columns(**named).drop(name for name, one in change.items() if one is None)
    changed.write_csv(tmp_path / "bad.csv")
    with pytest.raises(DataError) as error:
        read_verdicts(tmp_path / "bad.csv")
    assert told in str(error.value)
