"""Every kind of stage by name."""

from __future__ import annotations

from collections.abc import Mapping

from folkways.errors import UnknownNameError
from folkways.studio.workflows.base import Handler
from folkways.studio.workflows.vote import VoteHandler

HANDLERS: Mapping[str, Handler] = {handler.kind: handler for handler in (VoteHandler(),)}


def handler_of(kind: str) -> Handler:
    """The handler of a kind of stage; UnknownNameError."""
    if kind not in HANDLERS:
        raise UnknownNameError("kind of stage", kind, HANDLERS)
    return HANDLERS[kind]
