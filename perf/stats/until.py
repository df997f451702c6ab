"""What ``folkways run --until`` saves and what it risks, simulated on the item structures of the benchmarks.

python -m perf.stats.until            # a quarter of an hour
python -m perf.stats.until --write    # and puts the tables into SIMULATIONS.md

Every culture of a structure has as many items as the benchmark, and answers that are right as often as a
published model's were. Items are drawn in random order by three ways of stopping: this one; plain random
sampling of a number fixed beforehand, large enough for any score; and looking at an ordinary interval after
every round, which is what one does without thinking.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from folkways.benchmarks.registry import published_figures
from folkways.runs.sampling.rounds import next_size
from folkways.stats.intervals import wilson
from folkways.stats.sequences import betting_sequence
from folkways.stats.stratified import StratumSample, anytime_mean
from perf.pages import replace_table
from perf.stats import SIMULATIONS

BEGIN = "<!-- {}: written by python -m perf.stats.until --write -->\n"

SAQ_ITEMS = {
    "US": 461, "GB": 455, "ES": 469, "MX": 479, "ID": 480, "CN": 474, "KR": 475, "DZ": 437,
    "GR": 460, "IR": 456, "KP": 444, "AZ": 469, "ID-JB": 458, "IN-AS": 477, "NG-N": 455, "ET": 472,
}  # fmt: skip
"""Questions of BLEnD that count, by culture."""

REGION_ITEMS = {
    "North America": (20, 7),
    "South America": (35, 25, 22, 49, 19),
    "South Europe": (38, 38),
    "East Asia": (42, 42, 42, 42, 43),
    "Africa": (27, 27, 27, 27, 26),
}
"""Questions of CulturalBench's countries in some regions; where only the region's number is known, spread
evenly."""

TARGETS = (2.0, 5.0, 8.0)
WAYS = ("until", "fixed beforehand", "peeking")
AGAIN = 0.85
"""How often a second wording of a question gets the same verdict as the first."""


@dataclass
class Coverage:
    """What one way of stopping did at one target: items asked, items there, errors, and intervals that held
    the truth."""

    asked: int = 0
    there: int = 0
    errors: list[float] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)


Structure = list[tuple[int, float]]
"""Items and share of right answers, culture by culture."""


def structures() -> dict[str, Structure]:
    """The benchmarks' cultures with the scores of published models."""
    figures = published_figures()

    def level(place: str, model: str, value: str) -> float:
        return float(figures.filter(place=place, model=model, value=value)["score"][0]) / 100

    hard = figures.filter(place="leaderboard", task="culturalbench/hard", model="gpt4o")
    regions = dict(zip(hard["value"], hard["score"], strict=True))
    return {
        "BLEnD short answers, GPT-4": [
            (n, level("Table 10", "GPT-4", code)) for code, n in SAQ_ITEMS.items()
        ],
        "BLEnD short answers, Aya-101": [
            (n, level("Table 10", "Aya-101", code)) for code, n in SAQ_ITEMS.items()
        ],
        "CulturalBench-Hard, gpt4o": [
            (n, regions[region] / 100) for region, sizes in REGION_ITEMS.items() for n in sizes
        ],
    }


