"""What is chosen for several tasks at once, as each of them has it: its cultures and its variants."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.contract import items_of, prompts_of
from folkways.cultures import select_cultures
from folkways.errors import FolkwaysWarning, UnknownNameError

if TYPE_CHECKING:
    from folkways.runs.options import RunOptions
    from folkways.runs.planning.plan import TaskPlan

EVERY = "all"


def each_with_its_own(planned: Sequence[TaskPlan], options: RunOptions) -> list[TaskPlan]:
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
        own = tuple(name for name in wanted if _has_culture(name, available[plan.task.name]))
        if own:
            narrowed.append(replace(plan, options=replace(plan.options, cultures=own)))
    return narrowed


def _cultures_of(plan: TaskPlan) -> list[str]:
    found: dict[str, None] = {}
    for batch in items_of(plan.task, plan.release):
        found.update(dict.fromkeys(batch["culture"].unique(maintain_order=True)))
    return list(found)


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
        if not any(name in own for own in owned.values()):
            raise UnknownNameError("variant (no task of the run has it)", name, valid)
    for plan in free:
        own = owned[plan.task.name]
        if lacking := [name for name in wanted if name not in own]:
            asked = ", ".join(own) if own else f"its own ({', '.join(plan.task.variants)})"
            told = (
                f"{plan.task.name} has no variant {' nor '.join(map(repr, lacking))}; it is asked with "
                f"{asked}"
            )
            warnings.warn(told, FolkwaysWarning, stacklevel=2)
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
