"""The batch interfaces of OpenAI, Anthropic and Google for tests: a process of its own, beside the same
providers' single requests.

    python -m tests.support.batch_server
    {"url": "http://127.0.0.1:40123"}

Written from the providers' published references. A batch ends when ``ready`` is set, and its results come in
the reverse order. GET /_stats says what came; POST /_control changes what is set:

ready     batches end as soon as they are looked at (default true)
upload    statuses that the next calls which hand something in get in place of a reply: [429, 503]
broken    so many batches are taken, and a 503 is said all the same
silent    so many batches are taken, and the connection is closed without a word
stall     seconds before a batch that was taken is told of
errored, missing, expired   so many of a batch's requests end so, counted from its first
refused   why whole batches are refused, as OpenAI says it while it validates them and Google when it has failed
"""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson

from tests.support.chat_layouts import answer, error, read_question, reply
from tests.support.server_process import Handler, ServerProcess, serve

SINGLES = {"/chat/completions": "openai", "/messages": "anthropic", ":generateContent": "google"}


class State:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.set: dict[str, Any] = {"ready": True}
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}  # newest last
        self.counts: Counter[str] = Counter()
        self.bodies: Counter[bytes] = Counter()

    def one_less(self, name: str) -> bool:
        with self.lock:
            left = int(self.set.get(name, 0))
            self.set[name] = max(0, left - 1)
            return left > 0


class Answers(Handler):
    state = State()

    def answer(self, body: bytes) -> None:
        state, parts = self.state, urlsplit(self.path)
        path, query = parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}
        if path == "/_control":
            state.set.update(orjson.loads(body))
            return self.say(200, {})
        if path == "/_stats":
            names = [batch["name"] for batch in state.batches.values()]
            sizes = [len(batch["requests"]) for batch in state.batches.values()]
            again = sum(count > 1 for count in state.bodies.values())
            return self.say(
                200,
                {
                    **state.counts,
                    "names": names,
                    "sizes": sizes,
                    "bytes": [batch.get("bytes") for batch in state.batches.values()],
                    "distinct": len(state.bodies),
                    "again": again,
                },
            )
        for ending, protocol in SINGLES.items():
            if path.endswith(ending) and self.command == "POST":
                return self.single(protocol, path, body)
        if self.command == "POST" and state.set.get("upload"):
            state.counts["turned away"] += 1
            status = state.set["upload"].pop(0)
            return self.say(
                status, error("openai", "slow down", "rate_limit_exceeded", status), Retry_After="0"
            )
        return self.batch_call(path, query, body)

    def single(self, protocol: str, path: str, body: bytes) -> None:
        self.state.counts["singles"] += 1
        self.state.bodies[body] += 1
        self.say(200, said(protocol, path, orjson.loads(body)))

    def batch_call(self, path: str, query: dict[str, str], body: bytes) -> None:
        state = self.state
        state.counts[f"{self.command} {path.rsplit('/', 1)[-1]}"] += 1
        if path == "/v1/files":
            number = f"file-{len(state.files)}"
            state.files[number] = body.split(b"\r\n\r\n")[-1].rsplit(b"\r\n--", 1)[0]
            return self.say(200, {"id": number, "object": "file", "purpose": "batch"})
        if path.startswith("/v1/files/"):
            return self.say(200, state.files[path.split("/")[3]], Content_Type="application/octet-stream")
        if path == "/v1/batches" and self.command == "POST":
            order = orjson.loads(body)
            file = state.files[order["input_file_id"]]
            lines = [orjson.loads(line) for line in file.splitlines()]
            assert all(line["url"] == order["endpoint"] == "/v1/chat/completions" for line in lines)
            requests = [(line["custom_id"], line["body"]) for line in lines]
            more = {"metadata": order["metadata"], "bytes": len(file)}
            return self.take("batch", "openai", order["metadata"]["folkways"], requests, **more)
        if path == "/v1/batches":
            return self.say(200, page([self.look(number) for number in state.batches], query, openai))
        if path.endswith("/messages/batches"):
            if self.command == "GET":
                return self.say(200, page([self.look(number) for number in state.batches], query, anthropic))
            requests = [(row["custom_id"], row["params"]) for row in orjson.loads(body)["requests"]]
            return self.take("msgbatch", "anthropic", "", requests)
        if "/messages/batches/" in path:
            number = path.removesuffix("/results").rsplit("/", 1)[-1]
            if path.endswith("/results"):
                return self.say(
                    200, b"\n".join(orjson.dumps(row) for row in anthropic_results(state.batches[number]))
                )
            return self.say(200, anthropic(self.look(number)))
        if path.endswith(":batchGenerateContent"):
            batch = orjson.loads(body)["batch"]
            rows = batch["inputConfig"]["requests"]["requests"]
            requests = [(row["metadata"]["key"], row["request"]) for row in rows]
            return self.take("g", "google", batch["displayName"], requests)
        if path == "/v1beta/batches":
            return self.say(200, google_page(list(state.batches.values()), query))
        if path.startswith("/v1beta/batches/"):
            return self.say(200, google(self.look(path.rsplit("/", 1)[-1])))
        if path.startswith("/v1/batches/"):
            return self.say(200, openai(self.look(path.rsplit("/", 1)[-1]), state.files))
        return self.say(404, error("openai", "no such path", "not_found", 404))

    def take(
        self, prefix: str, protocol: str, name: str, requests: list[tuple[str, Any]], **more: Any
    ) -> None:
        state = self.state
        with state.lock:
            number = f"{prefix}_{len(state.batches)}"
            batch = {
                "id": number,
                "name": name,
                "protocol": protocol,
                "requests": requests,
                "ended": False,
                **more,
            }
            batch |= {"created": time.time(), "path": self.path}
            state.batches[number] = batch
            for _, body in requests:
                state.bodies[orjson.dumps(body)] += 1
        if state.one_less("broken"):
            self.say(503, error("openai", "try later", "server_error", 503))
            return
        if state.one_less("silent"):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        time.sleep(float(state.set.get("stall", 0)))
        self.say(200, LAYOUTS[protocol](batch, state.files))

    def look(self, number: str) -> dict[str, Any]:
        batch = self.state.batches[number]
        if self.state.set["ready"] and not batch["ended"]:
            batch["ended"] = True
            batch["refused"] = self.state.set.get("refused")
            batch["results"] = ends(batch, self.state.set)
        return batch


