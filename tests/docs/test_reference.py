"""The pages and the program name the same commands and options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from folkways.cli.main import COMMANDS, cli
from tests.support.doc_pages import PAGES, REPOSITORY, blocks, commands

REFERENCE = REPOSITORY / "docs" / "reference" / "cli.md"


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words after ``folkways`` call, and the words left over."""
    context = click.Context(cli)
    command: click.Command = cli
    while words and isinstance(command, click.Group) and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"no command {words[0]!r}"
        command, words = found, words[1:]
    return command, words


def options_of(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in [*parameter.opts, *parameter.secondary_opts] if name.startswith("-")}


def leaves(name: str) -> dict[str, click.Command]:
    """The command of that name, or its subcommands if it has some, by their full names."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    if isinstance(command, click.Group):
        return {f"{name} {child}": member for child, member in command.commands.items()}
    return {name: command}


@pytest.mark.parametrize("name", COMMANDS)
def test_reference_names_every_command_and_option(name: str) -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## folkways ([a-z ]+)\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL))
    for full_name, command in leaves(name).items():
        assert full_name in sections, f"docs/reference/cli.md has no section '## folkways {full_name}'"
        documented = set(re.findall(r"`(--[a-z-]+)", sections[full_name]))
        known = {option for option in options_of(command) if option.startswith("--")}
        assert documented == known, f"folkways {full_name}"


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
