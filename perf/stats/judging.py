"""How often a judge's rate, corrected by people's labels, holds the truth, and how many labels it saves, by
simulation.

python -m perf.stats.judging                    # ten minutes
python -m perf.stats.judging --glide PYTHON     # beside glide-py, in the environment of that interpreter
python -m perf.stats.judging --write            # and puts the tables into SIMULATIONS.md

Cultures share their questions, as BLEnD's do: 14 % of what decides an answer is the question's. A judge lets
through more wrong answers in some cultures than in others, from half of its false alarms to half as many
again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import Interval
from folkways.stats.raters.calibration import prediction_powered
from folkways.stats.raters.judge_quality import noisy_but_valid
from folkways.stats.raters.stratified_calibration import (
    allocate,
    errors_to_expect,
    ppi_difference,
    stratified_ppi,
)
from folkways.stats.sequences import at_any_time
from perf.pages import replace_table
from perf.stats import SIMULATIONS
from perf.stats.until import SAQ_ITEMS

PEER = Path(__file__).with_name("glide_peer.py")
BEGIN = "<!-- {}: written by python -m perf.stats.judging --write -->\n"

STRUCTURES: dict[str, tuple[int, ...]] = {
    "BLEnD, 16 cultures": tuple(SAQ_ITEMS.values()),
    "57 cultures of 30": (30,) * 57,
}
RATES = (0.02, 0.1, 0.5, 0.9, 0.98)
PER_CULTURE = (5, 15, 50)
ALIKE = 0.14
LOOK = 64
TARGET = 0.05
RULE_MISSES = 0.2

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Judge:
    """Of right answers the share that it calls right, and of wrong ones."""

    name: str
    sensitivity: float
    false_alarms: float


GOOD, KIND, SHARP = Judge("good", 0.95, 0.1), Judge("kind", 0.95, 0.4), Judge("hardly ever wrong", 0.99, 0.01)


@dataclass(frozen=True)
class Replies:
    """One model's: what people would say of all, what the judge says, people's labels or NaN, cultures and
    questions."""

    truth: Floats
    verdicts: Floats
    labels: Floats
    cultures: Integers
    questions: Integers

    def labelled(self, numbers: Sequence[int], rng: np.random.Generator) -> Replies:
        """With labels of so many replies of each culture, drawn at random."""
        labels = np.full(self.truth.size, np.nan)
        for culture, n in enumerate(numbers):
            own = np.flatnonzero(self.cultures == culture)
            chosen = rng.choice(own, min(n, own.size), replace=False)
            labels[chosen] = self.truth[chosen]
        return replace(self, labels=labels)

    def interval(self, **options: float) -> Interval:
        """By strata."""
        return stratified_ppi(
            self.verdicts, self.labels, self.cultures, self.questions, **options
        ).corrected.interval


def replies(
    sizes: Sequence[int], rate: float, judge: Judge, rng: np.random.Generator, hard: Floats | None = None
) -> Replies:
    """Of a model that is right with probability ``rate``, in some cultures more often and in some less. hard:
    of each question."""
    cultures = np.repeat(np.arange(len(sizes)), sizes)
    questions = np.concatenate([np.arange(size) for size in sizes])
    spread = np.linspace(-1, 1, len(sizes))
    levels = rate + 0.2 * min(rate, 1 - rate) * (spread - np.average(spread, weights=sizes))
    hard = rng.standard_normal(max(sizes)) if hard is None else hard
    drawn = np.sqrt(ALIKE) * hard[questions] + np.sqrt(1 - ALIKE) * rng.standard_normal(cultures.size)
    truth = drawn < np.array([NormalDist().inv_cdf(level) for level in levels])[cultures]
    alarms = judge.false_alarms * (1 + rng.permutation(spread) / 2)[cultures]
    verdicts = np.where(truth, rng.random(truth.size) < judge.sensitivity, rng.random(truth.size) < alarms)
    return Replies(
        truth.astype(float), verdicts.astype(float), np.full(truth.size, np.nan), cultures, questions
    )


def cell(intervals: Sequence[Interval], truth: float) -> str:
    """How often the truth was inside, in percent, and half of the mean width, in points; and in how many
    there was an interval."""
    there = [one for one in intervals if not np.isnan(one.low)]
    if not there:
        return "none"
    held = np.mean([one.low - 1e-12 <= truth <= one.high + 1e-12 for one in there])
    found = f"{100 * held:.1f} ±{50 * np.mean([one.high - one.low for one in there]):.1f}"
    return found if len(there) == len(intervals) else f"{found} ({100 * len(there) / len(intervals):.0f} %)"


def coverage(runs: int, glide: str | None) -> Iterator[str]:
    """Of one model's rate."""
    yield f"| structure | judge | labels per culture | method | {' | '.join(f'p = {p:g}' for p in RATES)} |"
    yield "|---" * (4 + len(RATES)) + "|"
    ways: dict[str, Callable[[Replies], Interval]] = {
        "by culture": lambda one: one.interval(),
        "all together": lambda one: prediction_powered(one.verdicts, one.labels, one.questions).interval,
        "labels alone": lambda one: one.interval(tuning=0.0),
    }
    for structure, sizes in STRUCTURES.items():
        for judge in (GOOD, KIND, SHARP):
            for n in (
                PER_CULTURE if (judge, max(sizes) > PER_CULTURE[-1]) == (GOOD, True) else PER_CULTURE[:2]
            ):
                beside = (judge, n) == (GOOD, PER_CULTURE[1])
                cells: dict[str, list[str]] = {
                    name: []
                    for name in ([*ways, *(["glide"] if glide else [])] if beside else ["by culture"])
                }
                for p in RATES:
                    rng = np.random.default_rng(n)
                    drawn = [
                        replies(sizes, p, judge, rng).labelled([n] * len(sizes), rng) for _ in range(runs)
                    ]
                    for name, told in cells.items():
                        told.append(
                            cell(
                                by_glide(str(glide), drawn)
                                if name == "glide"
                                else [ways[name](one) for one in drawn],
                                p,
                            )
                        )
                for name, told in cells.items():
                    yield f"| {structure} | {judge.name} | {n} | {name} | {' | '.join(told)} |"


