"""Collects what a report shows from the workspace, and writes a report of several runs."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

import polars as pl

from folkways.benchmarks.base import Benchmark, Task, overrides
from folkways.benchmarks.registry import get_task, sound_benchmark
from folkways.benchmarks.results import make_results
from folkways.errors import FolkwaysError
from folkways.files import check_several
from folkways.records import JUDGED_ITEMS, SCORES, Signature, Subject, compact, empty
from folkways.releases.release_records import Release, ReleaseRecord
from folkways.reports.data import FAILURES, ITEM_TEXTS, ReportData, RunInfo
from folkways.runs.models import cost_function
from folkways.runs.options import names_of
from folkways.runs.planning.plan import release_of
from folkways.runs.results.judgements import inputs_of, judged_of_task, results_of_runs
from folkways.runs.results.notes import cut_warnings, lacking, other_language_warnings, read_otherwise
from folkways.runs.scores.scoring import stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.database import WORKSPACE, Workspace, opened

SCORE_KEY = ["endpoint", "task", "profile", "metric", "facet", "value"]
"""What identifies a score; where two runs of a report have the same one, the later run's is shown."""

NOT_STORED = (
    "Run {0} was scored by an earlier folkways, which did not store what guessing and people score on its "
    "items: they are not shown. folkways score {0} adds them, and asks no model."
)

CostOf = Callable[[str, int | None, int | None, bool], float | None]
"""Model name, input tokens, output tokens -> US dollars, or None where the price is not known."""


