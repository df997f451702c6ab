"""What Inspect finds by our entry point: every task that folkways knows, as ``folkways/BENCHMARK_TASK``."""

from __future__ import annotations

from inspect import Signature, signature
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai import task as registered
from inspect_ai._util.error import PrerequisiteError  # what Inspect shows as a message, without a traceback

from folkways.benchmarks.registry import tasks
from folkways.errors import FolkwaysError
from folkways.integrations.inspect.logs import registered_name
from folkways.integrations.inspect.tasks import inspect_task, judged, scores

__all__ = ["judged", "names", "scores"]


_, *_OPTIONS = signature(inspect_task, eval_str=True).parameters.values()


def _register(name: str) -> str:
    def build(**options: Any) -> InspectTask:
        try:
            return inspect_task(name, **options)
        except FolkwaysError as error:
            raise PrerequisiteError(str(error)) from None

    called = registered_name(name).rpartition("/")[2]
    build.__name__ = build.__qualname__ = called
    build.__doc__ = tasks()[name].about
    build.__signature__ = Signature(_OPTIONS)  # type: ignore[attr-defined]  # by which Inspect knows what -T may be
    registered(name=called)(build)
    return called


names = tuple(_register(name) for name in tasks())
