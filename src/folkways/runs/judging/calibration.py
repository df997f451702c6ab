"""The rate that people would have found: a judge's verdicts corrected by labels, whether labels are enough,
and which replies to label next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.records import Schema
from folkways.stats.differences import METHOD
from folkways.stats.hypotheses.corrections import holm
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval
from folkways.stats.raters.calibration import CorrectedRate, prediction_powered
from folkways.stats.raters.judge_quality import Youden, youden_difference, youden_index
from folkways.stats.raters.stratified_calibration import (
    FEWEST,
    PPIEstimate,
    allocate,
    errors_to_expect,
    ppi_difference,
    stratified_ppi,
)
from folkways.stats.sequences import at_any_time

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cases:
    """One model's replies, one entry each: the judge's verdict (the rule's where it gave none: any guess will
    do, for labels correct it; NaN without a reply), people's label or NaN, and numbers of culture and
    question.
    """

    verdicts: Floats
    labels: Floats
    cultures: Integers
    questions: Integers

    @classmethod
    def of(cls, part: pl.DataFrame) -> Cases:
        """From rows of model_judging.VERDICTS."""
        guesses = pl.when(pl.col("ended") != "no reply").then(pl.coalesce("verdict", "lexical"))
        columns = part.select(guess=guesses, label="label").cast(pl.Float64)
        verdicts, labels = (columns[name].fill_null(math.nan).to_numpy() for name in ("guess", "label"))
        return cls(verdicts, labels, numbers(part["culture"]), numbers(part["question"]))

    def corrected(self) -> CorrectedRate:
        """By strata where there are several cultures."""
        if np.unique(self.cultures).size > 1:
            return self.powered().corrected
        return prediction_powered(self.verdicts, self.labels, self.questions)

    def powered(self) -> PPIEstimate:
        """The same with what differences are made of."""
        return stratified_ppi(self.verdicts, self.labels, self.cultures, self.questions)


def numbers(names: pl.Series) -> Integers:
    """A number from 0 for each name, in alphabetical order."""
    of_rows = names.to_list()
    order = {name: number for number, name in enumerate(sorted(set(of_rows)))}
    return np.array([order[name] for name in of_rows], dtype=np.int64)


def youden_of(part: pl.DataFrame) -> Youden | None:
    """The judge's J on the labelled replies of ``part`` that it gave a verdict on; half-right labels say
    nothing here."""
    firm = part.filter(pl.col("label").is_in([0.0, 1.0]), pl.col("ended") == "judged")
    return youden_index(firm["verdict"].to_numpy(), firm["label"].to_numpy(), numbers(firm["question"]))


@dataclass(frozen=True, slots=True)
class Finding:
    """A row of model_summary.SUMMARY that compares models or judges, in the quantity's unit; p NaN for
    none."""

    endpoint: str
    judge: str
    against: str | None
    quantity: str
    estimate: float
    interval: Interval
    n: int
    questions: int
    p: float = math.nan
    facet: str = "all"
    value: str = "all"


def differences(verdicts: pl.DataFrame, judge: str) -> list[Finding]:
    """Each pair of labelled models of one task (rows of VERDICTS of one judge): what they differ by by the
    judge, corrected by people, and in the judge's J. p: two-sided, Holm's over the pairs of models.
    """
    shared = verdicts.with_columns(_question=pl.Series(numbers(verdicts["question"])))
    parts = shared.filter(pl.col("label").is_not_null().any().over("endpoint")).group_by(
        ["endpoint"], maintain_order=True
    )
    pairs = [*combinations([_Model(str(name), part) for (name,), part in parts], 2)]
    nothing = Interval(math.nan, math.nan, "none")
    finding = partial(_difference, judge)
    judged = [
        finding(pair, "judged_difference", pair[0].judged - pair[1].judged, nothing, math.nan)
        for pair in pairs
    ]
    people = [
        finding(pair, "corrected_difference", *ppi_difference(pair[0].powered, pair[1].powered))
        for pair in pairs
    ]
    youdens = []
    for pair in pairs:
        if pair[0].youden and pair[1].youden:
            apart = youden_difference(pair[0].youden, pair[1].youden)
            interval = Interval(apart.low, apart.high, METHOD)
            youdens.append(finding(pair, "youden_difference", apart.difference, interval, apart.p))
    return [*judged, *_with_holm(people), *_with_holm(youdens)]


class _Model:
    """What a pair needs of either model."""

    def __init__(self, name: str, part: pl.DataFrame) -> None:
        cases = Cases.of(part)
        self.name = name
        self.part = part
        self.judged = float(np.nan_to_num(cases.verdicts).mean())
        self.powered = stratified_ppi(
            cases.verdicts, cases.labels, cases.cultures, part["_question"].to_numpy()
        )
        self.youden = youden_of(part)


def _difference(
    judge: str, pair: tuple[_Model, _Model], quantity: str, share: float, interval: Interval, p: float
) -> Finding:
    """By how much the first of two models lies above the second, in points; J has none."""
    first, second = pair
    scale = 1.0 if quantity == "youden_difference" else 100.0
    points = Interval(scale * interval.low, scale * interval.high, interval.method)
    questions = pl.concat([first.part["question"], second.part["question"]]).n_unique()
    rows = first.part.height + second.part.height
    return Finding(first.name, judge, second.name, quantity, scale * share, points, rows, questions, p)


def _with_holm(gaps: Sequence[Finding]) -> list[Finding]:
    return [replace(gap, p=p) for gap, p in zip(gaps, holm([gap.p for gap in gaps]), strict=True)]


def calibration_notes(verdicts: pl.DataFrame, gaps: Sequence[Finding]) -> Iterator[str]:
    """What a person should know about labels that are missing or few, and judges that are differently good,
    of one task.

    gaps: ``differences`` of the same verdicts.
    """
    parts = {str(name): part for (name,), part in verdicts.group_by(["endpoint"], maintain_order=True)}
    bare = [name for name, part in parts.items() if part["label"].is_null().all()]
    if len(bare) == len(parts):
        return
    if bare:
        yield (
            f"no labels of {', '.join(bare)}: not corrected; labels of other models are not used for it, "
            "because the judge may err differently there (--label-next lists replies to label)"
        )
    for name, part in parts.items():
        cultures = sorted(set(part["culture"]))
        joined = Cases.of(part).powered().joined if name not in bare and len(cultures) > 1 else ()
        if joined:
            few = [cultures[index] for index in joined]
            shown = ", ".join(few[:MOST_NAMED]) + (
                f" and {len(few) - MOST_NAMED} more" if len(few) > MOST_NAMED else ""
            )
            yield (
                f"fewer than {FEWEST} labels of {name} in {shown}: corrected together, as if the judge "
                "erred alike there"
            )
    judged = {
        (gap.endpoint, gap.against): gap.estimate for gap in gaps if gap.quantity == "judged_difference"
    }
    for gap in gaps:
        if gap.interval.low <= 0 <= gap.interval.high or math.isnan(gap.interval.low):
            continue
        better, worse = (gap.endpoint, gap.against) if gap.estimate > 0 else (gap.against, gap.endpoint)
        if gap.quantity == "youden_difference":
            yield (
                f"the judge tells right from wrong better for {better} than for {worse} (Youden's J, "
                f"{abs(gap.estimate):.2f} apart): compare their corrected shares, not the judge's"
            )
        elif gap.estimate * judged[gap.endpoint, gap.against] < 0:
            yield (
                f"corrected by people {better} is above {worse}; by the judge alone it was the other way "
                "round"
            )


MOST_NAMED = 10
"""Cultures that a note names."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Whether one model's labels are enough. target: half the width that is wanted, a share; rows:
    counted items; replies: those that have a reply; in_order: whether the labels are those
    that ``next_labels`` lists first in each culture.
    """

    endpoint: str
    rate: CorrectedRate
    target: float
    rows: int
    replies: int
    questions: int
    in_order: bool

    @property
    def half(self) -> float:
        """Half the interval's width, a share; NaN without one."""
        return (self.rate.interval.high - self.rate.interval.low) / 2

    def finding(self, judge: str) -> Finding:
        """In percent."""
        low, high = (100 * bound for bound in (self.rate.interval.low, self.rate.interval.high))
        interval = Interval(low, high, self.rate.interval.method)
        size = (self.rows, self.questions)
        return Finding(
            self.endpoint, judge, None, "corrected_at_any_time", 100 * self.rate.rate, interval, *size
        )

    @property
    def words(self) -> str:
        """For the person who labels."""
        wanted, n = f"±{100 * self.target:g} points", self.rate.labelled
        drawn = (
            ""
            if self.in_order
            else "; the labels are not those that --label-next lists: this holds if they are a random draw"
        )
        if math.isnan(self.half):
            return f"{self.endpoint}: not enough labels yet to say how many it takes to reach {wanted}"
        reached = f"±{100 * self.half:.1f} points by {n:,} labels, whenever you look"
        if self.half <= self.target:
            return f"{self.endpoint}: labels are enough for {wanted} ({reached}){drawn}"
        missing = min(math.ceil(n * ((self.half / self.target) ** 2 - 1)), self.replies - n)
        more = (
            f"some {missing:,} more may be"
            if missing < self.replies - n
            else f"not even all {self.replies:,} replies may be"
        )
        return f"{self.endpoint}: labels are not enough for {wanted} ({reached}); {more}{drawn}"


