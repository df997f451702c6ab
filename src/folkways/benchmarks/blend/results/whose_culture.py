"""Whose culture answers: the other culture's answer that a wrong short answer is, and the culture of a wrong
option."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.results.shared import ENGLISH, MCQ, SAQ
from folkways.benchmarks.free_answers.matching import StrictMatcher
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.whose_culture.matching import Wording, of_answers, of_options
from folkways.benchmarks.whose_culture.result import whose_culture
from folkways.cultures import get_culture

WRONG_OPTIONS = 3
SAID = ("endpoint", "culture", "language", "question", "state", "answer", "counted", "sem_b")
TAKEN = (
    "endpoint",
    "culture",
    "language",
    "question",
    "state",
    "counted",
    "accuracy",
    "chosen_culture",
    "offered",
)


def _of_short_answers(inputs: Inputs) -> pl.DataFrame:
    """In English with the English answers of every culture, in another language with those of the cultures
    that speak it."""
    judged = inputs.of(SAQ, columns=SAID)
    known: dict[tuple[str, str], dict[str, Sequence[Sequence[Wording]]]] = {}
    annotated = blend.read_annotations(inputs.releases[SAQ]).filter(blend.is_counted())
    for culture, question, groups in annotated.select("culture", "id", "groups").iter_rows():
        own = get_culture(culture).languages[0]
        for language in dict.fromkeys((ENGLISH, own)):
            wordings = [_wordings(group, language) for group in groups]
            if any(wordings):
                known.setdefault((question, language), {})[culture] = [group for group in wordings if group]
    matcher = StrictMatcher("simple")

    def same(answer: str, reply: str, language: str) -> bool:
        return matcher.compare(answer, reply, language) is not None

    return of_answers(judged, "sem_b", pl.col("question"), lambda *asked: known.get(asked, {}), same)


def _wordings(group: dict[str, Sequence[str]], language: str) -> list[Wording]:
    """As the task compares them: in the language that was asked in, and in English."""
    local = [] if language == ENGLISH else [(text, language) for text in group["answers"]]
    return [
        wording
        for wording in (*local, *((text, ENGLISH) for text in group["en_answers"]))
        if wording[0].strip()
    ]


def _of_options(inputs: Inputs) -> pl.DataFrame:
    judged = inputs.of(MCQ, columns=TAKEN)
    if not {"offered", "chosen_culture"} <= set(judged.columns):
        raise NotAvailableError(
            "needs judgements that tell whose options were taken; score the run again: folkways score RUN "
            f"({MCQ})"
        )
    return of_options(
        judged, "accuracy", pl.col("question").cast(pl.String).str.split("/").list.last(), WRONG_OPTIONS
    )


RESULTS = (whose_culture(SAQ, _of_short_answers), whose_culture(MCQ, _of_options))
