"""The plan of a run: its tasks with their items and prompts, and how the workspace keeps all that it
expects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Any

import orjson
import polars as pl

from folkways import __version__
from folkways.benchmarks.base import PromptOptions, Task, needs_whole_questions, temperature_of
from folkways.benchmarks.contract import items_of, prompts_of
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.suites import TaskSettings
from folkways.benchmarks.treatments import Treatment, with_treatments
from folkways.cultures import select_cultures
from folkways.endpoints.base import LOGLIK, Endpoint, Settings
from folkways.endpoints.likelihood import ABLE
from folkways.engine import interrupts
from folkways.errors import FolkwaysError, option
from folkways.releases.once import KeptBatches
from folkways.releases.registry import get_record
from folkways.releases.release_records import OWN_FOLDER, Release
from folkways.runs.models import Model
from folkways.runs.options import RunOptions, settings_for
from folkways.workspace import run_records
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways.workspace.keys import prompt_hash, request_key, settings_json

POPULATIONS, REVISION = "populations", "revision"
"""Key of a sampled run's stored options: what its strata have in all, which the release tells and the user
did not choose."""

SLICE = 2000
"""Items whose prompts are made at a time, so that a run of any size needs little memory."""

TRANSACTION = 8000
"""Requests that are written down together: their keys are random, so each transaction rewrites most pages of
an index."""


@dataclass(frozen=True)
class TaskPlan:
    """One task of a run, with the release it reads and the options its prompts are made with.

    own: what of these options is this task's alone. populations: stratum -> all its units, of a sampled run.
    """

    task: Task
    release: Release
    options: RunOptions
    own: TaskSettings = field(default_factory=dict)
    populations: Mapping[str, int] | None = None
    _items: KeptBatches = field(default_factory=KeptBatches, repr=False, compare=False)

    def batches(self) -> Iterator[pl.DataFrame]:
        """The items that the run asks, in the release's order; the release is read once."""
        key = (self.options.cultures, self.options.limit, self.options.seed)
        return self._items.of(key, lambda: item_batches(self.task, self.release, self.options))

    @cached_property
    def prompt_options(self) -> PromptOptions:
        """The part of the options that prompts depend on."""
        chosen = self.options
        texts = chosen.texts_for(self.task.name)
        return PromptOptions(
            chosen.languages,
            chosen.variants,
            chosen.seed,
            texts,
            orders=chosen.permute_options,
            shots=chosen.shots,
        )

    @cached_property
    def treatments(self) -> tuple[Treatment, ...]:
        """What every prompt is also asked with."""
        return tuple(Treatment.of(name, entry) for name, entry in self.options.treatments.items())

    @cached_property
    def _cultures(self) -> tuple[str, ...]:
        """Those that a crossed arm may name: of the items that are asked."""
        if not any(treatment.crossed for treatment in self.treatments):
            return ()
        columns = (batch["culture"].drop_nulls().unique() for batch in self.batches())
        return tuple(sorted({code for column in columns for code in column}))

    def prompts_of(self, items: pl.DataFrame) -> pl.DataFrame:
        """The prompts of these items as they are sent (records.PROMPTS): with the run's system prompt and
        its treatments."""
        prompts = prompts_of(self.task, items, self.prompt_options, self.release)
        chosen = self.options
        return with_treatments(prompts, items, chosen.system, self.treatments, self._cultures, chosen.seed)

    def settings(self, model: Model) -> Settings:
        """The sampling settings of this task's requests to the model.

        FolkwaysError for a setting that the model cannot be given, and where likelihoods are wanted that it
        does not give.
        """
        settings = settings_for(self.options, self.task.max_tokens, model.settings, temperature_of(self.task))
        compared = {*(self.options.variants or ())} & {*getattr(self.task, "likelihood_variants", ())}
        if settings.read is None and compared:
            what = f"the variant {min(compared)} of {self.task.name} compares how likely texts are"
            raise FolkwaysError(f"{what}: add {option('read', LOGLIK)}, with models that tell it ({ABLE})")
        if (heeds := getattr(model.endpoint, "heeds", None)) is not None:
            return _heeded(settings, heeds, model, {**self.options.settings, **model.settings})
        if settings.read is not None and not getattr(model.endpoint, "reads_likelihoods", False):
            raise FolkwaysError(
                f"{model.name} tells no likelihoods (read={settings.read}); {ABLE} endpoints do"
            )
        return settings

    def prompts(self) -> Iterator[pl.DataFrame]:
        """The prompts, slice by slice; FolkwaysError if the options leave none."""
        empty = True
        for batch in self.batches():
            arms = 1 + sum(treatment.arms(len(self._cultures)) for treatment in self.treatments)
            for items in batch.iter_slices(max(1, SLICE // self.options.permute_options // arms)):
                prompts = self.prompts_of(items)
                if prompts.height:
                    empty = False
                    yield prompts
        if empty:
            raise FolkwaysError(
                f"{self.task.name}: no item is left for these options (cultures "
                f"{shown(self.options.cultures)}, languages {shown(self.options.languages)}, variants "
                f"{shown(self.options.variants)}, limit {self.options.limit or 'none'}); widen one of them"
            )


@dataclass(frozen=True)
class Plan:
    """What a run asks of which models: made once, and carried until the run is scored.

    options: as the user gave them; those of ``tasks`` are narrowed to what each task has. absent: name of a
    task that is left out -> why.
    """

    options: RunOptions
    tasks: tuple[TaskPlan, ...]
    models: tuple[Model, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)


def _heeded(settings: Settings, heeds: frozenset[str], model: Model, wanted: Mapping[str, Any]) -> Settings:
    """Those settings that the model gets; FolkwaysError for one that the user wants and it does not get."""
    if unheard := sorted(name for name, value in wanted.items() if value is not None and name not in heeds):
        raise FolkwaysError(
            f"{model.name} is not told the setting {unheard[0]}: give its function a parameter of that name, "
            "or leave the setting out and say it behind the names of the models that know it"
        )
    return replace(settings, **{entry.name: None for entry in fields(Settings) if entry.name not in heeds})


def item_batches(task: Task, release: Release, options: RunOptions) -> Iterator[pl.DataFrame]:
    """The items that a run with these options asks, in the release's order, in the task's batches."""
    batches = items_of(task, release)
    if options.cultures is None and options.limit is None:
        yield from batches
        return
    head = list(islice(batches, 2))
    over, whole = task.metrics[0].mean_over or "culture", needs_whole_questions(task)
    named = [batch.select({"item", "question", "culture", over}) for batch in (*head, *batches)]
    chosen = select_items(pl.concat(named), options, whole_questions=whole, over=over).select("item")
    for batch in head if len(named) < 2 else items_of(task, release):
        wanted = batch.join(chosen, on="item", how="semi", maintain_order="left")
        if wanted.height:
            yield wanted


def select_items(
    items: pl.DataFrame, options: RunOptions, *, whole_questions: bool = False, over: str = "culture"
) -> pl.DataFrame:
    """The items of the wanted cultures, at most ``options.limit`` questions: as many of each culture as can
    be, drawn by the seed.

    whole_questions: a question is drawn with all its items; otherwise each item is a question of its own.
    over: column whose values share the limit evenly.
    """
    if options.cultures is not None:
        available = items["culture"].unique(maintain_order=True).to_list()
        items = items.filter(pl.col("culture").is_in(select_cultures(options.cultures, available)))
    if options.limit is None:
        return items
    unit = ["culture", "question"] if whole_questions else ["item"]
    units = items.group_by(unit, maintain_order=True).agg(pl.col(over).first().alias("_over"))
    # A hash of our own, because a frame library's may change from version to version and the draw must not.
    names = ["/".join((str(options.seed), *key)) for key in units.select(unit).iter_rows()]
    lots = [blake2b(name.encode(), digest_size=8).hexdigest() for name in names]
    drawn = (
        units.with_columns(pl.Series("_lot", lots))
        .with_columns(pl.col("_lot").rank("ordinal").over("_over").alias("_turn"))
        .sort("_turn", "_lot")
        .head(options.limit)
    )
    return items.join(drawn, on=unit, how="semi", maintain_order="left")


def begin(
    workspace: Workspace, plan: Plan, name: str | None, recipe: Mapping[str, Any]
) -> tuple[run_records.RunRecord, bool]:
    """The run of this plan in the ``workspace``, with all it expects written down; the flag says whether it
    was begun earlier.

    name: of the run; None for a new one.
    recipe: what the user asked for, kept for those who repeat it; it decides nothing.
    Raises FolkwaysError for options that cannot be stored, or that leave a task no item.
    """
    tasks = [
        run_records.RunTask(
            one.task.name,
            one.release.name,
            str(one.release.root),
            one.release.fingerprint,
            stored_options(one),
        )
        for one in plan.tasks
    ]
    run, continued = run_records.begin_run(
        workspace, config_of(plan), tasks, __version__, name, run_records.RUN, _plain(recipe)
    )
    if run.state == "planning":
        try:
            if plan.options.until is None:  # otherwise what is drawn is written down round by round
                _write_tasks(workspace, run.id, plan)
        except WorkspaceError:
            raise
        except FolkwaysError:  # an unknown culture or template, noticed only now: nothing was asked
            run_records.forget_run(workspace, run)
            raise
        run = run_records.set_state(workspace, run, "planned")
    return run, continued


CHOICES = ("cultures", "languages", "variants")
"""Options that say what of a task is asked, in whatever order they name it."""


def _any_order(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(sorted({*names}))


def config_of(plan: Plan) -> dict[str, Any]:
    """Everything that decides what a run asks, as the workspace keeps it: two runs of one configuration are
    one."""
    options = asdict(plan.tasks[0].options)
    for several in CHOICES:
        options[several] = _any_order(
            [name for one in plan.tasks for name in getattr(one.options, several) or ()]
            if any(getattr(one.options, several) is not None for one in plan.tasks)
            else None
        )
    of_tasks = sorted({name for one in plan.tasks for name in one.own})
    undecided = {"tasks", "releases", "skip_missing", "afresh", *of_tasks}
    undecided |= {"shots"} if not options["shots"] else set()  # as in runs from before there was one
    undecided |= {"until", "strata"} if options["until"] is None else set()
    # as in runs from before there was one
    undecided |= {"generation"} if not options["generation"] else set()
    undecided |= {"treatments"} if not options["treatments"] else set()
    config = {
        "tasks": [one.task.name for one in plan.tasks],
        "fingerprints": {one.task.name: one.release.fingerprint for one in plan.tasks},
        "endpoints": [model.identity for model in plan.models],
        "options": {key: value for key, value in options.items() if key not in undecided},
        "version": __version__,
    }
    if of_tasks:
        config["of_tasks"] = {
            one.task.name: {
                name: _any_order(value) if name in CHOICES else value
                for name in of_tasks
                for value in [getattr(one.options, name)]
            }
            for one in plan.tasks
        }
    if plan.absent and plan.options.skip_missing:
        config["left_out"] = plan.absent
    return _plain(config)


def stored_options(plan: TaskPlan) -> dict[str, Any]:
    """What scoring needs to know later to pick the same items, and what the signature tells."""
    populations = {} if plan.populations is None else {POPULATIONS: dict(plan.populations)}
    revision = {REVISION: plan.release.record.revision}  # of a branch: the commit that was fetched
    return _plain({**asdict(plan.options), **populations, **revision})


def restore_options(stored: Mapping[str, Any]) -> RunOptions:
    """The options that ``stored_options`` wrote."""
    names = {entry.name for entry in fields(RunOptions)}  # an earlier version may have stored more
    options = {name: value for name, value in stored.items() if name in names}
    for name in ("cultures", "languages", "variants", "strata", "tasks"):
        if options.get(name) is not None:
            options[name] = tuple(options[name])
    return RunOptions(**options)


def stored_plan(run_task: run_records.RunTask) -> TaskPlan:
    """The plan of one task of a stored run; raises what ``release_of`` does."""
    options = restore_options(run_task.options)
    populations = run_task.options.get(POPULATIONS)
    return TaskPlan(get_task(run_task.task), release_of(run_task), options, populations=populations)


def stored_plans(workspace: Workspace, run: run_records.RunRecord, task: str | None = None) -> list[TaskPlan]:
    """The plans of the tasks of a stored run, or of one of them, in the order they were asked for."""
    run_tasks = run_records.run_tasks(workspace, run)
    return [stored_plan(run_task) for run_task in run_tasks if task in (None, run_task.task)]


def release_of(run_task: run_records.RunTask) -> Release:
    """The release that a task of a run was planned with: at its old place, or by name if it is not there any
    more. A folder may hold more than the release of its name does (another of the authors).

    Raises FolkwaysError where it is not on this disk, or its files have changed.
    """
    problem: FolkwaysError | None = None
    changed = False
    moved: Release | None = None
    in_folder = run_task.release.startswith(OWN_FOLDER)
    for name in (run_task.root,) if in_folder else (run_task.release, run_task.root):
        try:
            release = open_release(name, run_task.task.split("/", 1)[0])
        except FolkwaysError as error:
            problem = problem or error
            continue
        if release.fingerprint != run_task.fingerprint:
            changed = True
        elif str(release.root) == run_task.root:
            return release
        else:
            moved = moved or release
    if moved is not None:
        return moved
    if problem is not None and not changed:
        raise problem
    before = "fetch the old state again"
    with suppress(FolkwaysError):  # a folder's name, or a release that no package has any more
        record = None if in_folder else get_record(run_task.release)
        if record is not None and record.source == "package":
            before = f"they come with {record.repository}: install the version that planned the run"
        elif record is not None and not record.is_pinned:
            before += f" ({record.to_accept(revision=revision_of(run_task))})"
    raise FolkwaysError(
        f"the files of release {run_task.release} ({run_task.root}) have changed since the run was planned "
        f"(fingerprint {run_task.fingerprint}); {before}, or start a new run on the new data"
    )


def revision_of(run_task: run_records.RunTask) -> str:
    """The revision of the data that a task of a run was planned with; empty for a folder, and for runs of
    before it was stored."""
    return str(run_task.options.get(REVISION, ""))


def keyed_prompts(
    frame: pl.DataFrame, plan: TaskPlan, endpoint: Endpoint, settings: str
) -> Iterator[tuple[tuple[Any, ...], list[str]]]:
    """Each prompt of a ``frame`` as it is sent, and the identities of its requests, one per sample: what is
    planned and what is estimated.

    plan: of their task.
    endpoint: that is asked.
    settings: the sampling settings, as JSON. A prompt is (task, item, language, variant, system, user,
        choices, prompt_source, prompt_hash).
    """
    columns = ("task", "item", "language", "variant", "system", "user", "choices", "prompt_source")
    for task, item, language, variant, system, user, choices, source in frame.select(columns).iter_rows():
        digest = prompt_hash(system, user, choices)
        address = f"{task}\0{item}\0{language}\0{variant}" if endpoint.item_addressed else None
        parts = (endpoint.identity, digest, settings)
        keys = [
            request_key(*parts, sample, address, plan.options.generation)
            for sample in range(plan.options.samples)
        ]
        yield (task, item, language, variant, system, user, choices, source, digest), keys


def _write_tasks(workspace: Workspace, run_id: int, plan: Plan) -> None:
    ordinal = 0
    for model in plan.models:
        number = run_records.endpoint_id(workspace, model.identity, model.name)
        for one in plan.tasks:
            ordinal = write_prompts(workspace, run_id, ordinal, one, model, number, one.prompts())


def write_prompts(
    workspace: Workspace,
    run_id: int,
    ordinal: int,
    plan: TaskPlan,
    model: Model,
    endpoint_id: int,
    prompts: Iterable[pl.DataFrame],
) -> int:
    """Write down ``prompts`` of a task as expected of the ``model``, numbered after ``ordinal``; returns the
    last number.

    workspace, run_id: where. plan: of the task. endpoint_id: the model's number. A signal is acted on between
    two slices. FolkwaysError for a prompt without options where likelihoods are wanted.
    """
    endpoint = model.endpoint
    sent = plan.settings(model)
    settings = settings_json(sent)
    settings_id = run_records.settings_id(workspace, settings)
    texts: dict[str, tuple[Any, ...]] = {}
    expected: list[tuple[Any, ...]] = []

    def write() -> None:
        # In the order of the hashes, so that those of one page of the index come together.
        run_records.write_expected(workspace, [texts[digest] for digest in sorted(texts)], expected)
        texts.clear()
        expected.clear()

    for frame in prompts:
        interrupts.check()
        for row, keys in keyed_prompts(frame, plan, endpoint, settings):
            task, item, language, variant, system, user, choices, source, digest = row
            if choices is None and sent.read is not None:
                raise FolkwaysError(
                    f"{task} has no options to choose among; leave it out where read={sent.read}"
                )
            if digest not in texts:
                labels = orjson.dumps(choices).decode() if choices is not None else None
                texts[digest] = (digest, system, user, labels)
            identity = (endpoint_id, task, item, language, variant)
            how = (digest, source, settings_id)
            for sample, key in enumerate(keys):
                ordinal += 1
                expected.append((run_id, ordinal, *identity, sample, key, *how))
        if len(expected) >= TRANSACTION:
            write()
    write()
    return ordinal


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = orjson.loads(orjson.dumps(value))
    except TypeError as error:
        raise FolkwaysError(
            f"an option cannot be stored: {error}; give text in UTF-8 and whole numbers of 64 bits"
        ) from None
    return plain


def shown(values: tuple[str, ...] | None) -> str:
    """A choice as errors tell it."""
    return ",".join(values) if values is not None else "as the task has them"
