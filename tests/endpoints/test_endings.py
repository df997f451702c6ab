"""How providers say that they failed in the middle of a reply, or kept the answer back; and that no such
reply is an answer.

The replies have the layout of the providers' documentation.
"""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.endings import OF_PROVIDERS
from folkways.endpoints.servers.http import HttpEndpoint
from tests.support.endpoint_requests import request


def chat(reason: str | None, text: str | None = "The ans", **more: object) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "gen-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, **more}],
    }


def messages(reason: str | None, text: str | None = "The ans", **more: object) -> dict[str, Any]:
    content = [] if text is None else [{"type": "text", "text": text}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": reason,
        **more,
    }


def gemini(reason: str | None, text: str | None = "The ans", **more: object) -> dict[str, Any]:
    content = {"role": "model", "parts": [] if text is None else [{"text": text}]}
    return {"candidates": [{"index": 0, "content": content, "finishReason": reason, **more}]}


LAYOUTS = {"http://localhost:1/v1#m": chat, "anthropic/m": messages, "google/m": gemini}


def read(name: str, reply: dict[str, Any]) -> Completion:
    endpoint = open_name(name, EndpointOptions(), need_key=False)
    assert isinstance(endpoint, HttpEndpoint)
    return endpoint.completion(request("Q"), 200, {}, reply, orjson.dumps(reply))


def name_of(provider: str) -> str:
    return f"{provider}/m" if provider in ("anthropic", "google") else "http://localhost:1/v1#m"


def spelt(provider: str, word: str) -> str:
    return word.upper() if provider in ("google", "cohere") else word


@pytest.mark.parametrize("text", ["The ans", "", None])
@pytest.mark.parametrize(
    ("provider", "word"),
    [(name, word) for name, each in OF_PROVIDERS.items() for word in sorted(each.failed)],
)
def test_a_reply_that_the_provider_broke_off_is_a_failure(provider: str, word: str, text: str | None) -> None:
    name = name_of(provider)
    with pytest.raises(
        EndpointFailure, match=f"failed in the middle of the reply .*{spelt(provider, word)}"
    ) as caught:
        read(name, LAYOUTS[name](spelt(provider, word), text))
    assert (caught.value.retryable, caught.value.fatal, caught.value.status) == (True, False, 200)


@pytest.mark.parametrize("text", ["The ans", "", None])
@pytest.mark.parametrize(
    ("provider", "word"),
    [(name, word) for name, each in OF_PROVIDERS.items() for word in sorted(each.withheld)],
)
def test_an_answer_that_was_kept_back_is_a_refusal(provider: str, word: str, text: str | None) -> None:
    name = name_of(provider)
    assert read(name, LAYOUTS[name](spelt(provider, word), text)).refusal


@pytest.mark.parametrize("reason", ["error", "stop", "a_word_of_tomorrow", None])
@pytest.mark.parametrize("name", LAYOUTS)
def test_an_error_beside_the_answer_is_a_failure_whatever_the_reason(name: str, reason: str | None) -> None:
    error = {
        "code": 502,
        "message": "Provider disconnected",
        "metadata": {"error_type": "provider_unavailable"},
    }
    with pytest.raises(EndpointFailure) as caught:
        read(name, LAYOUTS[name](reason, error=error))
    assert caught.value.retryable
    assert "Provider disconnected" in str(caught.value)


def test_what_the_error_says_decides_what_follows() -> None:
    """OpenRouter's documented codes: a limit of requests slows down, moderation is a refusal, a word alone is
    tried again."""
    name = "http://localhost:1/v1#m"
    with pytest.raises(EndpointFailure) as slow:
        read(name, chat("error", error={"code": 429, "message": "Rate limited upstream"}))
    assert slow.value.rate_limited
    flagged = {
        "code": 403,
        "message": "Flagged",
        "metadata": {"reasons": ["violence"], "flagged_input": "..."},
    }
    assert read(name, chat("error", error=flagged)).refusal == "Flagged"
    with pytest.raises(EndpointFailure) as plain:
        read(name, chat("error", error="overloaded"))
    assert plain.value.retryable


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        (
            "http://localhost:1/v1#m",
            ["stop", "length", "eos", "tool_calls", "model_length", "a_word_of_tomorrow", None],
        ),
        ("anthropic/m", ["end_turn", "max_tokens", "stop_sequence", "model_context_window_exceeded", None]),
        ("google/m", ["STOP", "MAX_TOKENS", "A_WORD_OF_TOMORROW", None]),
    ],
)
def test_any_other_reply_is_what_the_model_said(name: str, reasons: list[str | None]) -> None:
    for reason in reasons:
        completion = read(name, LAYOUTS[name](reason, "A"))
        assert (completion.text, completion.refusal, completion.finish_reason) == ("A", None, reason)
