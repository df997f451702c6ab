#!/usr/bin/env python3
"""Run the notebook of the guides and keep what it shows: python scripts/run_notebook.py"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "guides" / "notebook.ipynb"


def executed(folder: str) -> nbformat.NotebookNode:
    """The notebook with what its cells show, run in a folder of its own; CellExecutionError where a cell
    fails."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    os.environ.setdefault("IPYTHONDIR", folder)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of day
    return notebook


if __name__ == "__main__":
    with TemporaryDirectory() as empty:
        nbformat.write(executed(empty), NOTEBOOK)
