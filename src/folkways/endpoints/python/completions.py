"""From what Python code gave back, or raised, to a Completion or an EndpointFailure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from folkways.endpoints.base import Completion, EndpointFailure
from folkways.endpoints.clean import quotable, storable
from folkways.endpoints.servers.failures import RETRYABLE

_WITHHELD = "the provider's content filter withheld the answer"


def completion_of(value: Any, model: str) -> Completion:
    """A text, or what libraries give back: a chat completion, a message, Inspect's output, a list of one of
    these.

    model: what answered, where the value does not say it. Raises EndpointFailure for anything without a
    text.
    """
    if isinstance(value, Completion):
        return value
    if isinstance(value, str):
        return Completion(storable(value), finish_reason="stop", model=model)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return completion_of(value[0], model)
    plain = value.model_dump() if hasattr(value, "model_dump") else value
    if isinstance(plain, Mapping):
        completion = _of_mapping(plain, model)
        if completion is not None:
            return completion
    for attribute in ("completion", "content", "text"):  # Inspect's output, LangChain's message, others
        if isinstance(text := getattr(value, attribute, None), str):
            return Completion(storable(text), finish_reason="stop", model=model)
    what = "None" if value is None else f"{type(value).__name__} {quotable(repr(value), limit=80)}"
    raise EndpointFailure(f"it returned {what}; a model returns the text of its reply")


def _of_mapping(value: Mapping[str, Any], model: str) -> Completion | None:
    choices = value.get("choices")
    if isinstance(choices, (list, tuple)) and choices and isinstance(choices[0], Mapping):
        return _of_choice(value, choices[0], model)
    text = next(
        (value[key] for key in ("response", "text", "content", "generated_text") if key in value), None
    )
    if (
        isinstance(text, list) and text and isinstance(text[-1], Mapping)
    ):  # a conversation, whose last message is the reply
        text = text[-1].get("content")
    return Completion(storable(text), finish_reason="stop", model=model) if isinstance(text, str) else None


def _of_choice(value: Mapping[str, Any], choice: Mapping[str, Any], model: str) -> Completion | None:
    """The first choice of a chat completion (OpenAI), or of Inspect's output, whose names differ a little."""
    message = choice.get("message") or {}
    text, finish = message.get("content"), choice.get("finish_reason") or choice.get("stop_reason")
    if isinstance(text, list):  # parts; reasoning is not part of the reply
        text = "".join(part.get("text") or "" for part in text if isinstance(part, Mapping))
    finish = "length" if finish in ("max_tokens", "model_length") else finish
    refusal = message.get("refusal") or (_WITHHELD if finish == "content_filter" else None)
    if text is None and refusal is None:
        return None
    usage = value.get("usage") or {}
    counts = {ours: usage.get(theirs, usage.get(ours)) for ours, theirs in _COUNTS.items()}
    reasoning = (usage.get("completion_tokens_details") or {}).get(
        "reasoning_tokens", usage.get("reasoning_tokens")
    )
    return Completion(
        storable(text or ""),
        finish_reason=finish,
        refusal=storable(refusal) if refusal else None,
        model=str(value.get("model") or model),
        reasoning_tokens=reasoning,
        thoughts=message.get("reasoning_content") or None,
        **counts,
    )


_COUNTS = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}


def failure_of(error: BaseException, name: str) -> EndpointFailure:
    """A failed request with the message of the exception. Those of servers and connections are tried again,
    as ours are."""
    if isinstance(error, EndpointFailure):
        return error
    status = getattr(error, "status_code", None) or getattr(
        getattr(error, "response", None), "status_code", None
    )
    status = status if isinstance(status, int) else None
    message = quotable(str(error)) or "without a message"
    timed_out = isinstance(error, TimeoutError) or "Timeout" in type(error).__name__
    lost = isinstance(error, ConnectionError) or "Connection" in type(error).__name__
    return EndpointFailure(
        f"{name} raised {type(error).__name__}: {message}",
        status=status,
        retryable=timed_out or lost or (status is not None and (status in RETRYABLE or status >= 500)),
        fatal=status in (401, 403, 404),
        rate_limited=status in (429, 529),
        timed_out=timed_out,
    )
