"""Reads replies: a chat completion of OpenAI's, over HTTP or from Python code, and what every protocol says
in its own layout."""

from __future__ import annotations

from typing import Any

from folkways.endpoints.base import Completion, EndpointFailure
from folkways.endpoints.clean import quotable, storable
from folkways.endpoints.servers.endings import CHAT_COMPLETIONS, Endings


def read_choice(reply: dict[str, Any], choice: dict[str, Any], finish: str | None) -> Completion | None:
    """The completion of a ``choice`` of ``reply``, which ended with ``finish``; None if it has no message.

    A refusal is the provider's ``refusal`` field or a finish reason such as ``content_filter``. Thoughts are
    ``reasoning_content`` (DeepSeek, llama.cpp, vLLM), ``reasoning`` (OpenRouter, Groq, Ollama, vLLM) or parts
    of the content (Mistral).
    """
    message = choice.get("message")
    if not isinstance(message, dict):
        return None
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        withheld: str | None = storable(refusal)
    else:
        withheld = (
            "the provider's content filter withheld the answer"
            if (finish or "").lower() in CHAT_COMPLETIONS.withheld
            else None
        )
    usage = reply.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    content = message.get("content")
    thoughts = [message.get("reasoning_content"), message.get("reasoning")]
    if isinstance(content, list):
        thoughts += [part.get("thinking") for part in content if isinstance(part, dict)]
    return Completion(
        text=text_of(content),
        finish_reason=finish,
        refusal=withheld,
        model=name_of(reply.get("model")),
        input_tokens=count_of(usage, "prompt_tokens"),
        output_tokens=count_of(usage, "completion_tokens"),
        reasoning_tokens=count_of(details, "reasoning_tokens"),
        thoughts="".join(dict.fromkeys(map(text_of, filter(None, thoughts)))) or None,
    )


def check_end(name: str, finish: str | None, endings: Endings, status: int | None = None) -> None:
    """Raise an EndpointFailure if ``finish`` says that the provider broke off.

    name: of the model. endings: the provider's words. status: of the reply.
    """
    if (finish or "").lower() in endings.failed:
        raise EndpointFailure(
            f"{name}: the provider failed in the middle of the reply (it ended it with "
            f"{quotable(str(finish))})",
            status=status,
            retryable=True,
        )


def text_of(content: Any) -> str:
    """A reply's text, storable. ``content`` is a string, null, or a list of parts, of which those without
    text are left out."""
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, list):
        parts = (
            part if isinstance(part, str) else part.get("text")
            for part in content
            if isinstance(part, (str, dict))
        )
        return storable("".join(part for part in parts if isinstance(part, str)))
    return ""


def name_of(value: Any) -> str | None:
    """A short word of the server's (model name, finish reason), storable; None for anything that is not
    text."""
    return storable(value[:200]) if isinstance(value, str) else None


def count_of(usage: Any, name: str) -> int | None:
    """A token count; None for anything that is not a plausible count."""
    value = usage.get(name) if isinstance(usage, dict) else None
    if type(value) is float and value.is_integer():  # as gateways write it that have no other numbers
        value = int(value)
    return value if type(value) is int and 0 <= value < 2**53 else None
