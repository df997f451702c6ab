"""What holds for every command: one way to ask for JSON, and help that names only bounds that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from folkways.cli.main import cli


def commands(group: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield " ".join(path), group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command, (*path, name))


ALL = dict(commands())
WITH_FORMATS = [
    name
    for name, command in ALL.items()
    if {"--format", "--json"} <= {text for one in command.params for text in one.opts}
]


def option(name: str, spelling: str) -> click.Option | None:
    return next(
        (one for one in ALL[name].params if isinstance(one, click.Option) and spelling in one.opts), None
    )


@pytest.mark.parametrize("name", ALL)
def test_json_is_asked_for_with_one_spelling(name: str) -> None:
    flag = option(name, "--json")
    assert flag is None or (flag.is_flag and flag.opts == ["--json"])
    shape = option(name, "--format")
    if shape is not None and isinstance(shape.type, click.Choice):
        assert "json" not in shape.type.choices
        assert flag is not None or name == "studio export", (
            "it writes text in several formats: JSON is one of them"
        )
    for one in ALL[name].params:
        if isinstance(one, click.Option) and "JSON" in (one.help or "") and one.is_flag:
            assert one.opts == ["--json"]


@pytest.mark.parametrize("name", ALL)
def test_help_names_no_bound_that_an_option_does_not_have(name: str) -> None:
    assert not re.search(r"None<|<=?None", CliRunner().invoke(cli, [*name.split(), "--help"]).output)


def test_there_are_commands_of_both_kinds() -> None:
    with_tables = (
        "blend",
        "blend-vis",
        "culturalbench",
        "demo",
        "global-mmlu",
        "global-opinion-qa",
        "global-mmlu-lite",
        "global-piqa",
        "global-piqa-parallel",
        "include",
        "normad",
        "semeval2026",
        "superblend",
        "survey",
        "wvs",
        "xcr",
    )
    assert set(WITH_FORMATS) == {
        "analyse",
        "compare",
        "published",
        *(f"tables {name}" for name in with_tables),
    }


@pytest.mark.parametrize("arguments", [("--json",), ("--format", "json"), ("--json", "--format", "json")])
def test_the_former_spelling_still_works(arguments: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, ["published", *arguments], catch_exceptions=False)
    assert done.exit_code == 0 and done.stdout.startswith("{")


def test_two_formats_are_one_too_many() -> None:
    done = CliRunner().invoke(cli, ["published", "--json", "--format", "csv"])
    assert done.exit_code == 2 and "contradict each other" in done.stderr
