"""What scores are seen against: guessing, computed from the questions that were asked, and what others have published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.analyses import Findings
from folkways.benchmarks.culturalbench.analyses.values import SETUPS, present
from folkways.benchmarks.culturalbench.baselines import CHANCE, OPTION_ONLY, RULES
from folkways.benchmarks.culturalbench.easy import Easy
from folkways.benchmarks.culturalbench.hard import Hard
from folkways.benchmarks.culturalbench.published import published
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Layout, Table

PUBLISHED_AS = {CHANCE: "random", OPTION_ONLY: "options alone"}
NOT_OURS = "Published by others, with their prompts and of their date; nothing here is computed from these numbers."


def guessing(findings: Findings) -> Sequence[Table]:
    """The task's baselines on the questions that were asked, beside what was published of them."""
    rows: list[dict[str, Any]] = []
    known = {
        (row["setup"], row["subject"]): row["value"]
        for row in published().filter(pl.col("kind") == "baseline").iter_rows(named=True)
    }
    for task in (Easy(), Hard()):
        if task.name not in present(findings):
            continue
        items = task.items(findings.releases[task.name])
        asked = items.filter(pl.col("item").is_in(findings.of(task.name)["item"].unique().implode()))
        for name, judged in task.baselines(asked).items():
            whole = summarise_means(judged, task.name, task.metrics[:1], (), [()]).row(0, named=True)
            rows.append(
                {
                    "setup": SETUPS[task.name],
                    "baseline": name,
                    "rule": RULES.get(
                        (SETUPS[task.name], name),
                        f"the answer is always {name.rpartition(':')[2]}, the letter that is right most often",
                    ),
                    **{column: whole[column] for column in ("score", "low", "high", "n")},
                    "published": known.get((task.name.rpartition("/")[2], PUBLISHED_AS.get(name, ""))),
                }
            )
    return (
        Table(
            "guessing",
            "What guessing gives (section 5)",
            "Percent of questions that were asked: exact expectations, with Wilson's interval for a guesser on so many questions.",
            pl.DataFrame(rows),
            notes=(
                "The published estimate for the options alone is 40 % on Easy; by which similarity is not known.",
                "Ours, of trigrams, finds the name of a country and not its ways: a rule that knows more words may find more.",
            ),
        ),
    )


def reference_points(findings: Findings) -> Sequence[Table]:
    """The paper's and the leaderboard's scores, in tables of their own."""
    setups = [task.rpartition("/")[2] for task in present(findings)]
    rows = published().filter(pl.col("setup").is_in(setups)).with_columns(pl.col("setup").str.to_titlecase())
    paper = rows.filter(pl.col("source") != "leaderboard")
    regions = rows.filter(pl.col("source") == "leaderboard").select(
        "setup", model=pl.col("subject") + " (published)", region="group", published="value"
    )
    unit = "Percent. " + NOT_OURS
    return (
        Table("published-scores", "Published: scores in the paper", unit, paper.rename({"value": "published"}).drop("facet")),
        Table(
            "published-regions",
            "Published: regions on the leaderboard, first 16 models",
            unit,
            regions,
            Layout("model", "region", "published", decimals=1, by="setup", drawn="heatmap"),
            notes=("Regions are unweighted means over their countries, as are ours. The numbers come without intervals.",),
        ),
    )
