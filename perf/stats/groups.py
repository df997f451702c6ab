"""How often the intervals of analyses of groups hold the truth, and their tests err, by simulation.

python -m perf.stats.groups            # a minute
python -m perf.stats.groups --write    # and puts the table into SIMULATIONS.md

Models' skills are normal with a standard deviation of 12 points (``MODELS``), as is what models of one maker have
in common; an answer is right where a normal number is below a limit, a part of which is the question's.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from folkways.benchmarks.summary import interval_of_mean
from folkways.display import plural
from folkways.evidence.contrasts import ALPHA
from folkways.evidence.groups.home import welch
from folkways.evidence.groups.resources import least_squares
from folkways.evidence.weak_spots import gaps_to_mean
from folkways.records import Metric
from folkways.stats.combinations import combination_of_means
from folkways.stats.hypotheses.corrections import holm
from folkways.stats.intervals import Interval, student
from perf.pages import replace_table
from perf.stats import SIMULATIONS

BEGIN = "<!-- groups: written by python -m perf.stats.groups --write -->\n"
MODELS, MAKERS = 12.0, 6.0
RIGHT = Metric("right", "Accuracy", "")
SHAPES = {
    "16 cultures share 500 questions": (16, 500, True),
    "16 cultures share 40 questions": (16, 40, True),
    "45 cultures, 27 questions each": (45, 27, False),
    "45 cultures, 12 questions each": (45, 12, False),
}


def rows(runs: int) -> Iterator[str]:
    """The table."""
    rng = np.random.default_rng(1)
    yield "| what | holds | p < .05 where there is nothing |"
    yield "|---" * 3 + "|"
    for models in (3, 5, 10, 30):
        held = sum(
            _holds(*_ends(student(rng.normal(60, MODELS, models), (0, 100))), 60.0) for _ in range(runs)
        )
        yield f"| mean over models, over {models} models | {100 * held / runs:.1f} | |"
    for name, shape in SHAPES.items():
        held = sum(_home(rng, *shape) for _ in range(runs))
        yield f"| home advantage over questions, 2 models against 6; {name} | {100 * held / runs:.1f} | |"
    for first, second in ((3, 6), (6, 6)):
        sides = [[rng.normal(0, MAKERS, size) for size in (first, second)] for _ in range(runs)]
        share = 100 * sum(_holds(*welch(*side), 0.0) for side in sides) / runs
        yield f"| home advantage over makers, {first} against {second} | {share:.1f} | {100 - share:.1f} |"
    for spread in (0.0, 8.0):
        one, two, three = 100 * np.array([_trend(rng, spread) for _ in range(runs)]).mean(axis=0)
        what = f"trend, 13 languages of 16 cultures, {spread:g} points of a language's own"
        yield f"| {what} | {100 - one:.1f} | {one:.1f}; by culture {two:.1f}; by question {three:.1f} |"
    for right in (0.5, 0.95):
        for questions in ((20, 20), (8, 60), (60, 8)):
            found = 100 * np.mean([_unequal_trend(rng, right, *questions) for _ in range(runs)])
            sizes = f"{questions[0]} questions below class 4 and {questions[1]} from it on"
            yield (
                f"| trend, 8 languages, {100 * right:g} % right, {sizes} | {100 - found:.1f} | {found:.1f} |"
            )
    for right in (0.03, 0.5, 0.97):
        for samples in (1, 4):
            found = 100 * np.mean([_weak_spot(rng, right, samples) for _ in range(runs)])
            what = f"weak spots, 16 cultures of 12 questions, {plural(samples, 'row')} each"
            yield f"| {what}, {100 * right:g} % right | | {found:.1f} |"


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def _holds(low: float, high: float, truth: float) -> bool:
    return low <= truth <= high


def _home(rng: np.random.Generator, cultures: int, questions: int, shared: bool) -> bool:
    """Whether the interval of a home advantage holds what these models would show on all questions of the kind:
    no advantage, but for what a culture that is easy or hard for everybody makes of unequal skills."""
    codes = np.repeat(np.arange(cultures), questions)
    numbers = np.tile(np.arange(questions), cultures) if shared else np.arange(cultures * questions)
    ease = 0.4 * rng.standard_normal(cultures)
    latent = 0.4 * rng.standard_normal(numbers.max() + 1)[numbers] + ease[codes]
    weights = np.full(cultures, -1 / (cultures - 1))
    weights[0] = 1.0
    sides, truths = [], []
    for models in (2, 6):
        skill = 0.35 * rng.standard_normal((models, 1)) + 0.3
        taste = 0.3 * rng.standard_normal((models, numbers.max() + 1))[:, numbers]
        sides.append((rng.standard_normal((models, codes.size)) < skill + latent + taste).mean(axis=0))
        truths.append(ndtr((skill + ease) / np.sqrt(1 + 0.4**2 + 0.3**2)).mean(axis=0) @ weights)
    test = combination_of_means(sides[0] - sides[1], codes, numbers, weights)
    return _holds(test.low, test.high, truths[0] - truths[1])


CLASSES = np.array([5, 5, 5, 5, 3, 5, 4, 5, 3, 4, 4, 1, 1, 1, 2, 2], dtype=np.float64)
LANGUAGES = np.array([0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 4, 8, 9, 10, 11, 12])
"""Of BLEnD's cultures."""


