"""Where a run is asked and scored, if not by this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from folkways.runs.options import Cluster

if TYPE_CHECKING:  # Ray's part of folkways is imported where a cluster is used
    from folkways.runs.on_ray.executor import RayExecutor


def executor_of(cluster: Cluster) -> RayExecutor:
    """The executor of a cluster; MissingExtraError without the packages that it needs."""
    from folkways.runs.on_ray.executor import RayExecutor

    return RayExecutor(cluster)
