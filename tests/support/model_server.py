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
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.forked_programs import start_module

REPOSITORY = Path(__file__).resolve().parents[2]


class ModelServer:
    """Use as a context manager. kind: ollama, vllm, lmstudio or llamacpp. key: what it wants as a bearer
    token; empty for none."""

    def __init__(self, kind: str, *models: str, key: str = "") -> None:
        module, options = "tests.support.model_server", {"stdout": subprocess.PIPE, "text": True}
        self._process = start_module(module, kind, *models, f"--key={key}", cwd=REPOSITORY, **options)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()


def _handler(kind: str, models: list[str], key: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing is written."""

        def do_GET(self) -> None:
            if self._let_in():
                if self.path == "/v1/models":
                    self._say(
                        200,
                        {
                            "object": "list",
                            "data": [{"id": name, "object": "model", "owned_by": kind} for name in models],
                        },
                    )
                else:
                    self._say(404, {"error": {"message": "no such page", "code": 404}})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self._let_in():
                return
            known = {name.removesuffix(":latest") for name in models} | set(models)
            if kind != "llamacpp" and asked["model"] not in known:
                self._say(404, {"error": {"message": f"model {asked['model']!r} not found", "code": 404}})
                return
            message = {"role": "assistant", "content": "B"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
            self._say(
                200,
                {"object": "chat.completion", "model": asked["model"], "choices": [choice], "usage": usage},
            )

        def _let_in(self) -> bool:
            if key and self.headers.get("Authorization") != f"Bearer {key}":
                self._say(401, {"error": {"message": "Unauthorized", "code": 401}})
                return False
            return True

        def _say(self, status: int, body: dict[str, Any]) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    return Handler


if __name__ == "__main__":
    kind, *models, last = sys.argv[1:]
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(kind, models, last.removeprefix("--key=")))
    print(server.server_address[1], flush=True)
    server.serve_forever()
