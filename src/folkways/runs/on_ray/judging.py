"""Judges a run with workers on the nodes of a Ray cluster, one task each; language models have workers of
their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from folkways.engine import interrupts
from folkways.errors import FolkwaysError
from folkways.runs.on_ray.cluster import check_reachable, connect, place_of, plain_errors
from folkways.runs.on_ray.encoding import Computed, encoders
from folkways.runs.options import Cluster
from folkways.runs.scores.scoring import Scored, score_task
from folkways.runs.scores.scoring_models import ScoringModels, Watcher
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace, open_workspace

LOOK_SECONDS = 0.2


def score_on_ray(
    workspace: Workspace,
    run: run_records.RunRecord,
    run_tasks: Sequence[run_records.RunTask],
    profile: str | None,
    text_tools: str | None,
    models: ScoringModels | None,
    cluster: Cluster,
) -> Iterator[Scored]:
    """Have each task judged by a worker of its own; what each comes to, in the order of the tasks.

    Texts are compared by models on the cluster (see ``encoding``). A task whose worker dies is judged again.
    """
    ray = connect()
    check_reachable(ray, workspace)
    chosen = models or ScoringModels()
    names = {
        role: name for each in run_tasks for role, name in (each.options.get("scoring_models") or {}).items()
    }
    names = {role: _anywhere(name) for role, name in {**names, **chosen.names}.items()}
    with ExitStack() as ending:
        registry = ending.enter_context(encoders(ray, chosen, cluster)) if names else None
        computed = None if registry is None else Computed(registry)
        told = replace(chosen, names=names, watch=ScoringModels.watch, computed=computed)
        look = _looker(ray, registry, chosen.watch)
        judge = ray.remote(_score_task).options(num_cpus=1, scheduling_strategy="SPREAD")
        asked = [
            judge.remote(place_of(workspace), run.id, each.task, profile, text_tools, told)
            for each in run_tasks
        ]
        for reference in asked:
            ending.callback(ray.cancel, reference)
        for reference in asked:
            yield _result(ray, reference, look)


def _looker(ray: Any, registry: Any, watch: Watcher) -> Callable[[], None]:
    """What asks how far the models of all nodes are together, and shows the counts that are others than
    before."""
    tells: dict[str, Callable[[int, int], None]] = {}
    shown: dict[str, tuple[int, int]] = {}

    def look() -> None:
        asked = registry.counts.remote()
        if ray.wait([asked], timeout=LOOK_SECONDS)[0]:
            for name, counts in ray.get(asked).items():
                if shown.get(name) != counts:
                    shown[name] = counts
                    tells.setdefault(name, watch(name))(*counts)

    return look if registry is not None else lambda: None


def _anywhere(model: str) -> str:
    """The name of a model, a folder by its whole path: workers run in other folders."""
    folder = Path(model).expanduser()
    return str(folder.absolute()) if folder.is_dir() else model


def _score_task(
    place: str, run: int, name: str, profile: str | None, text_tools: str | None, models: ScoringModels | None
) -> Scored:
    def work() -> Scored:
        workspace = open_workspace(place, create=False)
        record = run_records.find_run(workspace, str(run))
        (run_task,) = (each for each in run_records.run_tasks(workspace, record) if each.task == name)
        done = score_task(
            workspace, record, run_task, results.parts(workspace, record), profile, text_tools, models
        )
        return replace(done, problems=tuple(FolkwaysError(str(problem)) for problem in done.problems))

    return plain_errors(work)


def _result(ray: Any, reference: Any, look: Callable[[], None]) -> Any:
    """What a worker returned, or the error that it ended in. Ctrl-C is not waited for."""
    while not ray.wait([reference], timeout=LOOK_SECONDS)[0]:
        interrupts.check()
        look()
    look()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as failure:
        raise failure.cause from None
    except ray.exceptions.RayError as failure:
        raise FolkwaysError(f"the cluster could not judge: {str(failure).strip().splitlines()[0]}") from None
