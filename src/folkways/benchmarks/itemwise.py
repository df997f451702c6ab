"""Tasks that ask in English and judge one reply at a time: how items become prompts, and replies with their items judgements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.templates import Template, asks_in_english
from folkways.errors import DataError
from folkways.records import JUDGEMENTS, PROMPTS, RESPONSES, Schema, require_columns
from folkways.releases.base import Release

Row = dict[str, Any]


class ItemwiseTask(Task):
    """A task whose prompt shows one item, and whose reply is judged by that item alone."""

    own_columns: ClassVar[Schema] = {}  # what the items carry besides records.ITEMS and the facets
    labels: ClassVar[tuple[str, ...] | None] = None  # what may be answered; None for free text

    @property
    @abstractmethod
    def judged_columns(self) -> Schema:
        """What the judgements carry besides records.JUDGEMENTS: facets, details and metrics."""

    @abstractmethod
    def templates(self, options: PromptOptions, release: Release) -> Mapping[str, Template]:
        """Variant -> template, for the variants that the options ask for."""

    @abstractmethod
    def parts(self, item: Row) -> Mapping[str, str]:
        """What stands for {question} and the other names in a prompt template."""

    @abstractmethod
    def judged(self, item: Row, response: Row, profile: str) -> Row:
        """The columns of a judgement that the item and the response do not have already, or have otherwise."""

    def completed(self, rows: list[Row]) -> list[Row]:
        """The judged rows with what is found out better for all of them together than one by one; as they are by default."""
        return rows

    def askings(self, item: Row, variant: str, options: PromptOptions) -> Iterable[tuple[str, Mapping[str, str]]]:
        """The ways in which an item is asked with one template: name of the variant, and what fills the template."""
        yield variant, self.parts(item)

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        templates = self.templates(options, release)
        rows = [
            {
                "task": self.name,
                "item": item["item"],
                "language": "en",
                "variant": asked,
                "user": template.fill(parts),
                "choices": list(self.labels) if self.labels else None,
                "prompt_source": template.source,
            }
            for item in (items.iter_rows(named=True) if asks_in_english(options) else ())
            for variant, template in templates.items()
            for asked, parts in self.askings(item, variant, options)
        ]
        return pl.DataFrame(rows, schema=dict(PROMPTS))

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        profile = self.resolve_profile(profile)
        known = {item["item"]: item for item in items.iter_rows(named=True)}
        rows = []
        for number, response in enumerate(require_columns(responses, RESPONSES, "responses").iter_rows(named=True), start=1):
            item = known.get(response["item"])
            if item is None:
                raise DataError(f"{self.name} has no item {response['item']!r}", file="responses", row=number)
            rows.append({**item, **response, "counted": True, **self.judged(item, response, profile)})
        return pl.DataFrame(self.completed(rows), schema={**JUDGEMENTS, **self.judged_columns})
