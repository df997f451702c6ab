"""culturalbench/hard: each option is judged on its own, and a question is right when all four judgements are
(section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.culturalbench import baselines
from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.common import FACETS, LOST_LAST, CulturalBenchTask
from folkways.benchmarks.itemwise import Row
from folkways.records import Metric, Schema, State
from folkways.releases.release_records import Release
from folkways.text.labels import TRUTHS, exact_label, settled_truth

ASKING = ("question", "language", "variant", "sample")
"""What one asking of a question has in common."""


class Hard(CulturalBenchTask):
    """Chance is 6.25 % for questions. Judgements have their own column: a constant False gets about 73 % of
    them right.

    The value for a question stands on one of its rows and is null on the others, so that it counts once: on a
    row that says why the question is not right, or on its first.
    """

    name: ClassVar[str] = "culturalbench/hard"
    title: ClassVar[str] = "CulturalBench-Hard"
    about: ClassVar[str] = (
        "Say of each of four proposed answers to a question whether it is true (sections 3.3 and 5)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "all_right",
            "Accuracy",
            "All four judgements of the question are right (section 5).",
            per="question",
        ),
        Metric("right", "Judgements right", "The judgement is right; not the benchmark's score."),
    )
    labels: ClassVar[tuple[str, ...]] = TRUTHS
    places: ClassVar[tuple[str, ...]] = ("question", "option")
    item_columns: ClassVar[Schema] = {
        **CulturalBenchTask.item_columns,
        "question_text": pl.String,
        "option": pl.String,
        "judgements": pl.Int64,
    }

    def chance(self) -> float:
        return 100 / 2**4  # four judgements, all of them right

    def rows(self, release: Release) -> Iterator[Row]:
        seen: dict[str, int] = {}
        table = culturalbench.hard(release).with_columns(
            judgements=pl.len().over("question_idx").cast(pl.Int64)
        )
        for entry in table.iter_rows(named=True):
            name = f"hard/{entry['question_idx']}/{entry['data_idx']}"
            number = seen[name] = seen.get(name, 0) + 1
            yield {
                "item": name + (f"-{number}" if number > 1 else ""),
                "release_id": entry["data_idx"],
                "question": entry["question_idx"],
                "culture": entry["culture"],
                "text": f"{entry['question']} {entry['option']}",
                "gold": entry["answer"],
                **{facet: entry[facet] for facet in FACETS},
                "answer": entry["answer"],
                "question_text": entry["question"],
                "option": entry["option"],
                "judgements": entry["judgements"],
            }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"question": item["question_text"], "option": item["option"]}

    def read(self, item: Row, reply: str, profile: str) -> str | None:
        return exact_label(reply, self.labels) if profile == "paper" else settled_truth(reply)

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task, with ``all_right``.

        It is null throughout for a question of which not all judgements were asked for (a limited run), and a
        question with an unusable gold answer is not counted.
        """
        judged = super().judge(items, responses, profile)
        expected = items.group_by("question").agg(
            pl.col("judgements").first(), pl.col("answer").is_in(TRUTHS).all().alias("usable")
        )
        judged = judged.join(expected, on="question", how="left", maintain_order="left")
        wrong = pl.col("right") < 1
        answered = pl.col("state") == State.ANSWERED.value
        rank = pl.when(wrong & answered).then(0).when(wrong).then(LOST_LAST).otherwise(6)
        complete = pl.len().over(ASKING) >= pl.col("judgements")
        speaks = rank.rank("ordinal").over(ASKING) == 1
        all_right = pl.when(complete).then(pl.col("right").min().over(ASKING))
        reason = pl.when(pl.col("counted") & ~pl.col("usable")).then(
            pl.lit("another judgement of the question has no usable answer")
        )
        return judged.with_columns(
            counted=pl.col("counted") & pl.col("usable"),
            reason=reason.otherwise(pl.col("reason")),
            all_right=pl.when(speaks).then(all_right),
        ).drop("judgements", "usable")

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        return baselines.hard(items)