def collect(
    workspace: Workspace,
    runs: Sequence[run_records.RunRecord],
    *,
    title: str | None = None,
    profile: str | None = None,
    cost_of: CostOf = lambda _model, _inputs, _outputs, _batched: None,
    with_judgements: bool = True,
    show_items: bool = False,
) -> ReportData:
    """Everything that a report of these runs of a ``workspace`` shows, from what is stored; nothing is judged
    or asked.

    title: of the report; made of the benchmarks' if None.
    profile: only this profile of each task, where several were scored.
    cost_of: the price of a model's tokens.
    with_judgements: False leaves out what needs the release (single judgements, analyses, whom to cite) and
        what the runs used, for displays of scores alone.
    show_items: with the items of data whose licence does not let them be passed on
        (``ReleaseRecord.items_may_leave``), for the eyes of those who have them.

    Raises FolkwaysError if a run has not been scored.
    """
    scores: list[pl.DataFrame] = []
    scored: dict[str, pl.DataFrame] = {}
    judgements: list[pl.DataFrame] = [compact(empty(JUDGED_ITEMS)).drop("response")]
    # Compressed until results are made, which need none: a million take much memory.
    replies = [_packed(pl.Series("response", [], dtype=pl.String))]
    people: list[pl.DataFrame] = [empty(SCORES)]
    signatures: dict[str, Signature] = {}
    unknown_people: dict[str, str] = {}
    releases: dict[str, ReleaseRecord] = {}
    without_references: dict[str, None] = {}
    otherwise: list[str] = []
    opened: dict[str, Release] = {}
    tasks: dict[str, Task] = {}
    partial: list[str] = []
    for run in runs:
        stored = scored[run.name] = stored_scores(workspace, run)
        of_baselines, of_people = (
            results.load_scores(workspace, run, of) for of in (Subject.BASELINE, Subject.PEOPLE)
        )
        signatures |= results.load_signatures(workspace, run)
        for run_task in run_records.run_tasks(workspace, run):
            task = tasks.setdefault(run_task.task, get_task(run_task.task))
            shown = pl.col("task") == task.name
            if profile is not None:
                shown &= pl.col("profile") == task.resolve_profile(profile)
            of_task, people_of_task = stored.filter(shown), of_people.filter(shown)
            if profile is not None and of_task.is_empty() and task.name in stored["task"]:
                raise FolkwaysError(
                    f"run {run.name} was not scored on {task.name} under the profile {profile}; score it so "
                    f"first: folkways score {run.name} --profile {profile}"
                )
            # One after the other; an asked baseline of that name comes later and wins.
            scores += of_baselines.filter(shown).partition_by("endpoint", maintain_order=True)
            scores.append(of_task)
            people.append(people_of_task)
            otherwise += read_otherwise(workspace, run, run_task, task, of_task)
            people_release = human.release if (human := task.human_baseline()) else None
            if people_release and people_of_task.is_empty():
                unknown_people[task.name] = people_release
            if overrides(task, "baselines") and of_baselines.filter(shown).is_empty() and of_task.height:
                without_references[run.name] = None
            if with_judgements:
                release = opened[task.name] = release_of(run_task)
                if of_task.height and (parts := lacking(workspace, run, run_task)):
                    partial.append(f"{task.title}: run {run.name} asked a part, {'; '.join(parts)}.")
                releases[release.name] = release.record
                profiles = of_task["profile"].unique(maintain_order=True).to_list()
                for part in judged_of_task(workspace, run, run_task, release, profiles, small=True):
                    replies.append(_packed(part["response"]))
                    judgements.append(part.drop("response"))
                    del part  # before the next is read
    every = pl.concat(scores).unique(subset=SCORE_KEY, keep="last", maintain_order=True)
    judged = pl.concat(judgements, how="diagonal_relaxed")
    del judgements
    order = [*dict.fromkeys((*JUDGED_ITEMS, *judged.columns))]
    inputs = inputs_of(judged.drop("text", "gold"), every["endpoint"], tasks.values(), opened)
    made, without = make_results(results_of_runs(inputs) if with_judgements else [], inputs)
    unpacked = [pl.read_parquet(replies.pop(0)) for _ in range(len(replies))]
    judged = judged.hstack(pl.concat(unpacked, rechunk=False)).select(order)
    del unpacked
    records = {} if show_items else {task: release.record for task, release in opened.items()}
    withheld = {task: record.kept for task, record in records.items() if record.items_may_leave is False}
    if withheld:
        of_kept = pl.col("task").cast(pl.String).is_in([*withheld])
        judged = judged.with_columns(
            pl.when(of_kept).then(None).otherwise(pl.col(name)).alias(name) for name in ITEM_TEXTS
        )
    return ReportData(
        title=title
        or ", ".join(
            benchmark.title for benchmark in _benchmarks_named({task.benchmark for task in tasks.values()})
        ),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        runs=tuple(_info(workspace, run, scored[run.name], cost_of, used=with_judgements) for run in runs),
        scores=every,
        judgements=judged,
        releases=tuple(releases.values()),
        metrics=inputs.metrics,
        task_titles={name: task.title for name, task in tasks.items()},
        headline_by={name: by for name, task in tasks.items() if (by := task.metrics[0].headline_by)},
        warnings=(
            *partial,
            *other_language_warnings(every, signatures, tasks),
            *cut_warnings(every, signatures, tasks),
            *otherwise,
            *_warnings(runs),
            *map(NOT_STORED.format, without_references),
        ),
        failures=_failure_table([results.failure_counts(workspace, run) for run in runs]),
        people=pl.concat(people).unique(subset=SCORE_KEY, keep="last", maintain_order=True),
        signatures=signatures,
        unknown_people=unknown_people,
        results=tuple(made),
        without_results=without,
        without_items=withheld,
        chance={name: chance for name, task in tasks.items() if (chance := task.chance()) is not None},
    )


def _packed(chunk: pl.Series) -> io.BytesIO:
    packed = io.BytesIO()
    chunk.to_frame().write_parquet(packed, row_group_size=max(chunk.len(), 1))
    packed.seek(0)
    return packed


def _info(
    workspace: Workspace, run: run_records.RunRecord, scored: pl.DataFrame, cost_of: CostOf, *, used: bool
) -> RunInfo:
    spent = results.usage(workspace, run) if used else []
    costs = [
        cost_of(
            use.endpoint,
            None if use.uncounted_input else inputs,
            None if use.uncounted_output else outputs,
            batched,
        )
        for use in spent
        for batched, inputs, outputs in (
            (
                False,
                use.input_tokens - use.batched_input_tokens,
                use.output_tokens - use.batched_output_tokens,
            ),
            (True, use.batched_input_tokens, use.batched_output_tokens),
        )
    ]
    return RunInfo(
        name=run.name,
        created=datetime.fromtimestamp(run.created, UTC).isoformat(timespec="seconds"),
        state="finished"
        if run.state in ("finished", "incomplete")
        else "budget"
        if run.state == "budget"
        else "interrupted",
        endpoints=tuple(scored["endpoint"].unique(maintain_order=True)),
        tasks=tuple(scored["task"].unique(maintain_order=True)),
        cost=None
        if not used or any(cost is None for cost in costs)
        else sum(cost for cost in costs if cost is not None),
        requests=sum(use.responses for use in spent),
        seconds=run.seconds,
        version=run.version,
    )


