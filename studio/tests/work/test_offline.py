"""Working off line: a workbook out, the same one back with answers, whatever a spreadsheet makes of it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from folkways.errors import FolkwaysError
from folkways.spreadsheet import csv_bytes
from folkways.workspace.database import Workspace
from folkways_studio.items.table_files import RowsError, read_rows, read_workbook
from folkways_studio.media import service as media
from folkways_studio.people.participants import withdraw
from folkways_studio.records import Participant, StudyState
from folkways_studio.stages.registry import STAGE_KINDS
from folkways_studio.studies.service import set_state
from folkways_studio.work.judgements import list_judgements
from folkways_studio.work.offline import NO_WORK, export_workbook, import_workbook
from folkways_studio.workflows.templates import PAPERS, template_text
from folkways_studio.workflows.yaml_text import parse_yaml
from studio.tests.support.studies import QUESTION, StudyFixture, open_study, untrained

FORM = {
    "kind": "form",
    "guidelines": {"en": "Look closely.", "ko": "잘 보세요."},
    "show": [
        {"field": "picture", "type": "image"},
        {"field": "story", "type": "text", "label": {"en": "Who", "ko": "누가"}},
    ],
    "ask": [
        {
            "key": "polite",
            "type": "choice",
            "label": {"en": "Is it polite?", "ko": "예의 바른가요?"},
            "options": [
                {"value": "yes", "label": {"en": "=Yes", "ko": "네"}},
                {"value": "no", "label": {"en": "No", "ko": "아니요"}},
            ],
        },
        {"key": "why", "type": "text", "label": "Why not?", "if": {"key": "polite", "is": "no"}},
        {"key": "more", "type": "texts", "label": "What else?"},
        {
            "key": "who",
            "type": "several",
            "label": "To whom?",
            "options": ["elders", "guests"],
            "required": False,
        },
        {"key": "fit", "type": "scale", "label": "How fitting?", "ends": ["not at all", "entirely"]},
        {"key": "age", "type": "number", "label": "From what age?", "most": 120},
        {"key": "words", "type": "spans", "label": "Which words?", "of": "story"},
        {
            "key": "better",
            "type": "pairwise",
            "label": "Which is better?",
            "between": ["one", "two"],
            "tie": True,
        },
        {"key": "best", "type": "choice", "label": "The best?", "options_from": "dishes"},
        {"key": "order", "type": "ranking", "label": "From best to worst", "options_from": "dishes"},
        {"key": "groups", "type": "grouping", "label": "What is the same?", "options_from": "dishes"},
    ],
}
"""A form with every type of part, in two languages."""
STAGES = [
    {"name": "verify", "kind": "vote"},
    {"name": "answer", "kind": "short_answers"},
    {"name": "label", "kind": "label_item"},
    {"name": "adapt", "kind": "adapt"},
    {"name": "judge", "kind": "judge_answer"},
    {"name": "localise", "kind": "localise"},
    {"name": "mark", "kind": "tag_spans", "answers": 1},
    {**FORM, "name": "form"},
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
        {
            "strategies": "neutral_term",
            "intra": "We went to a <CSI>meal</CSI>.",
            "inter": "我们去<CSI>吃饭</CSI>了。",
        },
        {
            "strategies": ["neutral_term"],
            "intra": "We went to a <CSI> meal </CSI>.",
            "inter": "我们去<CSI> 吃饭 </CSI>了。",
        },
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
    "form": (
        {
            **{"picture": "door.jpg", "picture_alt": "Shoes beside a door", "story": "A guest bows [twice]."},
            **{"one": "Tea?", "two": "Sit down!", "dishes": ["soup", "broth", "tea; cold"]},
        },
        {
            **{
                "polite": "아니요",
                "why": "1-2",
                "more": "tea; =rice",
                "who": "guests;Elders",
                "fit": "entirely",
                "age": "7,5",
                "words": "A {guest} bows [twice].",
            },
            **{
                "better": "Sit  down!",
                "best": "soup",
                "order": '"tea; cold"; soup; broth',
                "groups": 'soup = broth; "tea; cold"',
            },
        },
        {
            "choice": {"polite": "no", "best": "soup"},
            "text": {"why": "1-2"},
            "texts": {"more": ["tea", "=rice"]},
            "several": {"who": ["elders", "guests"]},
            "scale": {"fit": 5},
            "number": {"age": 7.5},
            "spans": {"words": [[2, 7, "guest"]]},
            "pairwise": {"better": "two"},
            "ranking": {"order": ["tea; cold", "soup", "broth"]},
            "grouping": {"groups": [["soup", "broth"], ["tea; cold"]]},
        },
    ),
}
"""Stage -> an item's content, what is filled in, and the judgement that it becomes."""


