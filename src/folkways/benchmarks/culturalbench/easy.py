"""culturalbench/easy: four options, one letter (section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.culturalbench import baselines
from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.common import FACETS, LOST_LAST, CulturalBenchTask
from folkways.benchmarks.itemwise import Row
from folkways.benchmarks.multiple_choice import orders
from folkways.benchmarks.multiple_choice.letters import LETTER_METRICS, letter_scores
from folkways.records import Metric, Schema
from folkways.releases.release_records import Release
from folkways.text.labels import chosen_label, exact_label


class Easy(CulturalBenchTask):
    """Right when the reply gives the letter of the gold option. Chance is 25 %.

    In several orders of the options, the score is the mean over all of them, and whether a question was
    answered alike in every order stands on one of its rows and is null on the others, so that it counts once.
    """

    name: ClassVar[str] = "culturalbench/easy"
    title: ClassVar[str] = "CulturalBench-Easy"
    about: ClassVar[str] = (
        "Choose one of four options to a question about a country or region (sections 3.3 and 5)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("right", "Accuracy", "The reply gives the letter of the gold option (section 5)."),
        Metric(
            "consistent",
            "Same option",
            "The same option was chosen in every order that was asked, right or wrong.",
        ),
        *LETTER_METRICS,
    )
    facets: ClassVar[tuple[str, ...]] = (*FACETS, "gold_letter")
    permutes_options: ClassVar[bool] = True
    gold_label: ClassVar[str] = "answer"
    labels: ClassVar[tuple[str, ...]] = culturalbench.LETTERS
    places: ClassVar[tuple[str, ...]] = ("question", "a", "b", "c", "d")
    item_columns: ClassVar[Schema] = {
        **CulturalBenchTask.item_columns,
        "gold_letter": pl.String,
        "options": pl.List(pl.String),
    }
    judgement_columns: ClassVar[Schema] = {
        "gold_letter": pl.String,  # as it was asked
        "chosen_letter": pl.String,  # as it was asked
        "chosen_option": pl.String,
    }

    def rows(self, release: Release) -> Iterator[Row]:
        seen: dict[str, int] = {}
        for entry in culturalbench.easy(release).iter_rows(named=True):
            number = seen[entry["question_idx"]] = seen.get(entry["question_idx"], 0) + 1
            options = dict(zip(self.labels, entry["options"], strict=True))
            yield {
                "item": f"easy/{entry['question_idx']}" + (f"-{number}" if number > 1 else ""),
                "release_id": entry["question_idx"],
                "question": entry["question_idx"],
                "culture": entry["culture"],
                "text": entry["question"],
                "gold": f"{entry['answer']}. {options.get(entry['answer'], '')}",
                **{facet: entry[facet] for facet in FACETS},
                "answer": entry["answer"],
                "gold_letter": entry["answer"],
                "options": entry["options"],
            }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"question": item["text"], **dict(zip("abcd", item["options"], strict=True))}

    def read(self, item: Row, reply: str, profile: str) -> str | None:
        if profile == "paper":
            return exact_label(reply, self.labels)
        return chosen_label(reply, dict(zip(self.labels, item["options"], strict=True)))

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        verdict = super().judged(item, response, profile)
        return (
            {**verdict, "gold_letter": item["answer"], "chosen_letter": verdict["answer"]}
            if verdict["counted"]
            else verdict
        )

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task, with ``consistent``, which is null where a question was asked in one order
        only."""
        judged = super().judge(items, responses, profile)
        templates = {name: orders.split_variant(name)[0] for name in judged["variant"].unique()}
        asking = [
            "item",
            "language",
            pl.col("variant").replace_strict(templates, return_dtype=pl.String),
            "sample",
        ]
        chosen = pl.col("chosen_option")
        taken = chosen.drop_nulls().n_unique()
        alike = (taken == 1) & chosen.is_not_null().all()
        rank = pl.when((taken > 1).over(asking) & chosen.is_not_null()).then(0).otherwise(LOST_LAST)
        speaks = (pl.len().over(asking) > 1) & (rank.rank("ordinal").over(asking) == 1)
        return judged.with_columns(consistent=pl.when(speaks).then(alike.over(asking).cast(pl.Float64)))

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task of the benchmark; which letters were named stands by ``letter``."""
        scores = super().summarise(judgements).filter(pl.col("n") > 0)
        return pl.concat([scores, *letter_scores(judgements, self.name)])

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        return baselines.easy(items, self.labels)
