"""``folkways doctor``: what is installed, reachable and sound here."""

from __future__ import annotations

from typing import Any

import click

from folkways.cli.options import workspace_option
from folkways.cli.out import print_json


@click.command("doctor")
@workspace_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(workspace: str, as_json: bool) -> None:
    """Show what is installed, reachable and in order here, for bug reports.

    Versions, extras, which keys are set (never the keys), local servers, fetched data, the workspace, text
    tools. It changes nothing and contacts only servers at the local addresses. Home folders and user names
    are left out. The exit code is 1 if something is broken: a plug-in, data, the workspace.
    """
    from folkways.display import sanitize
    from folkways.runs.doctor import examine

    document = examine(workspace)
    if as_json:
        print_json(document)
    else:
        click.echo(sanitize("\n".join(_lines(document))))
    if document["problems"]:
        raise click.exceptions.Exit(1)


def _lines(found: dict[str, Any]) -> list[str]:
    lines = []
    for name, value in found.items():
        if name == "problems":
            continue
        if not isinstance(value, dict):
            lines.append(f"{name}: {value}")
            continue
        lines += ["", f"{name}:"]
        lines += [f"  {key}: {_in_words(part)}" for key, part in value.items()]
    problems = found["problems"]
    return [
        *lines,
        "",
        "Broken:" if problems else "Nothing is broken.",
        *(f"  {problem}" for problem in problems),
    ]


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {part}" for key, part in value.items()) or "none"
    if isinstance(value, bool):
        return "set" if value else "not set"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
