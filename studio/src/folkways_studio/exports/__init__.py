"""What leaves a study: tables of everything, and releases that ``folkways data``, ``build`` and ``run``
accept.

People who withdrew are left out, with everything that descends only from their answers. People are
pseudonyms.
"""

from __future__ import annotations

FORMATS = ("release", "csv", "jsonl", "parquet", "xlsx", "hub", "label-studio", "argilla", "spacy", "conll")
"""``release``: the benchmark's own schema, as folkways reads it. The last four: what those projects read, of
which ``spacy`` and ``conll`` hold marked spans alone. The others: tables of judgements and items."""
