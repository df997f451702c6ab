"""How often intervals of 95 % hold the truth where questions are few, or hold very unequal numbers of rows,
by simulation.

python -m perf.stats.coverage            # two minutes; the real cluster sizes need the reference data beside the checkout
python -m perf.stats.coverage --write    # and puts the tables into SIMULATIONS.md

Answers are right where a normal number is below the limit that gives the share p. A part ``alike`` of its
variance is the question's, which all its rows share; a part ``common`` of everything is common to two models
that are compared.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from folkways.stats.clusters import clustered_difference, clustered_mean, effective_number
from perf.pages import replace_table
from perf.stats import SIMULATIONS

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- written by python -m perf.stats.coverage --write -->\n"
BUILT = ROOT.parent / "shared" / "parity" / "blend_mcq"

SIZES = (10, 30, 100)
SHARES = (0.01, 0.05, 0.5, 0.95, 0.99)
ALIKE = (0.5, 0.97)
COMMON = (0.3, 0.9)
CULTURES = ("UK", "Ethiopia", "South_Korea", "Iran")
UNEQUAL_SHARES = (0.1, 0.5, 0.9)
UNEQUAL_ALIKE = (0.3, 0.7, 0.97)
STEP = 0.1
"""By how much the second model is better or worse, towards the middle, in the rows that have a true
difference."""

Floats = npt.NDArray[np.float64]


def right(
    p: float,
    sizes: Floats,
    alike: float,
    common: tuple[Floats, Floats, float] | None,
    rng: np.random.Generator,
) -> Floats:
    """Zeros and ones, one per row; ``common`` has what two models share of questions and rows, and how much
    of all that is."""
    question, row = rng.standard_normal(sizes.size), rng.standard_normal(int(sizes.sum()))
    if common is not None:
        questions, rows, part = common
        question, row = (
            np.sqrt(part) * a + np.sqrt(1 - part) * b for a, b in ((questions, question), (rows, row))
        )
    level = np.sqrt(alike) * np.repeat(question, sizes.astype(int)) + np.sqrt(1 - alike) * row
    return (level < NormalDist().inv_cdf(p)).astype(np.float64)


def holds(p: float, sizes: Floats, alike: float, runs: int, seed: int) -> float:
    """The percentage of intervals of one share that hold p."""
    rng, held = np.random.default_rng(seed), 0
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
    for _ in range(runs):
        rows = right(p, sizes, alike, None, rng)
        found = clustered_mean(np.add.reduceat(rows, starts), sizes, float(rows.sum())).interval()
        held += found.low <= p <= found.high
    return 100 * held / runs


def holds_paired(
    p: float, other: float, sizes: Floats, alike: float, common: float, runs: int, seed: int
) -> float:
    """The same of the difference between two models that answer the same rows."""
    rng, held = np.random.default_rng(seed), 0
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
    for _ in range(runs):
        shared = (rng.standard_normal(sizes.size), rng.standard_normal(int(sizes.sum())), common)
        rows = right(p, sizes, alike, shared, rng) - right(other, sizes, alike, shared, rng)
        found = clustered_difference(rows, np.add.reduceat(rows, starts), sizes, 1.0).interval()
        held += found.low - 1e-12 <= p - other <= found.high + 1e-12
    return 100 * held / runs


def grid(runs: int) -> Iterator[str]:
    """Few questions: single shares and differences, each question with one row or with four."""
    yield f"| what | questions | {' | '.join(f'p = {p:g}' for p in SHARES)} |"
    yield "|---" * (2 + len(SHARES)) + "|"
    for n in SIZES:
        yield _row("score, one row per question", n, [holds(p, np.ones(n), 0.0, runs, n) for p in SHARES])
    for alike in ALIKE:
        for n in SIZES:
            found = [holds(p, np.full(n, 4.0), alike, runs, n) for p in SHARES]
            yield _row(f"score, four rows per question, {100 * alike:.0f} % alike", n, found)
    for rows, alike in ((1, 0.0), (4, 0.5)):
        for common in COMMON:
            for what, step in (("equal models", 0.0), (f"{100 * STEP:.0f} points apart", STEP)):
                for n in SIZES:
                    others = [p + step if p < 0.5 else p - step for p in SHARES]
                    found = [
                        holds_paired(p, other, np.full(n, float(rows)), alike, common, runs, n)
                        for p, other in zip(SHARES, others, strict=True)
                    ]
                    per = "one row" if rows == 1 else "four rows"
                    yield _row(
                        f"difference, {per} per question, {what}, {100 * common:.0f} % in common", n, found
                    )


def unequal(runs: int) -> Iterator[str]:
    """Multiple choice of BLEnD, whose questions hold from 1 to 1,092 items."""
    columns = [f"p = {p:g}, {100 * alike:.0f} % alike" for alike in UNEQUAL_ALIKE for p in UNEQUAL_SHARES]
    yield f"| built with | culture | questions | effective | {' | '.join(columns)} |"
    yield "|---" * (4 + len(columns)) + "|"
    for name in ("june_hash04", "head_overlap"):
        for culture, sizes in built(name).items():
            found = [holds(p, sizes, alike, runs, 1) for alike in UNEQUAL_ALIKE for p in UNEQUAL_SHARES]
            cells = " | ".join(f"{one:.1f}" for one in found)
            yield f"| {name} | {culture} | {sizes.size} | {effective_number(sizes):.0f} | {cells} |"


def built(name: str) -> dict[str, Floats]:
    """How many items each question of some cultures has, as the authors' program builds them with a stand-in
    for the judge."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with gzip.open(BUILT / name / "mc_questions_file.csv.gz") as packed:
        for row in csv.DictReader(io.TextIOWrapper(packed, encoding="utf-8")):
            counts[row["country"]][row["ID"]] += 1
    return {
        culture: np.array(sorted(counts[culture].values(), reverse=True), dtype=np.float64)
        for culture in CULTURES
    }


def _row(what: str, n: int, found: list[float]) -> str:
    return f"| {what} | {n} | {' | '.join(f'{one:.1f}' for one in found)} |"


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.stats.coverage", description="How often intervals hold the truth."
    )
    parser.add_argument("--runs", type=int, default=1000, help="samples for each cell")
    parser.add_argument("--write", action="store_true", help="put the tables into SIMULATIONS.md")
    options = parser.parse_args()
    told = "\n".join([*grid(options.runs), "", *unequal(options.runs), ""])
    print(told)
    if options.write:
        replace_table(SIMULATIONS, BEGIN, told)


if __name__ == "__main__":
    main()
