"""The driver that sends a statement at once, on a real server, beside pg8000 as it comes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError

from folkways.workspace.postgres_driver import LONGEST_KEPT, BriefConnection, speak_briefly

pytestmark = pytest.mark.postgres

NUMBERS = sa.Table(
    "numbers",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("text", sa.Text),
    sa.Column("share", sa.Float),
    sa.Column("data", sa.JSON),
)


@pytest.fixture
def brief(postgres_url: str) -> Iterator[Engine]:
    """An engine with the driver under test, and an empty table."""
    engine = sa.create_engine(postgres_url)
    speak_briefly(engine)
    NUMBERS.create(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def plain(postgres_url: str) -> Iterator[Engine]:
    """An engine with pg8000 as it comes, on the same database."""
    engine = sa.create_engine(postgres_url)
    yield engine
    engine.dispose()


class Wire:
    """Counts how often the driver waits for the server."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.flushes = stream, 0

    def flush(self) -> None:
        self.flushes += 1
        self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def counted(connection: sa.Connection) -> Wire:
    """The wire of a connection, counting from now on."""
    driver = connection.connection.dbapi_connection
    assert driver is not None
    wire = Wire(driver._sock)
    driver._sock = wire
    return wire


def test_a_statement_is_one_message_and_a_transaction_begins_with_its_first(brief: Engine, plain: Engine) -> None:
    seen = {}
    for name, engine in (("brief", brief), ("plain", plain)):
        with engine.connect() as connection:
            wire = counted(connection)
            for number in range(3):
                connection.execute(sa.insert(NUMBERS).values(text=f"{name} {number}"))
            connection.commit()
        seen[name] = wire.flushes
    assert seen["brief"] == 4  # three statements and the end
    assert seen["plain"] == 1 + 4 * 3


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.none() | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    share=st.none() | st.floats(),
    data=st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
        lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text("abc%$'\"", max_size=3), parts, max_size=3),
        max_leaves=6,
    ),
)
def test_what_is_written_is_read_by_both_drivers(brief: Engine, plain: Engine, text: Any, share: Any, data: Any) -> None:
    with brief.begin() as connection:
        connection.execute(sa.delete(NUMBERS))
        connection.execute(sa.insert(NUMBERS).values(id=1, text=text, share=share, data=data))
    query = sa.select(NUMBERS).where(NUMBERS.c.id == 1)
    with brief.connect() as one, plain.connect() as other:
        found, expected = one.execute(query).one(), other.execute(query).one()
    assert repr(found) == repr(expected)  # not ==, which NaN is not
    assert (found.text, found.data) == (text, data)


@pytest.mark.parametrize("times", [1, 2])
def test_an_error_is_the_same_and_the_connection_goes_on(brief: Engine, plain: Engine, times: int) -> None:
    said = []
    for engine in (brief, plain):
        with engine.connect() as connection:
            for _ in range(times):
                with pytest.raises(ProgrammingError) as failed:
                    connection.execute(sa.text("SELECT nothing FROM nowhere WHERE id = :id"), {"id": 1})
                said.append(failed.value.orig.args[0]["C"])  # type: ignore[union-attr]
                connection.rollback()
            assert connection.execute(sa.select(sa.literal(5))).scalar() == 5
    assert said == ["42P01"] * 2 * times


def test_after_an_error_the_transaction_is_over(brief: Engine) -> None:
    with brief.connect() as connection:
        connection.execute(sa.insert(NUMBERS).values(id=1))
        with pytest.raises(IntegrityError):
            connection.execute(sa.insert(NUMBERS).values(id=1))
        with pytest.raises(DBAPIError, match="aborted"):
            connection.execute(sa.select(NUMBERS).where(NUMBERS.c.id == 1))
        connection.rollback()
        assert connection.execute(sa.select(sa.func.count()).select_from(NUMBERS).where(NUMBERS.c.id > 0)).scalar() == 0


def test_percent_signs_and_quotes_in_a_statement_stay(brief: Engine, plain: Engine) -> None:
    query: Any = sa.select(sa.literal_column("'100 % of \"it\" -- $1'"), sa.literal("50 %"))
    with brief.connect() as one, plain.connect() as other:
        assert tuple(one.execute(query).one()) == tuple(other.execute(query).one()) == ('100 % of "it" -- $1', "50 %")


def test_a_statement_too_long_to_be_remembered_works(brief: Engine) -> None:
    rows = [{"id": number, "text": "x" * number} for number in range(1, 501)]
    assert len(str(sa.insert(NUMBERS).values(rows))) > LONGEST_KEPT
    with brief.begin() as connection:
        connection.execute(sa.insert(NUMBERS).values(rows))
        assert (
            connection.execute(sa.select(sa.func.sum(sa.func.length(NUMBERS.c.text))).where(NUMBERS.c.id > 0)).scalar() == 125_250
        )


def test_a_table_that_changed_is_read_as_it_is_now(brief: Engine, plain: Engine) -> None:
    with brief.connect() as connection:
        every = sa.text("SELECT * FROM numbers WHERE id > :least")
        connection.execute(sa.insert(NUMBERS).values(id=1, text="a"))
        assert connection.execute(every, {"least": 0}).one() == (1, "a", None, None)
        connection.commit()
        with plain.begin() as other:
            other.execute(sa.text("ALTER TABLE numbers DROP COLUMN share"))
        assert connection.execute(every, {"least": 0}).one() == (1, "a", None)


def test_a_connection_that_the_network_cut_says_so(brief: Engine) -> None:
    with brief.connect() as connection:
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, BriefConnection)
        driver._usock.shutdown(socket.SHUT_RDWR)
        with pytest.raises(DBAPIError) as failed:
            connection.execute(sa.select(sa.literal(1)))
        assert failed.value.connection_invalidated


def test_a_connection_that_the_server_ended_is_given_up(brief: Engine, plain: Engine) -> None:
    with brief.connect() as connection:
        pid = connection.execute(sa.text("SELECT pg_backend_pid() + :nothing"), {"nothing": 0}).scalar()
        with plain.connect() as other:
            other.execute(sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        with pytest.raises(DBAPIError) as failed:
            connection.execute(sa.select(sa.literal(1)))
        assert failed.value.connection_invalidated
    with brief.connect() as connection:
        assert connection.execute(sa.select(sa.literal(1))).scalar() == 1


def test_a_closed_cursor_and_a_closed_connection_say_so(postgres_url: str) -> None:
    url = make_url(postgres_url)
    assert url.username and url.host and url.port
    driver = BriefConnection(url.username, host=url.host, port=url.port, database=url.database)
    cursor = driver.cursor()
    cursor.close()
    with pytest.raises(Exception, match="Cursor closed"):
        cursor.execute("SELECT %s", (1,))
    driver.close()
    with pytest.raises(Exception, match="connection is closed"):
        driver.cursor().execute("SELECT %s", (1,))
