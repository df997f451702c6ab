"""What a judging by models comes to: shares, agreement with the rule and with people, and what sways a
judge."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl

from folkways.benchmarks.summary import interval_of_mean
from folkways.records import Metric, Schema, without_nan
from folkways.runs.judging.calibration import Cases, Finding, numbers, youden_of
from folkways.runs.models import Model, split_name
from folkways.stats.clusters import ClusteredMean, clustered_mean
from folkways.stats.differences import METHOD
from folkways.stats.intervals import Interval, wilson
from folkways.stats.raters.calibration import CorrectedRate, rogan_gladen
from folkways.stats.raters.kappa import BinaryAgreement, cohen_kappa

KEYS = ("endpoint", "item", "language", "variant", "sample")
_SHARE_METRIC = Metric("share", "Share", "")


def is_same(identity: str, judge: Model) -> bool:
    """Whether the judge wrote the replies of the model with this identity; other settings make it no other
    model."""
    return split_name(identity)[0] == judge.endpoint.identity


def family(name: str) -> str:
    """What models of one family have in common: the first letters of the name without its provider (``gpt``
    of ``openai/gpt-4o-mini``). Only names are compared; families with several names are not recognised."""
    last = re.split(r"[/#]", split_name(name)[0])[-1]
    match = re.match(r"[^\W\d_]+", last)
    return match.group().casefold() if match else last


def compare_judges(
    frames: Sequence[pl.DataFrame], judges: Sequence[Model], identities: Mapping[str, str]
) -> list[Finding]:
    """All findings on one task.

    frames: VERDICTS, one frame for each of the ``judges``. identities: endpoint -> its identity.
    """
    findings: list[Finding] = []
    for verdicts, judge in zip(frames, judges, strict=True):
        for (endpoint,), part in verdicts.group_by(["endpoint"], maintain_order=True):
            findings += _order(part, str(endpoint), judge.name)
        others = [frame for frame in frames if frame is not verdicts]
        related = {
            name
            for name, identity in identities.items()
            if is_same(identity, judge) or family(name) == family(judge.name)
        }
        findings += _self_preference(verdicts, others, judge.name, related)
    for (first, one), (second, other) in combinations(zip(frames, judges, strict=True), 2):
        findings += _disagreement(first, second, one.name, other.name)
    return findings


def _order(part: pl.DataFrame, endpoint: str, judge: str) -> Iterator[Finding]:
    both = part.filter(pl.col("swapped").is_not_null())
    if both.is_empty():
        return
    yield _share("turned", both, pl.col("verdict") != pl.col("swapped"), endpoint, judge, None)
    differing = both.filter(
        pl.col("group") > 0, pl.col("swapped_group") > 0, pl.col("group") != pl.col("swapped_group")
    )
    if differing.height:
        yield _share(
            "first_preferred", differing, pl.col("group") < pl.col("swapped_group"), endpoint, judge, None
        )


def _disagreement(first: pl.DataFrame, second: pl.DataFrame, judge: str, against: str) -> Iterator[Finding]:
    columns = [*KEYS, "question", "culture", "verdict"]
    judged = pl.col("ended") == "judged"
    both = (
        first.filter(judged)
        .select(columns)
        .join(second.filter(judged).select(*KEYS, other="verdict"), on=KEYS)
    )
    for (endpoint,), part in both.group_by(["endpoint"], maintain_order=True):
        yield _share(
            "disagreement", part, pl.col("verdict") != pl.col("other"), str(endpoint), judge, against
        )
        one, other = ((part[name] >= 0.5).to_numpy() for name in ("verdict", "other"))
        kappa = cohen_kappa(one, other, numbers(part["question"]))
        size = (part.height, part["question"].n_unique())
        yield Finding(str(endpoint), judge, against, "kappa_judges", kappa.kappa, kappa.interval, *size)
        for (culture,), rows in part.group_by(["culture"], maintain_order=True):
            yield _share(
                "disagreement",
                rows,
                pl.col("verdict") != pl.col("other"),
                str(endpoint),
                judge,
                against,
                str(culture),
            )


def _share(
    quantity: str,
    frame: pl.DataFrame,
    of: pl.Expr,
    endpoint: str,
    judge: str,
    against: str | None,
    culture: str | None = None,
) -> Finding:
    values = frame.select(of.cast(pl.Float64).alias("value"))["value"].to_numpy()
    interval = interval_of_mean(values, numbers(frame["question"]), _SHARE_METRIC)
    percent = Interval(100 * interval.low, 100 * interval.high, interval.method)
    size = (frame.height, frame["question"].n_unique())
    finding = Finding(endpoint, judge, against, quantity, 100 * float(values.mean()), percent, *size)
    return replace(finding, facet="culture", value=culture) if culture else finding


def _self_preference(
    verdicts: pl.DataFrame, others: Sequence[pl.DataFrame], judge: str, related: set[str]
) -> Iterator[Finding]:
    """How much more often than people, or other judges, the judge calls replies of ``own`` models right than
    those of others."""
    judged = verdicts.filter(pl.col("ended") == "judged")
    references = {
        "self_preference": judged.filter(pl.col("label").is_not_null()).with_columns(reference="label")
    }
    if others:
        means = (
            pl.concat(others)
            .filter(pl.col("ended") == "judged")
            .group_by(KEYS)
            .agg(reference=pl.col("verdict").mean())
        )
        references["self_preference_by_judges"] = judged.join(means, on=KEYS, maintain_order="left")
    for quantity, frame in references.items():
        rest = frame.filter(~pl.col("endpoint").is_in([*related]))
        for name in sorted(related):
            mine = frame.filter(pl.col("endpoint") == name)
            if mine.is_empty() or rest.is_empty():
                continue
            one, other = _excess(mine), _excess(rest)
            low, high = one.interval(), other.interval()
            difference = one.mean - other.mean
            interval = Interval(
                100 * (difference - math.hypot(one.mean - low.low, high.high - other.mean)),
                100 * (difference + math.hypot(low.high - one.mean, other.mean - high.low)),
                "wilson 95% put together",
            )
            questions = pl.concat([mine["question"], rest["question"]]).n_unique()
            yield Finding(
                name, judge, None, quantity, 100 * difference, interval, mine.height + rest.height, questions
            )


def _excess(frame: pl.DataFrame) -> ClusteredMean:
    values = (frame["verdict"] - frame["reference"]).to_numpy()
    codes = numbers(frame["question"])
    sums, counts = (
        np.bincount(codes, weights=each).astype(np.float64) for each in (values, np.ones(values.size))
    )
    return clustered_mean(sums, counts, float(values @ values), (-1.0, 1.0))


def judges_notes(findings: Sequence[Finding]) -> Iterator[str]:
    """What to know of these findings before using the verdicts."""
    for one in findings:
        if one.quantity == "turned" and one.interval.low > WORTH_SAYING:
            yield (
                f"the order of the answers sways {one.judge}: {one.estimate:.0f} % of its verdicts on "
                f"{one.endpoint} turn round"
            )
        if one.quantity.startswith("self_preference") and one.interval.low > 0:
            by = "people's labels" if one.quantity == "self_preference" else "the other judges"
            yield (
                f"{one.judge} is kinder to {one.endpoint} than to other models by {one.estimate:.0f} "
                f"points, measured by {by}"
            )
    cultures = [one for one in findings if one.quantity == "disagreement" and one.facet == "culture"]
    for whole in (one for one in findings if one.quantity == "disagreement" and one.facet == "all"):
        by_culture = [
            one
            for one in cultures
            if (one.endpoint, one.judge, one.against) == (whole.endpoint, whole.judge, whole.against)
        ]
        most = max(by_culture, key=lambda one: one.interval.low, default=None)
        if most is not None and most.interval.low > whole.estimate:
            yield (
                f"{whole.judge} and {whole.against} differ on {most.estimate:.0f} % of the replies of "
                f"{whole.endpoint} in {most.value}, on {whole.estimate:.0f} % overall: label more there"
            )


WORTH_SAYING = 1.0
"""Percent of verdicts turned round that the interval has to lie above before it is said."""


SUMMARY: Schema = {
    **dict.fromkeys(("task", "endpoint", "judge"), pl.String),
    # the model, or judge, that the quantity is a difference to or disagreement with; null for none
    "against": pl.String,
    "facet": pl.String,  # all, culture, language
    "value": pl.String,
    "quantity": pl.String,  # docs/reference/model-judge.md says what each is
    **dict.fromkeys(("estimate", "low", "high"), pl.Float64),
    "p_holm": pl.Float64,  # of differences: two-sided, corrected for the pairs
    "interval": pl.String,
    "n": pl.Int64,  # rows that it rests on
    "questions": pl.Int64,
    "self_judged": pl.Boolean,  # the judge wrote the replies itself; null where models or judges are compared
    "signature": pl.String,
}

Row = dict[str, object]
_FACETS = ("culture", "language")
_PROPORTION = Metric("judged", "Judged right", "")


def summarise(verdicts: pl.DataFrame, metric: Metric, signature: str, *, self_judged: bool) -> pl.DataFrame:
    """SUMMARY of the ``verdicts`` (VERDICTS) on one endpoint's replies to one task.

    metric: the rule's headline. signature: of the rows, as text. self_judged: the judge wrote the replies.
    """
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
            **{
                "task": task,
                "endpoint": finding.endpoint,
                "judge": finding.judge,
                "against": finding.against,
            },
            **{
                "facet": finding.facet,
                "value": finding.value,
                "quantity": finding.quantity,
                "estimate": finding.estimate,
            },
            **{
                "low": finding.interval.low,
                "high": finding.interval.high,
                "interval": finding.interval.method,
                "p_holm": finding.p,
            },
            **{
                "n": finding.n,
                "questions": finding.questions,
                "signature": signatures[task, finding.endpoint],
            },
        }
        for finding in findings
    ]
    return without_nan(pl.DataFrame(rows, schema=dict(SUMMARY)))


def _shares(part: pl.DataFrame, metric: Metric) -> Iterator[Row]:
    yield _mean("lexical", part, "lexical", metric)
    decided = part.filter(pl.col("verdict").is_not_null())
    if decided.height:
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
    agreement = _kappa(judged, "verdict", "lexical")
    agree = judged.with_columns(_agree=(pl.col("verdict") == pl.col("lexical")).cast(pl.Float64))
    yield _mean("agreement", agree, "_agree", _PROPORTION)
    yield _row("kappa", agreement.kappa, agreement.interval, judged)
    yield _count("both_right", agreement.both, judged)
    yield _count("only_judge", agreement.first_only, judged)
    yield _count("only_lexical", agreement.second_only, judged)
    yield _count("both_wrong", agreement.neither, judged)


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
        corrected = rogan_gladen(
            int(judged["verdict"].sum()),
            judged.height,
            true_positive=hits,
            labelled_positive=right.height,
            true_negative=rejections,
            labelled_negative=wrong.height,
        )
        replied = part.filter(pl.col("ended") != "no reply").height / part.height
        yield _corrected("corrected_rogan_gladen", corrected, part, replied)
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
