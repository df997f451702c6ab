"""The gallery of forms: each is shown, made into a study and walked, from the choice of the template to what
leaves the study."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from folkways.cultures import cultures
from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace
from folkways_studio.items.table_files import read_workbook
from folkways_studio.media import service as media
from folkways_studio.people import accounts, participants
from folkways_studio.records import ParticipantState, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.studies.new_study_pages import REGIONS
from folkways_studio.workflows.templates import PAPERS
from folkways_studio.workflows.yaml_text import parse_yaml
from studio.tests.support.studies import StudyFixture
from studio.tests.web.test_own_forms import Browser, StudyApp, ended, picture, recording

USABLE = {
    "ask-about": "0",
    "ask-caption": "Soup on a table",
    "ask-question": "When is it eaten?",
    "ask-right": "At New Year",
}
WALKS: Mapping[str, tuple[dict[str, str], dict[str, str], dict[str, str]]] = {
    "best-worst": (
        {f"option_{letter}": f"word {letter}" for letter in "abcd"},
        {"ask-best": "2", "ask-worst": "0"},
        {"best": "word c", "worst": "word a"},
    ),
    "preference": (
        {"question": "What shall I bring?", "answer_a": "Flowers.", "answer_b": "Nothing."},
        {"ask-better": "0", "ask-reasons": "0"},
        {"better": "answer_a", "reasons": '["fits"]'},
    ),
    "norms": (
        {"situation": "On a bus", "behaviour": "Somebody sings."},
        {"ask-fitting": "2", "ask-depends": "1", "ask-how": "Children may."},
        {"fitting": "2", "depends": "age", "how": "Children may."},
    ),
    "cultural-references": (
        {"sentence": "We ate dosa."},
        {"ask-words": "7:11", "ask-kinds": "0"},
        {"words": '[[7,11,"dosa"]]', "kinds": '["food"]'},
    ),
    "naming-items": (
        {"culture": "India", "fact": "Tiffin is carried in tins.", "source": "https://example.org"},
        {
            "ask-count": "1",
            "ask-csi": "tiffin",
            "ask-sort": "1",
            "ask-context": "Lunch in tins.",
            "ask-article": "-",
        },
        {"count": "one", "csi": "tiffin", "sort": "things that people make", "context": "Lunch in tins."},
    ),
    "question-translation": (
        {
            "question_idx": "7",
            "prompt_question": "What?",
            **{f"prompt_option_{each}": each for each in "abcd"},
        },
        {"ask-local_question": "무엇?", **{f"ask-local_option_{each}": f"{each}." for each in "abcd"}},
        {"local_question": "무엇?", "local_option_d": "d."},
    ),
    "picture-questions": (
        {"picture": "a.png", "picture_alt": "A bowl of soup"},
        {"ask-usable": "0", **USABLE, "ask-wrong": "a\nb\nc"},
        {"usable": "yes", "about": "food and drink", "question": "When is it eaten?"},
    ),
    "dialects": (
        {"recording": "b.wav", "recording_transcript": "..."},
        {"ask-places": "1", "ask-own": "5", "ask-heard": "0"},
        {"places": '["nile"]', "own": "5", "heard": "yes"},
    ),
}
"""Template -> a row of its table of items, the fields of a form that is filled in, and what leaves the
study."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = open_workspace(tmp_path_factory.mktemp("gallery") / "w.db")
    yield made
    made.close()


@pytest.fixture(scope="module")
def app_and_browser(workspace: Workspace) -> tuple[StudyApp, Browser]:
    owner = accounts.create_account(workspace, "maker@example.org", None)
    study_app = StudyApp(StudyFixture(workspace, None, owner.id, {}))  # type: ignore[arg-type]  # the study is yet to be made
    return study_app, study_app.browser(owner.id)


def table(row: Mapping[str, Any]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*row])
    writer.writeheader()
    writer.writerow(row)
    return text.getvalue().encode()


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", ["Latin America", "Mexico"]), ("es", ["Latinoamérica", "México", "Alemania"])],
)
def test_cultures_of_a_new_study_are_named_in_the_language_of_the_page(
    app_and_browser: tuple[StudyApp, Browser], language: str, told: list[str]
) -> None:
    page = html.unescape(app_and_browser[1].get("/studies/new", headers={"accept-language": language}).text)
    assert all(f">{each}<" in page for each in told) and "South America" not in page
    assert {*REGIONS} == {each.region for each in cultures().values() if each.region}


