"""A survey of one's own: opinions of people of several cultures, and how near a model's answers are to
them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.survey.questions import SurveyQuestion
from folkways.benchmarks.survey.release import SurveyReader, questions_of
from folkways.benchmarks.survey.results import survey_results
from folkways.benchmarks.survey.task import SurveyTask
from folkways.releases.release_records import Release

CAUTION = (
    "No answer is right: a score says how near a model's answers are to those of people of a culture. It is "
    "not an accuracy. Read it with what as many people, one half of them, and equal shares score, and with "
    "how far the form of a question moves the answers."
)


class OwnSurvey(SurveyTask):
    """The questions of a folder with questions.jsonl and counts.csv."""

    name: ClassVar[str] = "survey/opinions"
    release: ClassVar[str] = "survey-example"
    title: ClassVar[str] = "Survey"
    about: ClassVar[str] = (
        "Questions of opinion without a right answer: how near are the answers to those of people of each "
        "culture?"
    )

    def questions(self, release: Release) -> Iterable[SurveyQuestion]:
        return questions_of(release)


BENCHMARK = Benchmark(
    "survey",
    "Survey",
    (OwnSurvey(),),
    reader=SurveyReader(),
    results=survey_results(OwnSurvey()),
    caution=CAUTION,
)
