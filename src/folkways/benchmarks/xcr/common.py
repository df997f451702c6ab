"""What the XCR-Bench tasks share: facets, prompts from the release or of our own, and how verdicts become a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, asks_in_english, choose_templates
from folkways.benchmarks.xcr.wordings import WORDINGS
from folkways.errors import DataError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES, Schema, State, require_columns
from folkways.releases import xcr
from folkways.releases.base import Release
from folkways.releases.xcr_check import prompt_example_rows

AUTHORS = "authors"
OURS = "folkways"
FACETS: Schema = {"category": pl.String, "hall_level": pl.String, "element": pl.String, "prompt_example": pl.String}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was read out of one reply, and what each metric makes of it (None where a metric does not apply to the item)."""

    state: State
    answer: str | None
    reason: str
    values: Mapping[str, float | None]
    details: Mapping[str, str | None]


class XcrTask(Task):
    """A task on the XCR-Bench corpus. A subclass says what an item is, what the prompt shows of it, and how a reply is judged."""

    release: ClassVar[str] = "xcr"
    facets: ClassVar[tuple[str, ...]] = tuple(FACETS)
    variants: ClassVar[tuple[str, ...]] = (AUTHORS,)
    own_columns: ClassVar[Schema] = {}  # what the items carry besides records.ITEMS and the facets
    details: ClassVar[Schema] = {}  # what the judgements carry besides records.JUDGEMENTS, facets and metrics

    @abstractmethod
    def rows(self, release: Release, base: pl.DataFrame) -> list[Row]:
        """The items: item, release_id, question, culture, text, gold, ``own_columns``; ``base`` has the corpus with its facets."""

    @abstractmethod
    def parts(self, item: Row) -> Mapping[str, str]:
        """What stands for {sentence} and the other names in a prompt template."""

    @abstractmethod
    def verdict(self, item: Row, reply: str, profile: str) -> Verdict:
        """The verdict on one reply."""

    def constants(self, item: Row, profile: str) -> Mapping[str, float]:
        """Those of ``details`` that are the same whatever the reply is."""
        return {}

    @abstractmethod
    def worst(self, item: Row, profile: str) -> Mapping[str, float | None]:
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

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        own = Template(WORDINGS[self.short_name], OURS)
        text = xcr.read_prompt(release, self.short_name)
        known: dict[str, Callable[[], Template | None]] = {AUTHORS: partial(self._authors, text), OURS: lambda: own}
        default = self.variants if text is not None else (OURS,)
        templates = choose_templates(self.name, options, known, default, needed="sentence")
        rows = [
            {
                "task": self.name,
                "item": item["item"],
                "language": "en",
                "variant": variant,
                "user": template.fill(self.parts(item)),
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
            rows.append(
                {**item, **response, "counted": True, **self.constants(item, profile), **self._judged(item, response, profile)}
            )
        metrics = {metric.name: pl.Float64 for metric in self.metrics}
        return pl.DataFrame(rows, schema={**JUDGEMENTS, **FACETS, **self.details, **metrics})

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, without rows for metrics that apply to no item under the profile."""
        return summarise_means(judgements, self.name, self.metrics, self.facets).filter(pl.col("n") > 0)

    def text_tools(self) -> Mapping[str, str]:
        return {"edits": f"rapidfuzz {version('rapidfuzz')}"}

    @property
    def short_name(self) -> str:
        return self.name.split("/", 1)[1]

    def _authors(self, text: str | None) -> Template | None:
        return None if text is None else self.authors_template(text)

    def _judged(self, item: Row, response: Row, profile: str) -> Row:
        worst = dict(self.worst(item, profile))
        if response["state"] != State.ANSWERED:
            return {"answer": None, **worst}
        reply = response["response"] or ""
        if not reply.strip():
            return {"state": State.UNREADABLE.value, "answer": None, "reason": "an empty reply", **worst}
        verdict = self.verdict(item, reply, profile)
        values = verdict.values if verdict.state is State.ANSWERED else worst
        return {"state": verdict.state.value, "answer": verdict.answer, "reason": verdict.reason, **values, **verdict.details}


def unread(reply_declines: bool, reason: str) -> Verdict:
    """The verdict on a reply without an answer: refused where it declines, unreadable otherwise."""
    state = State.REFUSED if reply_declines else State.UNREADABLE
    return Verdict(state, None, "the reply declines to answer" if reply_declines else reason, {}, {})
