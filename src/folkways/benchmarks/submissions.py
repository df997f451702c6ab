"""The file that a competition on a benchmark takes, made of a model's replies to one of its tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Submission:
    """What is handed in for one task.

    path:  where the file lies in what is handed in, with forward slashes; its ending (.tsv or .csv) is its
           format.
    table: makes its columns of one row per item of the release: ``item``, ``state``, and ``answer`` and
    ``response``, null where
           there is none.
    """

    path: str
    table: Callable[[pl.DataFrame], pl.DataFrame]
