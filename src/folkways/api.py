"""folkways from Python: open a release, run, get frames. What the command line does, it does through this
module."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.registry import is_name
from folkways.engine.budget import parse_budget
from folkways.errors import UnknownNameError
from folkways.frames import is_frame, table_of_text
from folkways.records import SCORES, Frame
from folkways.reports.data import ReportData
from folkways.reports.formats.comparison_tables import Comparisons
from folkways.runs.execute import execute, score_session
from folkways.runs.executors import executor_of
from folkways.runs.gate import Checks, GateKeywords, Required, check_run
from folkways.runs.judging.external_responses import FRAME, JudgedReplies, judge_file, judge_table, judge_with
from folkways.runs.keywords import (
    ModelsLike,
    QuestionKeywords,
    RunKeywords,
    TableLike,
    TaskLike,
    TasksLike,
    check_names,
    options_of,
)
from folkways.runs.models import cost_function, open_models
from folkways.runs.notebook_progress import NotebookProgress, in_notebook
from folkways.runs.options import AskOptions, Cluster, Reused
from folkways.runs.planning.estimate import estimate_run
from folkways.runs.planning.recipe import Recipe, is_recipe
from folkways.runs.planning.tasks import make_plan
from folkways.runs.results.compare import compare as compare_models
from folkways.runs.results.items import KnownItem, find_item
from folkways.runs.results.judgements import judged_items
from folkways.runs.results.report import ReportKeywords, collect, report_runs
from folkways.runs.scores.scoring import score_each, score_run
from folkways.runs.scores.scoring_models import ScoringModels, check_models, chosen_models
from folkways.workspace import results, run_records
from folkways.workspace.database import WORKSPACE, Workspace, open_workspace, opened, opened_if_there


class Scores(Frame):
    """Scores as people get them: records.SCORES, which a notebook shows with names for codes."""

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        from folkways.reports.formats.notebook import scores_html

        return (
            scores_html(self)
            if set(SCORES) <= set(self.columns)
            else super()._repr_html_(_from_series=_from_series)
        )


@dataclass(frozen=True)
class Run:
    """A run in a workspace. Frames come from what is stored; no method asks a model.

    workspace: where it lives; record: its name, state and configuration; prices: a prices file for costs,
    None for the usual ones. reused: what it used of the replies of earlier runs, model by model, as it was
    found when it was asked. left_out: task that was named and not asked -> why.
    """

    workspace: Workspace
    record: run_records.RunRecord
    prices: Path | str | None = None
    reused: tuple[Reused, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

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
        """Judge and score again, in the task's default profile or another, with other text tools or models;
        records.SCORES.

        text_tools, models: in place of the run's. tell: gets what could not be computed without a model; a
        warning by default. cluster: where each task is judged by a worker of its own.
        """
        score_all = score_each if cluster is None else executor_of(cluster).score_all
        scored = score_run(self.workspace, self.record, profile, text_tools, models, score_all=score_all)
        for problem in scored.problems:
            tell(str(problem))
        return Scores(scored.scores)

    def scores(
        self, profile: str | None = None, *, task: str | None = None, model: str | None = None
    ) -> pl.DataFrame:
        """The stored scores (records.SCORES), of one profile, task or model, or of all of them.
        UnknownNameError for another."""
        stored = results.load_scores(self.workspace, self.record)
        for column, name in (("profile", profile), ("task", task), ("endpoint", model)):
            if name is not None and name not in (names := stored[column].unique().to_list()):
                raise UnknownNameError(f"{column} of run {self.name}", name, names)
            stored = stored if name is None else stored.filter(pl.col(column) == name)
        return Scores(stored)

    @property
    def tasks(self) -> list[str]:
        """Names of its tasks."""
        return list(self.record.config.get("tasks", []))

    @property
    def models(self) -> list[str]:
        """Names of its models, as they were written."""
        return list(
            run_records.endpoint_names(self.workspace, self.record.config.get("endpoints", [])).values()
        )

    @property
    def signature(self) -> str:
        """How its scores were made: one line for each task, profile and model that differs in it."""
        return "\n".join(self.scores()["signature"].unique(maintain_order=True))

    def compare(self, *models: str | Run, **how: Any) -> Comparisons:
        """Its models, those of them that are named, or it and other runs: ``folkways.compare``, in its
        workspace."""
        return compare(
            *(models if models and all(isinstance(one, str) for one in models) else (self, *models)), **how
        )

    def __len__(self) -> int:
        """How many replies it expects."""
        return sum(part.expected for part in results.parts(self.workspace, self.record))

    def judgements(self, profile: str | None = None) -> pl.DataFrame:
        """One row per expected item: records.JUDGEMENTS, endpoint, profile, question text, gold, response,
        metrics, facets."""
        return Frame(judged_items(self.workspace, self.record, profile))

    def _repr_html_(self) -> str:
        """The leading models of each task with intervals, and the map; in words only where it has no scores
        yet."""
        from folkways.reports.formats.notebook import run_html
        from folkways.reports.views.views import ReportView

        return run_html(ReportView(self.report_data(with_judgements=False)))

    def __repr__(self) -> str:
        lines = [
            f"<Run {self.name} ({self.record.state}): {', '.join(self.tasks)} of {', '.join(self.models)}>"
        ]
        return "\n".join([*lines, *(one.text() for one in self.reused)])

    def responses(self) -> pl.DataFrame:
        """What was said, one row per expected item, for all endpoints and tasks: records.RESPONSES and
        ``endpoint``."""
        frames = [
            results.responses(self.workspace, self.record, part).with_columns(endpoint=pl.lit(part.endpoint))
            for part in results.parts(self.workspace, self.record)
        ]
        return Frame(pl.concat(frames))

    def failed(self) -> int:
        """How many requests brought no reply after all their attempts; a run of the same tasks and models
        tries them again."""
        return int(results.failure_counts(self.workspace, self.record)["count"].sum())

    def report_data(
        self, profile: str | None = None, *, with_judgements: bool = True, items: bool = False
    ) -> ReportData:
        """Everything a report of this run shows; without single judgements for displays of scores alone.

        items: with those of data whose licence does not let them be passed on.
        """
        shown: dict[str, Any] = {"profile": profile, "with_judgements": with_judgements, "show_items": items}
        return collect(self.workspace, [self.record], cost_of=cost_function(self.prices), **shown)

    def report(
        self,
        out: str | Path,
        formats: Sequence[str] = ("html", "md", "csv", "parquet"),
        *,
        items: bool = False,
    ) -> list[Path]:
        """Write the report of this run into the folder ``out``; returns the files. items: as ``report_data``
        has it."""
        from folkways.reports.formats.write import (
            write_report,
        )  # brings a template engine that asking does not need

        return write_report(self.report_data(items=items), Path(out), tuple(formats))


def run(
    tasks: TasksLike,
    models: ModelsLike = (),
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    profile: str | None = None,
    name: str | None = None,
    scoring: ScoringModels | None = None,
    asking: AskOptions | None = None,
    **options: Unpack[RunKeywords],
) -> Run:
    """Ask ``models`` the questions of ``tasks``, store every response, score, and return the run.

    tasks:    names of tasks or benchmarks, one or several; a recipe (``study.toml``), whose values arguments
              override; or a RunOptions.
    models:   names such as ``openai/gpt-4o-mini``, ``http://localhost:8000/v1#llama``, ``hf/NAME``,
              ``replay:FILE``, ``baseline/random``, with their own settings after a question mark
              (``openai/gpt-5?reasoning_effort=low``); or anything in Python that answers
              (``folkways.model``): functions, objects, clients, replies. One or several.
    workspace: a path, a URL or an open workspace. profile: how replies are judged (default: the task's own).
    scoring:  where scoring models run, and who watches; which ones are options of the run (scoring_models).
    asking:   how hard to try and what may be spent.
    options:  the fields of RunOptions (cultures, languages, variants, limit, samples, seed, system, settings,
              max_tokens, releases, afresh, ...) and of AskOptions (concurrency, attempts, max_errors,
              max_failed, timeout, budget, prices, ...) by name, where these are not given as records. A list
              may be one text: ``cultures="KR,ET"``, ``settings="temperature=0"``.

    The same call goes on where an earlier one stopped; what is stored is not asked again, unless ``afresh``.
    Raises FolkwaysError for anything that the caller can put right. An interruption (Ctrl-C) ends it cleanly:
    see ``record.state``.
    """
    keywords: dict[str, Any] = dict(options)
    report_folder = None
    if is_recipe(tasks):
        recipe = Recipe.of(tasks)
        tasks, keywords, scoring, report_folder = (
            recipe.tasks,
            recipe.under(options),
            recipe.scoring(scoring),
            recipe.report,
        )
        models = recipe.models if _is_nothing(models) else models
        workspace = recipe.workspace if workspace == WORKSPACE and recipe.workspace is not None else workspace
        name, profile = name or recipe.name, profile or recipe.profile
    chosen, asking = options_of(tasks, keywords, asking)
    reused: list[Reused] = []
    asking = asking if asking.reused is not None else replace(asking, reused=reused.append)
    if asking.observer is None and in_notebook():
        asking = replace(asking, observer=NotebookProgress())
    opened_models = open_models(
        one_or_several(models), EndpointOptions(timeout=asking.timeout, seed=chosen.seed)
    )
    plan = make_plan(chosen, opened_models)
    for one in plan.tasks:
        one.task.resolve_profile(
            profile
        )  # a name that cannot be scored is found out before anything is spent
    check_models((one.task for one in plan.tasks), chosen_models(chosen, scoring))
    if asking.budget is not None:
        parse_budget(asking.budget)  # before a workspace is made
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace)
    session = execute(database, plan, asking, name=name, profile=profile)
    score_all = score_each if asking.cluster is None else executor_of(asking.cluster).score_all
    score_session(database, session, profile, scoring, score_all)
    record = run_records.find_run(database, str(session.run.id))
    ended = "finished" if session.run.state == "asked" else session.run.state
    record = replace(record, state=ended, reason=session.run.reason)
    done = Run(database, record, asking.prices, tuple(reused), plan.absent)
    if report_folder is not None:
        done.report(report_folder)
    return done


def estimate(
    tasks: TasksLike,
    models: ModelsLike = (),
    *,
    workspace: str | Path = WORKSPACE,
    prices: Path | None = None,
    batch: bool = False,
    **options: Unpack[QuestionKeywords],
) -> pl.DataFrame:
    """What ``run`` with the same arguments would take, one row per model and task: requests, tokens, US
    dollars. Nothing is sent.

    With ``until`` these are the most that ``run`` may ask: it stops where scores are known well enough.
    tasks, models, workspace: as in ``run``. prices: a file of prices in place of the usual ones. batch:
    whether batches are used where models have them. Columns: those of
    folkways.runs.planning.estimate.Estimate.
    """
    keywords: dict[str, Any] = dict(options)
    if is_recipe(tasks):
        recipe = Recipe.of(tasks)
        tasks, keywords = recipe.tasks, recipe.under(options)
        models = recipe.models if _is_nothing(models) else models
        workspace = recipe.workspace if workspace == WORKSPACE and recipe.workspace is not None else workspace
        prices, batch = prices or keywords.get("prices"), batch or keywords.get("batch", False)
        keywords = {key: value for key, value in keywords.items() if key in QuestionKeywords.__annotations__}
    chosen, _ = options_of(tasks, keywords)
    rows = estimate_run(
        chosen, models=one_or_several(models), workspace=workspace, prices=prices, batch=batch
    )
    return Frame(pl.DataFrame([asdict(row) for row in rows]))


def judge(
    task: TaskLike,
    replies: str
    | Path
    | Mapping[str, str]
    | Mapping[str, Sequence[Any]]
    | Sequence[Mapping[str, Any]]
    | TableLike,
    *,
    release: str | Path | None = None,
    culture: str | None = None,
    language: str | None = None,
    variant: str | None = None,
    profile: str | None = None,
    text_tools: str | None = None,
    by_position: bool = False,
    scoring: ScoringModels | None = None,
) -> JudgedReplies:
    """Judge replies that were made elsewhere, as ``folkways judge``: every item that the replies are about is
    expected.

    replies: a file; a frame of polars or pandas with the columns item (or the release's own id) and response,
    also language, variant and sample; or a dict, item -> reply. task: its name. culture, language, variant:
    what the replies do not say. profile, text_tools: how to judge; the defaults otherwise. scoring: where
    scoring models run. by_position: the rows are in the order of the release.

    Returns ``judgements``, one row for each expected item, in state ``missing`` without a reply; ``scores``,
    with the fixed denominator of a run; and ``notes``. Raises DataError with the row for an unknown item.
    """
    equipped, data = judge_with(task, release, text_tools, scoring)
    for problem in equipped.problems:
        raise problem
    how = {"culture": culture, "language": language, "variant": variant, "profile": profile}
    if isinstance(replies, (str, Path)):
        return judge_file(equipped.task, data, Path(replies), by_position=by_position, **how)  # type: ignore[arg-type]
    table: object = replies
    if isinstance(replies, Mapping) and not is_frame(replies):
        table = {"item": list(replies), "response": list(replies.values())}
    return judge_table(equipped.task, data, table_of_text(table), FRAME, by_position=by_position, **how)


def gate(
    run: str | Run = "last",
    *,
    min: Required = (),
    max_drop_vs: Required = (),
    models: str | Sequence[str] = (),
    workspace: str | Path | Workspace = WORKSPACE,
    **how: Unpack[GateKeywords],
) -> Checks:
    """Check the scores of a run against requirements, as ``folkways gate``; ``passed`` says whether it may go
    on.

    min: scores that must be reached: ``{"blend/saq": 40, "blend/saq:ET": 30}`` or ``"blend/saq=40"``.
    max_drop_vs: points that a score may be below that of another run: ``{"last-week": 2}``. models: of these
    alone. workspace: with the run. how: metric, profile, strict, coverage (percent of the items that need a
    reply) and judged, as the command has them.
    """
    check_names(how, {*GateKeywords.__annotations__}, {"min", "max_drop_vs", "models", "workspace"})
    name, where = (run.name, run.workspace) if isinstance(run, Run) else (run, workspace)
    return check_run(name, where, minimums=min, drops=max_drop_vs, models=models, **how)


def compare(
    *models: str | Run,
    runs: Sequence[str | Run] | str | Run = (),
    workspace: str | Path | Workspace = WORKSPACE,
    **how: Any,
) -> Comparisons:
    """Compare two models or more on each task that all of them were asked, as ``folkways compare``. Nothing
    is asked or judged.

    models: names as in the run, or the part after the last slash; ``MODEL@RUN`` for one run's. A run, or its
    name, selects all its models. runs: where to look; the newest run of the workspace if none is given. how:
    tasks, metric, profile, by, tell: as ``folkways.runs.results.compare.compare`` has them.
    """
    places = [runs] if isinstance(runs, (str, Run)) else list(runs)
    run_objects = [
        *(one for one in models if isinstance(one, Run)),
        *(one for one in places if isinstance(one, Run)),
    ]
    if run_objects and workspace == WORKSPACE:
        workspace = run_objects[0].workspace
    database = opened(workspace)
    run_names = {record.name for record in run_records.list_runs(database)}
    names = [one for one in models if isinstance(one, str) and one not in run_names]
    places += [one for one in models if isinstance(one, Run) or one in run_names]
    searched = [one.name if isinstance(one, Run) else str(one) for one in places]
    return compare_models(*names, runs=searched, workspace=database, **how)


def report(
    runs: str | Run | Sequence[str | Run] = "last",
    out: str | Path = "report",
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    **how: Unpack[ReportKeywords],
) -> list[Path]:
    """Write one report of one run or several into the folder ``out``, as ``folkways report``; returns the
    files.

    how: formats, profile, title, prices, items, as ``report_runs`` has them.
    """
    check_names(how, {*ReportKeywords.__annotations__}, {"workspace"})
    several = [runs] if isinstance(runs, (str, Run)) else list(runs)
    held = [one.workspace for one in several if isinstance(one, Run)]
    where = held[0] if held and workspace == WORKSPACE else workspace
    return report_runs(
        [one.name if isinstance(one, Run) else one for one in several], out, workspace=where, **how
    )


def one_or_several(models: Any) -> list[Any]:
    """A list of models from one or several; one text may name several, separated by commas."""
    if isinstance(models, str):
        parts = [part.strip() for part in models.split(",")]
        return parts if all(map(is_name, parts)) else [models]
    several = isinstance(models, (Sequence, set, frozenset)) and not is_frame(models)
    return list(models) if several else [models]


def _is_nothing(models: Any) -> bool:
    return isinstance(models, tuple) and not models


def load_run(
    name: str | int | Run = "last", workspace: str | Path | Workspace = WORKSPACE, prices: Path | None = None
) -> Run:
    """An earlier run by name or number, or the newest; UnknownNameError with the names there are."""
    if isinstance(name, Run):
        return name
    database = opened(workspace)
    return Run(database, run_records.find_asked_run(database, str(name)), prices)


def item(
    name: str, workspace: str | Path | Workspace | None = WORKSPACE, run: str | None = None
) -> KnownItem:
    """One item (``blend/saq:KR/Al-en-01``) with its prompts, replies and judgements, of a run or from the
    data.

    workspace: None, or one that is not there, looks in the data alone. run: the name of one run; the newest
    that asked the item otherwise. UnknownNameError for an unknown item.
    """
    return find_item(None if workspace is None else opened_if_there(workspace), name, run)
