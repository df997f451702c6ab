"""What the two CulturalBench tasks share: prompts, the state of a reply, and regional scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.culturalbench.regions import with_regional_means
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, asks_in_english, choose_templates
from folkways.errors import DataError
from folkways.metrics.refusals import declines
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES, Schema, State, require_columns
from folkways.releases.base import Release

FACETS: Schema = {"mode": pl.String, "region": pl.String}

Row = dict[str, Any]


class CulturalBenchTask(Task):
    """A task whose replies are one of a few labels.

    ``paper`` takes a reply that is the label and nothing else; ``lenient`` takes the first unambiguous label, so that models that
    talk can be told apart from models that do not know. Replies without a label count as wrong and are refused or unreadable.
    """

    release: ClassVar[str] = "culturalbench"
    facets: ClassVar[tuple[str, ...]] = tuple(FACETS)
    profiles: ClassVar[tuple[str, ...]] = ("paper", "lenient")
    profile_aliases: ClassVar[Mapping[str, str]] = {"strict": "lenient"}
    variants: ClassVar[tuple[str, ...]] = ("strict-format",)
    max_tokens: ClassVar[int] = 2  # section 5; models that think or talk first need --max-tokens and the lenient profile
    labels: ClassVar[tuple[str, ...]]
    wordings: ClassVar[Mapping[str, str]]
    own_columns: ClassVar[Schema]  # what the items carry besides records.ITEMS and the facets

    @abstractmethod
    def rows(self, release: Release) -> list[Row]:
        """The items: item, release_id, question, culture, text, gold, facets, ``answer``, ``own_columns``."""

    @abstractmethod
    def parts(self, item: Row) -> Mapping[str, str]:
        """What stands for {question} and the other names in a prompt template."""

    @abstractmethod
    def read(self, reply: str, profile: str) -> str | None:
        """The label that the reply gives under the profile."""

    def items(self, release: Release) -> pl.DataFrame:
        rows = [{"task": self.name, **row} for row in self.rows(release)]
        return pl.DataFrame(rows, schema={**ITEMS, **FACETS, "answer": pl.String, **self.own_columns})

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        known: dict[str, Callable[[], Template | None]] = {
            name: (lambda text=text: Template(text, "folkways"))  # type: ignore[misc]
            for name, text in self.wordings.items()
        }
        templates = choose_templates(self.name, options, known, self.variants, needed="question")
        rows = [
            {
                "task": self.name,
                "item": item["item"],
                "language": "en",
                "variant": variant,
                "user": template.fill(self.parts(item)),
                "choices": list(self.labels),
                "prompt_source": template.source,
            }
            for item in (items.iter_rows(named=True) if asks_in_english(options) else ())
            for variant, template in templates.items()
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
            rows.append({**item, **response, **self._judged(item, response, profile)})
        return pl.DataFrame(rows, schema={**JUDGEMENTS, **FACETS, "right": pl.Float64})

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, with each region's score as the unweighted mean over its countries, the rule of the leaderboard.

        The share of all of a region's questions stands beside it as the facet ``region (pooled)``.
        """
        pooled = summarise_means(judgements, self.name, self.metrics, self.facets)
        return with_regional_means(pooled, judgements, self.metrics)

    def _judged(self, item: Row, response: Row, profile: str) -> Row:
        counted = item["answer"] in self.labels
        verdict: Row = {"counted": counted, "answer": None, "right": 0.0}
        if not counted:
            verdict["reason"] = f"the release gives {item['answer']!r} as the answer, which is none of {', '.join(self.labels)}"
            return verdict
        if response["state"] != State.ANSWERED:
            return verdict
        reply = response["response"] or ""
        label = self.read(reply, profile)
        if label is None:
            refused = declines(reply)
            reason = (
                "the reply declines to answer"
                if refused
                else "the reply is not a label"
                if profile == "paper"
                else "no label found"
            )
            return {**verdict, "state": (State.REFUSED if refused else State.UNREADABLE).value, "reason": reason}
        return {**verdict, "answer": label, "right": float(label == item["answer"]), "reason": f"the answer is {item['answer']}"}
