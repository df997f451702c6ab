"""Everything that goes wrong at a real server, and what the endpoint makes of it."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from folkways.endpoints.base import EndpointFailure, EndpointOptions, Settings
from folkways.endpoints.registry import open_name
from tests.support.chat_faults import KINDS
from tests.support.endpoint_requests import request
from tests.support.fingerprints import check_text

RETRYABLE = [
    "408", "409", "429", "500", "502", "503", "529",
    "truncated", "cut", "drop", "garbage", "empty-choices", "wrong-type", "not-object", "error-in-200",
]  # fmt: skip


@pytest.mark.parametrize("kind", RETRYABLE)
def test_worth_another_try(fail, protocol, kind):
    failure = fail(protocol, request(f"[[fault:{kind}]]"))
    assert failure.retryable
    assert not failure.fatal
    assert failure.rate_limited == (kind in {"429", "529"})
    assert failure.status == (
        int(kind) if kind.isdigit() else None if kind in {"cut", "drop", "garbage"} else 200
    )


@pytest.mark.parametrize("kind", ["401", "402", "403", "404", "quota"])
def test_no_request_can_succeed(fail, protocol, kind):
    failure = fail(protocol, request(f"[[fault:{kind}]]"))
    assert failure.fatal
    assert not failure.retryable
    assert failure.status == (429 if kind == "quota" else int(kind))


@pytest.mark.parametrize("kind", ["400", "422"])
def test_one_bad_request_says_nothing_about_the_others(fail, protocol, kind):
    failure = fail(protocol, request(f"[[fault:{kind}]]"))
    assert not failure.fatal
    assert not failure.retryable


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("401", "OPENAI_API_KEY"),
        ("403", "OPENAI_API_KEY"),
        ("404", "has no model 'test-model'"),
        ("402", "no credit left"),
        ("quota", "no credit left"),
    ],
)
def test_fatal_failures_name_the_remedy(fail, kind, advice):
    assert advice in str(fail("openai", request(f"[[fault:{kind}]]")))


@pytest.mark.parametrize("status", ["400", "422"])
def test_a_refused_setting_is_named_with_its_value_and_the_way_out(fail, status):
    failure = fail("openai", request(f"[[fault:{status}+setting=temperature]]"))
    assert failure.fatal
    assert str(failure).startswith(
        'openai/test-model refuses the setting temperature=0 ("Unsupported value: '
    )
    assert "settings='temperature=none'" in str(failure)


def test_max_tokens_is_recognised_under_the_name_of_the_dialect(fail):
    failure = fail(
        "openai", request("[[fault:400+setting=max_completion_tokens]]", settings=Settings(max_tokens=4))
    )
    assert "refuses the setting max_tokens=4" in str(failure)


def test_a_setting_that_was_not_sent_cannot_have_been_refused(fail):
    failure = fail("openai", request("[[fault:400+setting=seed]]"))
    assert not failure.fatal


@pytest.mark.parametrize(
    ("fault", "low", "high"),
    [
        ("429+after=2", 2, 2),
        ("429+after=0", 0, 0),
        ("429+date=30", 28, 31),
        ("429+ms=250", 0.25, 0.25),
        ("429+reset=1m2s", 62, 62),
        ("429+after=999999999", 300, 300),
        ("429+after=-5", 0, 0),
        ("503+after=7", 7, 7),
    ],
)
def test_the_wait_that_the_server_asks_for(fail, protocol, fault, low, high):
    failure = fail(protocol, request(f"[[fault:{fault}]]"))
    assert failure.retry_after is not None
    assert low <= failure.retry_after <= high
    assert failure.rate_limited


@pytest.mark.parametrize("fault", ["429", "429+after=soon", "429+after=nan", "500+after=5"])
def test_no_wait_is_made_up(fail, fault):
    assert fail("openai", request(f"[[fault:{fault}]]")).retry_after is None


def test_a_stall_ends_at_the_timeout(fail, protocol):
    started = time.monotonic()
    failure = fail(protocol, request("[[fault:stall+seconds=20]]"), timeout=0.4)
    assert failure.retryable
    assert "no reply within 0.4 s" in str(failure)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("fault", ["big+megabytes=50", "big+megabytes=50+chunked=1", "bomb+megabytes=50"])
def test_fifty_megabytes_are_not_read(fail, chat_server, fault):
    import psutil

    process = psutil.Process()
    before = process.memory_info().rss
    failure = fail("openai", request(f"[[fault:{fault}]]"), timeout=60)
    assert "longer than 8 MiB" in str(failure)
    assert process.memory_info().rss - before < 30 * 1024 * 1024
    assert chat_server.stats()["total"]  # the server is still there


def test_the_limit_of_a_body_is_the_options(ask, fail):
    assert len(ask("openai", request("[[fault:big+megabytes=1]]"), max_body=2_000_000).text) == 1024 * 1024
    assert fail("openai", request("[[fault:big+megabytes=1]]"), max_body=1_000_000).retryable


def test_redirects_are_not_followed(fail):
    """The other host would be sent the key."""
    failure = fail("openai", request("[[fault:307]]"))
    assert failure.fatal
    assert "redirects to http://127.0.0.1:9/?key=[key]" in str(failure)


def test_nobody_listens():
    endpoint = open_name("http://127.0.0.1:9/v1#m", EndpointOptions(timeout=5))

    async def run() -> None:
        await endpoint.open(1)
        try:
            await endpoint.complete(request())
        finally:
            await endpoint.close()

    with pytest.raises(
        EndpointFailure, match=r"no connection to http://127\.0\.0\.1:9/v1: connection refused$"
    ) as caught:
        asyncio.run(run())
    assert caught.value.retryable


def test_a_request_can_be_cancelled_and_the_endpoint_asked_again(chat_server, monkeypatch):
    from tests.support.endpoint_requests import KEY

    monkeypatch.setenv("FOLKWAYS_API_KEY", KEY)
    monkeypatch.setenv("FOLKWAYS_API_KEY_HOSTS", "127.0.0.1")
    endpoint = open_name(f"{chat_server.url}/v1#test-model")

    async def run() -> str:
        await endpoint.open(1)
        stalled = asyncio.create_task(endpoint.complete(request("[[fault:stall+seconds=20]]")))
        await asyncio.sleep(0.1)
        stalled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stalled
        found = await endpoint.complete(request("and now?"))
        await endpoint.close()
        return found.text

    assert asyncio.run(run()) in {"A", "B", "C", "D"}


FAULTS = [
    *(kind for kind in KINDS if kind not in ("stall", "big", "bomb")), "stall+seconds=20", "big+megabytes=1",
    "400+setting=temperature", "400+setting=top_p", "400+setting=max_tokens", "429+after=2", "429+ms=250", "429+reset=1m2s",
    "500+after=5", "503+after=7",
]  # fmt: skip


def test_what_is_read_of_every_fault(ask, chat_server):
    """All fields of the completion or of the failure; what is usual is left out."""
    lines = []
    for fault in FAULTS:
        stalls = fault.startswith("stall")
        try:
            answer = ask(
                "openai", request(f"[[fault:{fault}]]"), timeout=0.2 if stalls else 20, max_body=1_000_000
            )
        except EndpointFailure as failure:
            answer = failure
        fields = asdict(answer)
        told = {
            name: fields[name]
            for name in fields
            if fields[name] not in (None, "") and fields[name] is not False
        }
        lines.append(f"{fault}: {json.dumps(told, ensure_ascii=True, default=str)}")
    aliases = {chat_server.url: "SERVER"}
    check_text("\n".join(lines) + "\n", Path(__file__).parent / "recorded" / "faults.txt", aliases)
