"""Items that a licence keeps from being passed on are in no report, unless who has the data asks for one of
their own."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import polars as pl
import pytest

from folkways.reports.data import ITEM_TEXTS
from tests.support.command_line import folkways

pytestmark = pytest.mark.shared
FORMATS = ("--format", "html,md,csv,parquet,latex")


@pytest.fixture(scope="module")
def workspace(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on XCR-Bench (no derivatives) and on the demo, which may go anywhere."""
    place = tmp_path_factory.mktemp("kept") / "w.db"
    for task in ("xcr/identification", "demo/identification"):
        data = ("--release", f"xcr={shared / 'data/xcr'}") if task.startswith("xcr") else ()
        done = folkways(
            "run",
            task,
            "-m",
            "baseline/echo",
            "--limit",
            "3",
            "-w",
            place,
            "--name",
            task.split("/")[0],
            *data,
        )
        assert done.returncode == 0, done.stderr
    return place


def shown(page: str) -> dict[str, list[str]]:
    """Task -> the texts of its items in the page's browser."""
    packed = re.search(r'id="items-data">([^<]*)<', page)
    assert packed is not None
    columns = json.loads(gzip.decompress(base64.b64decode(packed[1])))

    def column(name: str) -> list[str]:
        values, codes = columns[name]["values"], columns[name].get("codes")
        return values if codes is None else [values[code] for code in codes]

    found: dict[str, list[str]] = {}
    for task, text in zip(column("task"), column("text"), strict=True):
        found.setdefault(task, []).append(text)
    return found


def test_a_report_says_why_items_are_not_there(workspace: Path, tmp_path: Path) -> None:
    assert folkways("report", "xcr", "demo", "-w", workspace, "--out", tmp_path, *FORMATS).returncode == 0
    judged = pl.read_parquet(tmp_path / "judgements.parquet")
    kept = judged.filter(task="xcr/identification")
    assert kept.height == 3
    assert kept.select(ITEM_TEXTS).null_count().row(0) == (3,) * len(ITEM_TEXTS)
    assert kept["si_csi"].null_count() == 0  # what was scored stays
    assert judged.filter(task="demo/identification")["text"].null_count() == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert set(shown(page)) == {"demo/identification"}
    assert "items of xcr@9904292 (licence: CC-BY-NC-ND-4.0) are not to be passed on" in page
    whole = folkways(
        "report", "xcr", "-w", workspace, "--out", tmp_path / "own", "--items", *FORMATS[:1], "html,parquet"
    )
    assert whole.returncode == 0
    texts = pl.read_parquet(tmp_path / "own/judgements.parquet")["text"]
    assert texts.null_count() == 0
    written = "".join(
        file.read_text(encoding="utf-8")
        for file in tmp_path.iterdir()
        if file.suffix in (".html", ".md", ".csv", ".tex")
    )
    assert not any(text in written for text in texts)
    assert shown((tmp_path / "own/report.html").read_text(encoding="utf-8"))["xcr/identification"]


def test_the_page_of_kept_items_alone_has_an_empty_browser(workspace: Path, tmp_path: Path) -> None:
    assert folkways("report", "xcr", "-w", workspace, "--out", tmp_path, "--format", "html").returncode == 0
    assert shown((tmp_path / "report.html").read_text(encoding="utf-8")) == {}
