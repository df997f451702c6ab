"""Temporary files of the tests are in memory, and what stays there is of a run that failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.in_memory import MEMORY, has_room

REPOSITORY = Path(__file__).resolve().parents[1]
TEST = "def test_one(tmp_path): print(f'<{tmp_path}>', flush=True); assert not tmp_path.joinpath('RESULT').mkdir()"


def folder_of(project: Path, test: str, **variables: str) -> Path:
    """Run a test and give the folder that it had."""
    project.joinpath("test_one.py").write_text(test)
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"} | variables
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.support.in_memory", "-p", "no:cacheprovider", "-s"],
        cwd=project,
        env=environment | {"PYTHONPATH": str(REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done
    return Path(done.stdout.partition("<")[2].partition(">")[0])


def test_files_are_in_memory_and_those_of_a_failure_stay_until_the_next_run(tmp_path: Path) -> None:
    if not has_room(MEMORY):
        pytest.skip(f"{MEMORY} has no room for files of tests")
    failed = folder_of(tmp_path, TEST + "; assert False")
    assert failed.is_relative_to(MEMORY) and failed.joinpath("RESULT").is_dir()
    passed = folder_of(tmp_path, TEST)
    assert passed.is_relative_to(MEMORY)
    assert not passed.exists() and not failed.exists()
    assert not [
        left for left in MEMORY.glob("folkways-tests-*") if not Path("/proc", left.name[15:]).exists()
    ]


def test_a_folder_that_somebody_named_is_used(tmp_path: Path) -> None:
    named = tmp_path / "named"
    named.mkdir()
    assert folder_of(tmp_path, TEST, TMPDIR=str(named)).is_relative_to(named)
