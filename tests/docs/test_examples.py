"""Runs the examples of the README and of docs/: each page is one session in an empty folder.

The README's commands, and those that use more of the shell than words, variables, ``> FILE`` and ``|| echo``,
are of a real shell; the others run in the test's own process, and so do the blocks of Python.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from contextlib import nullcontext
from itertools import groupby, takewhile
from pathlib import Path

import pytest

from tests.support.benchmark_packages import installed
from tests.support.changed_files import CHANGED, changed_files
from tests.support.command_line import folkways, python_script
from tests.support.doc_pages import PAGES, REPOSITORY, Block, blocks, commands, run_process, shown_in_order

SERVER = "http://localhost:8000"
"""The address that the pages show for a server of one's own; the runner puts the address of a real one in its
place."""

EXPORT = re.compile(r"^export (\w+=(?:'[^']*'|\S+))\s*(?:;|\n)\s*")
ASSIGNMENT = re.compile(r"\w+=")
PACKAGES = "PYTHONPATH"
"""The variable by which a page shows a package that is not installed."""

EVERY_TIME = ("docs/guides/run.md", "docs/reference/python.md")
"""The first steps on the command line and in Python. Other pages are run where they differ from main, each night, and by
`make docs-examples`, as the workflow of the docs does for every change of a page or of the code."""


def run_page(page: Path, folder: Path, environment: dict[str, str], replace: dict[str, str]) -> None:
    name = page.relative_to(REPOSITORY)

    def local(text: str) -> str:
        for shown, real in replace.items():
            text = text.replace(shown, real)
        return text

    relevant = [block for block in blocks(page) if block.is_run or block.file]
    for kind, group in groupby(relevant, key=lambda block: "file" if block.file else block.language):
        if kind == "python":
            # Neighbouring blocks are one script, each at its own lines of the page, so that a traceback
            # points into the page.
            script = folder / f"{page.stem}.py"
            script.write_text(local(at_own_lines(list(group))), encoding="utf-8")
            done = python_script(script, folder, environment)
            assert done.returncode == 0, f"{name} (python): exit code {done.returncode}\n{done.stdout}"
            continue
        for block in group:
            if block.file:
                target = folder / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(local(block.text), encoding="utf-8")
                continue
            for command in commands(block):
                where = f"{name}, line {command.line}: {command.text}"
                printed = run_command(
                    local(command.text), folder, environment, where, shell=page.name == "README.md"
                )
                absent = shown_in_order(tuple(local(line) for line in command.output), printed)
                assert absent is None, (
                    f"{where}\nthe page shows a line that was not printed: {absent}\nprinted:\n{printed}"
                )


def run_command(text: str, folder: Path, environment: dict[str, str], where: str, *, shell: bool) -> str:
    """What a command printed, on either stream, in order."""
    command, _, otherwise = text.partition(" || echo ")
    command, _, target = command.partition(" > ")
    words = words_of(EXPORT.sub(r"\1 ", command).replace("\\\n", " "))
    assigned = dict(word.split("=", 1) for word in takewhile(ASSIGNMENT.match, words))
    name, *rest = words[len(assigned) :]
    if (
        shell
        or name != "folkways"
        or " #" in text
        or set(command) & set("$`*")
        or not all(word.strip("|;&<>()") for word in words)
    ):
        return run_process(["bash", "-euo", "pipefail", "-c", text], folder, environment, where)
    packages = [folder / assigned.pop(PACKAGES)] if PACKAGES in assigned else []
    with installed(*packages) if packages else nullcontext():
        done = folkways(*rest, cwd=folder, env=environment | assigned, together=not target)
    if target:
        (folder / target).write_text(done.stdout, encoding="utf-8")
    printed = done.stderr if target else done.stdout
    if otherwise and done.returncode:
        return printed + " ".join(shlex.split(otherwise)).replace("$?", str(done.returncode)) + "\n"
    assert done.returncode == 0, f"{where}: exit code {done.returncode}\n{printed}"
    return printed


def words_of(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""  # a model's name may have a # in it, as in http://localhost:8000/v1#NAME
    return list(lexer)


def at_own_lines(python_blocks: list[Block]) -> str:
    script: list[str] = []
    for block in python_blocks:
        script += [""] * (block.line - 1 - len(script)) + block.text.splitlines()
    return "\n".join(script) + "\n"


PAGES_WITH_EXAMPLES = {
    str(page.relative_to(REPOSITORY)): page for page in PAGES if any(block.is_run for block in blocks(page))
}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=() if name in {*EVERY_TIME, *CHANGED} else pytest.mark.nightly)
        for name, page in PAGES_WITH_EXAMPLES.items()
    ],
)
def test_examples_run(
    page: Path, tmp_path: Path, environment: dict[str, str], request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    replace = (
        {SERVER: request.getfixturevalue("docs_server")} if SERVER in page.read_text(encoding="utf-8") else {}
    )
    run_page(page, folder, environment, replace)


@pytest.mark.parametrize(
    ("shown", "printed", "absent"),
    [
        (("a  b", "...", "c 1..."), "x\n a b\ny\nc 123\n", None),
        (("b", "a"), "a\nb\n", "a"),
        (("a",), "ab\n", "a"),
    ],
)
def test_shown_output_is_compared_in_order(shown: tuple[str, ...], printed: str, absent: str | None) -> None:
    assert shown_in_order(shown, printed) == absent


def test_files_that_differ_from_main_are_those_of_the_branch_and_those_not_committed(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *author, *arguments], cwd=repository, check=True, capture_output=True)

    def commit(name: str) -> None:
        (repository / name).write_text(name, encoding="utf-8")
        git("add", name)
        git("commit", "-m", name)

    repository = tmp_path / "here"
    repository.mkdir()
    assert changed_files(repository) == set()  # an archive without git
    git("init", "-b", "main")
    commit("old.md")
    assert changed_files(repository) == set()
    (repository / "new.md").write_text("new", encoding="utf-8")
    (repository / "old.md").write_text("other", encoding="utf-8")
    assert changed_files(repository) == {"new.md", "old.md"}
    git("checkout", "old.md")
    git("clone", "--bare", ".", str(tmp_path / "there"))
    git("remote", "add", "origin", str(tmp_path / "there"))
    git("fetch", "origin")
    commit("committed.md")
    assert changed_files(repository) == {"new.md", "committed.md"}


def test_there_are_examples_of_the_command_line_and_of_python() -> None:
    languages = {block.language for page in PAGES for block in blocks(page) if block.is_run}
    assert languages == {"console", "python"}
