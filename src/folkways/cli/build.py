"""``folkways build``: make questions from people's answers. Every builder of a benchmark is a command."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli.grouped_options import CommandGroup
from folkways.cli.options import Number, WholeNumber, build_ask_options, names, on_option, workspace_option
from folkways.cli.out import check_text_target, is_folder, out_option, print_json, terminal
from folkways.errors import FolkwaysError
from folkways.files import check_folder, check_several
from folkways.runs.options import AskOptions, Cluster

if TYPE_CHECKING:
    from rich.console import Console

    from folkways.benchmarks.build import Builder, Option

STEP_SECONDS = 5.0
"""Seconds between two lines of progress."""


class Builders(CommandGroup):
    """A command for every builder of every benchmark."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from folkways.benchmarks.registry import builders

        return sorted(builders())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from folkways.benchmarks.registry import builders

        return _command(builders()[cmd_name]) if cmd_name in builders() else None


@click.group(cls=Builders)
def command() -> None:
    """Build questions from people's answers, and compare builds."""


def _command(builder: Builder) -> click.Command:
    def run(**values: Any) -> None:
        _run(builder, values)

    made: Any = run
    if builder.asks:
        made = build_ask_options(made)
        if builder.named:
            made = click.option(
                "--name", metavar="NAME", help="Name of the build among the workspace's runs."
            )(made)
        made = workspace_option(made)
    if builder.shared_out:
        made = on_option(made)
    for option in reversed(builder.options):
        made = _declared(option)(made)
    return click.command(builder.name, help=builder.help)(made)


def _declared(option: Option) -> Any:
    """The click decorator of an option or argument."""
    if not option.flag.startswith("-"):
        return click.argument(option.name, type=_kind(option))
    if option.kind == "new file" and option.gets:
        return out_option(option.help, option.gets, required=option.required)
    default: Any = False if option.kind == "yes" else option.default
    return click.option(
        option.flag,
        *([option.short] if option.short else []),
        option.name,
        type=_kind(option),
        metavar=option.metavar or {"list": "LIST", "file": "FILE", "new folder": "DIR"}.get(str(option.kind)),
        help=option.help,
        required=option.required,
        multiple=option.repeatable,
        nargs=option.count,
        show_default=option.default is not None,
        is_flag=option.kind == "yes",
        # click takes None for a default too, and then asks for no option that is required
        **({} if default is None else {"default": default}),
    )


def _kind(option: Option) -> Any:
    if isinstance(option.kind, tuple):
        return click.Choice(option.kind)
    if option.kind == "whole":
        return WholeNumber(option.least, option.most)
    return {"text": str, "list": str, "number": Number(), "yes": bool}.get(option.kind) or click.Path(
        path_type=Path
    )


def _run(builder: Builder, values: dict[str, Any]) -> None:
    from folkways.cli.progress import RunProgress
    from folkways.runs.building import build
    from folkways.runs.executors import executor_of

    for option in builder.options:
        if option.kind in ("new file", "new folder") and values[option.name] is not None:
            values[option.name] = _checked(option, values[option.name])
        elif option.kind == "list":
            values[option.name] = names(values[option.name])
    shared = {name: values.pop(name) for name in ("workspace",) if name in values}
    asking = values.pop("asking", AskOptions())
    on = values.pop("on", None)
    if on:
        shared["work_on"] = executor_of(Cluster(on)).work_on
    console = terminal(stderr=True)
    with RunProgress(console) as progress:
        asking = replace(asking, observer=progress, every=progress.every)
        built = build(
            builder.name,
            values,
            asking=asking,
            note=partial(_print, console),
            progress=StepsProgress(console),
            **shared,
        )
    if built.document is not None:
        print_json(built.document)
    for line in built.summary:
        click.echo(_safe(line))
    for line in (*built.notes, *(f"wrote {file}" for file in built.files), *built.advice):
        _print(console, line)


def _checked(option: Option, path: Path) -> Path:
    """The path of a new file or folder; FolkwaysError, before any work, if it cannot be written."""
    if option.kind == "new folder":
        check_several(path, partial("{} {}".format, option.flag))
        check_folder(path)
        return path
    if option.gets:
        ending = Path(option.gets).suffix
        if is_folder(path):
            path = path / option.gets
        elif path.suffix.lower() != ending:
            raise FolkwaysError(
                f"{option.flag} {path} must end in {ending}, or be a folder, which then gets {option.gets}"
            )
    check_folder(path.parent)
    if path.parent.is_dir():
        check_text_target(path)
    return path


class StepsProgress:
    """Prints the progress of a build every few seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = time.monotonic()

    def __call__(self, text: str) -> None:
        if time.monotonic() - self._last >= STEP_SECONDS:
            self._last = time.monotonic()
            _print(self._console, text)


def _print(console: Console, text: str) -> None:
    console.print(_safe(text), soft_wrap=True)


def _safe(line: str) -> str:
    """The sanitized line, with its leading spaces."""
    from folkways.display import single_line

    return line[: len(line) - len(line.lstrip(" "))] + single_line(line)
