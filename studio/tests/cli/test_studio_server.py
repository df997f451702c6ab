"""The commands of ``folkways studio`` on a server elsewhere: the same words as on a workspace, through the
API."""

from __future__ import annotations

import io
import json
import re
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from folkways.errors import FolkwaysError
from folkways_studio.clients import json_client
from folkways_studio.clients import remote as remote_client
from folkways_studio.clients.json_client import JsonClient
from folkways_studio.clients.remote import RemoteStudyClient
from folkways_studio.people import accounts, participants
from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from folkways_studio.studies import service as studies
from studio.tests.cli.conftest import check_assigning
from studio.tests.support.broken_zips import DAMAGES
from studio.tests.support.studies import trained
from studio.tests.support.studio_server import StudioProcess
from tests.support.command_line import Folkways

HEADER = "id,question,option_a,option_b,option_c,option_d\n"
QUESTIONS = f"{HEADER}q1,What?,a,b,c,d\nq2,Why?,a,b,c,d\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioProcess]:
    with StudioProcess(tmp_path_factory.mktemp("studio") / "studio.db") as running:
        accounts.create_account(running.workspace, "me@example.org", None)
        accounts.create_account(running.workspace, "r@example.org", None)
        yield running


@pytest.fixture
def remote(
    folkways: Folkways, server: StudioProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Folkways:
    """The command line in an empty folder, with the server and a token in the environment."""
    monkeypatch.chdir(tmp_path)
    account = accounts.find_account(server.workspace, "me@example.org")
    assert account is not None
    _, text = tokens.create_token(server.workspace, account.id, study_id=None, scope=Scope.WRITE)
    monkeypatch.setenv("FOLKWAYS_STUDIO_TOKEN", text)
    monkeypatch.setenv("FOLKWAYS_STUDIO_SERVER", server.url)
    Path("questions.csv").write_text(QUESTIONS)
    return folkways


def test_a_study_is_run_from_elsewhere(remote: Folkways, server: StudioProcess) -> None:
    made = remote("studio", "create-study", "verification", "--open")
    assert made.stdout.startswith("made the study verification (open)"), made.stderr
    population = ("--population", "united-kingdom")
    added = remote("studio", "import", "verification", "verify", "questions.csv", *population)
    assert added.stdout == "added 2 items to verify\n", added.stderr
    again = remote("studio", "import", "verification", "verify", "questions.csv", *population)
    assert again.returncode == 2 and "row 1: there is an item 'q1' already" in again.stderr
    assert remote("studio", "studies").stdout.startswith("verification  open")
    assert (
        "verify united-kingdom: 0 items done, 2 open" in remote("studio", "progress", "verification").stdout
    )
    Path("many.csv").write_text(HEADER + "".join(f"m{number},What?,a,b,c,d\n" for number in range(501)))
    many = remote("studio", "import", "verification", "verify", "many.csv", "--population", "wales")
    assert many.stdout == "added 501 items to verify\n", many.stderr
    again = remote("studio", "import", "verification", "verify", "many.csv", "--population", "wales")
    assert (
        again.returncode == 2
        and "many.csv: 501 rows cannot be used\n  row 1: there is an item 'm0' already" in again.stderr
    )
    link = remote("studio", "invite", "verification", *population).stdout.strip()
    assert re.fullmatch(re.escape(server.url) + r"/join/\S+", link)
    stranger = remote("studio", "account", "r@example.org", "--study", "verification", "--role", "expert")
    assert (
        stranger.returncode == 2
        and "nobody of this study signs in with that name; send an invitation" in stranger.stderr
    )

    person = participants.join(server.workspace, link.rpartition("/")[2])
    study = studies.get_study(server.workspace, "verification")
    participants.consent(server.workspace, person.id, study.consent_version)
    participants.waive_eligibility(server.workspace, study.id, person.id, "a test", by=study.created_by or 0)
    refused = remote("studio", "hand-out", "verification", "verify", person.pseudonym, "--out", "work.xlsx")
    assert refused.returncode == 2 and "has not gone through the training of this stage" in refused.stderr
    trained(server.workspace, study.id, person.id, "verify")
    handed = remote("studio", "hand-out", "verification", "verify", person.pseudonym, "--out", "work.xlsx")
    assert handed.stdout == "wrote work.xlsx\n", handed.stderr
    from openpyxl import load_workbook

    book = load_workbook("work.xlsx")
    titles = [cell.value for cell in book.worksheets[0][1]]
    for row in (2, 3):
        book.worksheets[0].cell(row, titles.index("choices") + 1).value = "B"
    book.save("work.xlsx")
    book.worksheets[0].cell(1, titles.index("comment") + 1).value = "Remark"
    book.save("changed.xlsx")
    changed = remote("studio", "take-in", "verification", person.pseudonym, "changed.xlsx")
    assert changed.returncode == 2 and "changed.xlsx: has no column comment; leave" in changed.stderr
    taken = remote("studio", "take-in", "verification", person.pseudonym, "work.xlsx")
    assert taken.stdout == "2 answers stored, 0 were there already, 0 rows are empty\n", taken.stderr
    assert "percent" in remote("studio", "agreement", "verification").stdout
    exported = remote("studio", "export", "verification", "--out", "votes")
    assert "wrote votes/votes.csv" in exported.stdout
    assert Path("votes/votes.csv").read_text().count(person.pseudonym) == 2
    assert remote("studio", "set", "verification", "pause").stdout == "verification is paused\n"
    assert not Path("folkways.db").exists()


def test_items_are_assigned_from_elsewhere(remote: Folkways, server: StudioProcess) -> None:
    remote("studio", "create-study", "verification", "--name", "assigned", "--open")
    remote("studio", "import", "assigned", "verify", "questions.csv", "--population", "united-kingdom")
    link = remote("studio", "invite", "assigned", "--population", "united-kingdom").stdout.strip()
    person = participants.join(server.workspace, link.rpartition("/")[2])
    study = studies.get_study(server.workspace, "assigned")
    participants.consent(server.workspace, person.id, study.consent_version)
    participants.waive_eligibility(server.workspace, study.id, person.id, "a test", by=study.created_by or 0)
    check_assigning(remote, "assigned", person.pseudonym)


def test_pictures_are_brought_from_elsewhere(remote: Folkways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkways_studio.clients.remote.LARGEST_BYTES", 30)  # so that three go in two parts
    monkeypatch.setattr("folkways_studio.clients.remote.PAGE", 2)  # and are listed on two pages
    assert remote("studio", "create-study", "verification", "--name", "pictures", "--open").returncode == 0
    files = {"한국 '1'.gif": b"GIF89a one", "b.gif": b"GIF89a two\r\n--", "c.gif": b"GIF89a three"}
    for name, content in files.items():
        Path(name).write_bytes(content)
    assert remote("studio", "media", "pictures", *files).stdout == "added 3 files to pictures\n"
    assert remote("studio", "media", "pictures", *files).stdout == "added 0 files to pictures\n"
    listed = [f"{name}  image/gif  {len(content)} bytes" for name, content in sorted(files.items())]
    assert remote("studio", "media", "pictures").stdout.splitlines() == listed
    Path("b.gif").write_bytes(b"GIF89a of other contents")
    wrong = remote("studio", "media", "pictures", "b.gif")
    assert wrong.returncode == 2
    assert "Nothing was taken over.\n  b.gif: is in the study already with other contents" in wrong.stderr
    assert (
        remote("studio", "media", "pictures", "--delete", "c.gif").stdout == "deleted c.gif from pictures\n"
    )
    assert remote("studio", "media", "pictures").stdout.splitlines() == [
        line for line in listed if "c.gif" not in line
    ]


def test_what_is_wrong_is_said(
    remote: Folkways, monkeypatch: pytest.MonkeyPatch, server: StudioProcess
) -> None:
    wrong = {
        "create-study verification --owner me": "leave --owner out",
        "progress nowhere": "There is no such study",
        "account somebody@example.org": "invite people",
        "studies --server http://studio.example.org": "is not an address of the studio",
        "studies --server http://127.0.0.1:9": "does not answer",
    }
    for line, words in wrong.items():
        done = remote("studio", *line.split())
        assert done.returncode == 2 and words in done.stderr, done.stderr
    monkeypatch.setenv("FOLKWAYS_STUDIO_TOKEN", "folkways_s3cret")
    done = remote("studio", "studies")
    assert "This token is not known" in done.stderr and "s3cret" not in done.stderr
    monkeypatch.delenv("FOLKWAYS_STUDIO_TOKEN")
    assert "FOLKWAYS_STUDIO_TOKEN" in remote("studio", "studies").stderr


def test_tokens_are_made_listed_and_revoked(
    folkways: Folkways, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOLKWAYS_STUDIO_PASSWORD", "a password of the tests")
    folkways("studio", "create-study", "verification", "--owner", "me")
    made = folkways(
        "studio", "token", "me", "--study", "verification", "--scope", "write", "--note", "nightly export"
    )
    assert re.fullmatch(r"folkways_\S{43}\n", made.stdout)
    listed = folkways("studio", "tokens", "--study", "verification").stdout
    assert re.fullmatch(r"1  me  write  until \d{4}-\d\d-\d\d  never used  nightly export\n", listed)
    assert folkways("studio", "tokens").stdout == ""
    assert "no such token" in folkways("studio", "revoke-token", "1").stderr
    assert folkways("studio", "revoke-token", "1", "--study", "verification").stdout == "token 1 is revoked\n"
    assert "revoked" in folkways("studio", "tokens", "--study", "verification").stdout
    assert "there is no account 'you' in folkways.db" in folkways("studio", "token", "you").stderr


@pytest.fixture
def hostile() -> Iterator[HTTPServer]:
    """A server that leads elsewhere, and whose export would write outside of its folder."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as archive:
                archive.writestr("../outside.csv", "x")
            export = "/export" in self.path
            self.send_response(200 if export else 302)
            self.send_header("Location", "http://127.0.0.1:9/")
            self.end_headers()
            self.wfile.write(getattr(self.server, "export", buffer.getvalue()) if export else b"")

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def receiving() -> Iterator[tuple[HTTPServer, list[dict[str, int]]]]:
    """A server that takes pictures named so in, and says no to one called ``refused.png``; the files of each request,
    with their sizes."""
    requests: list[dict[str, int]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            boundary = re.search(r"boundary=(\S+)", self.headers["Content-Type"])
            assert boundary is not None
            parts = [each.split(b"\r\n\r\n", 1) for each in body.split(b"--" + boundary[1].encode())[1:-1]]
            names = [re.search(rb'filename="([^"]+)"', head) for head, _ in parts]
            requests.append(
                {
                    name[1].decode(): len(content) - 2
                    for name, (_, content) in zip(names, parts, strict=True)
                    if name
                }
            )
            refused = "refused.png" in requests[-1]
            reply = json.dumps({"detail": "no"} if refused else {"added": len(parts)}).encode()
            self.send_response(422 if refused else 201)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server, requests
        server.shutdown()


@pytest.mark.parametrize(
    ("sizes", "parts"),
    [
        ([], []),
        ([100], [[100]]),
        ([60, 40], [[60, 40]]),
        ([60, 41], [[60], [41]]),
        ([100, 100, 1], [[100], [100], [1]]),
        ([1, 99, 1, 50, 49, 1], [[1, 99], [1, 50, 49], [1]]),
        ([7] * 15, [[7] * 14, [7]]),
    ],
)
def test_pictures_are_sent_in_their_order_in_parts_of_the_most_that_a_request_has(
    receiving: tuple[HTTPServer, list[dict[str, int]]],
    monkeypatch: pytest.MonkeyPatch,
    sizes: list[int],
    parts: list[list[int]],
) -> None:
    server, requests = receiving
    monkeypatch.setenv("FOLKWAYS_STUDIO_TOKEN", "folkways_s3cret")
    monkeypatch.setattr(remote_client, "LARGEST_BYTES", 100)
    client = RemoteStudyClient(f"http://127.0.0.1:{server.server_port}")
    pictures = {f"{number}.png": ("image/png", b"x" * size) for number, size in enumerate(sizes)}
    assert client.add_media("any", pictures) == len(sizes)
    assert [[*each.values()] for each in requests] == parts
    assert [name for each in requests for name in each] == [*pictures]


@pytest.mark.parametrize(
    ("before", "words"), [(0, ""), (1, "1 file had been added before"), (2, "2 files had been added before")]
)
def test_who_sends_pictures_of_which_one_is_refused_reads_how_many_were_added_before(
    receiving: tuple[HTTPServer, list[dict[str, int]]],
    monkeypatch: pytest.MonkeyPatch,
    before: int,
    words: str,
) -> None:
    server, requests = receiving
    monkeypatch.setenv("FOLKWAYS_STUDIO_TOKEN", "folkways_s3cret")
    monkeypatch.setattr(remote_client, "LARGEST_BYTES", 100)
    client = RemoteStudyClient(f"http://127.0.0.1:{server.server_port}")
    names = [*(f"{number}.png" for number in range(before)), "refused.png", "later.png"]
    with pytest.raises(FolkwaysError) as caught:
        client.add_media("any", dict.fromkeys(names, ("image/png", b"x" * 100)))
    assert str(caught.value).partition("\n")[2] == words
    assert len(requests) == before + 1, "nothing is sent after a refusal"


RUNNING = (200, {"id": 7, "state": "running", "added": 1, "rows": None})
WAITING = (200, {"id": 7, "state": "waiting", "added": 0, "rows": 5})
DONE = (200, {"id": 7, "state": "done", "added": 3, "rows": 5, "notes": ["one"]})
NO = (404, {"detail": "no"})
GOES_ON = "\nthe server goes on with the import by itself; its page is Data, import 7"


@pytest.fixture
def importing() -> Iterator[HTTPServer]:
    """A server whose ``replies`` (status, body; None for a connection that it closes) come one after another,
    the last of them again and again."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            replies = self.server.replies  # type: ignore[attr-defined]
            reply = replies.pop(0) if len(replies) > 1 else replies[0]
            if reply is None:
                return
            content = json.dumps(reply[1]).encode()
            self.send_response(reply[0])
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize(
    ("replies", "ends"),
    [
        ([DONE], ([], (3, ("one",)))),
        ([(200, {"added": 2})], ([], (2, ()))),
        ([RUNNING, WAITING, DONE], ([(1, 2), (0, 5)], (3, ("one",)))),
        ([RUNNING, (500, {}), (503, {}), None, DONE], ([(1, 2)], (3, ("one",)))),
        ([RUNNING, NO, DONE], ([(1, 2)], f"the studio: no{GOES_ON}")),
        ([RUNNING, (499, {"detail": "no"}), DONE], ([(1, 2)], f"the studio: no{GOES_ON}")),
        ([RUNNING, (500, {"detail": "no"})], ([(1, 2)], f"the studio: no{GOES_ON}")),
        (
            [RUNNING, (200, {"state": "failed", "error": "row 2: no", "problems": [{"where": "a", "what": "b"}]})],
            ([(1, 2)], "a.csv: row 2: no\n  a: b"),
        ),
        (
            [(200, {"state": "cancelled", "error": None, "problems": []})],
            ([], "a.csv: the import was cancelled on the server"),
        ),
    ],
)  # fmt: skip
def test_an_import_in_the_background_is_waited_for_until_it_ends_or_nobody_answers(
    importing: HTTPServer, monkeypatch: pytest.MonkeyPatch, replies: list[object], ends: tuple[object, object]
) -> None:
    monkeypatch.setenv("FOLKWAYS_STUDIO_TOKEN", "folkways_s3cret")
    monkeypatch.setattr(remote_client, "SOONEST", 0.0)
    monkeypatch.setattr(remote_client, "LATEST", 0.05)
    monkeypatch.setattr(remote_client, "PATIENCE", 0.3 if replies[-1] != DONE else 30.0)
    importing.replies = [*replies]  # type: ignore[attr-defined]
    client = RemoteStudyClient(f"http://127.0.0.1:{importing.server_port}")
    progress: list[tuple[int, int]] = []

    def imported() -> object:
        try:
            return client.import_items(
                "any", "verify", [{}, {}], None, "a.csv", lambda *at: progress.append(at)
            )
        except FolkwaysError as error:
            return str(error)

    end = imported()
    assert (progress, end) == ends


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_an_export_that_is_no_archive_is_said_to_be_none(
    hostile: HTTPServer, monkeypatch: pytest.MonkeyPatch, damage: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setenv("FOLKWAYS_STUDIO_TOKEN", "folkways_s3cret")
    client = RemoteStudyClient(f"http://127.0.0.1:{hostile.server_port}")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("votes.csv", "x,y\n" * 99)
    hostile.export = damage(buffer.getvalue())  # type: ignore[attr-defined]
    with pytest.raises(FolkwaysError, match="the server's export is no ZIP"):
        client.export("any", "csv")


def test_a_token_goes_to_no_other_server_and_an_export_nowhere_else(
    hostile: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLKWAYS_STUDIO_TOKEN", "folkways_s3cret")
    client = RemoteStudyClient(f"http://127.0.0.1:{hostile.server_port}")
    with pytest.raises(FolkwaysError, match="it answered 302"):
        client.studies()
    with pytest.raises(FolkwaysError, match="outside of its folder"):
        client.export("any", "csv")
    assert json_client.MOST_BYTES == 2**30, "an export of a large study fits"
    monkeypatch.setattr(json_client, "MOST_BYTES", 10)
    with pytest.raises(FolkwaysError, match="answered with more than 10 bytes"):
        client.export("any", "csv")
    with pytest.raises(FolkwaysError, match="is not an address"):
        JsonClient("https://me:secret@example.org", "the studio", "Bearer x")
