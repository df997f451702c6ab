"""How much of a task a run asked, compared with what the task asks by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from folkways.display import count, named, single_line
from folkways.names import WHOLE, value_name

ASKED_BY = ("culture", "language", "variant")
"""The columns by which the rows of a task are counted."""

ABOUT = {"culture": "about", "language": "in", "variant": "with"}
"""How a phrase speaks of a value of each column."""

CELLS = (*ASKED_BY, "rows")


@dataclass(frozen=True)
class Completeness:
    """How many of a task's default rows (item, language, variant) a run asked.

    by_default: number of rows that the task asks by default. asked: how many of them the run asked. absent:
    culture, language or variant -> values without any asked row.
    """

    by_default: int
    asked: int
    absent: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, by_default: pl.DataFrame, asked: pl.DataFrame) -> Completeness:
        """Both frames have the columns CELLS: the number of rows of each culture, language and variant. Rows
        that the task does not ask by default do not count in ``asked``, and nothing is absent that they ask
        about: a run with prompts of its own has asked about its cultures."""
        cells = by_default.join(
            asked.select(*ASKED_BY, asked="rows"),
            on=list(ASKED_BY),
            how="left",
            nulls_equal=True,
            maintain_order="left",
        ).with_columns(asked=pl.min_horizontal(pl.col("asked").fill_null(0), "rows"))
        absent = {
            column: tuple(
                sorted({*by_default[column].drop_nulls()} - {*asked.filter(pl.col("rows") > 0)[column]})
            )
            for column in ASKED_BY
        }
        return cls(
            int(cells["rows"].sum()),
            int(cells["asked"].sum()),
            {name: values for name, values in absent.items() if values},
        )

    @property
    def whole(self) -> bool:
        """Whether the run asked everything that the task asks by default."""
        return self.asked == self.by_default

    def sentences(self) -> Iterator[str]:
        """What the run asked and what not, in phrases that follow "the run asked", without a full stop; none
        if it asked everything."""
        if self.whole:
            return
        yield f"{count(self.asked)} of the {count(self.by_default)} rows that the task asks by default"
        for column, values in self.absent.items():
            names = [single_line(value_name(column, value)) for value in values]
            yield f"nothing {ABOUT[column]} the {column}{'s' * (len(names) > 1)} {named(names)}"


def items_asked(judgements: pl.DataFrame) -> pl.DataFrame:
    """What each model was asked: columns task, endpoint and items, a number that is the same for models that
    were asked the same items. judgements: records.JUDGED_ITEMS."""
    asked = judgements.lazy().select("task", "endpoint", "item").unique()
    numbers = pl.col("item").cast(pl.String).hash().sum().alias("items")
    return asked.group_by(pl.col("task", "endpoint").cast(pl.String)).agg(numbers).collect()


def asked_apart(scores: pl.DataFrame, asked: pl.DataFrame) -> bool:
    """Whether models were asked other items, or different numbers of rows: over everything, or about some
    culture, in some language or with some variant.

    scores: records.SCORES of one metric and profile of a task. asked: ``items_asked``; for models that are
    not in it, the numbers of rows alone tell.
    """
    sizes = scores.filter(pl.col("facet").is_in([WHOLE, *ASKED_BY])).group_by("facet", "value")
    rows = sizes.agg(pl.col("n").n_unique(), models=pl.col("endpoint").n_unique())
    if ((rows["n"] > 1) | (rows["models"] < scores["endpoint"].n_unique())).any():
        return True
    return asked.join(scores, on=["task", "endpoint"], how="semi")["items"].n_unique() > 1
