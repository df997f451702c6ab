"""What BLEnD's paper asks of the scores, as analyses of runs: the tables of ``folkways tables blend`` that need judgements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from folkways.benchmarks.analyses import Analysis, Findings
from folkways.benchmarks.tables import Table

SAQ, MCQ = "blend/saq", "blend/mcq"


def _tables(*names: str) -> Callable[[Findings], Sequence[Table]]:
    def make(findings: Findings) -> Sequence[Table]:
        from folkways.benchmarks.blend.tables import Sources, make_table  # brings scipy, which asking does not need

        judged = [findings.of(task) for task in (SAQ, MCQ) if task in findings.tasks]
        if not judged:
            raise findings.lacking(SAQ)
        sources = Sources(judgements=pl.concat(judged, how="diagonal_relaxed"))
        return [make_table(name, sources) for name in names]

    return make


ANALYSES = (
    Analysis(
        "languages",
        "Local language against English (section 4.2)",
        "Does a model answer better when it is asked in the language of the culture, or in English?",
        (SAQ,),
        _tables("languages"),
    ),
    Analysis(
        "categories",
        "Topics against each other (section 4.3)",
        "Do topics differ, over models and cultures, by more than chance?",
        (SAQ,),
        _tables("category-means", "categories", "category-pairs"),
    ),
    Analysis(
        "formats",
        "Short answers against multiple choice (section 4.4)",
        "Do both formats find the same cultures easy and hard?",
        (SAQ, MCQ),
        _tables("formats"),
    ),
)
