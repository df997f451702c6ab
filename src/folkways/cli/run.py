"""``folkways run``: ask models the questions of one or more tasks, then score and report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli.grouped_options import GroupedCommand
from folkways.cli.options import (
    ask_options,
    batch_option,
    cluster_options,
    left_out,
    models_option,
    question_options,
    sampled,
    scoring_model_options,
    until_options,
    workspace_option,
)
from folkways.cli.out import how_to_go_on, terminal
from folkways.display import plural
from folkways.engine import interrupts
from folkways.files import check_folder, check_several

if TYPE_CHECKING:
    from folkways.runs.options import AskOptions, Cluster, DeployedModel, ReusedReplies, RunOptions
    from folkways.runs.scores.scoring_models import ScoringModels
    from folkways.workspace.run_records import RunRecord


@click.command("run", cls=GroupedCommand)
@models_option
@question_options
@scoring_model_options
@workspace_option
@click.option("--profile", metavar="NAME", help="How to judge: paper (default) or strict.")
@click.option("--name", metavar="NAME", help="Name of the run; otherwise a new one is made up.")
@ask_options
@batch_option
@cluster_options
@until_options
@click.option(
    "--report",
    "report_dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a report there at the end.",
)
def command(
    options: RunOptions,
    models: tuple[str | DeployedModel, ...],
    scoring: ScoringModels,
    asking: AskOptions,
    workspace: str,
    until: float | None,
    strata: str | None,
    batch: bool,
    cluster: Cluster | None,
    report_dir: Path | None,
    profile: str | None,
    name: str | None,
) -> None:
    """Ask models the questions of one or more tasks.

    TASK is a task (blend/saq), a benchmark (xcr: all its tasks) or a suite (culture-suite-lite: a part of
    each benchmark). Every reply is stored at once; the same command continues where it stopped, and nothing
    is asked twice.

    \b
    folkways run demo --model baseline/random
    folkways run blend/saq blend/mcq --model openai/gpt-4o-mini --cultures KR,KP,ET
    folkways run blend/saq --model http://localhost:8000/v1#llama-3.1-8b --report report/
    folkways run blend/saq --model openai/gpt-4o-mini --until 5
    folkways run culture-suite-lite --model openai/gpt-4o-mini
    """
    from folkways.api import run
    from folkways.cli.progress import RunProgress
    from folkways.display import plural, single_line
    from folkways.reports.formats.terminal import terminal_summary
    from folkways.workspace.queue.batches import out_of_run
    from folkways.workspace.results import failure_counts, usage

    if report_dir is not None:
        from folkways.reports.formats.write import USUAL_FORMATS, check_formats  # a template engine

        check_several(report_dir, lambda name: f"--report {name}")
        check_folder(report_dir)
        check_formats(USUAL_FORMATS)
    console = terminal(stderr=True)
    options = replace(
        sampled(options, until, strata),
        scoring_models=scoring.names,
        scoring_precision=scoring.precision or "fp32",
    )

    def planned(record: RunRecord, continued: bool) -> None:
        console.print(f"{'Continuing' if continued else 'Starting'} {record.name} in {workspace}")

    def reused(replies: ReusedReplies) -> None:
        console.print(single_line(replies.text()), soft_wrap=True)

    with RunProgress(console, then="Judging what was said") as progress:
        watched = replace(
            asking,
            observer=progress,
            every=progress.every,
            planned=planned,
            reused=reused,
            batch=batch,
            cluster=cluster,
        )
        done = run(
            options,
            models=models,
            workspace=workspace,
            scoring=scoring,
            asking=watched,
            profile=profile,
            name=name,
        )
    if absent := left_out(done.left_out):
        console.print(absent)
    terminal().print(terminal_summary(done.report_data(with_judgements=False, with_verdict=True)))
    if report_dir is not None:
        first, *others = done.report(report_dir)
        more = f", and {plural(len(others), 'more file')}" if others else ""
        console.print(f"wrote {first}{more}", soft_wrap=True)
    counted: dict[str, tuple[int, float]] = {}
    if progress.asked:
        from folkways.runs.planning.estimate import reported
    for use in usage(done.workspace, done.record) if progress.asked else ():
        if use.input_tokens and (report := reported(done.workspace, use.endpoint)) is not None:
            counted[use.endpoint] = use.input_tokens, use.input_tokens * report.estimated / report.counted
    if note := off_by(counted):
        console.print(single_line(note), soft_wrap=True)
    failures = failure_counts(done.workspace, done.record)
    if failures.height:
        failed = int(failures["count"].sum())
        note = "request failed and counts" if failed == 1 else "requests failed and count"
        console.print(f"{failed:,} {note} as such; the same command tries again.")
        commonest = failures.unique("endpoint", keep="first", maintain_order=True)
        for endpoint, message in commonest.select("endpoint", "message").iter_rows():
            of_whom = f" of {endpoint}" if commonest.height > 1 else ""
            console.print(single_line(f"most often{of_whom}: {message}"), soft_wrap=True)
    out, batches = out_of_run(done.workspace, done.record.id)
    if out and batch:
        console.print(
            f"{plural(out, 'request is', 'requests are')} out in {plural(batches, 'batch', 'batches')}, "
            "and stay there."
        )
        console.print("Run the same command again, also days later, to collect the replies.")
    if done.record.state != "finished":
        how = "incomplete" if done.record.state == "incomplete" else "not finished"
        reason = how_to_go_on(done.record.reason)
        if done.record.state == "budget":
            none = "the budget has no room for a single request: give a larger one with --budget."
            reason = f"{reason} It has its whole budget again." if progress.asked else none
        console.print(f"{done.record.name} is {how}: {reason}")
        raise click.exceptions.Exit(interrupts.exit_code() if done.record.state == "interrupted" else 1)


def off_by(counted: Mapping[str, tuple[int, float]]) -> str:
    """A sentence on the model whose input tokens were estimated worst; empty if no estimate was far off.

    counted: model -> tokens that its server counted (above 0), and tokens estimated from characters. Ratios
    of three or more are ignored: then the server counted something other than these texts.
    """
    ratios = {
        model: estimated / count
        for model, (count, estimated) in counted.items()
        if count < 3 * estimated < 9 * count
    }
    off = {model: ratio for model, ratio in ratios.items() if not 0.8 <= ratio <= 1.25}
    if not off:
        return ""
    worst = max(off, key=lambda model: abs(log(off[model])))
    count, estimated = counted[worst]
    others = f" ({plural(len(off) - 1, 'other model')} were off by less)" if len(off) > 2 else ""
    others = " (one other model was off by less)" if len(off) == 2 else others
    return f"We estimated {estimated:,.0f} input tokens for {worst}; its server counted {count:,}{others}."
