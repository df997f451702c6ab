"""Every byte that each provider gets, recorded: ``FOLKWAYS_RECORD=1`` records it anew
(tests/support/fingerprints.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from folkways.endpoints.base import NO_THINKING, Endpoint, EndpointFailure, EndpointOptions, Request, Settings
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.address import Address
from folkways.endpoints.servers.http import HttpEndpoint
from folkways.endpoints.servers.providers import providers
from folkways.errors import FolkwaysError
from tests.support.endpoint_requests import KEY, request
from tests.support.fingerprints import check_text
from tests.support.scripted_server import ReceivedRequest, ScriptedServer

RECORDED = Path(__file__).parent / "recorded"
MODEL = "family/model:1"

FOR_ALL = {
    "as they are": Settings(),
    "all left to the provider": Settings(None, None),
    "all set": Settings(0.5, 0.9, seed=7, max_tokens=12),
    "all 0": Settings(0.0, 0.0, seed=0, max_tokens=0),
    "a limit of 1": Settings(1.0, None, max_tokens=1),
    **{
        f"thinks {effort}": Settings(None, None, reasoning_effort=effort)
        for effort in (NO_THINKING, "high", "2000")
    },
}
FOR_THOSE_WITH_BUDGETS = {
    **{
        f"thinks {effort}, and a limit": Settings(None, None, max_tokens=10, reasoning_effort=effort)
        for effort in (NO_THINKING, "minimal", "low", "medium", "high", "1023", "1024")
    },
    "thinks low at temperature 1": Settings(1.0, 1.0, reasoning_effort="low"),
    "thinks low at temperature 0": Settings(0.0, 1.0, reasoning_effort="low"),
    "does not think, at temperature 0": Settings(0.0, 0.9, reasoning_effort=NO_THINKING),
}
REPLIES: dict[str, Any] = {
    "openai": {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]},
    "anthropic": {"content": [{"type": "text", "text": "A"}], "stop_reason": "end_turn"},
    "google": {"candidates": [{"content": {"parts": [{"text": "A"}]}, "finishReason": "STOP"}]},
}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in providers().values():
        for name in (*provider.key_env, *provider.base_url_env):
            monkeypatch.delenv(name, raising=False)
        for name in provider.key_env[:1]:
            monkeypatch.setenv(name, KEY)
    for name in ("FOLKWAYS_API_KEY", "FOLKWAYS_API_KEY_HOSTS", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def shown(received: ReceivedRequest, *, headers: bool = True) -> Iterator[str]:
    """A request in a few lines."""
    yield f"  {received.method} {received.target}"
    if headers:
        names = sorted(received.headers.keys() - {"host", "content-length"})
        yield from (f"    {name}: {received.headers[name]}" for name in names)
    if received.body:
        yield f"    {received.body.decode()}"


async def answer(endpoint: Endpoint, asked: Request) -> str:
    try:
        return (await endpoint.complete(asked)).text
    except EndpointFailure as failure:
        return f"{'fatal' if failure.fatal else 'not fatal'}: {failure}"


def script(received: ReceivedRequest) -> Any:
    """What a server of any protocol says."""
    if received.method == "GET":
        return {"data": [{"id": MODEL}]}
    kind = "anthropic" if "/messages" in received.target else "google" if ":" in received.target else "openai"
    return REPLIES[kind]


async def conversation(name: str, base: str, asked: Mapping[str, Request], **options: Any) -> list[str]:
    """What a server gets that is asked all of this, in words."""
    lines = [f"{name}   {base}"]
    async with ScriptedServer(script) as server:
        options["base_url"] = server.url + urlsplit(base).path
        endpoint = open_name(name, EndpointOptions(**options))
        await endpoint.open(1)
        with_headers = True
        for title, one in asked.items():
            text = await answer(endpoint, one)
            lines += [f" {title}", *([] if text == "A" else [f"  {text}"])]
            for received in server.requests:
                lines += shown(received, headers=with_headers)
            with_headers = False
            server.requests.clear()
        await endpoint.close()
    return lines


def test_what_each_provider_is_sent() -> None:
    for_all = {title: request("¿Qué?", settings=settings) for title, settings in FOR_ALL.items()}
    for_all["all set"] = replace(for_all["all set"], system="S")
    thinking = {title: request("?", settings=settings) for title, settings in FOR_THOSE_WITH_BUDGETS.items()}

    async def all_lines() -> list[str]:
        lines = []
        for provider in providers().values():
            lines += await conversation(f"{provider.name}/{MODEL}", provider.base_url, for_all)
        for name in (
            "anthropic/m",
            "google/gemini-1.5-pro",
            "google/gemini-2.5-flash",
            "google/gemini-3-pro",
        ):
            base = providers()[name.partition("/")[0]].base_url
            lines += await conversation(name, base, {"as it is": request("?", system="S"), **thinking})
        one = {"thinks low": request("?", settings=Settings(None, None, reasoning_effort="low"))}
        lines += await conversation("google/gemini-1.5-pro", base, one)
        return lines

    check_text("\n".join(asyncio.run(all_lines())) + "\n", RECORDED / "requests.txt", {KEY: "KEY"})


NAMED: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    *((f"{name}/{MODEL}", {}, {}) for name in providers()),
    ("http://h/v1#m", {}, {}),
    (" HTTPS://User:Pass%20word@Host:443/v1/?api-version=2&sig=12345678#org/m%201 ", {}, {}),
    ("http://:word@h:8080/v1#m", {}, {}),
    ("http://user@[::1]:80/v1#m", {}, {}),
    ("http://h/v1#m", {"base_url": "https://tunnel:9/v2/?k=1"}, {}),
    ("http://h/v1#m", {}, {"FOLKWAYS_API_KEY": "secret"}),
    ("http://h/v1#m", {}, {"FOLKWAYS_API_KEY": "secret", "FOLKWAYS_API_KEY_HOSTS": "other, H:80"}),
    ("http://h/v1#m", {}, {"FOLKWAYS_API_KEY": "secret", "FOLKWAYS_API_KEY_HOSTS": "h:443"}),
    ("https://[::1]/v1#m", {}, {"FOLKWAYS_API_KEY": "secret", "FOLKWAYS_API_KEY_HOSTS": "[::1]:443"}),
    ("http://h/v1#m", {"base_url": "http://x/v1"}, {"FOLKWAYS_API_KEY": "secret", "FOLKWAYS_API_KEY_HOSTS": "h"}),
    ("http://h/v1#m", {"key_env": "MINE"}, {"MINE": " secret ", "FOLKWAYS_API_KEY": "other"}),
    ("http://h/v1#m", {"key_env": "MINE"}, {"MINE": " "}),
    ("openai/m", {}, {"OPENAI_API_KEY": ""}),
    ("google/m", {}, {"GEMINI_API_KEY": "", "GOOGLE_API_KEY": "second"}),
    ("google/m", {}, {"GEMINI_API_KEY": "first", "GOOGLE_API_KEY": "second"}),
    ("google/m", {}, {"GEMINI_API_KEY": " "}),
    ("openai/m", {"key_env": "MINE"}, {"MINE": "secret"}),
    ("openai/m", {"key_env": "MINE"}, {}),
    ("openai/m", {}, {"OPENAI_API_KEY": "two words"}),
    ("openai/m", {}, {"OPENAI_API_KEY": "schl\u00fcssel"}),
    ("openai/m", {}, {"OPENAI_BASE_URL": "https://API.openai.com:443/v1/"}),
    ("openai/m", {}, {"OPENAI_BASE_URL": "https://eu.api.openai.com/v1?region=e"}),
    ("openai/m", {"base_url": "https://gate/v1"}, {"OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}),
    ("openai/m", {"base_url": "gate"}, {}),
    ("openai/m", {}, {"OPENAI_BASE_URL": "ftp://gate"}),
    ("openai/m@http://h/v1", {}, {}),
    ("openai/", {}, {}),
    ("ollama/m", {"key_env": "MINE"}, {}),
    ("ollama/m", {}, {"OLLAMA_HOST": "0.0.0.0"}),
    ("ollama/m", {}, {"OLLAMA_HOST": "https://box"}),
    ("ollama/m", {"base_url": "http://x:1/v1"}, {"OLLAMA_HOST": "box"}),
    ("ollama/m@http://h:1", {}, {"OLLAMA_HOST": "box"}),
    ("ollama/m@HTTP://h:1/", {}, {}),
    ("ollama/m@http://h:1/api/v1/", {}, {}),
    ("ollama/@http://h", {}, {}),
    ("ollama/m@http://h:none", {}, {}),
    ("vllm/m@http://far", {}, {}),
    ("vllm/m@http://far:8000", {}, {"FOLKWAYS_API_KEY_HOSTS": "far:8000"}),
    ("vllm/m@http://far:8001", {}, {"FOLKWAYS_API_KEY_HOSTS": "far:8000"}),
    ("vllm/m@http://127.0.0.1:8001/", {}, {}),
    ("vllm/m@http://far", {"key_env": "MINE"}, {"MINE": "secret"}),
    ("vllm/m", {}, {"VLLM_BASE_URL": "http://far:8000/v1"}),
    ("vllm/m", {}, {"VLLM_API_KEY": ""}),
]  # fmt: skip


def test_where_every_name_leads_and_with_which_key(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = []
    usual = asdict(Address("", "", "", ""))
    for name, options, variables in NAMED:
        words = " ".join(f"{variable}={value!r}" for variable, value in {**options, **variables}.items())
        lines.append(f"{name} {words}".rstrip())
        with monkeypatch.context() as patch:
            for variable, value in variables.items():
                patch.setenv(variable, value)
            try:
                endpoint = open_name(name, EndpointOptions(**options))
            except FolkwaysError as error:
                lines += [f"  {line}" for line in str(error).splitlines()]
                continue
        assert isinstance(endpoint, HttpEndpoint)
        assert (endpoint.name, endpoint.identity) == (endpoint.address.name, endpoint.address.identity)
        told = {field: value for field, value in asdict(endpoint.address).items() if value != usual[field]}

        told.pop("dialect", None)  # which the requests show
        if told["identity"] == told["name"]:
            del told["identity"]
        lines += [f"  {field}: {value}" for field, value in told.items()]
        lines.append(f"  at once: {endpoint.first_concurrency} to {endpoint.default_concurrency}")
    check_text("\n".join(lines) + "\n", RECORDED / "addresses.txt", {KEY: "KEY"})
