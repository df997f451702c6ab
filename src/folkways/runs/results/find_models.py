"""Models and their stored judgements, by the names that people give them: ``gpt-4o-mini``,
``gpt-4o-mini@run-2``, or ``gpt-4o-mini@run-2+run-3``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

import polars as pl

from folkways.benchmarks.treatments import without_treatments
from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.runs.models import SEPARATOR
from folkways.runs.results.model_names import ALSO, AT, at_runs, matching
from folkways.runs.results.together import RunsTogether, each_once
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


@dataclass(frozen=True)
class StoredModel:
    """A model as one run asked it, or several runs in one condition.

    run: the last of these. label: its name, with the runs where two models have the same name. parts: of that
    run. earlier: the model as the other runs asked it.
    """

    run: run_records.RunRecord
    endpoint: str
    label: str
    parts: tuple[results.Part, ...]
    earlier: tuple[StoredModel, ...] = ()

    @property
    def by_run(self) -> tuple[StoredModel, ...]:
        """The model as each run asked it."""
        return (*self.earlier, replace(self, earlier=()))

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.task for one in self.by_run for part in one.parts))


Asked = tuple[run_records.RunRecord, str]
"""A run and an endpoint that it asked."""


def find_models(workspace: Workspace, names: Sequence[str], runs: Sequence[str] = ()) -> list[StoredModel]:
    """The models of these names, in their order; of no names, every model of the runs. What several of the
    runs asked a model in one condition is one, as in a report.

    names: any of a model's names (``model_names.written_names``); with ``@RUN`` for one run's in
        particular, and with ``@RUN+RUN`` for that of several.
    runs: where to look for the others; the newest run if none is given. UnknownNameError with the names there
        are; FolkwaysError for an ambiguous name, and for a model that is named twice.
    """
    asked_at = [(name, *_split(workspace, name)) for name in names]
    somewhere = run_records.find_asked_runs(workspace, runs or ("last",))
    if not names:
        return _labelled(_in_conditions(workspace, _asked(workspace, somewhere)), workspace)
    matches = []
    for name, model, at in asked_at:
        looked_in = at or somewhere
        candidates = _asked(workspace, looked_in)
        hits = matching(model, candidates)
        if not hits:
            where = ", ".join(entry.name for entry in looked_in)
            endpoints = {endpoint for _, endpoint in candidates}
            hint = f"looked in {where}; name other runs with {option('runs')}, or write MODEL@RUN"
            if model in {record.name for record in run_records.list_runs(workspace)}:
                hint = f"{model} is a run; its models are compared with: {option('runs', model)}"
            raise UnknownNameError("model", model, endpoints, hint=hint)
        groups = _in_conditions(workspace, hits)
        if len(groups) > 1:
            choices = ", ".join(_at(group) for group in groups)
            raise FolkwaysError(f"the model {name!r} stands for several; say which: {choices}")
        matches += groups
    often = Counter((run.name, endpoint) for group in matches for run, endpoint in group)
    for (run_name, endpoint), count in often.items():
        if count > 1:
            raise FolkwaysError(
                f"the model {endpoint} is named twice, both times of run {run_name} ({', '.join(names)}); "
                "name it once, or of two runs that asked it (MODEL@RUN, MODEL@OTHER)"
            )
    return _labelled(matches, workspace)


def _asked(workspace: Workspace, runs: Sequence[run_records.RunRecord]) -> list[Asked]:
    return [
        (run, endpoint)
        for run in runs
        for endpoint in dict.fromkeys(part.endpoint for part in results.parts(workspace, run))
    ]


def _in_conditions(workspace: Workspace, asked: Sequence[Asked]) -> list[list[Asked]]:
    """What runs asked a model in one condition, together. FolkwaysError for a run that has not been scored,
    if another asked one of its models."""
    often = Counter(endpoint for _, endpoint in asked)
    several = {run.id: run for run, endpoint in asked if often[endpoint] > 1}
    together = RunsTogether(workspace, [*several.values()]) if several else None
    groups: dict[str, list[Asked]] = {}
    for run, endpoint in asked:
        name = together.name(run, endpoint) if together and often[endpoint] > 1 else endpoint
        groups.setdefault(name, []).append((run, endpoint))
    return [*groups.values()]


def _at(group: Sequence[Asked]) -> str:
    """A model of several with the same name."""
    return at_runs(group[0][1], [run.name for run, _ in group])


def judgements_of(workspace: Workspace, asked: StoredModel, task: str, profile: str) -> pl.DataFrame:
    """The judgements of a model (``asked``) on a ``task`` of the ``workspace``, as ``records.compact`` has
    them: records.JUDGEMENTS with metrics and facets.

    FolkwaysError where the profile has not been judged.
    """
    frames = [
        _judged(workspace, one.run, part, profile)
        for one in asked.by_run
        for part in one.parts
        if part.task == task
    ]
    if len(frames) == 1:
        return without_treatments(frames[0])
    return without_treatments(each_once(frames)[0])


def _judged(
    workspace: Workspace, run: run_records.RunRecord, part: results.Part, profile: str
) -> pl.DataFrame:
    judgements = results.load_judgements(workspace, run, profile, part, small=True)
    if judgements.is_empty():
        raise FolkwaysError(
            f"run {run.name} has not been judged in the profile {profile}; do it (no model is asked): "
            f"{workspace.command('score', run.name, '--profile', profile)}"
        )
    return judgements


def _split(workspace: Workspace, name: str) -> tuple[str, list[run_records.RunRecord]]:
    """The model and the runs after an ``@``: both may have one of their own (hf/org/model@revision, a@b), and
    the longest name of a run counts. Its settings are before the runs, or after them."""
    run_names = {
        text for record in run_records.list_runs(workspace) for text in (record.name, str(record.id), "last")
    }
    address, mark, settings = name.rpartition(SEPARATOR)
    for text, rest in ((name, ""), (address, mark + settings)):
        words = text.split(AT)
        for end in range(1, len(words)):
            model, at = AT.join(words[:end]), AT.join(words[end:])
            runs = _runs_named(at, run_names)
            if model and runs:
                return model + rest, run_records.find_asked_runs(workspace, runs)
    return name, []


def _runs_named(text: str, run_names: Set[str]) -> list[str]:
    """The runs of ``RUN+RUN``, the longest names first, as a name may have a plus; none where one is
    unknown."""
    words = text.split(ALSO)
    for end in range(len(words), 0, -1):
        first, others = ALSO.join(words[:end]), words[end:]
        if first in run_names:
            more = _runs_named(ALSO.join(others), run_names)
            if more or not others:
                return [first, *more]
    return []


def _labelled(found: Sequence[Sequence[Asked]], workspace: Workspace) -> list[StoredModel]:
    often = Counter(group[0][1] for group in found)
    models = []
    for group in found:
        label = group[0][1] if often[group[0][1]] == 1 else _at(group)
        *earlier, last = (
            StoredModel(
                run,
                endpoint,
                label,
                tuple(part for part in results.parts(workspace, run) if part.endpoint == endpoint),
            )
            for run, endpoint in group
        )
        models.append(replace(last, earlier=tuple(earlier)))
    return models
