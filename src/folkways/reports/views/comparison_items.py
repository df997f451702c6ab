"""Which items several models have in common, and what that leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.records import State, is_baseline
from folkways.reports.text import plural
from folkways.reports.views.views import MANY_UNREADABLE

KEY = ("item", "language", "variant", "sample")
"""What makes two rows the same question, asked in the same way."""


@dataclass(frozen=True)
class Shared:
    """The rows that every model replied to.

    values:      the metric, shape (rows, models). questions: a number for each row's question, from 0 to n_questions.
    groups:      the columns to look at differences by, one row per shared row.
    expected:    model -> rows that count for it, whether it replied or not.
    replied:     model -> those of them that it replied to.
    unread:      model -> replies that no answer could be read out of. truncated: those of them that the token limit cut.
    """

    values: npt.NDArray[np.float64]
    questions: npt.NDArray[np.int64]
    n_questions: int
    groups: pl.DataFrame
    expected: Mapping[str, int]
    replied: Mapping[str, int]
    unread: Mapping[str, int] = field(default_factory=dict)
    truncated: Mapping[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many rows are shared."""
        return len(self.questions)

    def notes(self) -> list[str]:
        """One sentence for each model of whose items some are left out, and for each with many replies that could not be read."""
        told = []
        for model, expected in self.expected.items():
            if expected == self.n:
                continue
            silent = expected - self.replied[model]
            unreplied = f", {silent:,} of them without a reply of its own" if silent else ""
            told.append(f"{model}: {self.n:,} of {expected:,} rows are compared; {expected - self.n:,} are left out{unreplied}.")
        for model, unread in self.unread.items():
            if unread > MANY_UNREADABLE * self.replied[model] and not is_baseline(model):  # baselines always have such
                replies = plural(self.replied[model], "reply", "replies")
                cut = f" (the token limit cut {self.truncated[model]:,} of these)" if self.truncated[model] else ""
                told.append(
                    f"{model}: no answer could be read out of {unread:,} of {replies}{cut}. "
                    "These count as not right: the difference may be one of form and not of knowledge."
                )
        return told


def share_items(judgements: Mapping[str, pl.DataFrame], metric: str, groups: Sequence[str]) -> Shared:
    """Match the models' counted rows by KEY, and keep those that all of them replied to and the metric applies to."""
    lost = pl.col("state").is_in([State.FAILED.value, State.MISSING.value])
    states: dict[str, pl.Series] = {}
    needed = list(dict.fromkeys((*KEY, "question", *groups, "state", metric)))  # not the texts: each filter copies what it keeps
    base: pl.DataFrame | None = None
    columns: list[npt.NDArray[np.float64]] = []
    expected: dict[str, int] = {}
    replied: dict[str, int] = {}
    for model, frame in judgements.items():
        counted = frame.select("counted", *needed).filter(pl.col("counted") & pl.col(metric).is_not_null())
        expected[model] = counted.height
        heard = counted.filter(~lost)
        replied[model] = heard.height
        states[model] = heard["state"]
        if base is None:
            base = heard.select(*dict.fromkeys((*KEY, "question", *groups))).with_row_index("__row")
        rows = heard.select(*KEY, pl.col(metric).cast(pl.Float64)).join(base.select("__row", *KEY), on=list(KEY), how="inner")
        column = np.full(base.height, np.nan)
        column[rows["__row"].to_numpy()] = rows[metric].to_numpy()
        columns.append(column)
    assert base is not None  # noqa: S101 - callers give two models or more
    values = np.column_stack(columns)
    whole = ~np.isnan(values).any(axis=1)
    kept = base.filter(pl.Series(whole))
    names = kept["question"].unique().cast(pl.String).sort()
    numbers = kept["question"].cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()
    truncated = {model: _count(state, State.TRUNCATED) for model, state in states.items()}
    unread = {model: truncated[model] + _count(state, State.UNREADABLE) for model, state in states.items()}
    return Shared(values[whole], numbers, len(names), kept.select(*dict.fromkeys(groups)), expected, replied, unread, truncated)


def _count(states: pl.Series, state: State) -> int:
    """How many of them are this one; a state that is none of a categorical column's words compares as null."""
    return int((states == state.value).sum())
