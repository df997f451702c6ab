"""How Python code is called: which arguments it gets, and in which thread or event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any

from folkways.endpoints.base import Request
from folkways.endpoints.python.completions import failure_of
from folkways.errors import FolkwaysError

PROMPT, MESSAGES = ("prompt", "text", "input", "question", "user"), "messages"
SETTINGS = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort")
OF_ITEM = ("task", "item", "language", "variant")
OTHERS = ("system", "choices", "sample")

Outcome = tuple[BaseException | None, Any]
"""What a call raised, and what it returned."""


def messages_of(request: Request) -> list[dict[str, str]]:
    """The request as the messages of a chat."""
    user = {"role": "user", "content": request.user}
    return [user] if request.system is None else [{"role": "system", "content": request.system}, user]


class Arguments:
    """What a function is called with, by its signature: the prompt first, and of the rest of a request what
    it names.

    settings: those of the sampling settings that it names; of_item: whether it names the item, task, language
    or variant.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):  # compiled code that does not tell
            parameters = [inspect.Parameter("prompt", inspect.Parameter.POSITIONAL_ONLY)]
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        takes_any = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
        named = next((p for p in parameters if p.name in (*PROMPT, MESSAGES)), None)
        first = named or next(iter(positional or takes_any), None)
        accepted = (*SETTINGS, *OF_ITEM, *OTHERS)
        rest = [p for p in parameters if p is not first and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        unmet = [p.name for p in rest if p.name not in accepted and p.default is p.empty]
        if first is None or unmet:
            lacks = "takes no prompt" if first is None else f"needs {', '.join(unmet)}, which no question has"
            raise FolkwaysError(
                f"{name} {lacks}: write a function of the prompt, def {name.rpartition('/')[2]}(prompt): "
                f"..., or of messages; it may also name {', '.join(accepted)}"
            )
        self._first = first
        self._names = [p.name for p in rest if p.name in accepted and p.kind is not p.POSITIONAL_ONLY]
        self.settings = frozenset(self._names) & frozenset(SETTINGS)
        self.of_item = bool(set(self._names) & set(OF_ITEM))

    def of(self, request: Request) -> tuple[list[Any], dict[str, Any]]:
        """Positional and named arguments. A system prompt goes before the question where the function does
        not name it."""
        question: Any = request.user
        if self._first.name == MESSAGES:
            question = messages_of(request)
        elif request.system is not None and "system" not in self._names:
            question = f"{request.system}\n\n{request.user}"
        named = {
            name: getattr(request.settings if name in SETTINGS else request, name) for name in self._names
        }
        if self._first.kind is inspect.Parameter.KEYWORD_ONLY:
            return [], {self._first.name: question, **named}
        return [question], named


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine, as far as that is known before it is called."""
    call = getattr(function, "__call__", None)  # noqa: B004 - the method itself is wanted
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


class CallingThread:
    """Makes one call after the other. A daemon: a call that never ends keeps no process from ending."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def call(self, function: Callable[[], object]) -> None:
        """Call it once the calls before it have ended."""
        self._calls.put(function)

    def end(self) -> None:
        """Let it go once the calls before have ended."""
        self._calls.put(None)

    def _work(self) -> None:
        while (function := self._calls.get()) is not None:
            function()


class Caller:
    """Calls synchronous code in threads, and asynchronous code in one event loop that lives as long as the
    process.

    One loop for all runs, because clients keep connections, which belong to the loop that they were opened
    in. A thread whose call nobody waits for any more gets no other: that call may never end.
    """

    _loop: asyncio.AbstractEventLoop | None = None
    _lock = threading.Lock()

    def __init__(self, name: str) -> None:
        self._name = name
        self._idle: list[CallingThread] = []

    def close(self) -> None:
        """Begin nothing more; what is being worked on ends by itself."""
        while self._idle:
            self._idle.pop().end()

    async def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """What it returns, awaited where that can be. EndpointFailure or whatever else it raises."""
        if is_async(function):
            return await self._awaited(function(*arguments, **named))
        value = await self._in_thread(partial(function, *arguments, **named))
        return await self._awaited(value) if inspect.isawaitable(value) else value

    async def _in_thread(self, function: Callable[[], Any]) -> Any:
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Outcome] = loop.create_future()

        def tell(result: Outcome) -> None:
            if not outcome.done():
                outcome.set_result(result)

        def make_call() -> None:
            try:
                result: Outcome = None, function()
            except BaseException as error:  # noqa: BLE001 - whatever somebody's code raises is a failed request
                result = self._failure(error), None
            with suppress(RuntimeError):  # the session has ended, and its loop
                loop.call_soon_threadsafe(tell, result)

        thread = self._idle.pop() if self._idle else CallingThread(self._name)
        thread.call(make_call)
        try:
            raised, value = await outcome
        except BaseException:
            thread.end()
            raise
        self._idle.append(thread)
        if raised is not None:
            raise raised
        return value

    async def _awaited(self, value: Any) -> Any:
        async def wait() -> Outcome:
            try:
                return None, await value
            except BaseException as error:  # noqa: BLE001 - some of them would end the loop
                return self._failure(error), None

        raised, value = await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(wait(), self._lasting_loop())
        )
        if raised is not None:
            raise raised
        return value

    def _failure(self, error: BaseException) -> BaseException:
        """What a call raised, as an error that ends its request and nothing else; but Ctrl-C ends the run.

        A future cannot hold StopIteration, CancelledError would mean that the session stops, and SystemExit
        ends a loop or a thread.
        """
        passes = isinstance(error, (Exception, KeyboardInterrupt)) and not isinstance(error, StopIteration)
        return error if passes else failure_of(error, self._name)

    @classmethod
    def _lasting_loop(cls) -> asyncio.AbstractEventLoop:
        with cls._lock:
            if cls._loop is None or cls._loop.is_closed():
                cls._loop = asyncio.new_event_loop()
                threading.Thread(target=cls._loop.run_forever, name="folkways-python", daemon=True).start()
            return cls._loop
