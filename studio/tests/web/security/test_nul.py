"""The character NUL, at which PostgreSQL's texts fail: no address has it, and forms get another."""

from __future__ import annotations

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.items import imports
from folkways_studio.people import accounts
from folkways_studio.records import Role
from folkways_studio.web.app import create_app
from folkways_studio.web.settings import WebSettings
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import ON_BOTH, PASSWORD, open_study, stored
from studio.tests.web.http import CSRF


@ON_BOTH
@pytest.mark.parametrize("origin", [None, "https://example.org/studio"])
def test_an_address_with_nul_is_that_of_no_page(studio_workspace: Workspace, origin: str | None) -> None:
    settings = WebSettings(origin=origin)
    client = AppClient(create_app(studio_workspace, settings), base_url="http://testserver")
    for address in ("/work/a%00b", "/signin?next=%00", "/join/%00", "/static/a%00.css"):
        reply = client.get(settings.prefix + address)
        assert (reply.status_code, reply.text) == (404, "There is no such page.\n"), address
        assert "content-security-policy" in reply.headers
    reply = client.get(settings.prefix + "/api/v1/studies/a%00b")
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")
    assert client.get(settings.prefix + "/signin?next=/%2500").status_code == 200


@ON_BOTH
def test_nul_in_a_form_is_a_sign_that_stands_for_it(studio_workspace: Workspace) -> None:
    client = AppClient(create_app(studio_workspace), base_url="http://testserver")
    accounts.create_account(studio_workspace, "a\ufffdb", PASSWORD)
    for login, password, status in (("a\0b", PASSWORD, 303), ("a\0b", "\0" * 12, 403), ("ab", PASSWORD, 403)):
        found = CSRF.search(client.get("/signin").text)
        assert found
        fields = {"csrf": found[1], "login": login, "password": password}
        reply = client.post("/signin", data=fields, headers={"Origin": "http://testserver"})
        assert reply.status_code == status
        client.cookies.clear()
    assert len(stored(studio_workspace, schema.sessions)) == 1


@ON_BOTH
def test_nul_in_the_name_of_a_file_is_a_sign_that_stands_for_it(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    account = accounts.create_account(studio_workspace, "ann", PASSWORD)
    accounts.give_role(studio_workspace, study.record.id, account.id, Role.RESEARCHER)
    client = AppClient(create_app(studio_workspace), base_url="http://testserver")
    headers = {"Origin": "http://testserver"}
    found = CSRF.search(client.get("/signin").text)
    assert found
    client.post("/signin", data={"csrf": found[1], "login": "ann", "password": PASSWORD}, headers=headers)
    found = CSRF.search(client.get(f"/studies/{study.record.name}/data").text)
    assert found
    lines = [
        *('--B', 'Content-Disposition: form-data; name="csrf"', "", found[1]),
        *('--B', 'Content-Disposition: form-data; name="stage"', "", "verify"),
        *('--B', 'Content-Disposition: form-data; name="file"; filename="q\0.csv"', "", "id\nq1", "--B--", ""),
    ]  # fmt: skip
    headers["Content-Type"] = "multipart/form-data; boundary=B"
    address = f"/studies/{study.record.name}/data/items"
    reply = client.post(address, content="\r\n".join(lines).encode(), headers=headers)
    assert reply.status_code == 303, reply.text
    (job,) = imports.list_imports(studio_workspace, study.record.id)
    assert job.file == "q\ufffd.csv"
