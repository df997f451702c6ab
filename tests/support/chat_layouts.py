"""How the three protocols lay out a question, a reply and an error. The server's side only; nothing here
comes from folkways."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from tests.support.chat_topics import sort_into_topics
from tests.support.culturalbench_model import answer_culturalbench
from tests.support.mcq_data import right_letter
from tests.support.redteaming_models import answer_round

WORDS = (
    "rice",
    "tea",
    "football",
    "school",
    "bread",
    "market",
    "grandmother",
    "new year",
    "bus",
    "noodles",
    "phone",
    "wedding",
)
# JSON escapes: what a broken model may well send
RUBBISH = "A \\ud800 \\udfff \\u0000 \\u202e \\u001b[31m \\uffff end"


@dataclass(frozen=True)
class Question:
    """What was asked, whatever the protocol."""

    model: str
    system: str
    user: str


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or () if isinstance(part, dict))


def read_question(protocol: str, path: str, payload: dict[str, Any]) -> Question:
    if protocol == "google":
        turns = payload.get("contents") or [{}]
        system = payload.get("systemInstruction") or {}
        model = path.rsplit("/", 1)[-1].split(":")[0]
        return Question(model, _plain(system.get("parts")), _plain(turns[-1].get("parts")))
    messages = payload.get("messages") or [{}]
    system = _plain(payload.get("system"))
    if protocol == "openai":
        system = "".join(
            _plain(message.get("content"))
            for message in messages
            if message.get("role") in ("system", "developer")
        )
    return Question(str(payload.get("model", "")), system, _plain(messages[-1].get("content")))


def answer(mode: str, question: Question) -> str:
    """The reply in ``mode``: ``letter``, ``word``, ``echo``, ``fixed:TEXT``, ``judge:N`` or ``topics:N``.

    It depends on model and messages only. ``topics:N`` sorts questions into topics and passes over N % of
    those in long batches.

    ``culturalbench:JSON`` knows some countries better than others (knowing_model).

    ``texts:N`` says the text of the right option of the first N questions of ``mcq_data``, and B to the
    others.

    ``round:JSON`` helps, holds out and answers as planned in a round of red-teaming (round_models).

    ``csi`` names an item for a fact and writes a sentence with an item, as JSON.

    ``judge:N`` answers what a build asks, as JSON: "same" is true for N % of the prompts, which also have a
    group of two answers.
    """
    if mode == "echo":
        return question.user
    if mode.startswith("fixed:"):
        return mode[6:]
    if mode.startswith("texts:"):
        place = int(question.user.partition("Riddle ")[2].partition(":")[0])
        return (
            question.user.partition(f"\n{right_letter(place)}. ")[2].split("\n")[0]
            if place < int(mode[6:])
            else "B"
        )
    if mode.startswith("culturalbench:"):
        return answer_culturalbench(mode.removeprefix("culturalbench:"), question.model, question.user)
    if mode.startswith("round:"):
        return answer_round(mode.removeprefix("round:"), question.model, question.user)
    key = f"{question.model}\0{question.system}\0{question.user}".encode("utf-8", "surrogatepass")
    number = int.from_bytes(blake2b(key, digest_size=8).digest(), "big")
    if mode == "letter":
        return "ABCD"[number % 4]
    if mode == "word":
        return WORDS[number % len(WORDS)]
    if mode.startswith("judge:"):
        same = number % 100 < int(mode[6:])
        options = [f"{word} no. {number % 10_000}" for word in WORDS[:3]]
        return orjson.dumps({"same": same, "groups": [[1, 2]] if same else [], "options": options}).decode()
    if mode.startswith("topics:"):
        return sort_into_topics(question.user, int(mode[7:]))
    if mode == "csi":
        item = question.user.partition("people know this: ")[2].split("\n")[0]
        named = [
            {
                "item": f"{WORDS[number % len(WORDS)]} {number % 97}",
                "context": f"Number {number % 10_000}, in daily use.",
            }
        ]
        sentence = (
            f"After work we went for <CSI> {item} </CSI> with number {number % 1000} of the neighbours."
        )
        return orjson.dumps({"sentence": sentence} if item else {"items": named}).decode()
    valid = "letter, word, echo, fixed:TEXT, judge:N, texts:N, topics:N, csi, culturalbench:JSON, round:JSON"
    raise ValueError(f"unknown mode {mode!r}; valid: {valid}")


THOUGHTS = "They name four options. D: no. The answer is C, or A?"
"""What the models here think: letters and words that must not be read as an answer."""
THINKING = ("spent", "thinks", "think-tag", "think-open")
CUT = ("length", "spent", "think-open")

TEMPLATE_TOKENS = 30
"""What a model whose name ends with "with-template" adds to each request: a system prompt that its chat
template puts in."""


def reply(protocol: str, question: Question, text: str, kind: str = "ok") -> bytes:
    """A body with status 200. ``kind`` is one of the faults that are well-formed replies."""
    tokens_in = (
        len(question.user + question.system) // 4
        + 1
        + TEMPLATE_TOKENS * question.model.endswith("with-template")
    )
    if kind.startswith("think-"):
        text = f"<think>\n{THOUGHTS}" + (f"\n</think>\n\n{text}" if kind == "think-tag" else "")
    tokens_out = len(text) // 4 + 1
    body = _REPLIES[protocol](question.model, text, kind, tokens_in, tokens_out)
    if kind == "no-usage":
        for name in ("usage", "usageMetadata"):
            body.pop(name, None)
    packed = orjson.dumps(body)
    if kind == "rubbish":
        return packed.replace(orjson.dumps(text), b'"' + RUBBISH.encode() + b'"', 1)
    if kind == "bad-utf8":
        return packed.replace(orjson.dumps(text), b'"A \xff\xfe\x80"', 1)
    return packed


def _openai(model: str, text: str, kind: str, tokens_in: int, tokens_out: int) -> dict[str, Any]:
    content: Any = text
    message: dict[str, Any] = {"role": "assistant"}
    if kind in ("spent", "thinks"):
        message["reasoning_content"] = THOUGHTS
    if kind in ("null-text", "filter", "refusal", "spent"):
        content = None
    elif kind == "parts":
        content = [{"type": "text", "text": text[:1]}, {"type": "text", "text": text[1:]}]
    if kind == "refusal":
        message["refusal"] = "I can't help with that."
    message["content"] = content
    finish = "length" if kind in CUT else "content_filter" if kind == "filter" else "stop"
    choices = [] if kind == "empty-choices" else [{"index": 0, "message": message, "finish_reason": finish}]
    usage = {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": choices,
        "usage": usage,
    }


def _anthropic(model: str, text: str, kind: str, tokens_in: int, tokens_out: int) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if kind in ("null-text", "filter", "refusal"):
        blocks = []
    elif kind == "parts":
        blocks = [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": text[:1]},
            {"type": "text", "text": text[1:]},
        ]
    if kind in ("spent", "thinks"):
        blocks = [
            {"type": "thinking", "thinking": THOUGHTS, "signature": "c2ln"},
            *(blocks if kind == "thinks" else ()),
        ]
    stop = "max_tokens" if kind in CUT else "refusal" if kind in ("filter", "refusal") else "end_turn"
    usage = {"input_tokens": tokens_in, "output_tokens": tokens_out}
    body = {
        "id": "msg_0",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": stop,
        "usage": usage,
    }
    return body if kind == "empty-choices" else body | {"content": blocks}


def _google(model: str, text: str, kind: str, tokens_in: int, tokens_out: int) -> dict[str, Any]:
    usage = {"promptTokenCount": tokens_in, "candidatesTokenCount": tokens_out, "thoughtsTokenCount": 0}
    body: dict[str, Any] = {"usageMetadata": usage, "modelVersion": model}
    if kind == "filter":
        return body | {"promptFeedback": {"blockReason": "SAFETY"}}
    if kind == "empty-choices":
        return body | {"candidates": []}
    parts: list[dict[str, Any]] = [{"text": text}]
    if kind == "parts":
        parts = [{"text": "hm", "thought": True}, {"text": text[:1]}, {"text": text[1:]}]
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if kind in ("refusal", "null-text"):
        candidate = {"index": 0}
    if kind in ("spent", "thinks"):
        parts[:] = [{"text": THOUGHTS, "thought": True}, *(parts if kind == "thinks" else ())]
    candidate["finishReason"] = "MAX_TOKENS" if kind in CUT else "SAFETY" if kind == "refusal" else "STOP"
    return body | {"candidates": [candidate]}


_REPLIES = {"openai": _openai, "anthropic": _anthropic, "google": _google}


def error(protocol: str, message: str, code: str, status: int, setting: str | None = None) -> bytes:
    """An error body in the protocol's layout."""
    if protocol == "anthropic":
        return orjson.dumps({"type": "error", "error": {"type": code, "message": message}})
    if protocol == "google":
        return orjson.dumps({"error": {"code": status, "message": message, "status": code.upper()}})
    return orjson.dumps({"error": {"message": message, "type": code, "param": setting, "code": code}})
