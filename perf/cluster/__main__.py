"""What several workers on one PostgreSQL workspace come to, as processes and on Ray: rate, CPU, how soon a
dead one is known.

    python -m perf.cluster                     # about six minutes
    python -m perf.cluster --workers 1,2 --seconds 10
    python -m perf.cluster --pairs 3 --seconds 120   # CPU of Ray beside one process at the same time

The server waits 200 ms with each reply and each worker asks 32 at once: 160 per second at most. A rate is
taken between the moments when the first and the last twentieth of all replies were stored: neither start nor
end counts. CPU is that of the workers alone, start included.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psutil
import sqlalchemy as sa

from folkways.runs.execute import plan_run
from folkways.runs.on_ray.crew import AskingWorker
from folkways.runs.options import AskOptions, Cluster, RunOptions
from folkways.runs.work import models_of
from folkways.workspace import run_records
from folkways.workspace.database import Workspace, open_workspace
from tests.support.chat_server import ChatServer
from tests.support.mcq_data import write_mcq_release
from tests.support.postgres import postgres_server

LATENCY, CONCURRENCY = 0.2, 32
MODEL = "vllm/test-model"
ACTOR = f"ray::{AskingWorker.__name__}"
"""How Ray titles the process of a worker."""


@dataclass(frozen=True)
class Measurement:
    """Workers of one kind: how many, requests, requests/s without start and end, wall seconds, CPU ms per
    request."""

    kind: str
    workers: int
    requests: int
    rate: float
    wall: float
    cpu: float


def database(base: str, name: str) -> str:
    """A new database on the server, as a workspace."""
    engine = sa.create_engine(f"{base}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return f"{base}/{name}"


def planned(base: str, name: str, release: Path) -> Workspace:
    """A workspace with a run called ``study``."""
    workspace = open_workspace(database(base, name))
    plan_run(
        RunOptions(("blend/mcq",), releases={"blend": str(release)}),
        models=[MODEL],
        workspace=workspace,
        name="study",
    )
    return workspace


def rate(workspace: Workspace) -> float:
    """Replies per second between the first and the last twentieth."""
    with workspace.read() as connection:
        times = sorted(connection.scalars(sa.text("SELECT created FROM responses")))
    edge = len(times) // 20
    return (len(times) - 2 * edge) / (times[-edge - 1] - times[edge])


def as_processes(workspace: Workspace, url: str, workers: int, requests: int) -> Measurement:
    """``folkways work`` in so many processes."""
    command = [sys.executable, "-m", "folkways.cli.main", "work", "study", "--model", f"{MODEL}@{url}/v1"]
    command += ["--concurrency", str(CONCURRENCY), "-w", str(workspace.engine.url)]
    began = time.perf_counter()
    started = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(workers)
    ]
    cpu = 0.0
    for process in started:
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"a worker ended with {status}")
        cpu += used.ru_utime + used.ru_stime
    return Measurement(
        "processes", workers, requests, rate(workspace), time.perf_counter() - began, 1000 * cpu / requests
    )


def on_ray(workspace: Workspace, url: str, workers: int, requests: int) -> Measurement:
    """The same number of actors; the CPU is that of the actors' processes while they lived."""
    from folkways.runs.on_ray.crew import RayWorkerPool

    run = run_records.find_run(workspace, "study")
    models = models_of(workspace, run, [f"{MODEL}@{url}/v1"], 120)
    spent: dict[int, float] = {}

    def look(_counts: object) -> None:
        for process in psutil.Process().children(recursive=True) + others():
            spent[process.pid] = max(seconds(process), spent.get(process.pid, 0.0))

    def others() -> list[psutil.Process]:
        return [
            process
            for process in psutil.process_iter(["cmdline"])
            if ACTOR in " ".join(process.info["cmdline"] or ())
        ]

    began = time.perf_counter()
    asking = AskOptions(concurrency=CONCURRENCY, observer=look, every=1.0)
    with RayWorkerPool(
        workspace, run, models, {models[0].identity: None}, asking, Cluster("ray", workers), None
    ) as crew:
        crew.ask()
    wall = time.perf_counter() - began
    actors = [value for pid, value in spent.items()]
    return Measurement("Ray", workers, requests, rate(workspace), wall, 1000 * sum(actors) / requests)


