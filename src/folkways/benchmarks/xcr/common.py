"""What the XCR-Bench tasks share: facets, prompts from the release or of our own, and how verdicts become a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import ClassVar, Self

import polars as pl

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.itemwise import ItemwiseTask, Row
from folkways.benchmarks.models import Comparer
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, choose_templates
from folkways.benchmarks.xcr.comparisons import Asked, compare_all
from folkways.benchmarks.xcr.wordings import WORDINGS
from folkways.errors import UnknownNameError
from folkways.records import ITEMS, Schema, State
from folkways.releases import xcr
from folkways.releases.base import Release
from folkways.releases.xcr_check import prompt_example_rows

AUTHORS = "authors"
OURS = "folkways"
_ASKED = "_asked"  # where a judged row carries what models are still to be asked
FACETS: Schema = {"category": pl.String, "hall_level": pl.String, "element": pl.String, "prompt_example": pl.String}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was read out of one reply, and what each metric makes of it (None where a metric does not apply to the item).

    asked: the metrics that a language model has to be asked for; one that is neither here nor in ``values`` does not apply.
    """

    state: State
    answer: str | None
    reason: str
    values: Mapping[str, float | None]
    details: Mapping[str, str | None]
    asked: Mapping[str, Asked] = field(default_factory=dict)


class XcrTask(ItemwiseTask):
    """A task on the XCR-Bench corpus. A subclass says what an item is, what the prompt shows of it, and how a reply is judged."""

    release: ClassVar[str] = "xcr"
    facets: ClassVar[tuple[str, ...]] = tuple(FACETS)
    variants: ClassVar[tuple[str, ...]] = (AUTHORS,)
    details: ClassVar[Schema] = {}  # what the judgements carry besides records.JUDGEMENTS, facets and metrics

    def __init__(self, models: Mapping[str, Comparer] | None = None) -> None:
        self._models = dict(models or {})

    def with_models(self, models: Mapping[str, Comparer]) -> Self:
        if unknown := sorted(models.keys() - {role.name for role in self.model_roles}):
            raise UnknownNameError(f"model role of {self.name}", unknown[0], [role.name for role in self.model_roles])
        return type(self)(models)

    def models(self) -> Mapping[str, str]:
        return {**super().models(), **{role: model.name for role, model in self._models.items()}}

    @abstractmethod
    def rows(self, release: Release, base: pl.DataFrame) -> list[Row]:
        """The items: item, release_id, question, culture, text, gold, ``own_columns``; ``base`` has the corpus with its facets."""

    @abstractmethod
    def verdict(self, item: Row, reply: str, profile: str) -> Verdict:
        """The verdict on one reply."""

    def constants(self, item: Row, profile: str) -> Mapping[str, float]:
        """Those of ``details`` that are the same whatever the reply is."""
        return {}

    @abstractmethod
    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        """Each metric where there is no readable answer: 0.0, or None where the metric does not apply to the item."""

    def authors_template(self, text: str) -> Template:
        """The authors' prompt, to whose end the input is added."""
        return Template(f"{text.rstrip()} {{sentence}}", "release")

    def items(self, release: Release) -> pl.DataFrame:
        base = xcr.corpus(release)
        shown = prompt_example_rows(xcr.read_prompt(release, self.short_name) or "", base["sentence"].to_list())
        base = base.with_columns(
            pl.when(pl.col("row").is_in(shown))
            .then(pl.lit("in the prompt"))
            .otherwise(pl.lit("not in the prompt"))
            .alias("prompt_example")
        ).rename({"csi_category": "category", "csi_hall_mapping": "element"})
        rows = [{"task": self.name, **row} for row in self.rows(release, base)]
        return pl.DataFrame(rows, schema={**ITEMS, **FACETS, **self.own_columns})

    def templates(self, options: PromptOptions, release: Release) -> Mapping[str, Template]:
        own = Template(WORDINGS[self.short_name], OURS)
        text = xcr.read_prompt(release, self.short_name)
        known: dict[str, Callable[[], Template | None]] = {AUTHORS: partial(self._authors, text), OURS: lambda: own}
        default = self.variants if text is not None else (OURS,)
        return choose_templates(self.name, options, known, default, needed=("sentence",))

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        same = dict(self.constants(item, profile))
        state = State(response["state"])
        if state is not State.ANSWERED:
            return {**same, "answer": None, **self.worst(item, profile, state)}
        reply = response["response"] or ""
        verdict = self.verdict(item, reply, profile) if reply.strip() else unread(False, "an empty reply")
        values = verdict.values if verdict.state is State.ANSWERED else self.worst(item, profile, verdict.state)
        return {
            **same,
            "state": verdict.state.value,
            "answer": verdict.answer,
            "reason": verdict.reason,
            **values,
            **verdict.details,
            _ASKED: verdict.asked,
        }

    def completed(self, rows: list[Row]) -> list[Row]:
        """With the values of the metrics that language models are asked for, each model once for all rows."""
        if not self._models:
            return rows
        values = compare_all([row.get(_ASKED, {}) for row in rows], self._models)
        return [{**row, **found} for row, found in zip(rows, values, strict=True)]

    @property
    def judged_columns(self) -> Schema:
        """Without metrics of which every model is absent: they are not computed, which is something else than not applicable."""
        asked = {metric for role in self.model_roles for metric in role.metrics}
        there = {metric for role in self.model_roles if role.name in self._models for metric in role.metrics}
        computed = [metric.name for metric in self.metrics if metric.name not in asked or metric.name in there]
        return {**FACETS, **self.details, **dict.fromkeys(computed, pl.Float64)}

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, without rows for metrics that apply to no item under the profile (not: that leave all of them out)."""
        return summarise_means(judgements, self.name, self.metrics, self.facets).filter(pl.col("n") > 0)

    def text_tools(self) -> Mapping[str, str]:
        return {"edits": f"rapidfuzz {version('rapidfuzz')}"}

    @property
    def short_name(self) -> str:
        return self.name.split("/", 1)[1]

    def _authors(self, text: str | None) -> Template | None:
        return None if text is None else self.authors_template(text)


def unread(reply_declines: bool, reason: str) -> Verdict:
    """The verdict on a reply without an answer: refused where it declines, unreadable otherwise."""
    state = State.REFUSED if reply_declines else State.UNREADABLE
    return Verdict(state, None, "the reply declines to answer" if reply_declines else reason, {}, {})
