"""Results of a benchmark: pure functions from data, or from the judgements of runs, to tables.

Commands and reports loop over the results that each benchmark declares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.cultures import name_of_code
from folkways.display import named
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.plugins import OURS, error_text
from folkways.records import (
    BASELINE_PREFIX,
    JUDGEMENTS,
    LOST,
    Metric,
    ModelCard,
    Schema,
    chosen_rows,
    empty,
    headline_of,
    plain,
)
from folkways.releases.release_records import Release

JUDGED: Schema = {**JUDGEMENTS, "endpoint": pl.String, "profile": pl.String}
"""Columns that judgements of runs have at least."""

LEAST_COVERAGE = 0.9
"""Share of the expected rows of a model, in every culture and language, that needs a reply before analyses
use the model. Where the whole task has it, a single lost reply leaves no group out that has another.

Below it, the missing questions may be of another kind, and a difference between groups may come from what
is missing.
"""

EACH_MODEL_ONCE = (
    "Models are here in several conditions: a mean over models counts each model once, as the mean over its "
    "conditions."
)
"""What is said where they are (``Inputs.each_model_once``)."""

GROUP = ("endpoint", "culture", "language")
"""The groups whose coverage is checked."""

ASKING = ("task", "profile", "endpoint", "question", "language", "variant", "sample")
"""The common columns of the rows that make up one question of a task in ``whole_questions``."""


@dataclass(frozen=True)
class DataNeed:
    """Data that results are made from, and the option of ``folkways tables`` that names others.

    name: of the option, without dashes.
    about: its help.
    default: releases that are used unless others are named, as far as they are on this disk.
    several: whether several can be named.
    file: whether it is a file in place of releases; without a default.
    """

    name: str
    about: str
    default: tuple[str, ...] = ()
    several: bool = False
    file: bool = False


@dataclass(frozen=True)
class Inputs:
    """What results are made from.

    judged: records.JUDGEMENTS with ``endpoint``, ``profile``, facets and metrics, of any endpoints, tasks and
        profiles; plain, or compact as by ``records.compact``.
    metrics: task -> its metrics; the first that was measured is the headline.
    releases: task -> the data that were used.
    cards: endpoint -> what is known about the model apart from its scores, for the models with a card.
    whole_questions: the tasks in which several rows make up a question, which counts only if all of them have
        a reply.
    facets: task -> the columns that its scores are grouped by, besides culture, language and variant.
    free_answers: the tasks with free answers, whose replies can be compared with one another.
    data: name of a DataNeed -> releases.
    files: name of a DataNeed -> file.
    profile, tool_set: how answers of people are judged and words lemmatised, for results of the data.
    models: endpoint -> the model, where a model is here in several conditions, each with an endpoint's name.
    treated: all judgements of runs with treatments, their controls too, with ``LENGTH``; ``judged`` has the
        controls alone.
    """

    judged: pl.DataFrame = field(default_factory=lambda: empty(JUDGED))
    metrics: Mapping[str, tuple[Metric, ...]] = field(default_factory=dict)
    releases: Mapping[str, Release] = field(default_factory=dict)
    cards: Mapping[str, ModelCard] = field(default_factory=dict)
    whole_questions: frozenset[str] = frozenset()
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    free_answers: frozenset[str] = frozenset()
    data: Mapping[str, tuple[Release, ...]] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    profile: str = "paper"
    tool_set: str = "default"
    models: Mapping[str, str] = field(default_factory=dict)
    treated: pl.DataFrame = field(default_factory=lambda: empty(JUDGED))

    def each_model_once(self, rows: pl.DataFrame, keys: Sequence[str], *values: pl.Expr) -> pl.DataFrame:
        """What a mean over models is made of: rows in which each model counts once, however many conditions
        it is here in. A model's value is the mean over its conditions.

        rows: ``endpoint``, the keys and the columns of ``values``. keys: what tells rows of an endpoint
        apart. values: expressions over a model's conditions.
        """
        if self.models.keys().isdisjoint(rows["endpoint"].unique()):
            return rows
        of_models = rows.with_columns(pl.col("endpoint").replace(self.models))
        return of_models.group_by("endpoint", *keys, maintain_order=True).agg(*values)

    def count_models(self, endpoints: Iterable[str]) -> int:
        """How many models these endpoints are."""
        return len({self.models.get(name, name) for name in endpoints})

    def data_of(self, need: DataNeed) -> tuple[Release, ...]:
        """The releases that a result needs. Raises NotAvailableError, which says what to fetch, if there is
        none."""
        releases = self.data.get(need.name, ())
        if not releases:
            raise NotAvailableError(
                "needs data that are not on this disk; fetch them: folkways data fetch "
                f"{' '.join(need.default)}"
                if need.default
                else f"needs data; name them with --{need.name}"
            )
        return releases

    @property
    def asked(self) -> set[str]:
        """The tasks with any judgements, whether or not these are enough."""
        return set(self.judged["task"].unique())

    @property
    def tasks(self) -> set[str]:
        """The tasks with judgements that an analysis can use."""
        return set(self.judged["task"].filter(self._usable).unique())

    @property
    def judgements(self) -> pl.DataFrame:
        """The judgements that results may use: counted, with a reply, of models that replied to enough;
        without baselines.

        A refused or unreadable reply is a reply, and counts as the benchmark's rule has it. A failed or
        missing one says nothing of the model and is left out. If too much of a group is missing
        (LEAST_COVERAGE), the model is left out of that task.
        """
        # Column by column: as categories and as text at once, a million rows would be in memory twice.
        return pl.DataFrame(
            [plain(self.judged.select(name).filter(self._usable)).to_series() for name in self.judged.columns]
        )

    @cached_property
    def _usable(self) -> pl.Series:
        """Of each row of ``judged``, whether results may use it. There may be millions of rows: none is
        copied."""
        thin = [
            (pl.col("task") == task) & (pl.col("endpoint") == endpoint)
            for task, endpoint in self._thin.select("task", "endpoint").rows()
        ]
        return self.judged.select(
            self._of_model & ~self._lost & ~pl.any_horizontal(pl.lit(False), *thin)
        ).to_series()

    @cached_property
    def _lost(self) -> pl.Series:
        """Of each row of ``judged``, whether it says nothing of the model."""
        lost = pl.col("state").is_in(LOST)
        if self.asked & self.whole_questions:
            lost |= pl.col("task").is_in(self.whole_questions) & (lost & self._of_model).any().over(ASKING)
        return self.judged.select(lost).to_series()

    @property
    def _of_model(self) -> pl.Expr:
        """Whether a judgement counts and belongs to a model."""
        return pl.col("counted") & ~pl.col("endpoint").cast(pl.String).str.starts_with(BASELINE_PREFIX)

    @cached_property
    def _coverage(self) -> pl.DataFrame:
        """How many counted judgements of models were expected, how many of them got a reply, and how many
        replies were lost, which may take other rows of a question with them, by task, profile and GROUP."""
        rows = self.judged.select(
            "task",
            "profile",
            *GROUP,
            counted=self._of_model,
            replied=~self._lost,
            lost=pl.col("state").is_in(LOST),
        ).filter("counted")
        groups = rows.group_by("task", "profile", *GROUP, maintain_order=True)
        return plain(groups.agg(pl.col("replied", "lost").sum(), expected=pl.len()))

    @property
    def asked_about(self) -> pl.DataFrame:
        """task, endpoint, culture and language of the judgements of models, one row of each combination."""
        return self._coverage.select("task", *GROUP).unique(maintain_order=True)

    @cached_property
    def _thin(self) -> pl.DataFrame:
        """task, endpoint and the group with the least coverage, with its expected rows and replies, of models
        that are left out; ``lost`` is null where not a group but all of them have too few."""
        share, of_model = pl.col("replied") / pl.col("expected"), ["task", "endpoint"]
        by_chance = (pl.col("lost") < 2) & (pl.col("replied") > 0)
        groups = self._coverage.filter(share < LEAST_COVERAGE, ~by_chance)
        whole = self._coverage.group_by(of_model, maintain_order=True).agg(
            pl.col("replied", "expected").sum()
        )
        parts = [groups, whole.filter(share < LEAST_COVERAGE)]
        every = pl.concat(parts, how="diagonal").sort(
            pl.col("lost").is_null(), share, "culture", "language", maintain_order=True
        )
        return every.unique(of_model, keep="first", maintain_order=True)

    def left_out(self, tasks: Sequence[str]) -> list[str]:
        """Sentences on each model that is left out of these tasks, whole or in part: which and why."""
        return [*self.too_few(tasks), *self._without_reply(tasks)]

    def too_few(self, tasks: Sequence[str]) -> Iterator[str]:
        """One or two sentences for each model that is left out of any of these tasks: a note of a table is of
        as many tasks as there are, and has to fit a page."""
        silent = self._coverage.group_by("task", "endpoint").agg(pl.col("replied").sum() == 0)
        thin = self._thin.join(silent, on=["task", "endpoint"], suffix="_none", maintain_order="left")
        order = {task: number for number, task in enumerate(tasks)}
        for (endpoint,), rows in thin.group_by("endpoint", maintain_order=True):
            of_tasks = [row for row in rows.iter_rows(named=True) if row["task"] in order]
            of_tasks.sort(key=lambda row: order[row["task"]])
            if without := [row["task"] for row in of_tasks if row["replied_none"]]:
                yield f"{endpoint} is left out of {named(without)}: no reply came."
            if few := [_too_few(row) for row in of_tasks if not row["replied_none"]]:
                yield (
                    f"{endpoint} is left out of {named(few, 'and of', '; of ')}, and an analysis needs "
                    f"{100 * LEAST_COVERAGE:.0f} %, and in every culture and language as much or all but "
                    "one row."
                )

    def _without_reply(self, tasks: Sequence[str]) -> Iterator[str]:
        """One sentence for each model whose rows of these tasks are used, but not all."""
        groups = self._coverage.join(self._thin, on=["task", "endpoint"], how="anti", maintain_order="left")
        counts = groups.group_by("endpoint", "task", "profile", maintain_order=True).agg(
            pl.col("expected", "replied").sum()
        )
        first = counts.unique(["endpoint", "task"], keep="first", maintain_order=True)
        partly = first.filter(pl.col("task").is_in(tasks), pl.col("replied") < pl.col("expected"))
        for (endpoint,), rows in partly.group_by("endpoint", maintain_order=True):
            lost = [
                f"{row['expected'] - row['replied']:,} of {row['expected']:,} rows of {row['task']}"
                for row in rows.iter_rows(named=True)
            ]
            yield f"{endpoint}: {named(lost)} have no reply and are left out."

    def lacking(self, task: str) -> NotAvailableError:
        """Why nothing of a task can be analysed, and what to do."""
        too_few = list(self.too_few([task]))
        if too_few:
            return NotAvailableError(
                f"{' '.join(too_few)} Ask what is missing with the command that began the run"
            )
        if task in self.asked:
            return NotAvailableError(f"needs judgements of a model on {task}, not of baselines alone")
        return NotAvailableError(f"needs judgements of {task}; run it: folkways run {task} --model NAME")

    def of(
        self, task: str, profile: str | None = None, columns: Sequence[str] = (), endpoint: str | None = None
    ) -> pl.DataFrame:
        """The judgements of a task in one profile (by default the first that was judged), without empty
        columns.

        columns: only these, where there may be a million rows; their texts may come as categories.
        endpoint: only this model's, where it has any.

        Raises NotAvailableError if there are none.
        """
        usable = self._in_profile(task, profile)
        rows = self.judged.select(name for name in self.judged.columns if name in columns or not columns)
        if endpoint is not None:
            usable &= self.judged["endpoint"] == endpoint
        rows = chosen_rows(rows, usable)
        judged = rows.with_columns(cs.by_dtype(pl.UInt8).cast(pl.Float64)) if columns else plain(rows)
        return judged.select(
            column for column in judged if column.null_count() < judged.height or column.name in JUDGEMENTS
        )

    def headline(self, task: str) -> Metric:
        """``records.headline_of`` the task's metrics, in the first profile that was judged.

        Raises NotAvailableError where nothing was judged.
        """
        usable, metrics = self._in_profile(task, None), self.metrics[task]
        columns = (self.judged[metric.name] for metric in metrics if metric.name in self.judged.columns)
        return headline_of(metrics, {each.name for each in columns if each.filter(usable).count()})

    def _in_profile(self, task: str, profile: str | None) -> pl.Series:
        """Which judgements are of the task, usable, and in the profile (None: the first judged one)."""
        usable = self._usable & (self.judged["task"] == task)
        profiles = self.judged["profile"].filter(usable)
        if profiles.is_empty():
            raise self.lacking(task)
        chosen = profile if profile is not None else str(profiles[0])
        in_profile = usable & (self.judged["profile"] == chosen)
        if not in_profile.any():
            raise NotAvailableError(
                f"needs {task} judged in the profile {chosen}: folkways score RUN --profile {chosen}"
            )
        return in_profile


NO_INPUTS = Inputs()
"""Those of tables that are made of a paper's own scores."""


