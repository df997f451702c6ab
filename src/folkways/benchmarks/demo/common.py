"""What the demo's tasks share: how they read their file, which prompts they make, and how verdicts become a
table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Scoring
from folkways.benchmarks.itemwise import ItemwiseTask, Row
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.cultures import get_culture
from folkways.errors import UnknownNameError
from folkways.releases.release_records import Release
from folkways.toml_files import read_toml


class DemoTask(ItemwiseTask):
    """A task on the demo's questions. A subclass says what an item is, what fills its prompt, and whether a
    reply is right."""

    release: ClassVar[str] = "demo"
    facets: ClassVar[tuple[str, ...]] = ("topic",)
    scoring: ClassVar[Scoring] = Scoring(
        aliases={"paper": "strict", "lenient": "strict"}
    )  # no paper stands behind the demo
    variants: ClassVar[tuple[str, ...]] = ("plain",)
    max_tokens: ClassVar[int] = 64
    file: ClassVar[str]
    wording: ClassVar[str] = ""  # the task whose prompts it is asked with, where they are another's

    @abstractmethod
    def read_items(self, data: Mapping[str, Any]) -> Iterator[Row]:
        """``rows`` out of what the file holds."""

    def rows(self, release: Release) -> Iterator[Row]:
        return self.read_items(self._read(release))

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        texts = wordings("folkways.benchmarks.demo")[self.wording or self.name.split("/")[1]]
        own = Template(texts.get(language, texts["en"]), "folkways")
        return choose_templates(
            self.name, options, {"plain": lambda: own}, self.variants, needed=("question",)
        )

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """As for every task; UnknownNameError where the options ask for languages in which there are no
        questions."""
        found = super().prompts(items, options, release)
        if items.height and found.is_empty():
            offered = {language for item in items.iter_rows(named=True) for language in self.languages(item)}
            raise UnknownNameError(
                f"language of {self.name}", ", ".join(options.languages or ()), {"local", *offered}
            )
        return found

    def _read(self, release: Release) -> dict[str, Any]:
        return read_toml(release.path(self.file))


def local_language(culture: str) -> str:
    """The language that people of the culture are asked in."""
    return get_culture(culture).languages[0]
