"""Messages name an option as their reader writes it: the command line's way or Python's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import folkways
from folkways.errors import on_command_line, option
from tests.support.command_line import folkways as command

SOURCE = Path(folkways.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OF_COMMANDS = (
    "cli/",
    "integrations/",
    "benchmarks/",
    "runs/on_ray/",
    "runs/probing.py",
    "runs/submitting.py",
    "runs/work.py",
)
OF_REPORTS = ("runs/results/notes.py",)
"""Where texts belong to commands alone: their code, and what Python has no function for."""

OF_OTHER_PROGRAMS = (
    *("--query-gpu", "--format", "--log_samples", "--scorer", "--no-log", "--merge"),
    *("--encoding", "--locale", "--template"),  # of createdb
)
ONLY_ON_COMMAND_LINE = (
    "--from",
    "--judge",
    "--label-next",
    "--labels",
    "--embedding-model",
    "--bert-model",
    "--out",
    "--profile",
)


@pytest.mark.parametrize(
    ("name", "value", "there", "here"),
    [
        ("language", None, "--language", "language="),
        ("by_position", True, "--by-position", "by_position=True"),
        ("workspace", "PATH", "--workspace PATH", "workspace='PATH'"),
        ("timeout", 600, "--timeout 600", "timeout=600"),
        ("max_drop_vs", {"RUN": "Y"}, "--max-drop-vs RUN=Y", "max_drop_vs={'RUN': Y}"),
        ("models", "baseline/first", "--model baseline/first", "models='baseline/first'"),
        ("runs", None, "--run", "runs="),
    ],
)
def test_each_face_has_its_own_way(name: str, value: object, there: str, here: str) -> None:
    assert option(name, value) == here
    with on_command_line():
        assert option(name, value) == there
    assert option(name, value) == here


def test_the_same_error_on_the_command_line(tmp_path: Path) -> None:
    replies = tmp_path / "r.csv"
    items = folkways.get_task("demo/everyday").items(folkways.open_release("demo"))["item"].to_list()
    replies.write_text("item,response\n" + "".join(f"{item},A\n" for item in items))
    there = command("judge", "demo/everyday", "--responses", replies, "--out", tmp_path / "v.csv")
    assert "Say it with --language (valid:" in " ".join(there.stderr.split())
    with pytest.raises(folkways.FolkwaysError, match=r"Say it with language= \(valid:"):
        folkways.judge("demo/everyday", replies)


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every text of a module but its docstrings; of a text with values in it, a text with blanks in their
    places."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values),
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and not {id(node)} & (parts | alone)
        ):
            yield node.lineno, node.value


def test_no_message_below_the_command_line_writes_an_option_itself() -> None:
    wrong = []
    for file in sorted(SOURCE.rglob("*.py")):
        inside = file.relative_to(SOURCE).as_posix()
        if inside.startswith((*OF_COMMANDS, *OF_REPORTS)):
            continue
        source = file.read_text(encoding="utf-8")
        for line, text in texts(ast.parse(source)) if FLAG.search(source) else ():
            spoken = re.sub(
                r"(folkways [a-z-]+|serve|vllm|pip)[^;)]*", "", text
            )  # whole commands are the same for both
            flags = [
                flag
                for flag in FLAG.findall(spoken)
                if flag not in (*OF_OTHER_PROGRAMS, *ONLY_ON_COMMAND_LINE)
            ]
            wrong += [f"{inside}:{line}: {flag}" for flag in flags if " " in text]
    assert wrong == []
