"""What section 5 of CulturalBench's paper asks of the scores, and how much of it the format decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from folkways.benchmarks.analyses import Analysis, Findings
from folkways.benchmarks.culturalbench.analyses.values import TASKS
from folkways.benchmarks.tables import Table


def _made_by(module: str, function: str) -> Callable[[Findings], Sequence[Table]]:
    def make(findings: Findings) -> Sequence[Table]:
        # Imported when it is made: the statistics bring scipy, which asking does not need.
        made: Sequence[Table] = getattr(import_module(f"{__name__}.{module}"), function)(findings)
        return made

    return make


ANALYSES = (
    Analysis(
        "easy-hard",
        "Easy against Hard (section 5.1)",
        "How much of a model's score is lost when each option has to be judged on its own?",
        TASKS,
        _made_by("setups", "easy_against_hard"),
    ),
    Analysis(
        "question-types",
        "One right answer or several (section 5.2)",
        "Are questions with several right answers harder?",
        TASKS,
        _made_by("setups", "by_mode"),
    ),
    Analysis(
        "region-providers",
        "Regions and makers of models (section 5.3)",
        "Whose models know which regions?",
        TASKS,
        _made_by("makers", "regions"),
    ),
    Analysis(
        "models",
        "Makers, families, sizes and dates (section 5.1)",
        "Who made the models, and what do those that have something in common score?",
        TASKS,
        _made_by("makers", "models"),
    ),
    Analysis(
        "sizes",
        "Larger models of a family (section 5.1)",
        "Does the next larger model of a family know more?",
        TASKS,
        _made_by("growth", "by_size"),
    ),
    Analysis(
        "dates",
        "Later models of a family (section 5.2)",
        "Does the next model of a family know more?",
        TASKS,
        _made_by("growth", "by_date"),
    ),
    Analysis(
        "format-spread",
        "How much the format decides",
        "Are differences between cultures greater than those between templates and orders of the options?",
        TASKS,
        _made_by("formats", "spread"),
    ),
    Analysis(
        "guessing",
        "What guessing gives (section 5)",
        "What do chance, one answer for all, and the options alone score on these questions?",
        TASKS,
        _made_by("reference", "guessing"),
    ),
    Analysis(
        "reference-points",
        "Published scores",
        "What have others published?",
        TASKS,
        _made_by("reference", "reference_points"),
    ),
)