def with_files(study: StudyFixture) -> StudyFixture:
    media.add_media(
        study.workspace,
        study.record.id,
        {"door.jpg": ("image/jpeg", b"a picture"), "a.mp3": ("audio/mpeg", b"a voice")},
    )
    return study


@pytest.fixture
def study(workspace: Workspace) -> StudyFixture:
    return with_files(open_study(workspace, STAGES, language="en"))


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
    assert {stage["kind"] for stage in STAGES} - {"tag_spans"} == {
        name for name, kind in STAGE_KINDS.items() if kind.workbook or "workbook_schema" in vars(type(kind))
    }
    assert {stage["name"] for stage in STAGES} - {"mark"} == set(FILLED)


@pytest.mark.parametrize("stage", list(FILLED))
def test_out_and_back(study: StudyFixture, stage: str) -> None:
    content, cells, payload = FILLED[stage]
    (item,) = study.add(stage, [content])
    person = study.person()
    sheet = export_workbook(study.workspace, person.id, stage, 10)
    found = import_workbook(study.workspace, person.id, read_workbook(fill(sheet, cells)))
    assert (found.stored, found.repeated, found.empty) == (1, 0, 0)
    assert [dict(each.payload) for each in list_judgements(study.workspace, study.record.id, item)] == [
        payload
    ]


def test_the_same_workbook_twice_is_stored_once(study: StudyFixture) -> None:
    study.add("verify", [QUESTION] * 3)
    person = study.person()
    sheet = fill(export_workbook(study.workspace, person.id, "verify", 3), {"choices": "A"})
    first = import_workbook(study.workspace, person.id, read_workbook(sheet))
    again = import_workbook(study.workspace, person.id, read_workbook(sheet))
    assert (first.stored, first.empty) == (1, 2)
    assert (again.stored, again.repeated, again.empty) == (0, 1, 2)


def test_what_was_submitted_otherwise_is_a_problem(study: StudyFixture) -> None:
    study.add("verify", [QUESTION])
    person = study.person()
    sheet = export_workbook(study.workspace, person.id, "verify", 1)
    import_workbook(study.workspace, person.id, read_workbook(fill(sheet, {"choices": "A"})))
    with pytest.raises(RowsError, match="first submission stands"):
        import_workbook(study.workspace, person.id, read_workbook(fill(sheet, {"choices": "B"})))


def test_one_wrong_row_and_nothing_is_submitted(study: StudyFixture) -> None:
    items = study.add("verify", [QUESTION] * 3)
    person = study.person()
    sheet = export_workbook(study.workspace, person.id, "verify", 3)
    sheet = fill(sheet, {"choices": "A"}, 2)
    sheet = fill(sheet, {"choices": "Z"}, 3)
    sheet = fill(sheet, {"choices": "A", "abstain": "dont_know"}, 4)
    with pytest.raises(RowsError) as error:
        import_workbook(study.workspace, person.id, read_workbook(sheet))
    assert set(error.value.problems) == {2, 3}
    assert "from 0 to 3" in error.value.problems[2]
    assert "Either choose answers" in error.value.problems[3]
    assert [list_judgements(study.workspace, study.record.id, item) for item in items] == [(), (), ()]


def test_nobody_takes_in_the_workbook_of_another(study: StudyFixture) -> None:
    study.add("verify", [QUESTION])
    person, other = study.person(), study.person()
    sheet = fill(export_workbook(study.workspace, person.id, "verify", 1), {"choices": "A"})
    with pytest.raises(RowsError, match="not yours"):
        import_workbook(study.workspace, other.id, read_workbook(sheet))


