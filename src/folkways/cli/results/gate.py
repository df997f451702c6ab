"""``folkways gate``: an exit code for continuous integration, decided on intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli import completion
from folkways.cli.options import Number, workspace_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from folkways.api import Run
    from folkways.evidence.requirements import Check


@click.command("gate")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@click.option("--min", "minimums", multiple=True, metavar="TASK[:CULTURE]=X", help="Score that must be reached; repeatable.")
@click.option("--max-drop-vs", "drops", multiple=True, metavar="RUN=Y", help="Points a score may be below that run's.")
@click.option("--model", "-m", "models", multiple=True, metavar="NAME", help="Only this model of the run; repeatable.")
@click.option("--metric", metavar="NAME", help="Metric to decide on; each task's headline if left out.")
@click.option("--profile", metavar="NAME", help="Profile to decide on; each task's default if left out.")
@click.option("--strict", is_flag=True, help="Pass only if the whole interval is on the right side.")
@click.option(
    "--coverage",
    type=Number(0, 100),
    default=95.0,
    show_default=True,
    help="Percent of items that need a reply.",
)
@click.option(
    "--judged",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Decide on verdicts of judge-by-model, corrected by its --labels.",
)
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write the checks as JUnit XML.")
@click.option("--github", is_flag=True, help="Print annotations for GitHub.")
def command(
    run: str,
    workspace: str,
    minimums: tuple[str, ...],
    drops: tuple[str, ...],
    models: tuple[str, ...],
    judged: Path | None,
    junit: Path | None,
    github: bool,
    **how: Any,
) -> None:
    """Check the scores of RUN (name, number or 'last') against requirements. No model is asked.

    A requirement fails if the whole 95 % interval lies on the wrong side. It is unsure (a warning) if the interval lies on
    both sides; with --strict, unsure fails too. Exit code 0: nothing failed; 1: something did; 2: wrong input.

    \b
    folkways gate --min blend/saq=40 --min blend/saq:ET=30
    folkways gate mine --max-drop-vs last-week=2 --strict --junit gate.xml --github
    folkways gate mine --min blend/saq=40 --judged verdicts.csv
    """
    from folkways.api import load_run
    from folkways.cli.out import check_text_target
    from folkways.cli.results.table_files import write_text
    from folkways.errors import FolkwaysError
    from folkways.evidence.requirements import failed
    from folkways.reports.formats.gate_output import as_annotations, as_junit, as_lines

    if not (minimums or drops):
        raise FolkwaysError("nothing is required; add --min TASK[:CULTURE]=X or --max-drop-vs RUN=Y")
    if judged is not None and drops:
        raise FolkwaysError("--judged goes with --min; what two models differ by is told by folkways judge-by-model --labels")
    if junit is not None:
        check_text_target(junit)
    loaded = load_run(run, workspace)
    endpoints = _endpoints(loaded, models)
    reached = _minimums(loaded, endpoints, minimums, **how) if judged is None else _judged(judged, endpoints, minimums, **how)
    checks = [*reached, *_drops(loaded, endpoints, drops, **how)]
    for line in as_lines(checks):
        click.echo(line)
    if github:
        for line in as_annotations(checks):
            click.echo(line)
    if junit is not None:
        write_text(junit, as_junit(checks, loaded.name))
    if failed(checks):
        raise click.exceptions.Exit(1)


def _endpoints(run: Run, models: tuple[str, ...]) -> list[str]:
    from folkways.errors import UnknownNameError
    from folkways.runs.reading.find_models import find_models

    try:
        return [asked.endpoint for asked in find_models(run.workspace, [f"{model}@{run.name}" for model in models], [run.name])]
    except UnknownNameError as error:  # whose hint is for those who compare runs
        hint = "a gate checks one run; name another one before the options: folkways gate RUN"
        raise UnknownNameError(f"model of run {run.name}", error.name, error.valid, hint=hint) from None


def _judged(
    file: Path, endpoints: list[str], texts: tuple[str, ...], *, metric: str | None, strict: bool, **_of_runs: Any
) -> Iterator[Check]:
    from folkways.benchmarks.registry import get_task
    from folkways.evidence.requirements import check_range, parse_minimum
    from folkways.runs.judging.judged_scores import check_judged, read_verdicts
    from folkways.runs.reading.compare import metric_of

    verdicts = read_verdicts(file)
    for minimum in (minimum for text in texts for minimum in parse_minimum(text)):
        task = get_task(minimum.task)
        named = metric_of(task, metric)
        check_range(minimum.at_least, f"--min {minimum.name}", task, named)
        yield from check_judged(verdicts, minimum, named.name, endpoints, strict=strict)


def _minimums(
    run: Run, endpoints: list[str], texts: tuple[str, ...], *, metric: str | None, profile: str | None, **how: Any
) -> Iterator[Check]:
    import polars as pl

    from folkways.benchmarks.registry import get_task
    from folkways.errors import FolkwaysError
    from folkways.evidence.requirements import check_minimum, check_range, parse_minimum
    from folkways.runs.reading.compare import metric_of
    from folkways.runs.reading.completeness import lacking
    from folkways.runs.scores.scoring import stored_scores
    from folkways.workspace.run_records import run_tasks

    wanted = [minimum for text in texts for minimum in parse_minimum(text)]
    for minimum in wanted:
        task = get_task(minimum.task)
        check_range(minimum.at_least, f"--min {minimum.name}", task, metric_of(task, metric))
    scores = stored_scores(run.workspace, run.record) if wanted else run.scores()
    scores = scores.filter(pl.col("endpoint").is_in(endpoints))
    for minimum in wanted:
        task = get_task(minimum.task)
        resolved = task.resolve_profile(profile)
        of_task = scores.filter(pl.col("task") == task.name)
        if of_task.height and resolved not in of_task["profile"]:
            raise FolkwaysError(f"run {run.name} is not scored so; do it: folkways score {run.name} --profile {resolved}")
        known = scores.filter((pl.col("profile") == resolved) | (pl.col("task") != task.name))
        asked = next((one for one in run_tasks(run.workspace, run.record) if one.task == task.name), None)
        part = lacking(run.workspace, run.record, asked) if asked is not None else []
        yield from check_minimum(known, minimum, metric_of(task, metric).name, part=part, **how)


def _drops(
    run: Run,
    endpoints: list[str],
    texts: tuple[str, ...],
    *,
    metric: str | None,
    profile: str | None,
    strict: bool,
    coverage: float,
) -> Iterator[Check]:
    from folkways.api import load_run
    from folkways.benchmarks.registry import get_task
    from folkways.errors import FolkwaysError
    from folkways.evidence.comparison import NothingSharedError
    from folkways.evidence.requirements import Status, check_drop, check_range, lost_task, parse_drop, unknown_drop
    from folkways.runs.reading.compare import NotJudgedError, compare, metric_of
    from folkways.runs.reading.find_models import find_models

    for text in texts:
        before, most = parse_drop(text)
        if load_run(before, run.workspace).name == run.name:
            raise FolkwaysError(f"run {run.name} cannot have dropped against itself; name an earlier run: --max-drop-vs RUN=Y")
        there = {asked.endpoint: asked.tasks for asked in find_models(run.workspace, [], [before])}
        here = {asked.endpoint: asked.tasks for asked in find_models(run.workspace, [], [run.name])}
        for endpoint in endpoints:
            if endpoint not in there and not (len(there) == len(endpoints) == 1):
                raise FolkwaysError(f"run {before} has no model {endpoint} to compare with; it has: {', '.join(there)}")
            other = endpoint if endpoint in there else next(iter(there))
            names = (f"{endpoint}@{run.name}", f"{other}@{before}")
            common = [task for task in here[endpoint] if task in there[other]]
            model = endpoint if other == endpoint else f"{endpoint} against {other}"
            for known in map(get_task, common):
                check_range(most, f"--max-drop-vs {text}", known, metric_of(known, metric), drop=True)
            yield from (lost_task(task, most, before, model) for task in there[other] if common and task not in common)
            tasks: list[str | None] = [*common] or [None]  # with none in common, the comparison says what each has
            for task in tasks:
                try:
                    (comparison,) = compare(*names, workspace=run.workspace, tasks=task, metric=metric, profile=profile)
                except NothingSharedError as error:  # nothing was measured
                    yield unknown_drop(str(task), most, before, model, Status.FAIL, f"found nothing: {error}")
                except NotJudgedError as error:
                    if metric is not None:  # it was asked for by name
                        raise
                    status = Status.FAIL if strict else Status.UNSURE
                    yield unknown_drop(str(task), most, before, model, status, f"not compared: {error}")
                else:
                    yield check_drop(comparison, most, before, model, strict=strict, coverage=coverage)
