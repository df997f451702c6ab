"""folkways from Python: run, score, judge, compare and report, with frames as results. The command line is
built on this module."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.registry import is_name
from folkways.engine.budget import parse_budget
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.frames import is_frame, table_of_text
from folkways.records import SCORES, Frame
from folkways.reports.data import ReportData
from folkways.runs.execute import execute, score_session
from folkways.runs.executors import executor_of
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
from folkways.runs.options import AskOptions, Cluster, ReusedReplies
from folkways.runs.planning.recipe import Recipe, is_recipe
from folkways.runs.planning.tasks import make_plan
from folkways.runs.results.model_names import choose_models
from folkways.runs.scores.scoring import score_each, score_run
from folkways.runs.scores.scoring_models import ScoringModels, check_models, check_roles, chosen_models
from folkways.workspace import results, run_records
from folkways.workspace.database import WORKSPACE, Workspace, open_workspace, opened, opened_if_there

if TYPE_CHECKING:  # what one function alone needs is imported there: the start of a run waits for it
    from folkways.reports.formats.comparison_tables import Comparisons
    from folkways.runs.gate import Checks, GateKeywords, Required
    from folkways.runs.judging.external_responses import JudgedReplies
    from folkways.runs.results.compare import CompareKeywords
    from folkways.runs.results.items import KnownItem
    from folkways.runs.results.report import ReportKeywords


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
    """A run in a workspace. Its frames come from stored data; no method asks a model.

    workspace: the database it is in; record: its name, state and configuration; prices: a file of prices,
    None for the default ones; reused: for each model, the replies of earlier runs that it used; left_out:
    task that was named and not asked -> why.
    """

    workspace: Workspace
    record: run_records.RunRecord
    prices: Path | str | None = None
    reused: tuple[ReusedReplies, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.record.name

    def score(
        self,
        profile: str | None = None,
        text_tools: str | None = None,
        models: ScoringModels | None = None,
        tell: Callable[[str], object] = warnings.warn,
        cluster: Cluster | None = None,
        *,
        scoring_models: Mapping[str, str] | None = None,
    ) -> pl.DataFrame:
        """Judge and score again; returns records.SCORES.

        profile, text_tools, models: how to judge; None for each task's default. tell: called with a message
        about every metric that lacks its model; by default it warns. cluster: judge each task with a worker
        of its own. scoring_models: role (``embedding``, ``bert-zh``) -> folder or hub name of a model, as for
        ``run``.
        """
        models = _named_models(scoring_models, models)
        score_all = score_each if cluster is None else executor_of(cluster).score_all
        scored = score_run(self.workspace, self.record, profile, text_tools, models, score_all=score_all)
        for problem in scored.problems:
            tell(str(problem))
        return Scores(scored.scores)

    def scores(
        self, profile: str | None = None, *, task: str | None = None, model: str | None = None
    ) -> pl.DataFrame:
        """The stored scores (records.SCORES), optionally of one profile, task or model. UnknownNameError for
        a name that the run does not have."""
        stored = results.load_scores(self.workspace, self.record)
        if model is not None:
            endpoints = stored["endpoint"].unique(maintain_order=True)
            stored = stored.filter(pl.col("endpoint").is_in(choose_models([model], endpoints, self.name)))
        for column, name in (("profile", profile), ("task", task)):
            if name is not None and name not in (names := stored[column].unique().to_list()):
                raise UnknownNameError(f"{column} of run {self.name}", name, names)
            stored = stored if name is None else stored.filter(pl.col(column) == name)
        return Scores(stored)

    @property
    def tasks(self) -> list[str]:
        return list(self.record.config.get("tasks", []))

    @property
    def models(self) -> list[str]:
        """Names of its models, as the user wrote them."""
        return list(
            run_records.endpoint_names(self.workspace, self.record.config.get("endpoints", [])).values()
        )

    @property
    def signature(self) -> str:
        """How its scores were made: one line for each distinct signature."""
        return "\n".join(self.scores()["signature"].unique(maintain_order=True))

    def compare(self, *models: str | Run, **how: Any) -> Comparisons:
        """Compare the models of this run with ``folkways.compare``.

        models: names, for some of its models; runs, to compare with theirs; none, for all its models.
        """
        if models and all(isinstance(one, str) for one in models):
            return compare(*models, **{"runs": self, **how})
        return compare(self, *models, **how)

    def __len__(self) -> int:
        """The number of replies that it expects."""
        return sum(part.expected for part in results.parts(self.workspace, self.record))

    def judgements(self, profile: str | None = None) -> pl.DataFrame:
        """One row per expected item: records.JUDGEMENTS with endpoint, profile, question text, gold answer,
        response, metrics and facets."""
        from folkways.runs.results.judgements import judged_items

        return Frame(judged_items(self.workspace, self.record, profile))

    def _repr_html_(self) -> str:
        """The verdict, every model on every task with intervals, and the map; text alone if there are no
        scores yet."""
        from folkways.reports.formats.notebook import run_html
        from folkways.reports.views.views import ReportView

        return run_html(ReportView(self.report_data(with_judgements=False, with_verdict=True)))

    def __repr__(self) -> str:
        lines = [
            f"<Run {self.name} ({self.record.state}): {', '.join(self.tasks)} of {', '.join(self.models)}>"
        ]
        return "\n".join([*lines, *(one.text() for one in self.reused)])

    def responses(self) -> pl.DataFrame:
        """The replies, one row per expected item of all models and tasks: records.RESPONSES and
        ``endpoint``."""
        frames = [
            results.responses(self.workspace, self.record, part).with_columns(endpoint=pl.lit(part.endpoint))
            for part in results.parts(self.workspace, self.record)
        ]
        return Frame(pl.concat(frames))

    def failed(self) -> int:
        """The number of requests that failed in all attempts; running the same tasks and models tries them
        again."""
        return int(results.failure_counts(self.workspace, self.record)["count"].sum())

    def report_data(
        self,
        profile: str | None = None,
        *,
        with_judgements: bool = True,
        with_verdict: bool = False,
        items: bool = False,
    ) -> ReportData:
        """The data of a report of this run.

        profile: only this profile. with_judgements: False where only scores are shown. with_verdict: with
        what a verdict needs, also without judgements. items: include items whose licence forbids passing
        them on.
        """
        shown: dict[str, Any] = {
            "profile": profile,
            "with_judgements": with_judgements,
            "with_verdict": with_verdict,
        }
        return self._collected(**shown, show_items=items).with_responses()

    def _collected(self, **shown: Any) -> ReportData:
        from folkways.runs.results.report import collect

        return collect(self.workspace, [self.record], cost_of=cost_function(self.prices), **shown)

    def brief(self, profile: str | None = None) -> str:
        """The verdict in two or three sentences: which model for what, how sure that is, at what price, where
        it is weakest, and what the run cannot tell; as ``folkways report --brief`` prints it.

        profile: only this one, where several were scored.
        """
        from folkways.runs.results.report import verdict_on_runs

        return verdict_on_runs(
            [self.name], workspace=self.workspace, profile=profile, prices=self.prices
        ).text

    def report(
        self,
        out: str | Path,
        formats: Sequence[str] | str | None = None,
        *,
        items: bool = False,
        dispute: str | None = None,
    ) -> list[Path]:
        """Write the report of this run into the folder ``out``; returns the files.

        out, formats, items, dispute: as for ``report_runs``.

        Raises MissingExtraError for ``html`` without the extra ``report``, and FolkwaysError for an address
        that is none.
        """
        from folkways.runs.results.report import write_data

        return write_data(lambda: self._collected(show_items=items), out, formats, dispute)


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

    tasks: one or several names of tasks or benchmarks; a recipe (``study.toml``), whose values the arguments
        override; or a RunOptions.
    models: one or several names such as ``openai/gpt-4o-mini``, ``http://localhost:8000/v1#llama``,
        ``hf/NAME``, ``replay:FILE``, ``baseline/random``, with settings of their own after a question mark
        (``openai/gpt-5?reasoning_effort=low``); or Python objects that answer (``folkways.model``):
        functions, objects, clients, replies.
    workspace: where replies and scores are stored; it is created if it does not exist.
    profile: how to judge; by default each task's first profile.
    name: name of the run; by default a new one is made up.
    scoring: where scoring models run and what observes them; which models is an option (scoring_models).
    asking: retries, limits and budget.
    options: the fields of RunOptions (cultures, languages, variants, limit, samples, seed, system, settings,
        max_tokens, releases, afresh, ...) and AskOptions (concurrency, attempts, max_errors, max_failed,
        timeout, budget, prices, ...) by name. A list may be one string: ``cultures="KR,ET"``,
        ``settings="temperature=0"``.

    The same call continues where an earlier one stopped; stored replies are not asked for again unless
    ``afresh``. Raises FolkwaysError for errors that the caller can correct. An interruption (Ctrl-C) ends the
    run cleanly: see ``record.state``.
    """
    values: dict[str, Any] = dict(options)
    report_folder = None
    if is_recipe(tasks):
        recipe = Recipe.of(tasks)
        tasks, values, scoring, report_folder = (
            recipe.tasks,
            recipe.under(options),
            recipe.scoring(scoring),
            recipe.report,
        )
        models = recipe.models if _is_nothing(models) else models
        workspace = recipe.workspace if workspace == WORKSPACE and recipe.workspace is not None else workspace
        name, profile = name or recipe.name, profile or recipe.profile
    chosen, asking = options_of(tasks, values, asking)
    reports: list[ReusedReplies] = []
    asking = asking if asking.reused is not None else replace(asking, reused=reports.append)
    if asking.observer is None and in_notebook():
        asking = replace(asking, observer=NotebookProgress())
    endpoint_options = EndpointOptions(timeout=asking.timeout, seed=chosen.seed)
    # The nodes of a cluster have keys and packages of their own.
    opened = open_models(one_or_several(models), endpoint_options, need_key=asking.cluster is None)
    plan = make_plan(chosen, opened)
    for one in plan.tasks:
        one.task.resolve_profile(profile)  # fail on an unknown profile before anything is spent
    check_models([one.task for one in plan.tasks], chosen_models(chosen, scoring))
    if asking.budget is not None:
        parse_budget(asking.budget)  # before a workspace is made
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace)
    session = execute(database, plan, asking, name=name, profile=profile)
    score_all = score_each if asking.cluster is None else executor_of(asking.cluster).score_all
    score_session(database, session, profile, scoring, score_all)
    record = run_records.find_run(database, str(session.run.id))
    ended = "finished" if session.run.state == "asked" else session.run.state
    record = replace(record, state=ended, reason=session.run.reason)
    done = Run(database, record, asking.prices, tuple(reports), plan.absent)
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
    """Estimate the requests, tokens and US dollars of ``run``, one row per model and task. Nothing is sent.

    tasks, models, workspace and options: as for ``run``. prices: a file of prices. batch: with the prices of
    batches. With ``until`` the numbers are upper limits: ``run`` stops once the scores are precise enough.
    Columns: those of folkways.runs.planning.estimate.Estimate.
    """
    values: dict[str, Any] = dict(options)
    if is_recipe(tasks):
        recipe = Recipe.of(tasks)
        tasks, values = recipe.tasks, recipe.under(options)
        models = recipe.models if _is_nothing(models) else models
        workspace = recipe.workspace if workspace == WORKSPACE and recipe.workspace is not None else workspace
        prices, batch = prices or values.get("prices"), batch or values.get("batch", False)
        values = {key: value for key, value in values.items() if key in QuestionKeywords.__annotations__}
    chosen, _ = options_of(tasks, values)
    from folkways.runs.planning.estimate import estimate_run

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
    model: str | None = None,
    profile: str | None = None,
    text_tools: str | None = None,
    by_position: bool = False,
    scoring_models: Mapping[str, str] | None = None,
    scoring: ScoringModels | None = None,
) -> JudgedReplies:
    """Judge replies that were made elsewhere, as ``folkways judge`` does. Every item of the data is expected,
    or of the cultures that ``culture`` or the replies' column of that name say.

    task: name of a task, or a Task.
    replies: a file, which may be a log of Inspect; a polars or pandas frame with the columns item (or the
        release's own id) and response, and optionally language, variant and sample; or a dict, item -> reply.
    release: data to use instead of the task's default release.
    culture, language, variant: values for columns that the replies lack.
    model: of the replies' column ``model`` or ``endpoint``, where these are of several.
    profile, text_tools: how to judge; None for the task's default.
    scoring_models: role (``embedding``, ``bert-zh``) -> folder or hub name of a model, as for ``run``.
    scoring: where these run and what observes them.
    by_position: the rows are in the order of the release.

    Returns ``judgements``, one row for each expected item (``missing`` without a reply); ``scores``, with the
    fixed denominator of a run; and ``notes``. Raises DataError, with the row, for an unknown item.
    """
    from folkways.integrations.inspect.logs import replies_in
    from folkways.runs.judging.external_responses import FRAME, judge_file, judge_table, judge_with

    scoring = _named_models(scoring_models, scoring)
    equipped, data = judge_with(task, release, text_tools, scoring)
    for problem in equipped.problems:
        raise problem
    check_roles([equipped.task], scoring)
    how = {"culture": culture, "language": language, "variant": variant, "model": model, "profile": profile}
    if isinstance(replies, (str, Path)):
        judged = judge_file(
            equipped.task, data, Path(replies), read=replies_in, by_position=by_position, **how
        )
    else:
        table: object = replies
        if isinstance(replies, Mapping) and not is_frame(replies):
            table = {"item": list(replies), "response": list(replies.values())}
        judged = judge_table(equipped.task, data, table_of_text(table), FRAME, by_position=by_position, **how)
    missing = equipped.missing(judged.judgements["culture"].unique().to_list())
    return replace(judged, notes=(*judged.notes, *missing))


