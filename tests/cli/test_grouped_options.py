"""``--help`` of commands with many options."""

from __future__ import annotations

import re

import click
import pytest

from folkways.cli.grouped_options import HEADINGS
from folkways.cli.main import cli
from tests.support.river import folkways


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
