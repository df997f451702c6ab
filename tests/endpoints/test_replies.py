"""What is read of good replies, field by field, and of servers that tell something of themselves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions
from folkways.endpoints.python.replies import RepliesEndpoint
from folkways.endpoints.registry import open_name
from tests.support.endpoint_requests import request
from tests.support.scripted_server import ScriptedServer

OF_OPENAI = Completion(text="A", finish_reason="stop")
OF_ANTHROPIC = Completion(text="A", finish_reason="end_turn")
OF_GOOGLE = Completion(text="A", finish_reason="STOP")
FILTERED = "the provider's content filter withheld the answer"
REFUSED = "the provider says that the model refused"


def read(name: str, reply: dict[str, Any]) -> Completion | None:
    return open_name(name, EndpointOptions(base_url="http://localhost:1/v1"), need_key=False).read(reply)


def choice(message: Any = None, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": message or {"content": "A"}, "finish_reason": finish}], **more}


@pytest.mark.parametrize(
    ("reply", "completion"),
    [
        (choice(), OF_OPENAI),
        (choice(model="m-1"), replace(OF_OPENAI, model="m-1")),
        (choice(model="m" * 201), replace(OF_OPENAI, model="m" * 200)),
        (choice(model=7), OF_OPENAI),
        (choice(usage={"prompt_tokens": 0, "completion_tokens": 2}), replace(OF_OPENAI, input_tokens=0, output_tokens=2)),
        (choice(usage={"prompt_tokens": -1, "completion_tokens": 2**53}), OF_OPENAI),
        (choice(usage={"prompt_tokens": True, "completion_tokens": 2**53 - 1}), replace(OF_OPENAI, output_tokens=2**53 - 1)),
        (choice(usage={"prompt_tokens": 1.5, "completion_tokens": "2"}), OF_OPENAI),
        (choice(usage={"completion_tokens_details": {"reasoning_tokens": 5}}), replace(OF_OPENAI, reasoning_tokens=5)),
        (choice(usage={"completion_tokens_details": [5]}), OF_OPENAI),
        (choice(usage=[1, 2]), OF_OPENAI),
        (choice(finish=None), replace(OF_OPENAI, finish_reason=None)),
        (choice(finish=["stop"]), replace(OF_OPENAI, finish_reason=None)),
        (choice(finish="length"), replace(OF_OPENAI, finish_reason="length")),
        (choice(finish="Content_Filter"), replace(OF_OPENAI, finish_reason="Content_Filter", refusal=FILTERED)),
        (choice(finish="sensitive"), replace(OF_OPENAI, finish_reason="sensitive", refusal=FILTERED)),
        (choice({"content": None, "refusal": "no\0"}), replace(OF_OPENAI, text="", refusal="no\ufffd")),
        (choice({"content": "A", "refusal": ""}), OF_OPENAI),
        (choice({"content": "A", "refusal": {"why": "no"}}), OF_OPENAI),
        (choice({"content": "A", "refusal": "no"}, "content_filter"), replace(OF_OPENAI, finish_reason="content_filter", refusal="no")),
        (choice({"content": 7}), replace(OF_OPENAI, text="")),
        (choice({"content": ["A", {"text": "B"}, {"text": 7}, {"type": "image"}, 7]}), replace(OF_OPENAI, text="AB")),
        (choice({"content": "A", "reasoning_content": "x", "reasoning": "y"}), replace(OF_OPENAI, thoughts="xy")),
        (choice({"content": "A", "reasoning_content": ""}), OF_OPENAI),
        (choice({"content": ["A", {"thinking": [{"text": "x"}]}, {"thinking": "y"}]}), replace(OF_OPENAI, thoughts="xy")),
        ({"choices": []}, None),
        ({"choices": {"0": {}}}, None),
        ({"choices": ["A"]}, None),
        ({"choices": [{"text": "A"}]}, None),
        ({"choices": [{"message": "A"}]}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_chat_completions(reply: dict[str, Any], completion: Completion | None) -> None:
    assert read("http://localhost:1/v1#m", reply) == completion


def message(*content: Any, stop: Any = "end_turn", **more: Any) -> dict[str, Any]:
    return {"content": list(content), "stop_reason": stop, **more}


TEXT_A = {"type": "text", "text": "A"}


@pytest.mark.parametrize(
    ("reply", "completion"),
    [
        (message(TEXT_A), OF_ANTHROPIC),
        (message(TEXT_A, {"type": "text", "text": "B"}, "text", {"type": "tool_use", "text": "x"}), replace(OF_ANTHROPIC, text="AB")),
        (message({"type": "thinking", "thinking": "x"}, {"type": "thinking", "thinking": "y"}, TEXT_A), replace(OF_ANTHROPIC, thoughts="xy")),
        (message({"type": "redacted_thinking", "thinking": "x"}, TEXT_A), OF_ANTHROPIC),
        (message({"type": "thinking", "thinking": ""}, TEXT_A), OF_ANTHROPIC),
        (message(TEXT_A, model="m-1"), replace(OF_ANTHROPIC, model="m-1")),
        (message(TEXT_A, stop=None), replace(OF_ANTHROPIC, finish_reason=None)),
        (message(TEXT_A, stop="refusal"), replace(OF_ANTHROPIC, finish_reason="refusal", refusal=REFUSED)),
        (message(stop="refusal"), Completion("", "refusal", refusal=REFUSED)),
        (message(), Completion("", "end_turn")),
        (message(stop="max_tokens"), Completion("", "max_tokens")),
        (message(stop="tool_use"), None),
        (message(stop=None), None),
        ({"content": None, "stop_reason": "end_turn"}, None),
        ({"content": "A", "stop_reason": "end_turn"}, None),
        (message(TEXT_A, usage={"input_tokens": 3, "output_tokens": 2}), replace(OF_ANTHROPIC, input_tokens=3, output_tokens=2)),
        (
            message(TEXT_A, usage={"input_tokens": 3, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100}),
            replace(OF_ANTHROPIC, input_tokens=113),
        ),
        (message(TEXT_A, usage={"input_tokens": 0, "cache_read_input_tokens": None}), replace(OF_ANTHROPIC, input_tokens=0)),
        (message(TEXT_A, usage={"cache_read_input_tokens": 100}), OF_ANTHROPIC),
        (message(TEXT_A, usage=7), OF_ANTHROPIC),
    ],
)  # fmt: skip
def test_messages_of_anthropic(reply: dict[str, Any], completion: Completion | None) -> None:
    assert read("anthropic/m", reply) == completion


def candidate(*parts: Any, finish: Any = "STOP", **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": finish}], **more}


@pytest.mark.parametrize(
    ("reply", "completion"),
    [
        (candidate({"text": "A"}), OF_GOOGLE),
        (candidate({"text": "A"}, {"text": "B"}, "C", {"inlineData": {}}), replace(OF_GOOGLE, text="AB")),
        (candidate({"text": "x", "thought": True}, {"text": "A", "thought": False}), replace(OF_GOOGLE, thoughts="x")),
        (candidate({"text": "", "thought": True}, {"text": "A"}), OF_GOOGLE),
        (candidate({"text": "A"}, modelVersion="m-1"), replace(OF_GOOGLE, model="m-1")),
        (candidate({"text": "A"}, finish=None), replace(OF_GOOGLE, finish_reason=None)),
        (candidate({"text": "A"}, finish="MAX_TOKENS"), replace(OF_GOOGLE, finish_reason="MAX_TOKENS")),
        (candidate({"text": "A"}, finish="SAFETY"), replace(OF_GOOGLE, finish_reason="SAFETY", refusal="the provider withheld the answer: SAFETY")),
        ({"candidates": [{"finishReason": "SPII"}]}, Completion("", "SPII", refusal="the provider withheld the answer: SPII")),
        ({"candidates": [{"content": "A", "finishReason": "STOP"}]}, replace(OF_GOOGLE, text="")),
        ({"candidates": [{"content": {"parts": "A"}, "finishReason": "STOP"}]}, replace(OF_GOOGLE, text="")),
        ({"promptFeedback": {"blockReason": "OTHER"}}, Completion("", "OTHER", refusal="the provider withheld the answer: OTHER")),
        ({"promptFeedback": {"blockReason": "OTHER"}, "candidates": []}, Completion("", "OTHER", refusal="the provider withheld the answer: OTHER")),
        (candidate({"text": "A"}, promptFeedback={"blockReason": "OTHER"}), replace(OF_GOOGLE, refusal="the provider withheld the answer: OTHER")),
        (candidate({"text": "A"}, promptFeedback={"safetyRatings": []}), OF_GOOGLE),
        (candidate({"text": "A"}, promptFeedback="OTHER"), OF_GOOGLE),
        ({"promptFeedback": {"blockReason": None}}, None),
        ({"candidates": [{}]}, None),
        ({"candidates": ["A"]}, None),
        ({"candidates": {"0": "A"}}, None),
        ({}, None),
        (candidate({"text": "A"}, usageMetadata={"promptTokenCount": 3, "candidatesTokenCount": 2}), replace(OF_GOOGLE, input_tokens=3, output_tokens=2)),
        (
            candidate({"text": "A"}, usageMetadata={"candidatesTokenCount": 2, "thoughtsTokenCount": 40}),
            replace(OF_GOOGLE, output_tokens=42, reasoning_tokens=40),
        ),
        (candidate({"text": "A"}, usageMetadata={"thoughtsTokenCount": 40}), replace(OF_GOOGLE, output_tokens=40, reasoning_tokens=40)),
        (candidate({"text": "A"}, usageMetadata={"thoughtsTokenCount": 0}), replace(OF_GOOGLE, output_tokens=0, reasoning_tokens=0)),
        (candidate({"text": "A"}, usageMetadata={"candidatesTokenCount": 0}), replace(OF_GOOGLE, output_tokens=0)),
        (candidate({"text": "A"}, usageMetadata=[3]), OF_GOOGLE),
    ],
)  # fmt: skip
def test_candidates_of_google(reply: dict[str, Any], completion: Completion | None) -> None:
    assert read("google/m", reply) == completion


@pytest.mark.parametrize(
    ("status", "reply", "raw", "message", "retryable", "failed_with"),
    [
        (200, choice(finish="error"), b"", r"\(it ended it with error\)$", True, 200),
        (299, choice(finish="Insufficient_System_Resource"), b"", "ended it with Insufficient_System_Resource", True, 299),
        (200, {"choices": [{"error": {"code": 502, "message": "gone"}}]}, b"", 'the server says 502: "gone"$', True, 502),
        (200, {"choices": [{"error": {"code": 400, "message": "no"}}]}, b"", 'the server says 400: "no"$', False, 400),
        (200, {"error": {"code": 599, "message": "no"}}, b"", 'the server says 599: "no"$', True, 599),
        (200, {"error": {"code": 600, "message": "no"}}, b'{"error"', 'the reply is an error: {"error"$', True, 200),
        (200, {"error": {"code": 399, "message": "no"}}, b"{e}", "the reply is an error: {e}$", True, 200),
        (200, {"error": "no"}, b"{e}", "the reply is an error: {e}$", True, 200),
        (200, None, b"<html>\n", "the reply is not valid JSON: <html>$", True, 200),
        (200, [], b"[]", r"the reply is not a JSON object: \[\]$", True, 200),
        (200, {"choices": []}, b"", r"the reply has no answer in it: \(empty\)$", True, 200),
        (200, {"choices": []}, b"x" * 300, f"has no answer in it: {'x' * 199}…$", True, 200),
        (300, choice(), b"", "the server redirects to nowhere; give that address instead", False, 300),
        (199, choice(), b"", "the server says 199", False, 199),
    ],
)  # fmt: skip
def test_a_reply_without_an_answer_says_why(
    status: int, reply: Any, raw: bytes, message: str, retryable: bool, failed_with: int
) -> None:
    endpoint = open_name("http://localhost:1/v1#m")
    with pytest.raises(EndpointFailure, match=message) as failure:
        endpoint.completion(request(), status, {}, reply, raw)
    assert (failure.value.retryable, failure.value.status) == (retryable, failed_with)


VLLM = 'vllm:num_requests_waiting{model="m"} %s\n'


@pytest.mark.parametrize(
    ("pages", "first", "most"),
    [
        ({}, 2, 512),
        ({"/props": {"total_slots": 4}}, 4, 4),
        ({"/props": {"total_slots": 1}}, 1, 1),
        ({"/props": {"total_slots": 512}}, 512, 512),
        ({"/props": {"total_slots": 513}}, 2, 512),
        ({"/props": {"total_slots": 0}}, 2, 512),
        ({"/props": {"total_slots": "4"}}, 2, 512),
        ({"/props": [4]}, 2, 512),
        ({"/props": (404, {"total_slots": 4})}, 2, 512),
        ({"/props": b'{"total_slots": 4}'.ljust(2**20)}, 4, 4),
        ({"/props": b'{"total_slots": 4}'.ljust(2**20 + 1)}, 2, 512),
        ({"/metrics": (VLLM % "0.0").encode()}, 32, 512),
        ({"/metrics": ((VLLM % "0.0") + (VLLM % "0e+00")).encode()}, 32, 512),
        ({"/metrics": ((VLLM % "0.0") + (VLLM % "1.0")).encode()}, 2, 512),
        ({"/metrics": b"vllm:num_requests_waiting 0\n"}, 32, 512),
        ({"/metrics": b"# vllm:num_requests_waiting 0\n"}, 2, 512),
        ({"/metrics": (500, (VLLM % "0.0").encode())}, 2, 512),
        ({"/props": {"total_slots": 4}, "/metrics": (VLLM % "0.0").encode()}, 4, 4),
    ],
)
def test_how_many_requests_a_server_works_on_at_once(pages: dict[str, Any], first: int, most: int) -> None:
    async def run(concurrency: int) -> tuple[int, int, list[str]]:
        async with ScriptedServer(lambda received: pages.get(received.target, (404, {}))) as server:
            endpoint = open_name(f"{server.url}/v1#m")
            await endpoint.open(concurrency)
            await endpoint.open(concurrency)  # which looks no second time
            await endpoint.close()
            return (
                endpoint.first_concurrency,
                endpoint.default_concurrency,
                [one.target for one in server.requests],
            )

    props = pages.get("/props")
    is_read = isinstance(props, (dict, list)) or (isinstance(props, bytes) and len(props) <= 2**20)
    looked_at = ["/props"] if is_read else ["/props", "/metrics"]
    assert asyncio.run(run(2)) == (first, most, looked_at)
    assert asyncio.run(run(1)) == (2, 512, [])


def test_replies_without_a_name_are_called_by_what_they_are() -> None:
    """The same in every version, since runs that are stored have this name."""
    first, other = (RepliesEndpoint({"a": reply}, None, None) for reply in "AB")
    assert (first.name, first.identity) == ("python/replies-871afd6dfe82", "python:replies#871afd6dfe82")
    assert other.name != first.name