def _named_models(names: Mapping[str, str] | None, scoring: ScoringModels | None) -> ScoringModels:
    """``scoring`` with these names besides its own; FolkwaysError for anything but texts by role."""
    models = scoring or ScoringModels()
    if names is None:
        return models
    named = options_of("any", {"scoring_models": names})[0].scoring_models
    return replace(models, names={**models.names, **named})


def gate(
    run: str | Run = "last",
    *,
    min: Required = (),
    max_drop_vs: Required = (),
    models: str | Sequence[str] = (),
    workspace: str | Path | Workspace = WORKSPACE,
    **how: Unpack[GateKeywords],
) -> Checks:
    """Check the scores of a run against requirements, as ``folkways gate`` does; ``passed`` is the result.

    run: a Run, or the name or number of one in ``workspace``.
    min: scores that must be reached: ``{"blend/saq": 40, "blend/saq:ET": 30}`` or ``"blend/saq=40"``.
    max_drop_vs: points that a score may be below another run's: ``{"last-week": 2}``.
    models: only these models of the run.
    how: metric, profile, strict, coverage (percent of items that need a reply) and judged, as the command has
        them.
    """
    from folkways.runs.gate import GateKeywords, check_run

    check_names(how, {*GateKeywords.__annotations__}, {"min", "max_drop_vs", "models", "workspace"})
    name = run.name if isinstance(run, Run) else run
    return check_run(name, _place_of([run], workspace), minimums=min, drops=max_drop_vs, models=models, **how)


