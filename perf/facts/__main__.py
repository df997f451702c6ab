"""Time and memory of sifting 1.1 million facts, and how many of the planted repeats are found.

    python -m perf.facts                       # about ten minutes; writes RESULTS.md
    python -m perf.facts --facts 100000        # a quick look; prints only

Two tables are sifted: one of sixty cultures of very different size, and one whose facts are all of a single
culture, which is the worst case for memory.
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
CULTURES = (60, 1)

ABOUT = """Peak memory is that of the largest process (`ru_maxrss`, 10^6 bytes), all libraries included. Wall time depends on what
else the machine does; CPU time little. A planted near-repeat has another word in place of the last one, so that the similarity of a
short fact can lie below the threshold of .8; facts are drawn from few frames, so that some are alike that were not planted.
"""


def main() -> None:
    """Measure, print, and write what was measured at the usual size."""
    usual = Plan().facts
    parser = argparse.ArgumentParser(
        prog="python -m perf.facts", description="Time and memory of sifting facts."
    )
    parser.add_argument("--facts", type=int, default=usual)
    options = parser.parse_args()
    columns = [_measured(Plan(facts=options.facts, cultures=cultures)) for cultures in CULTURES]
    names = list(dict.fromkeys(name for column in columns for name in column))
    lines = [f"| {name} | {' | '.join(column.get(name, '') for column in columns)} |" for name in names]
    report = (
        "# Sifting facts: filter, near-duplicates, clusters\n\n"
        f"Written by `python -m perf.facts`: {options.facts:,} facts made up by `synthetic.py`, some of "
        "them planted repeats; on "
        f"{os.cpu_count()} cores ({platform.machine()}, Python {platform.python_version()}, polars "
        f"{pl.__version__}).\n\n"
        + "\n".join(
            [
                "| | " + " | ".join("several cultures" if n > 1 else "one culture" for n in CULTURES) + " |",
                "|---|---|---|",
                *lines,
            ]
        )
        + f"\n\nThe goal for peak memory is below {MEMORY_GOAL:,.0f} MB. {ABOUT}"
    )
    print(report)
    if options.facts == usual:
        RESULTS.write_text(report, encoding="utf-8")


def _measured(plan: Plan) -> dict[str, str]:
    """One column of the table: what is measured -> its value."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, out = folder / "facts.csv", folder / "out"
        write(table, plan)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")]),
        }
        usage = run([sys.executable, "-m", "perf.facts.sift", table, out], folder / "log.txt", environment)
        return _column(plan, table, out, usage)


def _column(plan: Plan, table: Path, out: Path, usage: Usage) -> dict[str, str]:
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    found, spurious = _planted(table, out)
    return {
        "cultures": f"{plan.cultures}",
        "table": f"{table.stat().st_size / 1e6:,.0f} MB",
        "wall time": f"{usage.wall:,.0f} s",
        "CPU time": f"{usage.cpu:,.0f} s",
        "peak memory": f"{usage.peak:,.0f} MB",
        "facts read": f"{summary['rows']:,}",
        **{f"left out: {reason}": f"{count:,}" for reason, count in summary["left_out"].items()},
        "kept": f"{summary['kept']:,}",
        "clusters": f"{summary['clusters']:,}",
        "chosen to draw items from": f"{summary['chosen']:,}",
        **{f"planted '{kind}' found": f"{share:.2%}" for kind, share in found.items()},
        "left out as repeats that were not planted": f"{spurious:,}",
    }


def _planted(table: Path, out: Path) -> tuple[dict[str, float], int]:
    """Share of each kind of planted repeat that was left out, and how many others were left out as
    repeats."""
    planted = pl.read_csv(table, columns=["kind"], infer_schema=False).with_row_index("row", 1).fill_null("")
    left_out = pl.read_csv(out / "facts-left-out.csv").filter(pl.col("like_row").is_not_null())
    marked = planted.with_columns(out=pl.col("row").is_in(left_out["row"].cast(pl.UInt32).implode()))
    shares = {
        kind: float(marked.filter(pl.col("kind") == kind)["out"].mean() or 0) for kind in ("same", "alike")
    }
    return shares, marked.filter(pl.col("kind") == "")["out"].sum()


if __name__ == "__main__":
    main()
