"""How much of a task a run asked: what the task asks by default against what was asked, whatever the options
were called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from folkways.display import count, one_line
from folkways.evidence.sentences import named
from folkways.names import value_name

ASKED_BY = ("culture", "language", "variant")
"""What a task's rows are counted by."""

CELLS = (*ASKED_BY, "rows")


@dataclass(frozen=True)
class Completeness:
    """The rows of a task (item, language, variant) that a run asked of those that the task asks by default.

    by_default: how many these are. asked: how many of them the run asked. absent: culture, language or
    variant -> the values of which the run asked nothing.
    """

    by_default: int
    asked: int
    absent: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, by_default: pl.DataFrame, asked: pl.DataFrame) -> Completeness:
        """Both with CELLS: the number of rows of each culture, language and variant. What a run asked besides
        does not count."""
        cells = by_default.join(
            asked.select(*ASKED_BY, asked="rows"),
            on=list(ASKED_BY),
            how="left",
            nulls_equal=True,
            maintain_order="left",
        ).with_columns(asked=pl.min_horizontal(pl.col("asked").fill_null(0), "rows"))
        absent = {
            column: tuple(
                cells.group_by(column).agg(pl.col("asked").sum()).filter(asked=0)[column].drop_nulls().sort()
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
        """Whether everything was asked that the task asks by default."""
        return self.asked == self.by_default

    def sentences(self) -> Iterator[str]:
        """What is not there, in words without a full stop; nothing where everything is."""
        if self.whole:
            return
        yield f"{count(self.asked)} of {count(self.by_default)} rows that the task asks by default"
        for column, values in self.absent.items():
            names = [one_line(value_name(column, value)) for value in values]
            yield f"nothing of the {column}{'s' * (len(names) > 1)} {named(names)}"
