"""Our tasks as Inspect runs them: prompts of the release, our judging as scorer, our scores with their
intervals as metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import polars as pl
from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from folkways.benchmarks.base import Task, temperature_of
from folkways.benchmarks.contract import prompts_of
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.endpoints.clean import storable, thoughts_apart
from folkways.integrations.replies import Reply, ReplyJudge
from folkways.integrations.scored_log import SIGNATURE, STATED, scales_of
from folkways.integrations.stored_run import item_texts
from folkways.records import State, headline_of
from folkways.runs.keywords import release_names
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.planning.plan import item_batches
from folkways.runs.planning.tasks import plan_tasks
from folkways.runs.scores.signature import signature

Names = str | list[str] | None
"""One or several names, as Inspect parses ``-T cultures=KR,ET``."""


def inspect_task(
    name: str,
    *,
    release: str | None = None,
    cultures: Names = None,
    languages: Names = None,
    variants: Names = None,
    limit: int | None = None,
    seed: int = 0,
    profile: str | None = None,
    text_tools: str | None = None,
) -> InspectTask:
    """The task ``name`` with the same prompts as in ``folkways run``.

    release, cultures, languages, variants, limit, seed, profile, text_tools: as the options of that command;
    releases of several benchmarks (``blend=DIR,demo=DIR``) are separated by commas.
    A sample is a prompt, with the id ``ITEM|LANGUAGE|VARIANT``. Failed samples are judged as failed and stay
    in the denominator; if more than a tenth fail, Inspect marks the log.
    """
    benchmark = get_task(name).benchmark
    chosen = release_names(_names(release) or ())
    release = chosen.get(benchmark, chosen.get("*"))
    options = RunOptions(
        tasks=(name,),
        releases={} if release is None else {benchmark: release},
        cultures=_names(cultures),
        languages=_names(languages),
        variants=_names(variants),
        limit=limit,
        seed=seed,
    )
    (plan,) = plan_tasks(options)
    samples: list[Sample] = []
    sources: list[pl.DataFrame] = []
    for items in item_batches(plan.task, plan.release, options):
        by_item = {item["item"]: item for item in items.iter_rows(named=True)}
        table = prompts_of(plan.task, items, plan.prompt_options, plan.release)
        prompts = table.iter_rows(named=True)
        samples += [_sample(prompt, by_item[prompt["item"]], plan.task) for prompt in prompts]
        sources.append(table.select("language", "variant", "prompt_source").unique())
    how = {
        "task": name,
        "release": release,
        "profile": plan.task.resolve_profile(profile),
        "text_tools": text_tools,
    }
    judge = judge_of(**how)  # fails on a wrong option before anything is asked
    made = signature(replace(plan, task=judge.task), pl.concat(sources), (), judge.profile)
    return InspectTask(
        dataset=MemoryDataset(samples, name=plan.release.name),
        solver=generate(),
        scorer=judged(**how),
        metrics=[scores(**how)],
        config=GenerateConfig(
            temperature=temperature_of(plan.task), top_p=1.0, max_tokens=plan.task.max_tokens
        ),
        score_on_error=True,
        continue_on_fail=True,
        fail_on_error=AskOptions().max_failed,
        version=plan.release.fingerprint,
        metadata={STATED: scales_of(plan.task.metrics), SIGNATURE: made.text()},
    )


def _names(given: Names) -> tuple[str, ...] | None:
    if given is None:
        return None
    return tuple(str(name) for name in (given.split(",") if isinstance(given, str) else given))


def _sample(prompt: dict[str, Any], item: dict[str, Any], task: Task) -> Sample:
    texts = item_texts(task, item)
    system = [ChatMessageSystem(content=prompt["system"])] if prompt["system"] else []
    metadata = {name: prompt[name] for name in ("task", "item", "language", "variant")}
    about = {name: item[name] for name in ("question", "culture", *task.facets) if item.get(name) is not None}
    return Sample(
        input=[*system, ChatMessageUser(content=prompt["user"])],
        choices=list(texts.options.texts) or None,
        target=texts.right,
        id=f"{prompt['item']}|{prompt['language']}|{prompt['variant']}",
        metadata={**metadata, **about},
    )


@cache
def judge_of(task: str, release: str | None, profile: str, text_tools: str | None) -> ReplyJudge:
    """The judge for replies to all items of a task. release, profile, text_tools: how to judge; None for the
    task's defaults."""
    definition = get_task(task)
    if text_tools is not None:
        definition = definition.with_tools(text_tools)
    return ReplyJudge(
        definition,
        definition.items(open_release(release or definition.release, definition.benchmark)),
        profile,
    )


def _judged(task: str, release: str | None, profile: str, text_tools: str | None) -> Scorer:
    """A scorer for one reply, which stores the reply in the metadata of the score, for ``scores``."""
    judge = judge_of(task, release, profile, text_tools)

    async def score(state: TaskState, target: Target) -> Score:
        reply = _reply(state)
        row, values = judge.one(reply)
        return Score(
            value=values,
            answer=row["answer"],
            explanation=row["reason"],
            metadata={"state": row["state"], "counted": row["counted"], "reply": asdict(reply)},
        )

    return score


def _reply(state: TaskState) -> Reply:
    """The reply of a sample; a sample without output has failed."""
    ids = {name: state.metadata[name] for name in ("item", "language", "variant")}
    if not state.output.choices:
        reason = state.output.error or "the request failed"
        return Reply(**ids, sample=state.epoch - 1, state=State.FAILED.value, reason=reason)
    withheld = state.output.stop_reason == "content_filter" or _refusal(state.output.message.content)
    text = storable(thoughts_apart(state.output.completion)[1])
    return Reply(
        **ids,
        sample=state.epoch - 1,
        state=State.REFUSED.value if withheld else State.ANSWERED.value,
        response=text,
        finish_reason=state.output.stop_reason,
    )


def _refusal(content: Any) -> bool:
    """Whether the provider reports a refusal."""
    return not isinstance(content, str) and any(getattr(part, "refusal", None) for part in content)


def _scores(task: str, release: str | None, profile: str, text_tools: str | None) -> Metric:
    """The scores of ``folkways run`` for the same replies, over all epochs.

    NAME, NAME_low and NAME_high for each metric; the headline for each culture too (NAME_KR); n and coverage
    of the headline.
    """

    def compute(found: list[SampleScore]) -> dict[str, float | None]:
        replies = [Reply(**(one.score.metadata or {})["reply"]) for one in found]
        if not replies:
            return {}
        judge = judge_of(task, release, profile, text_tools)
        table = judge.scores(replies)
        headline = headline_of(judge.task.metrics, {*table["metric"]}).name
        whole = pl.col("facet") == "all"
        by_culture = (pl.col("facet") == "culture") & (pl.col("metric") == headline)
        values: dict[str, float | None] = {}
        for row in table.filter(whole | by_culture).iter_rows(named=True):
            name = row["metric"] if row["facet"] == "all" else f"{row['metric']}_{row['value']}"
            values |= {name: row["score"], f"{name}_low": row["low"], f"{name}_high": row["high"]}
            if row["metric"] == headline and row["facet"] == "all":
                values |= {"n": row["n"], "coverage": row["coverage"]}
        return values

    return compute


judged: Callable[..., Scorer] = scorer(metrics=[], name="judged")(_judged)
scores: Callable[..., Metric] = metric(name="scores", scores="unreduced")(_scores)
