"""What people may hand in as models and tasks, as types that an editor checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Protocol

from folkways.benchmarks.base import Task
from folkways.endpoints.base import Endpoint
from folkways.runs.options import DeployedModel, RunOptions


class Generates(Protocol):
    """An object that answers with its method ``generate``: one of your own, or a model of Inspect."""

    @property
    def generate(self) -> Callable[..., Any]:
        """Called with the prompt."""
        ...


class TableLike(Protocol):
    """A frame of replies: of polars or pandas."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...


ModelLike = str | Endpoint | DeployedModel | Callable[..., Any] | Generates | TableLike | Mapping[str, str]
"""One model: a name; what answers (a function, a pipeline, an object with ``generate``); replies, by item or
prompt, or a frame."""

ModelsLike = ModelLike | Sequence[ModelLike] | AbstractSet[ModelLike]
"""One model or several; one text may name several, separated by commas."""

TaskLike = str | Task
"""One task: its name, that of a benchmark or a suite; or the task itself."""

TasksLike = TaskLike | Path | RunOptions | Sequence[TaskLike] | AbstractSet[TaskLike]
"""One task or several, a recipe (``study.toml``), or options with the tasks in them."""
