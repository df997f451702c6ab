"""Anthropic's messages."""

from __future__ import annotations

from typing import Any

from folkways.endpoints.base import NO_THINKING, Completion, EndpointFailure, Request
from folkways.endpoints.batches import Batches
from folkways.endpoints.servers.chat_completions import count_of, name_of, text_of
from folkways.endpoints.servers.endings import ANTHROPIC
from folkways.endpoints.servers.http import HttpEndpoint
from folkways.errors import option

DEFAULT_MAX_TOKENS = 4096
"""The protocol requires a limit; this one stands in where the settings name none."""

THINKING_BUDGETS = {"low": 1024, "medium": 4096, "high": 16384}
"""Tokens for thinking per reasoning effort. They come on top of max_tokens, which stays the limit of the
answer."""

LEAST_BUDGET = 1024
"""The protocol takes no smaller budget."""


class AnthropicEndpoint(HttpEndpoint):
    """``POST {base}/v1/messages``."""

    endings = ANTHROPIC

    @property
    def batches(self) -> Batches:
        """The provider's own."""
        from folkways.endpoints.servers.batches.anthropic import AnthropicBatches

        return AnthropicBatches(self)

    def path(self) -> str:
        """Below the base address, which may be given with or without its ``/v1``."""
        return "/messages" if self.address.base_url.endswith("/v1") else "/v1/messages"

    def payload(self, request: Request) -> dict[str, Any]:
        """Model, messages and settings. There is no seed; a reasoning effort becomes a thinking budget
        (THINKING_BUDGETS)."""
        settings = request.settings
        payload: dict[str, Any] = {
            "model": self.address.model,
            "max_tokens": settings.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": [{"role": "user", "content": request.user}],
        }
        if request.system is not None:
            payload["system"] = request.system
        if settings.seed is not None:
            raise self._cannot("seed", settings.seed, "the protocol has none")
        if settings.reasoning_effort is not None:
            self._think(payload, request)
        if settings.temperature is not None:
            payload["temperature"] = settings.temperature
        # top_p = 1 cuts nothing off, which is also what leaving it out means; recent models refuse it
        # together with a temperature.
        if settings.top_p is not None and settings.top_p != 1.0:
            payload["top_p"] = settings.top_p
        return payload

    def _think(self, payload: dict[str, Any], request: Request) -> None:
        effort, temperature = request.settings.reasoning_effort or "", request.settings.temperature
        if effort in ("none", NO_THINKING):
            return
        budget = THINKING_BUDGETS.get(effort, request.settings.thinking_budget)
        if budget is None or budget < LEAST_BUDGET:
            valid = f"{NO_THINKING}, {', '.join(THINKING_BUDGETS)}, or tokens from {LEAST_BUDGET} on"
            raise self._cannot("reasoning_effort", effort, f"valid here: {valid}")
        if temperature is not None and temperature != 1.0:
            raise self._cannot("temperature", f"{temperature:g}", "a model that thinks takes only 1")
        payload["thinking"] = {"type": "enabled", "budget_tokens": budget}
        payload["max_tokens"] += budget

    def _cannot(self, setting: str, value: object, why: str) -> EndpointFailure:
        return EndpointFailure(
            f"{self.name} cannot be asked with {setting}={value} ({why}): leave it out with "
            f"{option('settings', f'{setting}=none')}",
            fatal=True,
        )

    def ending(self, reply: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The reply itself and its stop reason."""
        return reply, name_of(reply.get("stop_reason"))

    def read(self, reply: dict[str, Any]) -> Completion | None:
        """The text blocks, joined; those of type ``thinking`` are the thoughts. A refusal is the stop reason
        ``refusal``."""
        content, stop = reply.get("content"), name_of(reply.get("stop_reason"))
        # An empty list is how the protocol says nothing: with a refusal, or a turn that ended at once.
        if not isinstance(content, list) or (
            not content and stop not in ("refusal", "end_turn", "max_tokens")
        ):
            return None
        usage = reply.get("usage")
        cached = (
            count_of(usage, name) or 0 for name in ("cache_creation_input_tokens", "cache_read_input_tokens")
        )
        fresh = count_of(usage, "input_tokens")
        blocks = [part for part in content if isinstance(part, dict)]
        return Completion(
            text=text_of([part for part in blocks if part.get("type") == "text"]),
            finish_reason=stop,
            refusal="the provider says that the model refused" if stop in ANTHROPIC.withheld else None,
            model=name_of(reply.get("model")),
            input_tokens=None if fresh is None else fresh + sum(cached),
            output_tokens=count_of(usage, "output_tokens"),
            thoughts=text_of([part.get("thinking") for part in blocks if part.get("type") == "thinking"])
            or None,
        )
