"""What people read of a study is in their language where the study has it, and what they agreed to is kept as
they saw it."""

from __future__ import annotations

import hashlib
import re

import orjson
import pytest

from folkways_studio.exports.archive import export_files
from folkways_studio.people import invites, participants, sessions
from studio.tests.support.studies import QUESTION, StudyFixture, open_study
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.http import Client

CONSENT = {"en": "You agree to be asked.", "ar": "أنت توافق على أن تُسأل.", "cs": "Souhlasíte."}
CRITERIA = [
    {
        "name": "home",
        "ask": {"en": "From here?", "ar": "من هنا؟"},
        "options": [{"en": "Yes", "ar": "نعم"}],
        "accept": ["Yes"],
    }
]
STAGE = {
    "name": "verify",
    "kind": "vote",
    "answers": 3,
    "majority": 2,
    "title": {"en": "Verify", "ar": "تحقق"},
}
STAGE |= {"guidelines": {"en": "Choose what is right."}}


@pytest.fixture(scope="module")
def study(server: StudioServer) -> StudyFixture:
    populations = [{"name": "egypt", "culture": "EG", "criteria": CRITERIA}]
    found = open_study(
        server.workspace,
        [STAGE],
        name="in-languages",
        title={"en": "Bread", "ar": "خبز"},
        consent=CONSENT,
        populations=populations,
    )
    found.add("verify", [QUESTION], "egypt")
    return found


def come(server: StudioServer, study: StudyFixture) -> tuple[Client, int]:
    """A browser of somebody who came by an invitation, and their participant's id."""
    _, token = invites.create_invite(study.workspace, study.record.id, population="egypt")
    person = participants.join(study.workspace, token)
    client = Client(server.url)
    client.cookies["folkways_session"] = sessions.open_session(study.workspace, person.account_id)
    return client, person.id


def test_an_arabic_reader_reads_and_agrees_to_the_arabic_text(
    server: StudioServer, study: StudyFixture
) -> None:
    client, person = come(server, study)
    arabic = {"Accept-Language": "ar"}
    page = client.get("/work/in-languages/consent", **arabic).text
    assert (
        f'<div lang="ar" dir="rtl"><p dir="auto">{CONSENT["ar"]}</p></div>' in page
        and '<bdi lang="ar">خبز</bdi>' in page
    )
    assert CONSENT["en"] not in page and 'class="note">النص' not in page
    version = re.search(r'name="version" value="(\w+)"', page)
    assert version is not None
    client.post("/work/in-languages/consent", {"agree": "yes", "version": version[1]}, csrf=csrf(page))
    kept = participants.get_participant(study.workspace, person)
    assert (kept.consent_language, kept.consent_sha256) == (
        "ar",
        hashlib.sha256(CONSENT["ar"].encode()).hexdigest(),
    )
    asked = client.get("/work/in-languages/eligibility", **arabic).text
    assert (
        '<bdi lang="ar">من هنا؟</bdi>' in asked
        and 'value="Yes"' in asked
        and '<bdi lang="ar">نعم</bdi>' in asked
    )
    client.post("/work/in-languages/eligibility", {"criterion-home": "Yes"}, csrf=csrf(asked))
    task = client.post("/work/in-languages/next", {}, csrf=csrf(asked)).place
    page = client.get(task, **arabic).text
    assert '<bdi lang="ar">تحقق</bdi>' in page
    fallback = '<p class="note">هذا النص مكتوب في الدراسة بهذه اللغة: الإنجليزية، وليس بلغتك.</p><div lang="en" dir="ltr">'
    assert f'{fallback}<p dir="auto">Choose what is right.</p></div>' in page


def csrf(page: str) -> str:
    """The token of a page's forms."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("accepted", "asked", "language", "fallback"),
    [
        ("en", "", "en", False),
        ("cs", "", "cs", False),  # the interface is not in Czech, and the text is
        ("th", "", "ar", True),  # the language of the population, before the study's own
        ("en", "?language=cs", "cs", True),
        ("en", "?language=xx", "en", False),
    ],
)
def test_a_text_is_in_the_language_asked_for_and_another_one_is_named(
    server: StudioServer, study: StudyFixture, accepted: str, asked: str, language: str, fallback: bool
) -> None:
    client, _ = come(server, study)
    page = client.get(f"/work/in-languages/consent{asked}", **{"Accept-Language": accepted}).text
    assert CONSENT[language] in page and sum(text in page for text in CONSENT.values()) == 1
    assert ("and not in your language" in page) is fallback
    assert page.count('href="?language=') == 3


def test_the_export_says_who_agreed_to_which_text(server: StudioServer, study: StudyFixture) -> None:
    people = []
    for language in ("ar", "ar", "cs"):
        _, person = come(server, study)
        version = hashlib.sha256(CONSENT[language].encode()).hexdigest()[:12]
        participants.consent(study.workspace, person, version)
        people.append(participants.answer_eligibility(study.workspace, person, {"home": "Yes"}))
    for person in people[1:]:
        study.answer(person, {"choices": [0]})
    files = export_files(study.workspace, study.record.id, "jsonl")
    rows = [orjson.loads(line) for line in files["judgements.jsonl"].splitlines()]
    assert sorted(row["consent_language"] for row in rows) == ["ar", "cs"]
    told = {each["language"]: each for each in orjson.loads(files["study.json"])["consent"]["texts"]}
    assert {language: each["text"] for language, each in told.items()} == CONSENT
    assert {language: each["people"] for language, each in told.items()} == {
        "en": 0,
        "ar": None,
        "cs": None,
    }, "fewer than five are nobody's business"
    assert {row["consent"] for row in rows} == {told["ar"]["sha256"][:12], told["cs"]["sha256"][:12]}
    card = export_files(study.workspace, study.record.id, "hub")["README.md"].decode()
    assert f"In Czech (version `{told['cs']['version']}`):\n\n> {CONSENT['cs']}" in card
