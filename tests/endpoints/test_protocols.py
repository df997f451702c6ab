"""What goes over the wire and what is read out of good replies, per protocol, against the real server
process."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from folkways.endpoints.base import NO_THINKING, EndpointFailure, EndpointOptions, Settings
from folkways.endpoints.registry import open_name
from folkways.engine.budget import worst_case
from folkways.errors import FolkwaysError
from tests.support.chat_layouts import THOUGHTS
from tests.support.chat_server import ChatServer
from tests.support.endpoint_requests import KEY, request


def last(server: ChatServer) -> tuple[str, str, dict[str, Any]]:
    seen = server.stats()["last"]
    return seen["path"], seen["head"].lower(), json.loads(seen["body"])


def test_a_good_reply_brings_text_tokens_and_model(ask, protocol):
    found = ask(protocol, request("Which letter?", system="Be brief."))
    assert found.text in {"A", "B", "C", "D"}
    assert found.refusal is None
    assert found.finish_reason in {"stop", "end_turn", "STOP"}
    assert found.model == "test-model"
    assert found.input_tokens == len("Which letter?Be brief.") // 4 + 1
    assert found.output_tokens == 1


def test_all_protocols_ask_the_same_question(ask):
    """The server's reply is a hash of model, system prompt and question, so equal replies mean equal
    questions."""
    for number in range(8):
        asked = request(f"Question {number}: 설날에 무엇을 먹습니까?", system="Answer with a letter.")
        assert len({ask(protocol, asked).text for protocol in ("openai", "anthropic", "google")}) == 1


def test_openai_layout(ask, chat_server):
    settings = Settings(temperature=0.5, top_p=0.9, seed=7, max_tokens=12, reasoning_effort="low")
    ask("openai", request("Q", system="S", settings=settings))
    path, head, body = last(chat_server)
    assert path == "/v1/chat/completions"
    assert f"authorization: bearer {KEY.lower()}" in head
    assert body == {
        "model": "test-model",
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_completion_tokens": 12,
        "reasoning_effort": "low",
    }


def test_settings_that_are_none_are_left_out(ask, chat_server):
    for protocol, left in (
        ("openai", {"model", "messages"}),
        ("anthropic", {"model", "messages", "max_tokens"}),
    ):
        ask(protocol, request(settings=Settings(temperature=None, top_p=None)))
        assert set(last(chat_server)[2]) == left
    assert last(chat_server)[2]["max_tokens"] == 4096  # which Anthropic's protocol requires
    ask("google", request(settings=Settings(temperature=None, top_p=None)))
    assert last(chat_server)[2]["generationConfig"] == {}


@pytest.mark.parametrize(
    ("provider", "settings", "fields"),
    [
        ("together", Settings(max_tokens=5, seed=3), {"max_tokens": 5, "seed": 3}),
        ("mistral", Settings(seed=3), {"random_seed": 3}),
        ("openrouter", Settings(reasoning_effort="high"), {"reasoning": {"effort": "high"}}),
        ("groq", Settings(reasoning_effort="high"), {"reasoning_effort": "high"}),
        ("groq", Settings(reasoning_effort=NO_THINKING), {"reasoning_effort": "none"}),
        ("openrouter", Settings(reasoning_effort="2000"), {"reasoning": {"max_tokens": 2000}}),
        ("openrouter", Settings(reasoning_effort=NO_THINKING), {"reasoning": {"effort": "none"}}),
    ],
)
def test_dialects_of_openai(chat_server, monkeypatch, provider, settings, fields):
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    endpoint = open_name(f"{provider}/a/b", EndpointOptions(base_url=f"{chat_server.url}/v1"))

    async def run() -> None:
        await endpoint.open(1)
        await endpoint.complete(request(settings=settings))
        await endpoint.close()

    asyncio.run(run())
    body = last(chat_server)[2]
    assert body["model"] == "a/b"
    assert {
        name: value
        for name, value in body.items()
        if name not in ("model", "messages", "temperature", "top_p")
    } == fields


def test_vllm_takes_a_number_of_tokens_to_think_with():
    endpoint = open_name("vllm/m", EndpointOptions(base_url="http://localhost:1/v1"))
    sent = endpoint.payload(request(settings=Settings(max_tokens=9, reasoning_effort="2000")))
    assert (sent["max_tokens"], sent["thinking_token_budget"], "reasoning_effort" in sent) == (9, 2000, False)


def test_anthropic_layout(ask, chat_server):
    ask("anthropic", request("Q", system="S", settings=Settings(max_tokens=12)))
    path, head, body = last(chat_server)
    assert path == "/v1/messages"
    assert f"x-api-key: {KEY.lower()}" in head
    assert "anthropic-version: 2023-06-01" in head
    assert body == {
        "model": "test-model",
        "max_tokens": 12,
        "messages": [{"role": "user", "content": "Q"}],
        "system": "S",
        "temperature": 0.0,
    }


@pytest.mark.parametrize(("effort", "budget"), [("low", 1024), ("high", 16384), ("3000", 3000)])
def test_anthropic_thinks_on_top_of_the_answer(ask, chat_server, effort, budget):
    ask("anthropic", request(settings=Settings(temperature=None, max_tokens=10, reasoning_effort=effort)))
    body = last(chat_server)[2]
    assert body["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert body["max_tokens"] == 10 + budget


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        ({"max_tokens": None}, 4096),
        ({"max_tokens": None, "reasoning_effort": "medium"}, 4096 + 4096),
        ({"max_tokens": None, "reasoning_effort": "high"}, 4096 + 16384),
        ({"max_tokens": 10, "reasoning_effort": "3000"}, 10 + 3000),
    ],
)
def test_anthropic_lets_a_reply_have_no_more_tokens_than_a_budget_sets_aside(settings, most):
    endpoint = open_name("anthropic/m", EndpointOptions(base_url="http://localhost:1"), need_key=False)
    asked = request("", settings=Settings(temperature=None, **settings))
    assert endpoint.payload(asked)["max_tokens"] == most <= worst_case(asked, None).tokens


def test_anthropic_does_not_think_where_it_is_told_not_to(ask, chat_server):
    ask("anthropic", request(settings=Settings(max_tokens=10, reasoning_effort=NO_THINKING)))
    body = last(chat_server)[2]
    assert "thinking" not in body
    assert (body["max_tokens"], body["temperature"]) == (10, 0.0)


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("gemini-2.5-flash", "low", {"thinkingBudget": 1024, "includeThoughts": True}),
        ("gemini-2.5-flash", "3000", {"thinkingBudget": 3000, "includeThoughts": True}),
        ("gemini-2.5-flash", NO_THINKING, {"thinkingBudget": 0}),
        ("gemini-3-flash", "minimal", {"thinkingLevel": "minimal", "includeThoughts": True}),
        ("gemini-3-flash", "3000", {"thinkingBudget": 3000, "includeThoughts": True}),
    ],
)
def test_google_is_told_how_much_to_think_and_asked_for_the_thoughts(model, effort, sent):
    endpoint = open_name(f"google/{model}", EndpointOptions(base_url="http://localhost:1"), need_key=False)
    assert (
        endpoint.payload(request(settings=Settings(reasoning_effort=effort)))["generationConfig"][
            "thinkingConfig"
        ]
        == sent
    )


@pytest.mark.parametrize(
    ("name", "effort", "told"),
    [
        ("google/gemini-2.5-flash", "extreme", "or a number of tokens"),
        ("google/gemini-3-pro", NO_THINKING, "always thinks"),
        ("openai/gpt-5", "2000", "takes no number of tokens to think with, but a word"),
    ],
)
def test_an_effort_that_a_model_has_not_is_refused_with_what_is_valid(name, effort, told):
    endpoint = open_name(name, EndpointOptions(base_url="http://localhost:1"), need_key=False)
    with pytest.raises(EndpointFailure, match=told) as failure:
        endpoint.payload(request(settings=Settings(reasoning_effort=effort)))
    assert failure.value.fatal
    assert "settings='reasoning_effort=none'" in str(failure.value)


def test_google_layout(ask, chat_server):
    settings = Settings(seed=7, max_tokens=12, reasoning_effort="low")
    ask("google", request("Q", system="S", settings=settings))
    path, head, body = last(chat_server)
    assert path == "/v1beta/models/test-model:generateContent"
    assert f"x-goog-api-key: {KEY.lower()}" in head
    assert KEY not in path
    assert body == {
        "contents": [{"role": "user", "parts": [{"text": "Q"}]}],
        "systemInstruction": {"parts": [{"text": "S"}]},
        "generationConfig": {
            "temperature": 0.0,
            "topP": 1.0,
            "seed": 7,
            "maxOutputTokens": 12,
            "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True},
        },
    }


@pytest.mark.parametrize(
    ("protocol", "settings", "setting"),
    [
        ("anthropic", Settings(seed=1), "seed"),
        ("anthropic", Settings(reasoning_effort="extreme"), "reasoning_effort"),
        ("anthropic", Settings(reasoning_effort="1023"), "reasoning_effort"),
        ("anthropic", Settings(temperature=0.0, reasoning_effort="low"), "temperature"),
    ],
)
def test_a_setting_that_the_protocol_lacks_is_fatal_before_anything_is_sent(
    fail, chat_server, protocol, settings, setting
):
    before = chat_server.stats()["total"]
    failure = fail(protocol, request(settings=settings))
    assert failure.fatal
    assert f"settings='{setting}=none'" in str(failure)
    assert chat_server.stats()["total"] == before


def test_a_provider_without_a_setting_says_so(chat_server, monkeypatch):
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)
    endpoint = open_name("deepseek/deepseek-chat", EndpointOptions(base_url=f"{chat_server.url}/v1"))

    async def run() -> None:
        await endpoint.open(1)
        try:
            await endpoint.complete(request(settings=Settings(seed=1)))
        finally:
            await endpoint.close()

    with pytest.raises(Exception, match=r"deepseek/deepseek-chat has no setting seed.*settings='seed=none'"):
        asyncio.run(run())


@pytest.mark.parametrize("kind", ["filter", "refusal"])
def test_a_withheld_answer_is_a_refusal_and_no_failure(ask, protocol, kind):
    found = ask(protocol, request(f"[[fault:{kind}]]"))
    assert found.refusal
    assert found.text == ""


@pytest.mark.parametrize("kind", ["parts", "json-as-text", "length", "no-usage"])
def test_unusual_but_good_replies_are_read(ask, protocol, kind):
    found = ask(protocol, request(f"[[fault:{kind}]]"))
    assert found.text in {"A", "B", "C", "D"}
    if kind == "length":
        assert found.finish_reason in {"length", "max_tokens", "MAX_TOKENS"}
    assert (found.input_tokens is None) == (kind == "no-usage")


@pytest.mark.parametrize("kind", ["thinks", "spent", "parts"])
def test_thoughts_stand_apart_from_the_text(ask, protocol, kind):
    found = ask(protocol, request(f"[[fault:{kind}]]"))
    assert found.text in ({""} if kind == "spent" else {"A", "B", "C", "D"})
    assert found.thoughts == ({"openai": None}.get(protocol, "hm") if kind == "parts" else THOUGHTS)
    assert (found.finish_reason in {"length", "max_tokens", "MAX_TOKENS"}) == (kind == "spent")
    assert found.refusal is None


@pytest.mark.parametrize(
    "message",
    [
        {"content": "A", "reasoning_content": "hm"},
        {"content": "A", "reasoning": "hm"},
        {"content": "A", "reasoning": "hm", "reasoning_content": "hm"},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "A"},
            ]
        },
    ],
)
def test_servers_of_chat_completions_name_thoughts_in_many_ways(message):
    endpoint = open_name("http://localhost:1/v1#m", EndpointOptions())
    found = endpoint.read({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert (found.text, found.thoughts) == ("A", "hm")


@pytest.mark.parametrize("thoughts", [None, "", 7, [], {"summary": "hm"}])
def test_thoughts_of_no_known_form_are_none(thoughts):
    endpoint = open_name("http://localhost:1/v1#m", EndpointOptions())
    found = endpoint.read({"choices": [{"message": {"content": "A", "reasoning": thoughts}}]})
    assert (found.text, found.thoughts) == ("A", None)


def test_null_text_is_empty_text(ask, protocol):
    found = ask(protocol, request("[[fault:null-text]]"))
    assert (found.text, found.refusal) == ("", None)


@pytest.mark.parametrize("kind", ["rubbish", "bad-utf8"])
def test_rubbish_can_be_stored(ask, protocol, kind):
    found = ask(protocol, request(f"[[fault:{kind}]]"))
    assert found.text.startswith("A ")
    assert "\ufffd" in found.text
    assert "\0" not in found.text
    found.text.encode("utf-8")


def test_a_prompt_with_a_lone_surrogate_is_sent_all_the_same(ask, protocol):
    assert ask(protocol, request("broken \ud800 text")).text in {"A", "B", "C", "D"}


def test_one_pool_serves_many_requests(chat_server, monkeypatch):
    monkeypatch.setenv("FOLKWAYS_API_KEY", KEY)
    monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", "127.0.0.1")
    chat_server.control(forget=True)
    endpoint = open_name(f"{chat_server.url}/v1#test-model")

    async def run() -> list[str]:
        await endpoint.open(8)
        found = await asyncio.gather(
            *(endpoint.complete(request(f"Question {number}")) for number in range(400))
        )
        await endpoint.close()
        await endpoint.close()
        return [completion.text for completion in found]

    texts = asyncio.run(run())
    assert len(texts) == 400
    assert set(texts) == {"A", "B", "C", "D"}
    stats = chat_server.stats()
    assert (
        stats["connections"] <= 8 + 3
    )  # the pool, two looks at what the server tells of itself, and a control call of this test
    assert (stats["total"], stats["asked_again"]) == (400, 0)


def test_asking_an_endpoint_that_is_not_open_is_a_clear_error():
    endpoint = open_name("http://localhost:1/v1#m")
    with pytest.raises(FolkwaysError, match="before it was opened"):
        asyncio.run(endpoint.complete(request()))
