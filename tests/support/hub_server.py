"""A server with the addresses of the Hugging Face hub and of GitHub's raw files: a process of its own, from
the standard library.

    python -m tests.support.hub_server --root DIR
    {"url": "http://127.0.0.1:40123", "cdn": "http://127.0.0.1:40124"}

DIR/OWNER/NAME/PATH is served at every revision whose commit has no DIR/OWNER/NAME@COMMIT/PATH, as ``/datasets/OWNER/NAME/resolve/REVISION/PATH`` (the hub,
with content hashes in ETags) and ``/OWNER/NAME/REVISION/PATH`` (GitHub). With ``lfs`` the hub redirects to a
second port, the CDN, as for large files. POST /_control changes the settings and sets faults by file name,
used up one per request:

    401 403 404 416 500    that status            429+after=S   429 with Retry-After
    cut+at=N               the connection ends N bytes into the body
    wrong                  other bytes of the same length
    html                   200 with a web page, as a captive portal sends it
    gzip                   the body compressed although nobody asked
    shift                  206, but of another range
    no-range               200 with everything, whatever was asked
    loop                   redirects to itself
    stall                  headers, then nothing for 30 s
    moved                  the commit of a branch that was moved meanwhile

Uploads are in ``hub_uploads``; what was pushed is told by GET /_pushed.

GET /_log gives every request: port, method, path, the Range and Authorization headers, status, and the bytes
that were sent.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import threading
import time
from collections import defaultdict, deque
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.support.hub_uploads import Uploads
from tests.support.server_process import Handler, ServerProcess

HUB = re.compile(r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
GITHUB = re.compile(r"/(?P<repo>[^/]+/[^/]+)/(?P<revision>[^/]+)/(?P<path>.+)")


class State:
    """Settings, faults and the log, shared by both ports."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lfs = False
        self.etag = True
        self.commits: dict[str, str] = {}  # of branches that were moved
        self.token: str | None = None
        self.rate: float | None = None  # bytes per second
        self.faults: dict[str, deque[str]] = defaultdict(deque)
        self.log: list[dict[str, Any]] = []
        self.cdn = ""
        self.uploads = Uploads(root)

    def configure(self, settings: dict[str, Any]) -> None:
        for name in ("lfs", "etag", "token", "rate", "commits"):
            setattr(self, name, settings.get(name, getattr(self, name)))
        for name, faults in settings.get("faults", {}).items():
            self.faults[name] = deque(faults)
        if settings.get("forget"):
            self.log.clear()

    def fault(self, name: str) -> tuple[str, dict[str, str]]:
        waiting = self.faults[name]
        kind, *pairs = (waiting.popleft() if waiting else "").split("+")
        return kind, dict(pair.split("=", 1) for pair in pairs)


