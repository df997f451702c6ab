"""What a judging by a model comes to: shares, agreement with the rule, and the rate corrected by people's
labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.summary import interval_of_mean
from folkways.records import Metric, Schema, without_nan
from folkways.runs.judging.calibrated import Cases, Finding, numbers, youden_of
from folkways.stats.differences import METHOD
from folkways.stats.intervals import Interval, wilson
from folkways.stats.raters.calibration import CorrectedRate, rogan_gladen
from folkways.stats.raters.categories import BinaryAgreement, cohen_kappa

SUMMARY: Schema = {
    **dict.fromkeys(("task", "endpoint", "judge"), pl.String),
    # the model, or judge, that the quantity is a difference to or disagreement with; null for none
    "against": pl.String,
    "facet": pl.String,  # all, culture, language
    "value": pl.String,
    "quantity": pl.String,  # a key of QUANTITIES
    **dict.fromkeys(("estimate", "low", "high"), pl.Float64),
    "p_holm": pl.Float64,  # of differences: two-sided, corrected for the pairs
    "interval": pl.String,
    "n": pl.Int64,  # rows that it rests on
    "questions": pl.Int64,
    "self_judged": pl.Boolean,  # the judge wrote the replies itself; null where models or judges are compared
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
    "corrected": "share that people would call right, in percent: prediction-powered inference, culture by "
    "culture",
    "corrected_rogan_gladen": "the same by sensitivity and specificity (Rogan and Gladen)",
    "sensitivity": "of the replies that people call right, the share that the judge calls right, in percent",
    "specificity": "of the replies that people call wrong, the share that the judge calls wrong, in percent",
    "youden": "Youden's J: sensitivity plus specificity less 1, from 0 (no better than chance) to 1",
    "kappa_judge_people": "Cohen's kappa of judge and people",
    "kappa_lexical_people": "Cohen's kappa of rule and people",
    "judged_difference": "points that the judge puts the model above the other, uncorrected",
    "corrected_difference": "points that people would put the model above the other, each corrected by its "
    "own labels",
    "youden_difference": "the judge's J for the model less that for the other",
    "corrected_at_any_time": "`corrected` with an interval that may be looked at after every label",
    "disagreement": "replies, in percent, on which the judge and the other judge differ",
    "kappa_judges": "Cohen's kappa of the judge and the other judge",
    "turned": "replies, in percent, on which the verdict turns round if the answers stand in reverse order",
    "first_preferred": "of replies for which the two orders bring different answers, the percentage with "
    "the earlier in each",
    "self_preference": "points by which the judge is kinder to its own, or its family's, replies than to "
    "others', by people",
    "self_preference_by_judges": "the same by the verdicts of the other judges",
}
"""What each quantity of a summary is. A label of 0.5 is half right; what needs a yes or no leaves such labels
out, and Rogan and Gladen's correction is not made where there are any."""

Row = dict[str, object]
Bools = npt.NDArray[np.bool_]
_FACETS = ("culture", "language")
_PROPORTION = Metric("judged", "Judged right", "")


def summarise(verdicts: pl.DataFrame, metric: Metric, signature: str, *, self_judged: bool) -> pl.DataFrame:
    """SUMMARY of the verdicts (model_judging.VERDICTS) on one endpoint's replies to one task; ``metric`` is
    the rule's headline."""
    if verdicts.is_empty():
        return pl.DataFrame(schema=dict(SUMMARY))
    head = verdicts.row(0, named=True)
    groups = [("all", "all", verdicts)]
    for facet in _FACETS:
        groups += [
            (facet, str(value), part) for (value,), part in verdicts.group_by([facet], maintain_order=True)
        ]
    shared = {name: head[name] for name in ("task", "endpoint", "judge")} | {
        "self_judged": self_judged,
        "signature": signature,
    }
    rows = [
        {**shared, "facet": facet, "value": value, **row}
        for facet, value, part in groups
        for row in (*_shares(part, metric), *_against_rule(part), *_against_people(part))
    ]
    return without_nan(pl.DataFrame(rows, schema=dict(SUMMARY)))


def summarise_findings(
    findings: Sequence[Finding], task: str, signatures: Mapping[tuple[str, str], str]
) -> pl.DataFrame:
    """SUMMARY of what was found on models or judges compared. signatures: of each task and endpoint."""
    rows = [
        {
            **{"task": task, "endpoint": found.endpoint, "judge": found.judge, "against": found.against},
            **{
                "facet": found.facet,
                "value": found.value,
                "quantity": found.quantity,
                "estimate": found.estimate,
            },
            **{
                "low": found.interval.low,
                "high": found.interval.high,
                "interval": found.interval.method,
                "p_holm": found.p,
            },
            **{"n": found.n, "questions": found.questions, "signature": signatures[task, found.endpoint]},
        }
        for found in findings
    ]
    return without_nan(pl.DataFrame(rows, schema=dict(SUMMARY)))


def _shares(part: pl.DataFrame, metric: Metric) -> Iterator[Row]:
    yield _mean("lexical", part, "lexical", metric)
    decided = part.filter(pl.col("verdict").is_not_null())
    yield _mean("judged", decided, "verdict", _PROPORTION)
    undecided = part.height - decided.height
    yield _count("undecided", undecided, part)
    if undecided:
        yield _mean(
            "judged_at_worst", part.with_columns(pl.col("verdict").fill_null(0.0)), "verdict", _PROPORTION
        )
        yield _mean(
            "judged_at_best", part.with_columns(pl.col("verdict").fill_null(1.0)), "verdict", _PROPORTION
        )


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
    labelled = part.filter(pl.col("label").is_not_null())
    if labelled.is_empty():
        return
    yield _count("labelled", labelled.height, labelled)
    yield _corrected("corrected", Cases.of(part).corrected(), part)
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
    if youden := youden_of(part):
        index = youden.index
        yield _row("youden", index.difference, Interval(index.low, index.high, METHOD), firm)
    if firm.height:
        for quantity, judge in (("kappa_judge_people", "verdict"), ("kappa_lexical_people", "lexical")):
            kappa = _kappa(firm, judge, "label")
            yield _row(quantity, kappa.kappa, kappa.interval, firm)


def _kappa(frame: pl.DataFrame, first: str, second: str) -> BinaryAgreement:
    one, other = ((frame[name] >= 0.5).to_numpy() for name in (first, second))
    return cohen_kappa(one, other, numbers(frame["question"]))


def _mean(quantity: str, frame: pl.DataFrame, column: str, metric: Metric) -> Row:
    values = frame[column].cast(pl.Float64).to_numpy()
    if values.size == 0:
        return _row(quantity, math.nan, Interval(0.0, 1.0, "none"), frame, 100.0)
    return _row(
        quantity,
        float(values.mean()),
        interval_of_mean(values, numbers(frame["question"]), metric),
        frame,
        100.0,
    )


def _corrected(quantity: str, found: CorrectedRate, part: pl.DataFrame, replied: float = 1.0) -> Row:
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
