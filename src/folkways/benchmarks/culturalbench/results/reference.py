"""What scores are seen against: guessing, computed from the questions that were asked, and what others have
published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.culturalbench.baselines import CHANCE, OPTION_ONLY, RULES
from folkways.benchmarks.culturalbench.easy import Easy
from folkways.benchmarks.culturalbench.hard import Hard
from folkways.benchmarks.culturalbench.published import PUBLISHED
from folkways.benchmarks.culturalbench.results.values import SETUPS, present
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Layout, Table

PUBLISHED_AS = {CHANCE: "random", OPTION_ONLY: "options alone"}
NOT_OURS = (
    "Published by others, with their prompts and of their date; nothing here is computed from these numbers."
)


def guessing(inputs: Inputs) -> Sequence[Table]:
    """The task's baselines on the questions that were asked, beside what was published of them."""
    rows: list[dict[str, Any]] = []
    known = {
        (task, model): score
        for task, model, score in PUBLISHED.figures()
        .filter(kind="baseline")
        .select("task", "model", "score")
        .iter_rows()
    }
    for task in (Easy(), Hard()):
        if task.name not in present(inputs):
            continue
        items = task.items(inputs.releases[task.name])
        asked = items.filter(pl.col("item").is_in(inputs.of(task.name)["item"].unique().implode()))
        for name, judged in task.baselines(asked).items():
            whole = summarise_means(judged, task.name, task.metrics[:1], (), [()]).row(0, named=True)
            rows.append(
                {
                    "setup": SETUPS[task.name],
                    "baseline": name,
                    "rule": RULES.get(
                        (SETUPS[task.name], name),
                        f"the answer is always {name.rpartition(':')[2]}, the letter that is right most "
                        "often",
                    ),
                    **{column: whole[column] for column in ("score", "low", "high", "n")},
                    "published": known.get((task.name, PUBLISHED_AS.get(name, ""))),
                }
            )
    return (
        Table(
            "guessing",
            "What guessing gives (section 5)",
            "Percent of questions that were asked: exact expectations, with Wilson's interval for a "
            "guesser on so many questions.",
            pl.DataFrame(rows),
            notes=(
                "The published estimate for the options alone is 40 % on Easy; by which similarity is not "
                "known.",
                "Ours, of trigrams, finds the name of a country and not its ways: a rule that knows more "
                "words may find more.",
            ),
        ),
    )


def reference_points(inputs: Inputs) -> Sequence[Table]:
    """The paper's and the leaderboard's scores, in tables of their own."""
    rows = PUBLISHED.figures().filter(pl.col("task").is_in(present(inputs)))
    setup = pl.col("task").replace_strict(SETUPS).alias("setup")
    paper = rows.filter(pl.col("place") != "leaderboard")
    regions = rows.filter(pl.col("place") == "leaderboard").select(
        setup, model=pl.col("model") + " (published)", region="value", published="score"
    )
    unit = "Percent. " + NOT_OURS
    return (
        Table(
            "published-scores",
            "Published: scores in the paper",
            unit,
            paper.select(
                pl.col("place").alias("source"),
                setup,
                subject="model",
                kind="kind",
                group="value",
                published="score",
            ),
        ),
        Table(
            "published-regions",
            "Published: regions on the leaderboard, first 16 models",
            unit,
            regions,
            Layout("model", "region", "published", decimals=1, by="setup", drawn="heatmap"),
            notes=(
                "Regions are unweighted means over their countries, as are ours. The numbers come without "
                "intervals.",
            ),
        ),
    )