def answers(n: int, level: float, wordings: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Each item's mean over its wordings, in random order; items differ in how hard they are."""
    hard = np.clip(level + 0.15 * rng.standard_normal(n), 0.01, 0.99)
    first = rng.random(n) < hard
    if wordings == 1:
        return first.astype(np.float64)
    second = np.where(rng.random(n) < AGAIN, first, rng.random(n) < hard)
    return (first + second.astype(np.float64)) / 2


class _Anytime:
    """The confidence sequence after so many items."""

    def __init__(self, values: npt.NDArray[np.float64], target: float) -> None:
        self.sequence = betting_sequence(values, values.size, target=target)

    def __call__(self, drawn: int) -> tuple[float, float]:
        return float(self.sequence.low[drawn - 1]), float(self.sequence.high[drawn - 1])


class _Ordinary:
    """Wilson's interval after so many items, corrected for how much of the population these are."""

    def __init__(self, values: npt.NDArray[np.float64]) -> None:
        self.totals = np.cumsum(values)

    def __call__(self, drawn: int) -> tuple[float, float]:
        interval = wilson(float(self.totals[drawn - 1]), drawn, population=self.totals.size)
        return interval.low, interval.high


def simulate(
    structure: Structure, wordings: int, trials: int, seed: int
) -> dict[tuple[str, float], Coverage]:
    """All ways at all targets on the same answers in the same order."""
    found = {(way, target): Coverage() for way in WAYS for target in TARGETS}
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        for n, level in structure:
            values = answers(n, level, wordings, rng)
            for target in TARGETS:
                anytime = _Anytime(values, target / 100)
                ordinary = _Ordinary(values)
                _note(found["until", target], values, stopped(anytime, n, target / 100), anytime)
                _note(found["peeking", target], values, stopped(ordinary, n, target / 100), ordinary)
                _note(found["fixed beforehand", target], values, enough_for_any(n, target / 100), ordinary)
    return found


def stopped(interval: Callable[[int], tuple[float, float]], n: int, target: float) -> int:
    """How many items are asked, in the rounds of a run, until half the interval is no wider than the
    target."""
    drawn, half = 0, 0.5
    while half > target and drawn < n:
        drawn = min(n, drawn + next_size(drawn, half, target))
        low, high = interval(drawn)
        half = (high - low) / 2
    return drawn


def enough_for_any(n: int, target: float) -> int:
    """The smallest number of items whose interval is narrow enough even where half of the answers are
    right."""
    for drawn in range(1, n):
        interval = wilson(drawn / 2, drawn, population=n)
        if (interval.high - interval.low) / 2 <= target:
            return drawn
    return n


def _note(
    found: Coverage,
    values: npt.NDArray[np.float64],
    drawn: int,
    interval: Callable[[int], tuple[float, float]],
) -> None:
    truth = float(values.mean())
    low, high = interval(drawn)
    found.asked += drawn
    found.there += values.size
    found.errors.append(abs(float(values[:drawn].mean()) - truth))
    found.held.append(low - 1e-9 <= truth <= high + 1e-9)


def table(trials: int, seed: int = 1) -> str:
    """The results as Markdown."""
    columns = ("structure", "points", "way of stopping", "asked", "saved", "against fixed", "error", "holds")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, structure in structures().items():
        found = simulate(structure, 2 if name.startswith("BLEnD") else 1, trials, seed)
        for target in TARGETS:
            fixed = found["fixed beforehand", target].asked
            for way in WAYS:
                one = found[way, target]
                against = "" if way == "fixed beforehand" else f"{100 * (one.asked - fixed) / fixed:+.0f} %"
                lines.append(
                    f"| {name} | {target:g} | {way} | {100 * one.asked / one.there:.0f} % | "
                    f"{100 - 100 * one.asked / one.there:.0f} % | {against} | "
                    f"{100 * float(np.mean(one.errors)):.2f} | {100 * float(np.mean(one.held)):.1f} % |"
                )
    return "\n".join(lines) + "\n"


ALL_SETTINGS: tuple[tuple[float, Structure, int], ...] = (
    *((15.0, [(475, share), (472, share)], 1000) for share in (0.01, 0.03, 0.5, 0.97, 0.99)),
    *((5.0, [(475, share), (472, share)], 1000) for share in (0.01, 0.03)),
    *((10.0, [(n, share) for n in SAQ_ITEMS.values()], 1000) for share in (0.01, 0.03)),
)
"""Points, the cultures, and how many samples are drawn."""

APPLIES = 0.8
"""Share of the items that the other metric is of."""


@dataclass
class Beside:
    """What a sampled run says of all cultures, or of another metric of one, in every trial.

    halves: half of the last interval. ever: whether the truth was inside after every round. normal: whether
    it was inside the last normal interval over strata. flat: intervals of no width before everything was
    asked.
    """

    halves: list[float] = field(default_factory=list)
    ever: list[bool] = field(default_factory=list)
    normal: list[bool] = field(default_factory=list)
    flat: int = 0

    def note(self, looks: list[list[StratumSample]], target: float, truth: float) -> None:
        """One trial: what was drawn of each stratum at every look."""
        intervals = [anytime_mean(strata, target=target)[1] for strata in looks]
        self.ever.append(all(one.low - 1e-9 <= truth <= one.high + 1e-9 for one in intervals))
        self.halves.append((intervals[-1].high - intervals[-1].low) / 2)
        self.normal.append(abs(normal_distance(looks[-1], truth)) <= NormalDist().inv_cdf(0.975))
        part = [any(one.totals.size < one.population for one in strata) for strata in looks]
        self.flat += sum(
            sampled and one.low == one.high for sampled, one in zip(part, intervals, strict=True)
        )


def normal_distance(strata: list[StratumSample], truth: float) -> float:
    """How many standard errors the estimate is off, by the formula for strata of whole units."""
    weights = np.array([one.population for one in strata]) / sum(one.population for one in strata)
    totals, rows = (np.array([getattr(one, name).mean() for one in strata]) for name in ("totals", "rows"))
    mean = float(weights @ totals / (weights @ rows))
    spread = np.array([(one.totals - mean * one.rows).var(ddof=1) for one in strata])
    drawn = np.array([one.totals.size for one in strata])
    error = float(
        np.sqrt(weights**2 @ (spread / drawn * (1 - drawn / [one.population for one in strata])))
    ) / (weights @ rows)
    return (mean - truth) / error if error else (0.0 if abs(mean - truth) < 1e-9 else np.inf)


def simulate_beside(
    structure: Structure, points: float, trials: int, seed: int
) -> tuple[Beside, Beside, float]:
    """All cultures, another metric of the first, and the share of the items that was asked."""
    together, other, asked = Beside(), Beside(), 0
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        values = [(rng.random(n) < share).astype(np.float64) for n, share in structure]
        applies = (rng.random(values[0].size) < APPLIES).astype(np.float64)
        others = applies * (rng.random(values[0].size) < structure[0][1])
        looks = rounds(values, points / 100)
        asked += sum(looks[-1])
        seen = [[_drawn(part, n) for part, n in zip(values, drawn, strict=True)] for drawn in looks]
        together.note(seen, points / 100, float(np.concatenate(values).mean()))
        seen = [[_drawn(others, drawn[0], applies)] for drawn in looks]
        other.note(seen, points / 100, float(others.sum() / applies.sum()))
    return together, other, asked / trials / sum(n for n, _ in structure)


def rounds(values: list[npt.NDArray[np.float64]], target: float) -> list[list[int]]:
    """How many items of each culture were asked after each round of a run."""
    drawn, halves = [0] * len(values), [0.5] * len(values)
    looks: list[list[int]] = []
    while wide := [
        place for place, part in enumerate(values) if halves[place] > target and drawn[place] < part.size
    ]:
        for place in wide:
            size = next_size(drawn[place], halves[place], target)
            drawn[place] = min(values[place].size, drawn[place] + size)
            found = betting_sequence(values[place][: drawn[place]], values[place].size, target=target)
            halves[place] = float(found.high[-1] - found.low[-1]) / 2
        looks.append(drawn.copy())
    return looks


def _drawn(
    values: npt.NDArray[np.float64], n: int, rows: npt.NDArray[np.float64] | None = None
) -> StratumSample:
    return StratumSample(values[:n], np.ones(n) if rows is None else rows[:n], values.size)


def table_beside(share: float, seed: int = 1) -> str:
    """The results as Markdown, from a share of the samples."""
    columns = (
        "cultures",
        "right",
        "points",
        "samples",
        "asked",
        "`all`",
        "holds",
        "normal holds",
        "other metric",
        "holds",
        "normal holds",
    )
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for points, structure, samples in ALL_SETTINGS:
        trials = max(1, round(share * samples))
        *both, asked = simulate_beside(structure, points, trials, seed)
        levels = dict.fromkeys(f"{100 * level:g} %" for _, level in structure)
        found = [
            f"±{100 * float(np.mean(one.halves)):.1f} | {100 * float(np.mean(one.ever)):.1f} % | "
            f"{100 * float(np.mean(one.normal)):.1f} %" + (f" ({one.flat} of no width)" if one.flat else "")
            for one in both
        ]
        told = (len(structure), ", ".join(levels), f"{points:g}", trials, f"{100 * asked:.0f} %", *found)
        lines.append(f"| {' | '.join(str(cell) for cell in told)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.stats.until", description="What sampled runs save, simulated."
    )
    parser.add_argument("--trials", type=int, default=60, help="samples of each structure")
    parser.add_argument("--share", type=float, default=1.0, help="share of the samples of the second table")
    parser.add_argument("--write", action="store_true", help="put the tables into SIMULATIONS.md")
    options = parser.parse_args()
    tables = {"stopping": table(options.trials), "beside": table_beside(options.share)}
    for name, told in tables.items():
        print(told)
        if options.write:
            replace_table(SIMULATIONS, BEGIN.format(name), told)


if __name__ == "__main__":
    main()
