"""The notebook of the guides, run by a real kernel."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
import pytest

from tests.support.changed_files import nightly_unless_changed
from tests.support.doc_pages import REPOSITORY

sys.path.append(str(REPOSITORY / "scripts"))
from run_notebook import NOTEBOOK, executed


def shown(notebook: nbformat.NotebookNode) -> list[list[tuple[str, set[str]]]]:
    """What each cell of code shows: kinds of output, and their formats."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [[(output.output_type, set(output.get("data", {}))) for output in cell.outputs] for cell in cells]


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    """What the cells show to readers, without the first, which says how long asking took."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"][1:]
    pages = [output.data.get("text/html", "") for cell in cells for output in cell.outputs]
    return [re.sub(r"<[^>]+>", " ", page) for page in pages]


@nightly_unless_changed("docs/guides/notebook.ipynb", "scripts/run_notebook.py")
def test_the_notebook_shows_what_is_kept_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    again = executed(str(tmp_path))
    kept = nbformat.read(NOTEBOOK, as_version=4)
    assert shown(again) == shown(kept)
    assert texts(again) == texts(kept), "run scripts/run_notebook.py and look at what it changes"
    html = [
        output.data["text/html"]
        for cell in again.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.data
    ]
    assert html[0].count("<progress") == 2
    assert "data:image/svg+xml" in html[1] and "baseline random" not in html[1].lower().split("<img")[1]
    assert (tmp_path / "report" / "report.html").exists()