def enough_labels(verdicts: pl.DataFrame, target: float) -> list[Stop]:
    """One for each model of a task.

    verdicts: VERDICTS of one judge with ``_order`` (``replies.drawing_order``). target: half the wanted
    width, a share.
    """
    stops = []
    for (endpoint,), part in verdicts.group_by(["endpoint"], maintain_order=True):
        cases = Cases.of(part)
        n = int(part["label"].count())
        confidence = 2 * NormalDist().cdf(at_any_time(n, DEFAULT_CONFIDENCE)) - 1 if n else DEFAULT_CONFIDENCE
        corrected = stratified_ppi(
            cases.verdicts, cases.labels, cases.cultures, cases.questions, confidence=confidence
        ).corrected
        named = Interval(
            corrected.interval.low,
            corrected.interval.high,
            f"stratified prediction-powered, anytime {DEFAULT_CONFIDENCE:.0%}",
        )
        of_culture = part.filter(pl.col("ended") != "no reply").sort("culture", "_order")
        before = pl.col("label").is_not_null().cast(pl.Int8).diff().over("culture")
        in_order = not of_culture.select((before > 0).any()).item()
        corrected = CorrectedRate(corrected.rate, named, corrected.labelled, corrected.tuning)
        stops.append(
            Stop(
                str(endpoint),
                corrected,
                target,
                part.height,
                of_culture.height,
                part["question"].n_unique(),
                in_order,
            )
        )
    return stops


