"""A model that sorts numbered questions into listed topics, for the chat server; nothing here comes from
folkways."""

from __future__ import annotations

import re
from hashlib import blake2b

import orjson


def sort_into_topics(text: str, passed_over: int) -> str:
    """A topic for each question by a hash of its line, as JSON with words around it.

    ``passed_over`` percent of the questions, by another hash, get no topic where they stand among others.
    """
    topics = re.findall(r"^- ([^:\n]+)", text, re.M)
    questions = re.findall(r"^(\d+)\. (.*)$", text, re.M)
    told = {
        number: topics[topic_of(line, len(topics))]
        for number, line in questions
        if len(questions) == 1 or _hash(line + "?") % 100 >= passed_over
    }
    return f"Here they are:\n```json\n{orjson.dumps(told).decode()}\n```"


def topic_of(line: str, topics: int) -> int:
    """The place of a question's topic in the list."""
    return _hash(line) % topics


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
