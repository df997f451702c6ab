"""What the sample's tasks share: how they read their file, which prompts they make, and how verdicts become a table."""

from __future__ import annotations

import tomllib
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.templates import Template, choose_templates
from folkways.cultures import get_culture, get_language
from folkways.errors import DataError, UnknownNameError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES, Schema, State, require_columns
from folkways.releases.base import Release
from folkways.text.refusals import declines

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was read out of one reply, and what each metric makes of it (null where a metric does not apply to the item)."""

    answer: str | None
    reason: str
    values: Mapping[str, float | None]


class SampleTask(Task):
    """A task on the sample's questions. A subclass says what an item is, what fills its prompt, and whether a reply is right."""

    release: ClassVar[str] = "sample"
    facets: ClassVar[tuple[str, ...]] = ("topic",)
    profiles: ClassVar[tuple[str, ...]] = ("strict",)
    profile_aliases: ClassVar[Mapping[str, str]] = {"paper": "strict", "lenient": "strict"}  # no paper stands behind the sample
    variants: ClassVar[tuple[str, ...]] = ("plain",)
    max_tokens: ClassVar[int] = 64
    file: ClassVar[str]
    own_columns: ClassVar[Schema] = {}  # what the items carry besides records.ITEMS and the facets

    @abstractmethod
    def rows(self, data: Mapping[str, Any]) -> Iterator[Row]:
        """The items in the file: item, culture, topic, text, gold and ``own_columns``; question where it is not the item itself."""

    @abstractmethod
    def verdict(self, item: Row, language: str, reply: str) -> Verdict | None:
        """The verdict on one reply; None where no answer can be read out of it."""

    def worst(self, item: Row) -> Mapping[str, float | None]:
        """Each metric where there is no answer."""
        return {metric.name: 0.0 for metric in self.metrics}

    def languages(self, item: Row) -> tuple[str, ...]:
        """The languages the item can be asked in, the culture's own first."""
        return ("en",)

    def fields(self, item: Row, language: str) -> Mapping[str, str]:
        """What stands for {q} and the other names in a prompt template."""
        return {"q": item["text"]}

    def choices(self, item: Row) -> list[str] | None:
        """The labels that may be answered; None for free text."""
        return None

    def items(self, release: Release) -> pl.DataFrame:
        schema = {**ITEMS, "topic": pl.String, **self.own_columns}
        rows = self.rows(self._read(release))
        return pl.DataFrame(
            [{"task": self.name, "question": row["item"], "release_id": row["item"], **row} for row in rows], schema=schema
        )

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        wordings = self._read(release)["prompts"][self.name.split("/")[1]]
        rows = []
        for item in items.iter_rows(named=True):
            for language in self._asked(item, options):
                own = partial(Template, wordings.get(language, wordings["en"]), "folkways")
                chosen = choose_templates(self.name, options, {"plain": own}, self.variants, needed=("q",))
                rows += [
                    {
                        "task": self.name,
                        "item": item["item"],
                        "language": language,
                        "variant": variant,
                        "user": template.fill(self.fields(item, language)),
                        "choices": self.choices(item),
                        "prompt_source": template.source,
                    }
                    for variant, template in chosen.items()
                ]
        if items.height and not rows:
            offered = {language for item in items.iter_rows(named=True) for language in self.languages(item)}
            raise UnknownNameError(f"language of {self.name}", ", ".join(options.languages or ()), {"local", *offered})
        return pl.DataFrame(rows, schema=dict(PROMPTS))

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        self.resolve_profile(profile)
        known = {item["item"]: item for item in items.iter_rows(named=True)}
        rows = []
        for number, response in enumerate(require_columns(responses, RESPONSES, "responses").iter_rows(named=True), start=1):
            item = known.get(response["item"])
            if item is None:
                raise DataError(f"{self.name} has no item {response['item']!r}", file="responses", row=number)
            rows.append({**item, **response, "counted": True, **self._judged(item, response)})
        schema = {**JUDGEMENTS, "topic": pl.String, **{metric.name: pl.Float64 for metric in self.metrics}}
        return pl.DataFrame(rows, schema=schema)

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        return summarise_means(judgements, self.name, self.metrics, self.facets)

    def _read(self, release: Release) -> dict[str, Any]:
        path = release.path(self.file)
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise DataError(f"not readable as TOML: {error}", file=path) from error

    def _asked(self, item: Row, options: PromptOptions) -> list[str]:
        offered = self.languages(item)
        wanted = [offered[0] if language == "local" else get_language(language).code for language in options.languages or offered]
        return [language for language in dict.fromkeys(wanted) if language in offered]

    def _judged(self, item: Row, response: Row) -> Row:
        if response["state"] != State.ANSWERED:
            return {"answer": None, "reason": response["reason"], **self.worst(item)}
        reply = response["response"] or ""
        verdict = self.verdict(item, response["language"], reply)
        if verdict is not None:
            return {"answer": verdict.answer, "reason": verdict.reason, **verdict.values}
        if declines(reply, response["language"]):
            return {"state": State.REFUSED, "answer": None, "reason": "the reply declines to answer", **self.worst(item)}
        return {"state": State.UNREADABLE, "answer": None, "reason": "no answer in the reply", **self.worst(item)}


def local_language(culture: str) -> str:
    """The language that people of the culture are asked in."""
    return get_culture(culture).languages[0]
