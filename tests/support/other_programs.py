"""Evaluation programs of others, each in an environment of its own, which `make dev` makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import folkways
from tests.support.command_line import environment

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / ".tools"
SOURCE = Path(folkways.__file__).parents[1]
"""Where the package that is tested lies: not in the repository where a fault is planted in a copy."""
FIND_PYTHON = REPOSITORY / "scripts" / "find_python"


def programs_of(name: str) -> Path:
    """The folder with the programs of ``requirements/NAME.txt``; a test that needs them skips without."""
    if not (TOOLS / f".stamp-{name}").is_file():
        pytest.skip(f"nothing is installed of requirements/{name}.txt: make dev")
    return TOOLS / name / "bin"


def run_program(program: Path, *arguments: object, cwd: Path, code: int = 0, **variables: str) -> str:
    """Run a program to its end and return what it printed; another exit code than ``code`` shows that.

    The folkways that it imports is the one that is tested, wherever its environment was made.
    """
    own = environment(NO_COLOR="1", PYTHONPATH=str(SOURCE), **variables)
    done = subprocess.run(
        [str(program), *map(str, arguments)],
        cwd=cwd,
        env=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stdout[-5000:]
    return done.stdout
