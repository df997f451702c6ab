"""Items from tables: all rows or none, every wrong row named."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import orjson
import polars as pl
import pytest
from openpyxl import Workbook

from folkways.errors import DataError, FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.errors import Message, NotFoundError, SubmissionError
from folkways_studio.items import table_files
from folkways_studio.items.reading import import_items
from folkways_studio.items.service import list_items
from folkways_studio.items.table_files import RowsError, read_rows, read_workbook
from folkways_studio.stages.registry import STAGE_KINDS, stage_kind
from folkways_studio.studies.service import populations
from studio.tests.support.studies import ON_BOTH, StudyFixture, open_study
from tests.support.csi_votes import ITEMS, write_items

ROWS = [
    {
        "item": "q1",
        "question": "What is eaten?",
        "option_a": "rice",
        "option_b": "None",
        "option_c": "=1+1",
        "option_d": "NA",
    },
    {"item": "q2", "question": "Когда?", "option_a": "1", "option_b": "2", "option_c": "3", "option_d": "4"},
]


@pytest.fixture
def study(workspace: Workspace) -> StudyFixture:
    return open_study(
        workspace, [{"name": "verify", "kind": "vote"}, {"name": "choose", "kind": "choose_best"}]
    )


def as_workbook(rows: list[dict[str, object]]) -> bytes:
    book = Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


JUDGES = [
    {"name": "korea", "culture": "KR", "language": "ko"},
    {"name": "korea-in-english", "culture": "KR", "language": "en"},
    {"name": "seoul", "culture": "KR", "language": "fr", "part_of": "korea"},
    {"name": "us", "culture": "US", "language": "en"},
]
REPLY = {"question": "What is eaten?", "reply": "soup"}


@pytest.mark.parametrize(
    ("row", "judged_by"),
    [
        ({"culture": "KR", "language": "ko"}, "korea"),
        ({"culture": "KR", "language": "en"}, "korea-in-english"),
        ({"culture": "KR", "language": "fr"}, "korea"),  # no part of a population; the first of the culture
        ({"culture": "KR"}, "korea"),
        ({"culture": "US", "language": "ko"}, "us"),
        ({"culture": "US", "population": "korea"}, "korea"),
        ({"culture": "ET", "population": "korea"}, "korea"),
        ({}, None),
    ],
)
def test_a_reply_goes_to_people_of_its_culture(
    workspace: Workspace, row: dict[str, str], judged_by: str | None
) -> None:
    study = open_study(workspace, [{"name": "judge", "kind": "judge_answer"}], populations=JUDGES)
    (item,) = import_items(workspace, study.record.id, "judge", [{**REPLY, **row}])
    names = {each.id: each.name for each in populations(workspace, study.record.id)}
    assert names.get(item.population_id or 0) == judged_by


def test_a_reply_of_a_culture_that_the_study_lacks_goes_to_nobody_else(workspace: Workspace) -> None:
    study = open_study(workspace, [{"name": "judge", "kind": "judge_answer"}], populations=JUDGES)
    rows = [{**REPLY, "culture": culture} for culture in ("KR", "ET")]
    with pytest.raises(RowsError, match=r"from ET \(its populations are of KR, US\)"):
        import_items(workspace, study.record.id, "judge", rows)
    assert list_items(workspace, study.record.id, "judge") == ()
    assert len(import_items(workspace, study.record.id, "judge", rows, population="us")) == 2


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".xlsx"])
def test_the_same_rows_come_in_from_every_format(study: StudyFixture, tmp_path: Path, ending: str) -> None:
    rows = [{**row, "option_c": "x"} for row in ROWS]
    path = tmp_path / f"items{ending}"
    frame = pl.DataFrame(rows)
    if ending == ".xlsx":
        path.write_bytes(
            as_workbook([{**row, **({"option_a": 1} if row["option_a"] == "1" else {})} for row in rows])
        )
    else:
        {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[ending](path)
    import_items(study.workspace, study.record.id, "verify", read_rows(path), population="korea")
    found = list_items(study.workspace, study.record.id, "verify")
    assert [(item.key, item.content["question"], item.content["options"]) for item in found] == [
        ("q1", "What is eaten?", ["rice", "None", "x", "NA"]),
        ("q2", "Когда?", ["1", "2", "x", "4"]),
    ]


def test_files_are_read_up_to_their_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = as_workbook([{**row, "option_c": "x"} for row in ROWS])
    path = tmp_path / "items.xlsx"
    path.write_bytes(content)
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    for name, size, problem in (
        ("LARGEST_BYTES", len(content), "is larger than 0 MB"),
        ("LARGEST_UNPACKED", unpacked, "unpacks to more than 0 MB"),
        ("MOST_ROWS", len(ROWS), f"has more than {len(ROWS) - 1} rows"),
        ("MOST_COLUMNS", len(ROWS[0]), "columns"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(table_files, name, size)
            assert len(read_rows(path)) == len(table_files.read_workbook(content, "x")) == len(ROWS)
            patch.setattr(table_files, name, size - 1)
            for read in (lambda: read_rows(path), lambda: table_files.read_workbook(content, "x")):
                with pytest.raises(DataError, match=problem):
                    read()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_are_read_up_to_their_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path, frame = tmp_path / f"items{ending}", pl.DataFrame(ROWS)
    {".csv": frame.write_csv, ".parquet": frame.write_parquet}[ending](path)
    for name, size, problem in (
        ("LARGEST_UNPACKED", sum(len(cell) for row in ROWS for cell in row.values()), "unpacks to more than"),
        ("MOST_ROWS", len(ROWS), f"has more than {len(ROWS) - 1} rows"),
        ("MOST_COLUMNS", len(ROWS[0]), "columns"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(table_files, name, size)
            assert read_rows(path) == ROWS
            patch.setattr(table_files, name, size - 1)
            with pytest.raises(DataError, match=problem):
                read_rows(path)


def test_lines_of_json_that_share_no_name_cost_no_more_than_they_are(tmp_path: Path) -> None:
    """No cell for each name in each line: 15,000 lines were 225 million cells."""
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f'{{"name {number}": {number}}}\n' for number in range(300)), encoding="utf-8")
    assert read_rows(path) == [{f"name {number}": str(number)} for number in range(300)]


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_json_has_no_more_columns_than_other_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"items{ending}"
    path.write_text('[{"a": 1}, {"b": 2}]' if ending == ".json" else '{"a": 1}\n{"b": 2}\n')
    monkeypatch.setattr(table_files, "MOST_COLUMNS", 2)
    assert read_rows(path) == [{"a": "1"}, {"b": "2"}]
    monkeypatch.setattr(table_files, "MOST_COLUMNS", 1)
    with pytest.raises(DataError, match="has more than 1 columns"):
        read_rows(path)


def test_a_long_number_of_json_keeps_its_digits(study: StudyFixture, tmp_path: Path) -> None:
    path, number = tmp_path / "items.json", "12345678901234567890123"
    path.write_text(f'[{{"id": {number}, "question": "What?", "options": ["a", "b"]}}]')
    import_items(study.workspace, study.record.id, "verify", read_rows(path), population="korea")
    assert [item.key for item in list_items(study.workspace, study.record.id, "verify")] == [number]


@pytest.mark.parametrize("ending", [".xlsx", ".csv", ".json", ".parquet"])
def test_columns_without_a_name_are_left_out(tmp_path: Path, ending: str) -> None:
    """Other programs write the number of each row in one."""
    path, rows = tmp_path / f"items{ending}", [{"": "0", "id": "q1"}, {"": "1", "id": "q2"}]
    frame = pl.DataFrame(rows)
    if ending == ".xlsx":
        path.write_bytes(as_workbook([{**row} for row in rows]))
    else:
        {".csv": frame.write_csv, ".json": frame.write_json, ".parquet": frame.write_parquet}[ending](path)
    assert read_rows(path) == [{"id": "q1"}, {"id": "q2"}]


def _gaps(ending: str) -> bytes:
    """Three rows, the second without a question, and empty rows before each of them but the first."""
    told = [("1", "What?", "a", "b"), None, ("2", "", "a", "b"), None, None, ("3", "Who?", "a", "b"), None]
    header = ("id", "question", "option_a", "option_b")
    if ending == ".xlsx":
        book = Workbook()
        for row in (header, *told):
            book.active.append(row or (None, None))
        book.active["A20"] = ""
        book.save(buffer := io.BytesIO())
        return buffer.getvalue()
    if ending == ".jsonl":
        lines = [json.dumps(dict(zip(header, row, strict=True))) if row else "" for row in told]
        return "\n".join(lines).encode()
    if ending == ".json":
        return json.dumps([dict(zip(header, row, strict=True)) if row else {} for row in told]).encode()
    return "\n".join(",".join(row or ("", " ", "", "")) for row in (header, *told)).encode()


@pytest.mark.parametrize("ending", [".xlsx", ".csv", ".json", ".jsonl"])
def test_empty_rows_are_no_items_and_keep_their_numbers(
    study: StudyFixture, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"items{ending}"
    path.write_bytes(_gaps(ending))
    rows = read_rows(path)
    with pytest.raises(RowsError) as refused:
        import_items(study.workspace, study.record.id, "verify", rows, population="korea")
    assert [*refused.value.problems] == [3], "as it is numbered in the file"
    rows[2] = {**rows[2], "question": "When?"}
    import_items(study.workspace, study.record.id, "verify", rows, population="korea")
    found = list_items(study.workspace, study.record.id, "verify")
    assert [item.key for item in found] == ["1", "2", "3"]


def test_a_formula_without_a_stored_result_is_not_read_as_empty() -> None:
    book = Workbook()
    for row in (("id", "question", ""), ("1", "What?", "=A1"), (None, None, None), ("3", '="Who"&"?"', "")):
        book.active.append(row)
    book.save(buffer := io.BytesIO())
    with pytest.raises(
        RowsError, match="no result of the formula in question: open it in a spread"
    ) as refused:
        read_workbook(buffer.getvalue())
    assert [*refused.value.problems] == [3]


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ('<c r="B2"><f>A1+1</f><v>2</v></c>', "2"),
        ('<c r="B2" t="str"><f>IF(A2=1,"","x")</f><v></v></c>', ""),
        ('<c r="B2" t="str"><f>IF(A2=1,"","x")</f><v/></c>', ""),
        ('<c r="B2"><f>A1+1</f></c>', None),
        ('<c r="B2"><f t="shared" si="0"/><v/></c>', None),
        ('<c r="B2"><f>A1+1</f><v></v></c>', None),
    ],
)
def test_a_formula_is_read_as_the_result_that_is_stored_even_if_that_is_empty(
    cell: str, read: str | None
) -> None:
    book, buffer = Workbook(), io.BytesIO()
    for row in (("id", "question"), ("1", "here")):
        book.active.append(row)
    book.save(buffer)
    with zipfile.ZipFile(buffer) as archive, zipfile.ZipFile(changed := io.BytesIO(), "w") as copy:
        for name in archive.namelist():
            content = archive.read(name).decode()
            if name == "xl/worksheets/sheet1.xml":
                content, replaced = re.subn(r'<c r="B2".*?</c>', cell, content)
                assert replaced == 1
            copy.writestr(name, content)
    if read is None:
        with pytest.raises(RowsError, match="no result of the formula in question"):
            read_workbook(changed.getvalue())
    else:
        assert read_workbook(changed.getvalue()) == [{"id": "1", "question": read}]


def test_every_wrong_row_is_named_and_nothing_is_added(study: StudyFixture) -> None:
    rows = [
        *ROWS,
        {**ROWS[0]},
        {**ROWS[0], "item": "q3", "question": " "},
        {**ROWS[0], "item": "q4", "option_a": "None"},
        {**ROWS[0], "item": "q5", "population": "atlantis"},
        {**ROWS[0], "item": "q6", "check": "[4]"},
    ]
    with pytest.raises(RowsError) as error:
        import_items(study.workspace, study.record.id, "verify", rows, population="korea", file="mine.csv")
    assert set(error.value.problems) == {3, 4, 5, 6, 7}
    assert "already" in error.value.problems[3]
    assert "question" in error.value.problems[4]
    assert "Two options say the same" in error.value.problems[5]
    assert "valid: korea" in error.value.problems[6]
    assert error.value.problems[7] == "check, choices: has to be a list of positions from 0 to 3"
    assert str(error.value).startswith("mine.csv: 5 rows cannot be used; nothing was taken over:")
    assert list_items(study.workspace, study.record.id, "verify") == ()


@pytest.mark.parametrize(
    ("renamed", "lacking"),
    [
        ({"question": "frage"}, "question"),
        (
            {"option_a": "a", "option_b": "b", "option_c": "c", "option_d": "d"},
            "option_a, option_b, option_c, option_d",
        ),
    ],
)
def test_a_column_that_no_row_has_is_named_once(
    study: StudyFixture, renamed: dict[str, str], lacking: str
) -> None:
    rows = [{renamed.get(name, name): cell for name, cell in row.items()} for row in ROWS]
    with pytest.raises(RowsError) as error:
        import_items(study.workspace, study.record.id, "verify", rows, population="korea")
    assert error.value.cause == f"the table has no column {lacking}; its columns are {', '.join(rows[0])}"
    assert error.value.cause in str(error.value)


def test_of_many_columns_the_first_are_named(study: StudyFixture) -> None:
    others = [f"c{number}" for number in range(500)]
    with pytest.raises(RowsError) as error:
        import_items(
            study.workspace, study.record.id, "verify", [dict.fromkeys(others, "-")], population="korea"
        )
    assert str(error.value.cause).endswith(f"its columns are {', '.join(others[:20])} and 480 more")


def test_a_column_that_is_there_is_not_called_lacking(study: StudyFixture) -> None:
    with pytest.raises(RowsError) as error:
        import_items(study.workspace, study.record.id, "verify", [{**ROWS[0], "question": ""}])
    assert error.value.cause is None


def test_candidates_come_in_numbered_columns(study: StudyFixture) -> None:
    row = {
        "id": "c1",
        "item": "potluck",
        "candidate_1": "One.",
        "by_1": "m1",
        "candidate_2": "Two.",
        "by_2": "m2",
        "fact": "f",
    }
    (item,) = import_items(study.workspace, study.record.id, "choose", [row])
    assert (item.key, item.content["item"]) == ("c1", "potluck")
    assert item.content["candidates"] == [
        {"id": "a", "text": "One.", "by": "m1"},
        {"id": "b", "text": "Two.", "by": "m2"},
    ]


def test_what_build_csi_writes_comes_in_as_it_is(study: StudyFixture, tmp_path: Path) -> None:
    import_items(study.workspace, study.record.id, "choose", read_rows(write_items(tmp_path / "items.jsonl")))
    found = list_items(study.workspace, study.record.id, "choose")
    assert [item.key for item in found] == [item["id"] for item in ITEMS]
    shown = stage_kind("choose_best").presented(found[0].content, "somebody")
    assert {each["text"] for each in shown["candidates"]} == {
        f"Bring 1 {letter} soup mugs tonight." for letter in "abc"
    }
    assert "model" not in str(shown)


def test_attention_checks_come_with_their_answer(study: StudyFixture) -> None:
    (item,) = import_items(
        study.workspace,
        study.record.id,
        "verify",
        [{**ROWS[0], "check": '{"choices": [0]}'}],
        population="korea",
    )
    assert item.check == {"choices": [0]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an XLSX file"),
        (b"PK\x05\x06" + b"\0" * 18, "cannot be read as XLSX"),
        (b"x" * 100, "not an XLSX file"),
    ],
)
def test_what_is_no_workbook_is_told(content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_workbook(content, "mine.xlsx")


def test_a_workbook_that_unpacks_to_too_much_is_not_opened() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"\0" * 67_000_000)
        archive.filelist += archive.filelist * 2  # three sheets that share what is packed
    with pytest.raises(DataError, match="unpacks to more than 200 MB"):
        read_workbook(buffer.getvalue())


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FolkwaysError, match="there is no file"):
        read_rows(Path("nowhere.csv"))


IMPORTABLE = [kind for kind, handler in STAGE_KINDS.items() if handler.example]


def test_items_can_be_imported_for_every_stage_that_neither_writes_them_nor_takes_them_from_another() -> None:
    assert {kind for kind, handler in STAGE_KINDS.items() if not handler.authored} - {*IMPORTABLE} == {
        "adjudicate"
    }


@pytest.mark.parametrize("kind", IMPORTABLE)
def test_the_example_row_of_a_stage_is_an_item(workspace: Workspace, kind: str) -> None:
    study = open_study(workspace, [{"name": "stage", "kind": kind}])
    row = {"id": "1", **stage_kind(kind).example}
    (item,) = import_items(study.workspace, study.record.id, "stage", [row], population="korea")
    assert item.key == "1"
    for column, cell in stage_kind(kind).example.items():
        assert cell in repr(item.content) or column in item.content, column
    if "spans" in item.content:
        assert [item.content["sentence"][start:end] for start, end in item.content["spans"]] == ["Boxing Day"]


def test_a_spreadsheet_that_writes_semicolons_is_understood(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    for text in (
        '\ufeffitem;question;option_a\r\n1;"Was; wann, wo?";1,5\r\n',
        'sep=;\nitem;question;option_a\n1;"Was; wann, wo?";1,5\n',
        "item\tquestion\toption_a\n1\tWas; wann, wo?\t1,5\n",
        'item,question,option_a\n1,"Was; wann, wo?","1,5"\n',
        '"item",question,"option_a"\n1,"Was; wann, wo?","1,5"\n',
    ):
        path.write_text(text, encoding="utf-8", newline="")
        assert read_rows(path) == [{"item": "1", "question": "Was; wann, wo?", "option_a": "1,5"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"item": 1}\n{"item": 2}\n', r"is not valid JSON \(line 2.*one object on each line ends in .jsonl"),
        ('{"rows": []}', "has to be a list of objects"),
        ("[]", "has no rows"),
        ('[{"item": 1}, 2]', "row 2: is not an object"),
    ],
)
def test_json_that_is_no_table_is_told(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "items.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_rows(path)


@pytest.mark.parametrize("depth", [10, 200, 240, 252, 300, 900])
def test_lists_that_are_too_deep_to_be_stored_stay_text(
    study: StudyFixture, tmp_path: Path, depth: int
) -> None:
    deep = "[" * depth + "]" * depth
    (tmp_path / "items.json").write_text(f'[{{"question": "What?", "options": ["a", "b"], "note": {deep}}}]')
    rows = read_rows(tmp_path / "items.json")
    (item,) = import_items(study.workspace, study.record.id, "verify", rows)
    note = list_items(study.workspace, study.record.id, "verify")[-1].content["note"]
    assert item.id and (note if isinstance(note, str) else orjson.dumps(note).decode()) == deep


def test_a_list_in_json_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_text(
        '[{"item": 1, "question": "왜?", "options": ["a", "b"], "note": null}, {"item": "2"}]',
        encoding="utf-8",
    )
    assert read_rows(path) == [
        {"item": "1", "question": "왜?", "options": '["a","b"]', "note": ""},
        {"item": "2"},
    ]


@ON_BOTH
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("a.csv", "id,question,option_a,option_b,suggestion,suggestion_model\nq\0,What?,a,b,A,m\0\n"),
        (
            "a.jsonl",
            '{"id": "q\\u0000", "question": "What?", "options": ["a", "b"], "x\\u0000": "\\u0000"}\n',
        ),
        ("a.json", '[{"id": "q\\u0000", "question": "What?", "options": ["a", "b\\u0000"]}]'),
    ],
)
def test_the_character_nul_in_a_file_is_another_one_in_every_database(
    studio_workspace: Workspace, tmp_path: Path, file: str, content: str
) -> None:
    """PostgreSQL failed at it, and the studio tried such an import again and again."""
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    (tmp_path / file).write_text(content, encoding="utf-8")
    rows = read_rows(tmp_path / file)
    (item,) = import_items(studio_workspace, study.record.id, "verify", rows, population="korea", file=file)
    assert item.key == "q\ufffd"


def test_problems_of_rows_are_said_in_the_language_of_whoever_reads_them() -> None:
    german = {"There is no %(what)s.": "Es gibt kein %(what)s.", "It is there twice.": "Es ist zweimal da."}
    given = {
        1: Message("There is no %(what)s.", what="item"),
        2: SubmissionError({"choices": Message("It is there twice.")}),
        3: NotFoundError("There is no %(what)s.", what="form"),
        4: "of a library",
    }
    told = RowsError(given).problems_in(lambda text: german.get(text, text))
    assert (told[1], told[3], told[4]) == ("Es gibt kein item.", "Es gibt kein form.", "of a library")
    assert "Es ist zweimal da." in told[2]