@pytest.mark.parametrize(
    ("rows", "lacks"),
    [(300, "no column 'assignment'"), (0, "no rows below its header")],
    ids=["other", "none"],
)
def test_a_table_that_was_not_handed_out_is_told_once(study: StudyFixture, rows: int, lacks: str) -> None:
    """Such as a sheet of notes before the one with the answers."""
    table = [{"id": str(number), "question": "Soup?"} for number in range(rows)]
    with pytest.raises(FolkwaysError, match=rf"^items\.csv: has {lacks}; bring the table as it was [^\n]*$"):
        import_workbook(study.workspace, study.person().id, table, file="items.csv")


def _rename(sheet: Worksheet) -> None:
    sheet["D1"] = "Answer 1"


def _repeat(sheet: Worksheet) -> None:
    sheet.cell(1, sheet.max_column + 1).value = "answer 1"


def _break(sheet: Worksheet) -> None:
    sheet["D3"].value, sheet["D3"].data_type = "#REF!", "e"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_rename, "answer.xlsx: has no column answer 1; leave the columns as they were handed out"),
        (lambda sheet: sheet.delete_cols(4), "has no column answer 1; leave"),
        (_repeat, "has two columns with the name answer 1; rename or delete one"),
        (_break, "row 2: answer 1 is #REF!: mend the formula, or write the value in its place"),
    ],
    ids=["renamed", "deleted", "repeated", "failed formula"],
)
def test_no_answer_of_a_workbook_that_was_changed_is_lost_unsaid(
    study: StudyFixture, change: Callable[[Worksheet], object], told: str
) -> None:
    """They were counted as empty rows, or taken for what the person said."""
    study.add("answer", [FILLED["answer"][0]] * 2)
    person = study.person()
    handed_out = export_workbook(study.workspace, person.id, "answer", 2)
    book = load_workbook(io.BytesIO(fill(handed_out, {"answer 1": "rice"})))
    change(book.worksheets[0])
    book.save(buffer := io.BytesIO())
    with pytest.raises(FolkwaysError, match=re.escape(told)):
        import_workbook(study.workspace, person.id, read_workbook(buffer.getvalue()), file="answer.xlsx")


@pytest.mark.parametrize(
    ("file", "is_taken"),
    [(None, True), ("rows.json", True), ("rows.JSONL", True), ("rows.ndjson", True), ("rows.csv", False),
     ("rows.tsv", False), ("rows.parquet", False), ("rows.XLSX", False)],
)  # fmt: skip
def test_rows_that_name_their_cells_name_those_that_they_have(
    study: StudyFixture, file: str | None, is_taken: bool
) -> None:
    """Programs leave out what is empty; where a header lacks a column, somebody has changed it."""
    study.add("answer", [FILLED["answer"][0]])
    person = study.person()
    (row,) = read_workbook(export_workbook(study.workspace, person.id, "answer", 1))
    rows = [{"assignment": row["assignment"], "answer 1": "rice"}]
    if is_taken:
        assert import_workbook(study.workspace, person.id, rows, file=file).stored == 1
    else:
        with pytest.raises(FolkwaysError, match="has no column answer 2, "):
            import_workbook(study.workspace, person.id, rows, file=file)


def test_a_date_is_read_as_it_is_shown() -> None:
    book = Workbook()
    for row in (["day", "moment"], [datetime(2026, 2, 1), datetime(2026, 2, 1, 18, 30)]):
        book.worksheets[0].append(row)
    book.save(buffer := io.BytesIO())
    assert read_workbook(buffer.getvalue()) == [{"day": "2026-02-01", "moment": "2026-02-01 18:30:00"}]


def test_handed_out_slots_are_kept(study: StudyFixture) -> None:
    """Five slots of one item: five people hold it off line, the sixth finds nothing."""
    study.add("verify", [QUESTION])
    for _ in range(5):
        export_workbook(study.workspace, study.person().id, "verify", 10)
    assert study.nothing(study.person(), "verify") == "none_left"


