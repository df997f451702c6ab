"""Clients of other libraries that are asked in their own words: OpenAI's, and Inspect's models."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from folkways.endpoints.base import NO_THINKING, Request, Settings
from folkways.endpoints.python.calling import messages_of

HEEDS = frozenset({"temperature", "top_p", "seed", "max_tokens", "reasoning_effort"})


def chat_of(client: Any) -> Callable[..., Any] | None:
    """What asks a chat model through an OpenAI client (or one of its kind); None for anything else."""
    create = getattr(getattr(getattr(client, "chat", None), "completions", None), "create", None)
    return create if callable(create) else None


def openai_arguments(client: Any, model: str) -> Callable[[Request], tuple[list[Any], dict[str, Any]]]:
    """The arguments of ``chat.completions.create``. OpenAI's own models call the token limit by another name
    than servers do."""
    newer = "api.openai.com" in str(getattr(client, "base_url", "")) or "Azure" in type(client).__name__
    return lambda request: (
        [],
        {"model": model, "messages": messages_of(request), **_sent(request.settings, newer=newer)},
    )


def _sent(settings: Settings, *, newer: bool = False) -> dict[str, Any]:
    effort = "none" if settings.reasoning_effort == NO_THINKING else settings.reasoning_effort
    sent = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_completion_tokens" if newer else "max_tokens": settings.max_tokens,
        "reasoning_effort": effort,
    }
    return {name: value for name, value in sent.items() if value is not None}


def is_inspect_model(thing: Any) -> bool:
    """Whether it is a model of Inspect (``inspect_ai.model.Model``)."""
    return any(
        kind.__module__.startswith("inspect_ai.") and kind.__name__ == "Model" for kind in type(thing).__mro__
    )


def inspect_arguments(request: Request) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of Inspect's ``Model.generate``: messages, and the settings as its GenerateConfig."""
    library = import_module("inspect_ai.model")
    messages = [] if request.system is None else [library.ChatMessageSystem(content=request.system)]
    messages.append(library.ChatMessageUser(content=request.user))
    return [messages], {"config": library.GenerateConfig(**_sent(request.settings))}
