"""A model sorts questions into topics (section 4), checked against labels of people. The wording is ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.build import AskableModel, ModelReply, Prompt
from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS, Topics, own_topics, topics_of
from folkways.benchmarks.culturalbench.published import PUBLISHED
from folkways.benchmarks.printed_prompts import texts_for_builder
from folkways.benchmarks.templates import Template, digest_of, wordings
from folkways.errors import DataError
from folkways.records import State, of_rows
from folkways.releases.release_records import Release
from folkways.stats.raters.kappa import CategoryAgreement, category_kappa
from folkways.text.json_replies import objects_in
from folkways.text_tables import read_replies
from folkways.toml_files import read_toml

TOKENS_PER_QUESTION = 24
"""Output tokens that a number and the name of a topic need at most."""

TOKENS_BESIDE = 64


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """A question to be sorted. options: empty where they say nothing (combinations of statements that the
    question has)."""

    question_idx: str
    country: str
    text: str
    options: tuple[str, ...] = ()


def questions_of(easy: pl.DataFrame) -> list[TopicQuestion]:
    """The questions of ``folkways.benchmarks.culturalbench.data.easy``, each id once, in their order."""
    rows = easy.unique("question_idx", keep="first", maintain_order=True).iter_rows(named=True)
    return [
        TopicQuestion(
            row["question_idx"],
            row["country"],
            row["question"],
            tuple(row["options"]) if row["mode"] == "single" else (),
        )
        for row in rows
    ]


def in_batches(questions: Sequence[TopicQuestion], size: int) -> Iterator[Sequence[TopicQuestion]]:
    """``size`` questions at a time, in their order."""
    for start in range(0, len(questions), size):
        yield questions[start : start + size]


def wording() -> Template:
    """What is asked about a batch of questions, in our words."""
    return Template(wordings("folkways.benchmarks.culturalbench")["build"]["topics"], "folkways")


def prompt_of(batch: Sequence[TopicQuestion], topics: Topics, template: Template | None = None) -> str:
    """The text that is sent, ours unless a template is given: one question per line, numbered from 1."""
    parts = {
        "topics": "\n\n".join(
            _listed(head, topics) for head, _ in groupby(topic.head for topic in topics.topics)
        ),
        "questions": "\n".join(f"{number}. {_line(question)}" for number, question in enumerate(batch, 1)),
        "example": topics.topics[0].name,
    }
    return (template or wording()).fill(parts)


def read_reply(reply: str, size: int, topics: Topics) -> dict[int, str]:
    """Place in the batch (from 0) -> topic, for those that the reply gives one of the topics; of several
    answers the last counts.

    Replies are untrusted: unknown numbers and topics are left out.
    """
    topic_of: dict[int, str] = {}
    for answers in objects_in(reply):
        for number, name in answers.items():
            topic = topics.name_of(name) if isinstance(name, str) else None
            if (
                topic
                and number.isascii()
                and number.isdecimal()
                and len(number) < 7
                and 1 <= int(number) <= size
            ):
                topic_of[int(number) - 1] = topic
    return topic_of


def max_tokens(size: int) -> int:
    """Output tokens that the reply to a batch needs at most."""
    return TOKENS_BESIDE + TOKENS_PER_QUESTION * size


def _listed(head: str, topics: Topics) -> str:
    lines = (
        f"- {topic.name}" + (f": {topic.about}" if topic.about else "")
        for topic in topics.topics
        if topic.head == head
    )
    return "\n".join([head, *lines])


def _line(question: TopicQuestion) -> str:
    options = f" Options: {' / '.join(question.options)}" if question.options else ""
    return " ".join(f"({question.country}) {question.text}{options}".split())


TASK = "build-topics"
"""The task under which requests are stored; no benchmark has such a task."""

NONE = "(none)"
"""Stands for a question that could not be sorted, where it is compared with a label."""


@dataclass(frozen=True)
class TopicSorting:
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
    prompts: Path | None = None,
) -> TopicSorting:
    """Ask a model for the topic of every question of Easy, ``batch`` at a time, and singly for those that it
    passes over.

    release: the questions;
    open_model: gives the model for what decides the prompts.
    topics: the list; None for ours.
    labelled: a file with ``question_idx`` and ``topic`` that people have given.
    prompts: file with another text ``topics`` (``printed_prompts``).
    Raises DataError for labels that do not fit, before anything is asked.
    """
    topics = topics or own_topics()
    template = texts_for_builder(prompts, "build topics", PUBLISHED.prompts).get("topics", wording())
    questions = questions_of(culturalbench.easy(release))
    labels = (
        read_labelled(labelled, [question.question_idx for question in questions], topics)
        if labelled is not None
        else None
    )
    config = {
        "release": release.label,
        "topics": topics.digest,
        "wording": digest_of(template.text),
        "batch": batch,
    }
    model = open_model(config)

    def ask(batches: Sequence[Sequence[TopicQuestion]]) -> Sequence[ModelReply]:
        most, variant = max_tokens(batch), f"batch-{batch}"
        items = [f"{part[0].question_idx}+{len(part) - 1}" for part in batches]
        return model(
            [
                Prompt(prompt_of(part, topics, template), TASK, item, most, variant=variant)
                for part, item in zip(batches, items, strict=True)
            ]
        )

    batches = list(in_batches(questions, batch))
    topic_of = _read(batches, ask(batches), topics)
    again = [[question] for question in questions if question.question_idx not in topic_of]
    replies = ask(again) if again and batch > 1 else ()
    topic_of |= _read(again, replies, topics)
    single_replies = {part[0].question_idx: reply for part, reply in zip(again, replies, strict=False)}
    left_out = {
        question.question_idx: _why(single_replies.get(question.question_idx))
        for question in questions
        if question.question_idx not in topic_of
    }
    ordered = [
        (question.question_idx, topic_of[question.question_idx])
        for question in questions
        if question.question_idx in topic_of
    ]
    table = of_rows(((*pair, topics.head_of(pair[1])) for pair in ordered), TOPIC_COLUMNS)
    agreement = (
        category_kappa(list(labels.values()), [topic_of.get(key, NONE) for key in labels]) if labels else None
    )
    record = {
        "build": "topics",
        "made_by": f"folkways {__version__}",
        "release": release.label,
        "model": model.name,
        "topics": f"{topics.source} {topics.digest}",
        "prompt": f"{template.source} {digest_of(template.text)}",
        "batch": batch,
        "questions": len(questions),
        "sorted": table.height,
        "asked_singly": len(replies),
        "agreement": None if agreement is None else {"labelled": agreement.cases, **agreement.as_record()},
        "differing": [
            {"question_idx": key, "label": label, "model": topic_of.get(key, NONE)}
            for key, label in (labels or {}).items()
            if topic_of.get(key) != label
        ],
        "left_out": left_out,
    }
    return TopicSorting(table, left_out, agreement, record)


def read_topics(path: Path) -> Topics:
    """A list of topics from a file in the form of ours; FolkwaysError or DataError that says what is
    wrong."""
    return topics_of(read_toml(path, "list of topics, with [[head]] and [[head.topic]]"), str(path))


def read_labelled(path: Path, questions: Sequence[str], topics: Topics) -> dict[str, str]:
    """Question -> topic that people gave it; DataError with the row for an unknown question or topic, or for
    two labels of one question."""
    table = read_replies(path)
    missing = [name for name in ("question_idx", "topic") if name not in table.columns]
    if missing:
        raise DataError(f"lacks the column {missing[0]!r}; it has: {', '.join(table.columns)}", file=path)
    valid_ids = set(questions)
    labels: dict[str, str] = {}
    for row, (question, text) in enumerate(table.select("question_idx", "topic").iter_rows(), 1):
        topic = topics.name_of(text or "")
        if question not in valid_ids:
            raise DataError(f"the release has no question {question!r}", file=path, row=row)
        if topic is None:
            valid = ", ".join(entry.name for entry in topics.topics)
            raise DataError(f"{text!r} is not one of the topics: {valid}", file=path, row=row)
        if labels.setdefault(question, topic) != topic:
            raise DataError(
                f"question {question!r} has the label {labels[question]!r} already; keep one",
                file=path,
                row=row,
            )
    return labels


def _read(
    batches: Sequence[Sequence[TopicQuestion]], replies: Sequence[ModelReply], topics: Topics
) -> dict[str, str]:
    topic_of: dict[str, str] = {}
    for part, reply in zip(batches, replies, strict=False):
        if reply.said is not None:
            read = read_reply(reply.said, len(part), topics)
            topic_of |= {part[index].question_idx: topic for index, topic in read.items()}
    return topic_of


def _why(reply: ModelReply | None) -> str:
    if reply is not None and reply.state is State.REFUSED:
        return f"the model refused: {reply.reason}"
    return "the model's reply names none of the topics"
