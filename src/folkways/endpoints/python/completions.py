"""From what Python code gave back, or raised, to a Completion or an EndpointFailure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from folkways.endpoints.base import Completion, EndpointFailure
from folkways.endpoints.clean import quotable, storable
from folkways.endpoints.servers.chat_completions import check_end, name_of, read_choice
from folkways.endpoints.servers.endings import CHAT_COMPLETIONS
from folkways.endpoints.servers.failures import RETRYABLE, read_error
from folkways.plugins import place_of


def completion_of(value: Any, model: str) -> Completion:
    """A text, or what libraries give back: a chat completion, a message, Inspect's output, a list of one of
    these.

    model: what answered, where the value does not say it. Raises EndpointFailure for anything without a text.
    """
    if isinstance(value, Completion) and isinstance(value.text, str):
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
    _check_error(value, model)
    choices = value.get("choices")
    if isinstance(choices, (list, tuple)) and choices and isinstance(choices[0], dict):
        return _of_choice(value, choices[0], model)
    text = next(
        (value[key] for key in ("response", "text", "content", "generated_text") if key in value), None
    )
    # a conversation, whose last message is the reply
    if isinstance(text, list) and text and isinstance(text[-1], Mapping):
        text = text[-1].get("content")
    return Completion(storable(text), finish_reason="stop", model=model) if isinstance(text, str) else None


def _check_error(part: Mapping[str, Any], model: str) -> None:
    """Raise an EndpointFailure for an error that came in place of a reply, or in its middle."""
    if part.get("error"):
        message = quotable(read_error(dict(part), b"").message)
        raise EndpointFailure(f"{model}: the provider failed: {message}", retryable=True)


def _of_choice(value: Mapping[str, Any], choice: dict[str, Any], model: str) -> Completion | None:
    """The first choice of a chat completion (OpenAI), or of Inspect's output, whose names differ a little."""
    finish = name_of(choice.get("finish_reason") or choice.get("stop_reason"))
    finish = "length" if finish in ("max_tokens", "model_length") else finish
    _check_error(choice, model)
    check_end(model, finish, CHAT_COMPLETIONS)
    usage = value.get("usage")
    if isinstance(usage, dict):
        usage = {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "completion_tokens_details": {"reasoning_tokens": usage.get("reasoning_tokens")},
            **usage,
        }
    completion = read_choice({**value, "usage": usage}, choice, finish)
    if completion is None:
        return None
    has_text = isinstance(choice["message"].get("content"), (str, list))
    if not has_text and completion.refusal is None and finish != "length":
        return None
    return replace(completion, model=completion.model or model)


def failure_of(error: BaseException, name: str, module: str = "") -> EndpointFailure:
    """A failed request with the message of the exception. Those of servers and connections are tried again,
    as ours are.

    name: of the endpoint. module: of its code; the message names the line of that package, if it has one.
    """
    if isinstance(error, EndpointFailure):
        return error
    status = getattr(error, "status_code", None) or getattr(
        getattr(error, "response", None), "status_code", None
    )
    status = status if isinstance(status, int) else None
    message = quotable(str(error)) or "without a message"
    where = place_of(error, module) if module else ""
    timed_out = isinstance(error, TimeoutError) or "Timeout" in type(error).__name__
    lost = isinstance(error, ConnectionError) or "Connection" in type(error).__name__
    return EndpointFailure(
        f"{name} raised {type(error).__name__}: {message}{f', {where}' if where else ''}",
        status=status,
        retryable=timed_out or lost or (status is not None and (status in RETRYABLE or status >= 500)),
        fatal=status in (401, 403, 404),
        rate_limited=status in (429, 529),
        timed_out=timed_out,
    )
