"""What happens in a study is told to addresses: signed, again after a failure, never to the server's own
network unless allowed."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aiohttp
import pytest
import sqlalchemy as sa

from folkways_studio.addresses import PrivateAddressError, public_connector
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.programs import deliveries, webhook_sender, webhooks
from folkways_studio.programs.deliveries import PAUSES, claim_due, settle
from folkways_studio.records import StudyState
from folkways_studio.studies import service as studies
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, StudyFixture, open_study
from studio.tests.web.api.conftest import Program, problem
from studio.tests.web.two_studies import TwoStudies
from tests.support.frozen_time import at_time

STAGES = [{"name": "verify", "kind": "vote"}]


@dataclass
class Receiver:
    """A server that keeps what it is told, and answers what it is asked to."""

    url: str = ""
    status: int = 204
    told: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def wait(self, count: int = 1) -> list[tuple[dict[str, str], bytes]]:
        end = time.monotonic() + 15
        while len(self.told) < count and time.monotonic() < end:
            time.sleep(0.05)
        assert len(self.told) >= count
        return self.told


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.told.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(found.status)
            self.send_header("Location", found.url)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        found.url = f"http://127.0.0.1:{server.server_port}/hook"
        yield found
        server.shutdown()


def test_what_happens_is_told_and_signed(
    program: Callable[..., Program], two_studies: TwoStudies, receiver: Receiver
) -> None:
    api, place = program(), f"/studies/{two_studies.study.name}"
    made = api.post(
        f"{place}/webhooks", {"url": receiver.url, "events": ["study.paused", "item.adjudicated"]}
    )
    assert "secret" not in api.get(f"{place}/webhooks")[-1]
    api.post(
        f"{place}/items/{two_studies.values['item']}/decisions",
        {"answer": {"choices": [1]}, "reason": "as it is"},
    )
    headers, body = receiver.wait()[0]
    told = json.loads(body)
    assert told["type"] == "item.adjudicated" and told["timestamp"].startswith("20")
    assert (told["data"]["study"], told["data"]["subject"]) == (
        two_studies.study.name,
        f"item:{two_studies.values['item']}",
    )
    # As https://www.standardwebhooks.com says that a receiver checks it.
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(made["secret"].removeprefix("whsec_"))
    assert len(key) == 32
    right = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{right}"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 30
    end = time.monotonic() + 10
    while (rows := api.get(f"{place}/webhooks/{made['id']}/deliveries")["data"])[0]["state"] == "waiting":
        assert time.monotonic() < end
    assert [(each["state"], each["status"], each["attempts"]) for each in rows] == [("done", 204, 1)]
    assert api.ask("DELETE", f"{place}/webhooks/{made['id']}").status == 204
    problem(api.ask("GET", f"{place}/webhooks/{made['id']}/deliveries"), 404)


def test_wrong_webhooks_are_refused_in_words(
    program: Callable[..., Program], two_studies: TwoStudies
) -> None:
    api, place = program(), f"/studies/{two_studies.study.name}/webhooks"
    for url in (
        "ftp://example.org/",
        "https://me:secret@example.org/",
        "https://",
        "http://[",
        "https://a b/",
    ):
        assert problem(api.ask("POST", place, {"url": url}), 422)["problems"][0]["where"] == "url"
    told = problem(api.ask("POST", place, {"url": "https://example.org/", "events": ["item.dnoe"]}), 422)
    assert "item.done" in told["problems"][0]["what"]


def move(study: StudyFixture, state: StudyState) -> None:
    studies.set_state(study.workspace, study.record.id, state)


def hook_of(study: StudyFixture, url: str = "https://example.org/", *events: str) -> webhooks.Webhook:
    return webhooks.create_webhook(study.workspace, study.record.id, url, events)[0]


@ON_BOTH
def test_only_chosen_events_of_its_study_are_queued_and_taken_once(study: StudyFixture) -> None:
    workspace, now = study.workspace, time.time() + 5
    hook = hook_of(study, "https://example.org/", "study.paused")
    other = open_study(workspace, STAGES, name="other")
    studies.set_state(workspace, other.record.id, StudyState.PAUSED)
    move(study, StudyState.PAUSED)
    move(study, StudyState.OPEN)
    taken = at_time(now, claim_due, workspace)
    assert [(each.body["type"], each.body["data"]["study"]) for each in taken] == [
        ("study.paused", study.record.name)
    ]
    assert at_time(now, claim_due, workspace) == []
    assert [each.id for each in at_time(now + deliveries.LEASE_SECONDS, claim_due, workspace)] == [
        taken[0].id
    ]  # its taker died
    with pytest.raises(NotFoundError):
        webhooks.delete_webhook(workspace, other.record.id, hook.id)


@ON_BOTH
def test_what_is_rolled_back_is_not_told(study: StudyFixture) -> None:
    hook = hook_of(study)
    with pytest.raises(ZeroDivisionError), study.workspace.write() as connection:
        audit.record_event(connection, "study.paused", study.record.id)
        assert connection.scalars(sa.select(schema.deliveries.c.id)).all(), "it was queued"
        _ = 1 / 0
    kinds = [each.kind for each in deliveries.list_deliveries(study.workspace, [hook.id])]
    assert kinds == ["webhook.created"]


@ON_A_FILE
def test_a_failed_delivery_is_tried_again_later_and_later_until_the_webhook_is_switched_off(
    study: StudyFixture,
) -> None:
    workspace, now = study.workspace, time.time() + 1
    hook = hook_of(study)
    for pause in (*PAUSES, None):
        (parcel,) = at_time(now, claim_due, workspace)
        at_time(now, settle, workspace, parcel, 500, "it answered 500")
        assert webhooks.get_webhook(workspace, study.record.id, hook.id).enabled == (pause is not None)
        if pause is not None:
            assert at_time(now + pause - 1, claim_due, workspace) == []
            now += pause
    (row,) = deliveries.list_deliveries(workspace, [hook.id])
    assert (row.state, row.attempts, row.status) == ("failed", len(PAUSES) + 1, 500)
    move(study, StudyState.PAUSED)
    assert at_time(now + 10, claim_due, workspace) == []
    webhooks.enable_webhook(workspace, study.record.id, hook.id)
    assert [each.body["type"] for each in at_time(now + 10, claim_due, workspace)] == ["webhook.enabled"]


@ON_A_FILE
def test_a_webhook_that_fails_rests_and_what_failed_before_comes_first(study: StudyFixture) -> None:
    workspace, now = study.workspace, time.time() + 1
    hook_of(study)
    (first,) = at_time(now, claim_due, workspace)
    for _ in range(5):
        move(study, StudyState.PAUSED)
        move(study, StudyState.OPEN)
    at_time(now, settle, workspace, first, 500, "it answered 500")
    assert at_time(now + PAUSES[0] - 1, claim_due, workspace) == []
    taken = at_time(now + PAUSES[0], claim_due, workspace)
    assert len(taken) == deliveries.AT_ONCE and (taken[0].id, taken[0].attempt) == (first.id, 2)
    at_time(now + PAUSES[0], settle, workspace, taken[0], 200, None)
    at_time(now + PAUSES[0], settle, workspace, taken[1], 500, "it answered 500")
    assert len(at_time(now + PAUSES[0], claim_due, workspace)) == deliveries.AT_ONCE, (
        "it took one: only the other waits"
    )


@ON_A_FILE
def test_a_webhook_that_takes_others_stays_on_and_one_that_is_gone_does_not(study: StudyFixture) -> None:
    workspace, now = study.workspace, time.time() + 1
    hook = hook_of(study)
    (parcel,) = at_time(now, claim_due, workspace)
    move(study, StudyState.PAUSED)
    (other,) = at_time(now + 1, claim_due, workspace)
    at_time(now + 2, settle, workspace, other, 200, None)
    last = deliveries.ClaimedDelivery(
        **{**{name: getattr(parcel, name) for name in parcel.__slots__}, "attempt": len(PAUSES) + 1}
    )
    at_time(now + 3, settle, workspace, last, 500, "it answered 500")
    assert webhooks.get_webhook(workspace, study.record.id, hook.id).enabled
    move(study, StudyState.OPEN)
    (parcel,) = at_time(time.time() + 1, claim_due, workspace)
    settle(workspace, parcel, 410, "it answered 410")
    found = webhooks.get_webhook(workspace, study.record.id, hook.id)
    assert (found.enabled, found.problem) == (False, "it answered 410")
    at_time(time.time() + deliveries.KEPT_SECONDS + 60, deliveries.forget_old, workspace)
    assert deliveries.list_deliveries(workspace, [hook.id]) == ()


@ON_A_FILE
def test_nothing_private_is_called_and_no_redirect_followed(study: StudyFixture, receiver: Receiver) -> None:
    port = receiver.url.split(":")[2]
    for url in (receiver.url, f"https://127.0.0.1:{port}", f"https://localhost:{port}"):
        hook_of(study, url)

    def send(private: bool) -> list[str | None]:
        parcels = at_time(time.time() + 1, claim_due, study.workspace)
        asyncio.run(webhook_sender.send_together(study.workspace, parcels, private))
        hooks = webhooks.list_webhooks(study.workspace, study.record.id)
        return [deliveries.list_deliveries(study.workspace, [hook.id])[-1].problem for hook in hooks]

    said = send(private=False)
    assert "https://" in (said[0] or "") and "own network" in (said[1] or ""), said
    assert said[2] == webhook_sender.UNREACHED
    assert receiver.told == []
    receiver.status = 302
    hook = hook_of(study, receiver.url, "study.paused")
    move(study, StudyState.PAUSED)
    send(private=True)
    assert len([body for _, body in receiver.told if b"study.paused" in body]) >= 1
    assert deliveries.list_deliveries(study.workspace, [hook.id])[0].problem == "it answered 302"


def test_a_study_has_so_many_webhooks(study: StudyFixture) -> None:
    for _ in range(webhooks.MOST):
        hook = hook_of(study)
    with pytest.raises(ConflictError, match="up to 20 webhooks"):
        hook_of(study)
    webhooks.delete_webhook(study.workspace, study.record.id, hook.id)
    assert hook_of(study)


def test_whatever_keeps_a_delivery_from_getting_there_is_told_in_one_sentence(study: StudyFixture) -> None:
    """Nothing listens, something listens without TLS, there is no such name, it never answers: all the same
    to who asks."""

    class Silent(BaseHTTPRequestHandler):
        def handle(self) -> None:
            time.sleep(1)

    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        port = server.server_port
        urls = (
            f"https://127.0.0.1:{port}",
            "https://127.0.0.1:9",
            "https://nobody.invalid",
            f"http://127.0.0.1:{port}",
            "https://localhost",
        )
        hooks = [hook_of(study, url) for url in urls]
        parcels = at_time(time.time() + 1, claim_due, study.workspace)
        asyncio.run(webhook_sender.send_together(study.workspace, parcels, True))
        server.shutdown()
    told = {each.problem for hook in hooks for each in deliveries.list_deliveries(study.workspace, [hook.id])}
    assert told == {webhook_sender.UNREACHED}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_no_connection_to_a_private_address_is_opened(receiver: Receiver, host: str) -> None:
    """Also where nobody has looked at the address before: the connection itself does not open."""

    async def post() -> None:
        async with (
            aiohttp.ClientSession(connector=public_connector()) as session,
            session.post(f"http://{host}:{port}/"),
        ):
            raise AssertionError

    port = receiver.url.split(":")[2].partition("/")[0]
    with pytest.raises(aiohttp.ClientConnectorError) as refused:
        asyncio.run(post())
    assert isinstance(refused.value.os_error, PrivateAddressError)
    assert receiver.told == []


@ON_A_FILE
def test_the_sender_looks_again_at_once_after_a_delivery_and_rests_when_there_is_none(
    study: StudyFixture, receiver: Receiver, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, looks = study.workspace, []
    hook_of(study, receiver.url)
    for _ in range(deliveries.AT_ONCE):
        move(study, StudyState.PAUSED)
        move(study, StudyState.OPEN)
    queued = 2 * deliveries.AT_ONCE + 1
    monkeypatch.setattr(webhook_sender, "LOOK_SECONDS", 30.0)

    def note(_: object, __: object, statement: str, *___: object) -> None:
        if "row_number" in statement:
            looks.append(len(receiver.told))

    async def until(done: Callable[[], bool], seconds: float) -> None:
        async with webhook_sender.sending(workspace, private=True):
            end = time.monotonic() + seconds
            while not done() and time.monotonic() < end:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)

    sa.event.listen(workspace.engine, "before_cursor_execute", note)
    try:
        asyncio.run(until(lambda: len(looks) >= 4, 20))
    finally:
        sa.event.remove(workspace.engine, "before_cursor_execute", note)
    assert looks == [0, deliveries.AT_ONCE, 2 * deliveries.AT_ONCE, queued]
    assert "cannot be sent" not in caplog.text
    monkeypatch.setattr(webhook_sender, "LOOK_SECONDS", 0.05)
    move(study, StudyState.PAUSED)
    with workspace.write() as connection:
        connection.exec_driver_sql("ALTER TABLE studio_events RENAME TO lost_events")

    def mend() -> bool:
        if "lost" not in broken and "webhooks cannot be sent at this moment" in caplog.text:
            broken.append("lost")
            with workspace.write() as connection:
                connection.exec_driver_sql("ALTER TABLE lost_events RENAME TO studio_events")
        return len(receiver.told) > queued

    broken: list[str] = []
    asyncio.run(until(mend, 20))
    assert broken == ["lost"], "it is said in the log"
    assert len(receiver.told) == queued + 1, "it goes on by itself"
