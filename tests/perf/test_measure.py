"""What is measured is what was used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from perf.engine.measure import ClientError, Usage, run

REPOSITORY = Path(__file__).resolve().parents[2]
MEASURE = """
import json, os, sys
from dataclasses import asdict
from pathlib import Path
from perf.engine.measure import run
print(json.dumps(asdict(run(sys.argv[2:], Path(sys.argv[1]), os.environ))))
"""


def python(code: str, folder: Path) -> list[str]:
    script = folder / "client.py"
    script.write_text(code, encoding="utf-8")
    return [sys.executable, str(script)]


def run_from_a_small_process(command: list[str], log: Path) -> Usage:
    """A child's peak is never below what its parent had, and the process that runs all tests is large."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(log), *command], cwd=REPOSITORY, capture_output=True, check=True
    )
    return Usage(**json.loads(done.stdout))


def test_cpu_of_children_counts_and_sleep_does_not(tmp_path: Path) -> None:
    child = "import time\nwhile time.process_time() < 0.4: pass"
    code = (
        f"import subprocess, sys, time\nsubprocess.run([sys.executable, '-c', {child!r}], "
        "check=True)\ntime.sleep(0.5)\n"
    )
    usage = run(python(code, tmp_path), tmp_path / "log", os.environ)
    assert 0.4 <= usage.cpu < 0.8
    assert usage.wall >= 0.9
    assert usage.processes == 2


def test_peak_is_kept_after_the_memory_was_given_back(tmp_path: Path) -> None:
    code = "import time\nblock = bytearray(300_000_000)\ntime.sleep(0.6)\ndel block\ntime.sleep(0.3)\n"
    usage = run_from_a_small_process(python(code, tmp_path), tmp_path / "log")
    assert 300 < usage.peak < 340
    assert usage.tree_peak == pytest.approx(usage.peak, abs=5)


def test_memory_of_a_tree_is_summed(tmp_path: Path) -> None:
    child = "import time; block = bytearray(100_000_000); time.sleep(1)"
    code = (
        f"import subprocess, sys\nboth = [subprocess.Popen([sys.executable, '-c', {child!r}]) for _ in "
        "range(2)]\n"
    )
    code += "for one in both: one.wait()\n"
    usage = run_from_a_small_process(python(code, tmp_path), tmp_path / "log")
    assert 100 < usage.peak < 140
    assert usage.tree_peak > 200
    assert usage.processes == 3


def test_a_failing_client_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match=r"exit code 3 from(.|\n)*no luck"):
        run(python("import sys\nprint('no luck')\nsys.exit(3)\n", tmp_path), tmp_path / "log", os.environ)