def said(protocol: str, path: str, body: dict[str, Any]) -> bytes:
    question = read_question(protocol, path, body)
    return reply(protocol, question, answer("letter", question))


def ends(batch: dict[str, Any], settings: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """Key, how it ended, and the reply of each request that has one; those that are missing have none."""
    found, hows = [], []
    for how in ("errored", "missing", "expired"):
        hows += [how] * int(settings.get(how, 0))
    for place, (key, body) in enumerate(batch["requests"]):
        how = hows[place] if place < len(hows) else "succeeded"
        if how != "missing":
            found.append(
                (
                    key,
                    how,
                    orjson.loads(said(batch["protocol"], batch["path"], body))
                    if how == "succeeded"
                    else None,
                )
            )
    return found[::-1]


def page(batches: list[dict[str, Any]], query: dict[str, str], layout: Any) -> dict[str, Any]:
    """Newest first, two at a time: so that who looks for one has to turn pages."""
    rows = [layout(batch, {}) for batch in batches[::-1]]
    after = [
        place for place, row in enumerate(rows, 1) if row["id"] == query.get("after", query.get("after_id"))
    ]
    rows = rows[after[0] if after else 0 :]
    return {"data": rows[:2], "has_more": len(rows) > 2, "last_id": rows[:2][-1]["id"] if rows else None}


def openai(batch: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    found = {
        "id": batch["id"],
        "object": "batch",
        "metadata": batch["metadata"],
        "created_at": int(batch["created"]),
    }
    if not batch["ended"]:
        return {**found, "status": "in_progress", "output_file_id": None, "error_file_id": None}
    if batch["refused"]:
        return {
            **found,
            "status": "failed",
            "errors": {"data": [{"code": "limit", "message": batch["refused"]}]},
        }
    good, bad = [], []
    for key, how, body in batch["results"]:
        if how == "succeeded":
            good.append({"custom_id": key, "response": {"status_code": 200, "body": body}, "error": None})
        elif how == "errored":
            failed = orjson.loads(error("openai", "the model stumbled", "server_error", 500))
            bad.append({"custom_id": key, "response": {"status_code": 500, "body": failed}, "error": None})
        else:
            bad.append(
                {
                    "custom_id": key,
                    "response": None,
                    "error": {"code": "batch_expired", "message": "ran out of time"},
                }
            )
    named = {}
    for field, rows in (("output_file_id", good), ("error_file_id", bad)):
        named[field] = f"{batch['id']}-{field}" if rows else None
        files[f"{batch['id']}-{field}"] = b"\n".join(map(orjson.dumps, rows))
    expired = any(how == "expired" for _, how, _ in batch["results"])
    return {**found, "status": "expired" if expired else "completed", **named}


def anthropic(batch: dict[str, Any], _files: object = None) -> dict[str, Any]:
    names = ("processing", "succeeded", "errored", "canceled", "expired")
    counts = dict.fromkeys(names, 0)
    if not batch["ended"]:
        counts["processing"] = len(batch["requests"])
    for _, how, _ in batch["results"] if batch["ended"] else ():
        counts[how] += 1
    counts["errored"] += len(batch["requests"]) - sum(counts.values())
    created = datetime.fromtimestamp(batch["created"], UTC).isoformat().replace("+00:00", "Z")
    found = {"id": batch["id"], "type": "message_batch", "request_counts": counts, "created_at": created}
    return {**found, "processing_status": "ended" if batch["ended"] else "in_progress"}


def anthropic_results(batch: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for key, how, body in batch["results"]:
        result: dict[str, Any] = {"type": how}
        if how == "succeeded":
            result["message"] = body
        elif how == "errored":
            result["error"] = {
                "type": "error",
                "error": {"type": "api_error", "message": "the model stumbled"},
            }
        rows.append({"custom_id": key, "result": result})
    return rows


def google(batch: dict[str, Any], _files: object = None) -> dict[str, Any]:
    metadata = {"displayName": batch["name"], "state": "BATCH_STATE_RUNNING"}
    found = {"name": f"batches/{batch['id']}", "metadata": metadata, "done": False}
    if not batch["ended"]:
        return found
    if batch["refused"]:
        metadata["state"] = "BATCH_STATE_FAILED"
        return {**found, "done": True, "error": {"code": 8, "message": batch["refused"]}}
    rows = []
    for key, how, body in batch["results"]:
        said = (
            {"response": body}
            if how == "succeeded"
            else {"error": {"code": 13 if how == "errored" else 4, "message": how}}
        )
        rows.append({"metadata": {"key": key}, **said})
    metadata["state"] = "BATCH_STATE_SUCCEEDED"
    return {**found, "done": True, "response": {"inlinedResponses": {"inlinedResponses": rows}}}


def google_page(batches: list[dict[str, Any]], query: dict[str, str]) -> dict[str, Any]:
    start = int(query.get("pageToken", 0))
    rows = [{**google({**batch, "ended": False})} for batch in batches[start : start + 2]]
    more = {"nextPageToken": str(start + 2)} if len(batches) > start + 2 else {}
    return {"operations": rows, **more}


LAYOUTS = {"openai": openai, "anthropic": anthropic, "google": google}


class BatchServer(ServerProcess):
    """The server as a context manager: ``with BatchServer() as server: server.url``."""

    module = "tests.support.batch_server"


if __name__ == "__main__":
    serve(Answers)
