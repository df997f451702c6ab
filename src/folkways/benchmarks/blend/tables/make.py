"""Makes tables by name from whatever data there are: states of the data, raw answers, judgements of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.tables.annotations import ABOUT, Measure, annotation_table, question_counts
from folkways.benchmarks.blend.tables.categories import category_means, category_means_table, category_pairs_table, category_table
from folkways.benchmarks.blend.tables.formats import CULTURE_SCORES, culture_scores, format_table
from folkways.benchmarks.blend.tables.languages import SAQ, language_table, published_language_table
from folkways.benchmarks.blend.tables.overlap import overlap_table
from folkways.benchmarks.blend.tables.people import people_judgements, people_table
from folkways.benchmarks.blend.tables.published import compare_with_published, published
from folkways.benchmarks.blend.tables.statistics import statistics_table
from folkways.benchmarks.tables import Layout, NotAvailableError, Table
from folkways.errors import UnknownNameError
from folkways.releases.base import Release
from folkways.text.tools import get_tool

MCQ = "blend/mcq"


@dataclass(frozen=True)
class Sources:
    """What tables are made of.

    releases:   states of BLEnD's data, each shown beside the published cells; the first is what figures without cells are made of.
    raw:        a state with what each annotator wrote.
    ready_made: a release with ready-made multiple-choice questions.
    judgements: records.JUDGEMENTS with ``endpoint``, topic and metrics, of one profile; None means the paper's own scores.
    """

    releases: tuple[Release, ...] = ()
    raw: Release | None = None
    ready_made: Release | None = None
    judgements: pl.DataFrame | None = None
    profile: str = "paper"
    tool_set: str = "default"
    saq_metric: str = "sem_b"
    mcq_metric: str = "accuracy"

    @cached_property
    def annotations(self) -> tuple[pl.DataFrame, ...]:
        """ANNOTATIONS of each release, read once."""
        return tuple(blend.read_annotations(release) for release in self.states)

    @cached_property
    def questions(self) -> tuple[pl.DataFrame, ...]:
        """QUESTIONS of each release, read once."""
        return tuple(blend.read_questions(release) for release in self.states)

    @property
    def states(self) -> tuple[Release, ...]:
        """The releases; NotAvailableError if there is none."""
        if not self.releases:
            raise NotAvailableError("no state of BLEnD's data is on this disk; fetch one: folkways data fetch blend-june blend")
        return self.releases

    def judgements_of(self, task: str) -> pl.DataFrame:
        """The judgements of a task; NotAvailableError without."""
        if self.judgements is None:
            raise NotAvailableError(f"needs what models answered; name a run of {task} with --run")
        found = self.judgements.filter(pl.col("task") == task)
        if found.is_empty():
            raise NotAvailableError(f"the runs have no judgements of {task} in the profile {self.profile}")
        return found


def make_table(name: str, sources: Sources) -> Table:
    """The table of that name (a key of MAKERS, or the number of a table of the paper).

    UnknownNameError for a name that is not known; NotAvailableError where what it is made of is not at hand; DataError where the
    data cannot be read.
    """
    known = NUMBERS.get(name, name)
    if known not in MAKERS:
        raise UnknownNameError("table of blend", name, {*MAKERS, *NUMBERS})
    return MAKERS[known](sources)


def _statistics(sources: Sources) -> Table:
    mcq = None
    if sources.ready_made is not None:
        parts = blend.read_mcq_batches(sources.ready_made)
        mcq = pl.concat(part.select("culture", "id") for part in parts)
    return _beside_published([statistics_table(questions, mcq) for questions in sources.questions], sources.states, 2, decimals=0)


def _of_annotations(measure: Measure) -> Callable[[Sources], Table]:
    def make(sources: Sources) -> Table:
        states = zip(sources.annotations, sources.questions, strict=True)
        tables = [annotation_table(question_counts(annotations, questions), measure) for annotations, questions in states]
        return _beside_published(tables, sources.states, ABOUT[measure][0])

    return make


def _beside_published(tables: Sequence[Table], releases: Sequence[Release], number: int, decimals: int = 2) -> Table:
    """One table of all states: rows with ``release``, ``published``, ``deviation``, ``reproduced``, and a note on each state."""
    parts, notes = [], []
    for table, release in zip(tables, releases, strict=True):
        rows = compare_with_published(table.rows, number, decimals)
        parts.append(rows.select(pl.lit(release.label).alias("release"), pl.all()))
        notes.append(_told(release.label, rows))
    first = tables[0]
    layout = replace(first.layout, by="release") if first.layout else Layout("culture", "category", "value", by="release")
    return replace(first, rows=pl.concat(parts), layout=layout, notes=(*notes, *first.notes))


def _told(release: str, rows: pl.DataFrame) -> str:
    cells = rows.drop_nulls("published")
    differ = cells.filter(~pl.col("reproduced"))
    if differ.is_empty():
        return f"{release}: all {cells.height} published cells that can be recomputed reproduce."
    by_culture = differ.group_by("culture").len().sort("len", "culture", descending=[True, False])
    most = ", ".join(f"{culture} {count}" for culture, count in by_culture.head(5).iter_rows())
    return f"{release}: {differ.height} of {cells.height} published cells differ; most of them in {most}."


def _overlap(sources: Sources) -> Table:
    table = overlap_table(sources.annotations[0], get_tool("en", sources.tool_set))
    return replace(table, notes=(f"Made of {sources.states[0].label}.", *table.notes))


def _languages(sources: Sources) -> Table:
    if sources.judgements is None:
        return published_language_table()
    return language_table(sources.judgements_of(SAQ), sources.saq_metric)


def _of_categories(table_of: Callable[[pl.DataFrame], Table]) -> Callable[[Sources], Table]:
    def make(sources: Sources) -> Table:
        means = category_means(sources.judgements_of(SAQ), sources.saq_metric)
        if means["topic"].n_unique() < 2 or means.height <= means["topic"].n_unique():
            raise NotAvailableError("needs two topics or more, of more than one model or culture")
        return table_of(means)

    return make


def _formats(sources: Sources) -> Table:
    if sources.judgements is None:
        return format_table(published(10, 11, 12).select(list(CULTURE_SCORES)))
    both = pl.concat([sources.judgements_of(SAQ), sources.judgements_of(MCQ)], how="diagonal_relaxed")
    return format_table(culture_scores(both, sources.saq_metric, sources.mcq_metric))


def _people(sources: Sources) -> Table:
    if sources.raw is None:
        raise NotAvailableError("needs what each annotator wrote; fetch it: folkways data fetch blend-raw")
    judged = people_judgements(blend.read_annotations(sources.raw), sources.profile, sources.tool_set)
    table = people_table(judged)
    tools = "default text tools" if sources.tool_set == "default" else f"text tools {sources.tool_set}"
    return replace(table, notes=(f"Made of {sources.raw.label}; profile {sources.profile}, {tools}.", *table.notes))


MAKERS: dict[str, Callable[[Sources], Table]] = {
    "statistics": _statistics,
    "votes": _of_annotations("votes"),
    "answers": _of_annotations("answers"),
    "unknown": _of_annotations("unknown"),
    "overlap": _overlap,
    "languages": _languages,
    "category-means": _of_categories(category_means_table),
    "categories": _of_categories(category_table),
    "category-pairs": _of_categories(category_pairs_table),
    "formats": _formats,
    "people": _people,
}
"""Name -> what makes the table, in the order in which they are shown."""

NUMBERS = {"2": "statistics", "7": "votes", "8": "answers", "9": "unknown"}
"""Number of a table of the paper -> its name."""
