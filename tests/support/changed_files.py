"""What differs from main: long tests of pages run every time where their pages do, and else each night."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def changed_files(repository: Path) -> set[str]:
    """Files that differ from where this branch left origin/main, or from the last commit where there is no such
    branch, named from the repository; those that git does not know yet too."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(
            ["git", *arguments], cwd=repository, capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines()

    base = (git("merge-base", "HEAD", "origin/main") or ["HEAD"])[0]
    return {
        *git("diff", "--name-only", "--relative", base),
        *git("ls-files", "--others", "--exclude-standard"),
    }


CHANGED = changed_files(REPOSITORY)


def nightly_unless_changed(*starts: str) -> Any:
    """The mark of a test that runs every time while a file whose name begins so differs from main. The workflow of
    the docs runs all of tests/docs for every change of a page or of the code."""
    differs = any(name.startswith(starts) for name in CHANGED)
    return pytest.mark.skipif(False, reason="a file differs") if differs else pytest.mark.nightly
