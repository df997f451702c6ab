"""A server in the shape of Label Studio's ML backend, as a process of its own: it suggests the choice that people
made most often in the answers that it was sent, and the first one before.

``POST /_control`` changes how it behaves: ``faults`` (path -> status, or ``shape``, ``slow``, ``babble``, ``huge``),
``no_events``, ``several``, ``score`` and ``garbled`` (what is suggested for a task "garbled 0", as JSON); ``GET /seen`` lists what it was asked.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import Any
from xml.etree import ElementTree

from tests.support.server_process import Handler, ServerProcess, serve


class MlBackendServer(ServerProcess):
    """The process, while the block lasts; ``control`` without settings begins anew."""

    module = "studio.tests.support.ml_backend"

    def seen(self, path: str) -> list[Any]:
        """The bodies of what was asked at a path."""
        return [body for where, body in self.told("/seen") if where == path]


STATE: dict[str, Any] = {}


def reset(**how: Any) -> None:
    STATE.clear()
    STATE.update(how, seen=[], counts=Counter(), version=1)


class Answers(Handler):
    def answer(self, sent: bytes) -> None:
        body = json.loads(sent) if sent else None
        if self.path == "/seen":
            return self.say(200, STATE["seen"])
        if self.path == "/_control":
            reset(**body)
            return self.say(200, {})
        STATE["seen"].append((self.path, body))
        fault = STATE.get("faults", {}).get(self.path)
        if isinstance(fault, int):
            return self.say(fault, b"<p>the model fell\nover</p>")
        if fault == "babble":
            return self.say(200, b"I would rather not.")
        if fault == "huge":
            return self.say(200, b" " * 20_000_001)
        if fault == "slow":
            time.sleep(1.5)
        version = {"model_version": f"v{STATE['version']}"}
        if self.path == "/health":
            return self.say(200, {"status": "UP"})
        if self.path == "/setup":
            return self.say(200, version)
        if self.path == "/predict":
            results = [predicted(body["label_config"], task) for task in body["tasks"]]
            if STATE.get("several"):
                worse = [{**each, "score": 0.1, "result": each["result"] * 2} for each in results]
                results = [[less, each] for less, each in zip(worse, results, strict=True)]
            return self.say(200, {"results": results[:-1] if fault == "shape" else results, **version})
        if self.path == "/train":
            for task in body["annotations"]:
                learn(task["annotations"])
            STATE["version"] += 1
            return self.say(201, {"job": "1"})
        if self.path == "/webhook" and not STATE.get("no_events"):
            if body["action"] == "ANNOTATION_CREATED":
                learn([body["annotation"]])
            else:
                STATE["version"] += 1
            return self.say(201, {"status": "ok"})
        return self.say(404, {})


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
    serve(Answers)
