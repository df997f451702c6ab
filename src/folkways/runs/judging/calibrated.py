"""The rate that people would have found, of each model by labels of its own, and what two models differ
by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.stats.differences import METHOD
from folkways.stats.hypotheses.corrections import holm
from folkways.stats.intervals import Floats, Interval
from folkways.stats.raters.calibration import CorrectedRate, prediction_powered
from folkways.stats.raters.judge_quality import Youden, youden_difference, youden_index
from folkways.stats.raters.stratified_calibration import FEWEST, PPIEstimate, ppi_difference, stratified_ppi

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
    return (names.rank("dense") - 1).cast(pl.Int64).to_numpy()


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
    found = partial(_difference, judge)
    judged = [
        found(pair, "judged_difference", pair[0].judged - pair[1].judged, nothing, math.nan) for pair in pairs
    ]
    people = [
        found(pair, "corrected_difference", *ppi_difference(pair[0].powered, pair[1].powered))
        for pair in pairs
    ]
    youdens = []
    for pair in pairs:
        if pair[0].youden and pair[1].youden:
            apart = youden_difference(pair[0].youden, pair[1].youden)
            interval = Interval(apart.low, apart.high, METHOD)
            youdens.append(found(pair, "youden_difference", apart.difference, interval, apart.p))
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
            "because the judge may "
            "err differently there (--label-next lists replies to label)"
        )
    for name, part in parts.items():
        cultures = sorted(set(part["culture"]))
        joined = Cases.of(part).powered().joined if name not in bare and len(cultures) > 1 else ()
        if joined:
            few = [cultures[place] for place in joined]
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
                f"{abs(gap.estimate):.2f} "
                "apart): compare their corrected shares, not the judge's"
            )
        elif gap.estimate * judged[gap.endpoint, gap.against] < 0:
            yield (
                f"corrected by people {better} is above {worse}; by the judge alone it was the other "
                "way "
                "round"
            )


MOST_NAMED = 10
"""Cultures that a note names."""
