"""Endpoints that know nothing: what a score is worth is seen against them. They cost nothing and need no
network."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

from folkways.endpoints.base import Completion, EndpointKind, EndpointOptions, NamedEndpoint, Request
from folkways.errors import FolkwaysError, UnknownNameError


class BaselineEndpoint(NamedEndpoint):
    """Answers by a rule. Where a prompt has no choices, ``random`` and ``first`` take a word of the question
    instead."""

    local = True
    reads_likelihoods = True  # it always answers with an option, so it can be compared with models read so
    default_concurrency = EndpointOptions.DEFAULT_CONCURRENCY

    def __init__(self, name: str, identity: str, rule: Callable[[Request], str]) -> None:
        self.name = name
        self.identity = identity
        self._rule = rule

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """Answer at once. No tokens are counted, for none are made."""
        return Completion(text=self._rule(request), finish_reason="stop", model=self.name)


def open_baseline(rule: str, seed: int) -> BaselineEndpoint:
    """The endpoint of a rule: ``random``, ``first``, ``constant:TEXT`` or ``echo``.

    seed: for ``random`` only, and part of its identity. Raises UnknownNameError for another rule,
    FolkwaysError for ``constant:`` without a text.
    """
    name = f"baseline/{rule}"
    if rule == "random":
        return BaselineEndpoint(name, f"{name}@seed={seed}", lambda request: _random(request, seed))
    if rule == "first":
        return BaselineEndpoint(name, name, lambda request: _options(request)[0])
    if rule == "echo":
        return BaselineEndpoint(name, name, lambda request: request.user)
    if rule.startswith("constant:"):
        text = rule.removeprefix("constant:")
        if not text:
            raise FolkwaysError("baseline/constant: says what to answer after the colon: baseline/constant:A")
        return BaselineEndpoint(name, name, lambda request: text)
    raise UnknownNameError("baseline", rule, ["random", "first", "echo", "constant:TEXT"])


def _options(request: Request) -> tuple[str, ...]:
    return request.choices or tuple(request.user.split()) or ("",)


def _random(request: Request, seed: int) -> str:
    """Uniform over the options, by a hash of seed and request key: neither order nor concurrency changes the
    answer.

    64 bits are taken modulo the number of options, which favours none by more than 1 in 10^18.
    """
    options = _options(request)
    drawn = int.from_bytes(
        blake2b(f"{seed}\0{request.key}".encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )
    return options[drawn % len(options)]


KIND = EndpointKind(
    {
        "baseline/random": "a choice at random, the same one every time for the same seed",
        "baseline/first": "always the first choice",
        "baseline/constant:TEXT": "always TEXT",
        "baseline/echo": "the prompt itself",
    },
    lambda name, options, _need_key: open_baseline(name.partition("/")[2], options.seed),
)
