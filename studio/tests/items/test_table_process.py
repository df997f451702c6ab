"""Large workbooks, and Parquet, are read in a process of their own, with the same outcome and in bounded
memory; the process ends with the wish for its rows."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest
from openpyxl import Workbook

from folkways.errors import FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.items import import_runner as running
from folkways_studio.items import imports, table_files, table_process
from folkways_studio.items.import_runner import read_content, run_import
from folkways_studio.items.table_files import (
    LARGEST_UNPACKED,
    MOST_COLUMNS,
    SMALL_LINES,
    SMALL_UNPACKED,
    is_small,
    numbered,
    read_workbook,
)
from folkways_studio.items.table_process import ImportCancelledError, read_apart
from studio.tests.support.studies import open_study

LARGE_ROWS = 2_000
OPTIONS = ["one", 2, 2.5, None, "1+1=\nand"]


@pytest.fixture(scope="module")
def workbook() -> bytes:
    """A workbook that is large enough, of few rows with long words that do not pack well."""
    words = random.Random(1)
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["item", "question", "option_a", "option_b"])
    for number in range(LARGE_ROWS):
        sheet.append([f"q{number}", f"{words.getrandbits(2400):x}", words.choice(OPTIONS), True])
    buffer = io.BytesIO()
    book.save(buffer)
    assert not is_small(buffer.getvalue())
    return buffer.getvalue()


def test_a_large_workbook_is_read_as_a_small_one_is(workbook: bytes) -> None:
    rows = read_content("many.xlsx", workbook)
    assert len(rows) == LARGE_ROWS and rows == read_workbook(workbook)
    with pytest.raises(FolkwaysError, match=r"^mine\.xlsx: is not an XLSX file"):
        read_content("mine.xlsx", bytes(100))


def sheet_of(rows: str) -> bytes:
    """A workbook whose sheet says this."""
    book = Workbook()
    book.active.append(["item", "question"])
    buffer, made = io.BytesIO(), io.BytesIO()
    book.save(buffer)
    name = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry).decode() if entry.filename == name else old.read(entry)
            if isinstance(content, str):
                content = re.sub("<dimension[^>]*>", "", content).replace(
                    "</sheetData>", rows + "</sheetData>"
                )
            new.writestr(entry, content)
    return made.getvalue()


ROW = '<row r="{row}"><c r="{cell}" t="inlineStr"><is><t>q2</t></is></c></row>'
FAR = '<row r="2"><c r="A2" t="inlineStr"><is><t>q1</t></is></c></row>' + ROW


@pytest.mark.parametrize("empty_rows", [2_000, 0], ids=["many empty rows", "a last row far off"])
def test_a_small_file_with_many_lines_is_read_apart(empty_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workbook of 3 kB that unpacks to more than a megabyte, and one whose few cells are thousands of lines
    apart."""
    rows = FAR.format(row=SMALL_LINES + 10, cell=f"A{SMALL_LINES + 10}")
    if empty_rows:
        nothing = " " * (SMALL_UNPACKED // empty_rows)
        rows = "".join(f'<row r="{number}">{nothing}</row>' for number in range(3, empty_rows))
        rows += ROW.format(row=empty_rows + 1, cell=f"XFD{empty_rows + 1}")
    apart: list[int] = []

    def noted(*arguments: Any) -> list[dict[str, str]]:
        apart.append(1)
        return read_apart(*arguments)

    content = sheet_of(rows)
    monkeypatch.setattr(running, "read_apart", noted)
    table = read_content("many.xlsx", content)
    assert apart and [row["item"] for _, row in numbered(table)] == ([] if empty_rows else ["q1", "q2"])
    apart.clear()
    few = read_content("few.xlsx", sheet_of(FAR.format(row=SMALL_LINES, cell=f"A{SMALL_LINES}")))
    assert [*numbered(few)] == [
        (1, {"item": "q1", "question": ""}),
        (SMALL_LINES - 1, {"item": "q2", "question": ""}),
    ]
    assert not apart


def test_rows_with_nothing_in_them_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "MOST_ROWS", 3)
    rows = [ROW.format(row=number, cell=f"A{number}") for number in range(2, 42, 10)]
    empty = "".join(f'<row r="{number}"></row>' for number in range(3, 12))
    read = read_workbook(sheet_of(empty.join(rows[:3]) + empty))
    assert [number for number, _ in numbered(read)] == [1, 11, 21] and len(read) == 21
    with pytest.raises(FolkwaysError, match="more than 3 rows"):
        read_workbook(sheet_of("".join(rows)))


def test_a_row_of_nothing_but_zero_counts() -> None:
    rows = (
        '<row r="2"><c r="A2"><v>0</v></c></row><row r="3"><c r="A3" t="inlineStr"><is><t></t></is></c></row>'
    )
    assert read_workbook(sheet_of(rows)) == [{"item": "0", "question": ""}]


def test_a_last_column_far_off_costs_nothing_and_a_wide_header_is_refused() -> None:
    rows = "".join(f'<row r="{number}"><c r="XFD{number}"><v>1</v></c></row>' for number in range(2, 2000))
    before = time.process_time()
    assert read_workbook(sheet_of(rows)) == []
    assert time.process_time() - before < 2
    book = Workbook()
    book.active.append([f"c{number}" for number in range(MOST_COLUMNS + 1)])
    buffer = io.BytesIO()
    book.save(buffer)
    with pytest.raises(FolkwaysError, match="more than 500 columns"):
        read_workbook(buffer.getvalue())


