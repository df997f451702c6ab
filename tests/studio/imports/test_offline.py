"""Working off line: a workbook out, the same one back with answers, whatever a spreadsheet makes of it."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest
from openpyxl import load_workbook

from folkways.errors import FolkwaysError
from folkways.studio.imports.offline import hand_out, take_in
from folkways.studio.imports.tables import RowsError, read_workbook
from folkways.studio.services.work.judgements import list_judgements
from folkways.studio.stages.registry import STAGE_KINDS
from folkways.workspace.database import Workspace
from tests.support.studies import QUESTION, Desk, open_desk

STAGES = [
    {"name": "verify", "kind": "vote"},
    {"name": "answer", "kind": "short_answers"},
    {"name": "label", "kind": "label_item"},
    {"name": "adapt", "kind": "adapt"},
    {"name": "judge", "kind": "judge_answer"},
    {"name": "localise", "kind": "localise"},
    {"name": "write", "kind": "write_question"},
]
SENTENCE = {"sentence": "We went to a potluck.", "spans": [[13, 20]]}
FILLED: Mapping[str, tuple[Mapping[str, object], Mapping[str, str], Mapping[str, object]]] = {
    "verify": (QUESTION, {"choices": "a, C"}, {"choices": [0, 2], "abstain": None, "comment": ""}),
    "answer": (
        {"local": "=SUM(A1)?", "english": "What?"},
        {"answer 1": "rice", "answer 3": "tea"},
        {"answers": ["rice", "tea"], "no_answer": None, "other": ""},
    ),
    "label": (
        SENTENCE,
        {"category": "Social Tradition", "level": "Visible", "element": "Food and Drink"},
        {"category": "Social Tradition", "level": "Visible", "element": "Food and Drink"},
    ),
    "adapt": (
        SENTENCE,
        {"strategies": "neutral_term", "intra": "We went to a <CSI>meal</CSI>.", "inter": "我们去<CSI>吃饭</CSI>了。"},
        {"strategies": ["neutral_term"], "intra": "We went to a <CSI> meal </CSI>.", "inter": "我们去<CSI> 吃饭 </CSI>了。"},
    ),
    "judge": (
        {"question": "What?", "reply": "+rice"},
        {"verdict": "conditional", "flags": "refusal, unnatural"},
        {"verdict": "conditional", "flags": ["unnatural", "refusal"], "comment": ""},
    ),
    "localise": (
        {"template": "What do people eat in your country?", "category": "Food"},
        {"local": "무엇을 먹나요?"},
        {"local": "무엇을 먹나요?", "english": "What do people eat in your country?"},
    ),
}
"""Stage -> an item's content, what is filled in, and the judgement that it becomes."""


@pytest.fixture
def desk(workspace: Workspace) -> Desk:
    return open_desk(workspace, STAGES)


def fill(content: bytes, cells: Mapping[str, str], row: int = 2) -> bytes:
    """What a person types into a workbook and saves."""
    book = load_workbook(io.BytesIO(content))
    sheet = book.worksheets[0]
    places = {cell.value: cell.column for cell in sheet[1]}
    for name, value in cells.items():
        sheet.cell(row, places[name]).value = value
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_every_kind_that_can_be_worked_on_off_line_is_tested() -> None:
    assert {stage["kind"] for stage in STAGES} - {"write_question"} == {name for name, kind in STAGE_KINDS.items() if kind.sheet}


@pytest.mark.parametrize("stage", list(FILLED))
def test_out_and_back(desk: Desk, stage: str) -> None:
    content, cells, payload = FILLED[stage]
    (item,) = desk.add(stage, [content])
    person = desk.person()
    sheet = hand_out(desk.workspace, person.id, stage, 10)
    found = take_in(desk.workspace, person.id, read_workbook(fill(sheet, cells)))
    assert (found.stored, found.repeated, found.empty) == (1, 0, 0)
    assert [dict(each.payload) for each in list_judgements(desk.workspace, desk.study.id, item)] == [payload]


def test_the_same_workbook_twice_is_stored_once(desk: Desk) -> None:
    desk.add("verify", [QUESTION] * 3)
    person = desk.person()
    sheet = fill(hand_out(desk.workspace, person.id, "verify", 3), {"choices": "A"})
    first = take_in(desk.workspace, person.id, read_workbook(sheet))
    again = take_in(desk.workspace, person.id, read_workbook(sheet))
    assert (first.stored, first.empty) == (1, 2)
    assert (again.stored, again.repeated, again.empty) == (0, 1, 2)


def test_what_was_submitted_otherwise_is_a_problem(desk: Desk) -> None:
    desk.add("verify", [QUESTION])
    person = desk.person()
    sheet = hand_out(desk.workspace, person.id, "verify", 1)
    take_in(desk.workspace, person.id, read_workbook(fill(sheet, {"choices": "A"})))
    with pytest.raises(RowsError, match="first submission stands"):
        take_in(desk.workspace, person.id, read_workbook(fill(sheet, {"choices": "B"})))


def test_one_wrong_row_and_nothing_is_submitted(desk: Desk) -> None:
    items = desk.add("verify", [QUESTION] * 3)
    person = desk.person()
    sheet = hand_out(desk.workspace, person.id, "verify", 3)
    sheet = fill(sheet, {"choices": "A"}, 2)
    sheet = fill(sheet, {"choices": "Z"}, 3)
    sheet = fill(sheet, {"choices": "A", "abstain": "dont_know"}, 4)
    with pytest.raises(RowsError) as error:
        take_in(desk.workspace, person.id, read_workbook(sheet))
    assert set(error.value.problems) == {2, 3}
    assert "from 0 to 3" in error.value.problems[2]
    assert "Either choose answers" in error.value.problems[3]
    assert [list_judgements(desk.workspace, desk.study.id, item) for item in items] == [(), (), ()]


def test_nobody_takes_in_the_workbook_of_another(desk: Desk) -> None:
    desk.add("verify", [QUESTION])
    person, other = desk.person(), desk.person()
    sheet = fill(hand_out(desk.workspace, person.id, "verify", 1), {"choices": "A"})
    with pytest.raises(RowsError, match="not yours"):
        take_in(desk.workspace, other.id, read_workbook(sheet))


def test_handed_out_slots_are_kept(desk: Desk) -> None:
    """Five slots of one item: five people hold it off line, the sixth finds nothing."""
    desk.add("verify", [QUESTION])
    for _ in range(5):
        hand_out(desk.workspace, desk.person().id, "verify", 10)
    assert desk.nothing(desk.person(), "verify") == "none_left"


def test_cells_that_look_like_formulas_stay_text(desk: Desk) -> None:
    content = FILLED["answer"][0]
    desk.add("answer", [content])
    book = load_workbook(io.BytesIO(hand_out(desk.workspace, desk.person().id, "answer", 1)))
    cell = book.worksheets[0]["B2"]
    assert (cell.value, cell.data_type) == ("=SUM(A1)?", "s")


def test_nothing_to_hand_out_says_why(desk: Desk) -> None:
    with pytest.raises(FolkwaysError, match="none left"):
        hand_out(desk.workspace, desk.person().id, "write", 3)
