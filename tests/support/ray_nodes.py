"""Clusters of Ray on this machine, for tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ.setdefault("RAY_worker_niceness", "0")  # Ray says 15, which on a busy machine is next to nothing
STORE = 80 * 1024 * 1024
"""Bytes of a node's object store."""


def started_nodes(count: int, gpus: int = 0) -> Any:
    """A cluster of so many nodes on this machine, each with so many GPUs, which Ray only counts.

    Ray gives a node 30 s to start, which a busy machine may need more than once.
    """
    from ray.cluster_utils import Cluster as RayCluster

    size = {"num_cpus": 2, "num_gpus": gpus, "object_store_memory": STORE}
    head = {
        **size,
        "include_dashboard": False,
        "include_log_monitor": False,
        "no_monitor": True,  # which would ask for more nodes, of which there are none
        "_system_config": {"prestart_worker_first_driver": False},
    }
    for left in (2, 1, 0):
        begun = RayCluster()
        try:
            begun.add_node(**head)
            for _ in range(count - 1):
                begun.add_node(**size)
            begun.wait_for_nodes()
        except Exception:
            begun.shutdown()
            if not left:
                raise
            continue
        break
    return begun


@contextmanager
def nodes_of_ray(count: int, connect: bool = True, gpus: int = 0) -> Iterator[Any]:
    """The cluster, which this process uses if it is to connect."""
    import ray

    started = started_nodes(count, gpus)
    try:
        if connect:
            ray.init(address=started.address, log_to_driver=False, logging_level="ERROR")
        yield started
    finally:
        ray.shutdown()
        started.shutdown()