def compare(
    *models: str | Run,
    runs: Sequence[str | Run] | str | Run = (),
    workspace: str | Path | Workspace = WORKSPACE,
    **how: Unpack[CompareKeywords],
) -> Comparisons:
    """Compare two or more models on each task that all of them were asked, as ``folkways compare`` does.
    Nothing is asked or judged.

    models: names as in the run, or the part after the last slash; ``MODEL@RUN`` for the model of one run. A
        run, or its name, means all its models.
    runs: runs to look in; by default the newest of the workspace.
    how: tasks, metric, profile, by, tell: as for ``folkways.runs.results.compare.compare``.
    """
    from folkways.runs.results.compare import CompareKeywords
    from folkways.runs.results.compare import compare as compare_models

    check_names(how, {*CompareKeywords.__annotations__}, {"runs", "workspace"})
    places = [runs] if isinstance(runs, (str, Run)) else list(runs)
    database = opened(_place_of([*models, *places], workspace))
    existing = {record.name for record in run_records.list_runs(database)}
    names = [one for one in models if isinstance(one, str) and one not in existing]
    places += [one for one in models if isinstance(one, Run) or one in existing]
    run_names = [one.name if isinstance(one, Run) else str(one) for one in places]
    return compare_models(*names, runs=run_names, workspace=database, **how)


