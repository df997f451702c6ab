"""Runs the builders of benchmarks: hands them models that are asked through the workspace, and records how
the build ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from folkways.benchmarks.build import BuildResult, ModelReply, Prompt, WorkOnFiles, one_by_one
from folkways.benchmarks.registry import builders
from folkways.endpoints.base import EndpointOptions
from folkways.engine import interrupts
from folkways.engine.budget import parse_budget
from folkways.engine.session import INTERRUPTED
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import LOST
from folkways.runs.asking import AskSession, check_budget
from folkways.runs.models import Model, open_models
from folkways.runs.options import AskOptions
from folkways.workspace.database import Workspace, open_workspace

LONGEST_WAIT = 30.0
"""Seconds for which a server that is away is waited for: a build does not always show what it waits for."""


class BuildStopped(FolkwaysError):  # noqa: N818 - not an error of the caller's: the same command goes on
    """Something could not be asked now: the user, the budget or failing requests ended the session. What was
    answered is stored."""

    def __init__(self, reason: str) -> None:
        self.exit_code, what = (
            (interrupts.exit_code(), interrupts.reason())
            if reason == INTERRUPTED
            else (1, f"stopped: {reason}")
        )
        super().__init__(
            f"the build was {what}\nWhat was answered is stored; run the same command again to go on"
        )


def build(
    name: str,
    options: Mapping[str, Any],
    *,
    workspace: str | Path | Workspace = "folkways.db",
    asking: AskOptions | None = None,
    note: Callable[[str], None] = lambda _text: None,
    progress: Callable[[str], None] = lambda _text: None,
    work_on: WorkOnFiles = one_by_one,
) -> BuildResult:
    """What ``folkways build NAME`` does.

    name: of the builder.
    options: its own, by the names of its parameters.
    workspace: opened only where a model is asked.
    asking: how hard to try, within which budget.
    note, progress: called with lines for the user.
    work_on: makes the shares of builders that split their files.

    Raises UnknownNameError or FolkwaysError for bad options, before anything is asked; BuildStopped when not
    everything could be asked (interrupted, budget, failures): the same call goes on.
    """
    if name not in builders():
        raise UnknownNameError("builder", name, builders())
    builder = builders()[name]
    defaults = {option.name: () if option.repeatable else option.default for option in builder.options}
    if unknown := sorted(options.keys() - defaults.keys() - {"name"}):
        raise UnknownNameError(f"option of the builder {name}", unknown[0], defaults)
    if lacking := [
        option.name for option in builder.options if option.required and not options.get(option.name)
    ]:
        raise FolkwaysError(f"the builder {name} needs the option {lacking[0]}")
    chosen = asking or AskOptions()
    if chosen.budget is not None:
        parse_budget(chosen.budget)  # a bad one is an error even where no model is asked
    try:
        with ExitStack() as ending:
            session = BuildRun(ending, f"build {name}", workspace, chosen, note, progress, work_on)
            return builder.make(session, **{**defaults, **options})
    except KeyboardInterrupt:  # between two rounds of asking: ends it as within one
        raise BuildStopped(INTERRUPTED) from None


@dataclass(frozen=True)
class BuildRun:
    """A ``benchmarks.build.BuildSession``. ending: closes what was opened."""

    ending: ExitStack
    command: str
    workspace: str | Path | Workspace
    asking: AskOptions
    note: Callable[[str], None]
    progress: Callable[[str], None]
    work_on: WorkOnFiles

    def models(
        self,
        names: Sequence[str],
        config: Mapping[str, Any],
        *,
        name: str | None = None,
        many_rounds: bool = False,
    ) -> list[_BuildModel]:
        """Models by their ``names``. The workspace is opened at the first question, as the run ``name`` with
        this ``config``.

        many_rounds: the builder asks often and shows its own progress. FolkwaysError for a model that cannot
        be opened, or not asked within the budget.
        """
        opened = open_models(names, EndpointOptions(timeout=self.asking.timeout))
        watched = None if many_rounds else self.asking.observer
        # A build needs every reply.
        options = replace(
            self.asking, max_failed=0.0, wait=min(self.asking.wait, LONGEST_WAIT), observer=watched
        )
        check_budget(opened, options)

        def begin() -> AskSession:
            location = self.workspace
            database = location if isinstance(location, Workspace) else open_workspace(location)
            return self.ending.enter_context(
                AskSession(database, config, opened, self.command, options, name)
            )

        begun = cache(begin)
        return [_BuildModel(begun, model) for model in opened]


class _BuildModel:
    """A ``benchmarks.build.AskableModel``: every reply, or BuildStopped."""

    def __init__(self, begun: Callable[[], AskSession], model: Model) -> None:
        self._begun = begun
        self._model = model
        self.name = model.name

    def __call__(self, prompts: Sequence[Prompt]) -> list[ModelReply]:
        asking = self._begun()
        replies = asking.ask(self._model, prompts)
        lost = [reply.reason for reply in replies if reply.state in LOST]
        if asking.stopped or lost:
            raise BuildStopped(asking.stopped or f"{len(lost)} requests failed, the last with: {lost[-1]}")
        return replies

    def recall(self, prompt: Prompt) -> ModelReply | None:
        return self._begun().recall(self._model, prompt)
