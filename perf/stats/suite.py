"""What the lite suite's scores are known to, and how often intervals of culture profiles hold the truth, by
simulation.

python -m perf.stats.suite            # some minutes; BLEnD's items need the reference data beside the checkout
python -m perf.stats.suite --write    # and puts the tables into SIMULATIONS.md

Cultures and numbers of questions are those of the benchmarks: BLEnD's from its data, CulturalBench's and
NormAd's as published, 100 situations for every variety of Global PIQA; of INCLUDE, whose countries are not
told apart here, 514 in each of 44 languages.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from folkways.benchmarks.averages import mean_over
from folkways.benchmarks.blend import BENCHMARK as BLEND
from folkways.benchmarks.culture_profile import NAME, PROFILE
from folkways.benchmarks.global_piqa import countries
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.suites import split_task, suites
from folkways.benchmarks.summary import interval_of_mean
from folkways.cultures import cultures, get_culture
from folkways.records import Metric
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import select_items
from folkways.stats.intervals import Floats, Ints
from perf.pages import replace_table
from perf.stats import SIMULATIONS
from perf.stats.coverage import right
from tests.support.culturalbench_data import COUNTRIES

ROOT = Path(__file__).resolve().parents[2]
BEGIN_WIDTHS = "<!-- suite: written by python -m perf.stats.suite --write -->\n"
BEGIN_PROFILE = "<!-- profile: written by python -m perf.stats.suite --write -->\n"
BLEND_DATA = ROOT.parent / "shared" / "data" / "blend" / "24e7d73"
METRIC = Metric("correct", "Right", "")
ALIKE = (0.0, 0.14, 0.5)
"""0.14 is what a real system's replies to SemEval-2026's questions are alike, that ask the same of 31
regions."""

SPREADS = (0.0, 3.0, 8.0, 15.0)
"""Points: standard deviation of the true differences between cultures."""


@dataclass(frozen=True)
class Structure:
    """The items of a benchmark: culture, question, item; ``variety`` where the score is the mean over
    varieties."""

    items: pl.DataFrame

    def drawn(self, limit: int | None) -> pl.DataFrame:
        """Those that a run with this limit asks, as ``folkways run`` draws them."""
        over = "variety" if "variety" in self.items.columns else "culture"
        found = select_items(self.items, RunOptions(("suite",), limit=limit), over=over).select("item")
        return self.items.join(found, on="item", how="semi", maintain_order="left").filter("counts")


def structures() -> dict[str, Structure]:
    """Task -> its items."""
    blend = BLEND.tasks[0].items(open_release(BLEND_DATA, "blend"))
    asked = blend.select("culture", "question", counts=pl.col("skip_reason").is_null())
    normad = [culture.code for culture in cultures().values() if culture.iso3166_1 and not culture.parent][
        :75
    ]
    languages = [culture.code for culture in cultures().values() if culture.languages and not culture.parent][
        :44
    ]
    found = {
        "blend/saq": asked,
        "culturalbench/easy": _frame({get_culture(name).code: n for name, n in COUNTRIES.items()}),
        "global-piqa/mcq": pl.concat(
            [_frame({code: 100}, variety) for variety, code in countries().items()], how="vertical"
        ),
        "include/mcq": _frame(dict.fromkeys(languages, 514)),
        "normad/acceptable": _frame({**dict.fromkeys(normad, 24), "WORLD": 2633 - 24 * 75}),
    }
    return {
        task: Structure(frame.with_row_index("item").cast({"item": pl.String}))
        for task, frame in found.items()
    }


def _frame(sizes: Mapping[str, int], variety: str = "") -> pl.DataFrame:
    rows = [
        (culture, f"{variety}/{culture}/{n}", variety) for culture, size in sizes.items() for n in range(size)
    ]
    found = pl.DataFrame(rows, schema=["culture", "question", "variety"], orient="row").with_columns(
        counts=pl.lit(True)
    )
    return found if variety else found.drop("variety")


def widths(runs: int) -> Iterator[str]:
    """Half the interval of each score of the lite suite where half of the answers are right, and how often it
    holds that."""
    yield "| task | asked | counted | questions | alike | widest | mean | holds |"
    yield "|---" * 8 + "|"
    lite = dict(map(split_task, suites()["culture-suite-lite"].tasks))
    for seed, (task, structure) in enumerate(structures().items()):
        limit = lite[task]["limit"]
        assert isinstance(limit, int)
        drawn = structure.drawn(limit).sort("question")
        sizes = drawn.group_by("question", maintain_order=True).len()["len"].to_numpy().astype(np.float64)
        for alike in ALIKE if sizes.max() > 1 else ALIKE[:1]:
            rng = np.random.default_rng(seed)
            ends = np.array([_ends(drawn, right(0.5, sizes, alike, None, rng)) for _ in range(runs)])
            half, held = (ends[:, 1] - ends[:, 0]) / 2, (ends[:, 0] <= 50) & (ends[:, 1] >= 50)
            told = (
                f"{limit} | {drawn.height} | {sizes.size} | {100 * alike:.0f} % | ±{half.max():.1f} | "
                f"±{half.mean():.1f}"
            )
            yield f"| `{task}` | {told} | {100 * held.mean():.1f} |"


def _ends(drawn: pl.DataFrame, values: Floats) -> tuple[float, float]:
    """The interval of the headline score, in points, as the task's own summary makes it."""
    if "variety" in drawn.columns:
        judged = drawn.with_columns(correct=pl.Series(values), state=pl.lit("answered"))
        told = mean_over(judged, METRIC, "variety", "variety")
        return float(told["low"]), float(told["high"])  # type: ignore[arg-type]
    questions: Ints = drawn["question"].rle_id().cast(pl.Int64).to_numpy()
    found = interval_of_mean(values, questions, METRIC)
    return 100 * found.low, 100 * found.high


