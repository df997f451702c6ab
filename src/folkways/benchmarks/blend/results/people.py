"""The human baseline: how one person of a culture scores against the others, by the rule for models.

Not in the paper. Each annotator's first answer is taken for a reply, and the answers of the others for the
gold: the released groups with the annotator's own votes taken out. Needs what each annotator wrote, which
only the state ``blend-raw`` has.

A person has one annotator fewer to agree with than a model has, which makes the baseline a little low. People
who gave no answer do not count, while models always answer, which makes it a little high; the table has their
share. People were asked in their own language only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.blend.answer_judging import Judge
from folkways.benchmarks.blend.data import is_counted
from folkways.benchmarks.blend.results.shared import CULTURES, SAQ
from folkways.benchmarks.free_answers.matching import MATCHERS
from folkways.benchmarks.itemwise import ReplyScore
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Table, in_order
from folkways.cultures import get_culture
from folkways.errors import DataError
from folkways.records import JUDGEMENTS, Metric, Schema, State, require_columns

FIRST_ANSWER = "first answer"
"""The variant that people's judgements carry, in place of a prompt's name."""

NOT_KNOWING = frozenset(["idk", "no-answer", "not-applicable"])

PEOPLE_JUDGEMENTS: Schema = {**JUDGEMENTS, "sem_b": pl.Float64, "sem_w": pl.Float64}

PEOPLE: Schema = {
    "culture": pl.String,
    "sem_b": pl.Float64,  # in percent, like its interval
    "low": pl.Float64,
    "high": pl.Float64,
    "sem_w": pl.Float64,
    "answers": pl.Int64,  # first answers that were scored
    "questions": pl.Int64,
    "without_answer": pl.Float64,  # percent of those asked a counted question who gave none
}

_METRICS = (Metric("sem_b", "SEM-B", ""), Metric("sem_w", "SEM-W", "", kind="mean"))


def has_raw_answers(annotations: pl.DataFrame) -> bool:
    """Whether these ANNOTATIONS tell what each annotator wrote."""
    return bool((annotations["raw"].list.len() > 0).any())


def people_judgements(annotations: pl.DataFrame, profile: str, tool_set: str = "default") -> pl.DataFrame:
    """PEOPLE_JUDGEMENTS, one row per annotator of a question, in the form that a model's replies are judged
    in.

    annotations: ``data.ANNOTATIONS`` with raw answers (DataError without). profile, tool_set: as for models.
    ``sample`` numbers the annotators of a question. Not counted are questions that do not count for models,
    and people who gave no answer; an answer where nobody else gave one counts and matches nothing.
    """
    require_columns(annotations, ("culture", "id", "groups", "idks", "raw"), "annotations")
    if not has_raw_answers(annotations):
        raise DataError(
            "these annotations do not tell what each annotator wrote; of the published states only blend-raw "
            "does (folkways data fetch blend-raw)"
        )
    judge = Judge(profile, MATCHERS[profile](tool_set))
    rows = []
    for question in annotations.with_columns(is_counted=is_counted()).iter_rows(named=True):
        language = get_culture(question["culture"]).languages[0]
        shared = {
            "task": SAQ,
            "item": f"{question['culture']}/{question['id']}",
            "question": question["id"],
            "culture": question["culture"],
            "language": language,
            "variant": FIRST_ANSWER,
        }
        rows += [
            {**shared, "sample": number, **verdict}
            for number, verdict in enumerate(_verdicts(question, language, judge))
        ]
    return pl.DataFrame(rows, schema=dict(PEOPLE_JUDGEMENTS))


def people_table(judgements: pl.DataFrame) -> Table:
    """PEOPLE: the human line of each culture, from PEOPLE_JUDGEMENTS of one profile."""
    require_columns(judgements, PEOPLE_JUDGEMENTS, "judgements of people")
    scores = summarise_means(judgements, SAQ, _METRICS, ()).filter(pl.col("facet") == "culture")
    of_metric = {metric.name: scores.filter(pl.col("metric") == metric.name) for metric in _METRICS}
    silent = pl.col("reason") == _NO_ANSWER
    countable = judgements.filter(pl.col("counted").any().over("item"))
    without = countable.group_by("culture").agg(without_answer=100 * silent.mean())
    rows = (
        of_metric["sem_b"]
        .select(culture="value", sem_b="score", low="low", high="high", answers="n", questions="questions")
        .join(of_metric["sem_w"].select(culture="value", sem_w="score"), on="culture", how="left")
        .join(without, on="culture", how="left")
        .select(list(PEOPLE))
        .sort(in_order("culture", CULTURES), "culture")
    )
    return Table(
        "people",
        "The human line: each annotator's first answer against those of the others",
        "The unit is the question: a score is over first answers, and its interval draws questions with "
        "all their answers.",
        rows,
        notes=(
            "People who gave no answer do not count in the scores; without_answer is their share of those "
            "asked.",
            "A person had one annotator fewer to agree with than a model has, which makes the line a little "
            "low; a model has no way to give no answer, which makes it a little high.",
        ),
    )


_SKIPPED = "skipped: too few people knew, or could answer"
_NO_ANSWER = "gave no answer"
_NOBODY_ELSE = "no match: nobody else answered"


def _verdicts(question: Mapping[str, Any], language: str, judge: Judge) -> list[dict[str, Any]]:
    """A verdict on each annotator of a question, in the order of the release."""
    not_answers = NOT_KNOWING | {kind["kind"] for kind in question["idks"]}
    answers_of = [
        [answer for answer in person["answers"] if answer.strip() and answer not in not_answers]
        for person in question["raw"]
    ]
    group_of = {
        answer: index
        for index, group in reversed(list(enumerate(question["groups"])))
        for answer in group["answers"]
    }
    votes = [{group_of[answer] for answer in answers if answer in group_of} for answers in answers_of]
    verdicts = []
    for person, answers in enumerate(answers_of):
        if not answers:
            verdicts.append(ReplyScore(None, _NO_ANSWER, state=State.REFUSED, counted=False))
        elif not question["is_counted"]:
            verdicts.append(ReplyScore(answers[0], _SKIPPED, counted=False))
        elif gold := _groups_of_others(question["groups"], votes, person):
            name = f"{question['culture']}/{question['id']}/{person}"  # every person has a gold of their own
            item = {"item": name, "groups": gold, "skip_reason": None, "local_language": language}
            verdicts.append(judge.score(item, language, FIRST_ANSWER, answers[0], prompt=""))
        else:
            verdicts.append(ReplyScore(answers[0], _NOBODY_ELSE))
    return [
        {
            "counted": verdict.counted,
            "state": str(verdict.state),
            "answer": verdict.answer,
            "reason": verdict.reason,
            **{metric.name: verdict.values.get(metric.name) or 0.0 for metric in _METRICS},
        }
        for verdict in verdicts
    ]


def _groups_of_others(
    groups: Sequence[Mapping[str, Any]], votes: Sequence[set[int]], person: int
) -> list[dict[str, Any]]:
    """The groups that anyone but ``person`` voted for, with the votes of these, most first."""
    counts = [
        sum(index in voted for other, voted in enumerate(votes) if other != person)
        for index in range(len(groups))
    ]
    left = [{**group, "count": count} for group, count in zip(groups, counts, strict=True) if count]
    return sorted(left, key=lambda group: -group["count"])
