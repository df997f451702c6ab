"""What leaves a study: tables of everything, and releases that ``folkways data``, ``build`` and ``run`` take
as they are.

Nobody who withdrew is in any of it, nor anything that descends from what they alone wrote or said. People are
pseudonyms.
"""

from __future__ import annotations

FORMATS = ("release", "csv", "jsonl", "parquet", "xlsx", "hub")
"""``release``: the benchmark's own schema, as folkways reads it. The others: tables of judgements and
items."""
