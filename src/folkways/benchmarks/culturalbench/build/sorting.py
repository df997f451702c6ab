"""Sorting questions into topics: batches of questions as prompts, and replies as topics (section 4). The
wording is ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import polars as pl

from folkways.benchmarks.culturalbench.build.topics import Topics
from folkways.benchmarks.templates import Template, wordings
from folkways.text.json_replies import objects_in

TOKENS_PER_QUESTION = 24
"""Output tokens that a number and the name of a topic need at most."""

TOKENS_BESIDE = 64


@dataclass(frozen=True, slots=True)
class Question:
    """A question to be sorted. options: empty where they say nothing (combinations of statements that the
    question has)."""

    question_idx: str
    country: str
    text: str
    options: tuple[str, ...] = ()


def questions_of(easy: pl.DataFrame) -> list[Question]:
    """The questions of ``folkways.benchmarks.culturalbench.data.easy``, each id once, in their order."""
    rows = easy.unique("question_idx", keep="first", maintain_order=True).iter_rows(named=True)
    return [
        Question(
            row["question_idx"],
            row["country"],
            row["question"],
            tuple(row["options"]) if row["mode"] == "single" else (),
        )
        for row in rows
    ]


def in_batches(questions: Sequence[Question], size: int) -> Iterator[Sequence[Question]]:
    """``size`` questions at a time, in their order."""
    for start in range(0, len(questions), size):
        yield questions[start : start + size]


def wording() -> str:
    """What is asked about a batch of questions."""
    return str(wordings("folkways.benchmarks.culturalbench")["build"]["topics"])


def prompt_of(batch: Sequence[Question], topics: Topics) -> str:
    """The text that is sent: questions stand on one line each, under numbers from 1."""
    parts = {
        "topics": "\n\n".join(
            _listed(head, topics) for head, _ in groupby(topic.head for topic in topics.topics)
        ),
        "questions": "\n".join(f"{number}. {_line(question)}" for number, question in enumerate(batch, 1)),
        "example": topics.topics[0].name,
    }
    return Template(wording(), "folkways").fill(parts)


def read_reply(reply: str, size: int, topics: Topics) -> dict[int, str]:
    """Place in the batch (from 0) -> topic, for those that the reply gives one of the topics; of several
    answers the last counts.

    What models say is untrusted: numbers that were not asked for and names that are no topic are left out.
    """
    found: dict[int, str] = {}
    for told in objects_in(reply):
        for number, name in told.items():
            topic = topics.name_of(name) if isinstance(name, str) else None
            if (
                topic
                and number.isascii()
                and number.isdecimal()
                and len(number) < 7
                and 1 <= int(number) <= size
            ):
                found[int(number) - 1] = topic
    return found


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


def _line(question: Question) -> str:
    options = f" Options: {' / '.join(question.options)}" if question.options else ""
    return " ".join(f"({question.country}) {question.text}{options}".split())
