"""What holds for every command: one way to ask for JSON, and help that names only bounds that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from folkways import open_release
from folkways.benchmarks.registry import get_task
from folkways.cli.main import cli
from tests.support.command_line import folkways


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


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace in which a model and two baselines have answered."""
    folder = tmp_path_factory.mktemp("answered")
    items = get_task("demo/mcq").items(open_release("demo"))["item"]
    replies = [{"item": item, "response": letter} for item, letter in zip(items, cycle("ABC"), strict=False)]
    (folder / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    models = ("replay:replies.jsonl", "baseline/first", "baseline/random")
    named = [word for model in models for word in ("--model", model)]
    done = folkways("run", "demo/mcq", *named, "--permute-options", "4", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


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


@pytest.mark.parametrize(
    "line",
    [
        "analyse --list",
        "analyse last",
        "compare first random",
        "cultures",
        "data list",
        "doctor",
        "endpoints",
        "estimate demo/mcq -m baseline/first",
        "probe demo/mcq -m baseline/first",
        "published",
        "published --run last",
        "runs",
        "runs --recipe last",
        "show DE/money-1",
        "show demo:money-1",
        "tables demo --run last",
        "tasks",
        "tasks demo",
    ],
)
def test_json_is_all_that_is_printed_and_strict(answered: Path, line: str) -> None:
    done = folkways(*line.split(), "--json", cwd=answered)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout, parse_constant=pytest.fail)


def test_two_formats_are_one_too_many() -> None:
    done = CliRunner().invoke(cli, ["published", "--json", "--format", "csv"])
    assert done.exit_code == 2 and "contradict each other" in done.stderr
