"""Scores a run with workers on the nodes of a Ray cluster: one for each task, and others for the language
models that compare texts.

Every distinct text goes through a model once. One registry knows which texts are encoded or on their way, for
all tasks, and hands the rest to idle workers, TEXTS_AT_ONCE at a time. The vectors stay in the cluster's
object store, on the nodes where they were computed.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from folkways.engine import interrupts
from folkways.errors import FolkwaysError
from folkways.metrics.neural.compute import Compute
from folkways.metrics.neural.encoder import Encoder, TokenVectors
from folkways.metrics.neural.folder import open_folder
from folkways.metrics.neural.vector_store import text_key
from folkways.metrics.neural.vectors import TextVectors, VectorRecipe
from folkways.runs.on_ray.cluster import check_reachable, connect, plain_errors
from folkways.runs.options import Cluster
from folkways.runs.planning.plan import TaskPlan, stored_plans
from folkways.runs.scores.scoring import ScoredRun, score_task
from folkways.runs.scores.scoring_models import ScoringModels, Watcher, vector_cache
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace, open_workspace

LOOK_SECONDS = 0.2


def score_on_ray(
    cluster: Cluster,
    workspace: Workspace,
    run: run_records.RunRecord,
    plans: Sequence[TaskPlan],
    profile: str | None,
    text_tools: str | None,
    models: ScoringModels | None,
) -> Iterator[ScoredRun]:
    """Have each task judged by a worker of its own; yields in the order of ``plans``.

    cluster: limits the workers of language models. workspace, run, profile, text_tools and models are those
    of ``scoring.score_run``. A task whose worker dies is judged again. Raises FolkwaysError for a cluster
    that cannot be reached or has no room, and what ``scoring.score_task`` does.
    """
    ray = connect()
    check_reachable(ray, workspace)
    chosen = models or ScoringModels()
    names = {role: name for plan in plans for role, name in plan.options.scoring_models.items()}
    names = {role: with_whole_path(name) for role, name in {**names, **chosen.names}.items()}
    with ExitStack() as ending:
        registry = ending.enter_context(encoders(ray, chosen, cluster)) if names else None
        computed = None if registry is None else ClusterVectorComputer(registry)
        sent = replace(chosen, names=names, watch=ScoringModels.watch, computed=computed)
        look = _looker(ray, registry, chosen.watch)
        judge = ray.remote(_score_task).options(num_cpus=1, scheduling_strategy="SPREAD")
        references = [
            judge.remote(workspace.place, run.id, plan.task.name, profile, text_tools, sent) for plan in plans
        ]
        for reference in references:
            ending.callback(ray.cancel, reference)
        for reference in references:
            yield _result(ray, reference, look)


def _looker(ray: Any, registry: Any, watch: Watcher) -> Callable[[], None]:
    """What asks how far the models of all nodes are together, and shows the counts that are others than
    before."""
    tells: dict[str, Callable[[int, int], None]] = {}
    shown: dict[str, tuple[int, int]] = {}

    def look() -> None:
        reference = registry.counts.remote()
        if ray.wait([reference], timeout=LOOK_SECONDS)[0]:
            for name, counts in ray.get(reference).items():
                if shown.get(name) != counts:
                    shown[name] = counts
                    tells.setdefault(name, watch(name))(*counts)

    return look if registry is not None else lambda: None


def with_whole_path(model: str) -> str:
    """The name of a model, a folder by its whole path: workers run in other folders."""
    folder = Path(model).expanduser()
    return str(folder.absolute()) if folder.is_dir() else model


def _score_task(
    location: str,
    run: int,
    name: str,
    profile: str | None,
    text_tools: str | None,
    models: ScoringModels | None,
) -> ScoredRun:
    def work() -> ScoredRun:
        workspace = open_workspace(location, create=False)
        record = run_records.find_run(workspace, str(run))
        (plan,) = stored_plans(workspace, record, name)
        parts = results.parts(workspace, record)
        done = score_task(workspace, record, plan, parts, profile, text_tools, models)
        return replace(done, problems=tuple(FolkwaysError(str(problem)) for problem in done.problems))

    return plain_errors(work)


def _result(ray: Any, reference: Any, look: Callable[[], None]) -> Any:
    """What a worker returned, or the error that it ended in. Ctrl-C is not waited for."""
    ended: list[Any] = []
    while not ended:
        ended, _ = ray.wait([reference], timeout=LOOK_SECONDS)
        if not ended:
            interrupts.check()
        look()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as failure:
        raise failure.cause from None
    except ray.exceptions.RayError as failure:
        raise FolkwaysError(f"the cluster could not judge: {str(failure).strip().splitlines()[0]}") from None


TEXTS_AT_ONCE = 1_000
"""Texts that a worker gets at a time, and stores on its disk together: what is computed again if it dies."""


@dataclass(frozen=True)
class ClusterVectorComputer:
    """A ``metrics.neural.vectors.VectorComputer``, for any process of the cluster."""

    registry: Any

    def __call__(self, recipe: VectorRecipe, texts: Sequence[str]) -> Mapping[str, TokenVectors]:
        import ray

        lost: list[Any] = []
        while True:
            try:
                stored = ray.get(self.registry.stored.remote(recipe, texts, lost))
            except ray.exceptions.RayTaskError as failure:
                raise failure.cause from None
            try:
                parts = ray.get(stored)
            except ray.exceptions.ObjectLostError:  # with the node that held it
                lost = [one for one in stored if not _there(ray, one)]
                continue
            return {text: part[text] for part in parts for text in part}


@contextmanager
def encoders(
    ray: Any, models: ScoringModels, cluster: Cluster, at_once: int = TEXTS_AT_ONCE
) -> Iterator[Any]:
    """The registry of a ``ray`` cluster with its workers: one per GPU (or as ``cluster.gpus`` says), else one
    per node with all its CPUs; ``cluster.workers`` at most.

    models: with the devices that the user named. at_once: texts that a worker gets at a time. FolkwaysError
    for a cluster that has no room for one.
    """
    on_cpu = bool(models.devices) and all(device.startswith("cpu") for device in models.devices)
    has = ray.cluster_resources().get("GPU", 0)
    gpus = 0.0 if on_cpu or not has else 1.0 if cluster.gpus is None else cluster.gpus
    most = cluster.workers or sys.maxsize
    again = {"max_restarts": -1, "max_concurrency": 1}
    worker = ray.remote(EncoderWorker)
    if gpus:
        if gpus > has:
            raise FolkwaysError(f"the cluster has {has:g} GPUs, and a worker is to have {gpus:g}: set --gpus")
        placed = {"num_cpus": 0, "num_gpus": gpus, "scheduling_strategy": "SPREAD"}
        workers = [
            worker.options(**again, **placed).remote(models.devices)
            for _ in range(min(int(has / gpus), most))
        ]
    else:
        workers = [
            worker.options(**again, num_cpus=0, scheduling_strategy=_at(ray, node["NodeID"])).remote(
                models.devices, int(node["Resources"].get("CPU", 1))
            )
            for node in [node for node in ray.nodes() if node["Alive"]][:most]
        ]
    this_node = _at(
        ray, ray.get_runtime_context().get_node_id(), soft=False
    )  # it is to outlive every other node
    registry = (
        ray.remote(VectorRegistry).options(num_cpus=0, scheduling_strategy=this_node).remote(workers, at_once)
    )
    try:
        yield registry
    finally:
        for actor in (registry, *workers):
            ray.kill(actor)


class EncoderWorker:
    """The actor with a copy of each model that is asked for. devices: those the user named; threads: on a
    CPU, None for one."""

    def __init__(self, devices: Sequence[str], threads: int | None = None) -> None:
        if threads is not None:
            os.environ["OMP_NUM_THREADS"] = str(threads)  # Ray says 1; torch reads it when it is imported
        # which GPU it is, is Ray's to say
        self._devices = tuple(device for device in devices if device.startswith("cpu"))
        self._vectors: dict[str, TextVectors] = {}

    def ready(self) -> bool:
        return True

    def encode(self, recipe: VectorRecipe, texts: Sequence[str]) -> tuple[int, dict[str, TokenVectors]]:
        """How many texts, and their vectors: two objects, so that who waits need not fetch the vectors."""
        vectors = plain_errors(lambda: self._of(recipe).of(texts))
        self._of(recipe).forget()
        return len(texts), vectors

    def _of(self, recipe: VectorRecipe) -> TextVectors:
        if recipe.name not in self._vectors:
            planned = recipe.encoder
            folder = open_folder(planned.folder.path, planned.folder.name)
            if folder.revision != planned.folder.revision:
                raise FolkwaysError(
                    f"the model {folder.name} is another one on the node {os.uname().nodename} "
                    f"({folder.path}): copy it there from the machine of the command"
                )
            compute = Compute(self._devices, precision=planned.compute.precision)
            local = replace(recipe, encoder=Encoder(folder, planned.layer, planned.longest, compute))
            self._vectors[recipe.name] = TextVectors(local, cache=vector_cache())
        return self._vectors[recipe.name]


class VectorRegistry:
    """The actor that knows which worker encodes what. Its methods run concurrently on one thread."""

    def __init__(self, workers: Sequence[Any], at_once: int) -> None:
        self._idle: asyncio.Queue[Any] = asyncio.Queue()
        for worker in workers:
            self._idle.put_nowait(worker)
        self._at_once = at_once
        self._parts: dict[tuple[str, bytes], asyncio.Task[Any]] = {}
        self._done: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self._restarts: set[asyncio.Task[None]] = set()

    async def stored(self, recipe: VectorRecipe, texts: Sequence[str], lost: Sequence[Any]) -> list[Any]:
        """References to mappings that together hold the vectors of the texts, once all are computed.

        lost: references from an earlier call whose node has died. Raises what ``Encoder.encode`` does.
        """
        keys = {text: (recipe.name, text_key(text)) for text in texts}
        gone = {
            text for text, key in keys.items() if key in self._parts and _vectors_of(self._parts[key]) in lost
        }
        new = sorted(
            (text for text, key in keys.items() if key not in self._parts or text in gone),
            key=len,
            reverse=True,
        )
        for start in range(0, len(new), self._at_once):
            part = new[start : start + self._at_once]
            self._all[recipe.encoder.folder.name] += len(part)
            self._parts.update(
                dict.fromkeys((keys[text] for text in part), asyncio.create_task(self._encoded(recipe, part)))
            )
        return [await task for task in dict.fromkeys(self._parts[key] for key in keys.values())]

    async def counts(self) -> dict[str, tuple[int, int]]:
        """Model -> texts that are done, and all that were asked for."""
        return {name: (self._done[name], total) for name, total in self._all.items()}

    async def _encoded(self, recipe: VectorRecipe, texts: Sequence[str]) -> Any:
        import ray

        while True:
            worker = await self._idle.get()
            count, vectors = worker.encode.options(num_returns=2).remote(recipe, texts)
            try:
                done = await count
            except ray.exceptions.RayActorError:
                restart = asyncio.create_task(self._restarted(worker))
                self._restarts.add(restart)
                restart.add_done_callback(self._restarts.discard)
                continue
            except ray.exceptions.RayTaskError as failure:
                self._idle.put_nowait(worker)
                raise failure.cause from None
            self._idle.put_nowait(worker)
            self._done[recipe.encoder.folder.name] += done
            return vectors

    async def _restarted(self, worker: Any) -> None:
        """Back among the idle once it runs again; never, where no node has room for it."""
        await worker.ready.options(max_task_retries=-1).remote()
        self._idle.put_nowait(worker)


def _vectors_of(task: asyncio.Task[Any]) -> Any:
    return task.result() if task.done() and task.exception() is None else None


def _at(ray: Any, node: str, *, soft: bool = True) -> Any:
    """On that node; on another where it is away, if ``soft``."""
    return ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=soft)


def _there(ray: Any, stored: Any) -> bool:
    try:
        ray.get(stored)
    except ray.exceptions.ObjectLostError:
        return False
    return True
