"""Error bodies in the layouts of providers that the test server does not play, and which setting they
complain about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from multidict import CIMultiDict

from folkways.endpoints.base import Completion, EndpointFailure, Settings
from folkways.endpoints.servers.address import Address
from folkways.endpoints.servers.failures import ServerError, outcome, read_error, refused_setting

ADDRESS = Address(
    "some/model",
    "some/model",
    "model",
    "https://host/v1",
    key_names=("SOME_KEY",),
    secrets=("abcdefgh12345678",),
)


def judge(status: int, body: Any, settings: Settings | None = None) -> Completion | EndpointFailure:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    payload = None if isinstance(body, bytes) else body
    return outcome(
        ADDRESS,
        status,
        CIMultiDict(),
        payload,
        raw,
        settings or Settings(max_tokens=100, reasoning_effort="low"),
    )


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
        (
            403,
            {
                "error": {
                    "code": 403,
                    "message": "flagged",
                    "metadata": {"reasons": ["violence"], "flagged_input": "x"},
                }
            },
        ),
    ],
)
def test_a_withheld_answer_may_come_as_an_error(status, body):
    found = judge(status, body)
    assert isinstance(found, Completion)
    assert found.refusal == body["error"]["message"]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            400,
            {
                "error": {
                    "code": 400,
                    "message": "API key not valid. Please pass a valid API key.",
                    "status": "INVALID_ARGUMENT",
                }
            },
        ),
        (
            400,
            {
                "error": {
                    "type": "invalid_request_error",
                    "message": "Your credit balance is too low to access the API",
                }
            },
        ),
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


def told(
    status: int, body: Any, headers: dict[str, str] | None = None, **settings: Any
) -> tuple[object, ...]:
    found = outcome(
        ADDRESS, status, CIMultiDict(headers or {}), body, orjson.dumps(body), Settings(**settings)
    )
    assert isinstance(found, EndpointFailure)
    assert found.status == status
    return found.fatal, found.retryable, found.rate_limited, found.retry_after


NOTHING = {"error": {"message": "no"}}
FATAL, AGAIN, NEITHER = (True, False, False, None), (False, True, False, None), (False, False, False, None)


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        *((status, {}, FATAL) for status in (300, 301, 399, 401, 402, 403, 404, 405)),
        *((status, {}, NEITHER) for status in (299, 400, 406, 413, 418, 422, 499)),
        *((status, {}, AGAIN) for status in (408, 409, 425, 500, 501, 502, 503, 504)),
        *((status, {}, (False, True, True, None)) for status in (429, 529)),
        *((status, {"Retry-After": "7"}, (False, True, True, 7.0)) for status in (429, 503, 529)),
        *((status, {"Retry-After": "7"}, AGAIN) for status in (408, 500, 502)),
    ],
)
def test_every_status_is_one_of_four_kinds(
    status: int, headers: dict[str, str], expected: tuple[object, ...]
) -> None:
    assert told(status, NOTHING, headers) == expected


@pytest.mark.parametrize(
    ("error", "fatal_with", "fatal_without", "words"),
    [
        ({"message": "insufficient_quota"}, (400, 403, 429), (409, 500), "no credit"),
        ({"message": "x", "code": "insufficient balance"}, (400, 403, 429), (409, 500), "no credit"),
        ({"message": "x", "type": "INSUFFICIENT_FUNDS"}, (400, 403, 429), (409, 500), "no credit"),
        ({"message": "x", "status": "insufficient credits"}, (400, 403, 429), (422,), "no credit"),
        ({"message": "API key not valid"}, (400,), (422, 500), "SOME_KEY"),
        ({"message": "x", "code": "invalid_api_key"}, (400,), (422, 429), "SOME_KEY"),
        ({"message": "x", "status": "API_KEY_INVALID"}, (400,), (422,), "SOME_KEY"),
    ],
)
def test_words_of_no_credit_and_of_a_wrong_key_count_beside_their_status(
    error: dict[str, str], fatal_with: tuple[int, ...], fatal_without: tuple[int, ...], words: str
) -> None:
    for status in (*fatal_with, *fatal_without):
        assert told(status, {"error": error})[0] is (status in fatal_with)
    for status in fatal_with:
        assert words in str(judge(status, {"error": error}))


@pytest.mark.parametrize(
    "code", ["content_filter", "content_policy_violation", "invalid_prompt", "ResponsibleAIPolicyViolation"]
)
def test_a_word_for_withholding_counts_beside_its_status(code: str) -> None:
    for status in (400, 403):
        found = judge(status, {"error": {"code": code, "message": "said abcdefgh12345678"}})
        assert found == Completion("", finish_reason="content_filter", refusal="said [key]")
    for status in (401, 422, 429, 500):
        assert isinstance(judge(status, {"error": {"code": code, "message": "no"}}), EndpointFailure)
    nameless = judge(400, {"error": {"code": code, "message": ""}})
    assert isinstance(nameless, Completion) and code in str(
        nameless.refusal
    )  # the whole object where it has no message


def test_flags_of_moderation_name_reasons() -> None:
    for metadata, kind in (
        ({"reasons": ["x"]}, Completion),
        ({"reasons": []}, EndpointFailure),
        ("reasons", EndpointFailure),
    ):
        assert isinstance(judge(403, {"error": {"message": "no", "metadata": metadata}}), kind)


def test_google_says_in_the_body_how_long_to_wait() -> None:
    details = [3, {"reason": "x"}, {"retryDelay": 5}, {"retryDelay": "27s"}, {"retryDelay": "9s"}]
    assert told(429, {"error": {"message": "slow", "details": details}}) == (False, True, True, 27.0)
    assert told(503, {"error": {"message": "slow", "details": "27s"}}) == AGAIN


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"error": {"message": "m", "code": 400, "type": "t", "status": "S", "param": "p"}},
            ServerError("m", "400", "t", "p", 400),
        ),
        ({"error": {"detail": ["m"], "code": "c", "status": "S"}}, ServerError("['m']", "c", "S")),
        ({"error": {"code": 0}, "message": "outside"}, ServerError("outside", status=0)),
        ({"error": {"code": 7}, "detail": "first", "message": "second"}, ServerError("first", "7", status=7)),
        ({"error": {"message": "", "detail": "d"}}, ServerError("d")),
        ({"error": {}}, ServerError("{}")),
        ([{"message": "m"}, {"message": "n"}], ServerError("m")),
        ({"message": ["x" * 5000]}, ServerError("['" + "x" * 4094)),
        (["text"], ServerError('["text"]')),
        ("x" * 5000, ServerError('"' + "x" * 4095)),
        ({"error": 3, "x": "x" * 5000}, ServerError(('{"error":3,"x":"' + "x" * 5000)[:4096])),
        (None, ServerError("null")),
    ],
)
def test_every_field_of_an_error_is_read_from_where_it_may_stand(body: Any, expected: ServerError) -> None:
    assert read_error(body, orjson.dumps(body)) == expected
    assert read_error(None, b"\xff") == ServerError("\ufffd")


WORDS = {
    "temperature": ("temperature",),
    "top_p": ("top_p", "topP"),
    "seed": ("seed", "random_seed"),
    "max_tokens": ("max_tokens", "max_completion_tokens", "maxOutputTokens", "max_output_tokens"),
    "reasoning_effort": (
        "reasoning_effort",
        "reasoning",
        "effort",
        "thinking",
        "thinkingConfig",
        "thinking_level",
        "budget_tokens",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_settings_are_known_by_every_word_for_them_unless_they_were_not_sent(name: str) -> None:
    every = Settings(0.5, 0.9, 3, 100, "low")
    for word in WORDS[name]:
        for error in (
            ServerError("no", param=word),
            ServerError(f"the '{word}' is odd"),
            ServerError(f"{word}: no"),
        ):
            assert refused_setting(error, every) == name
            assert refused_setting(error, replace(every, **{name: None})) is None
        assert refused_setting(ServerError(f"my{word}s"), every) is None
        assert refused_setting(ServerError(f"{word} exceeds the context window"), every) is None
        assert refused_setting(ServerError(f"{word}", code="context_length_exceeded"), every) is None


def test_a_refused_setting_is_named_with_its_value_and_the_one_that_is_often_refused_with_it() -> None:
    for name, other, value in (("temperature", "top_p", "0.5"), ("top_p", "temperature", "0.9")):
        body = {"error": {"message": f"{name} is odd"}}
        both = Settings(temperature=0.5, top_p=0.9)
        found = judge(422, body, both)
        assert isinstance(found, EndpointFailure)
        assert (found.status, found.fatal, found.retryable) == (422, True, False)
        assert f"refuses the setting {name}={value} (" in str(found)
        assert f"settings='{other}=none'" in str(found)
        assert f"settings='{other}=none'" not in str(judge(422, body, replace(both, **{other: None})))
    text = str(judge(400, {"error": {"message": "max_tokens is odd"}}))
    assert "max_tokens=100 (" in text and text.count("settings=") == 1


def test_a_reply_names_its_address_and_what_to_do() -> None:
    silent = str(outcome(ADDRESS, 500, CIMultiDict(), None, b"", Settings()))
    assert silent == 'some/model: the server says 500: "nothing"'
    assert "'model'" in str(judge(404, NOTHING)) and "https://host/v1" in str(judge(405, NOTHING))
    moved = str(
        outcome(
            ADDRESS, 308, CIMultiDict({"Location": "https://else?abcdefgh12345678"}), None, b"", Settings()
        )
    )
    assert "https://else?[key]" in moved
    assert "redirects to nowhere" in str(judge(302, NOTHING))
    keys = [
        replace(ADDRESS, key_hint="ask Ann"),
        replace(ADDRESS, key_names=()),
        replace(ADDRESS, key_names=("A", "B")),
    ]
    hinted, keyless, named = (
        str(outcome(address, 401, CIMultiDict(), NOTHING, b"", Settings())) for address in keys
    )
    assert hinted.endswith("\nask Ann")
    assert "wants a key" in keyless
    assert "A or B" in named and "'model'" in named
