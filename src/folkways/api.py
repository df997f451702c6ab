"""folkways from Python: open a release, run, get frames. What the command line does, it does through this module."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.registry import expand_tasks
from folkways.endpoints.base import Endpoint, EndpointOptions
from folkways.endpoints.prices import cost, load_prices
from folkways.engine.budget import parse_budget
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import Frame
from folkways.reports.data import ReportData, Scores
from folkways.runs.execute import Session, execute
from folkways.runs.models import batches_of, open_models, price_function, split_name
from folkways.runs.notebook_progress import NotebookProgress, in_notebook
from folkways.runs.options import AskOptions, Cluster, DeployedModel, RunOptions
from folkways.runs.planning.estimate import Estimate, estimate
from folkways.runs.planning.generations import of_generation
from folkways.runs.planning.plan import begin
from folkways.runs.planning.recipe import recipe_of
from folkways.runs.planning.tasks import left_out, plan_tasks
from folkways.runs.reading.collect import collect
from folkways.runs.reading.items import KnownItem, find_item
from folkways.runs.reading.judgements import judged_items
from folkways.runs.scores.scoring import score_run, scores_stand
from folkways.runs.scores.scoring_models import ScoringModels, check_models, chosen_models
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.queue.judging_turn import turn_to_judge

_LISTS = ("cultures", "languages", "variants", "strata")


@dataclass(frozen=True)
class Run:
    """A run in a workspace. Frames come from what is stored; no method asks a model.

    workspace: where it lives; record: its name, state and configuration; prices: a prices file for costs, None for the usual ones.
    """

    workspace: Workspace
    record: run_records.RunRecord
    prices: Path | str | None = None

    @property
    def name(self) -> str:
        """The name under which the workspace knows it."""
        return self.record.name

    def score(
        self,
        profile: str | None = None,
        text_tools: str | None = None,
        models: ScoringModels | None = None,
        tell: Callable[[str], object] = warnings.warn,
        cluster: Cluster | None = None,
    ) -> pl.DataFrame:
        """Judge and score again, in the task's default profile or another, with other text tools or models; records.SCORES.

        tell: is told what could not be computed for want of a model; a warning by default.
        cluster: where each task is judged by a worker of its own.
        """
        scored = score_run(self.workspace, self.record, profile, text_tools, models, cluster)
        for problem in scored.problems:
            tell(str(problem))
        return Scores(scored.scores)

    def scores(self, profile: str | None = None) -> pl.DataFrame:
        """The stored scores (records.SCORES), of one profile or of all that were scored."""
        stored = results.load_scores(self.workspace, self.record)
        return Scores(stored if profile is None else stored.filter(pl.col("profile") == profile))

    def judgements(self, profile: str | None = None) -> pl.DataFrame:
        """One row per expected item: records.JUDGEMENTS, endpoint, profile, question text, gold, response, metrics, facets."""
        return Frame(judged_items(self.workspace, self.record, profile))

    def _repr_html_(self) -> str:
        """The leading models of each task with intervals, and the map; in words only where it has no scores yet."""
        from folkways.reports.formats.notebook import run_html
        from folkways.reports.views.views import ReportView

        return run_html(ReportView(self.report_data(with_judgements=False)))

    def __repr__(self) -> str:
        config = self.record.config
        asked = f"{', '.join(config.get('tasks', []))} of {', '.join(config.get('endpoints', []))}"
        return f"<Run {self.record.name} ({self.record.state}): {asked}>"

    def responses(self) -> pl.DataFrame:
        """What was said, one row per expected item, for all endpoints and tasks: records.RESPONSES and ``endpoint``."""
        frames = [
            results.responses(self.workspace, self.record, part).with_columns(endpoint=pl.lit(part.endpoint))
            for part in results.parts(self.workspace, self.record)
        ]
        return Frame(pl.concat(frames))

    def failed(self) -> int:
        """How many requests brought no reply after all their attempts; a run of the same tasks and models tries them again."""
        return int(results.failure_counts(self.workspace, self.record)["count"].sum())

    def report_data(self, profile: str | None = None, *, with_judgements: bool = True, items: bool = False) -> ReportData:
        """Everything a report of this run shows; without single judgements for displays of scores alone.

        items: with those of data whose licence does not let them be passed on.
        """
        shown: dict[str, Any] = {"profile": profile, "with_judgements": with_judgements, "show_items": items}
        return collect(self.workspace, [self.record], cost_of=cost_function(self.prices), **shown)

    def report(
        self, out: str | Path, formats: Sequence[str] = ("html", "md", "csv", "parquet"), *, items: bool = False
    ) -> list[Path]:
        """Write the report of this run into the folder ``out``; returns the files. items: as ``report_data`` has it."""
        from folkways.reports.formats.write import write_report  # brings a template engine that asking does not need

        return write_report(self.report_data(items=items), Path(out), tuple(formats))


def run(
    tasks: Sequence[str] | str | RunOptions,
    *,
    models: Sequence[str | DeployedModel | Endpoint] | str | DeployedModel | Endpoint,
    workspace: str | Path | Workspace = "folkways.db",
    profile: str | None = None,
    name: str | None = None,
    scoring: ScoringModels | None = None,
    asking: AskOptions | None = None,
    **options: Any,
) -> Run:
    """Ask ``models`` the questions of ``tasks``, store every response, score, and return the run.

    tasks:    names of tasks or benchmarks, or a RunOptions.
    models:   names such as ``openai/gpt-4o-mini``, ``http://localhost:8000/v1#llama``, ``hf/NAME``, ``replay:FILE``,
              ``baseline/random``, with settings of their own behind a question mark (``openai/gpt-5?reasoning_effort=low``);
              or endpoints of your own.
    scoring:  where scoring models run, and who watches; which ones are options of the run (scoring_models).
    asking:   how hard to try and what may be spent.
    options:  the fields of RunOptions (cultures, languages, variants, limit, samples, seed, system, settings, max_tokens, releases,
              ...) and of AskOptions (concurrency, attempts, max_errors, max_failed, timeout, budget, prices, ...) by name, where
              these are not given as records.

    The same call goes on where an earlier one stopped; what is stored is never asked again. Raises FolkwaysError for anything that
    the caller can put right. An interruption (Ctrl-C) ends it cleanly: see ``record.state``.
    """
    known = [entry.name for entry in fields(AskOptions)]
    asking = replace(asking or AskOptions(), **{key: options.pop(key) for key in known if key in options})
    chosen = _run_options(tasks, options)
    if asking.observer is None and in_notebook():
        asking = replace(asking, observer=NotebookProgress())
    wanted = list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]
    opened = open_models(wanted, EndpointOptions(timeout=asking.timeout, seed=chosen.seed))
    for task in expand_tasks(chosen.tasks):
        task.resolve_profile(profile)  # a name that cannot be scored is found out before anything is spent
    check_models(expand_tasks(chosen.tasks), chosen_models(chosen, scoring))
    if asking.budget is not None:
        parse_budget(asking.budget)  # before a workspace is made
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace)
    session = execute(database, chosen, opened, asking, name=name, profile=profile)
    if session.news or not scores_stand(database, session.run, profile, scoring):
        with turn_to_judge(database, session.run.id) as began:
            if began is None or not _judged_since(database, session, began, profile, scoring):
                score_run(database, session.run, profile, models=scoring, cluster=asking.cluster)
    run_records.mark_scored(database, session.run)
    record = run_records.find_run(database, str(session.run.id))
    ended = "finished" if session.run.state == "asked" else session.run.state
    return Run(database, replace(record, state=ended, reason=session.run.reason), asking.prices)


def _judged_since(database: Workspace, session: Session, began: float, profile: str | None, scoring: ScoringModels | None) -> bool:
    """Whether another process, which began at that moment, has judged all that this one knows."""
    if run_records.find_run(database, str(session.run.id)).state != "finished" or any(told.failed for told in session.progresses):
        return False
    return not results.told_since(database, session.run, began) and scores_stand(database, session.run, profile, scoring)


def plan_run(
    options: RunOptions,
    *,
    models: Sequence[str | DeployedModel],
    workspace: str | Path | Workspace = "folkways.db",
    name: str | None = None,
) -> tuple[Run, bool]:
    """Write down everything that a run of ``models`` expects, for workers to ask (folkways.runs.work); no key is needed.

    Returns the run, and whether it was planned before. Raises FolkwaysError for anything that the caller can put right.
    """
    if options.until is not None:
        raise FolkwaysError(
            "until draws questions by what earlier ones were worth, so that nothing can be planned ahead: folkways run"
        )
    opened = open_models(models, EndpointOptions(seed=options.seed), need_key=False)
    planned = plan_tasks(options)
    check_models(expand_tasks(options.tasks), chosen_models(options, None))
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace)
    absent = left_out(options, [plan.task.name for plan in planned])
    planned = of_generation(database, planned, opened, name, absent)
    record, before = begin(database, planned, opened, name, recipe_of(options, AskOptions(), None, planned, opened), absent)
    return Run(database, run_records.find_run(database, str(record.id))), before


def load_run(name: str = "last", workspace: str | Path | Workspace = "folkways.db", prices: Path | None = None) -> Run:
    """An earlier run by name or number, or the newest; UnknownNameError with the names there are."""
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace, create=False)
    return Run(database, run_records.find_asked_run(database, name), prices)


def item(name: str, workspace: str | Path | Workspace | None = "folkways.db", run: str | None = None) -> KnownItem:
    """One item (``blend/saq:KR/Al-en-01``) with its prompts, replies and judgements, of a run or from the data.

    workspace: None, or one that is not there, looks in the data alone. run: the name of one run; the newest that asked the item
    otherwise. UnknownNameError where there is no such item.
    """
    database = workspace if isinstance(workspace, Workspace) else None
    if isinstance(workspace, (str, Path)) and ("://" in str(workspace) or Path(workspace).exists()):
        database = open_workspace(workspace, create=False)
    return find_item(database, name, run)


def report_runs(
    names: Sequence[str],
    out: str | Path,
    *,
    workspace: str | Path | Workspace = "folkways.db",
    formats: Sequence[str] = ("html", "md", "csv", "parquet"),
    profile: str | None = None,
    title: str | None = None,
    prices: Path | None = None,
    items: bool = False,
) -> list[Path]:
    """Write one report of several runs of a workspace into the folder ``out``; returns the files.

    items: with those of data whose licence does not let them be passed on; such a report is for your own eyes.
    """
    from folkways.reports.formats.write import write_report

    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace, create=False)
    records = [run_records.find_asked_run(database, name) for name in names]
    # Not kept in a variable: what only the tables need is let go before anything is drawn.
    return write_report(
        collect(database, records, title=title, profile=profile, cost_of=cost_function(prices), show_items=items),
        Path(out),
        tuple(formats),
    )


def estimate_run(
    options: RunOptions,
    *,
    models: Sequence[str | DeployedModel],
    workspace: str | Path = "folkways.db",
    prices: Path | None = None,
    batch: bool = False,
) -> list[Estimate]:
    """What a run would take, per model and task. Nothing is sent, no key is needed, and no workspace is made.

    batch: at the price of requests in batches; FolkwaysError for a model that cannot be asked so.
    """
    price_of = price_function(prices)
    planned = plan_tasks(options)
    there = "://" in str(workspace) or Path(workspace).exists()
    database = open_workspace(workspace, create=False) if there else None
    opened = open_models(models, EndpointOptions(seed=options.seed), need_key=False)
    if batch:
        batches_of(opened)
    if database is not None:
        planned = of_generation(database, planned, opened, None, left_out(options, [plan.task.name for plan in planned]))
    known = {model.identity: price_of(model.endpoint) for model in opened}
    paid = {name: price.in_batch() if batch and price is not None else price for name, price in known.items()}
    return [estimate(plan, model, paid[model.identity], database) for model in opened for plan in planned]


def cost_function(prices: Path | str | None) -> Callable[[str, int, int, bool], float | None]:
    """Model name, tokens, and whether in batches, to US dollars, by the prices in use."""
    table = load_prices(prices)
    return lambda model, inputs, outputs, batched: cost(table, split_name(model)[0], inputs, outputs, batched=batched)


def _run_options(tasks: Sequence[str] | str | RunOptions, options: Mapping[str, Any]) -> RunOptions:
    """RunOptions from what people write in a notebook: ``cultures="KR"`` and ``cultures=["KR", "ET"]``."""
    known = {entry.name for entry in fields(RunOptions)} - {"tasks", "generation"}
    if unknown := sorted(options.keys() - known):
        raise UnknownNameError("option", unknown[0], known | {entry.name for entry in fields(AskOptions)})
    lists = {key: (value,) if isinstance(value, str) else value for key, value in options.items() if key in _LISTS}
    listed = {key: value if value is None else tuple(value) for key, value in lists.items()}
    if isinstance(tasks, RunOptions):
        return replace(tasks, **{**options, **listed})
    return RunOptions((tasks,) if isinstance(tasks, str) else tuple(tasks), **{**options, **listed})
