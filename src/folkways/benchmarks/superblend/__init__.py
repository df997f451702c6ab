"""SuperBLEnD: everyday questions about 34 countries in English, with four options (GaoYao, arXiv
2604.20225)."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.base import Benchmark, Scoring
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.itemwise import Row
from folkways.benchmarks.multiple_choice.declaration import Entry
from folkways.benchmarks.multiple_choice.release import ChoiceReader
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.benchmarks.templates import Template
from folkways.records import Schema

AUTHORS = "authors"
RELEASED = "{released_prompt}"
PAPER = "paper"

_LETTER_OR_NUMBER = re.compile(r"[A-D0-4]")
_STATED = re.compile(r"answer:\s*([A-D])\b", re.IGNORECASE)
_LONE = re.compile(r"\b[A-D]\b")


def read_as_paper(reply: str) -> str | None:
    """The letter that the authors' rule takes: the whole reply; else the only "answer: X"; else the only
    capital from A to D by itself, the article "A" among them.

    A whole reply that is a number from 0 to 4 is taken for the answer there, and is never a right letter;
    what is left goes to a judge model there. Here both are None, unreadable.
    """
    text = reply.strip()
    if _LETTER_OR_NUMBER.fullmatch(text):
        return text if text.isalpha() else None
    for pattern in (_STATED, _LONE):
        letters = pattern.findall(text)
        if len(letters) == 1:
            return str(letters[0]).upper()
    return None


class SuperBlend(ChoiceTask):
    """Four options about a country. The variant ``authors`` sends the release's own prompt; the profile
    ``paper`` reads replies by the authors' rule."""

    scoring: ClassVar[Scoring] = Scoring(("strict", PAPER), aliases={"lenient": "strict"})
    item_columns: ClassVar[Schema] = {
        **ChoiceTask.item_columns,
        **dict.fromkeys(("released_prompt", "released_options"), pl.String),
    }

    def more_columns(self, entry: Entry) -> Row:
        return {"released_prompt": entry["prompt"], "released_options": entry["options"]}

    def wordings(self, language: str) -> Mapping[str, Template]:
        return {**super().wordings(language), AUTHORS: Template(RELEASED, "release")}

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {**super().parts(item, language), "released_prompt": self._in_order(item)}

    def _in_order(self, item: Row) -> str:
        """The released prompt with the options in the order in which the item shows them."""
        prompt, released = item["released_prompt"], item["released_options"]
        shown = dict(zip(self.labels, item["options"], strict=True))
        if {name: str(option) for name, option in ast.literal_eval(released).items()} == shown:
            return str(prompt)
        before, _, after = prompt.rpartition(released)
        return f"{before}{shown}{after}"

    def read(self, item: Row, response: Row, profile: str) -> str | None:
        if profile == PAPER:
            return read_as_paper(response["response"])
        return super().read(item, response, profile)


TASK = SuperBlend.from_toml("folkways.benchmarks.superblend", "mcq.toml")


READER = ChoiceReader(TASK)


BENCHMARK = Benchmark(
    "superblend",
    "SuperBLEnD",
    (TASK,),
    reader=READER,
    results=(consistency(TASK.name, "accuracy"),),
    caution=(
        "GaoYao states no licence, so that its items never leave. In its file, all options of 613 of the "
        "3,151 questions are numbers."
    ),
)
