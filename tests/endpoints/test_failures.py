"""Error bodies in the layouts of providers that the test server does not play, and which setting they complain about."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from multidict import CIMultiDict

from folkways.endpoints.address import Address
from folkways.endpoints.base import Completion, EndpointFailure, Settings
from folkways.endpoints.failures import outcome, read_error, refused_setting

ADDRESS = Address("some/model", "some/model", "model", "https://host/v1", key_names=("SOME_KEY",), secrets=("abcdefgh12345678",))


def judge(status: int, body: Any, settings: Settings | None = None) -> Completion | EndpointFailure:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    payload = None if isinstance(body, bytes) else body
    return outcome(ADDRESS, status, CIMultiDict(), payload, raw, settings or Settings(max_tokens=100, reasoning_effort="low"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "m", "type": "t"}}, "m"),
        ({"type": "error", "error": {"type": "t", "message": "m"}}, "m"),
        ([{"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}], "m"),
        ({"error": "m"}, "m"),
        ({"detail": "m"}, "m"),
        ({"object": "error", "message": "m", "code": 400}, "m"),
        ({"error": {"code": 1}, "detail": "m"}, "m"),
        ({"error": 3}, '{"error":3}'),
        ([], "[]"),
    ],
)
def test_layouts_of_errors(body, message):
    assert read_error(body, orjson.dumps(body)).message == message


def test_a_page_that_is_no_json_is_quoted_in_one_line():
    found = judge(500, b"<html>\n\x1b[31m<h1>abcdefgh12345678</h1>" + b"x" * 5000)
    assert isinstance(found, EndpointFailure)
    assert "<html> [31m<h1>[key]</h1>xxx" in str(found)
    assert len(str(found)) < 400


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"code": "content_filter", "message": "triggered the content policy"}}),
        (400, {"error": {"code": "content_policy_violation", "message": "no"}}),
        (400, {"error": {"code": "invalid_prompt", "message": "flagged"}}),
        (403, {"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["violence"], "flagged_input": "x"}}}),
    ],
)
def test_a_withheld_answer_may_come_as_an_error(status, body):
    found = judge(status, body)
    assert isinstance(found, Completion)
    assert found.refusal == body["error"]["message"]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}),
        (400, {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API"}}),
        (429, {"error": {"code": "insufficient_quota", "message": "check your plan"}}),
        (429, {"error": {"type": "insufficient_quota", "message": "check your plan"}}),
        (404, {"detail": "Not Found"}),
        (401, b""),
    ],
)
def test_fatal(status, body):
    found = judge(status, body)
    assert isinstance(found, EndpointFailure)
    assert found.fatal


@pytest.mark.parametrize(
    ("message", "param", "setting"),
    [
        ("Unsupported value: 'temperature' does not support 0.0 with this model.", "", "temperature"),
        ("Unsupported parameter: 'max_tokens' is not supported with this model.", "max_tokens", "max_tokens"),
        ("`temperature` and `top_p` cannot both be specified for this model.", "", "temperature"),
        ("no", "top_p", "top_p"),
        ("generation_config.thinking_config: not supported", "", "reasoning_effort"),
        ("Unrecognized request argument supplied: reasoning_effort", "", "reasoning_effort"),
        ("Thinking level is not supported: thinkingLevel", "", "reasoning_effort"),
        ("seed: extra fields not permitted", "", None),  # no seed was sent
        ("maximum context length is 4096 tokens; reduce max_tokens or the prompt", "", None),
        ("prompt is too long: 300000 tokens", "", None),
        ("the room temperatures differ", "", None),
        ("invalid image", "", None),
    ],
)
def test_which_setting_is_refused(message, param, setting):
    body = {"error": {"message": message, "param": param}}
    settings = Settings(max_tokens=100, reasoning_effort="low")
    assert refused_setting(read_error(body, b""), settings) == setting
    found = judge(400, body)
    assert isinstance(found, EndpointFailure)
    assert found.fatal == (setting is not None)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529])
def test_retryable(status):
    found = judge(status, {"error": {"message": "later"}})
    assert isinstance(found, EndpointFailure)
    assert found.retryable
    assert not found.fatal


@pytest.mark.parametrize("status", [400, 413, 415, 418, 422, 451])
def test_neither_retryable_nor_fatal(status):
    found = judge(status, {"error": {"message": "no"}})
    assert isinstance(found, EndpointFailure)
    assert not found.retryable
    assert not found.fatal
