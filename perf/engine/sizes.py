"""How time and memory grow with the responses that a workspace holds: run, resume, score, report and compare
at each size.

Each size is a workspace of its own, filled by the measured ``run`` itself: short answers of BLEnD in English
alone, both prompts, two made models (``made_endpoint``), and as many samples of each prompt as the size
needs.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perf.engine import measure
from perf.engine.measure import Usage
from perf.engine.workload import COUNTRIES
from tests.support.blend_data import NOT_KNOWING, group, write_csv
from tests.support.chat_layouts import WORDS

REPOSITORY = Path(__file__).resolve().parents[2]
RELEASED = REPOSITORY.parent / "shared" / "data" / "blend" / "24e7d73"
ITEMS = 8000
VARIANTS = ("inst-4", "pers-3")
MODELS = ("made/one", "made/two")
ENTRY = "[folkways.endpoints]\nmade = perf.engine.made_endpoint:KIND\n"


@dataclass(frozen=True)
class Step:
    """One command on a workspace of ``responses`` stored responses."""

    responses: int
    command: str
    usage: Usage


def measured(sizes: Sequence[int], folder: Path, only: Sequence[str] = ()) -> Iterator[Step]:
    """Each command at each size, or only some of them, as it ends. The workspace of a size is deleted when
    the next one begins."""
    release = RELEASED if RELEASED.is_dir() else _made_release(folder / "release")
    about = folder / "plugin" / "made-0.dist-info"
    about.mkdir(parents=True)
    for name, text in {"METADATA": "Name: made\nVersion: 0\n", "entry_points.txt": ENTRY}.items():
        (about / name).write_text(text, encoding="utf-8")
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    path = os.pathsep.join(map(str, (folder / "plugin", REPOSITORY, REPOSITORY / "src")))
    environment = {**keep, "HOME": str(folder), "PYTHONUTF8": "1", "PYTHONPATH": path}
    for size in sizes:
        workspace = folder / "workspace.db"
        for name, arguments in _commands(size, release, folder).items():
            if only and name not in only:
                continue
            command = [sys.executable, "-m", "folkways.cli.main", *arguments, "--workspace", str(workspace)]
            yield Step(size, name, measure.run(command, folder / "output.log", environment))
        for left in folder.glob("workspace.db*"):
            left.unlink()


def _commands(size: int, release: Path, folder: Path) -> dict[str, list[str]]:
    each = len(MODELS) * len(VARIANTS)
    samples = math.ceil(size / (each * ITEMS))
    limit = size // (each * samples)
    models = [part for model in MODELS for part in ("--model", model)]
    options = [
        "--variants",
        ",".join(VARIANTS),
        "--languages",
        "en",
        "--samples",
        str(samples),
        "--limit",
        str(limit),
    ]
    run = [
        "run",
        "blend/saq",
        "--release",
        str(release),
        *models,
        *options,
        "--setting",
        "temperature=1",
        "--name",
        "sizes",
    ]
    return {
        "run": run,
        "resume": run,
        "score": ["score", "sizes"],
        "report": ["report", "sizes", "--out", str(folder / "report")],
        "compare": ["compare", "--run", "sizes"],
    }


def table(steps: Sequence[Step]) -> str:
    """One row per size and command."""
    lines = [
        "| responses | command | CPU s | CPU ms per response | wall s | peak MB |",
        "|---|---|---|---|---|---|",
    ]
    for step in steps:
        usage = step.usage
        each = f"{usage.cpu / step.responses * 1000:.3f}"
        lines.append(
            f"| {step.responses:,} | {step.command} | {usage.cpu:.1f} | {each} | {usage.wall:.1f} | "
            f"{usage.peak:.0f} |"
        )
    return "\n".join(lines)


def _made_release(root: Path) -> Path:
    """A release with as many questions as BLEnD has, for those who do not have it; the words mean nothing."""
    for folder in ("annotations", "questions", "prompts"):
        (root / folder).mkdir(parents=True)
    for country in COUNTRIES:
        entries, rows = {}, []
        for number in range(ITEMS // len(COUNTRIES)):
            word, other = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
            text = f"What goes with {word} and {other} in {country.replace('_', ' ')} (case {number})?"
            groups = [group([f"{word} {number}"], [f"{word} {number}"], 3), group([other], [other], 2)]
            entries[f"Q-{number}"] = {
                "question": text,
                "en_question": text,
                "annotations": groups,
                "idks": NOT_KNOWING,
            }
            rows.append((f"Q-{number}", "Food", "English (US)", text, text))
        (root / "annotations" / f"{country}_data.json").write_text(json.dumps(entries), encoding="utf-8")
        write_csv(
            root / "questions" / f"{country}_questions.csv",
            ["ID", "Topic", "Source", "Question", "Translation"],
            rows,
        )
        templates = [(name, "One answer, please. {q}", "One answer, please. {q}") for name in VARIANTS]
        write_csv(root / "prompts" / f"{country}_prompts.csv", ["id", "English", "Translation"], templates)
    return root
