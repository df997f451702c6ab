"""The paper's tables and figures, recomputed from the data, and what the paper lacks: intervals, and the line that people draw.

Pure functions on frames. Each gives a ``Table``, which says what its rows are means or counts of, and what was sampled.
"""

from __future__ import annotations

from folkways.benchmarks.blend.tables.annotations import annotation_table, question_counts
from folkways.benchmarks.blend.tables.categories import category_means, category_means_table, category_pairs_table, category_table
from folkways.benchmarks.blend.tables.formats import culture_scores, format_table
from folkways.benchmarks.blend.tables.languages import language_table, published_language_table
from folkways.benchmarks.blend.tables.make import MAKERS, Sources, make_table
from folkways.benchmarks.blend.tables.overlap import overlap_table
from folkways.benchmarks.blend.tables.people import people_judgements, people_table
from folkways.benchmarks.blend.tables.published import compare_with_published, published
from folkways.benchmarks.blend.tables.statistics import statistics_table
from folkways.benchmarks.tables import NotAvailableError, Table

__all__ = [
    "MAKERS",
    "NotAvailableError",
    "Sources",
    "Table",
    "annotation_table",
    "category_means",
    "category_means_table",
    "category_pairs_table",
    "category_table",
    "compare_with_published",
    "culture_scores",
    "format_table",
    "language_table",
    "make_table",
    "overlap_table",
    "people_judgements",
    "people_table",
    "published",
    "published_language_table",
    "question_counts",
    "statistics_table",
]