def by_glide(python: str, drawn: Sequence[Replies]) -> list[Interval]:
    """The intervals of glide's StratifiedPPIMeanEstimator."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drawn.npz"
        verdicts, labels, cultures = (
            np.stack([getattr(one, name) for one in drawn]) for name in ("verdicts", "labels", "cultures")
        )
        np.savez(file, verdicts=verdicts, labels=labels, cultures=cultures)
        told = subprocess.run([python, PEER, file], check=True, capture_output=True, text=True).stdout
    return [Interval(low, high, "glide") for low, high in json.loads(told)]


def differences(runs: int) -> Iterator[str]:
    """Of two models that are equal, or ten points apart, where the judge is as good for both, or kinder to
    the worse one."""
    yield (
        "| labels per culture | second better by | judge of the first | corrected | holds | shown "
        "better "
        "| shown worse |"
    )
    yield "|---|---|---|---|---|---|---|"
    sizes = STRUCTURES["BLEnD, 16 cultures"]
    for n in PER_CULTURE[:2]:
        for gap in (0.0, 0.1):
            for judge in (GOOD, KIND):
                rng = np.random.default_rng(n)
                found: dict[str, list[Interval]] = {
                    "each by its own labels": [],
                    "both by the second's": [],
                    "not corrected": [],
                }
                for _ in range(runs):
                    hard = rng.standard_normal(max(sizes))
                    first, second = (
                        replies(sizes, p, one, rng, hard) for p, one in ((0.5, judge), (0.5 + gap, GOOD))
                    )
                    state = rng.integers(2**32)
                    pair = [
                        one.labelled([n] * len(sizes), np.random.default_rng(state))
                        for one in (first, second)
                    ]
                    for name, interval in zip(found, _three(*pair), strict=True):
                        found[name].append(interval)
                for name, intervals in found.items():
                    shown = " | ".join(f"{100 * float(np.mean(side)):.1f}" for side in _sides(intervals))
                    yield (
                        f"| {n} | {100 * gap:.0f} | {judge.name} | {name} | {cell(intervals, -gap)} | "
                        f"{shown} |"
                    )


def _three(first: Replies, second: Replies) -> Iterator[Interval]:
    yield ppi_difference(
        *(stratified_ppi(one.verdicts, one.labels, one.cultures, one.questions) for one in (first, second))
    )[1]
    # One calibration: what the judge is wrong by on the second model's labels corrects both, and goes out of
    # the difference.
    differences = first.verdicts - second.verdicts
    found = prediction_powered((differences + 1) / 2, (differences + 1) / 2, first.questions).interval
    alone = Interval(2 * found.low - 1, 2 * found.high - 1, "")
    yield _shared(first, second, alone)
    yield alone


def _shared(first: Replies, second: Replies, alone: Interval) -> Interval:
    """Both models' rates by Rogan and Gladen's formula with sensitivity and false alarms of the second: their
    difference is the judge's, over Youden's J.
    """
    known = ~np.isnan(second.labels)
    right = second.labels[known] == 1
    index = float(second.verdicts[known][right].mean() - second.verdicts[known][~right].mean())
    return Interval(alone.low / index, alone.high / index, "")


def _sides(intervals: Sequence[Interval]) -> tuple[list[bool], list[bool]]:
    return [one.high < 0 for one in intervals], [one.low > 0 for one in intervals]


def stopping(runs: int) -> Iterator[str]:
    """Labels at which a rate is known to TARGET, looked at after every LOOK labels, and whether it held then
    and at all looks."""
    yield (
        "| judge | p | way of stopping | labels | beside labels alone | holds at the end | holds at all "
        "looks |"
    )
    yield "|---|---|---|---|---|---|---|"
    sizes = STRUCTURES["BLEnD, 16 cultures"]
    for judge in (GOOD, KIND, SHARP):
        for rate in (0.5, 0.9):
            found: dict[str, list[tuple[int, bool, bool]]] = {
                "labels alone, anytime": [],
                "anytime": [],
                "peeking": [],
            }
            rng = np.random.default_rng(7)
            for _ in range(runs):
                one = replies(sizes, rate, judge, rng)
                order = [
                    rng.permutation(np.flatnonzero(one.cultures == culture)) for culture in range(len(sizes))
                ]
                for name in found:
                    found[name].append(
                        _stopped(one, order, rate, "anytime" in name, 0.0 if "alone" in name else None)
                    )
            alone = float(np.mean([labels for labels, *_ in found["labels alone, anytime"]]))
            for name, ends in found.items():
                labels, last, ever = (float(np.mean(column)) for column in zip(*ends, strict=True))
                saved = "" if name.startswith("labels") else f"{100 * (labels - alone) / alone:+.0f} %"
                yield (
                    f"| {judge.name} | {rate:g} | {name} | {labels:.0f} | {saved} | {100 * last:.1f} | "
                    f"{100 * ever:.1f} |"
                )


def _stopped(
    one: Replies, order: Sequence[Integers], rate: float, anytime: bool, tuning: float | None
) -> tuple[int, bool, bool]:
    numbers, ever = [2] * len(order), True
    while True:
        labels = np.full(one.truth.size, np.nan)
        for places, n in zip(order, numbers, strict=True):
            labels[places[:n]] = one.truth[places[:n]]
        n = sum(numbers)
        confidence = 2 * NormalDist().cdf(at_any_time(n)) - 1 if anytime else 0.95
        found = stratified_ppi(
            one.verdicts, labels, one.cultures, one.questions, confidence=confidence, tuning=tuning
        )
        interval = found.corrected.interval
        holds = interval.low <= rate <= interval.high
        ever = ever and holds
        if (interval.high - interval.low) / 2 <= TARGET or n >= one.truth.size:
            return n, holds, ever
        for place in islice(_next(one, labels, numbers), LOOK):
            numbers[place] += 1


def _next(one: Replies, labels: Floats, numbers: Sequence[int]) -> Iterator[int]:
    """As ``--label-next``, beside a rule that misses RULE_MISSES of the right replies."""
    sizes = np.bincount(one.cultures)
    known = ~np.isnan(labels)
    wrong = np.bincount(
        one.cultures[known], weights=np.abs(labels - one.verdicts)[known], minlength=sizes.size
    )
    rule = one.truth * (np.random.default_rng(0).random(one.truth.size) >= RULE_MISSES)
    doubt = np.bincount(one.cultures, weights=np.abs(rule - one.verdicts)) / sizes
    errors = errors_to_expect(wrong, np.array(numbers), doubt)
    return allocate(list((sizes / sizes.sum()) ** 2 * errors), numbers, list(sizes - np.array(numbers)))


def allocation(runs: int) -> Iterator[str]:
    """What --label-next gains where the judge is hardly ever wrong in most cultures, and in the others of a
    quarter of replies."""
    yield (
        "| cultures in which the judge errs | labels | any, at random | as many of each | as "
        "`--label-next` says |"
    )
    yield "|---|---|---|---|---|"
    sizes = STRUCTURES["BLEnD, 16 cultures"]
    for bad in (2, 4, 8):
        for total in (160, 480):
            rng = np.random.default_rng(bad)
            free: list[Interval] = []
            even: list[Interval] = []
            chosen: list[Interval] = []
            for _ in range(runs):
                one = replies(sizes, 0.5, SHARP, rng)
                wrong = (one.cultures < bad) & (rng.random(one.truth.size) < 0.25)
                one = replace(one, verdicts=np.where(wrong, 1 - one.truth, one.verdicts))
                share = rng.multinomial(total, np.array(sizes) / sum(sizes))
                free.append(one.labelled(share.tolist(), rng).interval())
                even.append(one.labelled([total // len(sizes)] * len(sizes), rng).interval())
                numbers = [2] * len(sizes)
                while sum(numbers) < total:
                    seen = one.labelled(numbers, rng).labels
                    for place in islice(_next(one, seen, numbers), min(LOOK, total - sum(numbers))):
                        numbers[place] += 1
                chosen.append(one.labelled(numbers, rng).interval())
            yield (
                f"| {bad} of 16 | {total} | {' | '.join(cell(each, 0.5) for each in (free, even, chosen))} |"
            )


def gate(runs: int) -> Iterator[str]:
    """How often a gate that requires 50 passes and fails a model, by default and with --strict."""
    yield "| judge | labels per culture | true rate | ok | ok, strict | failed |"
    yield "|---|---|---|---|---|---|"
    sizes = STRUCTURES["BLEnD, 16 cultures"]
    for judge in (GOOD, KIND):
        for n in PER_CULTURE[:2]:
            for rate in (0.45, 0.5, 0.55, 0.6):
                rng = np.random.default_rng(n)
                passed, strict, missed = [], [], []
                for _ in range(runs):
                    one = replies(sizes, rate, judge, rng).labelled([n] * len(sizes), rng)
                    interval = one.interval()
                    above, _below = noisy_but_valid(
                        one.verdicts, one.labels, one.cultures, one.questions, 0.5
                    )
                    passed.append(interval.low >= 0.5)
                    strict.append(passed[-1] and above <= 0.025)
                    missed.append(interval.high < 0.5)
                shown = " | ".join(f"{100 * float(np.mean(each)):.1f}" for each in (passed, strict, missed))
                yield f"| {judge.name} | {n} | {100 * rate:.0f} | {shown} |"


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.stats.judging", description="What corrected judges hold and save."
    )
    parser.add_argument("--runs", type=int, default=500, help="draws for each line")
    parser.add_argument("--only", help="one table: judge-coverage, judge-differences, ...")
    parser.add_argument("--glide", metavar="PYTHON", help="an interpreter that has glide-py")
    parser.add_argument("--write", action="store_true", help="put the tables into SIMULATIONS.md")
    options = parser.parse_args()
    tables: dict[str, Callable[[], Iterator[str]]] = {
        "judge-coverage": lambda: coverage(options.runs, options.glide),
        "judge-differences": lambda: differences(options.runs),
        "judge-stopping": lambda: stopping(max(1, options.runs // 4)),
        "judge-allocation": lambda: allocation(max(1, options.runs // 5)),
        "judge-gate": lambda: gate(options.runs),
    }
    for name, lines in tables.items():
        if options.only not in (None, name):
            continue
        told = []
        for line in lines():
            print(line, flush=True)
            told.append(line)
        if options.write:
            replace_table(SIMULATIONS, BEGIN.format(name), "\n".join([*told, ""]))


if __name__ == "__main__":
    main()
