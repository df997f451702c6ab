"""A stored run for export: its tasks, models and scores, and which items their licences allow to pass on."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from typing import Any

import polars as pl

from folkways.benchmarks.base import ShownOptions, Task
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError
from folkways.records import Metric, Signature, is_baseline
from folkways.releases.layout import UNKNOWN_LICENCE
from folkways.releases.registry import get_record
from folkways.releases.release_records import OWN_FOLDER, ReleaseRecord
from folkways.runs.planning.plan import item_batches, release_of, restore_options, revision_of
from folkways.runs.results.completeness import lacking
from folkways.runs.results.model_names import ModelIdentity, model_names, stored_model
from folkways.runs.scores.scoring import stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """What an item asks, and what is right.

    gold: the accepted answers as a person would read them. answers: each accepted wording by itself, the most
    frequent answer first. options: those that the question lists.
    """

    text: str
    gold: str
    answers: tuple[str, ...]
    options: ShownOptions

    @property
    def right(self) -> list[str] | str:
        """What is right, as logs of Inspect have it."""
        return list(self.answers) or self.gold


def item_texts(task: Task, row: Mapping[str, Any]) -> ItemTexts:
    """The texts of a row of ``task.items``."""
    options, gold = task.options_of(row), row["gold"] or ""
    if options.right is not None:
        answers: tuple[str, ...] = (options.texts[options.right],)
    else:
        wordings = dict.fromkeys(chain.from_iterable(task.accepted_answers(row)))
        answers = tuple(wordings) or ((gold,) if gold else ())
    return ItemTexts(row["text"] or "", gold, answers, options)


@dataclass(frozen=True)
class StoredRun:
    """A run that has been scored.

    profile:          only this profile of each task; None for all that were scored.
    unlicensed_items: whether the user may pass on items of data whose licence folkways does not know.
    """

    workspace: Workspace
    run: run_records.RunRecord
    profile: str | None
    unlicensed_items: bool

    @cached_property
    def tasks(self) -> Mapping[str, run_records.RunTask]:
        """Name -> task, as planned."""
        return {run_task.task: run_task for run_task in run_records.run_tasks(self.workspace, self.run)}

    @cached_property
    def parts(self) -> list[results.Part]:
        """The parts of the run, one for each endpoint and task, in the order of asking."""
        return results.parts(self.workspace, self.run)

    @cached_property
    def models(self) -> Mapping[str, ModelIdentity]:
        """Endpoint -> its model, without baselines."""
        return {
            part.endpoint: stored_model(part.endpoint)
            for part in self.parts
            if not is_baseline(part.endpoint)
        }

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Endpoint -> its name in the files, unique and without an address; baselines too."""
        return model_names(dict.fromkeys(part.endpoint for part in self.parts))

    @property
    def began(self) -> str:
        """When the run began: ISO 8601 in UTC, to the second."""
        return datetime.fromtimestamp(self.run.created, UTC).isoformat(timespec="seconds")

    @cached_property
    def scores(self) -> pl.DataFrame:
        """records.SCORES of the endpoints, in the chosen profile. FolkwaysError if the run has not been
        scored."""
        return self.of_profile(stored_scores(self.workspace, self.run))

    def of_profile(self, scores: pl.DataFrame) -> pl.DataFrame:
        """The rows of the chosen profile."""
        if self.profile is None:
            return scores
        wanted = {name: get_task(name).resolve_profile(self.profile) for name in self.tasks}
        return scores.filter(
            pl.col("profile") == pl.col("task").replace_strict(wanted, default=None, return_dtype=pl.String)
        )

    def record(self, task: str) -> ReleaseRecord:
        """The record of a task's release, at the revision that was asked; for a folder, one with an unknown
        licence."""
        name = self.tasks[task].release
        if not name.startswith(OWN_FOLDER):
            record = get_record(name)
            return replace(record, revision=revision_of(self.tasks[task]) or record.revision)
        usual = get_record(get_task(task).release)
        return replace(
            usual, name=name, revision="", source="folder", licence=UNKNOWN_LICENCE, items_may_leave=None
        )

    def why_items_stay(self, task: str) -> str | None:
        """Why the items of a task may not be passed on; None if they may."""
        record = self.record(task)
        if self.unlicensed_items if record.items_may_leave is None else record.items_may_leave:
            return None
        if record.items_may_leave is None:
            return "folkways does not know its licence; with --items you say that you may pass its items on"
        return record.kept

    def texts(self, task: str) -> Mapping[str, ItemTexts]:
        """Item -> its texts, for the items that the run asked."""
        run_task, definition = self.tasks[task], get_task(task)
        batches = item_batches(definition, release_of(run_task), restore_options(run_task.options))
        return {
            row["item"]: item_texts(definition, row)
            for frame in batches
            for row in frame.iter_rows(named=True)
        }

    @cached_property
    def _lacking(self) -> dict[str, list[str]]:
        """Cache of ``part_of_whole``."""
        return {}

    def part_of_whole(self, task: str) -> list[str]:
        """Phrases that say which part of the task's default rows the run did not ask; empty if it asked
        all."""
        if task not in self._lacking:
            self._lacking[task] = lacking(self.workspace, self.run, self.tasks[task])
        return list(self._lacking[task])

    @property
    def recipe(self) -> Mapping[str, Any] | None:
        """What decides what is asked, by the keys of a recipe, with the models' public names and no path of
        this machine; None for a run that has no recipe."""
        recipe = self.run.recipe
        if recipe is None:
            return None
        releases = {
            run_task.task.split("/")[0]: run_task.release.replace(OWN_FOLDER, "./")
            for run_task in self.tasks.values()
        }
        options = {name: recipe[name] for name in REPEATED if name in recipe}
        return {"tasks": recipe["tasks"], "models": [*self.names.values()], **options, "releases": releases}

    def command(self, endpoint: str) -> str:
        """A command that asks one model the same; empty for a run that has no recipe."""
        recipe = self.recipe
        if recipe is None:
            return ""
        words = ["folkways", "run", *recipe["tasks"], "--model", self.names[endpoint]]
        for key, value in recipe.items():
            if key in ("tasks", "models"):
                continue
            if isinstance(value, Mapping):
                option = f"--{key.removesuffix('s')}"
                words += [word for name, one in value.items() for word in (option, f"{name}={one}")]
            else:
                words += [f"--{key}", ",".join(map(str, value)) if isinstance(value, list) else str(value)]
        return shlex.join(words + [word for name in self.of_files for word in (f"--{name}", "FILE")])

    @property
    def of_files(self) -> list[str]:
        """What an export leaves out of the recipe, as it came from a file: ``prompts`` and ``treatments``."""
        return [name for name in ("prompts", "treatments") if name in (self.run.recipe or {})]

    def without_hosts(self, text: str | None) -> str | None:
        """The text without the addresses of the models' servers and the places of their files."""
        for model in self.models.values():
            text = model.without_host(text)
        return text

    def no_score_error(self) -> FolkwaysError:
        """The error for a run without a score to write."""
        return FolkwaysError(
            f"run {self.run.name} has no score of a model to write"
            + (f" in the profile {self.profile}" if self.profile else "")
            + "; baselines do not count as models, and a model that never replied has no score"
        )


REPEATED = (
    *("cultures", "languages", "variants", "limit", "samples", "seed", "system", "settings", "max-tokens"),
    *("permute-options", "shots", "until", "strata", "profile"),
)
"""Keys of a recipe that decide what is asked and say nothing about the machine."""

_SETTINGS = {"temperature": float, "top_p": float, "max_tokens": int}


def metric_of(task: Task, name: str) -> Metric:
    """The task's metric of that name; one without bounds if the task no longer has it."""
    return next(
        (metric for metric in task.metrics if metric.name == name),
        Metric(name, name, "", "mean", bounds=None),
    )


def signature_part(signature: str, name: str) -> str:
    """The value of one part of a signature; empty if it has none."""
    return Signature.of_text(signature).parts.get(name, "")


def generation_arguments(settings: str) -> dict[str, Any]:
    """The settings that the schema has names for; empty for several sets
    (``temperature=0.0,max_tokens=16``)."""
    pairs = dict(pair.partition("=")[::2] for pair in settings.split(","))
    arguments: dict[str, Any] = {}
    for name, kind in _SETTINGS.items():
        try:
            arguments[name] = kind(pairs[name])
        except (KeyError, ValueError):  # not set, or several sets
            continue
    return arguments
