"""A folder with everything that can be wrong in it, and the command line inside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command_line import Folkways, command_line_in
from tests.support.command_line import folkways as run_folkways
from tests.support.mcq_data import write_mcq_release

FILES: dict[str, bytes] = {
    "wrong.csv": b"id,text\n1,a\n",
    "latin.csv": b"item,response\na,caf\xe9\n",
    "empty.csv": b"",
    "header.csv": b"item,response\n",
    "ragged.csv": b"item,response\nUS/school-1,A\nUS/school-1,B,C\n",
    "unknown-item.csv": b"item,response\nUS/school-1,A\nnope,A\n",
    "good.csv": b"item,response\nUS/school-1,A\n",
    "sample-words.csv": b"item,sample,response\nUS/school-1,first,A\n",
    "broken.jsonl": b'{"item": "a", "response": "A"}\n{"item": \n',
    "list.jsonl": b"[1, 2]\n",
    "broken.parquet": b"hello",
    "replies.txt": b"item,response\na,A\n",
    "broken.toml": b"mine = ",
    "number.toml": b"mine = 3\n",
    "latin.toml": b'mine = "caf\xe9"\n',
    "placeless.toml": b'mine = "no place for the question"\n',
    "no-prices.toml": b"[elsewhere]\n",
    "odd-prices.toml": b'[usd_per_million_tokens]\n"a/b" = { input = -1, output = 2 }\n',
    "text.db": b"This is a letter, and no database of any kind. " * 40,
}


@pytest.fixture(scope="module")
def broken_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FILES; ``folder`` and ``mcq`` (a release); ``good.db`` with a run ``mine``; ``newer.db``,
    ``other.db``."""
    place = tmp_path_factory.mktemp("mess")
    for name, content in FILES.items():
        (place / name).write_bytes(content)
    (place / "folder").mkdir()
    write_mcq_release(place / "mcq", 20)
    made = run_folkways(
        "run", "demo/mcq", "--model", "baseline/first", "--name", "mine", "-w", place / "good.db"
    )
    assert made.returncode == 0, made.stderr
    with (
        closing(sqlite3.connect(place / "good.db")) as good,
        closing(sqlite3.connect(place / "newer.db")) as newer,
    ):
        good.backup(newer)
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.commit()
    with closing(sqlite3.connect(place / "other.db")) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
        other.commit()
    return place


@pytest.fixture
def folkways(broken_files: Path, monkeypatch: pytest.MonkeyPatch) -> Folkways:
    """Run a command line inside the folder, where nothing was fetched, unless the test goes elsewhere."""
    return command_line_in(broken_files, monkeypatch)
