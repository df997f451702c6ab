"""demo/everyday: the same questions of everyday life about every culture, to be answered freely or by
likelihood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.demo.common import local_language
from folkways.benchmarks.demo.short_answers import ShortAnswers, contains_answer
from folkways.benchmarks.itemwise import Row
from folkways.records import Schema
from folkways.releases.release_records import Release

OPTIONS = 4


class EverydayLife(ShortAnswers):
    """Judged as ``demo/saq``. The questions are the same about every culture, so that scores of cultures can
    be compared.

    A model that is read by likelihood chooses among four answers, which the prompt does not show: the
    culture's own and those of three other cultures, as in BLEnD's multiple choice. Chance is then 25 %.
    """

    name: ClassVar[str] = "demo/everyday"
    title: ClassVar[str] = "Demo: everyday life"
    about: ClassVar[str] = (
        "The same eight everyday questions about each of nine cultures, in its language and in English; "
        "short answers, or with "
        "read=loglik the likeliest of four."
    )
    file: ClassVar[str] = "everyday.toml"
    wording: ClassVar[str] = "saq"
    item_columns: ClassVar[Schema] = {
        **ShortAnswers.item_columns,
        "options": pl.List(pl.String),
        "local_options": pl.List(pl.String),
    }

    max_tokens: ClassVar[int] = 32

    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        for place, (culture, country) in enumerate(data["countries"].items()):
            language = local_language(culture)
            for number, question in enumerate(data["question"]):
                groups = question["answers"][culture]
                options = [_options(question["options"], culture, groups)]
                options += [] if language == "en" else [question["local"][language]]
                turned = [_turned(row, (place + number) % OPTIONS) for row in options]
                yield {
                    "item": f"{culture}/{question['topic']}",
                    "culture": culture,
                    "topic": question["topic"],
                    "text": question["text"]["en"].format(country=country),
                    "local_text": question["text"].get(language) if language != "en" else None,
                    "answers": groups,
                    "gold": "; ".join(" / ".join(group.get("local", []) + group["en"]) for group in groups),
                    "options": turned[0],
                    "local_options": turned[1] if len(turned) > 1 else None,
                }

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """As for every task; ``choices`` has the answers whose likelihoods are compared."""
        offered = items.select("item", "options", "local_options")
        choices = pl.when(language="en").then("options").otherwise("local_options")
        asked = (
            super()
            .prompts(items, options, release)
            .join(offered, on="item", how="left", maintain_order="left")
        )
        return asked.with_columns(choices=choices).drop("options", "local_options")


def _options(answers: Mapping[str, str], culture: str, groups: list[Mapping[str, list[str]]]) -> list[str]:
    """The culture's answer, and three that are wrong: those of the cultures that follow, from the first again
    after the last."""
    accepted = [answer for group in groups for answer in group["en"]]
    cultures = list(answers)
    start = cultures.index(culture)
    following = dict.fromkeys(answers[code] for code in cultures[start + 1 :] + cultures[:start])
    wrong = [
        option
        for option in following
        if not any(contains_answer(option, answer, "en") for answer in accepted)
    ]
    return [answers[culture], *wrong[: OPTIONS - 1]]


def _turned(options: list[str], turn: int) -> list[str]:
    """The options with the first at the place ``turn``."""
    first, *others = options
    return [*others[:turn], first, *others[turn:]]
