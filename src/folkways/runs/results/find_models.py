"""Models and their stored judgements, by the names that people give them: ``gpt-4o-mini``, or
``gpt-4o-mini@run-2``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from folkways.benchmarks.treatments import without_treatments
from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.runs.models import SEPARATOR
from folkways.runs.results.model_names import AT, at_runs, matching
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


@dataclass(frozen=True)
class StoredModel:
    """A model as one run asked it. label: its name, with the run where two models have the same name."""

    run: run_records.RunRecord
    endpoint: str
    label: str
    parts: tuple[results.Part, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(part.task for part in self.parts)


def find_models(workspace: Workspace, names: Sequence[str], runs: Sequence[str] = ()) -> list[StoredModel]:
    """The models of these names, in their order; of no names, every model of the runs.

    names: any of a model's names (``model_names.written_names``); with ``@RUN`` for one run's in
        particular.
    runs: where to look for the others; the newest run if none is given. UnknownNameError with the names there
        are; FolkwaysError for an ambiguous name, and for a model that is named twice.
    """
    asked_at = [(name, *_split(workspace, name)) for name in names]
    somewhere = run_records.find_asked_runs(workspace, runs or ("last",))
    if not names:
        return _labelled(
            [(run, endpoint) for run in somewhere for endpoint in _endpoints(workspace, run)], workspace
        )
    matches = []
    for name, model, run in asked_at:
        candidates = [
            (where, endpoint)
            for where in ([run] if run else somewhere)
            for endpoint in _endpoints(workspace, where)
        ]
        hits = matching(model, candidates)
        if not hits:
            where = ", ".join(entry.name for entry in ([run] if run else somewhere))
            endpoints = {endpoint for _, endpoint in candidates}
            hint = f"looked in {where}; name other runs with {option('runs')}, or write MODEL@RUN"
            if model in {record.name for record in run_records.list_runs(workspace)}:
                hint = f"{model} is a run; its models are compared with: {option('runs', model)}"
            raise UnknownNameError("model", model, endpoints, hint=hint)
        if len(hits) > 1:
            choices = ", ".join(f"{endpoint}{AT}{where.name}" for where, endpoint in hits)
            raise FolkwaysError(f"the model {name!r} stands for several; say which: {choices}")
        matches.append(hits[0])
    for entry, count in Counter((run.id, endpoint) for run, endpoint in matches).items():
        if count > 1:
            raise FolkwaysError(
                f"the model {entry[1]} is named twice; name it once, or one of two runs that asked it "
                "(MODEL@RUN)"
            )
    return _labelled(matches, workspace)


def judgements_of(workspace: Workspace, asked: StoredModel, task: str, profile: str) -> pl.DataFrame:
    """The judgements of a model (``asked``) on a ``task`` of the ``workspace``, as ``records.compact`` has
    them: records.JUDGEMENTS with metrics and facets.

    FolkwaysError where the profile has not been judged.
    """
    part = next(part for part in asked.parts if part.task == task)
    judgements = results.load_judgements(workspace, asked.run, profile, part, small=True)
    if judgements.is_empty():
        raise FolkwaysError(
            f"run {asked.run.name} has not been judged in the profile {profile}; do it (no model is asked): "
            f"{workspace.command('score', asked.run.name, '--profile', profile)}"
        )
    return without_treatments(judgements)


def _split(workspace: Workspace, name: str) -> tuple[str, run_records.RunRecord | None]:
    """The model and the run after an ``@``: both may have one of their own (hf/org/model@revision, a@b), and
    the longest name of a run counts. Its settings are before the run, or after it."""
    run_names = {
        text for record in run_records.list_runs(workspace) for text in (record.name, str(record.id), "last")
    }
    address, mark, settings = name.rpartition(SEPARATOR)
    for text, rest in ((name, ""), (address, mark + settings)):
        words = text.split(AT)
        for end in range(1, len(words)):
            model, run = AT.join(words[:end]), AT.join(words[end:])
            if model and run in run_names:
                return model + rest, run_records.find_asked_run(workspace, run)
    return name, None


def _endpoints(workspace: Workspace, run: run_records.RunRecord) -> list[str]:
    return list(dict.fromkeys(part.endpoint for part in results.parts(workspace, run)))


def _labelled(found: Sequence[tuple[run_records.RunRecord, str]], workspace: Workspace) -> list[StoredModel]:
    often = Counter(endpoint for _, endpoint in found)
    return [
        StoredModel(
            run,
            endpoint,
            endpoint if often[endpoint] == 1 else at_runs(endpoint, [run.name]),
            tuple(part for part in results.parts(workspace, run) if part.endpoint == endpoint),
        )
        for run, endpoint in found
    ]