def _trend(rng: np.random.Generator, spread: float) -> tuple[bool, bool, bool]:
    """Whether p is below .05 without a trend: by language, by culture, and by 100 questions of each "
    "culture."""
    means = 50 + spread * rng.standard_normal(13)[LANGUAGES] + 6 * rng.standard_normal(16)
    values = 100.0 * (rng.random((16, 100)) < np.clip(means, 2, 98)[:, None] / 100)
    scores, first = values.mean(axis=1), np.unique(LANGUAGES, return_index=True)[1]
    by_language = np.bincount(LANGUAGES, weights=scores) / np.bincount(LANGUAGES)
    return (
        least_squares(CLASSES[first], by_language)[3] < 0.05,
        least_squares(CLASSES, scores)[3] < 0.05,
        least_squares(np.repeat(CLASSES, 100), values.ravel())[3] < 0.05,
    )


def _unequal_trend(rng: np.random.Generator, right: float, below: int, above: int) -> bool:
    """Whether p is below .05 without a trend, where the languages of some classes have more questions."""
    classes = np.array([0, *rng.integers(0, 6, 6), 5], dtype=np.float64)
    sizes = np.where(classes >= 4, above, below)
    return least_squares(classes, 100 * rng.binomial(sizes, right) / sizes)[3] < 0.05


def _weak_spot(rng: np.random.Generator, right: float, samples: int) -> bool:
    """Whether any of 16 cultures that are alike is called weak; samples: rows of each question, which are alike
    for the most part."""
    numbers = np.repeat(np.arange(12), samples)
    groups = []
    for _ in range(16):
        chances = rng.beta(right, 1 - right, 12) if samples > 1 else np.full(12, right)
        values = (rng.random(numbers.size) < chances[numbers]).astype(np.float64)
        low, high = _ends(interval_of_mean(values, numbers, RIGHT))
        groups.append({"score": 100 * values.mean(), "low": 100 * low, "high": 100 * high})
    gaps = gaps_to_mean(groups, RIGHT)
    corrected = holm([gap.p for gap in gaps])
    return any(p < ALPHA and gap.difference < 0 for gap, p in zip(gaps, corrected, strict=True))


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help=f"put the table into {SIMULATIONS.name}")
    options = parser.parse_args()
    text = "\n".join([*rows(options.runs), ""])
    print(text)
    if options.write:
        replace_table(SIMULATIONS, BEGIN, text)


if __name__ == "__main__":
    main()
