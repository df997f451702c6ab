"""The pages and the program name the same commands and options."""

from __future__ import annotations

import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from folkways.cli.main import cli
from tests.support.doc_pages import PAGES, REPOSITORY, blocks, command_of, commands


def options_of(command: click.Command) -> set[str]:
    return {
        name
        for parameter in command.params
        for name in [*parameter.opts, *parameter.secondary_opts]
        if name.startswith("-")
    }


def test_reference_is_what_the_commands_say() -> None:
    writer = REPOSITORY / "scripts" / "write_cli_reference.py"
    written = subprocess.run(
        [sys.executable, str(writer), "--print"], capture_output=True, text=True, check=True
    ).stdout
    page = (REPOSITORY / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert page == written, "docs/reference/cli.md is not up to date: run make cli-reference"


@pytest.mark.parametrize("words", ["", "run", "export eval-results", "studio draw"])
def test_h_is_short_for_help_everywhere(words: str) -> None:
    shown = [CliRunner().invoke(cli, [*words.split(), option]) for option in ("-h", "--help")]
    assert [done.exit_code for done in shown] == [0, 0]
    assert shown[0].output == shown[1].output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_pages_call_the_program_as_it_is(page: Path) -> None:
    """Also where an example is not run: its command and its options must exist."""
    for block in blocks(page):
        if block.language != "console":
            continue
        for example in commands(block):
            for line in re.split(r"&&|\|\||[|;]", example.text.replace("\\\n", " ")):
                words = shlex.split(line, comments=True)
                if not words or words[0] != "folkways":
                    continue
                command, rest = command_of(words[1:])
                used = {word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
                valid = options_of(command) | {"--help", "-h", "--version"}
                assert used <= valid, f"{page.name}, line {example.line}: {sorted(used - valid)}"


def test_statistics_names_functions_that_can_be_imported() -> None:
    """`module.function`, under folkways.stats; a name without a module is of the module before it."""
    page = (REPOSITORY / "docs" / "reference" / "statistics.md").read_text(encoding="utf-8")
    cells = [
        line.split("|")[2] for line in page.splitlines() if line.startswith("| ") and line.count("|") == 4
    ]
    names = [cell for cell in cells if "`" in cell]
    assert len(names) > 20
    for cell in names:
        module = ""
        for name in re.findall(r"`([\w.]+)`", cell):
            whole = (
                name
                if "." not in name
                else f"folkways.stats.{name}".replace("folkways.stats.folkways.", "folkways.")
            )
            module = whole.rpartition(".")[0] if "." in whole else module
            assert pkgutil.resolve_name(whole if "." in whole else f"{module}.{name}"), cell
