"""Collects what a report shows from the workspace, and writes a report of several runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict, TypeVar

import polars as pl

from folkways.benchmarks.base import Benchmark, Task, overrides
from folkways.benchmarks.registry import get_task, sound_benchmark
from folkways.benchmarks.results import EACH_MODEL_ONCE, make_results
from folkways.benchmarks.treatments import LENGTH, with_length, without_treatments
from folkways.errors import FolkwaysError, option, quoted
from folkways.evidence.verdict import Expense, Verdict
from folkways.files import check_several
from folkways.names import REPLAY
from folkways.records import JUDGED_ITEMS, SCORES, compact, empty, is_baseline
from folkways.releases.release_records import Release, ReleaseRecord
from folkways.reports.data import FAILURES, ITEM_TEXTS, ReportData, RunInfo
from folkways.reports.replies import Replies
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.verdicts import verdict_of
from folkways.reports.views.views import ReportView
from folkways.runs.models import cost_function
from folkways.runs.options import names_of
from folkways.runs.planning.plan import release_of
from folkways.runs.results.completeness import lacking
from folkways.runs.results.contrasts import stored_contrasts
from folkways.runs.results.judgements import inputs_of, judged_of_task, results_of_runs
from folkways.runs.results.notes import cut_warnings, other_language_warnings, read_otherwise, served_warnings
from folkways.runs.results.together import RunsTogether, latest
from folkways.workspace import results, run_records
from folkways.workspace.database import WORKSPACE, Workspace, opened
from folkways.workspace.queue.batches import out_of_run

SCORE_KEY = ["endpoint", "task", "profile", "metric", "facet", "value"]
"""What identifies a score; where two runs of a report have the same one, the later is shown."""

NOT_STORED = (
    "Run {0} was scored by an earlier folkways, which did not store what guessing and people score on its "
    "items: they are not shown. folkways score {1} adds them, and asks no model."
)

CLOCK = 1.0
"""Seconds by which the times of a run and of its replies may differ."""

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
    with_verdict: bool = False,
    show_items: bool = False,
) -> ReportData:
    """Everything that a report of these runs of a ``workspace`` shows, from what is stored; nothing is judged
    or asked. Of an item that two runs asked a model in one condition, it is what the later reply says, and
    scores are over all that such runs asked a model together. A model that was asked in several conditions is
    one for each, with the runs in its name.

    title: of the report; made of the benchmarks' if None.
    profile: only this profile of each task, where several were scored.
    cost_of: the price of a model's tokens.
    with_judgements: False leaves out what needs the release (single judgements, analyses, whom to cite) and
        what the runs used, for displays of scores alone.
    with_verdict: with what a verdict needs, also without judgements: those that models are compared by,
        without texts; what the runs used; and how much of each task they asked.
    show_items: with the items of data whose licence does not let them be passed on
        (``ReleaseRecord.items_may_leave``), for the eyes of those who have them.

    Raises FolkwaysError if a run has not been scored.
    """
    together = RunsTogether(workspace, runs, profile)
    scores: dict[tuple[str, ...], list[pl.DataFrame]] = {}
    without_texts = ("response",) if with_judgements else ITEM_TEXTS
    judgements: list[pl.DataFrame] = [compact(empty(JUDGED_ITEMS)).drop(without_texts)]
    replies = Replies()
    people: list[pl.DataFrame] = [empty(SCORES)]
    unknown_people: dict[str, str] = {}
    releases: dict[str, ReleaseRecord] = {}
    without_references: dict[str, None] = {}
    otherwise: list[str] = []
    opened: dict[str, Release] = {}
    tasks: dict[str, Task] = {}
    partial: list[str] = []
    parts: dict[str, str] = {}
    contrasts = stored_contrasts(workspace, runs[0]) if len(runs) == 1 else {}
    several = sum(not is_baseline(name) for name in together.endpoints()) > 1
    for run in runs:
        stored = together.scores(run)
        for run_task in together.tasks[run.name]:
            task = get_task(run_task.task)
            shown = pl.col("task") == task.name
            if profile is not None:
                shown &= pl.col("profile") == task.resolve_profile(profile)
            of_task = stored.filter(shown)
            if profile is not None and of_task.is_empty() and task.name in stored["task"]:
                raise FolkwaysError(
                    f"run {run.name} was not scored on {task.name} under the profile {profile}; score it so "
                    f"first: {workspace.command('score', run.name, '--profile', profile)}"
                )
            if task.name not in tasks:
                tasks[task.name] = task
                guessed, of_people, untold = together.references(task.name)
                guessed, of_people = ([frame.filter(shown) for frame in of] for of in (guessed, of_people))
                otherwise += untold
                people += of_people
                # One after the other; an asked baseline of that name comes later and wins.
                scores[task.name,] = [part for of in guessed for part in of.partition_by("endpoint")]
                human = task.human_baseline()
                if human and human.release and not any(frame.height for frame in of_people):
                    unknown_people[task.name] = human.release
                if (
                    overrides(task, "baselines")
                    and of_task.height
                    and not any(frame.height for frame in guessed)
                ):
                    without_references[run.name] = None
            keys_of_task = []
            for keys, rows in of_task.group_by("endpoint", "profile", maintain_order=True):
                key = (task.name, *map(str, keys))
                keys_of_task.append(key)
                scores.setdefault(key, []).extend([] if together.pooled(*key) else [rows])
            otherwise += read_otherwise(
                workspace, run, run_task, task, together.stored[run.name].filter(shown)
            )
            profiles = of_task["profile"].unique(maintain_order=True).to_list()
            looked_at = of_task.height and (with_judgements or with_verdict)
            if looked_at and (lacks := lacking(workspace, run, run_task)):
                partial.append(f"{task.title}: run {run.name} asked {'; '.join(lacks)}.")
                if not all(together.pooled(*key) for key in keys_of_task):
                    parts.setdefault(task.name, lacks[0])
            compared = (task.name, *profiles[:1]) in {key[:2] for key in contrasts}
            if with_verdict and not with_judgements and several and not compared:
                judgements += together.judgements(run, task.name, profiles[:1])
            if with_judgements:
                release = opened[task.name] = release_of(run_task)
                releases[release.name] = release.record
                as_scored = together.is_pooled(run, task.name)
                for part in judged_of_task(
                    workspace, run, run_task, release, profiles, small=True, as_scored=as_scored
                ):
                    replies.add(part["response"])
                    judgements.append(with_length(together.taken(run, part)).drop("response"))
                    del part  # before the next is read
    for key, frames in scores.items():
        if together.pooled(*key):
            frames.append(together.together(*key))
            if (with_judgements or with_verdict) and (lacks := together.lacking(*key)):
                parts.setdefault(key[0], lacks[0])
    every = pl.concat(frame for frames in scores.values() for frame in frames)
    every = every.unique(subset=SCORE_KEY, keep="last", maintain_order=True)
    judged, heights = pl.concat(judgements, how="diagonal_relaxed"), [frame.height for frame in judgements]
    del judgements
    if len(runs) > 1:
        judged, latest_rows = latest(judged, heights)
        replies = replies.only(latest_rows)
    order = [name for name in dict.fromkeys((*JUDGED_ITEMS, *judged.columns)) if name != LENGTH]
    inputs = inputs_of(judged.drop("text", "gold", strict=False), together, tasks.values(), opened)
    made, without = make_results(results_of_runs(inputs) if with_judgements else [], inputs)
    uses = {run.name: results.usage(workspace, run) for run in runs}
    used = uses if with_judgements or with_verdict else {}
    records = {} if show_items else {task: release.record for task, release in opened.items()}
    withheld = {task: record.kept for task, record in records.items() if record.items_may_leave is False}
    apart = replies if with_judgements and not withheld and inputs.treated.is_empty() else None
    if with_judgements and apart is None:
        judged = judged.with_columns(replies.between(0, len(replies)))
    else:
        absent = ("response",) if with_judgements else without_texts
        judged = judged.with_columns(pl.lit(None, pl.String).alias(name) for name in absent)
    judged = without_treatments(judged.select(order))
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
        runs=tuple(_info(run, together.scores(run), used.get(run.name), cost_of) for run in runs),
        scores=every,
        names=together.public_names(every["endpoint"].unique(maintain_order=True)),
        judgements=judged,
        releases=tuple(releases.values()),
        metrics=inputs.metrics,
        task_titles={name: task.title for name, task in tasks.items()},
        headline_by={name: by for name, task in tasks.items() if (by := task.metrics[0].headline_by)},
        ordered={name: task.ordered for name, task in tasks.items() if task.ordered},
        warnings=(
            *partial,
            *together.unlike(every),
            *([EACH_MODEL_ONCE] if made and inputs.models else []),
            *other_language_warnings(every, together.signatures, tasks),
            *cut_warnings(every, together.signatures, tasks),
            *otherwise,
            *_warnings(workspace, runs),
            *served_warnings(uses),
            *(NOT_STORED.format(name, quoted(name)) for name in without_references),
        ),
        failures=_failure_table(together),
        people=pl.concat(people).unique(subset=SCORE_KEY, keep="last", maintain_order=True),
        signatures=together.signatures,
        unknown_people=unknown_people,
        results=tuple(made),
        without_results=without,
        without_items=withheld,
        expenses=_expenses(together, used, cost_of),
        parts=parts,
        conditions=inputs.models,
        contrasts=contrasts,
        homes={name: card.home for name, card in inputs.cards.items() if card.home},
        chance={name: chance for name, task in tasks.items() if (chance := task.chance()) is not None},
        replies=apart,
    )


def _info(
    run: run_records.RunRecord, scored: pl.DataFrame, used: Sequence[results.Usage] | None, cost_of: CostOf
) -> RunInfo:
    """used: None where it was not looked up."""
    costs = [_cost(use, cost_of) for use in used or ()]
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
        if used is None or any(cost is None for cost in costs)
        else sum(cost for cost in costs if cost is not None),
        requests=sum(use.responses for use in used or ()),
        seconds=run.seconds,
        version=run.version,
    )


def _cost(use: results.Usage, cost_of: CostOf) -> float | None:
    """US dollars of what an endpoint used; None where no price is known."""
    batched = use.batched_input_tokens, use.batched_output_tokens
    asked_alone = use.input_tokens - batched[0], use.output_tokens - batched[1]
    costs = [
        cost_of(
            use.endpoint,
            None if use.uncounted_input else inputs,
            None if use.uncounted_output else outputs,
            in_batches,
        )
        for in_batches, (inputs, outputs) in ((False, asked_alone), (True, batched))
    ]
    return None if costs[0] is None or costs[1] is None else costs[0] + costs[1]


def _expenses(
    together: RunsTogether, used: Mapping[str, Sequence[results.Usage]], cost_of: CostOf
) -> dict[str, Expense]:
    """Model -> what its replies took, in all runs together. Tokens and dollars are known where every reply
    has a count of its tokens, seconds where any were measured."""
    uses: dict[str, list[tuple[run_records.RunRecord, results.Usage]]] = {}
    for run in together.runs:
        for use in used.get(run.name, ()):
            uses.setdefault(together.name(run, use.endpoint), []).append((run, use))
    expenses = {}
    for model, of_endpoint in uses.items():
        used_by = {run.id: run for run, _ in of_endpoint}
        summed = [use for _, use in of_endpoint]
        if len(used_by) > 1:  # which may have replies in common
            every = results.read_usage(together.workspace, [*used_by.values()])
            summed = [use for use in every if use.endpoint == summed[0].endpoint]
        responses = sum(use.responses for use in summed)
        inputs = [None if use.uncounted_input else use.input_tokens for use in summed]
        outputs = [None if use.uncounted_output else use.output_tokens for use in summed]
        replayed = model.startswith(REPLAY)  # what the recorded model cost is not known
        costs = [None if replayed else _cost(use, cost_of) for use in summed]
        seconds = sum(use.seconds or 0.0 for use in summed)
        walls = [_wall(run, use) for run, use in of_endpoint]
        expenses[model] = Expense(
            responses,
            _total(costs),
            _total(inputs),
            _total(outputs),
            seconds / responses if seconds else None,
            _total(walls) if seconds else None,
        )
    return expenses


def _wall(run: run_records.RunRecord, use: results.Usage) -> float | None:
    """Seconds from the first request of an endpoint to its last reply; None where a reply is older than the
    run, or the run was stopped in between and went on."""
    wall = use.last - use.first
    return wall if use.first >= run.created - CLOCK and wall <= run.seconds + CLOCK else None


Amount = TypeVar("Amount", int, float)


def _total(amounts: Sequence[Amount | None]) -> Amount | None:
    """Their sum; None if one is not known."""
    sums = [amount for amount in amounts if amount is not None]
    return sum(sums) if len(sums) == len(amounts) else None


def _warnings(workspace: Workspace, runs: Sequence[run_records.RunRecord]) -> list[str]:
    elsewhere = ", unless another of these runs has it" if len(runs) > 1 else ""
    warnings = [
        f"Run {run.name} is not finished ({_why(run)}): what was not asked counts as missing"
        f"{elsewhere}, and stays in the denominators. {_to_go_on(workspace, run)}"
        for run in runs
        if run.state not in ("finished", "incomplete") and not _sampled(run)
    ]
    warnings += [
        f"Run {run.name} is incomplete ({run.reason}): what failed stays in the denominators{elsewhere}. "
        f"{_to_go_on(workspace, run)}"
        for run in runs
        if run.state == "incomplete"
    ]
    for run in filter(_sampled, runs):
        over = run.state in ("finished", "incomplete")
        stopped = (
            ""
            if over
            else f" It stopped early ({run.reason or run.state}); the command that began it goes on."
        )
        warnings.append(
            f"Run {run.name} asked items drawn at random until each stratum was known to within "
            f"{_sampled(run):g} points or asked in full: its scores estimate what asking everything would "
            f"give, and its denominators are what was asked.{stopped}"
        )
    warnings += [
        f"Run {run.name} left out {task}: {reason}. What is told of several benchmarks is told without it."
        for run in runs
        for task, reason in run.config.get("left_out", {}).items()
    ]
    named = {task.split("/")[0] for run in runs for task in run.config.get("tasks", ())}
    return warnings + [benchmark.caution for benchmark in _benchmarks_named(named) if benchmark.caution]


def _why(run: run_records.RunRecord) -> str:
    """Why a run is not finished; of one that waits without the advice, which ``_to_go_on`` gives."""
    reason = run.reason or run.state
    return reason.partition(". ")[0] if run.state == "waiting" else reason


def _to_go_on(workspace: Workspace, run: run_records.RunRecord) -> str:
    """How to ask what a run lacks: a report does not, and a plan is made once."""
    work = f"folkways work {quoted(run.name)}"
    if run.state == "planned":
        return f"Ask it with {work}, in as many processes as you like."
    if out_of_run(workspace, run.id)[0]:
        return f"Collect the replies with the command that sent the batches, with {option('batch', True)}."
    return f"Go on with {work}, or with the command that began it."


def _benchmarks_named(names: Iterable[str]) -> list[Benchmark]:
    """Those that are there, in the order of their names."""
    return [benchmark for name in sorted(names) if (benchmark := sound_benchmark(name)) is not None]


def _sampled(run: run_records.RunRecord) -> float | None:
    """The points to which a sampled run's strata were to be known; None for a run that asks everything."""
    until = run.config.get("options", {}).get("until")
    return None if until is None else float(until)


