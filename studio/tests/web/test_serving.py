"""The server as a process: where it listens, how it stops, and that it stands on nothing that is not
there."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.opening import open_workspace
from folkways_studio.items import service as items
from folkways_studio.people import sessions
from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from folkways_studio.records import ItemState, Participant
from folkways_studio.web.app import create_app
from folkways_studio.web.serving import hearing, serve
from studio.tests.support.studies import ON_A_FILE, PASSWORD, QUESTION, no_space, open_study, stored
from studio.tests.support.studio_server import StudioProcess, StudioServer
from studio.tests.web.http import Client, Reply


def test_a_port_that_is_taken_is_said_with_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        workspace = open_workspace(tmp_path / "w.db")
        with pytest.raises(FolkwaysError, match="--port"):
            serve(workspace, port=other.getsockname()[1])
        workspace.close()


def test_a_host_of_another_machine_is_refused(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    with pytest.raises(FolkwaysError, match=r"cannot listen on 192\.0\.2\.1"):
        serve(workspace, host="192.0.2.1", port=0)
    workspace.close()


@pytest.mark.parametrize(
    "how", [signal.SIGTERM, signal.SIGHUP, pytest.param(signal.SIGINT, marks=pytest.mark.nightly)]
)
def test_the_server_stops_when_it_is_told_and_answers_what_is_at_hand(
    tmp_path: Path, how: signal.Signals
) -> None:
    with StudioProcess(tmp_path / "w.db") as server:
        statuses = []

        def ask() -> None:
            for _ in range(40):
                try:
                    statuses.append(Client(server.url).get("/signin").status)
                except OSError:
                    return

        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(0.2)
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as at_hand:
            at_hand.sendall(b"POST /signin HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
            time.sleep(0.2)
            stopping = threading.Thread(target=server.stop, args=(how,))
            stopping.start()
            asking.join()  # nobody is let in any more
            at_hand.sendall(b"b")
            assert at_hand.recv(100).startswith(b"HTTP/1.1 403 ")
            stopping.join()
        assert statuses and set(statuses) == {200}


def signed_in(server: StudioServer, account: int) -> tuple[Client, str]:
    """The browser of somebody, and the token of its forms."""
    client, token = Client(server.url), sessions.open_session(server.workspace, account)
    client.cookies["folkways_session"] = token
    session = sessions.find_session(server.workspace, token)
    assert session is not None
    return client, session.csrf


def test_whoever_answers_while_the_server_is_stopped_and_started_again_loses_nothing(tmp_path: Path) -> None:
    """Every answer that was taken is there once, and the form that met nobody is sent again as it was."""
    with StudioProcess(tmp_path / "w.db") as server:
        stage = {"name": "verify", "kind": "vote", "answers": 3, "majority": 2, "training": False}
        study = open_study(server.workspace, [stage])
        study.add("verify", [QUESTION] * 20)
        taken: list[tuple[int, str]] = []
        cut_off: list[str] = []

        def answer_all(person: Participant) -> None:
            client, csrf = signed_in(server, person.account_id)

            def send(path: str, fields: dict[str, str]) -> Reply:
                for _ in range(600):
                    try:
                        return client.post(path, fields, csrf=csrf)
                    except (OSError, HTTPException) as error:
                        cut_off.append(type(error).__name__)
                        time.sleep(0.05)
                raise AssertionError("the server did not come back")

            task = send("/work/test-study/next", {}).place
            while "/tasks/" in task:
                reply = send(f"{task}/submit", {"key": f"{person.id} {task}", "choices": "0"})
                assert reply.status == 303, reply.text
                taken.append((person.id, task))
                task = reply.place

        people = [threading.Thread(target=answer_all, args=[study.person()]) for _ in range(3)]
        for each in people:
            each.start()
        for answers in (10, 25, 40):
            while len(taken) < answers:
                time.sleep(0.005)
            server.stop()
            server.start()
        for each in people:
            each.join()
        assert cut_off, "somebody met nobody"
        assert len(set(taken)) == len(taken) == 60
        answered = [
            (row["participant_id"], row["item_id"]) for row in stored(server.workspace, schema.judgements)
        ]
        assert len(set(answered)) == len(answered) == 60
        assert {item.state for item in items.list_items(server.workspace, study.record.id)} == {
            ItemState.DONE
        }


def full_disk(_: StudioServer) -> AbstractContextManager[None]:
    return no_space()


@contextmanager
def unreadable(server: StudioServer) -> Iterator[None]:
    """Something else lies where the database was."""
    Path(server.location).write_bytes(b"no database" * 9999)
    server.reconnect()
    yield


@pytest.mark.parametrize("trouble", [full_disk, unreadable])
def test_a_database_that_fails_is_an_error_of_the_server_which_its_log_explains(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    trouble: Callable[[StudioServer], AbstractContextManager[None]],
) -> None:
    """With the status on which a browser keeps the answer and sends it again; where the database lies is nobody
    else's business."""
    database = tmp_path / "w.db"
    with StudioServer(database) as server:
        stage = {"name": "verify", "kind": "vote", "answers": 1, "majority": 1, "training": False}
        study = open_study(server.workspace, [stage])
        study.add("verify", [QUESTION] * 2)
        person = study.person()
        client, csrf = signed_in(server, person.account_id)
        owner, owner_csrf = signed_in(server, study.owner)
        _, token = tokens.create_token(
            server.workspace, study.owner, study_id=study.record.id, scope=Scope.WRITE
        )
        task = client.post("/work/test-study/next", csrf=csrf).place
        answer = {"key": "k", "choices": "0"}
        pages = ["/healthz", *(["/signin", "/work/test-study", task] * (trouble is unreadable))]
        server.workspace.close()
        with trouble(server):
            replies = {page: client.get(page) for page in pages}
            for accept in ("text/html", "application/json"):
                replies[accept] = client.post(f"{task}/submit", answer, csrf=csrf, Accept=accept)
            replies["sign in"] = client.post("/signin", {"login": "me", "password": PASSWORD}, csrf=csrf)
            replies["api"] = client.ask(
                "PUT",
                "/api/v1/studies/test-study/state",
                b'{"state": "paused"}',
                {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            )
            for address, name, content in (
                ("data/items", "new.csv", "id,question,option_a,option_b\nnew,What?,tea,soup\n"),
                ("items/assignments/file", "who.csv", f"item,stage,person\nq1,verify,{person.pseudonym}\n"),
                ("data/media", "bowl.gif", "GIF89a"),
            ):
                fields = {"csrf": owner_csrf, "stage": "verify", "population": "korea"}
                replies[address] = owner.upload(f"/studies/test-study/{address}", fields, name, content)
            handed_out = {"stage": "verify", "person": str(person.id)}
            replies["hand-out"] = owner.post("/studies/test-study/data/hand-out", handed_out, csrf=owner_csrf)
            if trouble is unreadable:
                replies["no page"] = owner.get("/no-such-page")
        assert {page: reply.status for page, reply in replies.items()} == dict.fromkeys(replies, 503)
        assert all(re.search("[Ss]omething went wrong on our side", reply.text) for reply in replies.values())
        assert not any(str(database) in reply.text for reply in replies.values())
        noted = [each for each in caplog.messages if each.startswith("the studio could not answer ")]
        assert len(noted) == len(replies) and all(str(database) in each for each in noted)
        if trouble is full_disk:
            assert client.post(f"{task}/submit", answer, csrf=csrf).status == 303, "there is room again"


@ON_A_FILE
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/signin", "application/x-www-form-urlencoded"),
        ("/signin", "multipart/form-data; boundary=x"),
        ("/api/v1/studies", "application/json"),
        ("/api/v1/studies/test-study/media", "multipart/form-data; boundary=x"),
    ],
)
def test_who_hangs_up_in_the_middle_of_a_request_is_no_error(
    studio_workspace: Workspace, caplog: pytest.LogCaptureFixture, path: str, kind: str
) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    _, token = tokens.create_token(studio_workspace, study.owner, study_id=None, scope=Scope.WRITE)
    headers = {"host": "localhost", "content-type": kind, "authorization": f"Bearer {token}"}
    scope: dict[str, Any] = {
        **{"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""},
        **{"scheme": "http", "http_version": "1.1", "root_path": "", "server": ("localhost", 80)},
        **{"client": ("127.0.0.1", 9), "asgi": {"version": "3.0"}, "extensions": {}},
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    arriving = [{"type": "http.request", "body": b"--x", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return arriving.pop(0) if len(arriving) > 1 else arriving[0]

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(create_app(studio_workspace)(scope, receive, send))
    assert sent[0]["status"] == 400
    assert caplog.messages == []


STARTED = """
import sys
from importlib.util import find_spec
from starlette.testclient import TestClient
from folkways_studio.cli import serve
before = set(sys.modules)  # the client of the test brings modules of its own
from folkways_studio.database.opening import open_workspace
from folkways_studio.web.app import create_app
from folkways_studio.web.serving import serve
HEAVY = {"aiohttp", "authlib", "boto3", "fastapi", "joserfc", "numpy", "openpyxl", "polars",
         "pydantic", "scipy", "torch"}
OURS = {"folkways.endpoints.servers", "folkways.runs.asking", "folkways_studio.exports.archive",
        "folkways_studio.models.drawing"}
def loaded():
    return sorted(name for name in HEAVY | OURS if name in sys.modules)
print(*loaded())
workspace = open_workspace(sys.argv[1], create=True)
with TestClient(create_app(workspace), base_url="http://localhost") as browser:
    assert browser.get("/signin").status_code == 200
    print(*loaded())
print(*(name for name in OURS if find_spec(name) is None))
"""


def test_what_is_heavy_is_imported_where_it_is_used(tmp_path: Path) -> None:
    """Else every start waits for it, and on a laptop a start is most of what somebody who tries the studio
    waits for."""
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(tmp_path / "s.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["", "", ""], "the last: names of no module of ours"


def test_a_signal_is_heard_in_the_block_alone_and_in_no_other_thread_than_the_first() -> None:
    heard: list[int] = []

    def sent(number: int | None) -> list[int]:
        with hearing(number, lambda what, _: heard.append(what)):
            if number is not None and signal.getsignal(number) is not before:
                signal.raise_signal(number)
        told, heard[:] = [*heard], []
        return told

    before = signal.getsignal(signal.SIGUSR1)
    assert sent(signal.SIGUSR1) == [signal.SIGUSR1] and signal.getsignal(signal.SIGUSR1) is before
    assert sent(None) == []
    elsewhere: list[list[int]] = []
    thread = threading.Thread(target=lambda: elsewhere.append(sent(signal.SIGUSR1)))
    thread.start()
    thread.join()
    assert elsewhere == [[]]