def _warnings(runs: Sequence[run_records.RunRecord]) -> list[str]:
    warnings = [
        f"Run {run.name} is not finished ({run.reason or run.state}): what was not asked counts as missing, "
        "and stays in the denominators. Run the same command again to go on."
        for run in runs
        if run.state not in ("finished", "incomplete") and not _sampled(run)
    ]
    warnings += [
        f"Run {run.name} is incomplete ({run.reason}): what failed stays in the denominators. The same "
        "command tries it again."
        for run in runs
        if run.state == "incomplete"
    ]
    for run in filter(_sampled, runs):
        over = run.state in ("finished", "incomplete")
        stopped = "" if over else f" It stopped early ({run.reason or run.state}); the same command goes on."
        warnings.append(
            f"Run {run.name} asked items drawn at random until each stratum was known to {_sampled(run):g} "
            "points: its scores "
            f"estimate what asking everything would give, and its denominators are the sample.{stopped}"
        )
    warnings += [
        f"Run {run.name} left out {task}: {reason}. What is told of several benchmarks is told without it."
        for run in runs
        for task, reason in run.config.get("left_out", {}).items()
    ]
    named = {task.split("/")[0] for run in runs for task in run.config.get("tasks", ())}
    return warnings + [benchmark.caution for benchmark in _benchmarks_named(named) if benchmark.caution]


def _benchmarks_named(names: Iterable[str]) -> list[Benchmark]:
    """Those that are there, in the order of their names."""
    return [benchmark for name in sorted(names) if (benchmark := sound_benchmark(name)) is not None]


def _sampled(run: run_records.RunRecord) -> float | None:
    """The points to which a sampled run's strata were to be known; None for a run that asks everything."""
    until = run.config.get("options", {}).get("until")
    return None if until is None else float(until)


def _failure_table(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Failures by kind: messages that differ only in long numbers and quoted text are one kind."""
    failures = pl.concat(frames)
    what = pl.col("message").str.strip_prefix(pl.concat_str("endpoint", pl.lit(": ")))
    kind = (
        what.str.split(": ").list.first().str.replace_all(r"\d{4,}|'[^']*'|\"[^\"]*\"", "…").str.slice(0, 80)
    )
    return (
        failures.with_columns(kind=kind)
        .group_by("endpoint", "task", "kind", maintain_order=True)
        .agg(pl.col("count").sum(), pl.col("message").first().alias("example"))
        .sort("count", descending=True)
        .select(list(FAILURES))
    )


class ReportKeywords(TypedDict, total=False):
    """What a report shows, and in which files; see ``report_runs``."""

    formats: Sequence[str] | str
    profile: str | None
    title: str | None
    prices: Path | str | None
    items: bool
    dispute: str


def report_runs(
    names: Sequence[str],
    out: str | Path,
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    formats: Sequence[str] | str | None = None,
    profile: str | None = None,
    title: str | None = None,
    prices: Path | str | None = None,
    items: bool = False,
    dispute: str | None = None,
) -> list[Path]:
    """Write one report of several runs of a workspace into the folder ``out``; returns the files.

    names: of the runs.
    formats: html, md, csv, parquet, latex; all but latex if left out.
    profile: only this one.
    title: of the report.
    prices: a prices file.
    items: with those of data whose licence does not let them be passed on; such a report is for your own
        eyes.
    dispute: the http or https address at which a question can be disputed, with ``{item}``, ``{culture}`` and
        ``{task}`` where these belong.
    """
    from folkways.reports.formats.write import (
        USUAL_FORMATS,
        check_formats,
        write_report,
    )  # brings a template engine
    from folkways.reports.views.cultures import check_dispute

    wanted = names_of(formats) if isinstance(formats, str) else tuple(formats or USUAL_FORMATS)
    check_formats(wanted)
    check_several(Path(out))
    address = check_dispute(dispute) if dispute is not None else ""
    database = opened(workspace)
    records = [run_records.find_asked_run(database, name) for name in names]
    # Not kept in a variable: what only the tables need is let go before anything is drawn.
    costs = cost_function(prices)
    return write_report(
        replace(
            collect(database, records, title=title, profile=profile, cost_of=costs, show_items=items),
            dispute=address,
        ),
        Path(out),
        wanted,
    )