def _failure_table(together: RunsTogether) -> pl.DataFrame:
    """Failures by kind: messages that differ only in long numbers and quoted text are one kind."""
    what = pl.col("message").str.strip_prefix(pl.concat_str("endpoint", pl.lit(": ")))
    kind = (
        what.str.split(": ").list.first().str.replace_all(r"\d{4,}|'[^']*'|\"[^\"]*\"", "…").str.slice(0, 80)
    )
    failures = [
        together.renamed(run, results.failure_counts(together.workspace, run).with_columns(kind=kind))
        for run in together.runs
    ]
    return (
        pl.concat(failures)
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
    tell: Callable[[Leaderboard], object] | None = None,
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
    tell: called with the scores as the report orders them, before the page is drawn.
    dispute: the http or https address at which a question can be disputed, with ``{item}``, ``{culture}`` and
        ``{task}`` where these belong.
    """

    def data() -> ReportData:
        database = opened(workspace)
        records = run_records.find_asked_runs(database, names)
        costs = cost_function(prices)
        return collect(database, records, title=title, profile=profile, cost_of=costs, show_items=items)

    return write_data(data, out, formats, dispute, tell)


def write_data(
    data: Callable[[], ReportData],
    out: str | Path,
    formats: Sequence[str] | str | None = None,
    dispute: str | None = None,
    tell: Callable[[Leaderboard], object] | None = None,
) -> list[Path]:
    """Write a report into the folder ``out``, after everything else was checked; returns the files.

    data: makes what it shows. formats, dispute, tell: as for ``report_runs``, with its errors.
    """
    # brings a template engine
    from folkways.reports.formats.write import USUAL_FORMATS, check_formats, write_report
    from folkways.reports.views.cultures import check_dispute

    wanted = names_of(formats) if isinstance(formats, str) else tuple(formats or USUAL_FORMATS)
    check_formats(wanted)
    check_several(Path(out))
    address = check_dispute(dispute) if dispute is not None else ""
    # Not kept in a variable: what only the tables need is let go before anything is drawn.
    return write_report(replace(data(), dispute=address), Path(out), wanted, tell)


def verdict_on_runs(
    names: Sequence[str],
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    profile: str | None = None,
    prices: Path | str | None = None,
) -> Verdict:
    """The verdict on several runs of a workspace together; the data are not needed.

    names: of the runs. workspace: where they are. profile: only this one. prices: a prices file.
    """
    database = opened(workspace)
    records = run_records.find_asked_runs(database, names)
    data = collect(
        database,
        records,
        profile=profile,
        cost_of=cost_function(prices),
        with_judgements=False,
        with_verdict=True,
    )
    return verdict_of(Leaderboard(ReportView(data)))
