"""A function, or an object that generates, as an endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from inspect import unwrap
from typing import Any

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions, NamedEndpoint, Request
from folkways.endpoints.python.calling import Arguments, Caller, is_async
from folkways.endpoints.python.completions import completion_of, failure_of
from folkways.errors import FolkwaysError

THREADS = 8
"""Calls at once of a synchronous function, where nobody says how many."""


class PythonEndpoint(NamedEndpoint):
    """Calls ``function`` with the prompt, and takes what it returns for the reply.

    function: of one request's arguments (``arguments``), in a thread unless it is asynchronous.
    code: digest of the code, where it is known: each reply keeps it, so that replies of other code are
        noticed.
    concurrency: calls at once, at most, whatever the run says; None for what suits it.
    heeds: the sampling settings that the function takes; no others are part of its requests.
    """

    local = False

    def __init__(
        self,
        name: str,
        identity: str,
        function: Callable[..., Any],
        arguments: Callable[[Request], tuple[list[Any], dict[str, Any]]],
        *,
        heeds: frozenset[str],
        of_item: bool = False,
        code: str | None = None,
        concurrency: int | None = None,
    ) -> None:
        self.name, self.identity, self.heeds, self.item_addressed = name, identity, heeds, of_item
        self.served = None if code is None else f"{name} (code {code})"
        self._function, self._arguments = function, arguments
        self._most = concurrency
        self.default_concurrency = concurrency or (
            EndpointOptions.DEFAULT_CONCURRENCY if is_async(unwrap(function)) else THREADS
        )
        self.timeout = EndpointOptions().timeout
        self._caller: Caller | None = None
        self._places = asyncio.Semaphore(1)

    async def open(self, concurrency: int) -> None:
        """Make ready for as many calls at once."""
        places = min(concurrency, self._most or concurrency)
        self._places = asyncio.Semaphore(places)
        self._caller = self._caller or Caller(self.name)

    async def close(self) -> None:
        """Let the threads go; a call that is on its way ends by itself."""
        caller, self._caller = self._caller, None
        if caller is not None:
            caller.close()

    async def complete(self, request: Request) -> Completion:
        """Call the function. Raises EndpointFailure with the message of whatever it raised, or where it gave
        no text; FolkwaysError before ``open``."""
        if self._caller is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        arguments, named = self._arguments(request)
        async with self._places:
            clock = asyncio.timeout(self.timeout)
            try:
                async with clock:
                    value = await self._caller.call(self._function, *arguments, **named)
                completion = completion_of(value, self.name)
            except Exception as error:  # whatever somebody's code raises is a failed request
                if clock.expired():
                    raise EndpointFailure(
                        f"{self.name}: no reply within {self.timeout:g} s", retryable=True, timed_out=True
                    ) from None
                raise failure_of(error, self.name) from error
            return completion if self.served is None else replace(completion, model=self.served)


def of_function(
    name: str, identity: str, function: Callable[..., Any], *, code: str | None, concurrency: int | None
) -> PythonEndpoint:
    """The endpoint of a function that is called by its signature.

    name, identity: of the endpoint.
    code: digest of the code, where it is known.
    concurrency: calls at once, at most; None for what suits it.
    Raises FolkwaysError where it cannot be called with a prompt.
    """
    arguments = Arguments(function, name)
    return PythonEndpoint(
        name,
        identity,
        function,
        arguments.of,
        heeds=arguments.settings,
        of_item=arguments.of_item,
        code=code,
        concurrency=concurrency,
    )
