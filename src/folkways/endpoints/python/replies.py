"""Replies that somebody has, in a dict or a frame, as an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import orjson

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions, NamedEndpoint, Request
from folkways.endpoints.clean import quotable
from folkways.endpoints.replay import MATCHED, index_replies
from folkways.errors import FolkwaysError
from folkways.frames import is_frame, table_of_text

RESPONSE = ("response", "reply", "answer", "output", "completion")
PROMPT = ("prompt", "user", "input")


class RepliesEndpoint(NamedEndpoint):
    """Looks a reply up by the item, or else by the whole prompt. Its identity is its content.

    ``rows``: item or prompt -> reply; of a frame also task, language, variant and sample, where it has such
    columns. A key of a dict may be ``TASK:ITEM``.
    """

    item_addressed = True
    local = True
    default_concurrency = EndpointOptions.DEFAULT_CONCURRENCY

    def __init__(self, replies: Any, name: str | None, version: str | None) -> None:
        rows = _rows_of_frame(replies) if is_frame(replies) else _rows_of_dict(replies)
        if not rows:
            raise FolkwaysError(
                "there are no replies in it; give item -> reply, or a frame with the columns item and "
                "response"
            )
        digest = sha256(orjson.dumps(rows)).hexdigest()[:12]
        self.name = f"python/{name or f'replies-{digest}'}"
        self.identity = f"python:{name}@{version}" if version is not None else f"python:replies#{digest}"
        self._columns = tuple(column for column in MATCHED if column in rows[0])
        self._answers = index_replies(self.name, self._columns, iter(rows))

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """The reply; an EndpointFailure that is not worth a retry where there is none."""
        more = tuple(str(getattr(request, column)) for column in self._columns)
        whole = request.user if request.system is None else f"{request.system}\n\n{request.user}"
        for key in (f"{request.task}:{request.item}", request.item, request.user, whole):
            if (reply := self._answers.get((key, *more))) is not None:
                return reply
        raise EndpointFailure(
            f"{self.name} has no reply for {request.item!r}, nor for its prompt "
            f"{quotable(request.user, limit=60)!r}"
        )


def _rows_of_dict(replies: Mapping[Any, Any]) -> list[dict[str, Any]]:
    for key, value in replies.items():
        if not isinstance(key, str) or not (value is None or isinstance(value, (str, int, float))):
            raise FolkwaysError(
                "a dict of replies has text for text, item or prompt -> reply, got "
                f"{quotable(repr(key), limit=60)}: {quotable(repr(value), limit=60)}; replies in several "
                "languages go into a frame with the columns item, language, response. Several models are a "
                "list: models=[one, other]"
            )
    return [
        {"item": key, "response": None if value is None else str(value)} for key, value in replies.items()
    ]


def _rows_of_frame(frame: Any) -> list[dict[str, Any]]:
    table = table_of_text(frame)
    columns = table.columns
    response = next((name for name in RESPONSE if name in columns), None)
    key = "item" if "item" in columns else next((name for name in PROMPT if name in columns), None)
    if response is None or key is None:
        raise FolkwaysError(
            "a frame of replies has the columns item (or prompt) and response; this one has "
            f"{', '.join(columns)}\n"
            f"also read where present: {', '.join((*MATCHED, 'state', 'reason', 'finish_reason'))}"
        )
    return table.rename({key: "item", response: "response"}).to_dicts()
