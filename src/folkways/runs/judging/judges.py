"""What sways a judge: where judges differ, whether the order of the answers matters, whether a judge is
kinder to its own kind."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl

from folkways.benchmarks.summary import interval_of_mean
from folkways.records import Metric
from folkways.runs.judging.calibrated import Finding, numbers
from folkways.runs.models import Model, split_name
from folkways.stats.clusters import ClusteredMean, clustered_mean
from folkways.stats.intervals import Interval
from folkways.stats.raters.categories import cohen_kappa

KEYS = ("endpoint", "item", "language", "variant", "sample")
_SHARE = Metric("share", "Share", "")


def is_same(identity: str, judge: Model) -> bool:
    """Whether the judge wrote the replies of the model with this identity; other settings make it no other
    model."""
    return split_name(identity)[0] == judge.endpoint.identity


def family(name: str) -> str:
    """What models of one family have in common: the letters that the name begins with behind its provider
    (``gpt`` of ``openai/gpt-4o-mini``). Names are all that is known; families with several names are not
    recognised.
    """
    last = re.split(r"[/#]", split_name(name)[0])[-1]
    found = re.match(r"[^\W\d_]+", last)
    return found.group().casefold() if found else last


def compare_judges(
    frames: Sequence[pl.DataFrame], judges: Sequence[Model], identities: Mapping[str, str]
) -> list[Finding]:
    """All findings on one task, of which each judge gave the verdicts (VERDICTS) of one frame. identities: of
    each endpoint."""
    found: list[Finding] = []
    for verdicts, judge in zip(frames, judges, strict=True):
        for (endpoint,), part in verdicts.group_by(["endpoint"], maintain_order=True):
            found += _order(part, str(endpoint), judge.name)
        others = [frame for frame in frames if frame is not verdicts]
        own = {
            name
            for name, identity in identities.items()
            if is_same(identity, judge) or family(name) == family(judge.name)
        }
        found += _self_preference(verdicts, others, judge.name, own)
    for (first, one), (second, other) in combinations(zip(frames, judges, strict=True), 2):
        found += _disagreement(first, second, one.name, other.name)
    return found


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
    interval = interval_of_mean(values, numbers(frame["question"]), _SHARE)
    percent = Interval(100 * interval.low, 100 * interval.high, interval.method)
    size = (frame.height, frame["question"].n_unique())
    found = Finding(endpoint, judge, against, quantity, 100 * float(values.mean()), percent, *size)
    return replace(found, facet="culture", value=culture) if culture else found


def _self_preference(
    verdicts: pl.DataFrame, others: Sequence[pl.DataFrame], judge: str, own: set[str]
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
        rest = frame.filter(~pl.col("endpoint").is_in([*own]))
        for name in sorted(own):
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


def judges_notes(found: Sequence[Finding]) -> Iterator[str]:
    """What a person has to be told of these findings."""
    for one in found:
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
    cultures = [one for one in found if one.quantity == "disagreement" and one.facet == "culture"]
    for whole in (one for one in found if one.quantity == "disagreement" and one.facet == "all"):
        own = [
            one
            for one in cultures
            if (one.endpoint, one.judge, one.against) == (whole.endpoint, whole.judge, whole.against)
        ]
        most = max(own, key=lambda one: one.interval.low, default=None)
        if most is not None and most.interval.low > whole.estimate:
            yield (
                f"{whole.judge} and {whole.against} differ on {most.estimate:.0f} % of the replies of "
                f"{whole.endpoint} in "
                f"{most.value}, on {whole.estimate:.0f} % overall: label more there"
            )


WORTH_SAYING = 1.0
"""Percent of verdicts turned round that the interval has to lie above before it is said."""
