"""A Ray cluster: how it is reached, what room it has, and what may be sent to its nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from folkways.errors import FolkwaysError, of_extra
from folkways.runs.models import Model
from folkways.runs.options import Cluster
from folkways.workspace.database import Workspace

T = TypeVar("T")


def connect() -> Any:
    """Ray, connected to the cluster of RAY_ADDRESS, to one on this machine, or to a local one that is begun for it.

    MissingExtraError without the extra ``cluster``; FolkwaysError for an address where no cluster answers.
    """
    with of_extra("cluster", "--on ray"):
        import ray
    if ray.is_initialized():
        return ray
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # what runs here is told to nobody
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # a worker without a GPU of its own still sees the machine's
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    address = os.environ.get("RAY_ADDRESS")
    try:
        ray.init(address="auto", **quiet)
    except (ConnectionError, RuntimeError) as error:
        if address:
            raise FolkwaysError(f"no Ray cluster answers at RAY_ADDRESS={address}: {error}") from None
        try:
            ray.init(include_dashboard=False, **quiet)
        except Exception as failure:  # noqa: BLE001 - what keeps Ray from starting it tells in exceptions of all kinds
            why = (str(failure).strip() or type(failure).__name__).splitlines()[0]
            raise FolkwaysError(
                f"Ray did not start on this machine: {why}\n"
                "Start it yourself (ray start --head), or name a cluster that runs: export RAY_ADDRESS=HOST:6379"
            ) from None
    return ray


def placed(ray: Any, models: Sequence[Model], cluster: Cluster) -> tuple[int, dict[str, Any]]:
    """How many workers there are, and what each takes of a node. FolkwaysError where the cluster has no room for them."""
    has = ray.cluster_resources()
    nodes = [node for node in ray.nodes() if node["Alive"]]
    own = cluster.serve is not None or any(getattr(model.endpoint, "runs_here", False) for model in models)
    gpus = cluster.gpus if cluster.gpus is not None else (1.0 if own and has.get("GPU", 0) else 0.0)
    room = int(has.get("GPU", 0) / gpus) if gpus else int(has.get("CPU", 0))
    count = cluster.workers or (room if gpus else len(nodes))
    if count < 1 or count > room:
        wanted = f"{gpus:g} GPUs" if gpus else "one CPU"
        raise FolkwaysError(
            f"the cluster has {has.get('CPU', 0):g} CPUs and {has.get('GPU', 0):g} GPUs on {len(nodes)} nodes; that is room for "
            f"{room} workers with {wanted} each, and not for {count or 1}: set --workers or --gpus"
        )
    return count, {"num_cpus": 1, "num_gpus": gpus}


def place_of(workspace: Workspace) -> str:
    """Where the workers find the workspace: a file by its whole path, since they run in other folders."""
    return workspace.location if "://" in workspace.location else str(Path(workspace.location).expanduser().resolve())


def check_reachable(ray: Any, workspace: Workspace) -> None:
    """FolkwaysError for a workspace that workers on other machines cannot open."""
    machines = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    if len(machines) > 1 and workspace.engine.dialect.name == "sqlite":
        raise FolkwaysError(
            f"the cluster has {len(machines)} machines, and the workspace {workspace.location} is a file of this one: use a "
            "PostgreSQL database (--workspace postgresql://user@host/database)"
        )
    if ":***@" in workspace.location:
        raise FolkwaysError(
            "the workspace's address holds a password, which would be stored in the cluster; leave it out of the address and set "
            "PGPASSWORD (or ~/.pgpass) on each node"
        )


def plain_errors(work: Callable[[], T]) -> T:
    """What ``work`` returns; an error of ours as one that can be sent to another process."""
    try:
        return work()
    except FolkwaysError as error:
        raise FolkwaysError(str(error)) from None
