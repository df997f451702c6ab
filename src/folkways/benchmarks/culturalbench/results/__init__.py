"""What a CulturalBench holds, how far its people agree, what section 5 of the paper asks of scores, and what
the format decides."""

from __future__ import annotations

from collections.abc import Sequence

from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS
from folkways.benchmarks.culturalbench.data.reading import TOPICS
from folkways.benchmarks.culturalbench.easy import Easy
from folkways.benchmarks.culturalbench.results.formats import spread
from folkways.benchmarks.culturalbench.results.growth import by_date, by_size
from folkways.benchmarks.culturalbench.results.makers import models, regions
from folkways.benchmarks.culturalbench.results.people import people_table
from folkways.benchmarks.culturalbench.results.questions import questions_table, words_table
from folkways.benchmarks.culturalbench.results.reference import guessing, reference_points
from folkways.benchmarks.culturalbench.results.setups import by_mode, easy_against_hard
from folkways.benchmarks.culturalbench.results.values import EASY, TASKS
from folkways.benchmarks.results import DataNeed, Inputs, Result
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.errors import FolkwaysError
from folkways.text_tables import read_table

RELEASE = DataNeed("release", "The data; your own build, say.", ("culturalbench",))
TOPICS_FILE = DataNeed("topics", "Topics; by default topics.csv in the release.", file=True)


def _questions(inputs: Inputs) -> Sequence[Table]:
    (release,) = inputs.data_of(RELEASE)
    topics = inputs.files.get(TOPICS_FILE.name)
    if topics is not None and not topics.is_file():
        raise FolkwaysError(
            f"there is no file of topics {topics}; make it: folkways build topics --release {release.name} "
            "--out FILE"
        )
    if topics is None and release.has(TOPICS):
        topics = release.path(TOPICS)
    told = read_table(topics, {name: (name,) for name in TOPIC_COLUMNS}) if topics else None
    return [questions_table(culturalbench.easy(release), told)]


def _words(inputs: Inputs) -> Sequence[Table]:
    return [words_table(culturalbench.easy(inputs.data_of(RELEASE)[0]))]


def _people(inputs: Inputs) -> Sequence[Table]:
    (release,) = inputs.data_of(RELEASE)
    task = Easy()
    judged = task.human_baseline().judge(task.items(release), release, task.scoring.profiles[0])
    if judged is None:
        raise NotAvailableError(
            f"{release.name} does not tell what single people chose; a folder that folkways build easy "
            "made does"
        )
    return [people_table(judged)]


RESULTS = (
    Result(
        "questions",
        "Questions by region, country, mode and topic",
        _questions,
        "section 4",
        needs=(RELEASE, TOPICS_FILE),
    ),
    Result("words", "Words per question and option", _words, "section 4", needs=(RELEASE,)),
    Result("people", "The human line", _people, needs=(RELEASE,)),
    Result(
        "easy-hard",
        "Easy against Hard",
        easy_against_hard,
        "section 5.1",
        "How much of a model's score is lost when each option has to be judged on its own?",
        TASKS,
    ),
    Result(
        "question-types",
        "One right answer or several",
        by_mode,
        "section 5.2",
        "Are questions with several right answers harder?",
        TASKS,
    ),
    Result(
        "region-providers",
        "Regions and makers of models",
        regions,
        "section 5.3",
        "Whose models know which regions?",
        TASKS,
    ),
    Result(
        "models",
        "Makers, families, sizes and dates",
        models,
        "section 5.1",
        "Who made the models, and what do those that have something in common score?",
        TASKS,
    ),
    Result(
        "sizes",
        "Larger models of a family",
        by_size,
        "section 5.1",
        "Does the next larger model of a family know more?",
        TASKS,
    ),
    Result(
        "dates",
        "Later models of a family",
        by_date,
        "section 5.2",
        "Does the next model of a family know more?",
        TASKS,
    ),
    Result(
        "format-spread",
        "How much the format decides",
        spread,
        "",
        "Are differences between cultures greater than those between templates and orders of the options?",
        TASKS,
    ),
    Result(
        "guessing",
        "What guessing gives",
        guessing,
        "section 5",
        "What do chance, one answer for all, and the options alone score on these questions?",
        TASKS,
    ),
    Result(
        "reference-points", "Published scores", reference_points, "", "What have others published?", TASKS
    ),
    consistency(EASY, "right"),
)