def test_cells_that_look_like_formulas_stay_text(study: StudyFixture) -> None:
    content = FILLED["answer"][0]
    study.add("answer", [content])
    book = load_workbook(io.BytesIO(export_workbook(study.workspace, study.person().id, "answer", 1)))
    cell = book.worksheets[0]["B2"]
    assert (cell.value, cell.data_type) == ("=SUM(A1)?", "s")


def _cap(study: StudyFixture, person: Participant) -> None:
    study.answer(person, {"choices": [0]}, "capped")


REASONS: dict[str, tuple[str, Callable[[StudyFixture, Participant], object]]] = {
    "paused": ("capped", lambda study, _: set_state(study.workspace, study.record.id, StudyState.PAUSED)),
    "closed": ("capped", lambda study, _: set_state(study.workspace, study.record.id, StudyState.CLOSED)),
    "not_active": ("capped", lambda study, person: withdraw(study.workspace, study.record.id, person.id)),
    "no_role": ("reviewed", lambda *_: None),
    "training": ("trained", lambda *_: None),
    "cap": ("capped", _cap),
    "none_left": ("empty", lambda *_: None),
}


@pytest.mark.parametrize("reason", REASONS)
def test_nothing_to_hand_out_says_why(studio_workspace: Workspace, reason: str) -> None:
    vote = {"kind": "vote", "answers": 1, "majority": 1}
    stages = [
        {"name": "capped", "cap": 1, **vote},
        {"name": "reviewed", "role": "reviewer", **vote},
        {"name": "trained", "manual": "verification/verify", **vote},
        {"name": "empty", **vote},
    ]
    study = open_study(studio_workspace, stages)
    for stage in ("capped", "reviewed", "trained"):
        study.add(stage, [QUESTION, {**QUESTION, "question": "And then?"}])
    person = study.person()
    stage, come_to_it = REASONS[reason]
    come_to_it(study, person)
    with pytest.raises(FolkwaysError, match=f"nothing was handed out: {NO_WORK[reason]}"):
        export_workbook(study.workspace, person.id, stage, 3)


def test_what_has_no_workbook_is_kept_for_nobody(study: StudyFixture) -> None:
    study.add("mark", [{"sentence": "We had a potluck."}])
    person = study.person()
    with pytest.raises(
        FolkwaysError,
        match=r"kind tag_spans cannot be worked on off line; those that can: adapt, form, .*vote",
    ):
        export_workbook(study.workspace, person.id, "mark", 1)
    assert study.work(study.person(), "mark").item.content["sentence"] == "We had a potluck."


def test_a_form_is_handed_out_in_the_language_of_its_people(study: StudyFixture) -> None:
    """What is shown, what each column asks, and lists to choose from: of the stage, and of each item."""
    content = FILLED["form"][0]
    study.add("form", [content, {**content, "dishes": ["rice", "bread"]}])
    book = load_workbook(io.BytesIO(export_workbook(study.workspace, study.person().id, "form", 2)))
    head, *rows = book["answers"].iter_rows(values_only=True)
    row = dict(zip(head, rows[0], strict=True))
    assert list(row) == [
        *("assignment", "picture", "picture_alt", "story", "better: 1", "better: 2", "dishes"),
        *(part["key"] for part in FORM["ask"]),
    ]
    assert (row["picture"], row["picture_alt"], row["dishes"]) == (
        "door.jpg",
        "Shoes beside a door",
        'soup; broth; "tea; cold"',
    )
    how = dict(book["how to"].iter_rows(values_only=True))
    assert (how["guidelines"], how["story"]) == ("잘 보세요.", "누가")
    assert how["polite"] == "예의 바른가요?\nWrite one of: 네; 아니요."
    assert (
        how["why"].endswith("Only where polite is 아니요.")
        and "5 (entirely)" in how["fit"]
        and "what stands in 'dishes'" in how["best"]
    )
    places = {name: get_column_letter(number) for number, name in enumerate(head, 1)}
    lists = {
        each.sqref: [
            cell.value for cell in book["lists"][each.formula1.partition("!")[2].replace("$", "")][0]
        ]
        for each in book["answers"].data_validations.dataValidation
    }
    offered = {
        name: [
            next((found for cells, found in lists.items() if f"{places[name]}{row}" in cells), None)
            for row in (2, 3)
        ]
        for name in ("polite", "fit", "better", "best", "order", "why")
    }
    assert offered == {
        "polite": [["네", "아니요"]] * 2,
        "fit": [["1", "2", "3", "4", "5"]] * 2,
        "better": [["1", "2", "No difference"]] * 2,
        "best": [["soup", "broth", "tea; cold"], ["rice", "bread"]],
        "order": [None, None],
        "why": [None, None],
    }
    assert (book["lists"].sheet_state, book["answers"][f"{places['why']}2"].number_format) == ("hidden", "@")


