"""Speed and memory of scores with intervals and of comparisons, for 30 models with 80,000 judgements each.

python -m perf.stats            # the table
python -m perf.stats --write    # and puts it into perf/stats/RESULTS.md

The judgements have the structure of BLEnD's short answers: 500 questions in 16 cultures, in two languages and
five wordings, six topics; a right-or-wrong metric and a weighted one. The goal is that of the project: scores
under 10 s and 2 GB.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from folkways.benchmarks.summary import summarise_means
from folkways.evidence.comparison import compare_judgements
from folkways.records import Metric, State
from folkways.reports.views.reference import reference_points
from folkways.stats.shrinkage import shrunk_scores
from perf.pages import replace_table

PAGE = Path(__file__).with_name("RESULTS.md")
MODELS, CULTURES, QUESTIONS, VARIANTS = 30, 16, 500, 5
METRICS = (Metric("sem_b", "SEM-B", ""), Metric("sem_w", "SEM-W", "", kind="mean"))
BEGIN = "<!-- written by python -m perf.stats --write -->\n"


def frame() -> pl.DataFrame:
    """Everything about 80,000 judgements but what a model answered."""
    rows = [
        (c, q, lang, v)
        for c in range(CULTURES)
        for q in range(QUESTIONS)
        for lang in range(2)
        for v in range(VARIANTS)
    ]
    culture, question, language, variant = (np.array(column) for column in zip(*rows, strict=True))
    n = len(rows)
    return pl.DataFrame(
        {
            "task": ["perf/saq"] * n,
            "item": [f"C{c}/q{q}" for c, q in zip(culture, question, strict=True)],
            "question": [f"q{q}" for q in question],
            "culture": [f"C{c}" for c in culture],
            "language": np.where(language == 0, "en", [f"l{c}" for c in culture]),
            "variant": [f"v{v}" for v in variant],
            "topic": [f"t{q % 6}" for q in question],
            "sample": np.zeros(n, dtype=np.int64),
            "counted": np.ones(n, dtype=bool),
            "answer": [""] * n,
            "reason": [""] * n,
        }
    )


def judged(base: pl.DataFrame, model: int) -> pl.DataFrame:
    """One model's judgements: rows of a question resemble one another, two in a hundred got no reply."""
    rng = np.random.default_rng(model)
    number = np.unique(base["question"].to_numpy(), return_inverse=True)[1]
    level = np.clip(0.3 + 0.01 * model + 0.2 * rng.standard_normal(QUESTIONS)[number], 0, 1)
    right = (rng.random(base.height) < level).astype(np.float64)
    state = rng.choice([str(state) for state in State], base.height, p=[0.92, 0.03, 0.03, 0.0, 0.01, 0.01])
    said = (state == State.ANSWERED.value).astype(np.float64)
    weights = rng.choice([0.25, 0.5, 1.0], base.height)
    return base.with_columns(
        state=pl.Series(state), sem_b=pl.Series(right * said), sem_w=pl.Series(right * said * weights)
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def measure() -> Iterator[str]:
    """The table's lines."""
    base = frame()
    yield "| what | CPU s | wall s | peak MB | goal |"
    yield "|---|---|---|---|---|"
    scores: list[pl.DataFrame] = []

    def score() -> None:
        for model in range(MODELS):
            one = summarise_means(frames[f"m{model}"], "perf/saq", METRICS, ("topic",))
            scores.append(
                one.with_columns(endpoint=pl.lit(f"m{model}"), profile=pl.lit("strict"), signature=pl.lit(""))
            )

    frames = {f"m{model}": judged(base, model) for model in range(MODELS)}
    yield _line(f"the judgements of {MODELS} models x {base.height:,}, in memory", (0.0, 0.0), "")
    spent = timed(score)
    yield _line(f"scores with intervals, {sum(one.height for one in scores):,} of them", spent, "10 s, 2 GB")
    whole = pl.concat(scores)
    yield _line(
        "shrunken scores of every model and metric",
        timed(lambda: shrunk_scores(whole, {"perf/saq": METRICS})),
        "",
    )
    yield _line("places between published scores", timed(lambda: reference_points(whole, {})), "")
    compared = timed(lambda: compare_judgements(frames, "perf/saq", "strict", METRICS[0]))
    yield _line(
        f"comparison of all {MODELS * (MODELS - 1) // 2} pairs, by culture and wording",
        compared,
        "10 s, 2 GB",
    )


def _line(what: str, spent: tuple[float, float], goal: str) -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = " | ".join(f"{value:.1f}" if value else "" for value in spent)
    return f"| {what} | {seconds} | {peak:,.0f} | {goal} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.stats", description="Speed and memory of scores and comparisons."
    )
    parser.add_argument("--write", action="store_true", help="put the table into perf/stats/RESULTS.md")
    options = parser.parse_args()
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    lines = list(measure())
    told = "\n".join(
        [*lines, "", f"{datetime.now(UTC):%Y-%m-%d}, {machine}, load {os.getloadavg()[0]:.1f} at the end."]
    )
    print(told)
    if options.write:
        replace_table(PAGE, BEGIN, f"{told}\n")


if __name__ == "__main__":
    main()
