"""Gives every peer an environment of its own, made once from its pinned requirements and kept in a folder
that git ignores."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".tools" / "perf"


def ensure(name: str) -> Path:
    """The folder with the programs of ``name``'s environment, installed with pip from
    ``requirements-NAME.txt`` if need be."""
    requirements = HERE / f"requirements-{name}.txt"
    home = CACHE / name
    programs = home / "bin"
    stamp = home / "installed.sha256"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return programs
    print(f"installing {name} into its own environment", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    subprocess.run(
        [str(programs / "python"), "-m", "pip", "install", "--quiet", "-r", str(requirements)], check=True
    )
    stamp.write_text(wanted)
    return programs


def version(python: Path, distribution: str) -> str:
    """Version of an installed distribution, as the environment of ``python`` knows it."""
    code = f"from importlib.metadata import version; print(version({distribution!r}))"
    return subprocess.run(
        [str(python), "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()
