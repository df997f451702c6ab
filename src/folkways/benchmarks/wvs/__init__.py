"""The World Values Survey, wave 7: value questions with the answers of people of 60 countries."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.survey import CAUTION
from folkways.benchmarks.survey.questions import SurveyQuestion
from folkways.benchmarks.survey.results import survey_results
from folkways.benchmarks.survey.task import SurveyTask
from folkways.benchmarks.wvs.map_people import WAVE7_KEYS
from folkways.benchmarks.wvs.map_results import map_result
from folkways.benchmarks.wvs.survey_files import (
    CODEBOOK,
    METADATA,
    PROBE,
    answers_path,
    read_questions,
    unknown_countries,
)
from folkways.errors import FolkwaysError
from folkways.records import DataIssue
from folkways.releases.release_records import Release


class Values(SurveyTask):
    """All ordered value questions of the survey."""

    name: ClassVar[str] = "wvs/opinions"
    release: ClassVar[str] = "wvs"
    title: ClassVar[str] = "World Values Survey"
    about: ClassVar[str] = (
        "Value questions of wave 7 of the World Values Survey: how near are a model's answers to those of "
        "people of each country?"
    )

    def questions(self, release: Release) -> Iterable[SurveyQuestion]:
        return read_questions(release)


class Probe(Values):
    """The 36 questions that WorldValuesBench asks models."""

    name: ClassVar[str] = "wvs/probe"
    title: ClassVar[str] = "World Values Survey, 36 questions"
    about: ClassVar[str] = "The 36 value questions that WorldValuesBench asks models (arXiv 2404.16308)."

    def questions(self, release: Release) -> Iterable[SurveyQuestion]:
        return (question for question in read_questions(release) if question.key in PROBE)


class MapItems(Values):
    """The questions of the cultural map."""

    name: ClassVar[str] = "wvs/map"
    title: ClassVar[str] = "World Values Survey, the cultural map's questions"
    about: ClassVar[str] = (
        "The 14 questions of wave 7 that the ten items of the Inglehart-Welzel cultural map are made of."
    )

    def questions(self, release: Release) -> Iterable[SurveyQuestion]:
        return read_questions(release, WAVE7_KEYS)


class _Reader:
    def looks_like(self, folder: Path) -> bool:
        try:
            return (folder / CODEBOOK).is_file() and answers_path(folder).is_file()
        except FolkwaysError:
            return False

    def check(self, release: Release) -> list[DataIssue]:
        """Countries that are left out, and questions that nobody answered."""
        unknown = [
            DataIssue(CODEBOOK, "unknown-country", "is left out", key=country)
            for country in unknown_countries(release)
        ]
        return unknown + [
            DataIssue(METADATA, "no-answers", "the survey's file has no answers to it", key=question.key)
            for question in read_questions(release)
            if not question.people
        ]


BENCHMARK = Benchmark(
    "wvs",
    "World Values Survey",
    (Values(), Probe(), MapItems()),
    reader=_Reader(),
    results=(*survey_results(Values()), *survey_results(Probe()), map_result((MapItems.name, Values.name))),
    caution=CAUTION,
)
