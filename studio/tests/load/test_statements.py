"""How many statements a person's requests cost: on a server, they are most of what a request costs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from starlette.testclient import TestClient

from folkways_studio.database.opening import open_workspace
from folkways_studio.web.app import create_app
from perf.studio.scenario import FAST, prepare

MOST = {"page": 7, "draft": 9, "submit": 21}
"""With BEGIN, of which SQLite needs one to read and one to write. Before rows were read once they were 20, 15 and 39."""

FIELD = re.compile(r'name="(csrf|key|version)" value="([^"]*)"')


def test_a_task_costs_no_more_statements_than_it_did(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    invitation = prepare(workspace, replace(FAST, items=4))
    told: list[str] = []
    sa.event.listen(workspace.engine, "before_cursor_execute", lambda *arguments: told.append(arguments[2]))
    counted: dict[str, int] = {}
    browser = TestClient(create_app(workspace), base_url="http://localhost", headers={"Origin": "http://localhost"})
    fields = dict(FIELD.findall(browser.get(invitation).text))
    page = browser.post(invitation, data=fields)
    fields = dict(FIELD.findall(page.text))
    page = browser.post("/work/load/consent", data={**fields, "agree": "yes"})
    place = browser.post("/work/load/next", data=fields, follow_redirects=False).headers["location"]
    for _ in range(2):
        told.clear()
        page = browser.get(place)
        counted["page"] = len(told)
        fields = dict(FIELD.findall(page.text)) | {"choices": "1"}
        told.clear()
        assert browser.post(f"{place}/draft", data={**fields, "revision": "0"}).json() == {"revision": 1}
        counted["draft"] = len(told)
        told.clear()
        sent = browser.post(f"{place}/submit", data=fields, follow_redirects=False)
        counted["submit"] = len(told)
        assert sent.headers["location"] not in ("", place)
        place = sent.headers["location"]
    workspace.close()
    assert {name: count for name, count in counted.items() if count > MOST[name]} == {}
    assert counted.keys() == MOST.keys()
