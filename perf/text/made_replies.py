"""Replies made to be difficult, for languages of which there are no reference verdicts."""

from __future__ import annotations

import random

import polars as pl

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.blend.short_answers import ShortAnswers
from folkways.releases.base import Release

SEED = 2406
STEM_LETTERS = 3
"""Words of answers that begin with so many equal letters are inflections of one word, or near misses."""


def made_replies(language: str, items: pl.DataFrame, release: Release) -> pl.DataFrame:
    """A response to each of the culture's questions in the language, as ``judge`` takes them, drawn from the culture's own answers.

    A quarter repeats an accepted answer, half put a word of any of the culture's answers that begins alike in place of one of its
    words, and a quarter is an answer to another question.
    """
    draw = random.Random(SEED)
    prompts = ShortAnswers().prompts(items, PromptOptions(languages=(language,), variants=("inst-4",)), release)
    groups = dict(items.select("item", "groups").iter_rows())
    culture = prompts["item"][0].split("/")[0]
    answers = [
        answer
        for item, found in groups.items()
        if item.startswith(f"{culture}/")
        for group in found
        for answer in group["answers"]
    ]  # fmt: skip
    alike: dict[str, list[str]] = {}
    for word in sorted({word for answer in answers for word in answer.split()}):
        alike.setdefault(word[:STEM_LETTERS], []).append(word)

    def reply(item: str) -> str:
        own = [answer for group in groups[item] for answer in group["answers"]]
        if not own or draw.random() < 0.25:
            return draw.choice(answers)
        answer = draw.choice(own)
        if draw.random() < 1 / 3:
            return answer
        words = answer.split()
        place = draw.randrange(len(words))
        words[place] = draw.choice(alike[words[place][:STEM_LETTERS]])
        return " ".join(words)

    return prompts.select("task", "item", "language", "variant").with_columns(
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit("answered"),
        reason=pl.lit(None, dtype=pl.String),
        response=pl.Series([reply(item) for item in prompts["item"]], dtype=pl.String),
        prompt=prompts["user"],
    )
