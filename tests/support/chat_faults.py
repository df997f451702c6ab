"""What can go wrong at a chat-completions server, and when: by script, by probability, in bursts, or as asked
for in a message.

A fault is written ``kind[+name=value...]``: ``429``, ``429+after=2``, ``stall+seconds=10``,
``big+megabytes=50``. See KINDS.
"""

from __future__ import annotations

import random
import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import orjson

KINDS = {
    "ok": "a good reply",
    "307": "a redirect that carries the key it was sent in its address",
    "400": "names a setting it does not take: 400+setting=temperature; without one, a malformed request",
    "401": "a key that is not valid, quoting the key it was sent",
    "402": "no credit left",
    "403": "not allowed",
    "404": "no such model",
    "408": "request timeout",
    "409": "conflict",
    "422": "unprocessable",
    "429": "too many requests: +after=SECONDS, +date=SECONDS from now, +ms=MILLISECONDS, +reset=1m2s, or "
    "nothing",
    "quota": "429 with insufficient_quota: waiting does not help",
    "500": "internal error",
    "502": "bad gateway, as HTML",
    "503": "overloaded: +after=SECONDS",
    "529": "overloaded, as Anthropic says it",
    "truncated": "a body that ends in the middle of its JSON, with a matching Content-Length",
    "cut": "the connection ends in the middle of the announced body",
    "garbage": "bytes that are not HTTP",
    "drop": "the connection ends before a byte is sent",
    "stall": "nothing for +seconds=N, then a good reply",
    "big": "a well-formed reply of +megabytes=N; +chunked=1 does not announce its length",
    "bomb": "a reply of +megabytes=N, compressed a thousandfold",
    "empty-choices": "200 with no choice in it",
    "wrong-type": "200 with an HTML page",
    "json-as-text": "a good reply that calls itself text/plain",
    "not-object": "200 with a JSON list",
    "error-in-200": "200 with an error object, as some routers send it",
    "rubbish": "lone surrogates, NULs, bidirectional and control characters in the text",
    "bad-utf8": "bytes that are not UTF-8 inside the JSON string",
    "filter": "the provider's filter withheld the answer",
    "refusal": "the provider's own refusal field",
    "null-text": "a reply whose text is null",
    "parts": "the text as a list of parts",
    "length": "cut at the token limit",
    "spent": "no text: the token limit ended the reply among the model's thoughts",
    "thinks": "a good reply with the model's thoughts beside it, in the protocol's own field",
    "think-tag": "a good reply with the thoughts before it in the text, as <think>...</think>",
    "think-open": "thoughts in the text that the token limit cut, so that <think> is never closed",
    "no-usage": "a good reply without token counts",
}

_IN_MESSAGE = re.compile(r"\[\[fault:([^\]]+)\]\]")


@dataclass(frozen=True)
class Fault:
    """One fault with its arguments."""

    kind: str = "ok"
    args: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(text: str) -> Fault:
        kind, *pairs = text.strip().split("+")
        if kind not in KINDS:
            raise ValueError(f"unknown fault {kind!r}; valid: {', '.join(KINDS)}")
        return Fault(kind, dict(pair.split("=", 1) for pair in pairs))


OK = Fault()


class FaultPlan:
    """Decides what happens to each request.

    In this order: a fault named in the message itself (``[[fault:500]]``), the script (one entry per request,
    then nothing), bursts (every ``every`` requests, the next ``length`` ones), probabilities. A probability
    is drawn from (seed, request body, how often that body came before), never from the order of arrival, so
    that concurrency does not change what goes wrong. With ``by_question`` it is drawn from (seed, last
    message) of a chat completion: clients that put the rest otherwise meet the same.
    """

    def __init__(self, plan: dict[str, Any] | None = None) -> None:
        plan = plan or {}
        self.script = deque(Fault.parse(entry) for entry in plan.get("script", ()))
        self.chances = [
            (Fault.parse(kind), float(chance)) for kind, chance in plan.get("chances", {}).items()
        ]
        self.seed = int(plan.get("seed", 0))
        self.by_question = bool(plan.get("by_question", False))
        bursts = plan.get("bursts") or {}
        self.burst = Fault.parse(bursts["fault"]) if bursts else OK
        self.every = int(bursts.get("every", 0))
        self.length = int(bursts.get("length", 0))
        self.quiet = not (self.script or self.chances or self.every)

    def fault(self, body: bytes, digest: str, asked_before: int, arrival: int) -> Fault:
        if b"[[fault:" in body:
            named = _IN_MESSAGE.search(body.decode("utf-8", "replace"))
            if named:
                return Fault.parse(named.group(1))
        if self.quiet:
            return OK
        if self.script:
            return self.script.popleft()
        if self.every and arrival % self.every < self.length:
            return self.burst
        if self.chances:
            drawn_by = f"{digest}:{asked_before}"
            if self.by_question:
                drawn_by = str(orjson.loads(body)["messages"][-1]["content"])
            draw = random.Random(f"{self.seed}:{drawn_by}").random()
            for fault, chance in self.chances:
                draw -= chance
                if draw < 0:
                    return fault
        return OK
