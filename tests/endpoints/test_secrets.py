"""A key appears in no message, no representation, no traceback, no name and no identity."""

from __future__ import annotations

import asyncio
import pickle
import traceback
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import unquote

import pytest

from folkways.endpoints.base import EndpointFailure, EndpointOptions
from folkways.endpoints.batches import BatchResult
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.batches.base import HttpBatches
from folkways.endpoints.servers.providers import providers
from folkways.errors import FolkwaysError
from tests.support.chat_faults import KINDS
from tests.support.chat_server import ChatServer
from tests.support.endpoint_requests import KEY, request

SLOW = {"big", "bomb", "stall"}


def everything_said(error: BaseException) -> str:
    """Messages, representations and arguments of an exception and of all that it hangs on to."""
    said, todo = [], [error]
    while todo:
        one = todo.pop()
        said += [repr(one), str(one), repr(one.args), *traceback.format_exception(one)]
        said += [repr(value) for value in vars(one).values()]
        todo += [linked for linked in (one.__cause__, one.__context__) if linked is not None]
    return "\n".join(said)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - SLOW))
def test_no_fault_brings_the_key_to_light(ask, protocol, kind):
    try:
        said = repr(ask(protocol, request(f"[[fault:{kind}]]")))
    except Exception as error:  # noqa: BLE001 - whatever comes out must not hold the key
        said = everything_said(error)
    assert KEY not in said


def test_the_key_that_a_server_quotes_is_struck_out(fail, protocol):
    failure = fail(protocol, request("[[fault:401]]"))
    assert "Incorrect API key provided: [key]" in str(failure)


@pytest.mark.parametrize("timeout", [0.2])
def test_neither_does_a_timeout_or_a_lost_connection(fail, protocol, timeout):
    assert KEY not in everything_said(fail(protocol, request("[[fault:stall]]"), timeout=timeout))
    assert KEY not in everything_said(fail(protocol, request(), base_url="http://127.0.0.1:9"))


def test_names_identities_and_representations(monkeypatch):
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "FOLKWAYS_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", "example.org")
    for name in ("openai/m", "anthropic/m", "google/m", "https://example.org/v1#m"):
        endpoint = open_name(name, EndpointOptions(headers={"X-Team": "t"}))
        assert KEY not in f"{endpoint!r} {endpoint.name} {endpoint.identity} {endpoint.address!r}"


def test_what_stands_in_a_url_is_used_and_not_kept():
    with ChatServer(require_key=b64encode(b"me:" + KEY.encode()).decode()) as server:
        url = server.url.replace("http://", f"http://me:{KEY}@")
        endpoint = open_name(f"{url}/v1?token={KEY}#test-model")
        assert endpoint.name == endpoint.identity == f"{server.url}/v1#test-model"
        assert KEY not in f"{endpoint!r} {endpoint.address!r}"

        async def run() -> str:
            await endpoint.open(1)
            found = await endpoint.complete(request())
            try:
                await endpoint.complete(request("[[fault:401]]"))
            except Exception as error:  # noqa: BLE001
                assert KEY not in everything_said(error)
                assert b64encode(b"me:" + KEY.encode()).decode() not in everything_said(error)
            await endpoint.close()
            return found.text

        assert asyncio.run(run()) in {"A", "B", "C", "D"}
        assert server.stats()["last"]["path"] == f"/v1/chat/completions?token={KEY}"


QUERY = "sk%2Dtest%2B7f3Q9zLw0aKdE5"


