"""Reads the examples out of the Markdown pages.

A fenced block whose first word is ``console`` or ``python`` is an example and is run; the second word
``no-run`` marks one that needs a key, a network or data that are not here. A block whose second word is a
file name (``jsonl replies.jsonl``) is that file.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from folkways.cli.main import cli

REPOSITORY = Path(__file__).resolve().parents[2]
AROUND = ("README", "CONTRIBUTING", "CODE_OF_CONDUCT", "GOVERNANCE", "SECURITY")
PAGES = sorted([*(REPOSITORY / f"{name}.md" for name in AROUND), *(REPOSITORY / "docs").rglob("*.md")])
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`]*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its info string's words, its text, and the line of the page on which the text begins
    (1-based)."""

    words: tuple[str, ...]
    text: str
    line: int

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def is_run(self) -> bool:
        return self.language in ("console", "python") and "no-run" not in self.words and self.file is None

    @property
    def file(self) -> str | None:
        return next((word for word in self.words[1:] if "." in word), None)


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the output that the page shows for it."""

    text: str
    output: tuple[str, ...]
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """Every fenced block of a page, in order."""
    opened: tuple[tuple[str, ...], int, str] | None = None
    body: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = FENCE.match(line)
        if opened is None and fence:
            opened, body = (tuple(fence["info"].split()), number + 1, fence["indent"]), []
        elif opened is not None and fence and not fence["info"].strip():
            yield Block(opened[0], "\n".join(body) + "\n", opened[1])
            opened = None
        elif opened is not None:
            body.append(line.removeprefix(opened[2]))
    if opened is not None:
        raise ValueError(f"{page}, line {opened[1] - 1}: a fenced block that is not closed")


def commands(block: Block) -> list[Command]:
    """The commands of a console block: lines after ``$ ``, continued by a final backslash; other lines are
    shown output."""
    found: list[tuple[str, list[str], int]] = []
    continued = False
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if continued:
            text, output, at = found[-1]
            found[-1] = (f"{text}\n{line}", output, at)
        elif line.startswith("$ "):
            found.append((line[2:], [], number))
        elif found:
            found[-1][1].append(line)
        continued = (line.startswith("$ ") or continued) and line.endswith("\\")
    return [Command(text, tuple(output), at) for text, output, at in found]


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words after ``folkways`` call, and the words left over."""
    command: click.Command = cli
    while words and isinstance(command, click.Group) and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, f"no command {words[0]!r}"
        command, words = found, words[1:]
    return command, words


def shown_in_order(shown: tuple[str, ...], printed: str) -> str | None:
    """The first shown line that the output does not have after the lines before it, or None; ``...`` stands
    for anything."""
    lines = iter(" ".join(line.split()) for line in printed.splitlines())
    for line in shown:
        wanted = " ".join(line.split())
        if not wanted or wanted == "...":
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split("...")))
        if not any(pattern.fullmatch(candidate) for candidate in lines):
            return line
    return None


def run_process(arguments: list[str], folder: Path, environment: dict[str, str], where: str) -> str:
    """What the process printed, on either stream, in the order in which a person would see it."""
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{where}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout
