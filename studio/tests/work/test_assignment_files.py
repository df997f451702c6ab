"""Assigning by a table: all rows or none, and every row that cannot be used is named."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook

from folkways.sdk.errors import DataError
from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.items.table_files import RowsError, read_rows
from folkways_studio.people import participants
from folkways_studio.work.assignees import assignees_of
from folkways_studio.work.assignment_files import assign_rows
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, open_study, stored

VOTE = {"name": "verify", "kind": "vote"}
pytestmark = ON_A_FILE


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "uk", "culture": "GB"}]
    return open_study(studio_workspace, [VOTE, {**VOTE, "name": "again"}], populations=populations)


def names(study: StudyFixture) -> dict[int, list[str]]:
    numbers = [row["id"] for row in stored(study.workspace, schema.items)]
    found = assignees_of(study.workspace, study.record.id, numbers)
    return {number: [each.name for each in named] for number, named in found.items()}


def test_rows_of_every_kind(study: StudyFixture, tmp_path: Path) -> None:
    kim, lee = study.person(), study.person()
    one, two, three = study.add("verify", [QUESTION] * 3)
    (other,) = (
        each.id for each in add_items(study.workspace, study.record.id, "again", [NewItem("q0", QUESTION)])
    )
    rows = [
        {"item": "q0", "stage": "verify", "person": kim.pseudonym, "note": "not read"},
        {"item": "q0", "stage": "verify", "person": lee.pseudonym, "population": ""},
        {"item_id": str(two), "population": "korea"},
        {"item": "q0", "stage": "again", "population": "uk"},
        {"item": "q2", "item_id": str(three), "person": " " + kim.pseudonym + " "},
    ]
    receipt = assign_rows(study.workspace, study.record.id, rows, preview=True)
    assert receipt.items == 4 and names(study) == {}
    expected = {one: [kim.pseudonym, lee.pseudonym], two: ["korea"], other: ["uk"], three: [kim.pseudonym]}
    assert assign_rows(study.workspace, study.record.id, rows, by=study.owner).items == 4
    assert {number: sorted(named) for number, named in names(study).items()} == {
        number: sorted(named) for number, named in expected.items()
    }
    book = Workbook()
    for line in (("item", "person"), ("q1", lee.pseudonym), ("q2", None)):
        book.active.append(line)
    content = io.BytesIO()
    book.save(content)
    (tmp_path / "rows.xlsx").write_bytes(content.getvalue())
    assign_rows(study.workspace, study.record.id, read_rows(tmp_path / "rows.xlsx"), add=True)
    assert sorted(names(study)[two]) == sorted(["korea", lee.pseudonym])
    assert three not in names(study), "with nobody: for anybody again"
    assign_rows(study.workspace, study.record.id, [{"item": "q1", "person": kim.pseudonym}])
    assert names(study)[two] == [kim.pseudonym]


def test_what_is_wrong_with_rows(study: StudyFixture) -> None:
    kim, gone, jones = study.person(), study.person(), study.person("uk")
    one, _ = study.add("verify", [QUESTION] * 2)
    add_items(study.workspace, study.record.id, "again", [NewItem("q0", QUESTION)])
    participants.withdraw(study.workspace, study.record.id, gone.id)
    stranger = open_study(study.workspace, [VOTE], name="another").add("verify", [QUESTION])[0]
    me = kim.pseudonym
    wrong: list[tuple[Mapping[str, str], str]] = [
        ({"item": "q9", "person": me}, "there is no item 'q9'"),
        ({"item": "q0", "person": me}, "there are items 'q0' in several stages (again, verify)"),
        ({"item": "q1", "stage": "again", "person": me}, "there is no item 'q1' in the stage 'again'"),
        ({"item": "", "person": me}, "names no item"),
        ({"item": "", "item_id": "x1", "person": me}, "there is no item with the id 'x1'"),
        ({"item": "", "item_id": "9" * 30, "person": me}, "there is no item with the id '999"),
        ({"item": "", "item_id": str(stranger), "person": me}, "there is no item with the id"),
        ({"item": "q1", "item_id": str(one), "person": me}, "is 'q0', not 'q1'"),
        ({"item": "q1", "person": "p-none"}, "there is no person 'p-none'"),
        ({"item": "q1", "population": "mars"}, "there is no population 'mars'; valid: korea, uk"),
        ({"item": "q1", "person": me, "population": "korea"}, "names a person and a population"),
    ]
    with pytest.raises(RowsError) as error:
        assign_rows(study.workspace, study.record.id, [row for row, _ in wrong], file="table.csv")
    assert sorted(error.value.problems) == list(range(1, len(wrong) + 1))
    for number, (_, words) in enumerate(wrong, 1):
        assert words in error.value.problems[number]
    assert "table.csv" in str(error.value)
    refused = [
        {"item": "q1", "person": me}, {"item": "q1", "person": me}, {"item": "q1", "person": ""},
    ]  # fmt: skip
    with pytest.raises(RowsError) as error:
        assign_rows(study.workspace, study.record.id, refused)
    assert error.value.problems == {
        2: "says the same as row 1", 3: "assigns the item to nobody, and another row of it to somebody",
    }  # fmt: skip
    for preview in (True, False):
        rows = [
            {"item": "q1", "person": me}, {"item": "q1", "person": gone.pseudonym},
            {"item_id": str(one), "person": jones.pseudonym},
        ]  # fmt: skip
        with pytest.raises(RowsError) as error:
            assign_rows(study.workspace, study.record.id, rows, preview=preview)
        assert error.value.problems == {
            2: f"the item cannot be assigned to {gone.pseudonym}: has left the study",
            3: f"the item cannot be assigned to {jones.pseudonym}: is not of the population korea",
        }
    with study.workspace.write() as connection:
        connection.execute(schema.items.update().where(schema.items.c.id == one).values(state="done"))
    with pytest.raises(RowsError) as error:
        assign_rows(study.workspace, study.record.id, [{"item_id": str(one), "person": me}])
    assert error.value.problems == {1: "the item cannot be assigned: it is settled"}
    assert names(study) == {}, "nothing of it was done"
    for rows in ([{"person": me}], [{"item": "q1"}], []):
        with pytest.raises(DataError, match="has to have a column"):
            assign_rows(study.workspace, study.record.id, rows)
