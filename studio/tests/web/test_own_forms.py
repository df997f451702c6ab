"""Forms of a study's own in the studio, by requests of people and researchers: tasks, pictures and sound,
deciding, export."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace
from folkways_studio.items.service import NewItem, add_items, list_items
from folkways_studio.people import sessions
from folkways_studio.records import Role
from folkways_studio.stages.registry import STAGE_KINDS
from folkways_studio.web.app import create_app
from folkways_studio.work.adjudications import drop
from studio.tests.stages.test_form import ANSWERS, ASK, CONTENT
from studio.tests.stages.test_kinds import GOOD
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import StudyFixture, open_study

SHOW = [
    {"field": "text", "type": "text", "label": "Read this"},
    {"field": "dish", "type": "image"},
    {"field": "song", "type": "audio"},
]
STAGES = [
    {"name": "judge", "kind": "form", "answers": 2, "show": SHOW, "ask": ASK, "next": {"disagree": "decide"}},
    {"name": "decide", "kind": "adjudicate", "role": "expert"},
]
MEDIA = {
    "dish": "soup bowl.png",
    "dish_alt": "A bowl of soup",
    "song": "hello.wav",
    "song_transcript": "Hello!",
}
FILLED = {
    "ask-polite": "1", "ask-who": "1", "ask-fit": "1", "ask-age": "7.5", "ask-why": "It is too loud.",
    "ask-words": "7:12", "ask-better": "1", "ask-order-0": "2", "ask-order-1": "3", "ask-order-2": "1",
    "ask-groups-0": "1", "ask-groups-1": "1", "ask-groups-2": "3",
}  # fmt: skip
"""The fields of a page that say ANSWERS."""


def picture() -> bytes:
    """A PNG of one pixel."""
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\xff\0\0")),
        (b"IEND", b""),
    )
    made = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


def recording() -> bytes:
    """A tenth of a second of silence as WAV."""
    data = b"\0" * 1600
    format = struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(data))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + format
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )


class Browser(AppClient):
    """A signed-in person without a browser."""

    def token(self, path: str) -> dict[str, str]:
        """The hidden fields of a page's forms."""
        return dict(re.findall(r'name="(csrf|key|revision)" value="([^"]*)"', self.get(path).text))

    def fill(self, path: str, fields: Mapping[str, Any], page: str, **options: Any) -> Any:
        return self.post(
            path, data={**self.token(page), **fields}, headers={"Origin": str(self.base_url)}, **options
        )


class StudyApp:
    """A study with a form of every type of part, and the application before it."""

    def __init__(self, study: StudyFixture) -> None:
        self.study = study
        self.app = create_app(study.workspace)

    def browser(self, account: int) -> Browser:
        token = sessions.open_session(self.study.workspace, account)
        return Browser(self.app, base_url="http://127.0.0.1", cookies={"folkways_session": token})

    def task(self, browser: Browser) -> str:
        """The address of the next task."""
        home = f"/work/{self.study.record.name}"
        return str(browser.fill(f"{home}/next", {}, home).headers["location"])

    def add(self, key: str, **fields: str) -> int:
        """An item of that key, with other fields than usual."""
        new = [NewItem(key, {**CONTENT, **MEDIA, **fields}, "korea")]
        return add_items(self.study.workspace, self.study.record.id, "judge", new)[0].id

    def bring(self, owner: Browser, files: Mapping[str, bytes]) -> Any:
        data = f"/studies/{self.study.record.name}/data"
        return owner.fill(
            f"{data}/media", {}, data, files=[("file", (name, content)) for name, content in files.items()]
        )


@pytest.fixture
def study_app(tmp_path: Path) -> Iterator[StudyApp]:
    workspace = open_workspace(tmp_path / "w.db")
    yield StudyApp(open_study(workspace, STAGES))
    workspace.close()


@pytest.fixture
def owner(study_app: StudyApp) -> Browser:
    browser = study_app.browser(study_app.study.owner)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("media/hello.wav", recording())
        packed.writestr("__MACOSX/._hello.wav", b"?")
    brought = study_app.bring(browser, {"soup bowl.png": picture(), "both.zip": archive.getvalue()})
    assert "2 files were added." in brought.text, brought.text
    return browser


