"""Evaluation programs of others, each with folkways in an environment of its own, made once and kept where
git ignores it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.support.river import environment

REPOSITORY = Path(__file__).resolve().parents[2]
KEPT = REPOSITORY / ".tools" / "other-programs"


def programs_of(name: str) -> Path:
    """The folder with the programs of ``perf/engine/requirements-NAME.txt`` and of this checkout; installing
    takes minutes."""
    requirements = REPOSITORY / "perf" / "engine" / f"requirements-{name}.txt"
    home = KEPT / name
    stamp = home / "installed.sha256"
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = [requirements.read_text(encoding="utf-8"), project["dependencies"], project["entry-points"]]
    wanted = hashlib.sha256(json.dumps(installed).encode()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        install = [
            str(home / "bin" / "python"),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
        ]
        subprocess.run([*install, "-r", str(requirements), "-e", str(REPOSITORY)], check=True)
        stamp.write_text(wanted)
    return home / "bin"


def run_program(program: Path, *arguments: object, cwd: Path, code: int = 0, **variables: str) -> str:
    """Run a program to its end and return what it printed; another exit code than ``code`` shows that."""
    own = environment(NO_COLOR="1", **variables)
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
