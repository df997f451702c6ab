"""What the XCR-Bench tasks share: facets, prompts from the release or of our own, and how verdicts become a
table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Scoring
from folkways.benchmarks.itemwise import ItemwiseTask, Row
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.benchmarks.xcr import data as xcr
from folkways.benchmarks.xcr.authors import tagged_outputs
from folkways.benchmarks.xcr.comparisons import compare_all
from folkways.benchmarks.xcr.data.check import prompt_example_rows
from folkways.records import ITEMS, Schema, State
from folkways.releases.base import Release

AUTHORS = "authors"
OURS = "folkways"
ASKED = "_asked"  # a detail of a verdict: the metrics that a language model has to be asked for
FACETS: Schema = {
    "category": pl.String,
    "hall_level": pl.String,
    "element": pl.String,
    "prompt_example": pl.String,
}


class XcrTask(ItemwiseTask):
    """A task on the XCR-Bench corpus. A subclass says what an item is, what the prompt shows of it, and how a
    reply is judged."""

    release: ClassVar[str] = "xcr"
    facets: ClassVar[tuple[str, ...]] = tuple(FACETS)
    scoring: ClassVar[Scoring] = Scoring(("paper", "strict"))
    variants: ClassVar[tuple[str, ...]] = (AUTHORS,)

    @abstractmethod
    def sentences(self, release: Release, base: pl.DataFrame) -> Iterable[Row]:
        """``rows`` made of the corpus with its facets."""

    def authors_template(self, text: str) -> Template:
        """The authors' prompt, to whose end the input is added."""
        return Template(f"{text.rstrip()} {{sentence}}", "release")

    def rows(self, release: Release) -> Iterable[Row]:
        base = xcr.corpus(release)
        shown = prompt_example_rows(
            xcr.read_prompt(release, self.short_name) or "", base["sentence"].to_list()
        )
        base = base.with_columns(
            pl.when(pl.col("row").is_in(shown))
            .then(pl.lit("in the prompt"))
            .otherwise(pl.lit("not in the prompt"))
            .alias("prompt_example")
        ).rename({"csi_category": "category", "csi_hall_mapping": "element"})
        columns = {*ITEMS, *self.facets, *self.item_columns}
        return ({name: row[name] for name in row if name in columns} for row in self.sentences(release, base))

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        own = Template(wordings("folkways.benchmarks.xcr")[self.short_name], OURS)
        text = xcr.read_prompt(release, self.short_name)
        known = {AUTHORS: lambda: None if text is None else self.authors_template(text), OURS: lambda: own}
        default = self.variants if text is not None else (OURS,)
        return choose_templates(self.name, options, known, default, needed=("sentence",))

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        if response["state"] == State.ANSWERED and not (response["response"] or "").strip():
            worst = self.worst(item, profile, State.UNREADABLE)
            return {
                "counted": True,
                "state": State.UNREADABLE.value,
                "answer": None,
                "reason": "an empty reply",
                **worst,
            }
        return super().judged(item, response, profile)

    def completed(self, rows: list[Row]) -> list[Row]:
        """With the values of the metrics that language models are asked for, each model once for all rows."""
        if not self.tools.models:
            return rows
        values = compare_all([row.get(ASKED, {}) for row in rows], self.tools.models)
        return [{**row, **found} for row, found in zip(rows, values, strict=True)]

    @property
    def judged_columns(self) -> Schema:
        """Without metrics of which every model is absent: they are not computed, which is something else than
        not applicable."""
        asked = {metric for role in self.scoring.models for metric in role.metrics}
        there = {
            metric
            for role in self.scoring.models
            if role.name in self.tools.models
            for metric in role.metrics
        }
        computed = [
            metric.name for metric in self.metrics if metric.name not in asked or metric.name in there
        ]
        return {**FACETS, **self.judgement_columns, **dict.fromkeys(computed, pl.Float64)}

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, without rows for metrics that apply to no item under the profile (not: that
        leave all of them out)."""
        return summarise_means(judgements, self.name, self.metrics, self.facets).filter(pl.col("n") > 0)

    def text_tools(self) -> Mapping[str, str]:
        return {"edits": f"rapidfuzz {version('rapidfuzz')}"}

    @property
    def short_name(self) -> str:
        return self.name.split("/", 1)[1]


class SourceTask(XcrTask):
    """A task on the sentences as they are, of the culture that they come from; a subclass says by ``shown``
    what is asked."""

    item_columns: ClassVar[Schema] = {"sentence": pl.String}

    @abstractmethod
    def shown(self, sentence: str) -> tuple[str, str]:
        """What a model is shown of a tagged sentence, and the gold as people read it."""

    def sentences(self, release: Release, base: pl.DataFrame) -> Iterable[Row]:
        for entry in base.drop("row", "cultural_context").iter_rows(named=True):
            text, gold = self.shown(entry["sentence"])
            yield {**entry, "item": entry["id"], "culture": "ANGLO", "text": text, "gold": gold}

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"sentence": item["text"]}

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        return tagged_outputs(table)
