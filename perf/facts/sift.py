"""Sifts a table in a process of its own, so that its memory can be measured: python -m perf.facts.sift TABLE
OUT."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from folkways.benchmarks.xcr.build.fact_filter import filter_facts
from folkways.benchmarks.xcr.build.facts import FactRules


def main() -> None:
    table, out = (Path(argument) for argument in sys.argv[1:3])
    began = time.perf_counter()
    found = filter_facts(
        table,
        out,
        FactRules(),
        5_000,
        report=lambda what: print(f"{time.perf_counter() - began:7.1f} s  {what}"),
    )
    summary = {
        "rows": found.rows,
        "kept": found.kept,
        "clusters": found.clusters,
        "chosen": found.chosen.height,
    }
    (out / "summary.json").write_text(
        json.dumps({**summary, "left_out": dict(found.left_out)}), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