TO_LABEL: Schema = {
    **dict.fromkeys(("id", "culture", "question", "reply"), pl.String),
    "accepted": pl.List(pl.String),  # what people answered, one text per group
    **dict.fromkeys(("language", "task", "item_id", "variant"), pl.String),
    "sample": pl.Int64,
    **dict.fromkeys(("endpoint", "run"), pl.String),
}
"""As an item of the studio's stage ``judge_answer``."""

LONGEST_ID = 120
_Stratum = tuple[str, str, str]
"""Task, endpoint, culture."""


def next_labels(
    rows: Sequence[Mapping[str, Any]], frames: Sequence[pl.DataFrame], count: int, run: str
) -> pl.DataFrame:
    """At most ``count`` unlabelled replies (TO_LABEL), the most informative first.

    rows: of ``replies``, with ``_order``. frames: VERDICTS of the same rows, one frame per judge; the first
    judge is to be corrected. run: its name.
    """
    if not count:
        return pl.DataFrame(schema=TO_LABEL)
    waiting: dict[_Stratum, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: str(row["_order"])):
        if row["_replied"] and row["label"] is None:
            waiting.setdefault((row["task"], row["endpoint"], row["culture"]), []).append(row)
    worth, labelled = _worth(frames)
    strata = list(waiting)
    left = [len(waiting[stratum]) for stratum in strata]
    places = allocate([worth[stratum] for stratum in strata], [labelled[stratum] for stratum in strata], left)
    replies = [iter(waiting[stratum]) for stratum in strata]
    return pl.DataFrame(
        [_shown(next(replies[index]), run) for index in islice(places, count)], schema=TO_LABEL
    )


def _worth(frames: Sequence[pl.DataFrame]) -> tuple[dict[_Stratum, float], dict[_Stratum, int]]:
    """How much a stratum's replies count, squared, times how much the judge seems to err there; and its
    labels so far.

    Before there are labels, the judge's errors are estimated by how often the rule and other judges disagree
    with it.
    """
    keys = ("task", "endpoint", "culture")
    replied = pl.col("ended") != "no reply"
    guess = pl.coalesce("verdict", "lexical")
    doubts = pl.concat(
        frame.filter(replied).select(*keys, doubt=(pl.col("lexical") - guess).abs()) for frame in frames
    )
    if len(frames) > 1:
        first, *others = (frame.filter(replied).select(*keys, verdict=guess) for frame in frames)
        more = [first.select(*keys, doubt=(first["verdict"] - other["verdict"]).abs()) for other in others]
        doubts = pl.concat([doubts, *more])
    error = (pl.col("label") - guess).abs()
    of_all = pl.col("rows") / pl.col("rows").sum().over("task", "endpoint")
    strata_rows = (
        frames[0].group_by(keys)
        .agg(rows=replied.sum(), labels=pl.col("label").count(), wrong=error.filter(replied).sum())
        .join(doubts.group_by(keys).agg(doubt=(pl.col("doubt").sum() + 0.5) / (pl.len() + 1)), on=keys)
        .with_columns(errs=errors_to_expect(pl.col("wrong"), pl.col("labels"), pl.col("doubt")), part=of_all)
        .with_columns(worth=pl.col("part") ** 2 * pl.col("errs"))
    )  # fmt: skip
    strata = [(row["task"], row["endpoint"], row["culture"]) for row in strata_rows.iter_rows(named=True)]
    return dict(zip(strata, strata_rows["worth"], strict=True)), dict(
        zip(strata, strata_rows["labels"], strict=True)
    )


def _shown(row: Mapping[str, Any], run: str) -> dict[str, Any]:
    key = ":".join(str(row[name]) for name in ("endpoint", "task", "item", "language", "variant", "sample"))
    return {
        "id": key[-LONGEST_ID:],
        "question": row["_task"].question_in(row["_item"], row["language"]),
        "reply": row["response"],
        "accepted": [" / ".join(group) for group in row["_groups"]],
        "item_id": row["item"],
        "run": run,
        **{name: row[name] for name in ("culture", "language", "task", "variant", "sample", "endpoint")},
    }
