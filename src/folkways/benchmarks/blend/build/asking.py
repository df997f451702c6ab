"""Calls as prompts, and replies as answers. What models say is untrusted: what has not the asked form is unreadable (None)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any

import orjson

from folkways.benchmarks.blend.build.calls import Answer, Call, GroupsCall, JudgeCall, PairsCall
from folkways.benchmarks.blend.build.sources import spoken_name
from folkways.benchmarks.build import Ask, Prompt, Reply
from folkways.benchmarks.json_replies import last_value
from folkways.benchmarks.templates import Template

MAX_TOKENS = {"judge": 256, "pairs": 1024, "groups": 4096, "dummies": 512}
"""Output tokens that a reply to each kind of call needs at most."""


TASK = "build/mcq-"
"""How the tasks begin under which requests are stored: ``build/mcq-judge``; no benchmark has such a task."""


class AskedModel:
    """An Oracle that asks a model."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """See ``calls.Oracle``."""
        reply = self._ask.recall(_prompt(call, 0))
        return None if reply is None else (_answer(call, reply),)

    def ask(self, calls: Sequence[Call], attempt: int = 0) -> list[Answer | None]:
        """See ``calls.Oracle``."""
        replies = self._ask([_prompt(call, attempt) for call in calls])
        return [_answer(call, reply) for call, reply in zip(calls, replies, strict=True)]


def _prompt(call: Call, attempt: int) -> Prompt:
    text, kind = prompt_of(call), kind_of(call)
    # A prompt's hash in the workspace: files of replies name items by it.
    digest = blake2b(orjson.dumps((None, text, None)), digest_size=16).hexdigest()
    return Prompt(text, TASK + kind, f"{call.question}/{digest[:12]}", MAX_TOKENS[kind], variant=kind, sample=attempt)


def _answer(call: Call, reply: Reply) -> Answer | None:
    return read_reply(call, reply.text or "")


@cache
def wordings() -> Mapping[str, str]:
    """Kind of call -> our prompt, and ``item`` -> the wording of questions."""
    text = files("folkways.benchmarks.blend.build").joinpath("wordings.toml").read_text(encoding="utf-8")
    return {name: wording.strip() for name, wording in tomllib.loads(text).items()}


def wordings_digest() -> str:
    """8 hexadecimal digits over all our prompts, for the record of a build."""
    return blake2b(json.dumps(wordings(), sort_keys=True).encode(), digest_size=4).hexdigest()


def kind_of(call: Call) -> str:
    """``judge``, ``pairs``, ``groups`` or ``dummies``."""
    if isinstance(call, JudgeCall):
        return "judge"
    if isinstance(call, PairsCall):
        return "pairs"
    return "groups" if isinstance(call, GroupsCall) else "dummies"


def prompt_of(call: Call) -> str:
    """The text that is sent."""
    if isinstance(call, JudgeCall):
        parts = {
            "answer_country": spoken_name(call.answer_country),
            "target_country": spoken_name(call.target_country),
            "answers": _quoted(call.answers),
            "target": _quoted((call.target,)),
        }
    elif isinstance(call, PairsCall):
        lines = (f"{number}. {one} | {other}" for number, (one, other) in enumerate(call.pairs, 1))
        parts = {"text": call.text, "pairs": "\n".join(lines)}
    elif isinstance(call, GroupsCall):
        lines = (f"{number}. {answer}" for number, answer in enumerate(call.answers, 1))
        parts = {"text": call.text, "answers": "\n".join(lines)}
    else:
        parts = {"text": call.text, "number": str(call.number), "taken": _quoted(call.taken)}
    return Template(wordings()[kind_of(call)], "folkways").fill(parts)


def read_reply(call: Call, reply: str) -> Answer | None:
    """The answer that a reply gives to a call, or None."""
    if isinstance(call, JudgeCall):
        same = last_value(reply, "same")
        return same if isinstance(same, bool) else None
    if isinstance(call, PairsCall):
        places = _places(last_value(reply, "same"), len(call.pairs))
        return None if places is None else frozenset(places)
    if isinstance(call, GroupsCall):
        groups = last_value(reply, "groups")
        if not isinstance(groups, list):
            return None
        read = [_places(group, len(call.answers)) for group in groups]
        return None if None in read else tuple(frozenset(group) for group in read if group)
    options = last_value(reply, "options")
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        return None
    return tuple(options)


def _quoted(texts: tuple[str, ...]) -> str:
    return "; ".join(json.dumps(text, ensure_ascii=False) for text in texts)


def _places(numbers: Any, count: int) -> list[int] | None:
    """Numbers from 1 as places from 0; None unless all are whole numbers in range."""
    if not isinstance(numbers, list) or not all(type(number) is int and 1 <= number <= count for number in numbers):
        return None
    return [number - 1 for number in numbers]
