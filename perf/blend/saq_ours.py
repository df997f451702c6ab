"""Judges in a process of its own: ``python -m perf.blend.saq_ours IN OUT``; IN holds items and responses, OUT
gets seconds.

CPU seconds from the first reply to the last verdict, the start of the text tools in them.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import polars as pl

from folkways.benchmarks.blend.short_answers import ShortAnswers


def main() -> None:
    """Judge and measure."""
    source, target = map(Path, sys.argv[1:])
    items, responses = (
        pl.read_parquet(source / "items.parquet"),
        pl.read_parquet(source / "responses.parquet"),
    )
    began = time.process_time()
    judged = ShortAnswers().judge(items, responses, "paper")
    cpu = time.process_time() - began
    target.write_text(json.dumps({"cpu": cpu, "verdicts": judged["sem_b"].to_list()}), encoding="utf-8")


if __name__ == "__main__":
    main()
