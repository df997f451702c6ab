"""What the batch interfaces send, recorded, and what they read of replies."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from folkways.endpoints.base import EndpointFailure, EndpointOptions, Settings
from folkways.endpoints.batches import Batches, BatchResult, BatchStatus, UndecidedBatch
from folkways.endpoints.registry import open_name
from tests.support.endpoint_requests import KEY, request
from tests.support.fingerprints import check_text
from tests.support.scripted_server import ReceivedRequest, ScriptedServer

RECORDED = Path(__file__).parent / "recorded"
VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY"}
VERSIONS = {"openai": "/v1", "anthropic": "", "google": "/v1beta"}
ASKED = [
    request("¿Qué?", key="k1", settings=Settings(0.5, None, max_tokens=7)),
    request("Why?", key="k2", system="S", settings=Settings(None, None)),
]
NOW = 1_700_000_000.0
HOUR = 3600


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES.values():
        monkeypatch.setenv(name, KEY)


def call(
    provider: str, replies: Sequence[Any], use: Callable[[Batches], Awaitable[Any]], query: str = ""
) -> tuple[Any, list[ReceivedRequest]]:
    """What a use of batches brings where the server answers with these replies, one after the other, and what
    it got."""
    left = iter(replies)

    async def run() -> tuple[Any, list[ReceivedRequest]]:
        async with ScriptedServer(lambda _: next(left)) as server:
            options = EndpointOptions(
                base_url=server.url + VERSIONS[provider] + query, headers={"X-Team": "folk"}
            )
            batches = open_name(f"{provider}/m", options).batches
            assert batches is not None
            result = await use(batches)
            assert next(left, "nothing") == "nothing"
            return result, server.requests

    return asyncio.run(run())


async def results_of(batches: Batches, number: str) -> list[BatchResult]:
    return [result async for result in batches.results(number)]


def found(
    provider: str, pages: Sequence[Any], known: Sequence[str] = ()
) -> tuple[Any, list[ReceivedRequest]]:
    return call(provider, pages, lambda batches: batches.find("n", {"k1", "k2"}, NOW, known))


OPENAI_FILES = [
    {"id": "b/1", "output_file_id": "f/out", "error_file_id": "f-err"},
    b'{"custom_id": "k1", "response": {"status_code": 200, "body": {"a": 1}}}\n',
    b'{"custom_id": "k2", "response": null, "error": {"code": "expired"}}',
]
ANTHROPIC_LINES = (
    b'{"custom_id": "k1", "result": {"type": "succeeded", "message": {"a": 1}}}\n\n'
    b'no JSON\n[]\n{"custom_id": 1, "result": {}}\n{"custom_id": "k3"}\n'
    b'{"custom_id": "k2", "result": {"type": "expired"}}\n'
)
GOOGLE_BATCH = {
    "done": True,
    "response": {
        "inlinedResponses": {
            "inlinedResponses": [
                {"metadata": {"key": "k1"}, "response": {"a": 1}},
                {"metadata": {"key": "k2"}, "error": {"code": 4}},
                {"metadata": {"key": 3}, "response": {}},
                {"metadata": "none", "response": {}},
                "no row",
            ]
        }
    },
}
GOOD = {"k1": BatchResult("k1", 200, {"a": 1})}


def test_what_a_batch_sends() -> None:
    """Handing it in, finding it on a second page, looking at it and fetching it."""
    lines = []
    far = {"metadata": {}, "created_at": NOW, "status": "completed"}
    replies = {
        "openai": [
            {"id": "f1"},
            {"id": "b1"},
            {"data": [{"id": "b/0", **far}], "has_more": True},
            {"data": [{"id": "b1", **far, "metadata": {"folkways": "name"}}]},
            {"status": "completed"},
            *OPENAI_FILES,
        ],
        "anthropic": [
            {"id": "b1"},
            {"data": [{"id": "b/0"}], "has_more": True},
            {"data": [{"id": "b1", "request_counts": {"succeeded": 2}, "processing_status": "ended"}]},
            ANTHROPIC_LINES,
            {"processing_status": "ended"},
            ANTHROPIC_LINES,
        ],
        "google": [
            {"name": "batches/b1"},
            {"operations": [], "nextPageToken": "p/2"},
            {"operations": [{"name": "batches/b1", "metadata": {"displayName": "name"}}]},
            {"done": True},
            GOOGLE_BATCH,
        ],
    }

    async def use(batches: Batches) -> Any:
        number = await batches.send("name", [batches.line(one) for one in ASKED])
        assert await batches.find("name", {"k1", "k2"}, NOW, ()) == number
        assert await batches.look(number) == BatchStatus(ended=True)
        assert (await results_of(batches, number))[0] == GOOD["k1"]
        return (
            batches.sent_message("name", number, 12_000),
            batches.most_requests,
            batches.most_bytes,
            batches.waits,
        )

    for provider in VARIABLES:
        told, requests = call(provider, replies[provider], use, query="?part=a")
        lines.append(f"{provider}   {told}")
        before: list[str] = []
        for received in requests:
            lines.append(f" {received.method} {received.target}")
            names = sorted(received.headers.keys() - {"host", "content-length"})
            headers = [f"  {name}: {received.headers[name]}" for name in names]
            lines += headers if headers != before else ["  with the same headers"]
            before = headers
            lines += [f"  {line}" for line in received.body.decode().splitlines()]
    text = re.sub(r"\b[0-9a-f]{32}\b", "BOUNDARY", "\n".join(lines) + "\n")
    check_text(text, RECORDED / "batches.txt", {KEY: "KEY"})


def of_openai(
    number: str = "b", name: str = "n", status: str = "completed", at: float = NOW
) -> dict[str, Any]:
    return {"id": number, "metadata": {"folkways": name}, "status": status, "created_at": at}


@pytest.mark.parametrize(
    ("pages", "number"),
    [
        ([{"data": [of_openai("b1", "other"), of_openai("b2"), of_openai("b3")]}], "b2"),
        ([{"data": [of_openai("b1", status="failed")], "has_more": False}], None),
        ([{"data": [of_openai("b1", "other")], "has_more": True}, {"data": [of_openai("b2")]}], "b2"),
        ([{"data": [of_openai("b1", "other", at=NOW - HOUR)], "has_more": True}, {"data": [of_openai("b2")]}], "b2"),
        ([{"data": [of_openai("b1", "other", at=NOW - HOUR - 1)], "has_more": True}], None),
        ([{"data": [{"id": "b1", "created_at": "today"}], "has_more": True}], None),
        ([{"data": [], "has_more": True}], None),
        ([{"data": ["no row", {"metadata": "none"}, of_openai("b2")]}], "b2"),
        ([{"data": "none", "has_more": True}], None),
        ([{}], None),
    ],
)  # fmt: skip
def test_openai_finds_a_batch_by_its_label_back_to_an_hour_before(
    pages: list[Any], number: str | None
) -> None:
    assert found("openai", pages)[0] == number


def of_anthropic(number: str, at: str | None, status: str = "ended", **counts: int) -> dict[str, Any]:
    return {
        "id": number,
        "request_counts": counts or {"succeeded": 1, "errored": 1, "note": "none"},
        "processing_status": status,
        "created_at": at,
    }


AT_LIMIT, BEFORE = "2023-11-14T21:13:20Z", "2023-11-14T21:13:19Z"  # an hour before NOW, and a second more
OURS = ANTHROPIC_LINES
OTHERS = b'{"custom_id": "x", "result": {"type": "expired"}}\n' + ANTHROPIC_LINES


@pytest.mark.parametrize(
    ("replies", "number"),
    [
        ([{"data": [of_anthropic("b1", AT_LIMIT)]}, OURS], "b1"),
        ([{"data": [of_anthropic("b1", None)]}, OURS], "b1"),
        ([{"data": [of_anthropic("b1", BEFORE)]}], None),
        ([{"data": [of_anthropic("known", AT_LIMIT), of_anthropic("b2", AT_LIMIT)]}, OURS], "b2"),
        ([{"data": [of_anthropic("b1", AT_LIMIT, succeeded=1), of_anthropic("b2", AT_LIMIT, expired=3)]}], None),
        ([{"data": [of_anthropic("b1", AT_LIMIT), of_anthropic("b2", AT_LIMIT)]}, OTHERS, OURS], "b2"),
        ([{"data": [of_anthropic("b1", AT_LIMIT)]}, (404, {})], None),
        ([{"data": [{"id": "b1", "request_counts": 2}, "no row"], "has_more": True}, {"data": []}], None),
        ([{"data": [of_anthropic("known", BEFORE)], "has_more": True}], None),
        ([{"data": [of_anthropic("known", AT_LIMIT)], "has_more": True}, {"data": [of_anthropic("b2", AT_LIMIT)]}, OURS], "b2"),
        ([{"data": [], "has_more": True}], None),
        ([{"data": None}], None),
    ],
)  # fmt: skip
def test_anthropic_finds_a_batch_by_its_size_time_and_first_result(
    replies: list[Any], number: str | None
) -> None:
    assert found("anthropic", replies, known=["known"])[0] == number


def test_a_batch_of_anthropic_that_may_be_ours_and_has_not_ended_is_waited_for() -> None:
    with pytest.raises(UndecidedBatch, match="whether batch b1 is the one that was sent shows when it ends"):
        found("anthropic", [{"data": [of_anthropic("b1", AT_LIMIT, status="in_progress")]}])


def of_google(number: str, name: str = "n", state: str = "BATCH_STATE_RUNNING") -> dict[str, Any]:
    return {"name": f"batches/{number}", "metadata": {"displayName": name, "state": state}}


@pytest.mark.parametrize(
    ("pages", "number"),
    [
        ([{"operations": [of_google("b1", "other"), of_google("b2")]}], "batches/b2"),
        ([{"operations": [of_google("b1", state="BATCH_STATE_FAILED"), of_google("b2", state="JOB_STATE_FAILED")]}], None),
        ([{"operations": [], "nextPageToken": "p"}, {"operations": [of_google("b2")]}], "batches/b2"),
        ([{"operations": None, "nextPageToken": ""}], None),
        ([{"operations": ["no row", {"metadata": []}], "nextPageToken": 7}], None),
        ([{}], None),
    ],
)  # fmt: skip
def test_google_finds_a_batch_by_its_display_name(pages: list[Any], number: str | None) -> None:
    assert found("google", pages)[0] == number


SILENT = "it does not say why"


@pytest.mark.parametrize(
    ("provider", "reply", "status"),
    [
        *((provider, (status, {}), BatchStatus(True)) for provider in VARIABLES for status in (404, 410)),
        *(("openai", {"status": word}, BatchStatus(True)) for word in ("completed", "expired", "cancelled")),
        *(("openai", {"status": word}, BatchStatus(False)) for word in ("in_progress", "finalizing", "cancelling", None)),
        ("openai", {"status": "failed", "errors": {"data": [{"message": "too\nmany"}, {"message": "b"}]}}, BatchStatus(True, "too many")),
        ("openai", {"status": "failed", "errors": {"data": [{"message": ""}]}}, BatchStatus(True, SILENT)),
        ("openai", {"status": "failed", "errors": {"data": ["a"]}}, BatchStatus(True, SILENT)),
        ("openai", {"status": "failed", "errors": {"data": []}}, BatchStatus(True, SILENT)),
        ("openai", {"status": "failed", "errors": {"data": {"0": {}}}}, BatchStatus(True, SILENT)),
        ("openai", {"status": "failed"}, BatchStatus(True, SILENT)),
        ("anthropic", {"processing_status": "ended"}, BatchStatus(True)),
        ("anthropic", {"processing_status": "canceling"}, BatchStatus(False)),
        ("anthropic", {}, BatchStatus(False)),
        *(("google", {"metadata": {"state": f"{of}_STATE_{word}"}}, BatchStatus(True)) for of in ("BATCH", "JOB") for word in ("SUCCEEDED", "CANCELLED", "EXPIRED")),
        *(("google", {"metadata": {"state": f"BATCH_STATE_{word}"}}, BatchStatus(False)) for word in ("PENDING", "RUNNING", "UNSPECIFIED")),
        ("google", {"metadata": {}, "done": True}, BatchStatus(True)),
        ("google", {"metadata": 1, "done": False}, BatchStatus(False)),
        ("google", {"metadata": {"state": "JOB_STATE_FAILED"}, "error": {"message": "too\nlarge"}}, BatchStatus(True, "too large")),
        ("google", {"metadata": {"state": "JOB_STATE_FAILED"}, "error": "large"}, BatchStatus(True, SILENT)),
        ("google", {"metadata": {"state": "JOB_STATE_FAILED"}, "error": {"code": 8}}, BatchStatus(True, SILENT)),
    ],
)  # fmt: skip
def test_whether_a_batch_has_ended_or_was_refused(provider: str, reply: Any, status: BatchStatus) -> None:
    assert call(provider, [reply], lambda batches: batches.look("b"))[0] == status


@pytest.mark.parametrize("provider", VARIABLES)
@pytest.mark.parametrize(("reply", "retryable"), [((403, {"error": "no"}), False), ((500, {"error": "no"}), True), (b"[]", True), (b"<html>", True)])  # fmt: skip
def test_a_look_that_brings_no_batch_fails(provider: str, reply: Any, retryable: bool) -> None:
    with pytest.raises(EndpointFailure) as failure:
        call(provider, [reply], lambda batches: batches.look("b"))
    assert failure.value.retryable is retryable


@pytest.mark.parametrize(
    ("provider", "replies", "results"),
    [
        ("openai", OPENAI_FILES, [GOOD["k1"], BatchResult("k2", 0, {"code": "expired"})]),
        ("openai", [{"output_file_id": "", "error_file_id": 3}], []),
        ("openai", [{"error_file_id": "f"}, b'\nno JSON\n[]\n{"custom_id": 1}\n{"custom_id": "k1", "response": {"body": {"a": 1}}}'], [GOOD["k1"]]),
        ("openai", [{"error_file_id": "f"}, b'{"custom_id": "k1", "response": {"status_code": "500", "body": {}}, "error": "e"}'], [BatchResult("k1", 0, "e")]),
        ("openai", [{"error_file_id": "f"}, b'{"custom_id": "k1", "response": {"status_code": 500, "body": null}}'], [BatchResult("k1", 0, None)]),
        ("openai", [{"error_file_id": "f"}, b'{"custom_id": "k1", "response": {"status_code": 500, "body": "e"}}'], [BatchResult("k1", 500, "e")]),
        ("openai", [(404, {})], []),
        ("anthropic", [ANTHROPIC_LINES], [GOOD["k1"], BatchResult("k2", 0, {"type": "expired"})]),
        ("anthropic", [(410, {})], []),
        ("google", [GOOGLE_BATCH], [GOOD["k1"], BatchResult("k2", 0, {"code": 4})]),
        ("google", [{"metadata": {"output": {"inlinedResponses": [{"metadata": {"key": "k1"}, "response": {"a": 1}}]}}}], [GOOD["k1"]]),
        ("google", [{"response": {"inlinedResponses": {}}, "metadata": {"output": {"inlinedResponses": {"inlinedResponses": []}}}}], []),
        ("google", [{"response": "none"}], []),
        ("google", [(404, {})], []),
    ],
)  # fmt: skip
def test_what_comes_back_for_each_request(
    provider: str, replies: list[Any], results: list[BatchResult]
) -> None:
    assert call(provider, replies, lambda batches: results_of(batches, "b"))[0] == results


@pytest.mark.parametrize("provider", VARIABLES)
@pytest.mark.parametrize("name", [None, "", 7, "x" * 501, "x" * 500])
def test_what_was_handed_in_has_a_name_of_at_most_500_letters(provider: str, name: Any) -> None:
    field = "name" if provider == "google" else "id"
    replies = [{field: name}] if provider != "openai" else [{"id": "f"}, {"id": name}]
    if isinstance(name, str) and 0 < len(name) <= 500:
        assert call(provider, replies, lambda batches: batches.send("n", [b"{}"]))[0] == name
    else:
        with pytest.raises(
            EndpointFailure, match=f"{provider}/m: the reply to a batch names no {field}"
        ) as failure:
            call(provider, replies, lambda batches: batches.send("n", [b"{}"]))
        assert failure.value.retryable


def test_a_result_is_read_as_a_reply_of_its_own() -> None:
    batches = open_name("openai/m").batches
    assert batches is not None
    body = {
        "choices": [{"message": {"content": "A"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3},
    }
    completion = batches.read(ASKED[0], BatchResult("k1", 200, body))
    assert (completion.text, completion.finish_reason, completion.input_tokens) == ("A", "stop", 3)
    not_carried_out = r"^openai/m: a request in a batch was not carried out: {\"type\":\"expired\"}$"
    for body, status, message, retryable in (
        ({"type": "expired"}, 0, not_carried_out, True),
        (None, 0, "was not carried out: $", True),
        ({"error": {"message": "busy"}}, 500, 'the server says 500: "busy"$', True),
        ({"error": {"message": "no"}}, 400, 'the server says 400: "no"$', False),
    ):
        with pytest.raises(EndpointFailure, match=message) as failure:
            batches.read(ASKED[0], BatchResult("k1", status, body))
        assert failure.value.retryable is retryable
        assert failure.value.status == (status or None)


def test_batches_for_vllm_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my runs"
    folder.mkdir()
    monkeypatch.chdir(folder)
    batches = open_name("vllm/m").batches
    assert batches is not None
    lines = [batches.line(one) for one in ASKED]
    file, results = (folder / f"folkways-batches/name{ending}.jsonl" for ending in ("", ".results"))

    async def use() -> None:
        assert await batches.find("name", (), 0.0, ()) is None
        assert await batches.look(str(file)) == BatchStatus(ended=True)  # nobody has it any more
        for _ in range(2):  # the folder may be there
            assert await batches.send("name", lines) == await batches.find("name", (), 0.0, ()) == str(file)
        assert file.read_bytes() == lines[0] + b"\n" + lines[1] + b"\n"
        assert await batches.look(str(file)) == BatchStatus(ended=False)
        assert await results_of(batches, str(file)) == []
        results.write_bytes(OPENAI_FILES[1])
        assert await batches.look(str(file)) == BatchStatus(ended=True)
        assert await results_of(batches, str(file)) == [GOOD["k1"]]

    asyncio.run(use())
    assert json.loads(lines[1]) == {
        "custom_id": "k2",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "m",
            "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Why?"}],
        },
    }
    assert not batches.waits
    assert batches.sent_message("name", str(file), 1234) == (
        "vllm/m: 1,234 requests are in a file. Carry them out, then run the same command again: "
        f"vllm run-batch -i '{file}' -o '{results}' --model m"
    )
