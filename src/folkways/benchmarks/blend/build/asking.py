"""Calls as prompts of a model."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import orjson

from folkways.benchmarks.blend.build.calls import Answer, Call
from folkways.benchmarks.build import AskableModel, Prompt
from folkways.benchmarks.templates import Template, wordings

TASK = "build/mcq-"
"""How the tasks begin under which requests are stored: ``build/mcq-judge``; no benchmark has such a task."""


class AskedModel:
    """An Oracle that asks a model."""

    def __init__(self, ask: AskableModel) -> None:
        self._ask = ask

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """See ``calls.Oracle``."""
        reply = self._ask.recall(_prompt(call, 0))
        return None if reply is None else (call.read(reply.text or ""),)

    def ask(self, calls: Sequence[Call], attempt: int = 0) -> list[Answer | None]:
        """See ``calls.Oracle``."""
        replies = self._ask([_prompt(call, attempt) for call in calls])
        return [call.read(reply.text or "") for call, reply in zip(calls, replies, strict=True)]


def prompt_of(call: Call) -> str:
    """The text that is sent."""
    return Template(wordings("folkways.benchmarks.blend")["build"][call.kind], "folkways").fill(call.parts())


def _prompt(call: Call, attempt: int) -> Prompt:
    text = prompt_of(call)
    # A prompt's hash in the workspace: files of replies name items by it.
    digest = blake2b(orjson.dumps((None, text, None)), digest_size=16).hexdigest()
    return Prompt(
        text,
        TASK + call.kind,
        f"{call.question}/{digest[:12]}",
        call.max_tokens,
        variant=call.kind,
        sample=attempt,
    )
