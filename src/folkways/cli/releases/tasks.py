"""``folkways tasks``: what can be measured."""

from __future__ import annotations

import click

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import expand_tasks, tasks
from folkways.cli.out import print_json
from folkways.cli.terminal import terminal


@click.command()
@click.argument("names", nargs=-1, metavar="[TASK|BENCHMARK]...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List the tasks and what each one measures. With names, only those tasks, in full."""
    chosen = expand_tasks(names) if names else list(tasks().values())
    if as_json:
        print_json([_plain(task) for task in chosen])
    elif names:
        _print_in_full(chosen)
    else:
        _print_table(chosen)


def _plain(task: Task) -> dict[str, object]:
    return {
        "name": task.name,
        "benchmark": task.benchmark,
        "title": task.title,
        "about": task.about,
        "release": task.release,
        "metrics": [{"name": metric.name, "label": metric.label, "about": metric.about} for metric in task.metrics],
        "facets": list(task.facets),
        "profiles": list(task.profiles),
        "variants": list(task.variants),
        "max_tokens": task.max_tokens,
    }


def _print_table(chosen: list[Task]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("task", no_wrap=True)
    for heading in ("what it measures", "headline", "profiles"):
        table.add_column(heading, overflow="fold")
    for task in chosen:
        table.add_row(task.name, task.title, _headline(task), ", ".join(task.profiles))
    console = terminal()
    console.print(table)
    console.print("\nMore about one: folkways tasks NAME")


def _headline(task: Task) -> str:
    others = len(task.metrics) - 1
    return task.metrics[0].label + (f" and {others} more" if others else "")


def _print_in_full(chosen: list[Task]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console = terminal()
    for task in chosen:
        console.print(Text(f"{task.name}  ", style="bold") + Text(task.title, style="not bold"))
        lines = [
            task.about,
            *(f"{metric.label} ({metric.name}): {metric.about}" for metric in task.metrics),
            f"release: {task.release}   default variants: {', '.join(task.variants) or 'none'}",
            f"profiles: {', '.join(task.profiles)}   grouped by: {', '.join(('culture', 'language', 'variant', *task.facets))}",
        ]
        for line in lines:
            console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
        console.print()
