"""How Python code is called: which arguments it gets, and in which thread or event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from folkways.endpoints.base import EndpointFailure, Request
from folkways.errors import FolkwaysError

PROMPT, MESSAGES = ("prompt", "text", "input", "question", "user"), "messages"
SETTINGS = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort")
OF_ITEM = ("task", "item", "language", "variant")
OTHERS = ("system", "choices", "sample")


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
                "..., or of messages; "
                f"it may also name {', '.join(accepted)}"
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


class Caller:
    """Calls synchronous code in ``threads`` threads, and asynchronous code in one event loop that lives as
    long as the process.

    One loop for all runs, because clients keep connections, which belong to the loop that they were opened
    in.
    """

    _loop: asyncio.AbstractEventLoop | None = None
    _lock = threading.Lock()

    def __init__(self, threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    def close(self) -> None:
        """Begin nothing more; what is being worked on ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """What it returns, awaited where that can be. EndpointFailure or whatever else it raises."""
        if is_async(function):
            return await self._awaited(function(*arguments, **named))
        # Kept as a value on its way: a future cannot hold StopIteration, and SystemExit would end the
        # thread's pool.
        raised, value = await asyncio.get_running_loop().run_in_executor(
            self._threads, _outcome, function, arguments, named
        )
        if raised is not None:
            raise raised
        return await self._awaited(value) if inspect.isawaitable(value) else value

    async def _awaited(self, value: Any) -> Any:
        async def wait() -> Any:
            return await value

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(wait(), self._lasting_loop()))

    @classmethod
    def _lasting_loop(cls) -> asyncio.AbstractEventLoop:
        with cls._lock:
            if cls._loop is None or cls._loop.is_closed():
                cls._loop = asyncio.new_event_loop()
                threading.Thread(target=cls._loop.run_forever, name="folkways-python", daemon=True).start()
            return cls._loop


def _outcome(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Exception | None, Any]:
    try:
        return None, function(*arguments, **named)
    except SystemExit as error:
        return EndpointFailure(f"it raised SystemExit: {error.code}"), None
    except StopIteration as error:
        return EndpointFailure(f"it raised StopIteration: {error.value or 'it has no more replies'}"), None
    except Exception as error:  # noqa: BLE001 - whatever somebody's code raises is a failed request
        return error, None
