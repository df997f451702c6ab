"""Large workbooks are read in a process of their own, with the same outcome, and the process ends with the wish for its rows."""

from __future__ import annotations

import io
import random

import psutil
import pytest
from openpyxl import Workbook

from folkways.errors import FolkwaysError
from folkways.studio.imports.apart import SMALL_BYTES, NoLongerWantedError, read_apart
from folkways.studio.imports.running import read_content, run_import
from folkways.studio.imports.tables import read_workbook
from folkways.studio.services.content import imports
from folkways.workspace.database import Workspace
from tests.support.studies import open_desk

OPTIONS = ["one", 2, 2.5, None, "=1+1\nand"]


@pytest.fixture(scope="module")
def workbook() -> bytes:
    """A workbook that is large enough, of words that do not pack well."""
    words = random.Random(1)
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["item", "question", "option_a", "option_b"])
    for number in range(1000):
        sheet.append([f"q{number}", f"{words.getrandbits(400):x}", words.choice(OPTIONS), True])
    buffer = io.BytesIO()
    book.save(buffer)
    assert len(buffer.getvalue()) > SMALL_BYTES
    return buffer.getvalue()


def test_a_large_workbook_is_read_as_a_small_one_is(workbook: bytes) -> None:
    rows = read_content("many.xlsx", workbook)
    assert len(rows) == 1000 and rows == read_workbook(workbook)
    with pytest.raises(FolkwaysError, match=r"^mine\.xlsx: is no XLSX file"):
        read_content("mine.xlsx", bytes(SMALL_BYTES + 1))


def test_the_process_ends_when_its_rows_are_not_wanted(workbook: bytes) -> None:
    at_work: list[psutil.Process] = []

    def wanted() -> bool:
        at_work[:] = [each for each in psutil.Process().children() if "folkways.studio.imports.apart" in each.cmdline()]
        return False

    with pytest.raises(NoLongerWantedError):
        read_apart(workbook, "many.xlsx", wanted)
    assert at_work and not any(each.is_running() for each in at_work)


def test_an_import_whose_server_stops_waits_for_the_next(workspace: Workspace, workbook: bytes) -> None:
    desk = open_desk(workspace, [{"name": "verify", "kind": "vote"}])
    imports.begin(workspace, desk.study.id, "verify", "many.xlsx", population="korea", content=workbook)
    taken = imports.take_up(workspace)
    assert taken is not None
    run_import(workspace, *taken, going=lambda: False)
    assert imports.get_import(workspace, desk.study.id, taken[0].id).state == "waiting"
    again = imports.take_up(workspace)
    assert again is not None
    imports.cancel(workspace, desk.study.id, again[0].id)
    run_import(workspace, *again)
    ended = imports.get_import(workspace, desk.study.id, taken[0].id)
    assert (ended.state, ended.error, ended.added) == ("cancelled", None, 0)
