"""What a judging by a model comes to: shares, agreement with the rule, and the rate corrected by people's labels."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.summary import interval_of_mean
from folkways.records import Metric, Schema, without_nan
from folkways.stats.intervals import Interval, wilson
from folkways.stats.raters.calibration import Corrected, prediction_powered, rogan_gladen
from folkways.stats.raters.kappa import Agreement, cohen_kappa

SUMMARY: Schema = {
    "task": pl.String,
    "endpoint": pl.String,
    "facet": pl.String,  # all, culture, language
    "value": pl.String,
    "quantity": pl.String,  # a key of QUANTITIES
    "estimate": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "interval": pl.String,
    "n": pl.Int64,  # rows that it rests on
    "questions": pl.Int64,
    "self_judged": pl.Boolean,  # the judge wrote the replies itself
    "signature": pl.String,
}

QUANTITIES = {
    "lexical": "share of counted items that the rule calls right, in percent: the run's score",
    "judged": "share that the judge calls right, in percent, of the items that have a verdict or no reply",
    "judged_at_worst": "that share of all counted items if every missing verdict were 'wrong'",
    "judged_at_best": "that share of all counted items if every missing verdict were 'right'",
    "undecided": "items with a reply and without a readable verdict",
    "agreement": "share of judged replies on which judge and rule agree, in percent",
    "kappa": "Cohen's kappa of judge and rule",
    "both_right": "judged replies that judge and rule call right",
    "only_judge": "judged replies that only the judge calls right",
    "only_lexical": "judged replies that only the rule calls right",
    "both_wrong": "judged replies that judge and rule call wrong",
    "labelled": "replies that people judged",
    "corrected": "share that people would call right, in percent: prediction-powered inference from verdicts and labels",
    "corrected_rogan_gladen": "the same by sensitivity and specificity (Rogan and Gladen)",
    "sensitivity": "of the replies that people call right, the share that the judge calls right, in percent",
    "specificity": "of the replies that people call wrong, the share that the judge calls wrong, in percent",
    "kappa_judge_people": "Cohen's kappa of judge and people",
    "kappa_lexical_people": "Cohen's kappa of rule and people",
}
"""What each quantity of a summary is. A label of 0.5 is half right; what needs a yes or no leaves such labels out, and Rogan and
Gladen's correction is not made where there are any."""

Row = dict[str, object]
Bools = npt.NDArray[np.bool_]
_FACETS = ("culture", "language")
_PROPORTION = Metric("judged", "Judged right", "")


def summarise(verdicts: pl.DataFrame, metric: Metric, signature: str, *, self_judged: bool) -> pl.DataFrame:
    """SUMMARY of the verdicts (model_judging.VERDICTS) on one endpoint's replies to one task; ``metric`` is the rule's headline."""
    if verdicts.is_empty():
        return pl.DataFrame(schema=dict(SUMMARY))
    head = verdicts.row(0, named=True)
    groups = [("all", "all", verdicts)]
    for facet in _FACETS:
        groups += [(facet, str(value), part) for (value,), part in verdicts.group_by([facet], maintain_order=True)]
    rows = [
        {
            "task": head["task"],
            "endpoint": head["endpoint"],
            "facet": facet,
            "value": value,
            "self_judged": self_judged,
            "signature": signature,
            **row,
        }
        for facet, value, part in groups
        for row in (*_shares(part, metric), *_against_rule(part), *_against_people(part))
    ]
    return without_nan(pl.DataFrame(rows, schema=dict(SUMMARY)))


def _shares(part: pl.DataFrame, metric: Metric) -> Iterator[Row]:
    yield _mean("lexical", part, "lexical", metric)
    decided = part.filter(pl.col("verdict").is_not_null())
    yield _mean("judged", decided, "verdict", _PROPORTION)
    undecided = part.height - decided.height
    yield _count("undecided", undecided, part)
    if undecided:
        yield _mean("judged_at_worst", part.with_columns(pl.col("verdict").fill_null(0.0)), "verdict", _PROPORTION)
        yield _mean("judged_at_best", part.with_columns(pl.col("verdict").fill_null(1.0)), "verdict", _PROPORTION)


