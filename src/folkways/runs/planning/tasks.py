"""Which tasks a run asks, each with its data and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import asked_tasks, tasks
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.suites import narrowed
from folkways.errors import FolkwaysError, NotOnDiskError, UnknownNameError, option
from folkways.releases.base import Release
from folkways.releases.registry import get_record, release_names
from folkways.releases.store import root_of, state_of
from folkways.runs.options import RunOptions
from folkways.runs.planning.each_task import each_with_its_own
from folkways.runs.planning.plan import TaskPlan, shown


def plan_tasks(options: RunOptions) -> list[TaskPlan]:
    """Open the release of every task; UnknownNameError for unknown tasks, cultures or releases, before
    anything is asked."""
    asked = asked_tasks(options.tasks)
    chosen = [task for task, _ in asked]
    benchmarks = {task.benchmark for task in chosen}
    unused = {name for name in options.releases if name != "*"} - benchmarks
    if unused:
        raise UnknownNameError(
            "benchmark of a release (no task of the run reads it)", sorted(unused)[0], benchmarks
        )
    _check_tasks(options, chosen)
    of_run = {} if options.limit is None else {"limit": options.limit}
    opened: dict[str, Release] = {}
    planned = []
    lacking: dict[Task, NotOnDiskError] = {}
    for task, own in asked:
        name = _release_name(task, options)
        try:
            if name not in opened:
                opened[name] = open_release(name, task.benchmark)
            task.check_askable(opened[name])
        except NotOnDiskError as error:
            lacking[task] = error
            continue
        of_task = replace(options, **narrowed(of_run, own)) if own else options  # type: ignore[arg-type]
        planned.append(TaskPlan(task, opened[name], of_task, own))
    if lacking and not (options.skip_missing and planned):
        raise _without_data(lacking, options, some=bool(planned))
    return each_with_its_own(planned, options) if len(planned) > 1 else planned


def left_out(options: RunOptions, planned: Iterable[str]) -> dict[str, str]:
    """Task -> why it is none of those ``planned``, although the options name it: its data, or the cultures
    that it asks about."""
    present = set(planned)
    found = {}
    for task, own in asked_tasks(options.tasks):
        if task.name not in present:
            cultures = own.get("cultures", options.cultures)
            found[task.name] = _lacks(task, options) or f"it asks about none of {shown(cultures)}"  # type: ignore[arg-type]
    return found


def _lacks(task: Task, options: RunOptions) -> str:
    """What of its data is not on this disk, found without reading them; empty where nothing is lacking."""
    name = _release_name(task, options)
    if _is_absent(name):
        return f"its data are not on this disk; folkways data fetch {name} brings them"
    if name not in release_names():
        return ""
    record = get_record(name)
    try:
        task.check_askable(Release(record, root_of(record)))
    except NotOnDiskError:
        return f"its questions are not on this disk, in {name}"
    return ""


def _is_absent(name: str) -> bool:
    """Whether it is the name of a release that is not on this disk, or not as a whole."""
    return name in release_names() and state_of(get_record(name)) in ("not here", "partly here")


def _release_name(task: Task, options: RunOptions) -> str:
    return options.releases.get(task.benchmark, options.releases.get("*", task.release))


def _without_data(
    lacking: Mapping[Task, NotOnDiskError], options: RunOptions, *, some: bool
) -> NotOnDiskError:
    """One error for all tasks whose data are not on this disk: which, and how to get them. some: whether
    others can be asked."""
    absent: dict[str, list[str]] = {}
    told = []
    for task, error in lacking.items():
        name = _release_name(task, options)
        if len(lacking) > 1 and _is_absent(name):
            absent.setdefault(name, []).append(task.name)
        else:
            told.append(f"{task.name}: {error}")
    if absent:
        lines = [f"  {', '.join(tasks)}: {name}" for name, tasks in absent.items()]
        fetch = f"folkways data fetch {' '.join(absent)}"
        told.insert(
            0, "\n".join(["these tasks need data that are not on this disk:", *lines, f"Fetch them: {fetch}"])
        )
    return NotOnDiskError(
        "\n".join(
            [*told, *([f"Or ask the other tasks alone: {option('skip_missing', True)}"] if some else [])]
        )
    )


def _check_tasks(options: RunOptions, chosen: Sequence[Task]) -> None:
    """An error for an option that means none of the tasks."""
    for name in options.prompt_texts:
        owner = name.rpartition(":")[0]
        if owner and owner not in {task.name for task in chosen}:
            raise UnknownNameError(
                "task of a prompt text (no such task in this run)", owner, [task.name for task in chosen]
            )
    if options.permute_options > 1 and not any(task.permutes_options for task in chosen):
        able = [task.name for task in tasks().values() if task.permutes_options]
        raise FolkwaysError(
            f"none of {', '.join(task.name for task in chosen)} can be asked in several orders of its "
            "options; "
            f"those that can: {', '.join(able)}"
        )
