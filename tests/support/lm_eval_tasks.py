"""lm-evaluation-harness's own tasks, run in its environment over rows of ours (``lm_eval_program.py``)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.other_programs import programs_of, run_program

PROGRAM = Path(__file__).with_name("lm_eval_program.py")


def run(
    folder: Path,
    data: Mapping[str, Mapping[str, Any]],
    folders: Mapping[str, Sequence[str] | None],
    shots: Sequence[int],
    **wanted: Any,
) -> dict[str, Any]:
    """Folder -> shots -> task -> what the program would send, and score.

    folder: to work in. data: data set -> configuration -> split -> rows. folders: below its tasks -> endings of the
    tasks that are wanted, or None for all.
    """
    there = folder / "data-sets"
    for name, configurations in data.items():
        (there / name).mkdir(parents=True, exist_ok=True)
        for configuration, splits in configurations.items():
            (there / name / f"{configuration}.json").write_text(json.dumps(splits), encoding="utf-8")
    request = {"folders": dict(folders), "data": str(there), "shots": list(shots), **wanted}
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    run_program(
        programs_of("other-programs") / "python",
        *(PROGRAM, folder / "request.json", folder / "out.json"),
        cwd=folder,
        HF_HUB_OFFLINE="1",
        HF_HOME=str(folder / "hub"),
        TQDM_DISABLE="1",  # thousands of bars cost seconds
    )
    found: dict[str, Any] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return found
