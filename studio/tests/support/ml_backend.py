"""A server in the shape of Label Studio's ML backend, as a process of its own: it suggests the choice that people
made most often in the answers that it was sent, and the first one before.

``POST /control`` changes how it behaves: ``faults`` (path -> status, or ``shape``, ``slow``, ``babble``, ``huge``),
``no_events``, ``several``, ``score`` and ``garbled`` (what is suggested for a task "garbled 0", as JSON); ``GET /seen`` lists what it was asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen
from xml.etree import ElementTree


class MlBackendServer:
    """The process, while the block lasts."""

    def __enter__(self) -> MlBackendServer:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "studio.tests.support.ml_backend"], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def control(self, **how: Any) -> None:
        """Behave in this way from now on; anew without any."""
        urlopen(Request(f"{self.url}/control", json.dumps(how).encode(), method="POST")).read()

    def seen(self, path: str) -> list[Any]:
        """The bodies of what was asked at a path."""
        with urlopen(f"{self.url}/seen") as reply:
            return [body for where, body in json.load(reply) if where == path]


STATE: dict[str, Any] = {}


def reset(**how: Any) -> None:
    STATE.clear()
    STATE.update(how, seen=[], counts=Counter(), version=1)


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def reply(self, content: Any, status: int = 200) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        if self.path == "/seen":
            return self.reply(STATE["seen"])
        return self.answer(None)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/control":
            reset(**body)
            return self.reply({})
        return self.answer(body)

    def answer(self, body: Any) -> None:
        STATE["seen"].append((self.path, body))
        fault = STATE.get("faults", {}).get(self.path)
        if isinstance(fault, int):
            return self.reply(b"<p>the model fell\nover</p>", fault)
        if fault == "babble":
            return self.reply(b"I would rather not.")
        if fault == "huge":
            return self.reply(b" " * 20_000_001)
        if fault == "slow":
            time.sleep(1.5)
        version = {"model_version": f"v{STATE['version']}"}
        if self.path == "/health":
            return self.reply({"status": "UP"})
        if self.path == "/setup":
            return self.reply(version)
        if self.path == "/predict":
            results = [predicted(body["label_config"], task) for task in body["tasks"]]
            if STATE.get("several"):
                worse = [{**each, "score": 0.1, "result": each["result"] * 2} for each in results]
                results = [[less, each] for less, each in zip(worse, results, strict=True)]
            return self.reply({"results": results[:-1] if fault == "shape" else results, **version})
        if self.path == "/train":
            for task in body["annotations"]:
                learn(task["annotations"])
            STATE["version"] += 1
            return self.reply({"job": "1"}, 201)
        if self.path == "/webhook" and not STATE.get("no_events"):
            if body["action"] == "ANNOTATION_CREATED":
                learn([body["annotation"]])
            else:
                STATE["version"] += 1
            return self.reply({"status": "ok"}, 201)
        return self.reply({}, 404)


def learn(annotations: Any) -> None:
    for annotation in annotations:
        for region in annotation["result"]:
            STATE["counts"].update(region["value"].get("choices", ()))


def predicted(label_config: str, task: Any) -> Any:
    """What is suggested for a task: nothing for one whose question has "nothing" in it, and what no stage asks
    for one with "odd"."""
    control = ElementTree.fromstring(label_config).find(".//Choices")
    assert control is not None
    text = json.dumps(task["data"], ensure_ascii=False)
    if "garbled" in text:
        return json.loads(STATE["garbled"][int(text.partition("garbled ")[2].partition('"')[0])])
    if "nothing" in text:
        return {"result": [], "score": 0.0}
    options = task["data"][control.get("value", "")[1:]] if control.get("value") else None
    words = [each["value"] for each in options] if options else [each.get("value") for each in control]
    best = STATE["counts"].most_common(1)
    choice = "none of these" if "odd" in text else best[0][0] if best else words[0]
    region = {
        "from_name": control.get("name"),
        "to_name": control.get("toName"),
        "type": "choices",
        "value": {"choices": [choice]},
    }
    return {"result": [region], "score": STATE.get("score", 0.75)}


if __name__ == "__main__":
    reset()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
