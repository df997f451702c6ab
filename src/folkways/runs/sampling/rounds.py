"""``--until``: asks until every stratum's score is known well enough, in rounds, and what is not drawn is
never expected.

A round writes down what it is going to ask before it asks, as every run does, so that a run that was stopped
goes on where it was: what was drawn is read from what is expected. The expected items of a sampled run are
its sample, its denominators count these, and its signature says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import polars as pl

from folkways.benchmarks.contract import judgements_of
from folkways.benchmarks.treatments import without_treatments
from folkways.engine.progress import ModelProgress
from folkways.records import State, of_rows
from folkways.runs.models import Model
from folkways.runs.planning.plan import SLICE, Plan, TaskPlan, write_prompts
from folkways.runs.sampling.strata import SamplingFrame, Stratum, drawn_strata, unit_totals
from folkways.stats.stratified import anytime_mean
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace

FIRST = 24
"""Units of a stratum that are drawn before its interval is looked at."""

FEWEST = 8
"""Units that are drawn at a time after that, at least: a round costs more than a request."""

WORTH = 0.5
"""Under a budget, a round asks where a request narrows at least this share of what it narrows at best."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """When to stop: half an interval of ``until`` points, of scores in this profile. sparing: spend where it
    narrows most."""

    until: float
    profile: str | None
    sparing: bool = False


@dataclass
class SampledTask:
    """One model's part of one task: what it was asked, and how wide its intervals are."""

    model: Model
    plan: TaskPlan
    frame: SamplingFrame
    endpoint_id: int
    drawn: dict[str, int] = field(default_factory=dict)
    half_widths: dict[str, float] = field(default_factory=dict)
    values: list[pl.DataFrame] = field(default_factory=list)  # judgements so far, round by round

    def wide(self, target: float) -> list[Stratum]:
        """Strata that are not known well enough and have something left."""
        return [
            stratum
            for name, stratum in self.frame.strata.items()
            if self.half_widths.get(name, 0.5) > target and self.drawn.get(name, 0) < len(stratum.units)
        ]

    def gain(self, stratum: Stratum) -> float:
        """By how much a request narrows the stratum's interval: widths fall with the root of the number
        drawn."""
        drawn = max(1, self.drawn.get(stratum.name, 0))
        return self.half_widths.get(stratum.name, 0.5) / (2 * drawn * self.frame.requests)


