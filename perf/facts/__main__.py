"""Time and memory of sifting 1.1 million facts, and how many of the planted repeats are found.

python -m perf.facts                       # about ten minutes; writes RESULTS.md
python -m perf.facts --facts 100000        # a quick look; prints only
python -m perf.facts --cultures 1          # the worst case for memory: all facts of one culture; prints only
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

import polars as pl

from perf.engine.measure import Usage, run
from perf.facts.synthetic import Plan, write

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "RESULTS.md"
MEMORY_GOAL = 1000.0  # MB


def main() -> None:
    """Measure, print, and write what was measured with the usual plan."""
    usual = Plan()
    parser = argparse.ArgumentParser(prog="python -m perf.facts", description="Time and memory of sifting facts.")
    parser.add_argument("--facts", type=int, default=usual.facts)
    parser.add_argument("--cultures", type=int, default=usual.cultures)
    options = parser.parse_args()
    plan = Plan(facts=options.facts, cultures=options.cultures)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "facts.csv"
        write(table, plan)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])}
        usage = run([sys.executable, "-m", "perf.facts.sift", table, folder / "out"], folder / "log.txt", environment)
        report = _report(plan, table, folder / "out", usage)
    print(report)
    if plan == usual:
        RESULTS.write_text(report, encoding="utf-8")


def _report(plan: Plan, table: Path, out: Path, usage: Usage) -> str:
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    found, spurious = _planted(table, out)
    left_out = "".join(f"| left out: {reason} | {count:,} |\n" for reason, count in summary["left_out"].items())
    recall = "".join(f"| planted '{kind}' found | {share:.2%} |\n" for kind, share in found.items())
    return (
        "# Sifting facts: filter, near-duplicates, clusters\n\n"
        f"Written by `python -m perf.facts`, on {os.cpu_count()} cores ({platform.machine()}, Python {platform.python_version()}, "
        f"polars {pl.__version__}). The table is made up by `synthetic.py`: {plan.facts:,} facts of {plan.cultures} cultures "
        "of very different size, some of them planted repeats.\n\n"
        "| | |\n|---|---|\n"
        f"| table | {table.stat().st_size / 1e6:,.0f} MB |\n"
        f"| wall time | {usage.wall:,.0f} s |\n| CPU time | {usage.cpu:,.0f} s |\n"
        f"| peak memory | {usage.peak:,.0f} MB (goal: below {MEMORY_GOAL:,.0f}) |\n"
        f"| facts read | {summary['rows']:,} |\n{left_out}"
        f"| kept | {summary['kept']:,} in {summary['clusters']:,} clusters |\n"
        f"| chosen to draw items from | {summary['chosen']:,} |\n{recall}"
        f"| left out as repeats that were not planted | {spurious:,} |\n\n"
        "Peak memory is that of the largest process (`ru_maxrss`, 10^6 bytes), all libraries included. Wall time depends on "
        "what else the machine does; CPU time little. A planted near-repeat has another word in place of the last one, so that the "
        "similarity of a short fact can lie below the threshold of .8.\n"
    )


def _planted(table: Path, out: Path) -> tuple[dict[str, float], int]:
    """Share of each kind of planted repeat that was left out, and how many others were left out as repeats."""
    planted = pl.read_csv(table, columns=["kind"], infer_schema=False).with_row_index("row", 1).fill_null("")
    left_out = pl.read_csv(out / "facts-left-out.csv").filter(pl.col("like_row").is_not_null())
    marked = planted.with_columns(out=pl.col("row").is_in(left_out["row"].cast(pl.UInt32).implode()))
    shares = {kind: float(marked.filter(pl.col("kind") == kind)["out"].mean() or 0) for kind in ("same", "alike")}
    return shares, marked.filter(pl.col("kind") == "")["out"].sum()


if __name__ == "__main__":
    main()