def profiles(runs: int) -> Iterator[str]:
    """Of the differences of a culture profile: how many intervals hold the true one, and how far off raw and
    shrunk ones are."""
    yield "| suite | spread | of | numbers | holds | half width | off, raw | off, shrunk |"
    yield "|---" * 8 + "|"
    lite = dict(map(split_task, suites()["culture-suite-lite"].tasks))
    known = structures()
    for suite in ("lite", "full"):
        limits = {task: int(lite[task]["limit"]) if suite == "lite" else None for task in known}  # type: ignore[arg-type]
        drawn = {task: structure.drawn(limits[task]) for task, structure in known.items()}
        for spread in SPREADS:
            rng = np.random.default_rng(2)
            found = pl.concat(
                [
                    _profile(drawn, spread / 100, rng)
                    for _ in range(runs if suite == "lite" else max(1, runs // 5))
                ]
            )
            for (of,), part in found.group_by(["of"], maintain_order=True):
                holds = part.select(
                    ((pl.col("low") <= pl.col("true")) & (pl.col("true") <= pl.col("high"))).mean()
                ).item()
                half = part.select(((pl.col("high") - pl.col("low")) / 2).mean()).item()
                raw, shrunk = (
                    part.select(((pl.col(name) - pl.col("true")) ** 2).mean().sqrt()).item()
                    for name in ("raw", "difference")
                )
                told = f"{part.height} | {100 * holds:.1f} | ±{half:.1f} | {raw:.1f} | {shrunk:.1f}"
                yield f"| {suite} | {spread:g} | {of} | {told} |"


def _profile(drawn: Mapping[str, pl.DataFrame], spread: float, rng: np.random.Generator) -> pl.DataFrame:
    """One simulated model's profile with the ``true`` differences: a quarter of their variance is the
    region's, a half the culture's in all benchmarks, and a quarter its own in each benchmark.
    """
    known = cultures()
    codes = sorted(
        {code for frame in drawn.values() for code in frame["culture"].unique() if known[code].region}
    )
    regions = {region: rng.normal() for region in sorted({known[code].region or "" for code in codes})}
    shared = {
        code: spread * (0.5 * regions[known[code].region or ""] + np.sqrt(0.5) * rng.normal())
        for code in codes
    }
    judged, truth = [], []
    for task, frame in drawn.items():
        base = rng.uniform(0.4, 0.85)
        own = {
            code: shared.get(code, 0.0) + 0.5 * spread * rng.normal()
            for code in frame["culture"].unique(maintain_order=True)
        }
        shares = {code: float(np.clip(base + value, 0.03, 0.97)) for code, value in own.items()}
        chance = frame["culture"].replace_strict(shares).to_numpy()
        told = frame.select("culture", "question").with_columns(
            correct=pl.Series((rng.random(chance.size) < chance).astype(float))
        )
        judged.append(told.with_columns(task=pl.lit(task)))
        mean = np.mean([share for code, share in shares.items() if code != "WORLD"])
        truth += [
            (task.split("/")[0], code, 100 * (share - mean))
            for code, share in shares.items()
            if code != "WORLD"
        ]
    frame = pl.concat(judged).with_columns(
        endpoint=pl.lit("model"),
        profile=pl.lit("strict"),
        language=pl.lit("en"),
        counted=pl.lit(True),
        state=pl.lit("answered"),
    )
    inputs = Inputs(judged=frame, metrics=dict.fromkeys(drawn, (METRIC,)))
    true = pl.DataFrame(truth, schema=["benchmark", "culture", "true"], orient="row").with_columns(
        region=pl.col("culture").replace_strict(
            {code: known[code].region for code in known}, return_dtype=pl.String
        )
    )
    in_regions = true.drop_nulls("region").group_by("benchmark", "region").agg(pl.col("true").mean())
    truths = {
        "regions": in_regions.group_by("region").agg(pl.col("true").mean()),
        "cultures": true.group_by("culture").agg(pl.col("true").mean()),
        "region-benchmarks": in_regions,
        "culture-benchmarks": true.drop("region"),
    }
    parts = []
    for table in PROFILE.make(inputs):
        of = table.name.removeprefix(f"{NAME}-")
        keys = [name for name in ("region", "culture", "benchmark") if name in truths[of].columns]
        rows = table.rows.join(truths[of], on=keys).select("difference", "low", "high", "raw", "true")
        parts.append(rows.with_columns(of=pl.lit(of.replace("-", " and "))))
    return pl.concat(parts)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.stats.suite", description="What a suite's numbers are known to."
    )
    parser.add_argument(
        "--runs", type=int, default=100, help="samples for each cell; a fifth for the full suite's profiles"
    )
    parser.add_argument("--write", action="store_true", help="put the tables into SIMULATIONS.md")
    options = parser.parse_args()
    for begin, lines in ((BEGIN_WIDTHS, widths(10 * options.runs)), (BEGIN_PROFILE, profiles(options.runs))):
        told = "\n".join([*lines, ""])
        print(told)
        if options.write:
            replace_table(SIMULATIONS, begin, told)


if __name__ == "__main__":
    main()
