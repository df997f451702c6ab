#!/usr/bin/env python3
"""Write docs/reference/cli.md and recipe.schema.json from the commands themselves, so that pages and program
cannot part.

python scripts/write_cli_reference.py            # writes both
python scripts/write_cli_reference.py --print    # prints the page
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from recipe_schema import json_schema

from folkways.cli.main import COMMANDS, OF_EXTRAS, cli, other_commands
from folkways.cli.run import command as run_command

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"

HEAD = r"""# Command line

Every command and option, written by `make cli-reference` from the commands themselves. `folkways COMMAND --help` prints the same.
Names of tasks, cultures, releases and runs that are not known bring an error with the valid ones. Exit codes: [Errors](errors.md).

## Completion

A shell completes commands, options, tasks, cultures (also the last of `KR,KP,`) and the runs of a workspace.
Put the line of your shell where it belongs and open a new one:

| shell | file | line |
|---|---|---|
| bash (4.4 or newer) | `~/.bashrc` | `eval "$(_FOLKWAYS_COMPLETE=bash_source folkways)"` |
| zsh | `~/.zshrc` | `eval "$(_FOLKWAYS_COMPLETE=zsh_source folkways)"` |
| fish | `~/.config/fish/completions/folkways.fish` | `_FOLKWAYS_COMPLETE=fish_source folkways \| source` |

## Commands
"""


def reference() -> str:
    """The whole page. SystemExit where a command of this repository is not installed."""
    if missing := sorted(OF_EXTRAS.keys() - other_commands()):
        raise SystemExit(
            f"the page has folkways {', '.join(missing)} too, which is not installed here: pip install -e studio"
        )
    sections = [HEAD, _contents()]
    for name in (*COMMANDS, *other_commands()):
        for full_name, command in leaves(name).items():
            sections.append(_section(full_name, command))
    return "\n".join(sections)


def leaves(name: str) -> dict[str, click.Command]:
    """The command of that name, or its subcommands if it has some, by their full names."""
    command = cli.get_command(click.Context(cli), name)
    if command is None:
        raise LookupError(name)
    return _leaves(name, command)


def _leaves(name: str, command: click.Command) -> dict[str, click.Command]:
    if not isinstance(command, click.Group):
        return {name: command}
    found: dict[str, click.Command] = {name: command} if command.invoke_without_command else {}
    for child in command.list_commands(click.Context(command)):
        member = command.get_command(click.Context(command), child)
        if member is not None:
            found |= _leaves(f"{name} {child}", member)
    return found


def _contents() -> str:
    rows = ["| command | does |", "|---|---|"]
    for name, about in (COMMANDS | other_commands()).items():
        links = ", ".join(f"[{full}](#folkways-{full.replace(' ', '-')})" for full in leaves(name))
        rows.append(f"| {links} | {about} |")
    return "\n".join(rows) + "\n"


def _section(name: str, command: click.Command) -> str:
    group = cli.get_command(click.Context(cli), name.partition(" ")[0])
    settings = group.context_settings if group is not None else {}
    context = click.Context(command, info_name=name, show_default=settings.get("show_default"))
    usage = " ".join(["folkways", name, *command.collect_usage_pieces(context)])
    lines = [f"## folkways {name}", "", *_text(command.help or ""), f"    {usage}", ""]
    options = [
        parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
    ]
    if options:
        lines += ["| option | meaning |", "|---|---|", *(_row(option, context) for option in options), ""]
    return "\n".join(lines)


def _text(help_text: str) -> Iterator[str]:
    """The help's paragraphs; one that begins with click's mark for verbatim text becomes a block of
    commands."""
    for paragraph in inspect.cleandoc(help_text).split("\n\n"):
        if paragraph.startswith("\b"):
            yield "```console no-run"
            yield from (
                f"$ {line}" if line.startswith("folkways") else line for line in paragraph.splitlines()[1:]
            )
            yield "```"
        else:
            yield paragraph
        yield ""


def _row(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    metavar = "" if option.is_flag else f" `{option.make_metavar(context)}`"
    about = " ".join((option.help or "").split()).replace("|", "\\|")
    notes = []
    explicit = option.show_default and option.default not in (None, ())
    plain = isinstance(option.default, (str, int, float)) and str(option.default) not in ("", "False")
    if explicit or (option.show_default is None and context.show_default and plain):
        notes.append(f"Default: `{option.default}`.")
    if option.envvar:
        notes.append(f"Also from `{option.envvar}`.")
    if option.required:
        notes.append("Required.")
    return f"| {names}{metavar.replace('|', chr(92) + '|')} | {' '.join([about, *notes])} |"


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(reference())
    else:
        (FOLDER / "cli.md").write_text(reference(), encoding="utf-8")
        (FOLDER / "recipe.schema.json").write_text(
            json.dumps(json_schema(run_command), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
