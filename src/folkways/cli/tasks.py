"""``folkways tasks``: the tasks and suites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import all_suites, expand_tasks, tasks
from folkways.cli import completion
from folkways.cli.out import print_json, terminal


@click.command()
@click.argument("names", nargs=-1, metavar="[TASK|BENCHMARK|SUITE]...", shell_complete=completion.tasks)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List the tasks and what each one measures, and the suites. With names, only those, in full."""
    if as_json:
        print_json([_plain(task) for task in (expand_tasks(names) if names else tasks().values())])
        return
    if not names:
        _print_table(list(tasks().values()))
        return
    named = [all_suites()[name] for name in names if name in all_suites()]
    others = [name for name in names if name not in all_suites()]
    expand_tasks(others)  # fail on an unknown name before anything is printed
    for suite in named:
        _print_in_full(suite.name, "", (suite.about, *suite.tasks))
    for task in expand_tasks(others):
        _print_in_full(f"{task.name}  ", task.title, _lines(task))


def _plain(task: Task) -> dict[str, object]:
    metrics = [{"name": metric.name, "label": metric.label, "about": metric.about} for metric in task.metrics]
    record = {name: getattr(task, name) for name in ("name", "benchmark", "title", "about", "release")}
    details = {
        "facets": task.facets,
        "profiles": task.scoring.profiles,
        "variants": task.variants,
        "max_tokens": task.max_tokens,
    }
    return {**record, "metrics": metrics, **details}


def _print_table(chosen: list[Task]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("task", no_wrap=True)
    for heading in ("what it measures", "headline", "profiles"):
        table.add_column(heading, overflow="fold")
    for task in chosen:
        table.add_row(task.name, task.title, _headline(task), ", ".join(task.scoring.profiles))
    console = terminal()
    console.print(table)
    suites_table = Table(box=None, pad_edge=False)
    suites_table.add_column("suite", no_wrap=True)
    suites_table.add_column("what it is", overflow="fold")
    for suite in all_suites().values():
        suites_table.add_row(suite.name, suite.about.split(". ")[0].removesuffix(".") + ".")
    console.print()
    console.print(suites_table)
    console.print("\nMore about one: folkways tasks NAME")


def _headline(task: Task) -> str:
    others = len(task.metrics) - 1
    return task.metrics[0].label + (f" and {others} more" if others else "")


def _print_in_full(name: str, title: str, lines: Iterable[str]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console = terminal()
    console.print(Text(name, style="bold") + Text(title, style="not bold"))
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
    console.print()


def _lines(task: Task) -> Iterator[str]:
    yield task.about
    for metric in task.metrics:
        yield f"{metric.label} ({metric.name}): {metric.about}"
    yield f"release: {task.release}   default variants: {', '.join(task.variants) or 'none'}"
    grouped = ", ".join(("culture", "language", "variant", *task.facets))
    yield f"profiles: {', '.join(task.scoring.profiles)}   grouped by: {grouped}"
