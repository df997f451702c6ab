"""The list of topics under their heads: ours, or one that a study brings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from folkways.benchmarks.templates import digest_of
from folkways.errors import DataError
from folkways.records import Schema
from folkways.toml_files import packaged_toml

OURS = "folkways"
"""The source of our own list."""

TOPIC_COLUMNS: Schema = {"question_idx": pl.String, "topic": pl.String, "head": pl.String}
"""``topics.csv`` in the folder of a release: one row per question, head being the wider heading of its
topic."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: its name, its head, and what belongs to it."""

    name: str
    head: str
    about: str


@dataclass(frozen=True)
class Topics:
    """A list of topics. source: OURS, or the file that it was read from."""

    topics: tuple[Topic, ...]
    source: str

    @cached_property
    def _by_name(self) -> Mapping[str, Topic]:
        return {_folded(topic.name): topic for topic in self.topics}

    def name_of(self, text: str) -> str | None:
        """The topic that a text names, in any case and spacing, or None."""
        topic = self._by_name.get(_folded(text))
        return topic.name if topic else None

    def head_of(self, text: str) -> str | None:
        """The head of the topic that a text names, or None."""
        topic = self._by_name.get(_folded(text))
        return topic.head if topic else None

    @property
    def digest(self) -> str:
        """8 hexadecimal digits over names, heads and descriptions."""
        return digest_of("\n".join(f"{topic.head}\t{topic.name}\t{topic.about}" for topic in self.topics))


def own_topics() -> Topics:
    """The 17 topics that folkways ships."""
    return topics_of(packaged_toml("folkways.benchmarks.culturalbench.build", "topics.toml"), OURS)


def topics_of(table: Mapping[str, Any], source: str) -> Topics:
    """What a TOML file in the form of ours holds: ``[[head]]`` with a name, and in it ``[[head.topic]]`` with
    name and, if wished, about. Raises DataError that names what is missing, or a topic that is there twice.
    """
    heads = table.get("head")
    if not isinstance(heads, list) or not heads:
        raise DataError(
            "has no heads; write [[head]] with a name, and under it [[head.topic]] with a name each",
            file=source,
        )
    topics: list[Topic] = []
    for head in heads:
        name = _text(head, "name", "head", source)
        below = head.get("topic") or []
        if not isinstance(below, list) or not below:
            raise DataError(f"the head {name!r} has no topics; write [[head.topic]] under it", file=source)
        topics += [
            Topic(
                _text(topic, "name", f"topic under {name!r}", source),
                name,
                str(topic.get("about", "")).strip(),
            )
            for topic in below
        ]
    names = [_folded(topic.name) for topic in topics]
    twice = [topic.name for index, topic in enumerate(topics) if names[index] in names[:index]]
    if twice:
        raise DataError(
            f"the topic {twice[0]!r} is there twice; every topic belongs to one head", file=source
        )
    if len(topics) < 2:
        raise DataError(
            "there is one topic, to which everything would belong; write two or more", file=source
        )
    return Topics(tuple(topics), source)


def _text(table: Any, key: str, what: str, source: str) -> str:
    value = table.get(key) if isinstance(table, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"a {what} has no {key}", file=source)
    return value.strip()


def _folded(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().casefold()