def ended(browser: Browser, reply: Any) -> str:
    """The page of the import to which a reply leads, once it is over."""
    until = time.monotonic() + 20
    while "hx-trigger" in (page := browser.get(reply.headers["location"]).text) and time.monotonic() < until:
        time.sleep(0.1)
    return page


def test_items_name_files_that_are_there(study_app: StudyApp, owner: Browser) -> None:
    data = f"/studies/{study_app.study.record.name}/data"
    table = io.StringIO()
    rows = [
        {**CONTENT, "dishes": '["soup", "broth", "cake"]', **MEDIA},
        {**CONTENT, "dishes": '["a", "b"]', **MEDIA, "dish": "no.png"},
    ]
    writer = csv.DictWriter(table, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    refused = owner.fill(
        f"{data}/items", {"stage": "judge"}, data, files={"file": ("items.csv", table.getvalue().encode())}
    )
    assert "there is no picture or recording &#39;no.png&#39; in the study; bring it first" in ended(
        owner, refused
    )
    kept = "".join(table.getvalue().splitlines(keepends=True)[:2])
    added = owner.fill(
        f"{data}/items", {"stage": "judge"}, data, files={"file": ("items.csv", kept.encode())}
    )
    assert "1 item was added." in ended(owner, added)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (
            "dish.png",
            b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
            "is neither a picture nor",
        ),
        ("page.jpg", b"<!doctype html><script>alert(1)</script>", "is neither a picture nor"),
        ("soup bowl.png", b"GIF89a" + b"\0" * 20, "is in the study already with other contents"),
        ("broken.zip", b"PK\x03\x04 nothing", "cannot be unpacked"),
        ("a\u202eb.png", picture(), "is no name that can be used"),
    ],
)
def test_what_is_no_picture_or_recording_is_refused(
    study_app: StudyApp, owner: Browser, name: str, content: bytes, problem: str
) -> None:
    refused = study_app.bring(owner, {name: content})
    assert (refused.status_code, problem in refused.text) == (422, True)


def test_files_are_shown_in_parts_to_the_people_of_the_study_alone(
    study_app: StudyApp, owner: Browser
) -> None:
    person = study_app.browser(study_app.study.person().account_id)
    stranger = study_app.browser(
        open_study(study_app.study.workspace, STAGES, name="another").person().account_id
    )
    address = f"/work/{study_app.study.record.name}/media/hello.wav"
    whole = person.get(address)
    assert (whole.status_code, whole.content) == (200, recording())
    assert whole.headers["content-type"] == "audio/wav"
    assert whole.headers["x-content-type-options"] == "nosniff"
    part = person.get(address, headers={"Range": "bytes=4-9"})
    assert (part.status_code, part.content) == (206, recording()[4:10])
    assert part.headers["content-range"] == f"bytes 4-9/{len(recording())}"
    assert person.get(address, headers={"Range": "bytes=99999-"}).status_code == 416
    assert stranger.get(address).status_code == 404
    assert stranger.get("/work/another/media/hello.wav").status_code == 404
    assert owner.get(f"/studies/{study_app.study.record.name}/media/hello.wav").status_code == 200
    assert person.get(f"/studies/{study_app.study.record.name}/media/hello.wav").status_code == 403