def side_by_side(
    base: str, release: Path, url: str, requests: int, number: int
) -> tuple[Measurement, Measurement]:
    """One process and one worker on Ray at the same time, each with a run of its own: what slows the machine
    down slows both."""
    with ThreadPoolExecutor(1) as beside:
        process = beside.submit(as_processes, planned(base, f"sp{number}", release), url, 1, requests)
        ray = on_ray(planned(base, f"sr{number}", release), url, 1, requests)
        return process.result(), ray


def seconds(process: psutil.Process) -> float:
    """User and system time so far; 0 for one that has ended."""
    try:
        used = process.cpu_times()
        return used.user + used.system if ACTOR in " ".join(process.cmdline()) else 0.0
    except psutil.Error:
        return 0.0


def waited(found: Callable[[], bool]) -> float:
    """Seconds until it is so."""
    began = time.perf_counter()
    while not found():
        time.sleep(0.02)
    return time.perf_counter() - began


def claims_of(workspace: Workspace, pid: int) -> int:
    """How many claims a process of this machine holds."""
    with workspace.read() as connection:
        query = (
            "SELECT count(*) FROM claims JOIN workers ON workers.id = claims.worker_id WHERE "
            "workers.pid = :pid"
        )
        return int(connection.execute(sa.text(query), {"pid": pid}).scalar() or 0)


def time_to_free(workspace: Workspace, url: str) -> float:
    """A worker of two is killed while the other has nothing else to do; seconds until its claims are free."""
    command = [
        sys.executable,
        "-m",
        "folkways.cli.main",
        "work",
        "study",
        "--model",
        f"{MODEL}@{url}/v1",
        "--concurrency",
        "500",
    ]
    command += ["-w", str(workspace.engine.url)]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
    waited(lambda: all(claims_of(workspace, process.pid) for process in both))
    both[0].send_signal(signal.SIGKILL)
    both[0].wait()
    freed = waited(lambda: claims_of(workspace, both[0].pid) == 0)
    both[1].wait()
    return freed


def time_to_free_on_ray(workspace: Workspace, url: str, whole_node: bool) -> float:
    """An actor's process, or its whole node, is killed; seconds until its claims are free."""
    import ray
    from ray.cluster_utils import Cluster as RayCluster

    from folkways.runs.on_ray.crew import RayWorkerPool

    run = run_records.find_run(workspace, "study")
    models = models_of(workspace, run, [f"{MODEL}@{url}/v1"], 120)
    nodes = RayCluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    lost = nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    raylet = lost.all_processes["raylet"][0].process.pid
    killed: list[tuple[float, int]] = []
    freed: list[float] = []

    def look(counts: Sequence[object]) -> None:
        if not killed and counts[0].done > 100:  # type: ignore[attr-defined]
            (actor,) = (
                child for child in psutil.Process(raylet).children() if ACTOR in " ".join(child.cmdline())
            )
            if not claims_of(workspace, actor.pid):
                return
            killed.append((time.perf_counter(), actor.pid))
            if whole_node:
                nodes.remove_node(lost, allow_graceful=False)
            else:
                actor.kill()
        elif killed and not freed and claims_of(workspace, killed[0][1]) == 0:
            freed.append(time.perf_counter() - killed[0][0])

    asking = AskOptions(concurrency=CONCURRENCY, observer=look, every=0.05)
    with RayWorkerPool(
        workspace, run, models, {models[0].identity: None}, asking, Cluster("ray", 2), None
    ) as crew:
        crew.ask()
    ray.shutdown()
    nodes.shutdown()
    return freed[0] if freed else float("nan")


