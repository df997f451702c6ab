"""OpenAI's chat completions, which most providers and local servers speak too."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from yarl import URL

from folkways.endpoints.base import Completion, EndpointFailure, EndpointKind, EndpointOptions, Request
from folkways.endpoints.clean import storable
from folkways.endpoints.servers.connections import BodyTooLargeError, read_bounded
from folkways.endpoints.servers.http import HttpEndpoint, count_of, environment_proxy, from_json, name_of, text_of
from folkways.endpoints.servers.providers import url_address

SLOTS_SECONDS = 2.0
MAX_PROPS = 1024 * 1024


class OpenAIEndpoint(HttpEndpoint):
    """``POST {base}/chat/completions``. The dialect names the fields in which providers differ."""

    def path(self) -> str:
        """Below the base address."""
        return "/chat/completions"

    async def open(self, concurrency: int) -> None:
        """As every HTTP endpoint; and ask a server of somebody's own how many requests it works on at once (llama.cpp tells)."""
        await super().open(concurrency)
        if not self._address.hosted and (slots := await self._slots()) is not None:
            self.first_concurrency = self.default_concurrency = slots

    async def _slots(self) -> int | None:
        """``total_slots`` of llama.cpp's ``/props``; None from a server that has no such page, or does not answer soon."""
        props = URL(f"{self._address.base_url.removesuffix('/v1')}/props", encoded=True)
        try:
            timeout = aiohttp.ClientTimeout(total=SLOTS_SECONDS)
            async with (
                aiohttp.ClientSession(headers=self._headers(), proxy=environment_proxy(str(props))) as session,
                session.get(props, allow_redirects=False, timeout=timeout) as response,
            ):
                found = (
                    from_json(await read_bounded(response.content, response.headers, MAX_PROPS, asyncio.Semaphore(), whole=True))
                    if response.status == 200
                    else None
                )
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError, BodyTooLargeError):
            return None
        slots = found.get("total_slots") if isinstance(found, dict) else None
        return slots if isinstance(slots, int) and 1 <= slots <= EndpointOptions.DEFAULT_CONCURRENCY else None

    def payload(self, request: Request) -> dict[str, Any]:
        """Model, messages and the settings that are set, under the names of the dialect."""
        settings, dialect = request.settings, self._address.dialect
        user = {"role": "user", "content": request.user}
        system = request.system
        payload: dict[str, Any] = {
            "model": self._address.model,
            "messages": [user] if system is None else [{"role": "system", "content": system}, user],
        }
        if settings.temperature is not None:
            payload["temperature"] = settings.temperature
        if settings.top_p is not None:
            payload["top_p"] = settings.top_p
        if settings.max_tokens is not None:
            payload[dialect.max_tokens] = settings.max_tokens
        if settings.seed is not None:
            payload[self._field(dialect.seed, "seed", settings.seed)] = settings.seed
        if settings.reasoning_effort is not None:
            effort = settings.reasoning_effort
            outer, _, inner = self._field(dialect.reasoning_effort, "reasoning_effort", effort).partition(".")
            payload[outer] = {inner: effort} if inner else effort
        return payload

    def _field(self, field: str, setting: str, value: object) -> str:
        if field:
            return field
        message = f"{self.name} has no setting {setting}: leave out {setting}={value} with --setting {setting}=none"
        raise EndpointFailure(message, fatal=True)

    def read(self, reply: dict[str, Any]) -> Completion | None:
        """The first choice. A refusal is the provider's ``refusal`` field or the finish reason ``content_filter``."""
        choices = reply.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict) or not isinstance(choice, dict):
            return None
        finish = name_of(choice.get("finish_reason"))
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal:
            withheld: str | None = storable(refusal)
        else:
            withheld = "the provider's content filter withheld the answer" if finish == "content_filter" else None
        usage = reply.get("usage")
        details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
        return Completion(
            text=text_of(message.get("content")),
            finish_reason=finish,
            refusal=withheld,
            model=name_of(reply.get("model")),
            input_tokens=count_of(usage, "prompt_tokens"),
            output_tokens=count_of(usage, "completion_tokens"),
            reasoning_tokens=count_of(details, "reasoning_tokens"),
        )


def _open(name: str, options: EndpointOptions, need_key: bool) -> OpenAIEndpoint:
    return OpenAIEndpoint(url_address(name, options.base_url, need_key=need_key, key_env=options.key_env), options)


KIND = EndpointKind(
    {"http(s)://HOST/v1#MODEL": "a server of OpenAI's chat completions; its key in FOLKWAYS_API_KEY, for FOLKWAYS_API_KEY_HOSTS"},
    _open,
)
