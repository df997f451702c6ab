"""The corpus of XCR-Bench in tables: Figures 3 and 4, Table 8, and what the paper leaves uncounted."""

from __future__ import annotations

from folkways.benchmarks.xcr.tables.bengali import merged_bengali
from folkways.benchmarks.xcr.tables.make import MAKERS, make_table

__all__ = ["MAKERS", "make_table", "merged_bengali"]
