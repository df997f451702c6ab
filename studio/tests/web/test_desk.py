"""A researcher with only a browser: from a template to an export, by way of items, invitations, people and
work off line."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api")
from openpyxl import load_workbook
from playwright.sync_api import expect

from folkways_studio.people import accounts, participants
from folkways_studio.records import Role
from folkways_studio.studies import service as studies
from folkways_studio.work import judgements
from studio.tests.support.studies import PASSWORD
from studio.tests.web.conftest import ServedStudy, begin, send

pytestmark = pytest.mark.browser

STAGES = [
    {"name": "verify", "kind": "vote", "title": "Check questions", "answers": 2, "majority": 2},
    {"name": "look", "kind": "review", "title": "Look over", "role": "researcher"},
]
ITEMS = """item,question,option_a,option_b,option_c
q1,What is taken off at the door?,hats,shoes,coats
q2,And in summer?,hats,shoes,socks
"""


@pytest.fixture
def study(make_study: Callable[..., ServedStudy]) -> ServedStudy:
    return make_study(STAGES, prolific={"completed": "DONE-1"})


def table(folder: Path, text: str, name: str = "items.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_study_is_made_of_a_template_and_mistakes_are_named_with_their_place(study: ServedStudy) -> None:
    accounts.set_password(study.workspace, study.owner, PASSWORD)
    page = study.open(study.page(), "/signin?next=/studies")
    page.get_by_label("Name or e-mail address").fill(f"{study.record.name}@example.org")
    page.get_by_label("Password").fill("a wrong password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not fit together")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="New study").click()
    page.get_by_text("Verification", exact=True).click()
    page.get_by_label("Title, as people will see it").fill("Manners in two countries")
    page.get_by_label("Short name, in addresses and file names").fill("Two Countries")
    page.get_by_text("Which cultures?").click()
    for country in ("South Korea", "Algeria"):
        page.get_by_label(country, exact=True).check()
    page.get_by_role("button", name="Look over the description").click()
    expect(page.locator(".error")).to_contain_text("Small letters")
    expect(page.get_by_label("South Korea", exact=True)).to_be_checked()
    page.get_by_label("Short name, in addresses and file names").fill("two-countries")
    page.get_by_role("button", name="Look over the description").click()
    text = page.get_by_label("Description (YAML)").input_value()
    page.get_by_label("Description (YAML)").fill(
        text.replace("kind: vote", "kind: votes").replace("culture: DZ", "culture: Atlantis")
    )
    page.get_by_role("button", name="Make the study").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("populations[0].culture")
    expect(alert).to_contain_text("stages[0].kind")
    page.get_by_label("Description (YAML)").fill(text)
    page.get_by_role("button", name="Make the study").click()
    expect(page.get_by_role("status").first).to_contain_text("The study has been made")
    made = studies.get_study(study.workspace, "two-countries")
    assert [population.culture for population in studies.populations(study.workspace, made.id)] == [
        "DZ",
        "KR",
    ]
    assert made.state == "draft" and accounts.roles_of(study.workspace, made.id, study.owner) == {"owner"}
    assert study.errors == []


@pytest.mark.nightly
def test_items_come_in_as_a_table_all_or_none(study: ServedStudy, tmp_path: Path) -> None:
    page = study.researcher("/data")
    page.get_by_label("Table (CSV, JSON, JSON lines, Parquet, XLSX)").first.set_input_files(
        table(tmp_path, ITEMS + "q3,,a,b,c\nq1,Again?,a,b,c\n")
    )
    page.get_by_role("button", name="Import", exact=True).click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Row 3: question")
    expect(alert).to_contain_text("Row 4:")
    study.open(page, f"{study.path}/items")
    expect(page.get_by_text("0 items")).to_be_visible()
    study.open(page, f"{study.path}/data")
    page.get_by_label("Table (CSV, JSON, JSON lines, Parquet, XLSX)").first.set_input_files(
        table(tmp_path, "x", "items.docx")
    )
    page.get_by_role("button", name="Import", exact=True).click()
    expect(alert).to_contain_text(".xlsx")
    page.get_by_label("Table (CSV, JSON, JSON lines, Parquet, XLSX)").first.set_input_files(
        table(tmp_path, ITEMS)
    )
    page.get_by_label("Population, where a row names none").select_option("korea")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("status").first).to_contain_text("2 items were added.")


@pytest.mark.nightly
def test_an_invitation_made_in_the_browser_lets_people_in_until_it_is_taken_back(study: ServedStudy) -> None:
    page = study.researcher("/people")
    page.get_by_label("For how many people").fill("2")
    page.get_by_role("button", name="Make the link").click()
    link = page.get_by_label("Invitation link").input_value()
    assert link.startswith(f"{study.server.url}/join/")
    study.open(page, f"{study.path}/people")
    assert link not in page.content(), "the link is shown once"
    guest = study.page()
    guest.goto(link)
    guest.get_by_role("button", name="Continue").click()
    expect(guest.get_by_role("heading", name="Before you begin")).to_be_visible()
    page.once("dialog", lambda asked: asked.accept())
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("taken back")).to_be_visible()
    late = study.page()
    late.goto(link)
    expect(late.get_by_text("was taken back")).to_be_visible()


def test_a_double_click_makes_one_invitation(study: ServedStudy) -> None:
    page = study.researcher("/people")
    page.get_by_role("button", name="Make the link").dblclick()
    expect(page.get_by_label("Invitation link")).to_be_visible()
    study.open(page, f"{study.path}/people")
    expect(page.get_by_role("button", name="Take back")).to_have_count(1)


def test_what_is_wrong_far_down_a_page_is_brought_into_view(study: ServedStudy) -> None:
    page = study.researcher("/settings")
    page.get_by_label("Type the study's short name").fill("another")
    page.get_by_role("button", name="Delete the study").click()
    expect(page.get_by_label("Type the study's short name")).to_be_focused()
    expect(page.get_by_label("Type the study's short name")).to_be_in_viewport()


def test_a_very_long_word_pushes_no_column_of_the_items_out_of_sight(study: ServedStudy) -> None:
    study.add("verify", [{"question": f"Who says {'Rindfleisch' * 20}?", "options": ["hats", "m" * 200]}])
    page = study.researcher("/items")
    cell = page.get_by_role("cell", name="no answers yet")
    expect(cell).to_be_visible()
    box = cell.bounding_box()
    assert box is not None and box["x"] + box["width"] <= 1280


def test_an_export_that_a_study_cannot_have_says_why_on_a_page(study: ServedStudy) -> None:
    page = study.researcher("/data")
    page.get_by_role("link", name="spaCy").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("That did not work")
    expect(alert).to_contain_text("has no marked spans")


def test_a_pause_stops_new_work_and_the_page_of_progress_keeps_itself_up_to_date(study: ServedStudy) -> None:
    study.add("verify", [{"question": "What is taken off?", "options": ["hats", "shoes"]}])
    page = study.researcher()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".badge")).to_have_text("paused")
    someone = study.at_start()
    expect(someone.get_by_text("This study is paused")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    study.open(someone, f"/work/{study.record.name}")
    begin(someone)
    someone.get_by_label("shoes").check()
    send(someone)
    expect(page.locator("#progress")).to_have_attribute("hx-trigger", "every 20s")  # not waited for
    page.evaluate("htmx.ajax('GET', location.pathname, {target: '#progress', swap: 'innerHTML'})")
    expect(page.get_by_role("row").filter(has_text="Check questions")).to_contain_text("1 / 2")
    assert study.errors == []


@pytest.mark.nightly
def test_an_owner_takes_part_in_the_stages_of_those_who_run_the_study(study: ServedStudy) -> None:
    study.add("look", [{"question": "What is taken off?", "options": ["a", "b", "c", "d"]}])
    page = study.researcher()
    page.get_by_role("button", name="Take part as researcher").click()
    begin(page)
    page.get_by_label("Keep").check()
    send(page)
    (said,) = judgements.list_judgements(study.workspace, study.record.id, study.ids["look"][0])
    assert said.payload["decision"] == "keep"


@pytest.mark.nightly
def test_work_off_line_goes_out_as_a_workbook_and_comes_back(study: ServedStudy, tmp_path: Path) -> None:
    study.add(
        "verify", [{"question": f"Question {number}?", "options": ["hats", "shoes"]} for number in range(3)]
    )
    person = study.person()
    page = study.researcher("/data")
    with page.expect_download() as download:
        page.get_by_role("button", name="Make the workbook").click()
    path = tmp_path / "work.xlsx"
    download.value.save_as(path)
    book = load_workbook(path)
    sheet = book.worksheets[0]
    head = [cell.value for cell in sheet[1]]
    for row in range(2, 4):
        sheet.cell(row, head.index("choices") + 1, "B")
    book.save(path)
    page.locator("#in-person").select_option(str(person.id))
    page.locator("#in-file").set_input_files(path)
    page.get_by_role("button", name="Take the answers in").click()
    expect(page.get_by_role("status").first).to_contain_text(
        "Answers stored: 2; there already: 0; empty rows: 1."
    )
    said = [
        each
        for number in study.ids["verify"]
        for each in judgements.list_judgements(study.workspace, study.record.id, number)
    ]
    assert [each.payload["choices"] for each in said] == [[1], [1]]


@pytest.mark.nightly
def test_tasks_of_label_studio_are_brought_and_taken_away(study: ServedStudy, tmp_path: Path) -> None:
    region = {
        "from_name": "choices",
        "to_name": "question",
        "type": "choices",
        "value": {"choices": ["hats"]},
    }
    data = {"question": "What is taken off?", "options": [{"value": "hats"}, {"value": "shoes"}]}
    tasks = [{"id": 1, "data": data, "annotations": [{"result": [region]}], "drafts": [{}]}]
    page = study.researcher("/data")
    for choice, words in (
        ("there are none", "say what becomes of them"),
        ("are left out", "1 item was added"),
    ):
        study.open(page, f"{study.path}/data")
        form = page.locator("form", has=page.locator("#import-file"))
        form.get_by_label("Stage").select_option("verify")
        form.get_by_label("Answers of people").select_option(label=choice)
        form.locator("#import-file").set_input_files(table(tmp_path, json.dumps(tasks), "tasks.json"))
        form.get_by_role("button", name="Import").click()
        expect(page.locator("#import")).to_contain_text(words)
    expect(page.get_by_role("listitem").filter(has_text="left out: 1 × drafts")).to_be_visible()
    study.open(page, f"{study.path}/data")
    with page.expect_download() as download:
        page.get_by_role("link", name="Label Studio").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        (task,) = json.loads(archive.read("verify.tasks.json"))
    assert task["data"]["question"] == data["question"]


@pytest.mark.nightly
def test_who_left_is_in_no_export_and_is_paid_all_the_same(study: ServedStudy) -> None:
    study.add("verify", [{"question": "What is taken off?", "options": ["hats", "shoes"]}])
    first, second = study.person(), study.person()
    for person in (first, second):
        study.answer(person, {"choices": [1]})
    page = study.researcher(f"/people/{second.id}")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("left", exact=True)).to_be_visible()
    study.open(page, f"{study.path}/data")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("judgements.csv").decode())))
    assert {row["participant"] for row in rows} == {first.pseudonym}
    study.open(page, study.path)
    with page.expect_download() as download:
        page.get_by_role("link", name="Payments (CSV)").click()
    paid = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert [(row["participant"], row["answers"]) for row in paid] == [
        (first.pseudonym, "1"),
        (second.pseudonym, "1"),
    ]


@pytest.mark.nightly
def test_what_is_personal_is_shown_on_request_and_noted_and_can_be_deleted(
    make_study: Callable[..., ServedStudy],
) -> None:
    criterion = {"name": "grew_up", "ask": "Where did you grow up?", "accept": ["Korea"]}
    study = make_study(STAGES, populations=[{"name": "korea", "culture": "KR", "criteria": [criterion]}])
    person = study.person()
    person = participants.answer_eligibility(study.workspace, person.id, {"grew_up": "Atlantis"})
    assert person.state == "waiting"
    page = study.researcher(f"/people/{person.id}")
    expect(page.get_by_text("Atlantis")).to_have_count(0)
    page.get_by_role("link", name="Show it").click()
    expect(page.get_by_text("Atlantis")).to_be_visible()
    page.get_by_label("Reason, kept on record").fill("Grew up on a ship under the Korean flag.")
    page.get_by_role("button", name="Let in").click()
    expect(page.get_by_text("Grew up on a ship")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete personal details").click()
    page.get_by_role("link", name="Show it").click()
    expect(page.get_by_text("Nothing is stored.")).to_be_visible()
    study.open(page, f"{study.path}/log")
    for kind in ("participant.attributes_read", "participant.waived", "participant.attributes_deleted"):
        row = page.get_by_role("row").filter(has_text=kind).first
        expect(row).to_contain_text(f"{study.record.name}@example.org")
        expect(row).to_contain_text(person.pseudonym)


@pytest.mark.nightly
def test_words_that_say_who_somebody_is_are_redacted_on_the_page_of_the_item(study: ServedStudy) -> None:
    study.add("verify", [{"question": "What is taken off?", "options": ["hats", "shoes"]}])
    words = "as my mother, Kim Min-su of Jongno, says"
    study.answer(study.person(), {"choices": [1], "comment": words})
    address = f"/items/{study.ids['verify'][0]}"
    page = study.researcher(address)
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("summary", has_text="Redact").click()
    page.get_by_label("comment").check()
    page.get_by_role("button", name="Redact").click()
    expect(page.get_by_role("status").first).to_contain_text("The words have been redacted.")
    answer = page.get_by_role("row").filter(has_text="shoes")
    expect(answer).to_contain_text("[redacted]")
    assert "Kim" not in page.content()
    study.open(page, f"{study.path}/log")
    expect(page.get_by_text("answer.redacted")).to_be_visible()
    assert "Kim" not in page.content()
    reviewer = study.at_start(role=Role.REVIEWER)
    assert study.open(reviewer, study.path + address).locator("summary", has_text="Redact").count() == 0
    assert study.errors == []
