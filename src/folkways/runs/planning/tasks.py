"""Makes the plan of a run: its tasks with their data and options, and the generation that it is asked in."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.contract import items_of, prompts_of
from folkways.benchmarks.printed_prompts import check_filled
from folkways.benchmarks.registry import asked_tasks, builders, printed_prompts, tasks
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.suites import narrowed
from folkways.cultures import select_cultures
from folkways.errors import FolkwaysError, FolkwaysWarning, NotOnDiskError, UnknownNameError, option
from folkways.releases.registry import get_record, release_names
from folkways.releases.release_records import Release
from folkways.releases.stored_releases import root_of, state_of
from folkways.runs.models import Model
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import Plan, TaskPlan, config_of, shown
from folkways.workspace import run_records
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

EVERY = "all"


def plan_tasks(options: RunOptions) -> list[TaskPlan]:
    """The tasks of ``make_plan`` alone."""
    return list(make_plan(options).tasks)


def make_plan(options: RunOptions, models: Sequence[Model] = ()) -> Plan:
    """Open the release of every task; nothing is asked or written down.

    Raises UnknownNameError for unknown tasks, cultures, variants or releases, NotOnDiskError for tasks whose
    data are not on this disk, and FolkwaysError for an option that no task can heed.
    """
    named = asked_tasks(options.tasks)
    chosen = [task for task, _ in named]
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
    for task, task_options in named:
        name = _release_name(task, options)
        try:
            if name not in opened:
                opened[name] = open_release(name, task.benchmark)
            task.check_askable(opened[name])
        except NotOnDiskError as error:
            lacking[task] = error
            continue
        of_task = replace(options, **narrowed(of_run, task_options)) if task_options else options  # type: ignore[arg-type]
        planned.append(TaskPlan(task, opened[name], of_task, task_options))
    if lacking and not (options.skip_missing and planned):
        raise _without_data(lacking, options, some=bool(planned))
    if len(planned) > 1:
        planned = _each_with_its_own(planned, options)
    present = {plan.task for plan in planned}
    absent = {}
    for task, task_options in named:
        if task not in present:
            cultures: Any = task_options.get("cultures", options.cultures)
            absent[task.name] = _lacks(task, options) or f"asks about none of {shown(cultures)}"
    return Plan(options, tuple(planned), tuple(models), absent)


def _lacks(task: Task, options: RunOptions) -> str:
    """What of its data is not on this disk, found without reading them; empty where nothing is lacking."""
    name = _release_name(task, options)
    if _is_absent(name):
        copy = "" if get_record(name).is_downloaded else " --from DIR"
        return f"its data are not on this disk; folkways data fetch {name}{copy} brings them"
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
    lines_of_tasks = []
    for task, error in lacking.items():
        name = _release_name(task, options)
        if len(lacking) > 1 and _is_absent(name):
            absent.setdefault(name, []).append(task.name)
        else:
            lines_of_tasks.append(f"{task.name}: {error}")
    if absent:
        lines = [f"  {', '.join(tasks)}: {name}" for name, tasks in absent.items()]
        downloaded = [name for name in absent if get_record(name).is_downloaded]
        if downloaded:
            lines.append(f"Fetch them: folkways data fetch {' '.join(downloaded)}")
        lines += [get_record(name).to_get(name) for name in absent if name not in downloaded]
        lines_of_tasks.insert(0, "\n".join(["these tasks need data that are not on this disk:", *lines]))
    return NotOnDiskError(
        "\n".join(
            [
                *lines_of_tasks,
                *([f"Or ask the other tasks alone: {option('skip_missing', True)}"] if some else []),
            ]
        )
    )


def _check_tasks(options: RunOptions, chosen: Sequence[Task]) -> None:
    """An error for an option that means none of the tasks. Prompt texts of other tasks and of builders are
    passed over: one file has those of a whole paper."""
    names = {task.name for task in chosen}
    for name in options.prompt_texts:
        owner = name.rpartition(":")[0]
        if owner in ("", *names) or owner in tasks() or owner.removeprefix("build ") in builders():
            continue
        raise UnknownNameError("task of a prompt text", owner, names, hint="only the tasks of this run count")
    texts = {task.name: options.texts_for(task.name) for task in chosen}
    if options.prompt_texts and not any(texts.values()):
        raise FolkwaysError(
            f"{option('prompt_texts', '...')} has no text for {', '.join(texts)}; it has "
            f"{', '.join(options.prompt_texts)}"
        )
    for task in chosen:
        check_filled(task.name, texts[task.name], printed_prompts(task.benchmark))
    if options.shots and not any(getattr(task, "example_variants", ()) for task in chosen):
        able = [task.name for task in tasks().values() if getattr(task, "example_variants", ())]
        raise FolkwaysError(
            f"none of {', '.join(task.name for task in chosen)} can show examples; those that can: "
            f"{', '.join(able)}"
        )
    if options.permute_options > 1 and not any(task.permutes_options for task in chosen):
        able = [task.name for task in tasks().values() if task.permutes_options]
        raise FolkwaysError(
            f"none of {', '.join(task.name for task in chosen)} can be asked in several orders of its "
            f"options; those that can: {', '.join(able)}"
        )


def _each_with_its_own(planned: Sequence[TaskPlan], options: RunOptions) -> list[TaskPlan]:
    """Each task with those of the wanted cultures and variants that it has, without the tasks that ask about
    none of the cultures.

    options: of the run; what a task says of its own (``TaskPlan.own``) stays. A task without any of the
    variants is asked with its own, after a FolkwaysWarning. UnknownNameError for a culture or a variant that
    no task has.
    """
    if options.cultures is not None:
        planned = _by_cultures(planned, options.cultures)
    if options.variants is not None and set(options.variants) != {EVERY}:
        planned = _by_variants(planned, options.variants)
    return list(planned)


def _by_cultures(planned: Sequence[TaskPlan], wanted: Sequence[str]) -> list[TaskPlan]:
    available = {plan.task.name: _cultures_of(plan) for plan in planned}
    everywhere = list(dict.fromkeys(code for codes in available.values() for code in codes))
    select_cultures(wanted, everywhere)
    narrowed = []
    for plan in planned:
        if "cultures" in plan.own:
            narrowed.append(plan)
            continue
        cultures = tuple(name for name in wanted if _has_culture(name, available[plan.task.name]))
        if cultures:
            narrowed.append(replace(plan, options=replace(plan.options, cultures=cultures)))
    return narrowed


def _cultures_of(plan: TaskPlan) -> list[str]:
    cultures: dict[str, None] = {}
    for batch in items_of(plan.task, plan.release):
        cultures.update(dict.fromkeys(batch["culture"].unique(maintain_order=True)))
    return list(cultures)


def _has_culture(name: str, available: Sequence[str]) -> bool:
    try:
        return bool(select_cultures([name], available))
    except UnknownNameError:
        return False


def _by_variants(planned: Sequence[TaskPlan], wanted: Sequence[str]) -> list[TaskPlan]:
    valid: set[str] = set()
    free = [plan for plan in planned if "variants" not in plan.own]
    owned = {
        plan.task.name: tuple(name for name in wanted if _has_variant(plan, name, valid)) for plan in free
    }
    for name in wanted:
        if not any(name in variants for variants in owned.values()):
            raise UnknownNameError("variant of the tasks of this run", name, valid)
    for plan in free:
        variants = owned[plan.task.name]
        if lacking := [name for name in wanted if name not in variants]:
            shown_variants = ", ".join(variants) if variants else f"its own ({', '.join(plan.task.variants)})"
            message = (
                f"{plan.task.name} has no variant {' nor '.join(map(repr, lacking))}; it is asked with "
                f"{shown_variants}"
            )
            warnings.warn(message, FolkwaysWarning, stacklevel=2)
    return [
        replace(plan, options=replace(plan.options, variants=owned[plan.task.name] or None))
        if plan.task.name in owned
        else plan
        for plan in planned
    ]


def _has_variant(plan: TaskPlan, name: str, valid: set[str]) -> bool:
    """Whether a task knows a variant, which a prompt made with it shows; those that it knows otherwise are
    added to ``valid``."""
    item = next(items_of(plan.task, plan.release)).head(1)
    texts = plan.options.texts_for(plan.task.name)
    try:
        prompts_of(plan.task, item, PromptOptions(variants=(name,), prompt_texts=texts), plan.release)
    except UnknownNameError as error:
        if error.name != name:
            raise
        valid |= set(error.valid)
        return False
    return True


def of_generation(workspace: Workspace, plan: Plan, name: str | None) -> Plan:
    """The plan with the generation that it is asked in; as it is where nobody asks afresh.

    The generation is a number in the key of each request, so that earlier replies are kept and not used. A
    run that goes on keeps its own: the run of this ``name``, or else the newest of the same command that has
    not ended or has failed requests. Any other one gets a number that no run has used.
    """
    if not plan.options.afresh:
        return plan
    config = _without_generation(config_of(plan))
    runs = [run for run in run_records.list_runs(workspace) if run.command == run_records.RUN]
    same = [run for run in runs if _without_generation(run.config) == config and _generation(run.config)]
    number = 1 + max((_generation(run.config) for run in runs), default=0)
    named = next((run for run in same if run.name == name), None)
    if named is not None:
        number = _generation(named.config)
    elif same and (same[-1].state != "finished" or run_records.any_failed(workspace, same[-1])):
        number = _generation(same[-1].config)
    tasks = (replace(one, options=replace(one.options, generation=number)) for one in plan.tasks)
    return replace(plan, tasks=tuple(tasks))


def asked_afresh_since(workspace: Workspace, run: RunRecord) -> RunRecord | None:
    """The newest run that asks the same afresh, where this one uses the replies of before; None where there
    is none."""
    if _generation(run.config):
        return None
    wanted = _without_generation(run.config)
    runs = [
        one
        for one in run_records.list_runs(workspace)
        if one.command == run_records.RUN and _generation(one.config)
    ]
    return next((one for one in reversed(runs) if _without_generation(one.config) == wanted), None)


def _generation(config: Mapping[str, Any]) -> int:
    return int(config.get("options", {}).get("generation", 0))


def _without_generation(config: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **config,
        "options": {key: value for key, value in config.get("options", {}).items() if key != "generation"},
    }
