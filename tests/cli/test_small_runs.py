"""The smallest run there is."""

from __future__ import annotations

from pathlib import Path

from tests.support.river import folkways


def test_a_run_of_one_item_in_one_language_has_a_report(tmp_path: Path) -> None:
    done = folkways(
        "run",
        "demo",
        "--model",
        "baseline/first",
        "--limit",
        1,
        "-w",
        tmp_path / "w.db",
        "--report",
        tmp_path / "report",
    )
    assert done.returncode == 0, done.stderr
    assert "By language" in (tmp_path / "report" / "report.html").read_text()
