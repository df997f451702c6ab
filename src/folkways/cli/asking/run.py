"""``folkways run``: ask models the questions of one or more tasks, then score and report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from folkways.cli.options import (
    Number,
    left_out,
    names,
    question_options,
    run_options,
    scoring_model_options,
    scoring_models,
    workspace_option,
)
from folkways.cli.out import check_several
from folkways.cli.terminal import terminal
from folkways.errors import FolkwaysError


@click.command("run", context_settings={"help_option_names": ["-h", "--help"]})
@question_options
@scoring_model_options
@workspace_option
@click.option("--profile", metavar="NAME", help="How to judge: paper (default) or strict.")
@click.option("--name", metavar="NAME", help="Name of the run; a new one is made up otherwise.")
@click.option("--concurrency", type=click.IntRange(min=1, max=1000), metavar="N", help="Requests at once, at most.")
@click.option("--attempts", type=click.IntRange(min=1), default=6, show_default=True, help="Tries per request.")
@click.option("--max-errors", type=click.IntRange(min=0), metavar="N", help="Give a model up after N failed requests.")
@click.option(
    "--max-failed",
    type=Number(min=0, max=100),
    default=10.0,
    show_default=True,
    metavar="PERCENT",
    help="More failed: exit code 1.",
)
@click.option("--timeout", type=Number(min=0.1), default=120.0, show_default=True, help="Seconds for one request.")
@click.option("--budget", metavar="AMOUNT", help="Stop before it is crossed: 1000requests, 2Mtokens, 5usd.")
@click.option("--until", type=float, metavar="POINTS", help="Ask until every stratum is known to this many points (95 %).")
@click.option("--strata", metavar="LIST", help="What strata are, for --until: culture (default), or culture,topic.")
@click.option("--report", "report_dir", type=click.Path(path_type=Path), metavar="DIR", help="Write a report there at the end.")
def command(
    models: tuple[str, ...],
    workspace: str,
    profile: str | None,
    name: str | None,
    concurrency: int | None,
    attempts: int,
    max_errors: int | None,
    max_failed: float,
    timeout: float,
    budget: str | None,
    until: float | None,
    strata: str | None,
    prices: Path | None,
    report_dir: Path | None,
    embedding_model: str | None,
    bert_models: tuple[str, ...],
    device: str | None,
    precision: str | None,
    **asked: Any,
) -> None:
    """Ask models the questions of one or more tasks.

    TASK is a task (blend/saq) or a benchmark (xcr: all its tasks). Everything that is answered is stored at once; the same command
    goes on where it stopped, and nothing is asked twice.

    \b
    folkways run demo --model baseline/random
    folkways run blend/saq blend/mcq --model openai/gpt-4o-mini --cultures KR,KP,ET
    folkways run blend/saq --model http://localhost:8000/v1#llama-3.1-8b --report report/
    folkways run blend/saq --model openai/gpt-4o-mini --until 5
    """
    from folkways.api import run
    from folkways.cli.asking.progress import RunProgress
    from folkways.cli.files import check_folder
    from folkways.reports.formats.terminal import terminal_summary
    from folkways.reports.text import one_line
    from folkways.runs.estimate import reported
    from folkways.workspace.results import failure_counts, usage
    from folkways.workspace.run_records import run_tasks

    if strata is not None and until is None:
        raise FolkwaysError("--strata says what --until has to know; add --until POINTS, or leave --strata out")
    if report_dir is not None:
        check_several(report_dir, "--report")
        check_folder(report_dir)
    console = terminal(stderr=True)
    scoring = scoring_models(embedding_model, bert_models, device, precision)
    options = replace(
        run_options(**asked),
        scoring_models=scoring.names,
        scoring_precision=scoring.precision or "fp32",
        until=until,
        strata=names(strata) or ("culture",),
    )
    with RunProgress(console, then="Judging what was said") as progress:
        done = run(
            options,
            models=models,
            workspace=workspace,
            profile=profile,
            name=name,
            concurrency=concurrency,
            attempts=attempts,
            max_errors=max_errors,
            max_failed=max_failed / 100,
            timeout=timeout,
            budget=budget,
            prices=prices,
            scoring=scoring,
            observer=progress,
            every=progress.every,
            planned=lambda record, continued: console.print(
                f"{'Continuing' if continued else 'Starting'} {record.name} in {workspace}"
            ),
        )
    if absent := left_out(options, (task.task for task in run_tasks(done.workspace, done.record))):
        console.print(absent)
    terminal().print(terminal_summary(done.report_data(with_judgements=False)))
    if report_dir is not None:
        for path in done.report(report_dir):
            console.print(f"wrote {path}", soft_wrap=True)
    for use in usage(done.workspace, done.record):
        if (known := reported(done.workspace, use.endpoint)) is not None:
            by_characters = use.input_tokens * known.estimated / known.counted
            console.print(one_line(f"Input tokens of {use.endpoint}: {off_by(use.input_tokens, by_characters)}"), soft_wrap=True)
    failures = failure_counts(done.workspace, done.record)
    if failures.height:
        failed = int(failures["count"].sum())
        told = "request failed and counts" if failed == 1 else "requests failed and count"
        console.print(f"{failed:,} {told} as such; the same command tries again.")
        console.print(one_line(f"most often: {failures['message'][0]}"), soft_wrap=True)
    if done.record.state != "finished":
        how = "incomplete" if done.record.state == "incomplete" else "not finished"
        console.print(f"{done.record.name} is {how}: {done.record.reason}. Run the same command again to go on.")
        raise click.exceptions.Exit(130 if done.record.state == "interrupted" else 1)


def off_by(counted: int, estimated: float) -> str:
    """How far an estimate from characters alone was off: ``210 reported, 175 estimated (17 % too low)``."""
    share = abs(estimated - counted) / counted
    told = f"{share:.0%}".replace("%", " %") + (" too low" if estimated < counted else " too high")
    return f"{counted:,} reported, {estimated:,.0f} estimated ({told})"
