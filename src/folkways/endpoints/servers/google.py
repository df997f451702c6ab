"""Google's generateContent (Gemini)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from folkways.endpoints.base import NO_THINKING, Completion, EndpointFailure, Request, Settings
from folkways.endpoints.batches import Batches
from folkways.endpoints.servers.chat_completions import count_of, name_of, text_of
from folkways.endpoints.servers.endings import GOOGLE
from folkways.endpoints.servers.http import HttpEndpoint
from folkways.errors import option

THINKING_BUDGETS = {"none": 0, NO_THINKING: 0, "low": 1024, "medium": 8192, "high": 24576}
"""Tokens for thinking per reasoning effort, for models before Gemini 3; later ones take the word itself."""


class GoogleEndpoint(HttpEndpoint):
    """``POST {base}/v1beta/models/MODEL:generateContent``."""

    endings = GOOGLE

    @property
    def batches(self) -> Batches:
        """The provider's own."""
        from folkways.endpoints.servers.batches.google import GoogleBatches

        return GoogleBatches(self)

    def path(self) -> str:
        """Below the base address, which may be given with or without its ``/v1beta``."""
        versioned = self.address.base_url.rsplit("/", 1)[-1].startswith("v1")
        return f"{'' if versioned else '/v1beta'}/models/{quote(self.address.model, safe='')}:generateContent"

    def payload(self, request: Request) -> dict[str, Any]:
        """Contents and generationConfig. A reasoning effort becomes a thinking budget or, from Gemini 3 on, a
        thinking level."""
        settings = request.settings
        config: dict[str, Any] = {
            "temperature": settings.temperature,
            "topP": settings.top_p,
            "seed": settings.seed,
            "maxOutputTokens": settings.max_tokens,
        }
        config = {name: value for name, value in config.items() if value is not None}
        if settings.reasoning_effort is not None:
            config["thinkingConfig"] = self._thinking(settings)
        payload: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": request.user}]}],
            "generationConfig": config,
        }
        if request.system is not None:
            payload["systemInstruction"] = {"parts": [{"text": request.system}]}
        return payload

    def _thinking(self, settings: Settings) -> dict[str, Any]:
        model, effort = self.address.model, settings.reasoning_effort or ""
        budget = THINKING_BUDGETS.get(effort, settings.thinking_budget)
        if settings.thinking_budget is None and not model.startswith(("gemini-1", "gemini-2")):
            if effort == NO_THINKING:
                raise self._cannot(effort, "the model always thinks; its least is minimal or low")
            return {"thinkingLevel": effort, "includeThoughts": True}
        if budget is None:
            raise self._cannot(effort, f"valid here: {', '.join(THINKING_BUDGETS)}, or a number of tokens")
        return {"thinkingBudget": budget, "includeThoughts": True} if budget else {"thinkingBudget": 0}

    def _cannot(self, effort: str, why: str) -> EndpointFailure:
        advice = f"leave it out with {option('settings', 'reasoning_effort=none')}"
        return EndpointFailure(
            f"{self.name} cannot be asked with reasoning_effort={effort} ({why}): {advice}", fatal=True
        )

    def ending(self, reply: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The first candidate and its finish reason."""
        candidates = reply.get("candidates")
        candidate = candidates[0] if isinstance(candidates, list) and candidates else None
        return (
            (candidate, name_of(candidate.get("finishReason"))) if isinstance(candidate, dict) else ({}, None)
        )

    def read(self, reply: dict[str, Any]) -> Completion | None:
        """The first candidate without its thoughts. A refusal is a blocked prompt, or a finish reason that
        says so."""
        feedback, usage = reply.get("promptFeedback"), reply.get("usageMetadata")
        blocked = name_of(feedback.get("blockReason")) if isinstance(feedback, dict) else None
        candidate, finish = self.ending(reply)
        if not candidate:
            if blocked is None:
                return None
            finish = blocked
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        withheld = blocked or (finish if (finish or "").lower() in GOOGLE.withheld else None)
        visible, thought = count_of(usage, "candidatesTokenCount"), count_of(usage, "thoughtsTokenCount")
        return Completion(
            text=text_of([part for part in parts if not part.get("thought")]),
            finish_reason=finish,
            refusal=None if withheld is None else f"the provider withheld the answer: {withheld}",
            model=name_of(reply.get("modelVersion")),
            input_tokens=count_of(usage, "promptTokenCount"),
            # Thinking is billed as output but counted apart.
            output_tokens=None if visible is None and thought is None else (visible or 0) + (thought or 0),
            reasoning_tokens=thought,
            thoughts=text_of([part for part in parts if part.get("thought")]) or None,
        )