@pytest.mark.parametrize(
    ("address", "said", "read"),
    [
        ("", f"A, and you sent Bearer {KEY}.", "A, and you sent Bearer [key]."),
        (f"?token={QUERY}", f"/v1?token={QUERY}", "/v1?token=[key]"),
        (f"?token={QUERY}", f"/v1?token={unquote(QUERY)}", "/v1?token=[key]"),
        ("?k=rice", "rice and more rice", "rice and more rice"),
        *(
            ("", f"You sent {encode((before + KEY).encode()).decode()}", "You sent ")
            for before in ("", "Bearer ", "user:", "me:")
            for encode in (b64encode, urlsafe_b64encode)
        ),
        ("?k=0b1e2c3d-aaaa-bbbb-cccc-123456789abc", "0b1e2c3d-aaaa-bbbb-cccc-123456789abc", "[key]"),
        ("?code=of-sixteen-letters", "of-sixteen-letters", "[key]"),
        ("?k=c2stdGVzdCs3ZjNRO", "c2stdGVzdCs3ZjNRO", "[key]"),
        ("?k=qwertyuiopasdfghjklzxcvb", "qwertyuiopasdfghjklzxcvb", "[key]"),
        *(
            (f"?{query}", f"of {query.partition('=')[2]}", f"of {query.partition('=')[2]}")
            for query in (
                "api-version=2024-12-01-preview",
                "model=llama-3.1-8b-instruct",
                "deployment=meta_llama_3_70b_instruct",
                "design=cultural-evaluations",
            )
        ),
    ],
)
def test_a_reply_that_repeats_the_key_is_kept_without_it(
    monkeypatch, address: str, said: str, read: str
) -> None:
    """Some gateways send back what they were sent; what a short key, as "EMPTY", says stays in the reply."""
    monkeypatch.setenv("FOLKWAYS_API_KEY", KEY)
    monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", "127.0.0.1")
    with ChatServer(mode=f"fixed:{said}") as server:
        found = said_by(f"{server.url}/v1{address}#test-model")
        if "You sent" in said:  # in base64 a few letters beside a key are of the text around it
            assert "[key]" in found and len(found.replace("[key]", "")) < len(read) + 20
        else:
            assert found == read


