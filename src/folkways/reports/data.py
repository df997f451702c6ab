"""What a report is made of: frames and records only, so that a report can be made of anything that fills
them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import polars as pl

from folkways.benchmarks.results import ResultTables
from folkways.evidence.order import ModelContrasts
from folkways.evidence.verdict import Expense
from folkways.records import JUDGED_ITEMS, SCORES, Metric, Schema, Signature, empty, require_columns
from folkways.releases.release_records import ReleaseRecord
from folkways.reports.replies import Replies

PEOPLE = "people of the culture"
"""Stands in the scores in place of an endpoint's name, and in the legends of figures."""

FAILURES: Schema = {
    "endpoint": pl.String,
    "task": pl.String,
    "kind": pl.String,  # "HTTP 429", "timeout", "no key", ...
    "count": pl.Int64,
    "example": pl.String,  # one message as it came; untrusted
}
"""Columns of ``ReportData.failures``."""


ITEM_TEXTS = ("text", "gold", "response", "answer", "reason")
"""Columns of JUDGED_ITEMS that hold an item, or what was made of it."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run, as a report names it.

    created: ISO 8601 time at which it began.
    state: how it ended; ``budget`` means that it stopped before the budget was crossed.
    cost: in US dollars; None where no price is known.
    requests: asked in this run (responses that were there already are not asked again).
    seconds: from start to end.
    version: of folkways.
    """

    name: str
    created: str
    state: Literal["finished", "interrupted", "budget"]
    endpoints: tuple[str, ...]
    tasks: tuple[str, ...]
    cost: float | None
    requests: int
    seconds: float
    version: str


@dataclass(frozen=True)
class ReportData:
    """Everything that a report shows.

    created: ISO 8601 time of the report.
    scores: records.SCORES, of any number of endpoints, tasks and profiles.
    judgements: JUDGED_ITEMS; facets and metrics as further columns (null where a task lacks them).
    replies: what was replied, for each row of ``judgements``, whose column ``response`` is null then; None
        where that has it.
    releases: the data that were used, with licence and citation.
    metrics: task -> its metrics; the first is the headline.
    task_titles: task -> its title.
    headline_by: task -> the facet whose groups replace the whole in headlines, if the task declares one.
    ordered: task -> facet -> its groups in an order of their own.
    warnings: sentences that a reader must see before the numbers, for example on unfinished runs.
    failures: FAILURES; empty when nothing failed.
    people: records.SCORES of people of the cultures under the same rule, for tasks that know them; drawn,
        never ranked.
    signatures: each text of the scores' column ``signature`` -> its parts.
    unknown_people: task -> the release that would tell of its people, where they were scored without it.
    results: what the papers ask of their scores, asked of these, with the tables that answer; in the order of
        the benchmarks.
    without_results: name of a result that these judgements do not allow -> why.
    without_items: task whose items may not be passed on -> why; ITEM_TEXTS of its judgements are null.
    chance: task with options -> what guessing among them scores on the headline, in percent.
    expenses: endpoint -> what its replies took, where that was looked up.
    homes: model -> code of the culture in which its maker is at home, where that is known.
    parts: task -> how much of it was asked, in words, where that is not everything.
    names: endpoint -> the model's name in files, without an address.
    conditions: name of a model here, with its runs -> its endpoint, where several runs asked it in several
        conditions.
    contrasts: (task, profile, metric) -> how the models differ, by culture too, where that was stored with
        their scores; made of the judgements for others.
    dispute: the address at which a question can be disputed, with ``{item}``, ``{culture}`` and ``{task}``
        to be filled in; empty without one.
    """

    title: str
    created: str
    runs: tuple[RunInfo, ...]
    scores: pl.DataFrame
    judgements: pl.DataFrame
    releases: tuple[ReleaseRecord, ...] = ()
    metrics: Mapping[str, tuple[Metric, ...]] = field(default_factory=dict)
    task_titles: Mapping[str, str] = field(default_factory=dict)
    headline_by: Mapping[str, str] = field(default_factory=dict)
    ordered: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    failures: pl.DataFrame = field(default_factory=lambda: empty(FAILURES))
    people: pl.DataFrame = field(default_factory=lambda: empty(SCORES))
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    unknown_people: Mapping[str, str] = field(default_factory=dict)
    results: tuple[ResultTables, ...] = ()
    without_results: Mapping[str, str] = field(default_factory=dict)
    without_items: Mapping[str, str] = field(default_factory=dict)
    chance: Mapping[str, float] = field(default_factory=dict)
    expenses: Mapping[str, Expense] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    contrasts: Mapping[tuple[str, str, str], ModelContrasts] = field(default_factory=dict)
    dispute: str = ""
    replies: Replies | None = None

    def __post_init__(self) -> None:
        require_columns(self.scores, SCORES, "the scores of a report")
        require_columns(self.judgements, JUDGED_ITEMS, "the judgements of a report")
        require_columns(self.failures, FAILURES, "the failures of a report")
        require_columns(self.people, SCORES, "the scores of people in a report")

    def with_responses(self) -> ReportData:
        """The same with all replies in ``judgements``."""
        if self.replies is None:
            return self
        return replace(
            self, judgements=self.rows(pl.int_range(self.judgements.height, eager=True)), replies=None
        )

    def rows(self, numbers: pl.Series) -> pl.DataFrame:
        """These rows of ``judgements``, in this order, with their replies."""
        rows = self.judgements[numbers]
        return rows if self.replies is None else rows.with_columns(self.replies.of(numbers))

    def slices(self, size: int) -> Iterator[pl.DataFrame]:
        """The rows of ``judgements`` with their replies, so many at a time."""
        start = 0
        for rows in self.judgements.iter_slices(size):
            end = start + rows.height
            yield rows if self.replies is None else rows.with_columns(self.replies.between(start, end))
            start = end