def _against_rule(part: pl.DataFrame) -> Iterator[Row]:
    """On replies alone: where there is none the two agree without having judged anything."""
    judged = part.filter(pl.col("ended") == "judged")
    if judged.is_empty():
        return
    found = _kappa(judged, "verdict", "lexical")
    agree = judged.with_columns(_agree=(pl.col("verdict") == pl.col("lexical")).cast(pl.Float64))
    yield _mean("agreement", agree, "_agree", _PROPORTION)
    yield _row("kappa", found.kappa, found.interval, judged)
    yield _count("both_right", found.both, judged)
    yield _count("only_judge", found.first_only, judged)
    yield _count("only_lexical", found.second_only, judged)
    yield _count("both_wrong", found.neither, judged)


def _against_people(part: pl.DataFrame) -> Iterator[Row]:
    """The correction takes the rule's verdict where the judge gave none: any guess will do, for labels correct it."""
    labelled = part.filter(pl.col("label").is_not_null())
    if labelled.is_empty():
        return
    yield _count("labelled", labelled.height, labelled)
    guesses = pl.when(pl.col("ended") != "no reply").then(pl.coalesce("verdict", "lexical"))
    columns = part.select(guess=guesses, label="label").cast(pl.Float64)
    verdicts, labels = (columns[name].fill_null(math.nan).to_numpy() for name in ("guess", "label"))
    yield _corrected("corrected", prediction_powered(verdicts, labels, _numbers(part)), part)
    firm = labelled.filter(pl.col("label").is_in([0.0, 1.0]), pl.col("ended") == "judged")
    right, wrong = firm.filter(pl.col("label") == 1), firm.filter(pl.col("label") == 0)
    hits, rejections = int(right["verdict"].sum()), wrong.height - int(wrong["verdict"].sum())
    if firm.height == labelled.height:
        judged = part.filter(pl.col("ended") == "judged")
        found = rogan_gladen(
            int(judged["verdict"].sum()),
            judged.height,
            true_positive=hits,
            labelled_positive=right.height,
            true_negative=rejections,
            labelled_negative=wrong.height,
        )
        replied = part.filter(pl.col("ended") != "no reply").height / part.height
        yield _corrected("corrected_rogan_gladen", found, part, replied)
    if right.height:
        yield _row("sensitivity", hits / right.height, wilson(hits, right.height), right, 100.0)
    if wrong.height:
        yield _row("specificity", rejections / wrong.height, wilson(rejections, wrong.height), wrong, 100.0)
    if firm.height:
        for quantity, judge in (("kappa_judge_people", "verdict"), ("kappa_lexical_people", "lexical")):
            kappa = _kappa(firm, judge, "label")
            yield _row(quantity, kappa.kappa, kappa.interval, firm)


def _kappa(frame: pl.DataFrame, first: str, second: str) -> Agreement:
    one, other = ((frame[name] >= 0.5).to_numpy() for name in (first, second))
    return cohen_kappa(one, other, _numbers(frame))


def _numbers(frame: pl.DataFrame) -> npt.NDArray[np.int64]:
    """A number for each question."""
    return frame["question"].rank("dense").cast(pl.Int64).to_numpy()


def _mean(quantity: str, frame: pl.DataFrame, column: str, metric: Metric) -> Row:
    values = frame[column].cast(pl.Float64).to_numpy()
    if values.size == 0:
        return _row(quantity, math.nan, Interval(0.0, 1.0, "none"), frame, 100.0)
    return _row(quantity, float(values.mean()), interval_of_mean(values, _numbers(frame), metric), frame, 100.0)


def _corrected(quantity: str, found: Corrected, part: pl.DataFrame, replied: float = 1.0) -> Row:
    return _row(quantity, found.rate, found.interval, part, 100.0 * replied)


def _count(quantity: str, count: int, frame: pl.DataFrame) -> Row:
    return _row(quantity, float(count), Interval(math.nan, math.nan, "none"), frame)


def _row(quantity: str, estimate: float, interval: Interval, frame: pl.DataFrame, scale: float = 1.0) -> Row:
    return {
        "quantity": quantity,
        "estimate": estimate * scale,
        "low": interval.low * scale,
        "high": interval.high * scale,
        "interval": interval.method,
        "n": frame.height,
        "questions": frame["question"].n_unique(),
    }
