"""The executor of a Ray cluster: asks and scores a run, and makes the shares of a build, on its nodes.

Builds use plain tasks and not Ray Data: a culture is sifted as a whole, from a file that streams by several
times. Ray Data hands a whole culture over as one table in memory, sorts all facts to get there, and needs
pyarrow and pandas (perf/facts/ON_RAY.md).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from folkways.benchmarks.build import Share
from folkways.endpoints.prices import Price
from folkways.engine import interrupts
from folkways.engine.budget import Amount
from folkways.engine.progress import ModelProgress
from folkways.errors import FolkwaysError
from folkways.runs.models import Model
from folkways.runs.on_ray.cluster import connect, plain_errors
from folkways.runs.on_ray.crew import RayWorkerPool, seats_for
from folkways.runs.on_ray.scoring import score_on_ray
from folkways.runs.options import AskOptions, Cluster
from folkways.runs.planning.plan import TaskPlan
from folkways.runs.scores.scoring import ScoredRun
from folkways.runs.scores.scoring_models import ScoringModels
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

T = TypeVar("T")

LOOK_SECONDS = 0.2
CANCEL_SECONDS = 3.0

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class RayExecutor:
    """Workers on the nodes of a cluster. The methods raise FolkwaysError for a cluster that cannot be reached
    or has no room, and for a workspace that the workers cannot open."""

    cluster: Cluster

    def check(self, workspace: Workspace, models: Sequence[Model]) -> None:
        """Raise what ``ask`` would raise before it asks anything."""
        seats_for(workspace, models, self.cluster)

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
        with RayWorkerPool(workspace, run, models, prices, asking, self.cluster, limit) as pool:
            return pool.ask()

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
        return score_on_ray(self.cluster, workspace, run, plans, profile, text_tools, models)

    def work_on(
        self, work: Callable[[str, Path, Path], T], shares: Sequence[Share], report: Callable[[str], None]
    ) -> Sequence[T]:
        """A ``benchmarks.build.WorkOnFiles``."""
        return work_on_ray(work, shares, report)


def work_on_ray(
    work: Callable[[str, Path, Path], T], shares: Sequence[Share], report: Callable[[str], None]
) -> list[T]:
    """A ``benchmarks.build.WorkOnFiles``: as many shares at a time as the cluster has CPUs, the largest
    first.

    A share whose worker dies is made again. FolkwaysError for a cluster that cannot be reached or cannot make
    it.
    """
    ray = connect()
    make = ray.remote(_made).options(num_cpus=1, num_returns=2, scheduling_strategy="SPREAD")
    left = sorted(range(len(shares)), key=lambda number: shares[number].file.stat().st_size)
    at_work: dict[Any, tuple[int, Any]] = {}
    made: dict[int, T] = {}
    try:
        while left or at_work:
            while left and len(at_work) < max(1, int(ray.cluster_resources().get("CPU", 1))):
                number = left.pop()
                content = ray.put(np.fromfile(shares[number].file, np.uint8))
                result, files = make.remote(work, shares[number].name, content)
                at_work[result] = number, files
            for result in ray.wait(list(at_work), timeout=LOOK_SECONDS)[0]:
                number, files = at_work[result]
                share = shares[number]
                try:
                    made[number] = ray.get(result)
                    share.folder.mkdir()
                    for name, content in ray.get(files).items():
                        content.tofile(share.folder / name)
                except ray.exceptions.RayError as failure:
                    error = getattr(failure, "cause", None)
                    if isinstance(error, FolkwaysError):
                        raise error from None
                    raise FolkwaysError(
                        f"the cluster could not work on {share.name}: {str(error or failure).splitlines()[0]}"
                    ) from None
                del at_work[result]
                share.file.unlink()
                report(f"{len(made):,} of {len(shares):,}: {share.name}")
            interrupts.check()
    finally:
        for result in at_work:
            ray.cancel(result)  # so that it removes its files
        if at_work:
            ray.wait(list(at_work), num_returns=len(at_work), timeout=CANCEL_SECONDS)
        for result in at_work:
            ray.cancel(result, force=True)
    return [made[number] for number in range(len(shares))]


def _made(work: Callable[[str, Path, Path], T], name: str, content: Bytes) -> tuple[T, dict[str, Bytes]]:
    with tempfile.TemporaryDirectory(prefix="folkways-") as temporary:
        file, folder = Path(temporary) / "share", Path(temporary) / "made"
        folder.mkdir()
        content.tofile(file)
        result = plain_errors(lambda: work(name, file, folder))
        return result, {made.name: np.fromfile(made, np.uint8) for made in sorted(folder.iterdir())}
