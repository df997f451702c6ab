"""Where a run is asked and scored, if not by this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from folkways.benchmarks.build import Share
from folkways.endpoints.prices import Price
from folkways.engine.budget import Amount
from folkways.engine.progress import ModelProgress
from folkways.runs.models import Model
from folkways.runs.options import AskOptions, Cluster
from folkways.runs.planning.plan import TaskPlan
from folkways.runs.scores.scoring import ScoredRun
from folkways.runs.scores.scoring_models import ScoringModels
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

T = TypeVar("T")


class Executor(Protocol):
    """Workers on other machines. The methods raise FolkwaysError for a cluster that cannot be reached or has
    no room, and for a workspace that the workers cannot open."""

    def check(self, workspace: Workspace, models: Sequence[Model]) -> None:
        """Raise what ``ask`` would raise before it asks anything."""

    def ask(
        self,
        workspace: Workspace,
        run: RunRecord,
        models: Sequence[Model],
        prices: Mapping[str, Price | None],
        asking: AskOptions,
        limit: Amount | None,
    ) -> list[ModelProgress]:
        """Ask ``models`` all that the ``run`` of the ``workspace`` still expects of them; the final counts,
        one per model.

        prices: by the identity of a model, None where unknown.
        asking: how hard to try.
        limit: what all workers may spend together; None for anything.
        """

    def score_all(
        self,
        workspace: Workspace,
        run: RunRecord,
        plans: Sequence[TaskPlan],
        profile: str | None,
        text_tools: str | None,
        models: ScoringModels | None,
    ) -> Iterator[ScoredRun]:
        """A ``scoring.ScoreAll``: workspace, run, plans, profile, text_tools and models are those of
        ``score_run``."""

    def work_on(
        self, work: Callable[[str, Path, Path], T], shares: Sequence[Share], report: Callable[[str], None]
    ) -> Sequence[T]:
        """A ``benchmarks.build.WorkOnFiles``."""


def executor_of(cluster: Cluster) -> Executor:
    """The executor of a cluster; MissingExtraError without the packages that it needs."""
    from folkways.runs.on_ray.executor import RayExecutor

    return RayExecutor(cluster)
