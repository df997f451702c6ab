"""The scores of several models on one task, matched row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.multiple_choice.orders import without_order
from folkways.benchmarks.summary import AS_IT_IS
from folkways.display import count, plural
from folkways.records import LOST, Metric, State, Unit, is_baseline

ASKING = ("language", "variant", "sample")
"""How a question was asked; rows of two models match if these and the item are equal."""

FORM = r"(?:^|-)[^-]+-[^-]+-[^-]+$"
"""What the variant of a question of opinion ends with: wording, labels and order (``survey.task.Form``)."""

MANY_UNREADABLE = 0.1
"""Share of unreadable replies above which a score says as much about format as about knowledge."""

ENOUGH_REPLIES = 0.95
"""Share of the expected rows that need a reply before a model is ranked or a requirement is decided."""


@dataclass(frozen=True)
class Answers:
    """Scores of models, row by row.

    models: names as in the frames.
    values: the metric, shape (rows, models); NaN if the model was not asked or gave no reply.
    questions: index of each row's question (the sampling unit), from 0 to ``n_questions`` - 1.
    groups: the facets to compare by, one row per row of ``values``.
    expected: model -> number of rows that count, with or without a reply.
    replied: model -> number of those with a reply.
    unread: model -> number of replies without a readable answer.
    truncated: model -> number of those that the token limit cut.
    per: ``Metric.per`` of the metric: whether a row is a reply or a question of several.
    samples: model -> sample -> number of the expected rows in it.
    """

    models: tuple[str, ...]
    values: npt.NDArray[np.float64] = field(repr=False)
    questions: npt.NDArray[np.int64] = field(repr=False)
    n_questions: int
    groups: pl.DataFrame = field(repr=False)
    expected: Mapping[str, int]
    replied: Mapping[str, int]
    unread: Mapping[str, int] = field(default_factory=dict)
    truncated: Mapping[str, int] = field(default_factory=dict)
    per: Unit = "item"
    samples: Mapping[str, Mapping[int, int]] = field(default_factory=dict, repr=False)

    def expected_in_samples(self, model: str, *, of: str) -> int:
        """How many rows that count a model has in the samples that another one (``of``) was asked for as
        well: of three samples and one, those of the one."""
        return sum(rows for sample, rows in self.samples[model].items() if sample in self.samples[of])

    def coverage(self, model: str) -> float:
        """The share of a model's expected rows that it replied to; 0 if none is expected."""
        return self.replied[model] / self.expected[model] if self.expected[model] else 0.0

    def rankable(self, model: str) -> bool:
        """Whether a model replied to enough rows to be ranked."""
        return self.coverage(model) >= ENOUGH_REPLIES

    def shared(self, first: str, second: str) -> npt.NDArray[np.int64]:
        """Indices of the rows that both models replied to."""
        one, other = self._column(first), self._column(second)
        return np.flatnonzero(~(np.isnan(one) | np.isnan(other)))

    def only_one(self, first: str, second: str, facet: str) -> dict[str, list[str]]:
        """Model -> the groups of a facet in which it has replies, but to no row that the other replied to,
        so that the pair cannot be compared: under both models where each replied to rows of its own."""
        one, other = (~np.isnan(self._column(model)) for model in (first, second))
        flags = self.groups.select(
            pl.col(facet).cast(pl.String), one=pl.Series(one), other=pl.Series(other)
        ).drop_nulls(facet)
        by_group = flags.group_by(facet).agg(
            pl.col("one", "other").any(), both=(pl.col("one") & pl.col("other")).any()
        )
        alone = by_group.filter(~pl.col("both") & (pl.col("one") | pl.col("other"))).sort(facet)
        names: dict[str, list[str]] = {first: [], second: []}
        for group, has_one, has_other, _ in alone.iter_rows():
            for model, has in ((first, has_one), (second, has_other)):
                if has:
                    names[model].append(group)
        return {model: values for model, values in names.items() if values}

    def notes(self, models: Sequence[str] | None = None) -> list[str]:
        """Sentences on rows that are not compared and on replies that could not be read.

        models: a pair, for the rows that its comparison leaves out; None for the rows without a reply of each
        model.
        """
        return [*self._missing(models), *self._unreadable(models or self.models)]

    def _column(self, model: str) -> npt.NDArray[np.float64]:
        return self.values[:, self.models.index(model)]

    def _missing(self, pair: Sequence[str] | None) -> Iterator[str]:
        if pair is None:
            for model in self.models:
                if silent := self.expected[model] - self.replied[model]:
                    rank = (
                        ""
                        if self.rankable(model)
                        else f"; with less than {100 * ENOUGH_REPLIES:g} % it has no rank"
                    )
                    of = f"{count(silent)} of {count(self.expected[model])} rows"
                    yield f"{model}: {of} have no reply and are not compared{rank}."
            return
        n = self.shared(*pair).size
        for model in pair:
            expected, silent = self.expected[model], self.expected[model] - self.replied[model]
            if expected != n:
                unreplied = f", {count(silent)} of them without a reply of its own" if silent else ""
                verb = "is" if expected - n == 1 else "are"
                left = f"{count(expected - n)} {verb} left out{unreplied}"
                yield f"{model}: {count(n)} of {count(expected)} rows are compared; {left}."

    def _unreadable(self, models: Sequence[str]) -> Iterator[str]:
        for model in models:
            unread = self.unread.get(model, 0)
            # the replies of baselines are often unreadable by design
            if unread > MANY_UNREADABLE * self.replied[model] and not is_baseline(model):
                replies = part_of_replies(unread, self.replied[model], self.per)
                cut = (
                    f" (the token limit cut {count(self.truncated[model])} of these)"
                    if self.truncated[model]
                    else ""
                )
                yield (
                    f"{model}: no answer could be read out of {replies}{cut}. "
                    "These count as not right: the difference may be one of form and not of knowledge."
                )


