"""Recipe files on the command line: every option of ``folkways run`` is a key, and the file's values are the
defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from folkways.errors import FolkwaysError

SUFFIX = ".toml"

OF_MACHINES = ("on", "workers", "gpus", "serve")
"""Options about workers, which depend on the machine and are not part of a recipe."""


class TasksArgument(click.Argument):
    """TASK..., or one recipe file, whose values become the defaults of the command's options."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        # eager: the recipe decides the defaults of the options
        super().__init__(*args, is_eager=True, **attributes)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        """The names of tasks, from the command line or the recipe. FolkwaysError for both at once."""
        value, source = super().consume_value(ctx, opts)
        texts = value if isinstance(value, tuple) else ()
        if not any(name.endswith(SUFFIX) for name in texts):
            return value, source
        if len(texts) > 1:
            raise FolkwaysError(
                f"a recipe has its own tasks: name either a recipe or tasks, not both ({', '.join(texts)})"
            )
        ctx.default_map = read(Path(texts[0]), run_command(ctx))
        return ctx.default_map.get("tasks", ()), source


def run_command(ctx: click.Context) -> click.Command:
    """``folkways run``, from the context of any command of ``folkways``. LookupError if there is none."""
    root = ctx.find_root()
    command = root.command.get_command(root, "run") if isinstance(root.command, click.Group) else root.command
    if command is None:
        raise LookupError("the command line has no command 'run'")
    return command


def keys(run: click.Command) -> dict[str, click.Parameter]:
    """Key of a recipe -> the parameter of ``run`` (``folkways run``). Keys of repeatable options are in the
    plural."""
    parameters = {}
    for parameter in run.params:
        plural = isinstance(parameter, click.Argument) or parameter.multiple
        key = (
            str(parameter.name).replace("_", "-")
            if plural
            else max(parameter.opts, key=len).removeprefix("--")
        )
        if key not in OF_MACHINES:
            parameters[key] = parameter
    return parameters


def read(path: Path, run: click.Command) -> dict[str, Any]:
    """The values of a recipe by the names of the parameters of ``run`` (``folkways run``). DataError with
    file, line and key for anything invalid."""
    from folkways.runs.planning.recipe import read_recipe

    parameters = keys(run)
    return {
        str(parameters[key].name): ",".join(value) if parameters[key].metavar == "LIST" else value
        for key, value in read_recipe(path).items()
    }


def about(parameter: click.Parameter) -> str:
    """The help text of an option on one line."""
    of_tasks = "Tasks, benchmarks with all their tasks, or suites; in a table with settings of a task's own."
    return " ".join((getattr(parameter, "help", None) or of_tasks).split())