def ray_alone() -> tuple[float, float]:
    """Seconds until a local Ray is there and its first actor answers, and MB that its own processes hold
    then."""
    import ray

    class Nothing:
        def say(self) -> int:
            return 1

    began = time.perf_counter()
    ray.init(num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    actor = ray.remote(Nothing).remote()
    ray.get(actor.say.remote())
    took = time.perf_counter() - began
    held = sum(process.memory_info().rss for process in psutil.Process().children(recursive=True))
    ray.kill(actor)
    return took, held / 1e6


def write_pairs(pairs: Sequence[tuple[Measurement, Measurement]]) -> None:
    """A line for each pair, and their sum, in Markdown."""
    print("| requests each | process: requests/s | CPU ms | Ray: requests/s | CPU ms | x the process |")
    print("|---|---|---|---|---|---|")
    for process, ray in pairs:
        cells = f"{process.requests:,}", f"{process.rate:.0f}", f"{process.cpu:.2f}"
        print(
            "|",
            " | ".join((*cells, f"{ray.rate:.0f}", f"{ray.cpu:.2f}", f"{ray.cpu / process.cpu:.2f}")),
            "|",
        )
    of_ray, of_processes = sum(ray.cpu for _, ray in pairs), sum(process.cpu for process, _ in pairs)
    print(f"\nOver all pairs Ray takes {of_ray / of_processes:.2f} times the CPU of a process.")
    print(f"Load at the end: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores.")


def main() -> None:
    """Measure, and print two tables in Markdown."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.cluster", description="Measure workers that ask one run together."
    )
    parser.add_argument("--workers", default="1,2,4,8", metavar="N[,N]")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long each is kept busy; default: 15")
    parser.add_argument(
        "--pairs",
        type=int,
        default=0,
        metavar="N",
        help="measure this instead, so often: a process beside Ray",
    )
    chosen = parser.parse_args()
    wanted = [int(part) for part in chosen.workers.split(",")]
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    found: list[Measurement] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres_server() as database_server,
        ChatServer(latency=LATENCY) as server,
    ):
        base = database_server.url
        releases = {
            workers: write_mcq_release(
                Path(folder) / f"r{workers}", int(chosen.seconds * workers * CONCURRENCY / LATENCY)
            )
            for workers in wanted
        }
        sizes = {workers: int(chosen.seconds * workers * CONCURRENCY / LATENCY) for workers in wanted}
        if chosen.pairs:
            ray_alone()
            pairs = [
                side_by_side(base, releases[wanted[0]], server.url, sizes[wanted[0]], number)
                for number in range(chosen.pairs)
            ]
            write_pairs(pairs)
            return
        for workers in wanted:
            workspace = planned(base, f"p{workers}", releases[workers])
            found.append(as_processes(workspace, server.url, workers, sizes[workers]))
            print(found[-1], file=sys.stderr)
        took, held = ray_alone()
        for workers in wanted:
            workspace = planned(base, f"r{workers}", releases[workers])
            found.append(on_ray(workspace, server.url, workers, sizes[workers]))
            print(found[-1], file=sys.stderr)
        import ray

        ray.shutdown()
        here = time_to_free(planned(base, "f1", releases[wanted[0]]), server.url)
        server.control(latency=LATENCY)
        actor = time_to_free_on_ray(planned(base, "f2", releases[wanted[-1]]), server.url, whole_node=False)
        node = time_to_free_on_ray(planned(base, "f3", releases[wanted[-1]]), server.url, whole_node=True)
    print(
        "| workers | kind | requests | requests/s | x one worker | of linear | CPU ms per request | x "
        "one process | wall s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    one = {measured.kind: measured for measured in reversed(found)}
    alone = next(measured for measured in found if measured.kind == "processes")
    for each in found:
        times = each.rate / one[each.kind].rate
        share = times / (each.workers / one[each.kind].workers)
        cells = (
            each.workers,
            each.kind,
            f"{each.requests:,}",
            f"{each.rate:.0f}",
            f"{times:.2f}",
            f"{share:.2f}",
        )
        print(
            "|",
            " | ".join(
                map(str, (*cells, f"{each.cpu:.2f}", f"{each.cpu / alone.cpu:.2f}", f"{each.wall:.1f}"))
            ),
            "|",
        )
    print(
        f"\nFree after a worker was killed: {here:.1f} s a process, {actor:.1f} s an actor, {node:.1f} s "
        "a node of Ray."
    )
    print(f"Ray alone: {took:.1f} s until its first actor answers, {held:.0f} MB.")
    print(f"Load at the end: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
