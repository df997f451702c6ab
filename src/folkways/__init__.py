"""folkways measures how well language models know how people actually live.

From Python::

    import folkways

    run = folkways.run("demo", models="baseline/random", workspace="folkways.db")
    run.scores()        # a polars frame, one row per task, facet and metric
    run.judgements()    # one row per item
    run.report("report")
"""

from __future__ import annotations

TYPE_CHECKING = False
"""Not that of ``typing``, whose import takes longer than all the rest that stands before the command line
hears Ctrl-C."""

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from typing import Any

    from folkways.api import Run, compare, estimate, gate, item, judge, load_run, report, run
    from folkways.benchmarks.registry import get_task, tasks
    from folkways.benchmarks.released_data import open_release
    from folkways.endpoints.python.model import model
    from folkways.errors import FolkwaysError, FolkwaysWarning
    from folkways.integrations.compare_logs import compare_logs
    from folkways.integrations.report_logs import read_scores, report_logs
    from folkways.runs.options import AskOptions, RunOptions
    from folkways.runs.results.run_list import runs
    from folkways.workspace.database import open_workspace

__all__ = [
    "AskOptions",
    "FolkwaysError",
    "FolkwaysWarning",
    "Run",
    "RunOptions",
    "__version__",
    "compare",
    "compare_logs",
    "estimate",
    "gate",
    "get_task",
    "item",
    "judge",
    "load_run",
    "model",
    "open_release",
    "open_workspace",
    "read_scores",
    "report",
    "report_logs",
    "run",
    "runs",
    "tasks",
]

_HOMES = {
    **dict.fromkeys(
        ("Run", "compare", "estimate", "gate", "item", "judge", "load_run", "report", "run"), "folkways.api"
    ),
    **dict.fromkeys(("get_task", "tasks"), "folkways.benchmarks.registry"),
    **dict.fromkeys(("AskOptions", "RunOptions"), "folkways.runs.options"),
    **dict.fromkeys(("FolkwaysError", "FolkwaysWarning"), "folkways.errors"),
    "model": "folkways.endpoints.python.model",
    "compare_logs": "folkways.integrations.compare_logs",
    **dict.fromkeys(("read_scores", "report_logs"), "folkways.integrations.report_logs"),
    "open_release": "folkways.benchmarks.released_data",
    "open_workspace": "folkways.workspace.database",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import folkways`` alone stays fast."""
    from importlib import import_module

    if name == "runs":  # a package, which can be called
        return import_module("folkways.runs")
    if name not in _HOMES:
        raise AttributeError(f"module 'folkways' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
