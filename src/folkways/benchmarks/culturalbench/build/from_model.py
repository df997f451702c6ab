"""A model sorts the questions of a CulturalBench into topics, checked against labels of people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.build import AskableModel, ModelReply, Prompt
from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.build import sorting
from folkways.benchmarks.culturalbench.build.sorting import Question
from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS, Topics, own_topics, topics_of
from folkways.benchmarks.templates import digest_of
from folkways.errors import DataError
from folkways.records import State
from folkways.releases.release_records import Release
from folkways.stats.raters.kappa import CategoryAgreement, category_kappa
from folkways.text_tables import read_replies
from folkways.toml_files import read_toml

TASK = "build-topics"
"""The task under which requests are stored; no benchmark has such a task."""

NONE = "(none)"
"""Stands for a question that could not be sorted, where it is compared with a label."""


@dataclass(frozen=True)
class SortedQuestions:
    """table: TOPIC_COLUMNS of what was sorted; left_out: question -> why it was not; agreement: with the
    labels, if there are any.

    record: how it was made, with what the model and the labels say otherwise.
    """

    table: pl.DataFrame
    left_out: Mapping[str, str]
    agreement: CategoryAgreement | None
    record: dict[str, Any]


def sort_questions(
    release: Release,
    open_model: Callable[[Mapping[str, Any]], AskableModel],
    *,
    topics: Topics | None = None,
    batch: int = 20,
    labelled: Path | None = None,
) -> SortedQuestions:
    """Ask a model for the topic of every question of Easy, ``batch`` at a time, and singly for those that it
    passes over.

    open_model: gives the model for what decides the prompts. topics: the list; None for ours. labelled: a
    file with ``question_idx`` and ``topic`` that people have given. Raises DataError for labels that do not
    fit, before anything is asked.
    """
    topics = topics or own_topics()
    questions = sorting.questions_of(culturalbench.easy(release))
    labels = (
        read_labelled(labelled, [question.question_idx for question in questions], topics)
        if labelled is not None
        else None
    )
    config = {
        "release": release.label,
        "topics": topics.digest,
        "wording": digest_of(sorting.wording()),
        "batch": batch,
    }
    model = open_model(config)

    def ask(batches: Sequence[Sequence[Question]]) -> Sequence[ModelReply]:
        most, variant = sorting.max_tokens(batch), f"batch-{batch}"
        items = [f"{part[0].question_idx}+{len(part) - 1}" for part in batches]
        return model(
            [
                Prompt(sorting.prompt_of(part, topics), TASK, item, most, variant=variant)
                for part, item in zip(batches, items, strict=True)
            ]
        )

    batches = list(sorting.in_batches(questions, batch))
    found = _read(batches, ask(batches), topics)
    again = [[question] for question in questions if question.question_idx not in found]
    replies = ask(again) if again and batch > 1 else ()
    found |= _read(again, replies, topics)
    told = {part[0].question_idx: reply for part, reply in zip(again, replies, strict=False)}
    left_out = {
        question.question_idx: _why(told.get(question.question_idx))
        for question in questions
        if question.question_idx not in found
    }
    ordered = [
        (question.question_idx, found[question.question_idx])
        for question in questions
        if question.question_idx in found
    ]
    table = pl.DataFrame(
        [(*pair, topics.head_of(pair[1])) for pair in ordered], schema=dict(TOPIC_COLUMNS), orient="row"
    )
    agreement = (
        category_kappa(list(labels.values()), [found.get(key, NONE) for key in labels]) if labels else None
    )
    record = {
        "build": "topics",
        "made_by": f"folkways {__version__}",
        "release": release.label,
        "model": model.name,
        "topics": f"{topics.source} {topics.digest}",
        "prompt": f"folkways {digest_of(sorting.wording())}",
        "batch": batch,
        "questions": len(questions),
        "sorted": table.height,
        "asked_singly": len(replies),
        "agreement": _told(agreement),
        "differing": [
            {"question_idx": key, "label": label, "model": found.get(key, NONE)}
            for key, label in (labels or {}).items()
            if found.get(key) != label
        ],
        "left_out": left_out,
    }
    return SortedQuestions(table, left_out, agreement, record)


def read_topics(path: Path) -> Topics:
    """A list of topics from a file in the form of ours; FolkwaysError or DataError that says what is
    wrong."""
    return topics_of(read_toml(path, "list of topics, with [[head]] and [[head.topic]]"), str(path))


def read_labelled(path: Path, questions: Sequence[str], topics: Topics) -> dict[str, str]:
    """Question -> topic that people gave it; DataError with the row for what is no question, no topic, or
    there twice."""
    table = read_replies(path)
    missing = [name for name in ("question_idx", "topic") if name not in table.columns]
    if missing:
        raise DataError(f"lacks the column {missing[0]!r}; it has: {', '.join(table.columns)}", file=path)
    known = set(questions)
    found: dict[str, str] = {}
    for row, (question, text) in enumerate(table.select("question_idx", "topic").iter_rows(), 1):
        topic = topics.name_of(text or "")
        if question not in known:
            raise DataError(f"the release has no question {question!r}", file=path, row=row)
        if topic is None:
            valid = ", ".join(entry.name for entry in topics.topics)
            raise DataError(f"{text!r} is none of the topics: {valid}", file=path, row=row)
        if found.setdefault(question, topic) != topic:
            raise DataError(
                f"question {question!r} has the label {found[question]!r} already; keep one",
                file=path,
                row=row,
            )
    return found


def _read(
    batches: Sequence[Sequence[Question]], replies: Sequence[ModelReply], topics: Topics
) -> dict[str, str]:
    found: dict[str, str] = {}
    for part, reply in zip(batches, replies, strict=False):
        if reply.said is not None:
            read = sorting.read_reply(reply.said, len(part), topics)
            found |= {part[place].question_idx: topic for place, topic in read.items()}
    return found


def _why(reply: ModelReply | None) -> str:
    if reply is not None and reply.state is State.REFUSED:
        return f"the model refused: {reply.reason}"
    return "the model's reply names none of the topics"


def _told(agreement: CategoryAgreement | None) -> dict[str, Any] | None:
    if agreement is None:
        return None
    return {
        "labelled": agreement.cases,
        "percent": 100 * agreement.share,
        "kappa": agreement.kappa,
        "kappa_interval": [agreement.kappa_interval.low, agreement.kappa_interval.high],
        "interval": agreement.kappa_interval.method,
    }