class Answers(Handler):
    """Answers both ports; ``on_cdn`` tells them apart."""

    state: State
    on_cdn = False

    def answer(self, body: bytes) -> None:
        if self.path == "/_control":
            self.state.configure(json.loads(body))
            self._send(200, b"{}")
        elif not self._upload(body):
            self._refuse(404) if self.command in ("POST", "PUT") else self._show()

    def _upload(self, body: bytes) -> bool:
        """Whether the address is one of uploads, which is then answered: with a status where one is set for
        its last part."""
        if not self.state.uploads.knows(self.path):
            return False
        self.entry = {
            "port": "home",
            "path": self.path,
            "authorization": self.headers.get("Authorization"),
            "sent": 0,
        }
        self.state.log.append(self.entry)
        fault, _ = self._fault()
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        status, document, headers = (
            (int(fault), {"error": "out of order"}, {})
            if fault
            else self.state.uploads.answer(self.command, self.path, body, token)
        )
        self._send(status, json.dumps(document).encode(), {"Content-Type": "application/json", **headers})
        return True

    def _show(self) -> None:
        if self.path == "/_log":
            self._send(200, json.dumps(self.state.log).encode())
            return
        if self.path == "/_pushed":
            pushed = {"commits": self.state.uploads.commits, "pulls": self.state.uploads.pulls}
            self._send(200, json.dumps(pushed).encode())
            return
        self.entry = {
            "port": "cdn" if self.on_cdn else "home",
            "path": self.path,
            "range": self.headers.get("Range"),
            "authorization": self.headers.get("Authorization"),
            "status": 0,
            "sent": 0,
        }
        self.state.log.append(self.entry)
        if self.on_cdn:
            self._serve(
                Path(self.path.split("?")[0].removeprefix("/cdn/")),
                {"ETag": '"not-a-content-hash"'},
                *self._fault(),
            )
            return
        found = HUB.fullmatch(self.path) or GITHUB.fullmatch(self.path)
        if found is None:
            self._refuse(404)
            return
        on_hub = found.re is HUB
        commit = self.state.commits.get(found["revision"]) or commit_of(found["revision"])
        file = Path(f"{found['repo']}@{commit}") / unquote(found["path"])
        if not (self.state.root / file).is_file():
            file = Path(found["repo"]) / unquote(found["path"])
        if not (self.state.root / file).is_file():
            missing = "EntryNotFound" if (self.state.root / found["repo"]).is_dir() else "RepoNotFound"
            self._refuse(404, {"X-Error-Code": missing} if on_hub else {})
        elif self.state.token and self.headers.get("Authorization") != f"Bearer {self.state.token}":
            self._refuse(401)
        elif on_hub and self.state.lfs:
            data = (self.state.root / file).read_bytes()
            headers = {
                "X-Linked-Etag": f'"{hashlib.sha256(data).hexdigest()}"',
                "X-Linked-Size": str(len(data)),
            }
            headers["X-Repo-Commit"] = commit
            self._redirect(f"{self.state.cdn}/cdn/{file}?signature=a%2Fb%3D", headers)
        else:
            data = (self.state.root / file).read_bytes()
            blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
            fault = self._fault()
            headers = (
                {"ETag": f'"{blob}"', "X-Repo-Commit": commit_of("moved") if fault[0] == "moved" else commit}
                if on_hub and self.state.etag
                else {"ETag": 'W/"something else"'}
            )
            self._serve(file, headers, *fault)

    def _fault(self) -> tuple[str, dict[str, str]]:
        return self.state.fault(Path(self.path.split("?")[0]).name)

    def _serve(self, file: Path, headers: dict[str, str], fault: str, args: dict[str, str]) -> None:
        data = (self.state.root / file).read_bytes()
        if fault.isdigit():
            self._refuse(int(fault), {"Retry-After": args["after"]} if "after" in args else {})
            return
        if fault == "loop":
            self._redirect(self.path, {})
            return
        if fault == "html":
            self._send(
                200,
                b"<html>Please sign in to the guest network</html>",
                {"Content-Type": args.get("type", "text/html")},
            )
            return
        if fault == "gzip":
            self._send(200, gzip.compress(data), {"Content-Encoding": "gzip"})
            return
        if fault == "wrong":
            data = bytes(byte ^ 1 for byte in data)
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(asked[1]) if asked and fault != "no-range" else 0
        if start >= len(data) and asked:
            self._refuse(416, {"Content-Range": f"bytes */{len(data)}"})
            return
        start -= 1 if fault == "shift" else 0
        status = 206 if asked and fault != "no-range" else 200
        if status == 206:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        self._send(
            status,
            data[start:],
            headers,
            cut_at=int(args["at"]) if fault == "cut" else None,
            stall=fault == "stall",
        )

    def _redirect(self, location: str, headers: dict[str, str]) -> None:
        self._send(302, b"", {"Location": location, **headers})

    def _refuse(self, status: int, headers: dict[str, str] | None = None) -> None:
        self._send(status, b"no", headers)

    def _send(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        cut_at: int | None = None,
        stall: bool = False,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        entry = getattr(self, "entry", {"sent": 0})
        entry["status"] = status
        if self.command == "HEAD":
            return
        if stall:
            time.sleep(30)
        body = body if cut_at is None else body[:cut_at]
        step = len(body) or 1 if self.state.rate is None else max(1, int(self.state.rate / 50))
        try:
            for begin in range(0, len(body), step):
                self.wfile.write(body[begin : begin + step])
                entry["sent"] += len(body[begin : begin + step])
                if self.state.rate is not None:
                    time.sleep(step / self.state.rate)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        if cut_at is not None:
            self.close_connection = True


def commit_of(revision: str) -> str:
    """The commit that a branch points to, as the hub tells it with every file."""
    return revision if re.fullmatch("[0-9a-f]{40}", revision) else hashlib.sha1(revision.encode()).hexdigest()


class HubServer(ServerProcess):
    """The server as a child process, for tests: a context manager with ``url``, ``control`` and ``log``."""

    module = "tests.support.hub_server"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.arguments = ("--root", str(root))

    def log(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.told("/_log")
        return found

    def pushed(self) -> dict[str, list[dict[str, Any]]]:
        """The ``commits`` and ``pulls`` (pull requests) that were made: kind, name, summary, description,
        texts of small files."""
        found: dict[str, list[dict[str, Any]]] = self.told("/_pushed")
        return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, required=True)
    state = State(parser.parse_args().root)
    home = ThreadingHTTPServer(("127.0.0.1", 0), type("Home", (Answers,), {"state": state}))
    cdn = ThreadingHTTPServer(("127.0.0.1", 0), type("Cdn", (Answers,), {"state": state, "on_cdn": True}))
    state.cdn = f"http://127.0.0.1:{cdn.server_port}"
    threading.Thread(target=cdn.serve_forever, daemon=True).start()
    state.uploads.url = f"http://127.0.0.1:{home.server_port}"
    print(json.dumps({"url": f"http://127.0.0.1:{home.server_port}", "cdn": state.cdn}), flush=True)
    home.serve_forever()


if __name__ == "__main__":
    main()