@dataclass(frozen=True)
class StoredSample:
    """The sample of a run, as it is written down: what it expects, and what came of it."""

    workspace: Workspace
    run: run_records.RunRecord

    def endpoint_id(self, model: Model) -> int:
        """The model's number in the workspace."""
        return run_records.endpoint_id(self.workspace, model.identity, model.name)

    def expect(self, share: SampledTask, chosen: Mapping[str, Sequence[str]]) -> None:
        """Write down the items of units (by stratum) in the order of drawing, strata by turns: a budget that
        ends leaves all as far."""
        turns = [unit for turn in zip_longest(*chosen.values()) for unit in turn if unit is not None]
        order = of_rows(enumerate(turns), {"place": pl.Int64, "unit": pl.String})
        wanted = share.frame.items.join(order, on="unit", how="inner").select("item", "place")
        frames = [
            batch.join(wanted, on="item", how="inner").sort("place", "item").drop("place")
            for batch in share.frame.read()
        ]
        prompts = (share.plan.prompts_of(items) for frame in frames for items in frame.iter_slices(SLICE))
        last = run_records.last_ordinal(self.workspace, self.run)
        write_prompts(
            self.workspace,
            self.run.id,
            last,
            share.plan,
            share.model,
            share.endpoint_id,
            (part for part in prompts if part.height),
        )

    def forget_unasked(self, shares: Sequence[SampledTask]) -> None:
        """What was drawn in the last round and never sent is not part of the sample: drawing it again costs
        nothing.

        The order of drawing knows nothing of answers, so that this leaves the sample as random as it was. A
        unit with any request sent stays, with what is missing of it.
        """
        for share in shares:
            part = results.Part(share.endpoint_id, share.model.name, share.plan.task.name, 0)
            rows = results.responses(self.workspace, self.run, part).join(
                share.frame.items.select("item", "unit"), on="item", how="left"
            )
            silent = (pl.col("state") == State.MISSING.value).all().over("unit")
            run_records.forget_expected(self.workspace, self.run, rows.filter(silent)["ordinal"].to_list())

    def look(self, share: SampledTask, sampling: Sampling) -> None:
        """Judge what was said so far, and note how wide each stratum's interval is."""
        task, frame, strata = share.plan.task, share.frame, share.plan.options.strata
        part = results.Part(share.endpoint_id, share.model.name, task.name, 0)
        judged_items = [item for values in share.values for item in values["item"].to_list()]
        responses = results.responses(self.workspace, self.run, part)
        responses = responses.filter(~pl.col("item").is_in(judged_items))
        resolved = task.resolve_profile(sampling.profile)
        # Columns of judgements that decide what a unit is worth.
        needed = dict.fromkeys(
            ("item", "culture", "question", "counted", frame.metric.name, *strata, "ordinal")
        )
        for items in frame.read() if responses.height else ():
            replies = responses.join(items.select("item"), on="item", how="semi", maintain_order="left")
            if replies.height:
                judged = judgements_of(
                    task, items.join(replies.select("item"), on="item", how="semi"), replies, resolved
                )
                judged = without_treatments(judged.with_columns(replies["ordinal"]))
                share.values.append(judged.select(*needed))
        if share.values:
            totals = unit_totals(task, frame.metric, strata, pl.concat(share.values))
            for name, drawn in drawn_strata(totals, frame.populations).items():
                share.drawn[name] = drawn.rows.size
                _, interval = anytime_mean([drawn], target=sampling.until / 100)
                share.half_widths[name] = (interval.high - interval.low) / 2


def ask_in_rounds(
    sample: StoredSample,
    plan: Plan,
    frames: Mapping[str, SamplingFrame],
    ask: Callable[[], list[ModelProgress]],
    sampling: Sampling,
) -> list[ModelProgress]:
    """Draw, ask and look, until every stratum of every task is known well enough, or asked in full, or asking
    has stopped.

    sample: where it is written down, of the run of ``plan``.
    frames: of each task of the plan, by its name.
    ask: asks what the run expects and has no reply to; its last result is returned.
    sampling: when to stop.
    """
    shares = [
        SampledTask(model, one, frames[one.task.name], sample.endpoint_id(model))
        for model in plan.models
        for one in plan.tasks
    ]
    target = sampling.until / 100
    while True:
        progresses = ask()
        if any(progress.stopped is not None for progress in progresses):
            sample.forget_unasked(shares)
            return progresses
        for share in shares:
            sample.look(share, sampling)
        wide = [(share, stratum) for share in shares for stratum in share.wide(target)]
        if not wide:
            return progresses
        if sampling.sparing:
            best = max(share.gain(stratum) for share, stratum in wide)
            wide = [(share, stratum) for share, stratum in wide if share.gain(stratum) >= WORTH * best]
        for share in shares:
            chosen = {
                stratum.name: _next(share, stratum, target, sparing=sampling.sparing)
                for owner, stratum in wide
                if owner is share
            }
            if chosen:
                sample.expect(share, chosen)


def _next(share: SampledTask, stratum: Stratum, target: float, *, sparing: bool) -> tuple[str, ...]:
    """The units to draw now."""
    drawn = share.drawn.get(stratum.name, 0)
    size = next_size(drawn, share.half_widths.get(stratum.name, 0.5), target)
    return stratum.units[drawn : drawn + (FEWEST if sparing and drawn else size)]


def next_size(drawn: int, half_width: float, target: float) -> int:
    """How many units to draw next: half of what seems to be missing, so that a round seldom asks more than is
    needed."""
    if not drawn:
        return FIRST
    missing = drawn * ((half_width / target) ** 2 - 1)
    return max(FEWEST, min(math.ceil(missing / 2), drawn))
