"""Sends webhooks: a task of the server that looks for due deliveries, signs and sends them."""

from __future__ import annotations

import asyncio
import base64
import hmac
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from folkways.sdk.workspace import Workspace, WorkspaceError
from folkways_studio.addresses import AddressError, public_connector
from folkways_studio.programs.deliveries import ClaimedDelivery, claim_due, forget_old, settle
from folkways_studio.programs.sealing import SealError, unseal
from folkways_studio.programs.webhooks import SECRET_PREFIX, check_target

if TYPE_CHECKING:
    from aiohttp import ClientSession

LOOK_SECONDS = 2.0
TIMEOUT_SECONDS = 10.0
FORGET_SECONDS = 3600.0
UNREACHED = (
    f"no server that can be trusted answered there within {TIMEOUT_SECONDS:g} s, or it is of the "
    "server's own network"
)
"""One message for everything that keeps a delivery from arriving: details would reveal which machines exist.
"""

LOG = logging.getLogger("folkways_studio")


def signature(secret: str, message: str, timestamp: int, body: bytes) -> str:
    """The header ``webhook-signature`` of Standard Webhooks: HMAC-SHA256 over message id, timestamp and body,
    joined by full stops.
    secret: ``whsec_`` and the key in Base64."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = b".".join((message.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.digest(key, signed, sha256)).decode()


@asynccontextmanager
async def sending(workspace: Workspace, *, private: bool) -> AsyncIterator[None]:
    """Send due deliveries until the block ends. private: also to addresses in the server's own network."""
    task = asyncio.create_task(_send_all(workspace, private))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _send_all(workspace: Workspace, private: bool) -> None:
    forgotten = time.monotonic()
    while True:
        parcels: list[ClaimedDelivery] = []
        try:
            parcels = await asyncio.to_thread(claim_due, workspace)
            if parcels:
                await send_together(workspace, parcels, private)
            if time.monotonic() - forgotten > FORGET_SECONDS:
                forgotten = time.monotonic()
                await asyncio.to_thread(forget_old, workspace)
        except Exception as error:  # go on with the next deliveries without a restart
            of_database = isinstance(error, WorkspaceError)
            why = f": {error}" if of_database else ""
            LOG.error("webhooks cannot be sent at this moment%s", why, exc_info=not of_database)
            await asyncio.sleep(LOOK_SECONDS)
        if not parcels:
            await asyncio.sleep(LOOK_SECONDS)


async def send_together(workspace: Workspace, parcels: list[ClaimedDelivery], private: bool) -> None:
    """Send deliveries that were claimed at once, and settle each. private: also to addresses in the server's
    own network."""
    from folkways.sdk.http import new_session

    connector = None if private else public_connector()
    async with new_session(seconds=TIMEOUT_SECONDS, connector=connector) as session:
        await asyncio.gather(*(_send(workspace, session, parcel, private) for parcel in parcels))


async def _send(workspace: Workspace, session: ClientSession, parcel: ClaimedDelivery, private: bool) -> None:
    try:
        secret = await asyncio.to_thread(unseal, workspace, parcel.secret)
        status, problem = await _attempt(session, parcel, secret, private)
    except SealError as error:
        status, problem = None, str(error)
    await asyncio.to_thread(settle, workspace, parcel, status, problem)


async def _attempt(
    session: ClientSession, parcel: ClaimedDelivery, secret: str, private: bool
) -> tuple[int | None, str | None]:
    """The receiver's status, and why it did not accept the delivery (None: it did)."""
    from folkways.sdk.http import NoReplyError, open_reply

    at = datetime.fromtimestamp(parcel.body["timestamp"], UTC).isoformat(timespec="milliseconds")
    body = orjson.dumps({**parcel.body, "timestamp": at})
    message, now = f"msg_{parcel.id}", int(time.time())
    headers = {
        "Content-Type": "application/json",
        "webhook-id": message,
        "webhook-timestamp": str(now),
        "webhook-signature": signature(secret, message, now, body),
    }
    try:
        # the server may have been started without allowing it since
        url = check_target(parcel.url, private=private)
        async with open_reply(session, "POST", url, headers=headers, body=body) as opened:
            status = opened.response.status
    except AddressError as error:
        return None, str(error)
    except (NoReplyError, ValueError):
        return None, UNREACHED
    return status, None if 200 <= status < 300 else f"it answered {status}"
