"""How often what relates two numbers errs, by simulation on the structures that benchmarks have.

python -m perf.stats.relations            # three minutes
python -m perf.stats.relations --write    # and puts the tables into SIMULATIONS.md

Questions that cultures share, topics, ranks and daggers, gaps between cultures beside the way of asking, and
values that are skewed or come in few groups. As in ``coverage``, answers are right where a normal number is
below a limit, and parts of its variance are shared.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from statistics import NormalDist

import numpy as np
import polars as pl

from folkways.benchmarks.blend.results.score_tables import question_means
from folkways.benchmarks.consistency import consistency_tables
from folkways.stats.clusters import clustered_mean
from folkways.stats.hypotheses.anova import one_way
from folkways.stats.hypotheses.corrections import holm
from folkways.stats.intervals import Floats, Interval, interval_of_average, wilson
from folkways.stats.pairwise import paired_contrasts, ranks_of_pairs
from folkways.stats.shrinkage import shrink
from perf.pages import replace_table
from perf.stats import SIMULATIONS

BEGIN = "<!-- {}: written by python -m perf.stats.relations --write -->\n"
TEMPLATES = {
    "SemEval-2026, 31 regions of 500": (31, 500),
    "BLEnD, 16 cultures of 500": (16, 500),
    "4 cultures of 80": (4, 80),
}
ALIKE = (0.0, 0.05, 0.14, 0.30)
TOPICS = ((1, 16, 0.0), (1, 16, 0.14), (4, 16, 0.14), (8, 16, 0.14), (8, 16, 0.30), (8, 6, 0.14))
FEW = (6, 10, 20, 30, 100, 500)
ORDERS = (2, 4, 12, 24)
HITS_PER_SENTENCE = (0.842, 0.154, 0.003, 0.001)
"""Shares of the release's sentences with one to four tagged items."""


def templates(runs: int) -> Iterator[str]:
    """Regions share templates: what the interval of the whole, and the test of two equal models, make of
    it."""
    yield (
        "| structure | alike | holds, by region's question | holds, by template | p < .05, by region's "
        "question | by template |"
    )
    yield "|---" * 6 + "|"
    for name, (regions, questions) in TEMPLATES.items():
        number = np.tile(np.arange(questions), regions)
        own = np.arange(regions * questions)
        for alike in ALIKE:
            rng, held, wrong = np.random.default_rng(1), np.zeros(2), np.zeros(2)
            for _ in range(runs):
                shared, common = rng.standard_normal(questions), rng.standard_normal(regions * questions)
                values = np.column_stack([_right(0.57, alike, shared, common, number, rng) for _ in range(2)])
                for at, unit in enumerate((own, number)):
                    sums, counts = np.bincount(unit, weights=values[:, 0]), np.bincount(unit).astype(float)
                    held[at] += _holds(clustered_mean(sums, counts, float(sums.sum())).interval(), 0.57)
                    wrong[at] += paired_contrasts(values, unit, 1.0).p[0] < 0.05
            cells = " | ".join(f"{100 * share / runs:.1f}" for share in (*held, *wrong))
            yield f"| {name} | {100 * alike:.0f} % | {cells} |"


def _right(
    p: float, alike: float, shared: Floats, common: Floats, number: np.ndarray, rng: np.random.Generator
) -> Floats:
    """One model's answers; half of what is a template's, and half of what is not, is common to all models."""
    template = (shared + rng.standard_normal(shared.size)) / np.sqrt(2)
    rest = (common + rng.standard_normal(common.size)) / np.sqrt(2)
    latent = np.sqrt(alike) * template[number] + np.sqrt(1 - alike) * rest
    return (latent < NormalDist().inv_cdf(p)).astype(np.float64)


