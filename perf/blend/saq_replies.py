"""Replies to score: the reference's where there are some, else answers of the same culture, drawn from a
seed."""

from __future__ import annotations

import random
from typing import Any

import polars as pl

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend.short_answers import ShortAnswers
from folkways.benchmarks.free_answers.matching import clean_as_paper
from folkways.releases.release_records import Release
from perf.text import parity

SEED = 2406
SHAPES = ("{0}", "{0}.", "{0}, {1}", "**{0}** ({1})")


def drawn(items: pl.DataFrame, prompts: pl.DataFrame) -> pl.DataFrame:
    """Responses to prompts: four in ten with an answer of the question, the others with one of another
    question."""
    draw = random.Random(SEED)
    groups = dict(items.select("item", "groups").iter_rows())
    pool: dict[str, list[dict[str, Any]]] = {}
    for item, found in groups.items():
        pool.setdefault(item.split("/")[0], []).extend(found)

    def answer(group: dict[str, Any], language: str) -> str:
        return str(draw.choice((language == "en" and group["en_answers"]) or group["answers"]))

    said = []
    for item, language in prompts.select("item", "language").iter_rows():
        own, others = groups[item], pool[item.split("/")[0]]
        first = draw.choice(own if own and draw.random() < 0.4 else others)
        said.append(
            draw.choice(SHAPES).format(answer(first, language), answer(draw.choice(others), language))
        )
    return prompts.select("task", "item", "language", "variant").with_columns(
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit("answered"),
        reason=pl.lit(None, dtype=pl.String),
        response=pl.Series(said, dtype=pl.String),
        prompt=prompts["user"],
    )


def of_language(
    language: str, release: Release, items: pl.DataFrame
) -> tuple[pl.DataFrame, pl.Series | None]:
    """500 responses in one language, and the reference verdicts where there are some (1, 0, null)."""
    if language in parity.FILES:
        responses, official = parity.replies(language)
        return responses, official["official_binary"].cast(pl.Float64, strict=False)
    task = ShortAnswers()
    prompts = task.prompts(items, PromptOptions(languages=(language,), variants=("inst-4",)), release)
    return drawn(items, prompts), None


def questions(items: pl.DataFrame, responses: pl.DataFrame) -> list[dict[str, Any]]:
    """What the re-enactment gets for each response: groups and the cleaned reply; no groups where the
    question does not count."""
    rows = responses.select("item", "response", "prompt").join(
        items.select("item", "groups", "skip_reason"), on="item", how="left", maintain_order="left"
    )
    return [
        {
            "groups": [] if row["skip_reason"] else row["groups"],
            "reply": clean_as_paper(row["response"], row["prompt"]),
        }
        for row in rows.iter_rows(named=True)
    ]
