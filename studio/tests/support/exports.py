"""Exports of studies as files in a folder."""

from __future__ import annotations

from pathlib import Path

from folkways.files import write_bytes
from folkways.workspace.database import Workspace
from folkways_studio.exports.archive import export_files


def export_study(workspace: Workspace, study_id: int, out: Path, format: str = "release") -> list[Path]:
    """Write an export into the folder ``out``; returns the files."""
    return [
        write_bytes(out / name, content)
        for name, content in export_files(workspace, study_id, format).items()
    ]
