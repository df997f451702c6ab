"""What an exported task does inside lm-evaluation-harness: hand over its documents, and judge what came
back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.registry import get_task
from folkways.endpoints.clean import storable, thoughts_apart
from folkways.integrations.replies import Reply, ReplyJudge
from folkways.records import listed_likelihoods

Document = dict[str, Any]


class ExportedTask:
    """An exported task: ``NAME.docs.jsonl`` and ``NAME.items.parquet`` in the folder of its module
    ``NAME.py``."""

    def __init__(self, module: str | Path, task: str, profile: str) -> None:
        self._module, self._task, self._profile = Path(module), task, profile

    def documents(self, language: str | None = None) -> dict[str, Any]:
        """The documents as the split ``test``, as the harness wants them. language: None for all."""
        from datasets import Dataset  # of the harness's own environment

        lines = self._module.with_suffix(".docs.jsonl").read_bytes().splitlines()
        documents = [orjson.loads(line) for line in lines]
        return {"test": Dataset.from_list([one for one in documents if language in (None, one["language"])])}

    def judged(
        self, document: Document, results: Sequence[str], finish_reason: str | None = None
    ) -> dict[str, float]:
        """Metric -> value of the reply, a share of 1; a metric that does not apply to the item is left
        out."""
        reply = storable(thoughts_apart(results[0])[1])
        ids = {name: document[name] for name in ("item", "language", "variant")}
        _, values = self._judge.one(Reply(**ids, response=reply, finish_reason=finish_reason))
        return {name: value for name, value in values.items() if value is not None}

    def judged_likeliest(self, document: Document, results: Sequence[tuple[float, bool]]) -> dict[str, float]:
        """The same for the likeliest label, the first of several. results: log-likelihood of each label."""
        best = max(range(len(results)), key=lambda place: results[place][0])
        listed = listed_likelihoods(likelihood for likelihood, _ in results)
        return self.judged(document, [document["choices"][best]], listed)

    @cached_property
    def _judge(self) -> ReplyJudge:
        return ReplyJudge(
            get_task(self._task), pl.read_parquet(self._module.with_suffix(".items.parquet")), self._profile
        )