def part_of_replies(part: int, whole: int, per: Unit, of_question: str = "a reply") -> str:
    """``3 of 16 replies``; of a metric with one value for a whole question ``a reply to 3 of 4 questions``.

    part, whole: numbers of rows that the metric has a value for. per: ``Metric.per``.
    of_question: what of a question's replies the part is about.
    """
    if per != "item":
        return f"{of_question} to {count(part)} of {plural(whole, 'question')}"
    return f"{count(part)} of {plural(whole, 'reply', 'replies')}"


Judged: TypeAlias = pl.DataFrame | pl.LazyFrame | Callable[[], pl.DataFrame]
"""records.JUDGEMENTS of one model on one task in one profile, or what reads them: of models that are read one
after the other, only what is compared is in memory together."""


def answers_of(judgements: Mapping[str, Judged], metric: Metric, groups: Sequence[str]) -> Answers:
    """Match the counted rows of models to which the metric applies.

    judgements: model -> what was judged, with the metric's column and ``groups``. Rows match by item,
    language, variant and sample, but for what one value is of (``in_units``). A question of several rows
    counts as without a reply as soon as one of them is; of opinions, whose value is of all forms of a
    question that got a reply, only where it has none for want of replies. The groups that a score is averaged
    over (``Metric.mean_over``) are among ``Answers.groups``.
    """
    groups = [*groups, *([metric.mean_over] if metric.mean_over else [])]
    key = (*(("culture", "question") if metric.per == "question" else ("item",)), *ASKING)
    carried = list(dict.fromkeys((*key, "question", *groups)))
    expected, replied, unread, truncated, samples = {}, {}, {}, {}, {}
    heard: list[pl.DataFrame] = []
    for model, frame in judgements.items():
        rows = _expected(frame, metric, key, carried)
        expected[model] = rows.height
        samples[model] = dict(rows["sample"].value_counts().iter_rows())
        rows = rows.filter(~pl.col("lost")).drop("lost")
        replied[model] = rows.height
        truncated[model] = _count(rows["state"], State.TRUNCATED)
        unread[model] = truncated[model] + _count(rows["state"], State.UNREADABLE)
        alike = bool(heard) and rows.select(key).equals(heard[0].select(key))
        # most models were asked the same rows, which need one copy only
        heard.append(rows.select("value") if alike else rows.drop("state"))
    base = heard[0]
    if all(rows.width == 1 for rows in heard[1:]):
        values = np.column_stack([rows["value"].to_numpy() for rows in heard])
    else:
        heard = [base.select(carried).with_columns(rows) if rows.width == 1 else rows for rows in heard]
        base = pl.concat([rows.select(carried) for rows in heard]).unique(
            key, keep="first", maintain_order=True
        )
        index = base.select(*key, row=pl.int_range(pl.len(), dtype=pl.Int64))
        values = np.full((base.height, len(heard)), np.nan)
        for column, rows in enumerate(heard):
            positions = (
                rows.select(key).join(index, on=key, how="left", maintain_order="left")["row"].to_numpy()
            )
            values[positions, column] = rows["value"].to_numpy()
    units = base["question"].unique().cast(pl.String).sort()
    return Answers(
        models=tuple(judgements),
        values=values,
        questions=base["question"].cast(pl.Enum(units)).to_physical().cast(pl.Int64).to_numpy(),
        n_questions=len(units),
        groups=base.select(*dict.fromkeys(groups)),
        expected=expected,
        replied=replied,
        unread=unread,
        truncated=truncated,
        per=metric.per,
        samples=samples,
    )


def in_units(metric: Metric, variant: str = "variant") -> list[pl.Expr]:
    """Columns for judgements whose rows match by ``item``, ``sample`` and ``variant`` where one value is of
    several rows (``Metric.per``), and may be on any of them: what these do not share is taken out.

    variant: the name of that column.
    """
    if metric.per != "question":
        return [without_order(variant)] if metric.per == "orders" else []
    question = pl.concat_str(["culture", "question"], separator="/", ignore_nulls=True).alias("item")
    if metric.kind != "distribution":
        return [question]
    condition = pl.col(variant).cast(pl.String).str.replace(FORM, "").replace({"": AS_IT_IS})
    return [question, condition, pl.lit(0, pl.Int64).alias("sample")]  # of all forms


def _expected(judged: Judged, metric: Metric, key: Sequence[str], carried: Sequence[str]) -> pl.DataFrame:
    """The carried columns, state, value and whether a reply is lost: one row for each that a metric has a
    value for."""
    value, lost = pl.col(metric.name).cast(pl.Float64), pl.col("state").is_in(LOST)
    frame = judged if isinstance(judged, pl.DataFrame | pl.LazyFrame) else judged()
    counted = frame.lazy().filter(pl.col("counted")).select(*carried, "state", value=value, lost=lost)
    if metric.per != "item":
        others, speaks = [name for name in carried if name not in key], pl.col("value").is_not_null()
        lost_rows = (
            pl.col("lost").filter(speaks).first() if metric.kind == "distribution" else pl.col("lost").any()
        )
        counted = (
            counted.with_columns(in_units(metric))
            .group_by(key, maintain_order=True)
            .agg(pl.col(others).first(), pl.col("state", "value").filter(speaks).first(), lost_rows)
        )
    return counted.filter(pl.col("value").is_not_null()).select(*carried, "state", "value", "lost").collect()


def _count(states: pl.Series, state: State) -> int:
    """How many of them are this one; a state that is not one of a categorical column's words compares as
    null."""
    return int((states == state.value).sum())