def test_a_wrong_cell_of_a_form_says_what_can_stand_there(study: StudyFixture, tmp_path: Path) -> None:
    """As CSV too; good rows are not taken in without the wrong ones, and no answer is lost."""
    content, cells, _ = FILLED["form"]
    items = study.add("form", [content] * 2)
    person = study.person()
    sheet = fill(export_workbook(study.workspace, person.id, "form", 2), cells)
    rows = read_workbook(fill(fill(sheet, cells, 3), {"polite": "perhaps", "age": "1,200"}, 3))
    assert [row["age"] for row in rows] == ["7,5", "1,200"]
    with pytest.raises(RowsError) as error:
        import_workbook(study.workspace, person.id, rows)
    assert list(error.value.problems) == [2]
    told = error.value.problems[2]
    assert "polite: 'perhaps' is none of the answers (write one of: 네; 아니요)" in told
    assert (
        "age: '1,200': Give a number, with nothing between its thousands (write a number, at most 120,"
        in told
    )
    assert "why" not in told
    rows[1] |= {"polite": "no", "age": "120"}
    (tmp_path / "back.csv").write_bytes(csv_bytes(list(rows[0]), [list(row.values()) for row in rows]))
    assert import_workbook(study.workspace, person.id, read_rows(tmp_path / "back.csv")).stored == 2
    assert [
        list_judgements(study.workspace, study.record.id, item)[0].payload["number"] for item in items
    ] == [{"age": 7.5}, {"age": 120}]


GALLERY: Mapping[str, tuple[Mapping[str, object], Mapping[str, str]]] = {
    "best-worst": ({"options": ["rice", "bread", "soup", "tea"]}, {"best": "tea", "worst": "Soup"}),
    "dialects": (
        {"recording": "a.mp3", "recording_transcript": "مرحبا"},
        {"places": "nile; الخليج", "own": "2", "heard": "yes"},
    ),
    "norms": (
        {"situation": "At the door", "behaviour": "Somebody bows."},
        {"fitting": "not at all", "depends": "age", "how": "Elders wait."},
    ),
    "naming-items": ({"culture": "India", "fact": "People drink water."}, {"count": "none"}),
    "question-translation": (
        {"prompt_question": "What?", **{f"prompt_option_{each}": each for each in "abcd"}},
        {"local_question": "무엇?", **{f"local_option_{each}": f"{each}." for each in "abcd"}},
    ),
    "picture-questions": ({"picture": "door.jpg", "picture_alt": "A door"}, {"usable": "no"}),
    "preference": (
        {"question": "What do I bring?", "answer_a": "Fruit.", "answer_b": "Nothing."},
        {"better": "1", "reasons": "It is true; It is clear"},
    ),
    "cultural-references": ({"sentence": "We went to a potluck."}, {"words": "-"}),
}
"""A form of the gallery -> an item's content, and what is filled in."""


def test_every_form_of_the_gallery_is_tested() -> None:
    assert GALLERY.keys() == PAPERS.keys()


@pytest.mark.parametrize("name", list(GALLERY))
def test_a_form_of_the_gallery(workspace: Workspace, name: str) -> None:
    content, cells = GALLERY[name]
    made = parse_yaml(template_text(name))
    study = with_files(open_study(workspace, untrained(made["stages"]), language=made.get("language", "en")))
    stage = made["stages"][0]["name"]
    study.add(stage, [content])
    person = study.person()
    found = import_workbook(
        study.workspace,
        person.id,
        read_workbook(fill(export_workbook(study.workspace, person.id, stage, 1), cells)),
    )
    assert (found.stored, found.empty) == (1, 0)
