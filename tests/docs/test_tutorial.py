"""The tutorial's commands: with the real model at a small size, and its baselines at the size of the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.doc_pages import REPOSITORY, Command, blocks, commands, run_process, shown_in_order
from tests.support.gguf_file import real_model

PAGE = REPOSITORY / "docs" / "tutorial.md"


def fewer_questions(text: str) -> str:
    return re.sub(r"(limit[ =]+)320", r"\g<1>4", text)


def baselines_only(text: str) -> str:
    """A command or a recipe without the model; nothing for a command that is about the model alone."""
    if text.startswith("folkways ") and text.split()[1] not in ("data", "run", "build", "score", "init"):
        return ""
    return re.sub(r"--model '?gguf/[^ ]+|\"gguf/[^ ]+\", ", "", text)


def run_page(
    folder: Path, environment: dict[str, str], shared: Path, change: Callable[[str], str]
) -> list[tuple[Command, str]]:
    """Each command of folkways with what it printed; a block that is a file is written where it stands.

    Data are adopted from the shared folder in place of fetching them, and what is installed before that is
    not run.
    """
    done = []
    for block in blocks(PAGE):
        if block.file:
            (folder / block.file).write_text(change(block.text), encoding="utf-8")
        for command in commands(block) if block.language == "console" else ():
            text = change(command.text) if command.text.startswith("folkways ") else ""
            if text.startswith("folkways data fetch"):
                text += f" --from '{shared / 'data' / 'blend'}'"
            if text:
                where = f"line {command.line}: {text}"
                done.append(
                    (
                        command,
                        run_process(["bash", "-euo", "pipefail", "-c", text], folder, environment, where),
                    )
                )
    return done


@pytest.mark.nightly  # minutes of a real model; tests/runs/test_gguf.py asks it a little every time
@pytest.mark.shared
def test_the_tutorial_runs_with_the_real_model(
    tmp_path: Path, environment: dict[str, str], shared: Path
) -> None:
    real_model()
    done = run_page(tmp_path, environment, shared, fewer_questions)
    runs = [printed for command, printed in done if command.text.startswith("folkways run ")]
    assert len(runs) == 3
    assert all("smollm2" in printed and "failed" not in printed for printed in runs)
    assert (tmp_path / "report" / "report.html").exists()
    ((item, printed),) = [pair for pair in done if pair[0].text.startswith("folkways show ")]
    of_the_data = item.output[: item.output.index("...")]
    assert shown_in_order(of_the_data, printed) is None


@pytest.mark.nightly  # half a minute of two processors
@pytest.mark.shared
def test_the_numbers_of_the_baselines_are_those_of_the_page(
    tmp_path: Path, environment: dict[str, str], shared: Path
) -> None:
    checked = 0
    for command, printed in run_page(tmp_path, environment, shared, baselines_only):
        lines = tuple(line for line in command.output if line.startswith("baseline "))
        assert shown_in_order(lines, printed) is None, f"line {command.line}: {printed}"
        checked += len(lines)
    assert checked == 8