def topics(runs: int) -> Iterator[str]:
    """Six topics of 83 questions from one population, which models and cultures share."""
    yield "| models x cultures | alike | by question | as the paper |"
    yield "|---" * 4 + "|"
    for models, cultures, alike in TOPICS:
        rng, wrong, questions = np.random.default_rng(2), np.zeros(2), 6 * 83
        key = pl.DataFrame({"number": np.arange(models * cultures * questions)}).select(
            question=pl.format("q{}", pl.col("number") % questions),
            topic=pl.format("t{}", pl.col("number") % questions % 6),
            culture=pl.format("c{}", pl.col("number") // questions % cultures),
            endpoint=pl.format("m{}", pl.col("number") // questions // cultures),
            task=pl.lit("blend/saq"),
            counted=pl.lit(True),
        )
        for _ in range(runs):
            latent = np.sqrt(alike) * rng.standard_normal(questions) + np.sqrt(0.3) * rng.standard_normal(
                (cultures, questions)
            )
            latent = latent + np.sqrt(0.7 - alike) * rng.standard_normal((models, cultures, questions))
            right = latent < rng.normal(0, 0.4, (models, cultures, 1))
            judged = key.with_columns(sem_b=right.ravel().astype(np.float64))
            means = judged.group_by("endpoint", "culture", "topic").agg(score=pl.col("sem_b").mean())
            wrong += [one_way(rows, "score", "topic").p < 0.05 for rows in (question_means(judged), means)]
        cells = " | ".join(f"{100 * share / runs:.1f}" for share in wrong)
        yield f"| {models} x {cultures} | {100 * alike:.0f} % | {cells} |"


def ranks(runs: int) -> Iterator[str]:
    """Equal models told apart, and ranges of ranks that hold the true rank of models a little apart."""
    yield f"| what | {' | '.join(f'{n} questions' for n in FEW)} |"
    yield "|---" * (1 + len(FEW)) + "|"
    for models in (5, 10):
        for rows, common in ((1, 0.0), (1, 0.36), (4, 0.36)):
            cells = [_told_apart(np.full(models, 0.5), n, rows, common, runs) for n in FEW]
            per = "one row" if rows == 1 else "four rows"
            what = f"{models} equal models, {per} per question, {100 * common:.0f} % in common"
            yield (
                f"| {what}: one told apart from the first | "
                f"{' | '.join(f'{first:.1f}' for first, _ in cells)} |"
            )
            yield f"| {what}: any two told apart | {' | '.join(f'{any_two:.1f}' for _, any_two in cells)} |"
    held = [_ranges(np.linspace(0.60, 0.52, 5), n, runs) for n in FEW]
    yield (
        "| five models from .60 to .52: ranges that hold the true rank | "
        f"{' | '.join(f'{each:.1f}' for each in held)} |"
    )


def _models(
    levels: Floats, n: int, rows: int, common: float, rng: np.random.Generator
) -> tuple[Floats, np.ndarray]:
    number = np.arange(n * rows) // rows
    question = np.sqrt(common) * rng.standard_normal((n, 1)) + np.sqrt(1 - common) * rng.standard_normal(
        (n, levels.size)
    )
    latent = (
        question
        if rows == 1
        else np.sqrt(0.5) * question[number] + np.sqrt(0.5) * rng.standard_normal((n * rows, levels.size))
    )
    return (latent < [NormalDist().inv_cdf(level) for level in levels]).astype(np.float64), number


def _told_apart(levels: Floats, n: int, rows: int, common: float, runs: int) -> tuple[float, float]:
    rng, first, any_two = np.random.default_rng(3), 0, 0
    for _ in range(runs):
        found = paired_contrasts(*_models(levels, n, rows, common, rng), 1.0)
        p = np.array(holm(found.p.tolist()))
        order = ranks_of_pairs(found.matrix(found.difference, opposite=True), found.matrix(p))
        first += not all(order.level)
        any_two += bool((p < 0.05).any())
    return 100 * first / runs, 100 * any_two / runs


def _ranges(levels: Floats, n: int, runs: int) -> float:
    rng, held = np.random.default_rng(4), 0
    for _ in range(runs):
        found = paired_contrasts(*_models(levels, n, 1, 0.0, rng), 1.0)
        p = np.array(holm(found.p.tolist()))
        order = ranks_of_pairs(found.matrix(found.difference, opposite=True), found.matrix(p))
        held += sum(
            low <= at <= high
            for at, low, high in zip(range(1, levels.size + 1), order.low, order.high, strict=True)
        )
    return 100 * held / runs / levels.size


def wobbles(runs: int) -> Iterator[str]:
    """Two cultures of 60 questions, asked in several orders."""
    yield (
        "| orders | orders move a score by | true gap | wobble | orders said to move it | gap said to "
        "come from them |"
    )
    yield "|---" * 6 + "|"
    for orders in ORDERS:
        key = pl.DataFrame({"number": np.arange(2 * orders * 60)}).select(
            endpoint=pl.lit("m"),
            item=pl.format("i{}", pl.col("number") % 120),
            question=pl.format("i{}", pl.col("number") % 120),
            culture=pl.when(pl.col("number") % 120 < 60).then(pl.lit("KR")).otherwise(pl.lit("US")),
            language=pl.lit("en"),
            variant=pl.format("plain~order-{}", pl.col("number") // 120 + 2),
            sample=pl.lit(0),
        )
        for moves, gap in ((0, 0), (0, 20), (10, 0), (10, 10), (10, 20)):
            rng, wobble, moved, within = np.random.default_rng(5), 0.0, 0, 0
            for _ in range(runs):
                level = rng.beta(3, 3, 120) + 0.01 * np.repeat([gap / 2, -gap / 2], 60)
                offs = 0.01 * np.repeat(rng.normal(0, moves, (orders, 2)), 60, axis=1)
                right = (rng.random((orders, 120)) < level + offs).astype(np.float64)
                gaps = consistency_tables(key.with_columns(right=right.ravel()), "t/t", "right", None)[
                    1
                ].rows.row(0, named=True)
                wobble, moved, within = (
                    wobble + gaps["wobble"],
                    moved + (gaps["wobble_p"] < 0.05),
                    within + gaps["within_wobble"],
                )
            cells = " | ".join(f"{100 * share / runs:.1f}" for share in (moved, within))
            yield f"| {orders} | {moves} | {gap} | {wobble / runs:.1f} | {cells} |"


def skewed(runs: int) -> Iterator[str]:
    """Similarities, hits and counts, one per question."""
    sizes = (10, 15, 30, 60, 100, 500)
    yield f"| values | bounds | {' | '.join(f'{n} questions' for n in sizes)} |"
    yield "|---" * (2 + len(sizes)) + "|"
    items = np.arange(1, 5) @ np.array(HITS_PER_SENTENCE)

    def similar(n: int, rng: np.random.Generator) -> Floats:
        return np.where(rng.random(n) < 0.05, 0.0, 0.8 + 0.1 * rng.random(n))

    def hits(p: float) -> Callable[[int, np.random.Generator], Floats]:
        return lambda n, rng: rng.binomial(rng.choice([1, 2, 3, 4], n, p=HITS_PER_SENTENCE), p).astype(
            np.float64
        )

    cases: tuple[
        tuple[str, tuple[float, float] | None, float, Callable[[int, np.random.Generator], Floats]], ...
    ] = (
        ("CSI_bert, 5 % zeros", (0.0, 1.0), 0.95 * 0.85, similar),
        ("CSI_bert, 5 % zeros", (-0.544, 1.0), 0.95 * 0.85, similar),
        *((f"HP-CSI per sentence, {p:.0%} hit", (0.0, 4.0), items * p, hits(p)) for p in (0.05, 0.5, 0.95)),
        ("the same similarities", None, 0.95 * 0.85, similar),
        (
            "answers given",
            None,
            1.4,
            lambda n, rng: rng.choice([1.0, 2, 3, 5, 8], n, p=[0.85, 0.06, 0.04, 0.03, 0.02]),
        ),
        ("lognormal", None, float(np.exp(0.5)), lambda n, rng: rng.lognormal(0, 1, n)),
    )
    for name, bounds, true, draw in cases:
        cells = []
        for n in sizes:
            rng, held, told = np.random.default_rng(6), 0, 0
            for _ in range(runs):
                values = draw(n, rng)
                interval = clustered_mean(values, np.ones(n), float(values @ values), bounds).interval()
                told += interval.low == interval.low
                held += _holds(interval, true)
            cells.append(f"{100 * held / told:.1f}" if told else "none")
        shown = "none" if bounds is None else f"{bounds[0]:g} to {bounds[1]:g}"
        yield f"| {name} | {shown} | {' | '.join(cells)} |"


def averages(runs: int) -> Iterator[str]:
    """Unweighted means over groups of one row per question, and shrunk scores of groups that differ a
    little."""
    shares = (0.5, 0.8, 0.9, 0.97)
    yield f"| mean over | {' | '.join(f'p = {p:g}' for p in shares)} |"
    yield "|---" * (1 + len(shares)) + "|"
    sizes = {
        "2 of 30": [30] * 2,
        "9 of 5": [5] * 9,
        "9 of 30": [30] * 9,
        "16 of 5": [5] * 16,
        "15 of 30 and 1 of a single question": [1] + [30] * 15,
        "16 of 3 to 500": [3, 5, 8, 12, 20, 30, 40, 60, 80, 100, 150, 200, 250, 300, 400, 500],
        "136 of 3": [3] * 136,
    }
    for name, numbers in sizes.items():
        cells = []
        for p in shares:
            rng, held = np.random.default_rng(7), 0
            for _ in range(runs):
                right = rng.binomial(numbers, p).tolist()
                parts = [wilson(each, n) for each, n in zip(right, numbers, strict=True)]
                held += _holds(
                    interval_of_average(
                        [each / n for each, n in zip(right, numbers, strict=True)], parts, numbers
                    ),
                    p,
                )
            cells.append(f"{100 * held / runs:.1f}")
        yield f"| {name} | {' | '.join(cells)} |"
    for groups, n, spread in ((45, 7, 0.1), (16, 30, 0.05), (16, 30, 0.1), (16, 30, 0.2)):
        cells = []
        for p in shares:
            total, rng, held = p * (1 - p) / spread**2 - 1, np.random.default_rng(8), 0.0
            for _ in range(runs // 2):
                truth = rng.beta(p * total, (1 - p) * total, groups) if total > 0 else np.full(groups, np.nan)
                if total > 0:
                    found = shrink(rng.binomial(n, truth).astype(float), np.full(groups, float(n)))
                    held += float(((found.low <= truth) & (truth <= found.high)).mean())
            cells.append(f"{100 * held / (runs // 2):.1f}" if total > 0 else "–")
        yield f"| shrunk, {groups} of {n}, which differ by {100 * spread:.0f} points | {' | '.join(cells)} |"


def treatments(runs: int) -> Iterator[str]:
    """BLEnD's structure: a treatment less the mean of three placebos, in one culture of so many questions and
    over 16 cultures that share 500 templates; and how often Holm over 16 cultures names one where the
    treatment does nothing."""
    yield "| structure | questions | effect | p = 0.02 | p = 0.1 | p = 0.5 | p = 0.9 | p = 0.98 |"
    yield "|---" * 8 + "|"
    for cultures, questions in ((1, 10), (1, 30), (1, 100), (1, 500), (16, 500)):
        for effect in (0.0, 0.05):
            cells = []
            for p in (0.02, 0.1, 0.5, 0.9, 0.98):
                held, true = 0, effect if p < 0.5 else -effect
                rng = np.random.default_rng(8)
                for _ in range(runs):
                    values, number = _arms(p, p + true, cultures, questions, rng)
                    test = paired_contrasts(values, number, 1.0)
                    held += test.low[0] - 1e-12 <= true <= test.high[0] + 1e-12
                cells.append(f"{100 * held / runs:.1f}")
            what = "one culture" if cultures == 1 else "16 cultures"
            yield f"| {what} | {questions} | {100 * effect:.0f} points | {' | '.join(cells)} |"
    for questions in (30, 500):
        cells = []
        for p in (0.02, 0.1, 0.5, 0.9, 0.98):
            rng, named = np.random.default_rng(9), 0
            for _ in range(runs):
                values, number = _arms(p, p, 16, questions, rng)
                own = np.split(np.arange(len(values)), 16)
                tests = [paired_contrasts(values[rows], number[rows], 1.0).p[0] for rows in own]
                named += min(holm([float(test) for test in tests])) < 0.05
            cells.append(f"{100 * named / runs:.1f}")
        yield f"| some of 16 cultures, p (Holm) < .05 | {questions} | 0 points | {' | '.join(cells)} |"


def _arms(
    control: float, treated: float, cultures: int, questions: int, rng: np.random.Generator
) -> tuple[Floats, np.ndarray]:
    """Answers under a treatment and the mean of those under three placebos, and the template of each: 60 % of
    what decides a reply is the question's, a quarter of that its template's; the rest is each arm's own."""
    number = np.tile(np.arange(questions), cultures)
    question = rng.standard_normal(number.size) * np.sqrt(0.45)
    question += np.sqrt(0.15) * rng.standard_normal(questions)[number]
    latent = question[:, None] + np.sqrt(0.4) * rng.standard_normal((number.size, 4))
    limits = np.array([NormalDist().inv_cdf(share) for share in (treated, *[control] * 3)])
    right = (latent < limits).astype(np.float64)
    return np.column_stack([right[:, 0], right[:, 1:].mean(axis=1)]), number


def _holds(interval: Interval, true: float) -> bool:
    return interval.low - 1e-12 <= true <= interval.high + 1e-12


TABLES: dict[str, tuple[Callable[[int], Iterator[str]], int]] = {
    "templates": (templates, 300),
    "topics": (topics, 300),
    "ranks": (ranks, 500),
    "wobbles": (wobbles, 200),
    "skewed": (skewed, 1000),
    "averages": (averages, 500),
    "treatments": (treatments, 1000),
}


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.stats.relations", description="How often what relates numbers errs."
    )
    parser.add_argument(
        "--runs", type=float, default=1.0, help="samples for each cell, as a multiple of the usual number"
    )
    parser.add_argument("--only", choices=list(TABLES), help="this table alone")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {SIMULATIONS.name}")
    options = parser.parse_args()
    for name in [options.only] if options.only else list(TABLES):
        make, usual = TABLES[name]
        text = "\n".join([*make(max(1, round(usual * options.runs))), ""])
        print(text)
        if options.write:
            replace_table(SIMULATIONS, BEGIN.format(name), text)


if __name__ == "__main__":
    main()
