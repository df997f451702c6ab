"""A Ray cluster: how it is reached, what room it has, and what may be sent to its nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from folkways.endpoints.clean import quotable
from folkways.engine import interrupts
from folkways.errors import FolkwaysError, of_extra
from folkways.runs.deployment import check_deployable
from folkways.runs.models import Model
from folkways.runs.options import Cluster, Deployment
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError

T = TypeVar("T")

_STOPS = "folkways stops "
"""Where it is kept how often a session was stopped, in the store of keys and values of Ray's head."""

OWN = "local"
"""RAY_ADDRESS, in Ray's own words, for a cluster that is begun for this command, though another runs here."""


def connect() -> Any:
    """Ray, connected to the cluster of RAY_ADDRESS, to one on this machine, or to a local one that is begun
    for it (always for ``RAY_ADDRESS=local``).

    MissingExtraError without the extra ``cluster``; FolkwaysError for an address where no cluster answers.
    """
    with of_extra("cluster", "--on ray"):
        import ray
    if ray.is_initialized():
        return ray
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to Ray's developers
    # a worker without a GPU of its own still sees the machine's
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    with interrupts.held():  # Ray that is left half connected crashes, and what it began stays for a while
        _init(ray, os.environ.get("RAY_ADDRESS"), quiet)
    return ray


def _init(ray: Any, address: str | None, quiet: dict[str, Any]) -> None:
    if address != OWN:
        try:
            ray.init(address="auto", **quiet)
            return
        except (ConnectionError, RuntimeError) as error:
            if address:
                raise FolkwaysError(f"no Ray cluster answers at RAY_ADDRESS={address}: {error}") from None
    try:
        ray.init(address=OWN, include_dashboard=False, **quiet)
    except Exception as failure:  # noqa: BLE001 - what keeps Ray from starting it tells in exceptions of all kinds
        why = quotable(str(failure)) or type(failure).__name__
        raise FolkwaysError(
            f"Ray did not start on this machine: {why}\nStart it yourself (ray start --head), or name a "
            "cluster that runs: export RAY_ADDRESS=HOST:6379"
        ) from None


@dataclass(frozen=True)
class Seat:
    """What a worker asks, and what it takes of a node besides a CPU.

    models: all that it asks; one, where it is ``deployed`` or runs in the worker itself. copy: the number of
    this worker among those that ask the same, from 0.
    """

    models: tuple[Model, ...]
    gpus: float
    copy: int
    deployment: Deployment | None = None
    deployed: bool = False

    @property
    def resources(self) -> dict[str, Any]:
        return {"num_cpus": 1, "num_gpus": self.gpus}


def seats(ray: Any, models: Sequence[Model], cluster: Cluster) -> list[Seat]:
    """The workers of a run, in the order in which they are begun: the first copy of each model before the
    second of any, and those that take many GPUs first, since the others fit in later. FolkwaysError where the
    cluster has no room for one of them.
    """
    nodes = [node for node in ray.nodes() if node["Alive"]]
    local = [
        model
        for model in models
        if model.deployment or cluster.serve or getattr(model.endpoint, "runs_here", False)
    ]
    if cluster.serve is not None and len(models) != 1:
        raise FolkwaysError(
            f"--serve starts the server of one model, got {', '.join(model.name for model in models)}"
        )
    placed = [seat for model in local for seat in _seats_of(ray, nodes, model, cluster)]
    if others := tuple(model for model in models if model not in local):
        gpus = cluster.gpus or 0.0
        room = _room(nodes, gpus)
        count = cluster.workers or (room if gpus else len(nodes))
        _check_room(ray, nodes, gpus, count, room)
        placed += [Seat(others, gpus, number) for number in range(count)]
    return sorted(placed, key=lambda seat: (seat.deployed, seat.copy, -seat.gpus))


def _seats_of(ray: Any, nodes: Sequence[Any], model: Model, cluster: Cluster) -> list[Seat]:
    """The workers of a model that runs on the nodes, or whose server does."""
    deployment = model.deployment or Deployment(cluster.serve)
    check_deployable(model, deployment)
    gpus = deployment.gpus if deployment.gpus is not None else cluster.gpus
    if gpus is None:
        gpus = 1.0 if ray.cluster_resources().get("GPU", 0) else 0.0
    room = _room(nodes, gpus)
    copies = (
        min(model.deployment.copies, max(room, 1))
        if model.deployment
        else cluster.workers or (room if gpus else len(nodes))
    )
    _check_room(ray, nodes, gpus, copies, room, f"{model.name}: " if model.deployment else "")
    mine = (
        replace(deployment, gpus=gpus, copies=1)
        if deployment.serve or hasattr(model.endpoint, "deployed")
        else None
    )
    return [Seat((model,), gpus, number, mine, deployed=True) for number in range(copies)]


def _room(nodes: Sequence[Any], gpus: float) -> int:
    """How many workers fit: each on one node."""
    resource, each = ("GPU", gpus) if gpus else ("CPU", 1)
    return sum(int(node["Resources"].get(resource, 0) / each + 1e-9) for node in nodes)


def _check_room(ray: Any, nodes: Sequence[Any], gpus: float, count: int, room: int, who: str = "") -> None:
    if count < 1 or count > room:
        has = ray.cluster_resources()
        wanted = f"{gpus:g} GPUs" if gpus else "one CPU"
        raise FolkwaysError(
            f"{who}the cluster has {has.get('CPU', 0):g} CPUs and {has.get('GPU', 0):g} GPUs on "
            f"{len(nodes)} nodes; that is room "
            f"for {room} workers with {wanted} each, and not for {count or 1}: set --workers or --gpus"
        )


def check_reachable(ray: Any, workspace: Workspace) -> None:
    """FolkwaysError for a workspace that workers on other machines cannot open."""
    machines = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    if len(machines) > 1 and workspace.engine.dialect.name == "sqlite":
        raise FolkwaysError(
            f"the cluster has {len(machines)} machines, and the workspace {workspace.location} is a file of "
            "this one: use a PostgreSQL database (--workspace postgresql://user@host/database)"
        )
    if ":***@" in workspace.location:
        raise FolkwaysError(
            "the workspace's address holds a password, which would be stored in the cluster; leave it out of "
            "the address and set PGPASSWORD (or ~/.pgpass) on each node"
        )


def plain_errors(work: Callable[[], T]) -> T:
    """What ``work`` returns; its FolkwaysError as one that can be sent to another process, and that of a
    workspace as one."""
    try:
        return work()
    except FolkwaysError as error:
        kind = WorkspaceError if isinstance(error, WorkspaceError) else FolkwaysError
        raise kind(str(error)) from None


def tell_stops(session: str, stops: int) -> None:
    """Have the workers of a session see that they were asked to stop so often."""
    from ray.experimental.internal_kv import _internal_kv_put

    with suppress(Exception):  # the head is away, and its workers end by themselves
        _internal_kv_put(_STOPS + session, str(stops), overwrite=True)


def stops_of(session: str) -> int:
    """How often the workers of a session were asked to stop; 0 while the head of the cluster is away.

    Ray's own store of keys and values is read here since a call of the worker would have to wait until its
    thread has nothing to do.
    """
    from ray.experimental.internal_kv import _internal_kv_get

    with suppress(Exception):
        return int(_internal_kv_get(_STOPS + session) or 0)
    return 0
