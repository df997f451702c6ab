"""A recipe whose models are served by stand-ins (vllm_server), and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil

from tests.support.command_line import rows
from tests.support.vllm_server import Life, command, lives


class Study:
    """A recipe in a folder, its workspace, and the journal of its servers. models: the table of each, without
    its brackets."""

    def __init__(self, folder: Path, release: Path) -> None:
        self.folder, self.release = folder, release
        self.journal, self.workspace = folder / "journal.jsonl", folder / "w.db"
        self.models: list[str] = []
        self.tasks = ["blend/mcq", "demo/mcq"]

    def add(self, name: str, deployment: str = "", serve: str | None = None, **settings: float) -> None:
        """A model whose server is a stand-in; serve: another command, empty for none."""
        program = command(name, self.journal, **settings) if serve is None else serve
        line = f"serve = '''{program}'''\n" if program else ""
        self.models.append(f'[[models]]\nname = "vllm/{name}"\n{line}{deployment}\n')

    def arguments(self, *more: object) -> tuple[object, ...]:
        head = f'tasks = {self.tasks}\nname = "study"\nreleases = {{ blend = "{self.release}" }}\n'
        (self.folder / "study.toml").write_text(head + "\n".join(self.models))
        return ("run", self.folder / "study.toml", "-w", self.workspace, *more)

    def lives(self) -> list[Life]:
        return lives(self.journal)

    def stored(self) -> int:
        counts = rows(self.workspace, "SELECT count(*) FROM responses")
        return int(counts[0][0]) if counts else 0

    def expected(self) -> int:
        return int(rows(self.workspace, "SELECT count(*) FROM expected")[0][0])


def asked_at(servers: Sequence[Life]) -> Counter[tuple[str, str]]:
    """How often each question was asked of each model."""
    return Counter((life.model, digest) for life in servers for digest in life.asked)


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def gone(pids: Sequence[int]) -> bool:
    return all(map(is_gone, pids))


def worker_of(server: Life) -> int:
    """The process whose guard watches over a server."""
    above = psutil.Process(server.pid).parents()
    return next(
        process.pid
        for process in above
        if "server_guard" not in " ".join(process.cmdline()) and "env" not in process.cmdline()[:1]
    )
