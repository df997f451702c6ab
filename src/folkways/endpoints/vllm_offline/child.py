"""The process that vLLM's engine runs in: it has the GPUs that its environment names, and gives them back by
ending.

Lines of JSON come in: first the model (model, revision, seed, gpus), then requests (id, user, system,
settings, choices), at any time. Lines of JSON go out: first what runs (served) or an error, then a reply or a
failure per request, as each ends. Requests join the engine's batch as others leave it. When the input ends,
the process does, with all that vLLM has begun.

This is written for vLLM 0.11 to 0.33: ``LLM.llm_engine`` with ``add_request`` and ``step``.
``SamplingParams.logprob_token_ids`` is used where there is one.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from folkways.endpoints.base import LOGPROB, Completion, Request, Settings
from folkways.endpoints.detached import detach
from folkways.endpoints.generation import DEFAULT_NEW_TOKENS, ids_of, pair_ids, prompt_of
from folkways.endpoints.likelihood import choice, weight

AT_ONCE = 512
"""Sequences that the engine is given at a time. The others wait here, where they can be put in order."""


@dataclass
class PendingRequest:
    """A request with its parts (one text, or one per option), and what came of those. texts: prompt and
    option of each part."""

    id: int
    request: Request
    parts: list[Part] = field(default_factory=list)
    outputs: dict[int, Any] = field(default_factory=dict)
    failed: bool = False


@dataclass
class Part:
    """A sequence for the engine: the tokens of its prompt; ``context`` of them come before those whose
    likelihood is wanted.

    tokens: those whose likelihoods at the next place are wanted, one per option; empty where a text is
    generated or weighed.
    """

    ids: list[int]
    context: int = 0
    tokens: list[int] = field(default_factory=list)
    generates: bool = False


class PrefixQueue:
    """What waits, by its tokens: prompts that begin alike come one after the other, and so find their
    beginning in the cache.

    From where it is it goes on upwards, and begins again at the lowest, so that nothing waits for ever.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[list[int], int]] = []
        self._last: tuple[list[int], int] = ([], -1)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, ids: list[int], number: int) -> None:
        """A sequence that waits from now on."""
        insort(self._waiting, (ids, number))

    def next(self) -> int:
        """The number of the one that comes next."""
        at = bisect_left(self._waiting, self._last)
        self._last = self._waiting.pop(at if at < len(self._waiting) else 0)
        return self._last[1]


def parts_of(request: Request, tokenizer: Any, *, one_look: bool) -> list[Part]:
    """The sequences that answer a request. one_look: whether the engine gives the likelihoods of chosen
    tokens at the next place, so that one sequence can serve all options."""
    prompt = prompt_of(tokenizer, request)
    if request.settings.read is None:
        return [Part(ids_of(tokenizer, prompt), generates=True)]
    pairs = [pair_ids(tokenizer, prompt, label) for label in request.choices or ()]
    columns = list(zip(*(more for _, more in pairs), strict=False))
    shared = next((at for at, column in enumerate(columns) if len(set(column)) > 1), len(columns))
    lengths = {(len(label), len(label.encode())) for label in request.choices or ()}
    alike = all(len(more) == shared + 1 for _, more in pairs) and (shared == 0 or len(lengths) == 1)
    if request.settings.read != LOGPROB and alike and one_look:
        # What all options begin with makes none of them likelier, also not per character where they
        # are equally long: one look at the next place gives all of them.
        context, first = pairs[0]
        return [Part([*context, *first[:shared]], tokens=[more[shared] for _, more in pairs])]
    return [Part([*context, *more], len(context)) for context, more in pairs]