def test_the_process_ends_when_its_rows_are_not_wanted(workbook: bytes, tmp_path: Path) -> None:
    path = tmp_path / "many.xlsx"
    path.write_bytes(workbook)
    at_work: list[psutil.Process] = []

    def wanted() -> bool:
        at_work[:] = [
            each
            for each in psutil.Process().children()
            if "folkways_studio.items.table_process" in each.cmdline()
        ]
        return False

    with pytest.raises(ImportCancelledError):
        read_apart(path, wanted)
    assert at_work and not any(each.is_running() for each in at_work)


def test_what_is_not_read_in_time_is_refused_and_ends(
    workbook: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_process, "MOST_SECONDS", 0.0)
    monkeypatch.setattr(table_process, "LOOK_SECONDS", 0.01)
    path = tmp_path / "slow.xlsx"
    path.write_bytes(workbook)
    with pytest.raises(
        FolkwaysError, match=r"slow\.xlsx: reading it takes longer than 0 s; bring it in parts"
    ):
        read_apart(path, lambda: True)
    assert not any(
        "folkways_studio.items.table_process" in each.cmdline() for each in psutil.Process().children()
    )


READING = """
import pathlib, sys
from folkways_studio.items.table_process import read_apart
read_apart(pathlib.Path(sys.argv[1]))
"""


def test_the_process_ends_with_the_server_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "long.xlsx"
    path.write_bytes(sheet_of("".join(f'<row r="{number}">{" " * 20}</row>' for number in range(3, 900_000))))
    with subprocess.Popen([sys.executable, "-c", READING, str(path)]) as server:
        parent, deadline = psutil.Process(server.pid), time.monotonic() + 30
        while not (at_work := parent.children()) and time.monotonic() < deadline:
            time.sleep(0.05)
        (child,) = at_work
        while child.num_threads() < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert child.is_running()
        server.kill()
    assert psutil.wait_procs([child], timeout=4)[1] == []


def parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHARED_TEXTS = (
    '<Override PartName="/xl/sharedStrings.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
)
LONGEST_CELL = 32_767  # characters


def repeating_workbook() -> bytes:
    """Every cell is a text that the file has once."""
    numbers = range(2, LARGEST_UNPACKED // LONGEST_CELL + 3)
    rows = (f'<row r="{number}"><c r="A{number}" t="s"><v>0</v></c></row>' for number in numbers)
    buffer, made = io.BytesIO(sheet_of("".join(rows))), io.BytesIO()
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "[Content_Types].xml":
                content = content.replace(b"</Types>", SHARED_TEXTS.encode())
            new.writestr(entry, content)
        new.writestr(
            "xl/sharedStrings.xml", f"<sst xmlns='{SPREADSHEET}'><si><t>{'x' * LONGEST_CELL}</t></si></sst>"
        )
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "make", "problem"),
    [
        (
            "one-text-in-every-row.parquet",
            lambda: parquet(pl.DataFrame({"question": ["x" * 5_000_000] * 41})),
            r"^one-text-in-every-row\.parquet: unpacks to more than 200 MB; bring it in parts$",
        ),
        (
            "rows-of-nothing.parquet",
            lambda: parquet(pl.DataFrame({"question": pl.repeat(True, 400_000_000, eager=True)})),
            r"^rows-of-nothing\.parquet: .* needs more than 2 GB of memory",
        ),
        (
            "one-text-in-every-cell.xlsx",
            repeating_workbook,
            r"^one-text-in-every-cell\.xlsx: unpacks to more than 200 MB; bring it in parts$",
        ),
        ("no.parquet", lambda: b"PAR1", r"^no\.parquet: cannot be read as PARQUET"),
    ],
)
def test_a_small_file_that_unpacks_to_too_much_takes_the_memory_of_nobody_else(
    name: str, make: Callable[[], bytes], problem: str
) -> None:
    """Each had ended the whole studio, which took the import up again at its next start."""
    content = make()
    assert len(content) < 2_000_000
    before = psutil.Process().memory_info().rss
    with pytest.raises(FolkwaysError, match=problem):
        read_content(name, content)
    assert psutil.Process().memory_info().rss - before < 50_000_000


def test_parquet_is_read_apart_as_any_table_is() -> None:
    frame = pl.DataFrame({"id": ["a", None], "n": [1, 2], "options": [["x", "y"], []]})
    assert read_content("mine.parquet", parquet(frame)) == [
        {"id": "a", "n": "1", "options": '["x","y"]'},
        {"id": "", "n": "2", "options": "[]"},
    ]


def test_an_import_whose_server_stops_waits_for_the_next(workspace: Workspace, workbook: bytes) -> None:
    study = open_study(workspace, [{"name": "verify", "kind": "vote"}])
    imports.begin(workspace, study.record.id, "verify", "many.xlsx", population="korea", content=workbook)
    taken = imports.claim(workspace)
    assert taken is not None
    run_import(workspace, *taken, going=lambda: False)
    assert imports.get_import(workspace, study.record.id, taken[0].id).state == "waiting"
    again = imports.claim(workspace)
    assert again is not None
    imports.cancel(workspace, study.record.id, again[0].id)
    run_import(workspace, *again)
    ended = imports.get_import(workspace, study.record.id, taken[0].id)
    assert (ended.state, ended.error, ended.added) == ("cancelled", None, 0)
