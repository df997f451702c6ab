"""A catalogue becomes a study, people check it and an expert settles what differs, and the catalogue says who
checked what."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways.workspace.database import open_workspace
from folkways_studio.errors import SubmissionError
from folkways_studio.people import participants
from folkways_studio.records import Participant, Role, StudyState
from folkways_studio.stages.placeholders import misplaced
from folkways_studio.studies import service as studies
from folkways_studio.translation.catalogues import checkers, mo_bytes, new_catalogue, po_bytes, read_catalogue
from folkways_studio.translation.checking import bring_back, forms, study_items
from folkways_studio.translation.strings import Appearance
from folkways_studio.web.rendering.i18n import LOCALES
from folkways_studio.work.assignments import Work
from studio.tests.support.studies import StudyFixture, next_work
from tests.support.command_line import environment, folkways

TEXTS: Mapping[Any, Any] = {
    "Send": "أرسل",
    "Sign out": "خروج",
    "Dear %(name)s": "عزيزي %(name)s",
    "Level": "مستوى",
    ("%(n)s book", "%(n)s books"): (
        "لا كتب",
        "كتاب واحد",
        "كتابان",
        "%(n)s كتب",
        "%(n)s كتابًا",
        "%(n)s كتاب",
    ),
}


def catalogue(path: Path) -> Path:
    catalog = new_catalogue("ar")
    for text, translation in TEXTS.items():
        catalog.add(text, translation)
    path.write_bytes(po_bytes(catalog))
    return path


@pytest.mark.parametrize(
    ("text", "originals", "missing", "foreign"),
    [
        ("a %(n)s b", ["%(n)s c", "%(n)s d"], [], []),
        ("a", ["%(n)s c", "%(n)s d"], ["%(n)s"], []),
        ("a", ["%(n)s c", "one"], [], []),  # a plural form that does without its number
        ("%(n)s", ["%(n)s c", "one"], [], []),
        ("%(m)s", ["%(n)s c", "%(n)s"], ["%(n)s"], ["%(m)s"]),
        ("%(n)d", ["%(n)s c"], ["%(n)s"], ["%(n)d"]),
        ("100 %", ["a hundred"], [], ["%"]),
        ("100 %", ["100 %%"], ["%%"], ["%"]),
        ("100 %%", ["100 %%"], [], []),
        ("<b>a</b>", ["a"], [], ["</b>", "<b>"]),
        ("<script>x", ["<b>x"], ["<b>"], ["<script>"]),
        ("a < b", ["a"], [], ["<"]),
        ("a &amp; b", ["a & b"], [], ["&amp;"]),
        ("a & b", ["a and b"], [], []),
    ],
)
def test_a_wording_keeps_what_is_filled_in_and_brings_no_marks(
    text: str, originals: list[str], missing: list[str], foreign: list[str]
) -> None:
    assert misplaced(text, originals) == (missing, foreign)


@pytest.mark.parametrize("locale", [each for each in LOCALES if each != "en"])
def test_our_own_translations_keep_them_too(locale: str) -> None:
    from folkways_studio.web.rendering.i18n import po_path

    wrong = {
        form.english: form.draft
        for form in forms(read_catalogue(po_path(locale), locale))
        if (both := misplaced(form.draft, [form.english])) and (both[1] or (both[0] and not form.numbers))
    }
    assert wrong == {}


def test_plural_forms_are_asked_one_by_one_with_numbers_of_the_languages_own_rule(tmp_path: Path) -> None:
    catalog = read_catalogue(catalogue(tmp_path / "ar.po"))
    rows = study_items(catalog, {"%(n)s book": Appearance("work/templates/rest.html.j2", "Books", "")})
    assert len({row["item"] for row in rows}) == len(rows) == 10
    plural = [row for row in rows if "numbers" in row]
    assert rows[:6] == plural, "what people who answer are shown comes first"
    assert [row["numbers"] for row in plural][:4] == ["0", "1", "2", "3, 4, 5, 6, 7, 8"]
    assert plural[4]["numbers"] == "11, 12, 13, 14, 15, 16" and plural[5]["numbers"].startswith("100, ")
    assert [row["english"] for row in plural] == ["%(n)s books", "%(n)s book", *["%(n)s books"] * 4]
    assert plural[0]["context"] == "Shown to people who answer (work/templates/rest.html.j2), near “Books”"
    shown = {"Send": Appearance("items/templates/x.html.j2", "", "")}
    assert study_items(catalog, shown, answering=True) == []


class Round:
    """A study of the catalogue, on which two people and an expert work."""

    def __init__(self, folder: Path) -> None:
        self.path = catalogue(folder / "ar.po")
        self.say("studio", "create-study", "interface-translation", "--owner", "me@example.org", "--open")
        assert (
            self.say("studio", "locale", "items", "ar.po", "--out", "items.jsonl")
            == "wrote 10 texts to items.jsonl\n"
        )
        self.say(
            "studio", "import", "interface-translation", "check", "items.jsonl", "--population", "arabic"
        )
        self.workspace = open_workspace("folkways.db")
        study = studies.get_study(self.workspace, "interface-translation")
        assert study.created_by is not None and study.state == StudyState.OPEN
        self.study = StudyFixture(self.workspace, study, study.created_by, {})
        self.people = [self.reader(), self.reader()]

    def say(self, *words: str, fails: bool = False) -> str:
        done = folkways(*words, env=environment(FOLKWAYS_STUDIO_PASSWORD="a password of the tests"))
        assert (done.returncode != 0) is fails, done.stderr
        return done.stderr if fails else done.stdout

    def reader(self) -> Participant:
        person = self.study.person("arabic")
        participants.waive_eligibility(
            self.workspace, self.study.record.id, person.id, "a test", by=self.study.owner
        )
        return person

    def answer_all(
        self, person: Participant, stage: str, answer: Callable[[Mapping[str, Any]], dict[str, Any]]
    ) -> int:
        """Have somebody answer everything that they get, with this of the English text and the draft."""
        self.study.train(person, stage)
        count = 0
        while isinstance(work := next_work(self.workspace, person.id, stage=stage), Work):
            content = work.item.content
            submission = {"answers": answer(content.get("content", content))}
            try:
                self.study.submit(person, work, submission)
            except SubmissionError as error:
                raise AssertionError(error.problems) from error
            count += 1
        return count


@pytest.fixture(scope="module")
def first_round(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Round]:
    """The round of the tests that settle nothing."""
    folder = tmp_path_factory.mktemp("round")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        here = Round(folder)
    yield here
    here.workspace.close()


@pytest.fixture
def shared_round(first_round: Round, monkeypatch: pytest.MonkeyPatch) -> Round:
    monkeypatch.chdir(first_round.path.parent)
    return first_round


FEW = "%(n)s كتب"


def first(content: Mapping[str, Any]) -> dict[str, Any]:
    match content["english"]:
        case "Sign out":
            return {"verdict": "better", "wording": "تسجيل الخروج"}
        case "Dear %(name)s":
            return {"verdict": "better", "wording": "مرحبًا %(name)s"}
        case "Level":
            return {"verdict": "unclear", "remark": "Of what?"}
    return (
        {"verdict": "better", "wording": "%(n)s من الكتب"}
        if content["draft"] == FEW
        else {"verdict": "accept"}
    )


def second(content: Mapping[str, Any]) -> dict[str, Any]:
    match content["english"]:
        case "Sign out":
            return {"verdict": "accept"}
        case "Dear %(name)s":
            return {"verdict": "better", "wording": "أهلا %(name)s"}
    return first(content)


def test_from_a_catalogue_to_a_study_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = Round(tmp_path)
    one, other = here.people
    assert here.answer_all(one, "check", first) == 10
    assert here.answer_all(other, "check", second) == 10
    before = here.path.read_bytes()
    would = here.say("studio", "locale", "apply", "interface-translation", "ar.po", "--dry-run")
    assert (
        would.splitlines()[0]
        == "ar.po: 6 texts accepted, 1 reworded, 1 unclear, 2 not settled (nothing was written)"
    )
    assert here.path.read_bytes() == before
    expert = here.study.person(role=Role.EXPERT)
    settled = here.answer_all(expert, "settle", lambda content: {**second(content), "reason": ""})
    assert settled == 2, (
        "one in which verdicts differ, and one in which wordings do; what both wrote alike is settled"
    )
    said = here.say(
        "studio", "locale", "apply", "interface-translation", "ar.po", "--name", f"{one.pseudonym}=Layla"
    )
    assert said.splitlines()[0] == "ar.po: 7 texts accepted, 2 reworded, 1 unclear, 0 not settled"
    assert "is unclear: Of what?" in said
    catalog = read_catalogue(here.path)
    strings = {str(message.id): message for message in catalog if message.id}
    assert strings["Send"].string == "أرسل" and checkers(strings["Send"]) == sorted(
        ["Layla", other.pseudonym]
    )
    assert strings["Sign out"].string == "خروج", "the expert took the draft"
    assert strings["Dear %(name)s"].string == "أهلا %(name)s"
    assert checkers(strings["Dear %(name)s"]) == sorted(["Layla", other.pseudonym, expert.pseudonym])
    assert checkers(strings["Level"]) == [], "what nobody understands stays a draft"
    plural = catalog["%(n)s book"]
    assert plural.string[3] == "%(n)s من الكتب" and plural.string[:3] == ("لا كتب", "كتاب واحد", "كتابان")
    assert checkers(plural) == sorted(["Layla", other.pseudonym])
    assert b"Layla" in mo_bytes(catalog)
    assert (
        here.say("studio", "locale", "items", "ar.po", "--out", "rest.jsonl")
        == "wrote 1 text to rest.jsonl\n"
    )
    again = here.path.read_bytes()
    said = here.say(
        "studio", "locale", "apply", "interface-translation", "ar.po", "--name", f"{one.pseudonym}=Layla"
    )
    assert here.path.read_bytes() == again, "bringing it back twice changes nothing"
    here.workspace.close()


@pytest.mark.parametrize(
    "wording", ["عزيزي", "عزيزي %(names)s", "عزيزي %(name)s <b>", "عزيزي %(name)s 100 %"]
)
def test_a_wording_that_would_break_a_page_is_refused_when_it_is_sent(
    shared_round: Round, wording: str
) -> None:
    study, person = shared_round.study, shared_round.people[0]
    study.train(person, "check")
    while isinstance(work := next_work(shared_round.workspace, person.id), Work):
        if work.item.content["english"] == "Dear %(name)s":
            break
        study.submit(person, work, {"answers": {"verdict": "accept"}})
    assert isinstance(work, Work)
    with pytest.raises(SubmissionError, match="original"):
        study.submit(person, work, {"answers": {"verdict": "better", "wording": wording}})


def row(
    key: str, content: Mapping[str, Any], result: Mapping[str, Any] | None, state: str = "done"
) -> dict[str, Any]:
    return {
        "item": key, "item_id": 1, "state": state, "content": json.dumps(content),
        "result": json.dumps(result) if result else None,
    }  # fmt: skip


def test_what_cannot_be_taken_stays_as_it_is_and_is_named(tmp_path: Path) -> None:
    catalog = read_catalogue(catalogue(tmp_path / "ar.po"))
    by_english = {form.english: form for form in forms(catalog) if not form.numbers}
    seen = {english: {"english": english, "draft": form.draft} for english, form in by_english.items()}
    send, out, dear, level = (by_english[each].key for each in ("Send", "Sign out", "Dear %(name)s", "Level"))
    rows = [
        row(send, {**seen["Send"], "draft": "أرسل!"}, {"verdict": "accept"}),
        row(out, seen["Sign out"], {"verdict": "accept", "disputed": ["wording"]}),
        row(dear, seen["Dear %(name)s"], {"verdict": "better", "wording": "عزيزي %(nom)s"}),
        row(level, seen["Level"], {"verdict": "accept"}, state="dropped"),
        row("gone", {"english": "Gone", "draft": "ذهب"}, {"verdict": "accept"}),
    ]
    before = po_bytes(catalog)
    outcome = bring_back(
        catalog, rows, [{"item": each["item"], "participant": "amber-7"} for each in rows], {}
    )
    assert po_bytes(catalog) == before
    assert (outcome.stale, sorted(outcome.open), outcome.absent) == ([send], sorted([out, level]), ["gone"])
    assert outcome.refused == {dear: "lacks %(name)s, must not have %(nom)s"}
    assert (outcome.accepted, outcome.reworded) == ([], [])
    with pytest.raises(FolkwaysError, match="is it the study's language"):
        bring_back(catalog, rows[-1:], [], {})


def test_a_plural_is_checked_only_when_all_its_forms_are(tmp_path: Path) -> None:
    catalog = read_catalogue(catalogue(tmp_path / "ar.po"))
    plural = [form for form in forms(catalog) if form.numbers]
    rows = [
        row(form.key, {"english": form.english, "draft": form.draft}, {"verdict": "accept"})
        for form in plural
    ]
    people = [{"item": form.key, "participant": f"amber-{form.index}"} for form in plural]
    bring_back(catalog, rows[:-1], people, {})
    assert checkers(plural[0].message) == []
    bring_back(catalog, rows, people, {"amber-5": "Omar"})
    assert checkers(plural[0].message) == ["Omar", *(f"amber-{index}" for index in range(5))]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["items", "xx", "--out", "i.jsonl"], "unknown language 'xx'"),
        (["items", "en", "--out", "i.jsonl"], "unknown language 'en'"),
        (["items", "missing.po", "--out", "i.jsonl"], "there is no file missing.po"),
        (["items", "notes.po", "--out", "i.jsonl"], "notes.po is not a gettext catalogue"),
        (["items", "ar.po", "--out", "i.csv"], "end its name with .jsonl"),
        (["apply", "interface-translation", "ar.po", "--name", "amber-7"], "PSEUDONYM=NAME"),
        (["apply", "interface-translation", "ar.po", "--name", "nobody-1=Layla"], "nobody-1"),
        (["apply", "interface-translation", "ko"], "is it the study's language"),
        (["apply", "nothing", "ar.po"], "unknown study 'nothing'"),
    ],
)
def test_what_is_wrong_is_said(shared_round: Round, words: list[str], message: str) -> None:
    Path("notes.po").write_text('msgid "a\n')
    assert message in shared_round.say("studio", "locale", *words, fails=True).replace("\n", " ")
