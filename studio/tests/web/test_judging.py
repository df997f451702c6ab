"""Judging what models answered: drawn from a stored run, judged with flags, leaving as the error table
(BLEnD, section 5)."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways.api import run
from studio.tests.web.conftest import ServedStudy, begin, send
from tests.support.chat_server import ChatServer

pytestmark = pytest.mark.browser

STAGES = [{"name": "judge", "kind": "judge_answer", "title": "Judge answers"}]
POPULATIONS = [{"name": "us", "culture": "US", "language": "en"}, {"name": "china", "culture": "CN"}]


@pytest.mark.nightly
def test_answers_of_a_run_are_drawn_judged_and_leave_as_a_table(
    make_study: Callable[..., ServedStudy],
) -> None:
    study = make_study(STAGES, populations=POPULATIONS)
    with ChatServer(mode="fixed:nothing of the kind") as server:
        run(["demo/saq"], models=[f"{server.url}/v1#m"], workspace=study.workspace, name="drawn")
    researcher = study.researcher("/data")
    researcher.get_by_label("Run, by its name").fill("nowhere")
    researcher.get_by_role("button", name="Draw").click()
    expect(researcher.get_by_role("alert")).to_contain_text("nowhere")
    researcher.get_by_label("Run, by its name").fill("drawn")
    researcher.get_by_label("Answers per culture").fill("2")
    researcher.get_by_role("button", name="Draw").click()
    expect(researcher.get_by_role("status")).to_contain_text("4 items were added.")

    judge = study.guest("us")
    begin(judge)
    expect(judge.locator(".quote")).to_have_text("nothing of the kind")
    shown = judge.locator("main").inner_text()
    assert "/v1#m" not in shown and "drawn" not in shown and "demo/saq" not in shown
    judge.keyboard.press("3")
    judge.get_by_label("Nonsensical").check()
    judge.get_by_label("Refusal").check()
    send(judge)
    judge.wait_for_selector("form[data-ready]")
    judge.get_by_label("Conditionally applicable").check()
    send(judge)
    expect(judge.get_by_role("heading", name="Thank you")).to_be_visible()

    study.open(researcher, f"{study.path}/data")
    with researcher.expect_download() as download:
        researcher.get_by_role("link", name="Release").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        labels = list(csv.DictReader(io.StringIO(archive.read("labels.csv").decode())))
        errors = list(csv.DictReader(io.StringIO(archive.read("errors.csv").decode())))
    assert sorted(float(row["label"]) for row in labels) == [0.0, 0.5]
    assert len(errors) == 1
    assert study.errors == []