def test_the_gallery_shows_the_forms_with_the_papers_they_follow(
    app_and_browser: tuple[StudyApp, Browser],
) -> None:
    _, browser = app_and_browser
    page = html.unescape(browser.get("/gallery").text)
    assert len(PAPERS) == 8
    assert all(
        paper in page and f'href="/studies/new?template={name}"' in page for name, paper in PAPERS.items()
    )
    assert browser.get("/gallery/verification").status_code == 404


@pytest.mark.parametrize("name", list(PAPERS))
def test_a_form_of_the_gallery_is_walked_to_its_end(
    workspace: Workspace, app_and_browser: tuple[StudyApp, Browser], name: str
) -> None:
    study_app, browser = app_and_browser
    row, filled, left = WALKS[name]
    assert browser.get(f"/gallery/{name}").text.count("<fieldset") >= len(filled)
    chosen = f"/studies/new?template={name}"
    assert f'value="{name}" required checked' in browser.get(chosen).text
    described = browser.fill("/studies/new", {"template": name, "name": name, "title": "Mine"}, chosen).text
    written = re.search(r"<textarea[^>]*>(.*?)</textarea>", described, re.DOTALL)
    assert written
    made = browser.fill("/studies/make", {"description": html.unescape(written[1])}, chosen)
    assert made.headers.get("location") == f"/studies/{name}", made.text
    study = studies.set_state(workspace, studies.get_study(workspace, name).id, StudyState.OPEN)
    media.add_media(
        workspace, study.id, {"a.png": ("image/png", picture()), "b.wav": ("audio/wav", recording())}
    )
    study_app.study = StudyFixture(workspace, study, study_app.study.owner, {})
    data = f"/studies/{name}/data"
    stage = studies.stages(workspace, study.id)[0].name
    added = browser.fill(f"{data}/items", {"stage": stage}, data, files={"file": ("items.csv", table(row))})
    assert "1 item was added." in ended(browser, added)
    population = studies.populations(workspace, study.id)[0].name
    someone = study_app.study.person(population)
    if someone.state != ParticipantState.ACTIVE:
        participants.waive_eligibility(workspace, study.id, someone.id, "a test", by=study_app.study.owner)
    study_app.study.train(someone, stage)
    offered = browser.get(data).text.partition('id="out-stage"')[2].partition("</select>")[0]
    assert f'value="{stage}"' in offered
    workbook = browser.fill(
        f"{data}/hand-out", {"person": str(someone.id), "stage": stage, "count": "1"}, data
    ).content
    assert {part["key"] for part in study.definition["stages"][0]["ask"]} < {*read_workbook(workbook)[0]}
    person = study_app.browser(someone.account_id)
    address = study_app.task(person)
    assert person.fill(f"{address}/submit", filled, address).status_code == 303
    with zipfile.ZipFile(io.BytesIO(browser.get(f"{data}/export").content)) as packed:
        (said,) = csv.DictReader(io.StringIO(packed.read(f"form-{stage}.csv").decode("utf-8-sig")))
    assert left.items() <= said.items()


@pytest.mark.parametrize(
    ("template", "chosen", "models"),
    [
        ("norms", {}, None),
        ("norms", {"helper": "", "suggester": " small "}, {"suggester": "small"}),
        ("red-teaming", {}, {"most_calls": 5000}),
        ("red-teaming", {"verifier": "large"}, {"most_calls": 5000, "verifier": "large"}),
    ],
)
def test_a_new_study_asks_the_models_of_its_template_and_those_that_are_chosen(
    app_and_browser: tuple[StudyApp, Browser],
    template: str,
    chosen: dict[str, str],
    models: dict[str, Any] | None,
) -> None:
    fields = {"template": template, "name": "mine", "title": "Mine", **chosen}
    page = app_and_browser[1].fill("/studies/new", fields, f"/studies/new?template={template}").text
    written = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert written
    raw = parse_yaml(html.unescape(written[1]))
    assert raw.get("models") == models and ("models" in raw) == (models is not None)