def report(
    runs: str | Run | Sequence[str | Run] = "last",
    out: str | Path = "report",
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    **how: Unpack[ReportKeywords],
) -> list[Path]:
    """Write one report of one or several runs into the folder ``out``, as ``folkways report`` does; returns
    the files.

    how: formats, profile, title, prices, items, dispute, as for ``report_runs``.
    """
    from folkways.runs.results.report import ReportKeywords, report_runs

    check_names(how, {*ReportKeywords.__annotations__}, {"workspace"})
    several = [runs] if isinstance(runs, (str, Run)) else list(runs)
    names = [one.name if isinstance(one, Run) else one for one in several]
    return report_runs(names, out, workspace=_place_of(several, workspace), **how)


def _place_of(runs: Sequence[str | Run], workspace: str | Path | Workspace) -> str | Path | Workspace:
    """The workspace of ``runs``: of those that are objects, or else ``workspace``. FolkwaysError for objects
    of several: a name in one may be another run in the other."""
    places = {one.workspace.place: one.workspace for one in runs if isinstance(one, Run)}
    if not places:
        return workspace
    if workspace != WORKSPACE:
        named = opened(workspace)
        places.setdefault(named.place, named)
    if len(places) > 1:
        raise FolkwaysError(
            f"one call reads one workspace, and these are {len(places)}: "
            f"{', '.join(one.location for one in places.values())}\n"
            "Ask all models in one, or export the runs (folkways export every-eval-ever) and give the files "
            "to folkways.compare_logs or folkways.report_logs"
        )
    return next(iter(places.values()))


def one_or_several(models: Any) -> list[Any]:
    """A list of models from one or several; a string may name several, separated by commas."""
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
    """An earlier run by name or number, or the newest; UnknownNameError with the valid names."""
    if isinstance(name, Run):
        return name
    database = opened(workspace)
    return Run(database, run_records.find_asked_run(database, str(name)), prices)


def item(
    name: str, workspace: str | Path | Workspace | None = WORKSPACE, run: str | None = None
) -> KnownItem:
    """One item (``blend/saq:KR/Al-en-01``) with its prompts, replies and judgements.

    workspace: None, or one that does not exist, for the item alone, from the data. run: the name of a run; by
    default the newest that asked the item. UnknownNameError if there is no such item.
    """
    from folkways.runs.results.items import find_item

    return find_item(None if workspace is None else opened_if_there(workspace), name, run)
