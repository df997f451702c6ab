"""Global PIQA, non-parallel: everyday physical situations, written by people in their own language variety
(arXiv 2510.24081)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.multiple_choice.release import ChoiceReader, Repeats, check_question
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.benchmarks.published import PublishedFigures
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Table
from folkways.records import DataIssue
from folkways.releases.release_records import Release
from folkways.stats.shrinkage import shrunk_scores
from folkways.toml_files import packaged_toml

TASK = ChoiceTask.from_toml("folkways.benchmarks.global_piqa", "mcq.toml")


PER_VARIETY = 100
VARIETIES_BEFORE = 116
"""Varieties in the state before June 2026; 136 since."""


def countries() -> Mapping[str, str]:
    """Variety -> the culture that it is at home in."""
    return packaged_toml("folkways.benchmarks.global_piqa", "varieties.toml")


class PiqaReader(ChoiceReader):
    """Checks the varieties, beyond what every multiple choice is checked for."""

    def check(self, release: Release) -> list[DataIssue]:
        """Odd cells, solutions and labels; repeats; varieties that are unknown or do not have 100
        situations."""
        issues: list[DataIssue] = []
        repeats = Repeats("duplicate-prompt", "the same situation with the same solutions")
        counts: Counter[str] = Counter()
        of: dict[str, str] = {}
        for entry in self.declared.entries(release):
            file, row, variety = entry["file"], entry["row"], entry["variety"]
            counts[variety] += 1
            of[variety] = file
            issues += check_question(
                file, row, entry["text"], entry["shown_options"], entry["gold_letter"], self.labels
            )
            issues += repeats.issues(
                file, row, (variety, entry["text"], *sorted(entry["shown_options"])), entry["text"][:80]
            )
        for variety, count in counts.items():
            if variety not in countries():
                issues.append(
                    DataIssue(
                        of[variety],
                        "unknown-variety",
                        "a variety that folkways puts in no country",
                        key=variety,
                    )
                )
            if count != PER_VARIETY:
                message = f"{count} situations in place of {PER_VARIETY}"
                issues.append(DataIssue(of[variety], "variety-count", message, key=variety))
        if len(counts) == VARIETIES_BEFORE:
            message = (
                "116 varieties, as before June 2026: the data have changed since, and newer scores "
                "cannot be compared"
            )
            issues.append(DataIssue(of[min(of)], "older-state", message))
        return issues


READER = PiqaReader(TASK)


METRIC = TASK.metrics[0]


def varieties(inputs: Inputs) -> Sequence[Table]:
    """Every variety of every model: score, shrunk score, and the weight of the variety's own replies in
    it."""
    scores = []
    for (endpoint,), judged in inputs.of(TASK.name).group_by(["endpoint"], maintain_order=True):
        of_model = summarise_means(judged, TASK.name, (METRIC,), ("variety",), [("variety",)])
        scores.append(
            of_model.with_columns(endpoint=pl.lit(endpoint), profile=pl.lit("strict"), signature=pl.lit(""))
        )
    shrunk = shrunk_scores(pl.concat(scores), {TASK.name: (METRIC,)}, "variety")
    columns = ("score", "low", "high", "n", "shrunk", "shrunk_low", "shrunk_high", "weight")
    return (
        Table(
            "varieties",
            "Language varieties, shrunk",
            "Percent of situations, which are the unit. Shrunk scores move a variety towards the others of "
            "the same model, more so with fewer situations (a hierarchical beta-binomial model); weight is "
            "the share of its own replies.",
            shrunk.select("endpoint", pl.col("value").alias("variety"), *columns),
            notes=(
                "A shrunk score is a better estimate of how a model does in a variety, and a worse summary "
                "of what was measured. There is none for fewer than three varieties.",
                "Chance is 50 %. Situations of different varieties are different ones: a lower score may "
                "be a harder hundred.",
            ),
        ),
    )


RESULTS = (
    Result(
        "varieties",
        "Language varieties, shrunk",
        varieties,
        "",
        "In which varieties is a model better or worse?",
        (TASK.name,),
    ),
    consistency(TASK.name, "accuracy"),
)


BENCHMARK = Benchmark(
    "global-piqa",
    "Global PIQA",
    (TASK,),
    reader=READER,
    results=RESULTS,
    published=PublishedFigures("folkways.benchmarks.global_piqa.published"),
    caution=(
        "The data changed in June 2026: scores of before cannot be compared. A variety has 100 situations, "
        "and is good to 6 to 10 points: read the shrunk ones (folkways analyse RUN varieties). For "
        "evaluation only, never for training."
    ),
)