def _too_few(row: Mapping[str, Any]) -> str:
    """A task and how few of its rows got a reply, in the group with the least coverage or in all."""
    group = f"in {name_of_code(row['culture'])} ({name_of_code(row['language'])}) "
    where = "" if row["lost"] is None else group
    share = int(100 * row["replied"] / row["expected"])
    return f"{row['task']}: {where}{row['replied']:,} of {row['expected']:,} rows got a reply ({share} %)"


@dataclass(frozen=True)
class Result:
    """One result of a benchmark: tables of its data, or what its paper asks of scores.

    name: of the result, as users write it (``regional-bias``); unique within the benchmark.
    title: for people; ``heading`` adds the source.
    make: its tables; raises NotAvailableError, with what is lacking, if the inputs do not allow it.
    source: where the paper has it ("Table 4", "section 5.1"); empty if it does not.
    about: the question that it answers, in one sentence.
    tasks: those whose judgements it needs; it is offered if there are some of any of them. Empty for a result
        of the data.
    needs: data that it needs besides judgements, or instead.
    tables: names of its tables, if it makes several that can be requested one by one.
    aliases: further name -> name of the result, or of one of its tables ("8": the number of a table in the
        paper).
    without_run: whether it can also be made from the paper's own scores.
    if_named: whether it is made only when it is requested by name.
    across_benchmarks: whether it covers several benchmarks and belongs to no paper.
    fits: for a result of any benchmark, which names no tasks: whether these inputs call for it; it is made of
        others only if it is requested by name.
    """

    name: str
    title: str
    make: Callable[[Inputs], Sequence[Table]]
    source: str = ""
    about: str = ""
    tasks: tuple[str, ...] = ()
    needs: tuple[DataNeed, ...] = ()
    tables: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    without_run: bool = False
    if_named: bool = False
    across_benchmarks: bool = False
    fits: Callable[[Inputs], bool] = lambda inputs: bool(inputs.asked)

    @property
    def heading(self) -> str:
        """The title with its place in the paper."""
        return f"{self.title} ({self.source})" if self.source else self.title

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its tables, in the order in which they are shown."""
        return self.tables or (self.name,)


@dataclass(frozen=True)
class ResultTables:
    """A result and the tables it gave."""

    result: Result
    tables: Sequence[Table]


def make_results(results: Sequence[Result], inputs: Inputs) -> tuple[list[ResultTables], dict[str, str]]:
    """Every result that these inputs allow with its tables, and name -> why it was left out for the others.

    The notes of each table name the models, or their rows, that are left out.
    """
    made: list[ResultTables] = []
    left_out: dict[str, str] = {}
    for result in results:
        judged_tasks = [task for task in result.tasks if task in inputs.asked]
        try:
            if (
                result.tasks
                and not inputs.tasks.intersection(judged_tasks)
                and (inputs.asked or not result.without_run)
            ):
                raise inputs.lacking((judged_tasks or result.tasks)[0])
            notes = inputs.left_out(judged_tasks)
            tables = [replace(table, notes=(*table.notes, *notes)) for table in result.make(inputs)]
            made.append(ResultTables(result, tables))
        except NotAvailableError as reason:
            unsaid = [
                task
                for task in judged_tasks
                if not any(sentence in str(reason) for sentence in inputs.too_few([task]))
            ]
            others = [sentence.rstrip(".") for sentence in inputs.too_few(unsaid)]
            # a command at its end stays one
            left_out[result.name] = ". ".join([str(reason).rstrip("."), *others])
        except FolkwaysError:
            raise
        except Exception as error:
            module = str(getattr(result.make, "__module__", ""))
            if module.partition(".")[0] == OURS:
                raise
            # the other results of a report stay
            left_out[result.name] = f"its code failed: {error_text(error, module)}"
    return made, left_out


def make_tables(
    results: Sequence[Result], names: Sequence[str], inputs: Inputs
) -> tuple[list[Table], dict[str, str]]:
    """The tables of these names, in their order, and name -> why it was left out for those that the inputs do
    not allow.

    names: of results, of their tables, or aliases. A result is made once, however often it is named.

    Raises UnknownNameError for any other name.
    """
    members = {result.name: (result, result.names) for result in results}
    members |= {table: (result, (table,)) for result in results for table in result.tables}
    members |= {alias: members[name] for result in results for alias, name in result.aliases.items()}
    if unknown := [name for name in names if name not in members]:
        raise UnknownNameError("table", unknown[0], members)
    wanted = {members[name][0].name: members[name][0] for name in names}
    made, left_out = make_results(list(wanted.values()), inputs)
    tables_of = {one.result.name: one.tables for one in made}
    chosen: list[Table] = []
    reasons: dict[str, str] = {}
    for name in names:
        result, tables = members[name]
        if result.name in left_out:
            reasons[name] = left_out[result.name]
        chosen += [
            table for table in tables_of.get(result.name, ()) if not result.tables or table.name in tables
        ]
    return chosen, reasons
