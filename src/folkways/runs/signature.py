"""The signature of a score: everything that decided it, on one line. Same signature, same inputs: same number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import Task
from folkways.records import Signature
from folkways.workspace.plans import RunTask


def signature(
    task: Task,
    run_task: RunTask,
    responses: pl.DataFrame,
    prompt_sources: Iterable[str],
    settings: Iterable[str],
    profile: str,
) -> Signature:
    """The signature of all scores of one endpoint on one task of a run, in one profile.

    settings: the sampling settings that were sent, each set as ``name=value`` pairs.
    """
    options: Mapping[str, Any] = run_task.options
    parts = {
        "task": task.name,
        "data": f"{run_task.release}#{run_task.fingerprint}",
        "lang": "+".join(sorted(responses["language"].unique().to_list())),
        "variant": "+".join(sorted(responses["variant"].unique().to_list())),
        "prompts": "+".join(sorted(set(prompt_sources))) + (f":{options['prompt_file']}" if options.get("prompt_file") else ""),
        "system": "yes" if options.get("system") else "task",
        "settings": "+".join(sorted(settings)),
        "samples": str(options.get("samples", 1)),
        "profile": profile,
        **{f"text-{language}": tool for language, tool in sorted(task.text_tools().items())},
        "seed": str(options.get("seed", 0)),
        "folkways": __version__,
    }
    if options.get("cultures"):
        parts["cultures"] = "+".join(sorted(options["cultures"]))
    if options.get("limit"):
        parts["limit"] = str(options["limit"])
    return Signature(parts)