@pytest.mark.parametrize("quoted", [KEY, QUERY, unquote(QUERY)])
def test_a_provider_s_word_on_a_batch_is_quoted_without_the_key(monkeypatch, quoted: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = open_name("openai/m", EndpointOptions(base_url=f"http://127.0.0.1:9/v1?token={QUERY}"))
    with pytest.raises(EndpointFailure) as failure:
        HttpBatches(endpoint).read(request(), BatchResult("1", 0, {"error": f"no such key {quoted}"}))
    assert "no such key [key]" in str(failure.value)


@pytest.mark.parametrize(
    "url", [f"http://me:{KEY}@host:notaport/v1#m", f"http://me:{KEY}@/v1#m", f"http://me:{KEY}@[::1/v1#m"]
)
def test_a_broken_url_is_refused_without_being_quoted(url):
    with pytest.raises(FolkwaysError) as caught:
        open_name(url)
    assert KEY not in everything_said(caught.value)


def test_a_broken_key_is_refused_without_being_quoted(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\nX-Injected: yes")
    with pytest.raises(FolkwaysError, match="OPENAI_API_KEY") as caught:
        open_name("openai/m")
    assert KEY not in everything_said(caught.value)


def test_closed_endpoints_can_be_sent_to_another_process(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = pickle.loads(pickle.dumps(open_name("openai/m")))
    assert (endpoint.name, endpoint.identity) == ("openai/m", "openai/m")


def said_by(name: str, **options: object) -> str:
    """What an endpoint that needs a key answers, or why it does not."""
    endpoint = open_name(name, EndpointOptions(**options))

    async def run() -> str:
        await endpoint.open(1)
        try:
            return (await endpoint.complete(request())).text
        except EndpointFailure as failure:
            return str(failure)
        finally:
            await endpoint.close()

    return asyncio.run(run())


@pytest.mark.parametrize("hosts", ["", "example.org", "127.0.0.1:1", "127.0.0.1.example.org, localhost"])
def test_the_key_goes_to_no_host_that_was_not_named(chat_server, monkeypatch, hosts):
    monkeypatch.setenv("FOLKWAYS_API_KEY", KEY)
    monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", hosts)
    said = said_by(f"{chat_server.url}/v1#test-model")
    place = chat_server.url.removeprefix("http://")
    assert (
        "No key was sent: FOLKWAYS_API_KEY is for the hosts that FOLKWAYS_API_KEY_HOSTS names. If it is "
        f"for this one, add {place}" in said
    )
    assert KEY not in said


def test_the_key_goes_to_hosts_that_were_named_with_or_without_their_port(chat_server, monkeypatch):
    monkeypatch.setenv("FOLKWAYS_API_KEY", KEY)
    place = chat_server.url.removeprefix("http://")
    for hosts in (place, "127.0.0.1", f" EXAMPLE.org , {place}"):
        monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", hosts)
        assert said_by(f"{chat_server.url}/v1#test-model") in {"A", "B", "C", "D"}
    # Another address in place of the one that was written is another host.
    assert "No key was sent" in said_by(
        "http://127.0.0.2:1/v1#test-model", base_url=f"http://localhost:{place.partition(':')[2]}/v1"
    )


def test_a_server_that_wants_a_key_where_none_is_set_says_what_to_set(chat_server, monkeypatch):
    monkeypatch.delenv("FOLKWAYS_API_KEY", raising=False)
    said = said_by(f"{chat_server.url}/v1#test-model")
    assert (
        "if this server wants one, set FOLKWAYS_API_KEY to it and FOLKWAYS_API_KEY_HOSTS to 127.0.0.1:"
        in said
    )


def test_a_key_of_the_endpoint_alone_takes_the_place_of_the_usual_ones(chat_server, monkeypatch):
    monkeypatch.setenv("FOLKWAYS_API_KEY", "another-key-for-elsewhere")
    monkeypatch.setenv("OPENAI_API_KEY", "another-key-for-elsewhere")
    monkeypatch.setenv("KEY_OF_THE_LAB", KEY)
    address = f"{chat_server.url}/v1"
    assert said_by(f"{address}#test-model", key_env="KEY_OF_THE_LAB") in {"A", "B", "C", "D"}
    assert said_by("openai/test-model", base_url=address, key_env="KEY_OF_THE_LAB") in {"A", "B", "C", "D"}
    for name in (f"{address}#test-model", "openai/test-model"):
        with pytest.raises(FolkwaysError, match="needs a key: set the environment variable NOT_SET"):
            open_name(name, EndpointOptions(key_env="NOT_SET"))


@pytest.mark.parametrize(
    ("key_env", "hosts", "hint"),
    [
        (
            None,
            "",
            "No key was sent: FOLKWAYS_API_KEY is for the hosts that FOLKWAYS_API_KEY_HOSTS names. If it is "
            "for this one, add gpu.example:8000 to them",
        ),
        (None, "gpu.example", ""),
        ("KEY_OF_THE_LAB", "", ""),
        ("NOT_SET", "", ""),
    ],
)
def test_what_is_said_of_a_key_that_was_not_sent_depends_on_why(monkeypatch, key_env, hosts, hint):
    """A variable that somebody names for one endpoint has nothing to do with those of all others."""
    monkeypatch.setenv("FOLKWAYS_API_KEY", KEY)
    monkeypatch.setenv("VLLM_API_KEY", KEY)
    monkeypatch.setenv("KEY_OF_THE_LAB", KEY)
    monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", hosts)
    url = "http://gpu.example:8000/v1"
    options = EndpointOptions(key_env=key_env)
    address = open_name(f"{url}#m", options, need_key=False).address
    assert (address.key_hint, address.key_names) == (hint, (key_env or "FOLKWAYS_API_KEY",))
    address = open_name(f"vllm/m@{url}", options, need_key=False).address
    assert address.key_hint == hint.replace("FOLKWAYS_API_KEY ", "VLLM_API_KEY ")
    assert address.key_names == ((key_env,) if key_env else providers()["vllm"].key_env)


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://gpu.example/v1", {"gpu.example": True, "GPU.example:80 ": True, "gpu.example:443": False}),
        ("https://gpu.example/v1", {"gpu.example": True, "gpu.example:443": True, "gpu.example:80": False}),
        ("http://[::2]:8000/v1", {"::2": True, "[::2]": True, "[::2]:8000": True, "::2:8000": False}),
    ],
)
def test_a_host_is_named_with_the_port_of_its_scheme_and_with_or_without_brackets(monkeypatch, url, hosts):
    monkeypatch.setenv("FOLKWAYS_API_KEY", KEY)
    sent = {}
    for named in hosts:
        monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", f"example.org,{named}")
        sent[named] = open_name(f"{url}#m").address.secrets[:1] == (KEY,)
    assert sent == hosts


@pytest.mark.parametrize("wrong", ["sk two words", "sk-…", "sk-\x1b[m"])
def test_a_key_with_a_character_that_no_key_has_is_refused_without_being_quoted(monkeypatch, wrong):
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}{wrong}")
    with pytest.raises(FolkwaysError, match="the key in OPENAI_API_KEY holds a space or another") as caught:
        open_name("openai/m")
    assert KEY not in everything_said(caught.value)
