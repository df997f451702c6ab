"""Goes through the whole contract of a benchmark: its declarations, its items twice, prompts, and judging of
made-up replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from folkways.benchmarks import contract, frame_checks, task_errors
from folkways.benchmarks.base import Benchmark, PromptOptions, Task, overrides
from folkways.benchmarks.multiple_choice.orders import order_of
from folkways.benchmarks.registry import benchmarks, present_name
from folkways.benchmarks.released_data import open_release
from folkways.errors import DataError, FolkwaysError, NotOnDiskError, UnknownNameError
from folkways.plugins import BENCHMARKS, BROKEN, entries, why_not_loaded
from folkways.records import RESPONSES, State
from folkways.releases.readers import benchmark_folder
from folkways.releases.registry import read_record
from folkways.releases.release_records import Release

SAMPLE = 60
"""Items of a task that are asked and judged; all of them are read and checked."""

MOST = 20
"""Problems of one kind that are listed."""

ORDERS = 3

REPLIES = ("", "I'm sorry, but I can't help with that.", "Hmm, that depends.", "A", "True", "x" * 2000)
"""What is answered besides the right answers."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. skipped: why it was not, as its data are not on this disk; None
    otherwise."""

    what: str
    problems: tuple[str, ...] = ()
    skipped: str | None = None


def check_benchmark(name: str) -> Iterator[Check]:
    """Each part of the contract of a benchmark, as it was found. UnknownNameError for a name that no package
    has."""
    entry = entries(BENCHMARKS).get(name) or entries(BENCHMARKS).get(present_name(name))
    if entry is None:
        raise UnknownNameError("benchmark", name, entries(BENCHMARKS))
    try:
        benchmark: Benchmark = entry.load()
    except BROKEN as error:
        yield Check("its package", (why_not_loaded(entry, error),))
        return
    yield Check("its releases", tuple(_record_problems(name)))
    declared = tuple(contract.declared_problems(benchmark))
    yield Check("what its tasks declare", declared)
    if declared or benchmark.name not in benchmarks():
        return
    for task in benchmark.tasks:
        yield from _check_task(task)


def _record_problems(name: str) -> Iterator[str]:
    for path in sorted(benchmark_folder(name).glob("records/*.toml")):
        try:
            read_record(path)
        except DataError as error:
            yield str(error)


def _check_task(task: Task) -> Iterator[Check]:
    try:
        release = open_release(task.release, task.benchmark)
        task.check_askable(release)
    except NotOnDiskError as error:
        yield Check(task.name, skipped=str(error).partition("\n")[0])
        return
    except FolkwaysError as error:
        yield Check(task.name, (str(error),))
        return
    sample: list[pl.DataFrame] = []
    problems = _collected(_item_problems(task, release, sample))
    yield Check(f"{task.name}: items", problems)
    if problems:
        return
    items = pl.concat(sample).head(SAMPLE)
    prompts: list[pl.DataFrame] = []
    problems = _collected(_prompt_problems(task, items, release, prompts))
    yield Check(f"{task.name}: prompts", problems)
    if problems:
        return
    for profile in task.scoring.profiles:
        yield Check(
            f"{task.name}: judging in the profile {profile}",
            _collected(_judging_problems(task, items, prompts[-1], profile)),
        )
    yield Check(f"{task.name}: baselines and people", _collected(_reference_problems(task, items, release)))


def _collected(problems: Iterator[str]) -> tuple[str, ...]:
    """The problems, each once, with the error that ended the search among them."""
    listed: dict[str, None] = {}
    try:
        for problem in problems:
            listed[problem] = None
            if len(listed) == MOST:
                break
    except FolkwaysError as error:
        listed[str(error)] = None
    return tuple(listed)


def _item_problems(task: Task, release: Release, sample: list[pl.DataFrame]) -> Iterator[str]:
    """What is wrong with the items, read twice. ``sample`` gets some of every culture."""
    before, first, second = 0, iter(task.item_batches(release)), iter(task.item_batches(release))
    ids: list[pl.Series] = []
    wrong = False
    while True:
        with task_errors.failures_of(task, "items"):
            batch, again = next(first, None), next(second, None)
        if batch is None:
            break
        for problem in frame_checks.item_problems(task, batch, before):
            wrong = True
            yield problem
        if again is None or not batch.equals(again):
            yield task_errors.problem(
                task,
                frame_checks.verb_of_items(task),
                "the items differ from one call to the next; draw by a fixed seed",
            )
            return
        before += batch.height
        if not wrong:
            ids.append(contract.hashed_ids(batch))
        if sum(frame.height for frame in sample) < SAMPLE:
            sample.append(
                batch.group_by("culture", maintain_order=True)
                .head(max(2, SAMPLE // 10))
                .select(batch.columns)
            )
    if not wrong:
        contract.hold_together(task, release, ids)


def _prompt_problems(
    task: Task, items: pl.DataFrame, release: Release, made: list[pl.DataFrame]
) -> Iterator[str]:
    """What is wrong with the prompts of every variant, in several orders; ``made`` gets them, the default
    ones last."""
    usual = PromptOptions(orders=ORDERS if task.permutes_options else 1)
    for options in (replace(usual, variants=("all",)), usual):
        with task_errors.failures_of(task, "prompts"):
            prompts, again = task.prompts(items, options, release), task.prompts(items, options, release)
        yield from frame_checks.prompt_problems(task, items, prompts)
        if not prompts.equals(again):
            yield task_errors.problem(
                task, "prompts", "the prompts differ from one call to the next; draw by the options' seed"
            )
        made.append(prompts)
    if made[-1].is_empty():
        yield task_errors.problem(
            task, "prompts", "there is no prompt without options; let the default ask every item"
        )


def _judging_problems(task: Task, items: pl.DataFrame, prompts: pl.DataFrame, profile: str) -> Iterator[str]:
    """What is wrong with judgements and scores of right answers, other replies, and none."""
    entries = {item["item"]: item for item in items.iter_rows(named=True)}
    right = [_right_reply(task, entries[prompt["item"]], prompt) for prompt in prompts.iter_rows(named=True)]
    judged = _judged(task, items, _responses(prompts, right), profile)
    if wrong := list(frame_checks.judgement_problems(task, _responses(prompts, right), judged)):
        yield from wrong
        return
    yield from _unlike_right(task, judged, right)
    for replies in (
        [REPLIES[index % len(REPLIES)] for index in range(prompts.height)],
        [None] * prompts.height,
    ):
        responses = _responses(prompts, replies)
        judged = _judged(task, items, responses, profile)
        if wrong := list(frame_checks.judgement_problems(task, responses, judged)):
            yield from wrong
            return
        if not judged.equals(_judged(task, items, responses, profile)):
            yield task_errors.problem(
                task, "judge", "the same replies are judged otherwise from one call to the next"
            )
        lost = judged.filter(pl.Series([reply is None for reply in replies]))
        for item, state in (
            lost.filter(pl.col("state") != State.FAILED.value).select("item", "state").iter_rows()
        ):
            yield task_errors.problem(
                task, "judge", f"{item!r} got no reply (failed) and is judged as {state}; keep the state"
            )
    with task_errors.failures_of(task, "summarise"):
        scores = task.summarise(judged.drop("task", "item", "sample", "answer", "reason"))
    yield from frame_checks.score_problems(task, scores)
    by_models = {name for role in task.scoring.models for name in role.metrics}  # models are not loaded here
    if task.metrics[0].name not in {*scores["metric"], *by_models}:
        yield task_errors.problem(
            task, "summarise", f"there is no score of the headline, {task.metrics[0].name!r}"
        )


def _judged(task: Task, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
    with task_errors.failures_of(task, "judge", f"in the profile {profile}"):
        return task.judge(items, responses, profile)


def _responses(prompts: pl.DataFrame, replies: list[str] | list[None] | list[str | None]) -> pl.DataFrame:
    expected = prompts.select("task", "item", "language", "variant", prompt="user")
    state = [(State.FAILED if reply is None else State.ANSWERED).value for reply in replies]
    return expected.with_columns(
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.Series(state, dtype=pl.String),
        response=pl.Series(replies, dtype=pl.String),
        reason=pl.lit(None, dtype=pl.String),
    ).select(*RESPONSES, "prompt")


def _right_reply(task: Task, item: Mapping[str, Any], prompt: Mapping[str, Any]) -> str:
    """The label of the right option as the prompt shows it, or an accepted answer; "?" where neither is
    known."""
    options = task.options_of(item)
    if options.right is not None and prompt["choices"]:
        return str(
            prompt["choices"][
                order_of(options.order_key, prompt["variant"], len(options.texts)).index(options.right)
            ]
        )
    groups = task.accepted_answers(item)
    return groups[0][0] if groups and groups[0] else "?"


def _unlike_right(task: Task, judged: pl.DataFrame, right: list[str]) -> Iterator[str]:
    """Right labels that are not judged as right; sets of accepted answers that are all judged wrong."""
    metric = task.metrics[0]
    if metric.bounds != (0.0, 1.0) or metric.per == "question" or metric.name not in judged.columns:
        return
    unequal = judged.with_columns(_right=pl.Series(right)).filter(
        pl.col("counted") & pl.col(metric.name).is_not_null(), pl.col("_right") != "?"
    )
    wrong = unequal.filter(pl.col(metric.name).cast(pl.Float64) != metric.best)
    if wrong.height and (task.permutes_options or wrong.height == unequal.height):
        item, variant, reply, value = wrong.select("item", "variant", "_right", metric.name).row(0)
        what = (
            f"the right answer to {item!r} in the variant {variant!r}, {reply!r}, is worth "
            f"{metric.name} = {value}, not {metric.best}"
        )
        yield task_errors.problem(
            task,
            "score" if hasattr(task, "score") else "judge",
            f"{what} ({wrong.height} of {unequal.height} such replies)",
        )


def _reference_problems(task: Task, items: pl.DataFrame, release: Release) -> Iterator[str]:
    if overrides(task, "baselines"):
        with task_errors.failures_of(task, "baselines"):
            guessed = task.baselines(items)
        for judged in guessed.values():
            yield from frame_checks.score_problems(task, contract.scores_of(task, judged))
    with task_errors.failures_of(task, "human_baseline"):
        human = task.human_baseline()
        if human is not None:
            human.judge(items, release, task.scoring.profiles[0])
    if (chance := task.chance()) is not None and not 0 <= chance <= 100:
        yield task_errors.problem(task, "chance", f"{chance} is not a percentage")
