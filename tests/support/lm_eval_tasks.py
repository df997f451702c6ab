"""lm-evaluation-harness's own tasks, run in its environment over rows of ours (``lm_eval_program.py``)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.other_programs import programs_of, run_program

PROGRAM = Path(__file__).with_name("lm_eval_program.py")


@dataclass(frozen=True)
class Job:
    """Tasks for the program.

    data: data set -> configuration -> split -> rows. folders: below its tasks -> endings of the tasks that are wanted,
    or None for all. options: ``model`` and ``torch``, where it is to evaluate.
    """

    data: Mapping[str, Mapping[str, Any]]
    folders: Mapping[str, Sequence[str] | None]
    shots: Sequence[int]
    options: Mapping[str, Any] = field(default_factory=dict)


def run(folder: Path, *jobs: Job) -> list[dict[str, Any]]:
    """Of each job, in one start of the program: folder -> shots -> task -> what it would send, and score.

    folder: to work in.
    """
    request = []
    for number, job in enumerate(jobs):
        rows = folder / f"data-sets-{number}"
        for name, configurations in job.data.items():
            (rows / name).mkdir(parents=True)
            for configuration, splits in configurations.items():
                (rows / name / f"{configuration}.json").write_text(json.dumps(splits), encoding="utf-8")
        wanted = {"folders": dict(job.folders), "data": str(rows), "shots": list(job.shots)}
        request.append({**wanted, **job.options})
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    run_program(
        programs_of("other-programs") / "python",
        *(PROGRAM, folder / "request.json", folder / "out.json"),
        cwd=folder,
        HF_HUB_OFFLINE="1",
        HF_HOME=str(folder / "hub"),
        TQDM_DISABLE="1",  # thousands of bars cost seconds
    )
    answers: list[dict[str, Any]] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return answers
