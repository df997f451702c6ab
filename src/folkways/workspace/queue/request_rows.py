"""What a request is read from and a reply is stored as: the rows of the queue
(folkways.workspace.queue.request_queue)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
import sqlalchemy as sa

from folkways.endpoints.base import Completion, Request, Settings
from folkways.endpoints.clean import storable, thoughts_apart
from folkways.workspace import schema

REQUEST_COLUMNS = (
    *(
        schema.expected.c[name]
        for name in (
            "ordinal",
            "key",
            "task",
            "item",
            "language",
            "variant",
            "sample",
            "prompt_hash",
            "settings_id",
        )
    ),
    *(schema.prompts.c[name] for name in ("system", "user", "choices")),
)
"""What a request is made of, in the order in which ``request_of`` reads it."""

LONGEST_REASON, LONGEST_MODEL = (schema.responses.c[name].type.length for name in ("finish_reason", "model"))  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """A reply that is ready to be stored: the request, what came back, seconds it took, attempts, and whether
    in a batch."""

    request: Request
    completion: Completion
    seconds: float
    attempts: int
    batched: bool = False


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that brought no reply after all attempts, with the reason for people."""

    request: Request
    message: str
    attempts: int


def settings_of(row: sa.Row[Any]) -> Settings:
    """The settings of a row of schema.settings; those of older versions lack what was never sent."""
    return Settings(**{"temperature": None, "top_p": None, **orjson.loads(row.json)})


def request_of(row: Sequence[Any], settings: Mapping[int, Settings]) -> Request:
    """The request of a row with REQUEST_COLUMNS; settings: by their number."""
    _, key, task, item, language, variant, sample, prompt_hash, settings_id, system, user, choices = row
    return Request(
        key=key,
        user=user,
        system=system,
        settings=settings[settings_id],
        sample=sample,
        choices=_labels(choices),
        task=task,
        item=item,
        language=language,
        variant=variant,
        prompt_hash=prompt_hash,
        settings_id=settings_id,
    )


def response_row(endpoint_id: int, result: AnsweredRequest, now: float) -> tuple[object, ...]:
    """A row of schema.responses, all columns in their order."""
    request, completion = result.request, result.completion
    thoughts, text = thoughts_apart(completion.text, completion.thoughts)
    return (
        request.key,
        endpoint_id,
        request.prompt_hash,
        request.settings_id,
        request.sample,
        storable(text),
        _word(completion.finish_reason, LONGEST_REASON),
        storable(completion.refusal) if completion.refusal is not None else None,
        _word(completion.model, LONGEST_MODEL),
        _count(completion.input_tokens),
        _count(completion.output_tokens),
        _count(completion.reasoning_tokens),
        result.seconds,
        result.attempts,
        now,
        storable(thoughts) if thoughts else None,
        int(result.batched),
    )


@lru_cache(maxsize=256)
def _labels(choices: str | None) -> tuple[str, ...] | None:
    """The labels that may be answered; requests of a task have few different sets of them."""
    return tuple(orjson.loads(choices)) if choices is not None else None


@lru_cache(maxsize=256)
def _word(text: str | None, longest: int) -> str | None:
    """A server's word as long as its column holds; PostgreSQL refuses a longer one, and with it every reply
    of the batch."""
    return storable(text)[:longest] if text is not None else None


def _count(tokens: int | None) -> int | None:
    """A server's count as long as PostgreSQL's integers hold it; a larger one cannot be a count of tokens."""
    return tokens if tokens is not None and 0 <= tokens < 2**31 else None
