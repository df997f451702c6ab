"""``--help`` of commands with many options."""

from __future__ import annotations

import re

import click
import pytest

from folkways.cli.grouped_options import HEADINGS
from folkways.cli.main import COMMANDS, cli, other_commands
from tests.support.command_line import folkways


@pytest.mark.parametrize("name", [*COMMANDS, *other_commands()])
def test_help_says_every_option_and_every_command_as_a_whole(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    # a command remembers its option for help as it was first asked for: with -h, as in use
    root = click.Context(cli, info_name="folkways", terminal_width=1000, **cli.context_settings)
    pages = [(click.Context(command, info_name=name, parent=root), command)]
    for context, each in pages:
        page = " ".join(each.get_help(context).split())
        assert not re.search(r"\b(RANGE|INTEGER|FLOAT|None)\b|x[<>]=", page)
        for option in each.params:
            assert not isinstance(option, click.Option) or option.help, (context.command_path, option.opts)
        if isinstance(each, click.Group):
            below = [each.get_command(context, child) for child in each.list_commands(context)]
            for child in filter(None, below):
                first = " ".join((child.help or "").split("\n\n")[0].split())
                assert re.split(r"(?<=[a-z)])\. ", first)[0].rstrip(".") in page, (
                    context.command_path,
                    child.name,
                )
                pages.append((click.Context(child, info_name=child.name, parent=context), child))


@pytest.mark.parametrize("name", ["run", "plan", "work", "estimate"])
def test_every_option_stands_once_below_its_heading(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    text = folkways(name, "--help").stdout
    sections = {part.split(":")[0]: part for part in re.split(r"\n(?=[A-Z][a-z ]+:\n)", text)}
    assert list(sections)[1:] == [heading for heading in [*HEADINGS, "Options"] if heading in sections]
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            flag = re.compile(rf"^  (-\w, )?{re.escape(option.opts[0])}\b", re.MULTILINE)
            below = [heading for heading, part in sections.items() if flag.search(part)]
            wanted = next((heading for heading, names in HEADINGS.items() if option.name in names), "Options")
            assert below == [wanted], option.opts


def test_every_heading_names_options_that_exist() -> None:
    commands = [
        cli.get_command(click.Context(cli), name) for name in ("run", "plan", "work", "estimate", "score")
    ]
    known = {option.name for command in commands if command is not None for option in command.params}
    assert {name for names in HEADINGS.values() for name in names} <= known
