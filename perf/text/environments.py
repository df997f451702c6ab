"""Environments and folders for tools that are compared with and never depended on, made once at their pinned
versions."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from perf.engine.environments import CACHE


def ensure(requirements: Path) -> Path:
    """The Python of an environment with what the file names, installed with pip if need be; under a folder
    that git ignores."""
    home = CACHE / f"{requirements.parent.name}-{requirements.stem.removeprefix('requirements-')}"
    python = home / "bin" / "python"
    stamp = home / "installed.sha256"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != wanted:
        print(f"installing {requirements.name} into its own environment", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-qqq", "-r", str(requirements)], check=True)
        stamp.write_text(wanted)
    return python


def cloned(address: str, commit: str) -> Path:
    """A folder with a repository at a commit, cloned if it is not there. Its path is the last part of the
    address."""
    home = CACHE / f"text-{address.rsplit('/', 1)[-1]}"
    if not home.is_dir():
        subprocess.run(["git", "clone", "--quiet", address, str(home)], check=True)
    subprocess.run(["git", "-C", str(home), "checkout", "--quiet", "--detach", commit], check=True)
    return home
