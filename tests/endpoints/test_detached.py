"""A child that outlives what started it."""

from __future__ import annotations

import subprocess
import sys

import pytest

SOURCE = "import os, signal, sys; from folkways.endpoints.detached import detach; detach(); "


@pytest.mark.parametrize(
    ("ending", "code"),
    [("sys.exit(0)", 0), ("sys.exit(3)", 3), ("os.kill(os.getpid(), signal.SIGKILL)", 128 + 9)],
)
def test_a_process_ends_with_the_exit_code_of_its_detached_child(ending: str, code: int) -> None:
    done = subprocess.run([sys.executable, "-c", SOURCE + ending], check=False, timeout=60)
    assert done.returncode == code
