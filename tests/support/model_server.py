"""Local model servers of four kinds, each a process of its own, written from what their makers publish of the
protocol.

All speak OpenAI's POST /v1/chat/completions and GET /v1/models. They differ in how models are called and in
what an unknown model gets: Ollama names the newest ``NAME:latest`` and says 404 for one that was not pulled;
vLLM serves exactly the names it was started with; LM Studio lists what was downloaded; llama.cpp answers with
the one model it has, whatever name is asked for.

    python -m tests.support.model_server vllm org/model
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.support.server_process import Handler, ServerProcess, serve


class ModelServer(ServerProcess):
    """Use as a context manager. kind: ollama, vllm, lmstudio or llamacpp. key: what it wants as a bearer
    token; empty for none."""

    module = "tests.support.model_server"

    def __init__(self, kind: str, *models: str, key: str = "") -> None:
        self.arguments = [kind, *models, f"--key={key}"]


def _handler(kind: str, models: list[str], key: str) -> type[Handler]:
    class Answers(Handler):
        def answer(self, body: bytes) -> None:
            if key and self.headers.get("Authorization") != f"Bearer {key}":
                return self.say(401, {"error": {"message": "Unauthorized", "code": 401}})
            if self.command == "POST":
                return self.complete(json.loads(body))
            if self.path != "/v1/models":
                return self.say(404, {"error": {"message": "no such page", "code": 404}})
            listed = [{"id": name, "object": "model", "owned_by": kind} for name in models]
            return self.say(200, {"object": "list", "data": listed})

        def complete(self, asked: dict[str, Any]) -> None:
            known = {name.removesuffix(":latest") for name in models} | set(models)
            if kind != "llamacpp" and asked["model"] not in known:
                self.say(404, {"error": {"message": f"model {asked['model']!r} not found", "code": 404}})
                return
            message = {"role": "assistant", "content": "B"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
            self.say(
                200,
                {"object": "chat.completion", "model": asked["model"], "choices": [choice], "usage": usage},
            )

    return Answers


if __name__ == "__main__":
    kind, *models, last = sys.argv[1:]
    serve(_handler(kind, models, last.removeprefix("--key=")))
