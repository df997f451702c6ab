"""``ollama/``, ``vllm/``, ``lmstudio/``, ``llamacpp/``: the server is found, or what is wrong is said before
anything is asked."""

from __future__ import annotations

import asyncio
import socket

import pytest

from folkways.endpoints.base import LOGLIK, Completion, EndpointFailure, EndpointOptions, Request, Settings
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.providers import providers
from folkways.errors import FolkwaysError
from tests.support.endpoint_requests import KEY, request
from tests.support.gguf_file import real_model, served
from tests.support.model_server import ModelServer

LOCAL = ("ollama", "vllm", "lmstudio", "llamacpp")
LISTED = {
    "ollama": "qwen3:latest",
    "vllm": "org/qwen3",
    "lmstudio": "qwen3-4b",
    "llamacpp": "/models/qwen3.Q4.gguf",
}
CALLED = {"ollama": "qwen3", "vllm": "org/qwen3", "lmstudio": "qwen3-4b", "llamacpp": "qwen3.Q4"}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for kind in LOCAL:
        for name in (*providers()[kind].key_env, *providers()[kind].base_url_env, "FOLKWAYS_API_KEY_HOSTS"):
            monkeypatch.delenv(name, raising=False)


def ask(name: str, options: EndpointOptions | None = None, asked: Request | None = None) -> Completion:
    endpoint = open_name(name, options)

    async def run() -> Completion:
        await endpoint.open(1)
        try:
            return await endpoint.complete(asked or request())
        finally:
            await endpoint.close()

    return asyncio.run(run())


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.parametrize("kind", LOCAL)
def test_a_model_that_the_server_has_answers(kind):
    with ModelServer(kind, LISTED[kind]) as server:
        for address in (
            f"{server.url}/v1",
            f"{server.url}/v1/",
            server.url,
            server.url.replace("http", "HTTP"),
        ):
            assert ask(f"{kind}/{CALLED[kind]}@{address}").text == "B"
        assert ask(f"{kind}/{LISTED[kind]}@{server.url}").text == "B"


@pytest.mark.parametrize("kind", LOCAL)
def test_the_usual_variable_says_where_it_is(kind, monkeypatch):
    with ModelServer(kind, LISTED[kind]) as server:
        variable = providers()[kind].base_url_env[0]
        monkeypatch.setenv(
            variable, server.url.removeprefix("http://") if kind == "ollama" else f"{server.url}/v1"
        )
        assert ask(f"{kind}/{CALLED[kind]}").text == "B"


@pytest.mark.parametrize("kind", LOCAL)
def test_an_unknown_model_is_told_with_those_there_are(kind):
    models = (LISTED[kind], "second", *(f"m{number}" for number in range(30)))
    with ModelServer(kind, *models) as server, pytest.raises(FolkwaysError) as caught:
        ask(f"{kind}/unheard-of@{server.url}")
    told = str(caught.value)
    assert f"has no model 'unheard-of'; it has {LISTED[kind]}, second, m0" in told
    assert "m17 and 12 more" in told
    assert "unheard-of" in told.rpartition("Get it there: ")[2]


def test_a_server_without_models():
    with (
        ModelServer("ollama") as server,
        pytest.raises(FolkwaysError, match=r"it has none yet\nGet it there: ollama pull a"),
    ):
        ask(f"ollama/a@{server.url}")


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("ollama", "ollama serve"),
        ("vllm", "vllm serve a/b"),
        ("lmstudio", "lms server start"),
        ("llamacpp", "llama-server -m FILE.gguf"),
    ],
)
def test_where_no_server_answers_the_line_that_starts_it_is_said(kind, line):
    with pytest.raises(FolkwaysError) as caught:
        ask(f"{kind}/a/b@http://127.0.0.1:{closed_port()}")
    assert f"Start it there: {line}\n" in str(caught.value)
    assert f"{kind}/a/b@http://HOST:PORT/v1" in str(caught.value)


@pytest.mark.parametrize("kind", LOCAL)
def test_the_address_is_no_part_of_the_model(kind):
    here, there = (open_name(f"{kind}/org/m@http://node{number}:8000/v1") for number in (1, 2))
    assert here.identity == there.identity == open_name(f"{kind}/org/m").identity == f"{kind}/org/m"
    assert here.name == f"{kind}/org/m"


def test_the_address_in_the_name_wins_and_is_checked(monkeypatch):
    monkeypatch.setenv("VLLM_BASE_URL", "http://elsewhere:1/v1")
    assert (
        open_name("vllm/m@http://here:2/v1", EndpointOptions(base_url="http://third:3/v1")).address.base_url
        == "http://here:2/v1"
    )
    with pytest.raises(FolkwaysError, match="the address behind @"):
        open_name("vllm/m@http://:x/v1")
    with pytest.raises(FolkwaysError, match="names no model"):
        open_name("vllm/@http://here:2/v1")


def test_a_key_goes_to_this_machine_and_to_hosts_that_are_named(monkeypatch):
    monkeypatch.setenv("VLLM_API_KEY", KEY)
    with ModelServer("vllm", "m", key=KEY) as server:
        assert ask(f"vllm/m@{server.url}").text == "B"
    assert open_name("vllm/m@http://127.evil.example:8000/v1").address.secrets == ()
    assert open_name("vllm/m@http://gpu.example:8000/v1").address.secrets == ()
    assert "add gpu.example:8000" in open_name("vllm/m@http://gpu.example:8000/v1").address.key_hint
    monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", "gpu.example:8000")
    assert open_name("vllm/m@http://gpu.example:8000/v1").address.secrets[:1] == (KEY,)
    assert open_name("vllm/m@http://gpu.example:8001/v1").address.secrets == ()


def test_a_server_that_wants_a_key_says_so_when_it_is_asked():
    with ModelServer("vllm", "m", key=KEY) as server, pytest.raises(EndpointFailure) as caught:
        ask(f"vllm/m@{server.url}")
    assert caught.value.fatal
    assert "VLLM_API_KEY" in str(caught.value)


def test_a_real_llama_cpp():
    model = real_model()
    with served(model) as url:
        assert ask(f"llamacpp/{model.stem}@{url}").text.strip()
        read = request(settings=Settings(temperature=None, top_p=None, read=LOGLIK), choices=("Yes", "No"))
        assert ask(f"llamacpp/{model.stem}@{url}", asked=read).text in ("Yes", "No")
        with pytest.raises(FolkwaysError, match=rf"has no model 'other'; it has .*{model.name}"):
            ask(f"llamacpp/other@{url}")


@pytest.mark.parametrize("kind", ["ollama", "vllm", "lmstudio"])
def test_a_server_that_tells_no_likelihoods_is_not_asked_for_them(kind):
    read = request(settings=Settings(temperature=None, top_p=None, read=LOGLIK), choices=("A", "B"))
    with (
        ModelServer(kind, LISTED[kind]) as server,
        pytest.raises(EndpointFailure, match="tells no likelihoods") as caught,
    ):
        ask(f"{kind}/{CALLED[kind]}@{server.url}", asked=read)
    assert caught.value.fatal
