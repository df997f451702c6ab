"""The job array of the guide on a real SLURM: its time is over, its workers hear of it, and the same array
goes on."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runs.test_work import GUIDE, MODEL, quoted, server_command
from tests.support.command_line import environment, folkways, rows
from tests.support.slurm import Slurm, root

QUESTIONS = 240


@pytest.mark.nightly
def test_workers_whose_time_is_over_end_cleanly_and_are_gone_on_with(
    mcq: Callable[[int], Path], tmp_path: Path
) -> None:
    packages = root()
    if packages is None:
        pytest.skip("no SLURM here: neither installed nor to be had with apt-get download")
    workspace = tmp_path / "w.db"
    planned = folkways(
        "plan", "blend/mcq", "--release", mcq(QUESTIONS), "--model", MODEL, "--name", "study", "-w", workspace
    )
    assert planned.returncode == 0, planned.stderr
    recipe = re.search(r"^```bash work.sbatch\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)[1]

    def script(latency: float) -> Path:
        text = recipe.replace("--array=0-9", "--array=0-1").replace(
            "#SBATCH --gres=gpu:1\n", ""
        )  # the node has no GPU
        text = text.replace("exec folkways", f"exec {sys.executable} -m folkways")
        path = tmp_path / f"{latency:g}.sbatch"
        path.write_text(re.sub(r'--serve ".*"', f"--serve {quoted(server_command(latency))}", text))
        return path

    with Slurm(tmp_path, packages) as slurm:
        there = environment(FOLKWAYS_WORKSPACE=str(workspace))
        job = slurm.sbatch(
            script(8.0), "--time=00:02:00", **there
        )  # SLURM looks at the time that is left every half minute
        ended = slurm.wait(job, seconds=180)
        told = [(tmp_path / f"{task}.txt").read_text() for task in ended]
        assert ended == {0: ("FAILED", 143), 1: ("FAILED", 143)}, told
        answered = rows(workspace, "SELECT count(*) FROM responses")[0][0]
        assert 0 < answered < QUESTIONS
        assert rows(workspace, "SELECT state, reason FROM runs") == [("interrupted", "ended by SIGTERM")], (
            told
        )
        assert rows(workspace, "SELECT count(*) FROM claims") == [(0,)]
        job = slurm.sbatch(script(0.05), **there)
        ended = slurm.wait(job, seconds=180)
        assert ended == {0: ("COMPLETED", 0), 1: ("COMPLETED", 0)}, [
            (tmp_path / f"{task}.txt").read_text() for task in ended
        ]
    assert rows(workspace, "SELECT count(*) FROM responses") == [(QUESTIONS,)]
    done = folkways("score", "study", "-w", workspace)
    assert done.returncode == 0 and "100\N{NARROW NO-BREAK SPACE}%" in done.stdout