class Engine:
    """vLLM with one model. send: takes what goes out."""

    def __init__(self, wanted: dict[str, Any], send: Any) -> None:
        vllm = import_module("vllm")
        self._sampling = vllm.SamplingParams
        self._llm = vllm.LLM(
            model=wanted["model"],
            revision=wanted["revision"],
            seed=wanted["seed"],
            tensor_parallel_size=max(1, wanted["gpus"]),
            enable_prefix_caching=True,
        )
        self._engine = self._llm.llm_engine
        self._tokenizer = self._llm.get_tokenizer()
        self.served = f"{wanted['model']}@{wanted['revision'] or 'local'} vllm={vllm.__version__}"
        self._send = send
        self._order = PrefixQueue()
        self._waiting: dict[int, tuple[PendingRequest, int]] = {}
        self._running: dict[str, tuple[PendingRequest, int]] = {}
        self._number = 0

    def run(self, inbox: queue.SimpleQueue[str]) -> None:
        """Answer what comes, for as long as the process lives."""
        while True:
            for line in self._arrived(inbox):
                self._take(json.loads(line))
            while self._order and len(self._running) < AT_ONCE:
                self._add(*self._waiting.pop(self._order.next()))
            for output in self._engine.step() if self._running else ():
                if output.finished:
                    self._ended(*self._running.pop(output.request_id), output)

    def _arrived(self, inbox: queue.SimpleQueue[str]) -> Iterator[str]:
        if not self._running and not self._order:
            yield inbox.get()
        while not inbox.empty():
            yield inbox.get()

    def _take(self, message: dict[str, Any]) -> None:
        settings = Settings(**message["settings"])
        choices = tuple(message["choices"]) if message["choices"] is not None else None
        pending = PendingRequest(
            message["id"], Request("", message["user"], message["system"], settings, choices=choices)
        )
        try:
            pending.parts = parts_of(
                pending.request, self._tokenizer, one_look=hasattr(self._sampling, "logprob_token_ids")
            )
        except Exception as error:  # noqa: BLE001 - whatever a tokenizer or a template raises, this request failed and others may not
            self._fail(pending, error)
            return
        for at, part in enumerate(pending.parts):
            self._number += 1
            self._waiting[self._number] = pending, at
            self._order.add(part.ids, self._number)

    def _add(self, pending: PendingRequest, at: int) -> None:
        if pending.failed:
            return
        part, settings = pending.parts[at], pending.request.settings
        name = f"{pending.id}-{at}"
        try:
            if part.generates:
                limit = settings.max_tokens or DEFAULT_NEW_TOKENS
                if settings.temperature is None:
                    parameters = self._llm.get_default_sampling_params()
                    parameters.max_tokens, parameters.seed = limit, settings.seed
                else:
                    parameters = self._sampling(
                        temperature=settings.temperature,
                        top_p=settings.top_p or 1.0,
                        max_tokens=limit,
                        seed=settings.seed,
                    )
            elif part.tokens:  # it may say one of the options; likelihoods are those before that rule
                parameters = self._sampling(
                    temperature=0.0,
                    max_tokens=1,
                    allowed_token_ids=part.tokens,
                    logprobs=1,
                    logprob_token_ids=part.tokens,
                )
            else:
                parameters = self._sampling(temperature=0.0, max_tokens=1, prompt_logprobs=1)
            self._engine.add_request(name, {"prompt_token_ids": part.ids}, parameters)
        except Exception as error:  # noqa: BLE001 - as above: a prompt that is too long, a setting that is refused
            self._fail(pending, error)
            return
        self._running[name] = pending, at

    def _fail(self, pending: PendingRequest, error: Exception) -> None:
        if not pending.failed:
            pending.failed = True
            self._send({"id": pending.id, "failure": f"{type(error).__name__}: {error}"})

    def _ended(self, pending: PendingRequest, at: int, output: Any) -> None:
        pending.outputs[at] = output
        if pending.failed or len(pending.outputs) < len(pending.parts):
            return
        try:
            completion = self._completion(pending)
        except Exception as error:  # noqa: BLE001 - an output that lacks what was asked for
            self._fail(pending, error)
            return
        names = ("text", "finish_reason", "input_tokens", "output_tokens")
        self._send({"id": pending.id, **{name: getattr(completion, name) for name in names}})

    def _completion(self, pending: PendingRequest) -> Completion:
        request, parts = pending.request, pending.parts
        outputs = [pending.outputs[at] for at in range(len(parts))]
        tokens = sum(len(part.ids) for part in parts)
        if parts[0].generates:
            (generated,) = outputs[0].outputs
            return Completion(
                generated.text,
                generated.finish_reason,
                input_tokens=tokens,
                output_tokens=len(generated.token_ids),
            )
        if parts[0].tokens:
            table = outputs[0].outputs[0].logprobs[0]
            likelihoods = [float(table[token].logprob) for token in parts[0].tokens]
        else:
            likelihoods = [
                sum(
                    float(output.prompt_logprobs[at][part.ids[at]].logprob)
                    for at in range(part.context, len(part.ids))
                )
                for part, output in zip(parts, outputs, strict=True)
            ]
        if request.settings.read == LOGPROB:
            return weight(likelihoods[0], model=None, tokens=tokens)
        return choice(request.choices or (), likelihoods, model=None, tokens=tokens)


def main() -> None:
    """Run one model until standard input is closed."""
    detach()
    wanted = json.loads(sys.stdin.readline())
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what vLLM prints is not an answer

    def send(row: dict[str, Any]) -> None:
        answer.write(json.dumps(row) + "\n")
        answer.flush()

    inbox: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            inbox.put(line)
        os.killpg(0, signal.SIGKILL)  # also in the middle of loading, and vLLM's own processes with it

    threading.Thread(target=read, daemon=True).start()
    try:
        engine = Engine(wanted, send)
    except Exception as error:  # noqa: BLE001 - whatever the library raises, the other process says it
        send({"error": f"{type(error).__name__}: {error}"})
        return
    send({"served": engine.served})
    engine.run(inbox)


if __name__ == "__main__":
    main()
