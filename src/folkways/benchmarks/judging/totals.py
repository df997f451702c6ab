"""Judgements added up by group and question, for all groups of a grouping at once: what scores and their
intervals are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DENSE = 8
"""A table of all groups by all questions is made where it has at most so many cells per row; otherwise cells
are sorted out."""


@dataclass(frozen=True)
class Cells:
    """The questions that each group has, as one run of cells after the other.

    of_row: the cell of each row. rows: number of rows of each cell. first: where each group's cells begin;
    one entry more than groups. Cells of a group are ordered by question.
    """

    of_row: Ints
    rows: Floats
    first: Ints

    @classmethod
    def of(
        cls, groups: Ints, questions: npt.NDArray[np.integer[Any]], n_groups: int, n_questions: int
    ) -> Cells:
        """Cells of rows with these group and question numbers, each from 0."""
        pairs = groups * n_questions + questions
        if n_groups * n_questions <= DENSE * max(1, pairs.size):
            counts = np.bincount(pairs, minlength=n_groups * n_questions)
            present = np.flatnonzero(counts)
            number = np.empty(counts.size, dtype=np.int64)
            number[present] = np.arange(present.size)
            of_row, rows = number[pairs], counts[present]
        else:
            present, of_row, rows = np.unique(pairs, return_inverse=True, return_counts=True)
        first = np.searchsorted(present, np.arange(n_groups + 1) * n_questions)
        return cls(of_row, rows.astype(np.float64), first)

    def sums(self, values: Floats) -> Floats:
        """Sum of the values (one per row) in each cell."""
        return np.bincount(self.of_row, weights=values, minlength=self.rows.size).astype(np.float64)


def state_counts(groups: Ints, states: npt.NDArray[np.integer[Any]], n_groups: int, n_states: int) -> Ints:
    """How many rows of each group are in each state: shape (groups, states)."""
    return np.bincount(groups * n_states + states, minlength=n_groups * n_states).reshape(n_groups, n_states)
