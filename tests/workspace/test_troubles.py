"""What a database says, as people are told."""

from __future__ import annotations

import pytest
from pg8000 import ProgrammingError
from sqlalchemy.exc import ProgrammingError as Wrapped

from folkways.workspace.database import open_workspace
from folkways.workspace.troubles import WorkspaceError, WorkspaceGoneError, explained


def from_server(code: str, message: str) -> Exception:
    return Wrapped("SELECT 1", (), ProgrammingError({"S": "FATAL", "C": code, "M": message}))


@pytest.mark.parametrize("code", ["57P01", "57P02", "57P03", "53300"])
def test_a_server_that_is_away_is_told_from_one_that_refuses(code: str) -> None:
    assert isinstance(explained("cannot read it", from_server(code, "words")), WorkspaceGoneError)


@pytest.mark.parametrize("code", ["53100", "23505", "28P01"])
def test_the_code_decides_and_not_a_number_in_the_message(code: str) -> None:
    told = explained("cannot read it", from_server(code, "Key (id)=(53300) and 57P03"))
    assert type(told) is WorkspaceError
    assert "Key (id)=(53300)" in str(told)


def test_the_reset_of_a_socket_is_a_server_that_is_away() -> None:
    told = explained("cannot read it", ConnectionResetError(104, "Connection reset by peer"))
    assert isinstance(told, WorkspaceGoneError)
    assert "check that PostgreSQL is running" in str(told)


@pytest.mark.postgres
def test_a_servers_own_words_are_quoted_without_the_rest_of_its_message(postgres_url: str) -> None:
    workspace = open_workspace(postgres_url)
    with pytest.raises(WorkspaceError) as told, workspace.read() as connection:
        connection.exec_driver_sql("SELECT 1/%s::int", (0,))
    assert str(told.value).endswith(": division by zero [SQLSTATE 22012]")
    workspace.close()
