"""The paper's tables and figures, recomputed with intervals, and the human baseline.

Tables of the data need released annotations. Tables of scores are made from judgements of runs or, without
runs, from the paper's own scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.data_tables import (
    ABOUT,
    annotation_table,
    counts_table,
    overlap_table,
    question_counts,
    statistics_table,
)
from folkways.benchmarks.blend.results.language_scores import (
    language_score_tables,
    language_scores,
    published_language_scores,
)
from folkways.benchmarks.blend.results.people import people_judgements, people_table
from folkways.benchmarks.blend.results.published_means import published_means
from folkways.benchmarks.blend.results.score_tables import (
    WHOSE_CULTURE,
    category_means,
    category_means_of_models,
    category_means_table,
    category_pairs_table,
    category_table,
    culture_scores,
    format_table,
    language_table,
    published_language_table,
    published_scores,
    question_means,
)
from folkways.benchmarks.blend.results.shared import MCQ, SAQ
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.published import beside_published
from folkways.benchmarks.results import DataNeed, Inputs, Result
from folkways.benchmarks.tables import Layout, NotAvailableError, Table
from folkways.records import OTHER_LANGUAGE
from folkways.releases.release_records import Release
from folkways.text.tools import get_tool

STATES = DataNeed("release", "State of the data; repeatable.", ("blend-june", "blend"), several=True)
RAW = DataNeed("raw", "State with what each annotator wrote.", ("blend-raw",))
READY_MADE = DataNeed("ready-made", "Release with ready-made multiple-choice questions.", ("blend-mcq",))


LOOKED_AT = (
    "task",
    "endpoint",
    "culture",
    "language",
    "question",
    "topic",
    "counted",
    "sem_b",
    "accuracy",
    OTHER_LANGUAGE,
)
"""Columns of judgements that results look at."""


def _statistics(inputs: Inputs) -> Sequence[Table]:
    states = inputs.data_of(STATES)
    ready_made = next(
        (
            release
            for release in (*states, *inputs.data.get(READY_MADE.name, ()))
            if blend.has(release, "mcq")
        ),
        None,
    )
    mcq = (
        None
        if ready_made is None
        else pl.concat(part.select("culture", "id") for part in blend.read_mcq_batches(ready_made))
    )
    questions = [blend.read_questions(release) for release in states]
    counts = [counts_table(one, mcq) for one in questions]
    tables = [statistics_table(one, mcq) for one in questions]
    return [_of_states(counts, states, 1, decimals=0), _of_states(tables, states, 2, decimals=0)]


def _annotations(inputs: Inputs) -> Sequence[Table]:
    states = inputs.data_of(STATES)
    counts = [
        question_counts(blend.read_annotations(release), blend.read_questions(release)) for release in states
    ]
    return [
        _of_states([annotation_table(counted, measure) for counted in counts], states, number)
        for measure, (number, _) in ABOUT.items()
    ]


def _of_states(tables: Sequence[Table], states: Sequence[Release], number: int, decimals: int = 2) -> Table:
    """One table of all states with the published cells of the paper's table of that number, and a note on
    each state."""
    cells = pl.concat(
        PUBLISHED.cells(source, "culture", "category").rename({"metric": "format"})
        for source in (f"Table {number}", f"section 3, of Table {number}")
    )
    parts, notes = [], []
    for table, release in zip(tables, states, strict=True):
        on = ["culture", "category", *({"format"} & set(table.rows.columns))]
        rows = beside_published(table.rows, cells, on, decimals)
        parts.append(rows.select(pl.lit(release.label).alias("release"), pl.all()))
        notes.append(_note_on(release.label, rows))
    first = tables[0]
    layout = replace(first.layout or Layout("culture", "category", "value"), by="release")
    return replace(first, rows=pl.concat(parts), layout=layout, notes=(*notes, *first.notes))


def _note_on(release: str, rows: pl.DataFrame) -> str:
    cells = rows.drop_nulls("published")
    differ = cells.filter(~pl.col("reproduced"))
    if differ.is_empty():
        return f"{release}: all {cells.height} published cells that can be recomputed reproduce."
    by_culture = differ.group_by("culture").len().sort("len", "culture", descending=[True, False])
    most = ", ".join(f"{culture} {count}" for culture, count in by_culture.head(5).iter_rows())
    return f"{release}: {differ.height} of {cells.height} published cells differ; most of them in {most}."


def _overlap(inputs: Inputs) -> Sequence[Table]:
    first = inputs.data_of(STATES)[0]
    table = overlap_table(blend.read_annotations(first), get_tool("en", inputs.tool_set))
    return [replace(table, notes=(f"Made of {first.label}.", *table.notes))]


def _languages(inputs: Inputs) -> Sequence[Table]:
    if not inputs.asked:
        return [published_language_table(), *language_score_tables(published_language_scores())]
    judged = inputs.of(SAQ, columns=LOOKED_AT)
    return [language_table(judged), *language_score_tables(language_scores(judged), inputs)]


def _categories(inputs: Inputs) -> Sequence[Table]:
    judged = inputs.of(SAQ, columns=LOOKED_AT)
    if "topic" not in judged.columns:
        raise NotAvailableError("needs topics, which these data do not have")
    means, questions = category_means(judged), question_means(judged, inputs)
    if questions["topic"].n_unique() < 2 or questions.height <= questions["topic"].n_unique():
        raise NotAvailableError("needs two topics or more, and more questions than topics")
    of_models = category_means_of_models(means, inputs)
    return [
        category_means_table(means, inputs),
        category_table(of_models, questions),
        category_pairs_table(of_models, questions),
    ]


def _formats(inputs: Inputs) -> Sequence[Table]:
    if not inputs.asked:
        return [format_table(published_scores())]
    both = pl.concat([inputs.of(task, columns=LOOKED_AT) for task in (SAQ, MCQ)], how="diagonal_relaxed")
    return [format_table(culture_scores(both, "sem_b", "accuracy"), inputs)]


def _people(inputs: Inputs) -> Sequence[Table]:
    (raw,) = inputs.data_of(RAW)
    table = people_table(people_judgements(blend.read_annotations(raw), inputs.profile, inputs.tool_set))
    tools = "default text tools" if inputs.tool_set == "default" else f"text tools {inputs.tool_set}"
    return [replace(table, notes=(f"Made of {raw.label}; profile {inputs.profile}, {tools}.", *table.notes))]


RESULTS = (
    Result(
        "statistics",
        "Questions by culture and topic",
        _statistics,
        "Tables 1 and 2",
        needs=(STATES, READY_MADE),
        tables=("counts", "statistics"),
        aliases={"1": "counts", "2": "statistics"},
    ),
    Result(
        "annotations",
        "What annotators said",
        _annotations,
        "Tables 7 to 9",
        needs=(STATES,),
        tables=("votes", "answers", "unknown"),
        aliases={"7": "votes", "8": "answers", "9": "unknown"},
    ),
    Result(
        "published-means",
        "Means over the paper's models",
        published_means,
        "Tables 10 to 12",
        tables=("published-means", "published-gaps"),
        aliases={"10": "published-means", "11": "published-means", "12": "published-means"},
    ),
    Result("overlap", "Lemmas that two cultures share", _overlap, "Figure 2", needs=(STATES,)),
    Result(
        "languages",
        "Local language against English",
        _languages,
        "section 4.1.1",
        "Does a model answer better when it is asked in the language of the culture, or in English?",
        (SAQ,),
        tables=("languages", "language-scores", "language-means"),
        without_run=True,
    ),
    Result(
        "categories",
        "Topics against each other",
        _categories,
        "section 4.1.1",
        "Are some topics harder than others, by more than the choice of questions explains?",
        (SAQ,),
        tables=("category-means", "categories", "category-pairs"),
    ),
    Result(
        "formats",
        "Short answers against multiple choice",
        _formats,
        "section 4.2.2",
        "Do both formats find the same cultures easy and hard?",
        (SAQ, MCQ),
        without_run=True,
    ),
    Result("people", "The human line", _people, needs=(RAW,)),
    *WHOSE_CULTURE,
    consistency(SAQ, "sem_b", chosen=None),
    consistency(MCQ, "accuracy"),
)
