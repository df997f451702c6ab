"""What the two CulturalBench tasks share: prompts, the state of a reply, regional scores, and topics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

import polars as pl

from folkways.benchmarks.averages import with_mean_over
from folkways.benchmarks.base import HumanBaseline, PromptOptions, Scoring
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, unparsed
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.records import Schema, State
from folkways.releases.release_records import Release

FACETS: Schema = {"mode": pl.String, "region": pl.String, "topic": pl.String}

with_regional_means = partial(with_mean_over, groups="culture", facet="region", word="country")
"""Regional scores as in the published leaderboard: the unweighted mean over the countries of a region, not
pooled accuracy."""

LOST_LAST = pl.col("state").replace_strict(
    {State.REFUSED.value: 1, State.UNREADABLE.value: 2, State.FAILED.value: 3, State.MISSING.value: 4},
    default=5,
)
"""Which row stands for a question that is not right, or not answered alike, after one with another answer:
lost ones last, because the question could still have been so only where nothing else is wrong with it."""


class CulturalBenchTask(ItemwiseTask):
    """A task whose replies are one of a few labels.

    ``paper`` takes a reply that is the label and nothing else; ``lenient`` the label that it settles on, so
    that models that talk can be told apart from models that do not know. Replies without a label count as
    wrong and are refused or unreadable.
    """

    release: ClassVar[str] = "culturalbench"
    facets: ClassVar[tuple[str, ...]] = tuple(FACETS)
    scoring: ClassVar[Scoring] = Scoring(("paper", "lenient"), {"strict": "lenient"})
    variants: ClassVar[tuple[str, ...]] = ("strict-format",)
    max_tokens: ClassVar[int] = (
        2  # as in section 5; models that think or talk first need --max-tokens and the lenient profile
    )
    labels: ClassVar[tuple[str, ...]]
    places: ClassVar[tuple[str, ...]]  # the {names} that a prompt template must contain
    item_columns: ClassVar[Schema] = {**FACETS, "answer": pl.String}

    @abstractmethod
    def read(self, item: Row, reply: str, profile: str) -> str | None:
        """The label that the reply gives under the profile."""

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        known: dict[str, Callable[[], Template | None]] = {
            name: (lambda text=text: Template(text, "folkways"))  # type: ignore[misc]
            for name, text in wordings("folkways.benchmarks.culturalbench")[self.name.split("/")[1]].items()
        }
        return choose_templates(self.name, options, known, self.variants, needed=self.places)

    @property
    def judged_columns(self) -> Schema:
        return {**FACETS, **self.judgement_columns, "right": pl.Float64}

    def human_baseline(self) -> HumanBaseline:
        return HumanBaseline("votes against the others'", self._people)

    def _people(self, items: pl.DataFrame, release: Release, profile: str) -> pl.DataFrame | None:
        """Each annotator's votes against those of the others, in a release that was built with votes (see
        ``people``)."""
        from folkways.benchmarks.culturalbench.people import people_judgements

        return people_judgements(items, release, self.name, self.judged_columns)

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, with each region's score as the unweighted mean over its countries, the rule of
        the leaderboard.

        The share of all of a region's questions stands beside it as the facet ``region (pooled)``.
        """
        return with_regional_means(super().summarise(judgements), judgements, self.metrics)

    def why_uncounted(self, item: Row, profile: str) -> str | None:
        if item["answer"] in self.labels:
            return None
        return (
            f"the release gives {item['answer']!r} as the answer, which is none of {', '.join(self.labels)}"
        )

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return {"right": 0.0}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        label = self.read(item, response["response"], profile)
        if label is None:
            reason = "the reply is not a label" if profile == "paper" else "no label found"
            return unparsed(response["response"], response["language"], reason)
        return ReplyScore(label, f"the answer is {item['answer']}", {"right": float(label == item["answer"])})