def test_a_form_from_task_to_export(study_app: StudyApp, owner: Browser) -> None:
    study = study_app.study
    people = [study.person(), study.person()]
    expert = study.person(role=Role.EXPERT)
    study_app.add("one")
    for number, person in enumerate(people):
        browser = study_app.browser(person.account_id)
        address = study_app.task(browser)
        page = browser.get(address).text
        assert '<img src="/work/test-study/media/soup%20bowl.png" alt="A bowl of soup">' in page
        assert "Hello!" in page
        # What was typed is a draft, and is there again.
        assert (
            browser.fill(
                f"{address}/draft", {"ask-fit": "-1", "ask-order-1": "3", "ask-age": "1234567,25"}, address
            ).status_code
            == 200
        )
        page = browser.get(address).text
        assert re.search(r'name="ask-age"[^>]* value="1234567\.25"', page)
        assert re.search(r'name="ask-fit" value="-1" checked', page)
        assert re.search(r'name="ask-order-1">.*?<option value="3" selected>', page)
        # Without a script the page comes again, and what is wrong stands at its question.
        refused = browser.fill(f"{address}/submit", {**FILLED, "ask-age": "old"}, address)
        assert refused.status_code == 422
        assert re.search(
            r'data-asked="age".*?data-problem><bdi>Give a number, with nothing between its thousands\.</bdi>',
            refused.text,
            re.DOTALL,
        )
        assert 'value="old"' in refused.text
        assert re.search(
            r'<li><a href="#e-ask-age"><bdi[^>]*>From what age\?</bdi> – <bdi>Give', refused.text
        ), "the list says of which question"
        sent = browser.fill(
            f"{address}/submit", {**FILLED, **({"ask-polite": "0"} if number else {})}, address
        )
        assert sent.status_code == 303, sent.text
    # They differ on one part: an expert sees both, with what they agree on filled in.
    browser = study_app.browser(expert.account_id)
    address = study_app.task(browser)
    page = browser.get(address).text
    assert page.count("<article") == 2
    said = [re.sub("</?bdi[^>]*>", "|", each) for each in re.findall("<dd>(.*?)</dd>", page)]
    assert said.count("||cake|| &gt; ||soup|| &gt; ||broth||") == 2, "each in its own direction"
    assert said.count("||Sit down!||") == 2 and "two" not in "".join(said)
    assert page.count("In der <mark>Küche</mark> 🍲 essen.") == 2, "which of several equal words was marked"
    decision = page[page.index('class="taken"') :]
    assert re.search(r'name="ask-fit" value="1" checked', decision)
    assert not re.search(r'name="ask-polite" value="\d" checked', decision)
    assert browser.fill(f"{address}/submit", {**FILLED, "why": "I asked around"}, address).status_code == 303
    # It leaves as tables with a column per part, what the columns mean, and the files.
    for path in ("", "/quality", "/items", f"/items/{1}"):
        assert owner.get(f"/studies/test-study{path}").status_code == 200, path
    archive = owner.get("/studies/test-study/data/export?format=csv").content
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    rows = list(csv.DictReader(io.StringIO(files["form-judge.csv"].decode("utf-8-sig"))))
    assert [row["polite"] for row in rows] == ["no", "yes"]
    assert (rows[0]["fit"], rows[0]["words"], rows[0]["order"]) == (
        "1",
        '[[7,12,"Küche"]]',
        '["cake","soup","broth"]',
    )
    meaning = {
        row["column"]: row for row in csv.DictReader(io.StringIO(files["codebook.csv"].decode("utf-8-sig")))
    }
    assert [*meaning] == [*ANSWERS]
    assert (meaning["fit"]["values"], meaning["fit"]["asked_if"]) == ("from -2 to 2", "")
    assert meaning["why"]["asked_if"] == '{"is":"no","key":"polite"}'
    assert files["media/soup bowl.png"] == picture()
    media = list(csv.DictReader(io.StringIO(files["media.csv"].decode("utf-8-sig"))))
    assert [(row["name"], row["type"]) for row in media] == [
        ("hello.wav", "audio/wav"),
        ("soup bowl.png", "image/png"),
    ]


def test_an_item_is_settled_by_hand_and_words_are_redacted(study_app: StudyApp, owner: Browser) -> None:
    item = study_app.add("settled")
    person = study_app.study.person()
    answer = study_app.study.submit(
        person, study_app.study.work(person, "judge"), {"answers": ANSWERS}
    ).judgement
    page = f"/studies/{study_app.study.record.name}/items/{answer.item_id}"
    assert answer.item_id == item
    refused = owner.fill(f"{page}/settle", {"ask-polite": "0", "reason_why": "I know"}, page)
    assert (refused.status_code, refused.text.count("This has to be answered.")) == (422, 8), (
        "in the list and at each question"
    )
    unreasoned = owner.fill(f"{page}/settle", {**FILLED, "reason_why": " "}, page)
    assert '<a href="#f-reason_why">' in unreasoned.text and 'id="e-reason_why"' in unreasoned.text
    for each, kept in ((refused, 'value="I know"'), (unreasoned, "It is too loud.</textarea>")):
        assert kept in each.text, "what was written stays in the form"
    settled = owner.fill(f"{page}/settle", {**FILLED, "reason_why": "I know"}, page)
    assert settled.headers["location"] == page
    shown = html.unescape(owner.get(page).text)
    assert "why: It is too loud." in shown
    owner.fill(f"/studies/{study_app.study.record.name}/answers/{answer.id}/redact", {"field": "text"}, page)
    shown = html.unescape(owner.get(page).text)
    assert "why: [redacted]" in shown
    assert "It is too loud." not in shown
    assert "polite: no" in shown


