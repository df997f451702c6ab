"""OpenAI's chat completions, which most providers and local servers speak too."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from folkways.endpoints.base import (
    NO_THINKING,
    Completion,
    EndpointFailure,
    EndpointKind,
    EndpointOptions,
    Request,
    Settings,
)
from folkways.endpoints.batches import Batches
from folkways.endpoints.clean import quotable
from folkways.endpoints.servers.chat_completions import name_of, read_choice
from folkways.endpoints.servers.endings import CHAT_COMPLETIONS
from folkways.endpoints.servers.http import HttpEndpoint, from_json
from folkways.endpoints.servers.http1 import BodyTooLargeError, ConnectError, HttpError
from folkways.endpoints.servers.providers import url_address
from folkways.endpoints.servers.route import exchange_once
from folkways.errors import FolkwaysError, option

LOOK_SECONDS = 2.0
MAX_PAGE = 1024 * 1024
MOST_NAMES = 20
"""Models of a server that an error names."""

_WAITING_AT_VLLM = re.compile(
    rb"^vllm:num_requests_waiting(?:\{[^}]*\})? +([0-9.]+(?:e[+]?[0-9]+)?)$", re.MULTILINE
)


class OpenAIEndpoint(HttpEndpoint):
    """``POST {base}/chat/completions``. The dialect names the fields in which providers differ."""

    endings = CHAT_COMPLETIONS

    @property
    def batches(self) -> Batches | None:
        """OpenAI's own; or a file for vLLM's ``run-batch``, for servers that people run themselves."""
        from folkways.endpoints.servers.batches.file import FileBatches
        from folkways.endpoints.servers.batches.openai import OpenAIBatches

        kind = {"openai": OpenAIBatches, "file": FileBatches}.get(self.address.batch)
        return kind(self) if kind is not None else None

    def path(self) -> str:
        """Below the base address."""
        return "/chat/completions"

    async def open(self, concurrency: int) -> None:
        """As every HTTP endpoint; and look at a server of somebody's own.

        How many requests does it work on at once? That is not asked for a single one. A server named by its
        kind (``ollama/MODEL``) must answer and must have the model: FolkwaysError with the line that starts
        it, or with the models that it has.
        """
        if self._connections is not None:
            return
        await super().open(concurrency)
        if self.address.hosted:
            return
        try:
            if self.address.start:
                await self._find_model()
            if concurrency > 1:
                await self._look()
        except BaseException:
            await self.close()
            raise

    async def _find_model(self) -> None:
        address = self.address
        try:
            listed = from_json(await self._page(f"{address.base_url}/models") or b"")
        except ConnectError as error:
            message = quotable(str(error), address.secrets, 200)
            raise FolkwaysError(
                f"{self.name}: no server answers at {address.base_url} ({message})\nStart it there: "
                f"{address.start}\n"
                f"or say where it is: {self.name}@http://HOST:PORT/v1"
            ) from None
        rows = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(rows, list):
            return  # it keeps its list to itself; whether it has the model, the first request tells
        names = [
            quotable(row["id"]) for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)
        ]
        if address.model not in {spelling for name in names for spelling in _spellings(name)}:
            shown = ", ".join(names[:MOST_NAMES]) + (
                f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
            )
            raise FolkwaysError(
                f"{self.name}: the server at {address.base_url} has no model {address.model!r}; "
                f"it has {shown or 'none yet'}\nGet it there: {address.get}"
            )

    async def _look(self) -> None:
        """Learn how many requests the server works on at once, if it tells that, and soon.

        llama.cpp tells its ``total_slots`` (``/props``) and gets that many. vLLM works on all that come until
        its memory is full, and tells how many wait for that (``/metrics``): while none does, it gets as many
        as a provider would to begin with.
        """
        root = self.address.base_url.removesuffix("/v1")
        try:
            properties = from_json(await self._page(f"{root}/props") or b"")
            waiting = (
                []
                if properties is not None
                else _WAITING_AT_VLLM.findall(await self._page(f"{root}/metrics") or b"")
            )
        except ConnectError:
            return
        if waiting and not any(map(float, waiting)):  # one line per copy of the model
            self.first_concurrency = EndpointOptions.DEFAULT_CONCURRENCY
        slots = properties.get("total_slots") if isinstance(properties, dict) else None
        if isinstance(slots, int) and 1 <= slots <= EndpointOptions.MOST_OF_OWN_SERVER:
            self.first_concurrency = self.default_concurrency = slots

    async def _page(self, address: str) -> bytes | None:
        """What is there; None where nothing is, or not soon. ConnectError where no server listens."""
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                reply = await exchange_once(self._route(address), "GET", self._headers(), None, MAX_PAGE)
            return reply.body if reply.status == 200 else None
        except ConnectError:
            raise
        except (HttpError, BodyTooLargeError, OSError, ValueError):
            return None

    def payload(self, request: Request) -> dict[str, Any]:
        """Model, messages and the settings that are set, under the names of the dialect."""
        settings, dialect = request.settings, self.address.dialect
        user = {"role": "user", "content": request.user}
        system = request.system
        payload: dict[str, Any] = {
            "model": self.address.model,
            "messages": [user] if system is None else [{"role": "system", "content": system}, user],
        }
        sent = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            dialect.max_tokens: settings.max_tokens,
        }
        payload |= {name: value for name, value in sent.items() if value is not None}
        if settings.seed is not None:
            payload[self._field(dialect.seed, "seed", settings.seed)] = settings.seed
        if settings.reasoning_effort is not None:
            outer, _, inner = self._effort_field(settings).partition(".")
            word = "none" if settings.reasoning_effort == NO_THINKING else settings.reasoning_effort
            effort = word if settings.thinking_budget is None else settings.thinking_budget
            payload[outer] = {inner: effort} if inner else effort
        return payload

    def _effort_field(self, settings: Settings) -> str:
        dialect = self.address.dialect
        if settings.thinking_budget is None or not dialect.reasoning_effort:
            return self._field(dialect.reasoning_effort, "reasoning_effort", settings.reasoning_effort)
        if not dialect.reasoning_budget:
            message = (
                f"{self.name} takes no number of tokens to think with, but a word such as "
                "reasoning_effort=low"
            )
            raise EndpointFailure(
                f"{message}; {option('settings', 'reasoning_effort=none')} leaves it to the provider",
                fatal=True,
            )
        return dialect.reasoning_budget

    def _field(self, field: str, setting: str, value: object) -> str:
        if field:
            return field
        message = (
            f"{self.name} has no setting {setting}: leave out {setting}={value} with "
            f"{option('settings', f'{setting}=none')}"
        )
        raise EndpointFailure(message, fatal=True)

    def ending(self, reply: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The first choice, which may hold an ``error``, and its finish reason."""
        choices = reply.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        return (choice, name_of(choice.get("finish_reason"))) if isinstance(choice, dict) else ({}, None)

    def read(self, reply: dict[str, Any]) -> Completion | None:
        """The first choice."""
        return read_choice(reply, *self.ending(reply))


def _spellings(name: str) -> set[str]:
    """How a listed model may be called: Ollama's newest without its tag, llama.cpp's without folder and
    ending."""
    spellings = {name, name.removesuffix(":latest")}
    if name.endswith(".gguf"):
        spellings |= {(file := re.split(r"[/\\]", name)[-1]), file.removesuffix(".gguf")}
    return spellings


def _open(name: str, options: EndpointOptions, need_key: bool) -> OpenAIEndpoint:
    return OpenAIEndpoint(
        url_address(name, options.base_url, need_key=need_key, key_env=options.key_env), options
    )


KIND = EndpointKind(
    {
        "http(s)://HOST/v1#MODEL": "a server of OpenAI's chat completions; its key in FOLKWAYS_API_KEY, "
        "for FOLKWAYS_API_KEY_HOSTS"
    },
    _open,
)
