"""What a stored run asked and what came back: records, items, responses and judgements."""

from __future__ import annotations

from folkways.records import State
from folkways.runs.planning.plan import item_batches, release_of, restore_options
from folkways.runs.results.model_names import choose_models
from folkways.workspace import results, run_records

__all__ = [
    "State",
    "choose_models",
    "item_batches",
    "release_of",
    "restore_options",
    "results",
    "run_records",
]
