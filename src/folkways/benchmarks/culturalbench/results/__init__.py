"""CulturalBench's tables: questions and people, the analyses of section 5, guessing and published scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.baselines import CHANCE, OPTION_ONLY, RULES
from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS
from folkways.benchmarks.culturalbench.data.release import TOPICS
from folkways.benchmarks.culturalbench.published import PUBLISHED
from folkways.benchmarks.culturalbench.results.data_tables import (
    example_table,
    people_table,
    questions_table,
    topic_country_table,
    words_table,
)
from folkways.benchmarks.culturalbench.results.models import by_date, by_size, models, regions
from folkways.benchmarks.culturalbench.results.setups import by_mode, easy_against_hard, spread
from folkways.benchmarks.culturalbench.results.values import EASY, SETUPS, TASKS, present
from folkways.benchmarks.culturalbench.tasks import Easy, Hard
from folkways.benchmarks.results import DataNeed, Inputs, Result
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Layout, NotAvailableError, Table
from folkways.errors import FolkwaysError
from folkways.text_tables import read_table

PUBLISHED_AS = {CHANCE: "random", OPTION_ONLY: "options alone"}
NOT_OURS = (
    "Published by others, with their prompts and of their date; nothing here is computed from these numbers."
)


def guessing(inputs: Inputs) -> Sequence[Table]:
    """The tasks' baselines on the questions that were asked, with the published figures."""
    rows: list[dict[str, Any]] = []
    published = {
        (task, model): score
        for task, model, score in PUBLISHED.figures()
        .filter(kind="baseline")
        .select("task", "model", "score")
        .iter_rows()
    }
    for task in (Easy(), Hard()):
        if task.name not in present(inputs):
            continue
        items = task.items(inputs.releases[task.name])
        in_run = items.filter(pl.col("item").is_in(inputs.of(task.name)["item"].unique().implode()))
        for name, judged in task.baselines(in_run).items():
            whole = summarise_means(judged, task.name, task.metrics[:1], (), [()]).row(0, named=True)
            rows.append(
                {
                    "setup": SETUPS[task.name],
                    "baseline": name,
                    "rule": RULES.get(
                        (SETUPS[task.name], name),
                        f"the answer is always {name.rpartition(':')[2]}, the letter that is right most "
                        "often",
                    ),
                    **{column: whole[column] for column in ("score", "low", "high", "n")},
                    "published": published.get((task.name, PUBLISHED_AS.get(name, ""))),
                }
            )
    return (
        Table(
            "guessing",
            "What guessing gives (section 5)",
            "Percent of questions that were asked: exact expectations, with Wilson's interval for a "
            "guesser on so many questions.",
            pl.DataFrame(rows),
            notes=(
                "The published estimate for the options alone is 40 % on Easy; by which similarity is not "
                "known.",
                "Ours, of trigrams, finds the name of a country and not its ways: a rule that knows more "
                "words may find more.",
            ),
        ),
    )


def reference_points(inputs: Inputs) -> Sequence[Table]:
    """The paper's and the leaderboard's scores, in tables of their own."""
    rows = PUBLISHED.figures().filter(pl.col("task").is_in(present(inputs)))
    setup = pl.col("task").replace_strict(SETUPS).alias("setup")
    paper = rows.filter(pl.col("place") != "leaderboard")
    regions = rows.filter(pl.col("place") == "leaderboard").select(
        setup, model=pl.col("model") + " (published)", region="value", published="score"
    )
    unit = "Percent. " + NOT_OURS
    return (
        Table(
            "published-scores",
            "Published: scores in the paper",
            unit,
            paper.select(
                pl.col("place").alias("source"),
                setup,
                subject="model",
                kind="kind",
                group="value",
                published="score",
            ),
        ),
        Table(
            "published-regions",
            "Published: regions on the leaderboard, first 16 models",
            unit,
            regions,
            Layout(
                "model", "region", "published", decimals=1, by="setup", drawn="heatmap", measure="Accuracy, %"
            ),
            notes=(
                "Regions are unweighted means over their countries, as are ours. The numbers come without "
                "intervals.",
            ),
        ),
    )


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
    table = read_table(topics, {name: (name,) for name in TOPIC_COLUMNS}) if topics else None
    easy = culturalbench.easy(release)
    by_topic = [] if table is None else [topic_country_table(easy, table), example_table(easy, table)]
    return [questions_table(easy, table), *by_topic]


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
        "section 4, Figure 3, Appendix C",
        needs=(RELEASE, TOPICS_FILE),
        tables=("questions", "topic-countries", "examples"),
        aliases={"figure-3": "questions"},
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
