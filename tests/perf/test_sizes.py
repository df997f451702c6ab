"""Memory does not grow with the responses that are stored: the commands that people type, each a process of
its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MEASURE = """
import json, sys
from pathlib import Path

import pytest
from perf.engine.sizes import measured
steps = measured([10_000, 40_000], Path(sys.argv[1]), ("run", "score"))
print(json.dumps([[step.command, step.responses, step.usage.peak] for step in steps]))
"""
BYTES_MORE = 1200
"""Of memory for each further response, at the most; when all of a run were judged together it was nearly
twice that."""


@pytest.mark.nightly  # half a minute of a processor
def test_running_and_scoring_need_hardly_more_memory_for_four_times_the_responses(tmp_path: Path) -> None:
    # From a small process: a child's peak is never below what its parent had.
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path)], cwd=REPOSITORY, capture_output=True, check=True
    )
    peaks = {(command, size): peak for command, size, peak in json.loads(done.stdout)}
    for command in ("run", "score"):
        more = peaks[command, 40_000] - peaks[command, 10_000]
        assert more * 1e6 < BYTES_MORE * 30_000, peaks
