"""Connections to a server that may have gone: asked before they are used, but only after they have lain idle
for a while.

Asking every time, as SQLAlchemy's ``pool_pre_ping`` does, costs one more message to the server for each of a
page's transactions.
"""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DisconnectionError

IDLE_SECONDS = 5.0
USED = "folkways_used"


def ask_idle_connections(engine: Engine) -> None:
    """Have connections of ``engine`` that were not used for IDLE_SECONDS asked first; one that is dead is
    replaced unseen."""

    def given_back(_: Any, record: Any) -> None:
        record.info[USED] = time.monotonic()

    def taken(connection: Any, record: Any, _: Any) -> None:
        used = record.info.get(USED)
        if used is None or time.monotonic() - used < IDLE_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error

    sa.event.listen(engine, "checkin", given_back)
    sa.event.listen(engine, "checkout", taken)