@pytest.mark.parametrize("kind", [name for name, each in STAGE_KINDS.items() if not each.authored])
def test_who_settles_an_item_by_hand_is_asked_once_why(workspace: Workspace, kind: str) -> None:
    """For the reason alone: a remark of somebody who answers would be lost in the result."""
    more = {"form": {"ask": ASK}, "vote": {"majority": 1}}.get(kind, {})
    study = open_study(workspace, [{"name": "stage", "kind": kind, "answers": 1, **more}])
    content = {**CONTENT, **MEDIA} if kind == "form" else GOOD[kind][0]
    (item,) = study.add("stage", [content], None)
    page = StudyApp(study).browser(study.owner).get(f"/studies/{study.record.name}/items/{item}").text
    remarks = [part["field"] for part in STAGE_KINDS[kind].ask if part.get("remark")]
    settle = page.partition("data-settle>")[2].partition("</form>")[0]
    assert [name for name in remarks if f'name="{name}"' in settle] == []
    assert settle.count('name="reason_why"') == bool(settle)
    assert bool(settle) == STAGE_KINDS[kind].can_be_decided


def test_what_was_sent_to_a_form_is_read_in_its_words_in_the_list_and_once_it_is_settled(
    study_app: StudyApp, owner: Browser
) -> None:
    item = study_app.add("sent")
    person = study_app.study.person()
    assert person.account_id is not None
    browser, home = study_app.browser(person.account_id), f"/work/{study_app.study.record.name}"
    task = study_app.task(browser)
    browser.fill(f"{task}/submit", FILLED, task)
    drop(study_app.study.workspace, study_app.study.record.id, item, study_app.study.owner, "seen before")
    for page in (f"{home}/sent", f"{task}/sent"):
        shown = html.unescape(browser.get(page).text)
        assert "Which is better? – Sit down!" in shown and "better: two" not in shown, page


def test_tasks_of_label_studio_come_in_once_it_is_said_what_becomes_of_their_answers(
    workspace: Workspace,
) -> None:
    study = open_study(workspace, [{"name": "verify", "kind": "vote"}])
    browser, page = StudyApp(study).browser(study.owner), f"/studies/{study.record.name}/data"
    value = {"choices": ["hats"]}
    answer = {"from_name": "choices", "to_name": "question", "type": "choices", "value": value}
    data = {"question": "What is taken off?", "options": [{"value": "hats"}, {"value": "shoes"}]}
    tasks = json.dumps([{"id": 1, "data": data, "annotations": [{"result": [answer]}], "drafts": [{}]}])
    for choice, words in (("", "say what becomes of them"), ("leave", "1 item was added")):
        fields, file = {"stage": "verify", "annotations": choice}, ("tasks.json", tasks.encode())
        added = browser.fill(f"{page}/items", fields, page, files={"file": file})
        assert words in ended(browser, added)
    assert [item.content for item in list_items(workspace, study.record.id)] == [
        {"question": "What is taken off?", "options": ["hats", "shoes"]}
    ]


def test_each_reader_reads_the_question_in_their_language(study_app: StudyApp, owner: Browser) -> None:
    browser = study_app.browser(study_app.study.person().account_id)
    study_app.add("read")
    address = study_app.task(browser)
    page = browser.get(address, headers={"Accept-Language": "ar"}).text
    assert '<bdi lang="ar">ما مدى ملاءمته؟</bdi>' in page
    assert "How fitting?" in browser.get(address).text


def test_the_folder_of_files(study_app: StudyApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLKWAYS_MEDIA", str(tmp_path / "elsewhere"))
    owner = study_app.browser(study_app.study.owner)
    assert "1 file was added." in study_app.bring(owner, {"new.png": picture()}).text
    assert [path.read_bytes() for path in (tmp_path / "elsewhere").glob("*/*")] == [picture()]
