"""Sifting in one process, with tasks on Ray, and with Ray Data: seconds, CPU and memory, and whether the
files are the same.

    python -m perf.facts.on_ray                       # half an hour; prints a table
    python -m perf.facts.on_ray --facts 100000        # a quick look

Each way is begun in a process of its own, Ray with it, on this machine. Ray Data reads the table, groups it
by culture, and hands each culture to the same code.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl
import psutil

from folkways.benchmarks.xcr.build.fact_filter import KEPT_FILE, LEFT_OUT_FILE, filter_culture, filter_facts
from folkways.benchmarks.xcr.build.facts import FACTS, FactRules, judged
from perf.facts.synthetic import Plan, write

WAYS = ("one process", "tasks on Ray", "Ray Data")
LIMIT = 5_000
EVERY = 1.0  # seconds between two looks at the processes


def sift_by(way: str, table: Path, out: Path) -> None:
    """Sift the table in one of WAYS."""
    if way == WAYS[0]:
        filter_facts(table, out, FactRules(), LIMIT)
    elif way == WAYS[1]:
        from folkways.runs.on_ray.executor import work_on_ray

        filter_facts(table, out, FactRules(), LIMIT, work_on=work_on_ray)
    else:
        by_ray_data(table, out)


def by_ray_data(table: Path, out: Path) -> None:
    """The fit facts of each culture as a group of Ray Data; what is left out is not written down."""
    import ray

    from folkways.runs.on_ray.cluster import connect

    connect()
    ray.data.DataContext.get_current().enable_progress_bars = False
    rows = ray.data.read_csv(str(table)).add_column(
        "row", lambda batch: range(1, len(batch) + 1), batch_format="pandas", concurrency=1
    )
    fit = rows.map_batches(fit_facts, batch_format="pyarrow", batch_size=50_000)
    fit.groupby("culture").map_groups(sift_group, batch_format="pyarrow").write_parquet(str(out))


def fit_facts(batch: Any) -> Any:
    """FACTS of the batch that are fit."""
    facts = pl.DataFrame(pl.from_arrow(batch)).select(list(FACTS))
    return judged(facts, FactRules()).filter(pl.col("reason").is_null()).select(list(FACTS)).to_arrow()


def sift_group(group: Any) -> Any:
    """KEPT of one culture."""
    facts = pl.DataFrame(pl.from_arrow(group)).sort("row")
    with tempfile.TemporaryDirectory() as name:
        file, folder = Path(name) / "facts.csv", Path(name) / "made"
        folder.mkdir()
        facts.select(list(FACTS)).cast(dict(FACTS)).write_csv(file, include_header=False)
        filter_culture(facts["culture"][0], file, folder, FactRules(), LIMIT)
        return pl.read_parquet(folder / KEPT_FILE).to_arrow()


def measured(way: str, table: Path, out: Path) -> str:
    """A line of the table: seconds, CPU seconds, MB of the largest process and of all together (shared pages
    counted once)."""
    began = time.perf_counter()
    seconds: dict[int, float] = {}
    largest = together = 0
    process = subprocess.Popen(
        [sys.executable, "-m", "perf.facts.on_ray", "--way", way, str(table), str(out)]
    )
    while process.poll() is None:
        now = 0
        for one in tree(process.pid):
            try:
                times, memory = one.cpu_times(), one.memory_full_info()
            except psutil.Error:
                continue
            seconds[one.pid] = times.user + times.system
            largest, now = max(largest, memory.rss), now + memory.pss
        together = max(together, now)
        time.sleep(EVERY)
    wall = time.perf_counter() - began
    failed = "" if process.returncode == 0 else f" (failed: {process.returncode})"
    return (
        f"| {way}{failed} | {wall:,.0f} | {sum(seconds.values()):,.0f} | {largest / 1e6:,.0f} | "
        f"{together / 1e6:,.0f} |"
    )


def tree(root: int) -> list[psutil.Process]:
    """The process and all that came of it."""
    try:
        process = psutil.Process(root)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.facts.on_ray", description="Sifting on a Ray cluster."
    )
    parser.add_argument("--facts", type=int, default=Plan().facts)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--way", nargs=3, metavar=("WAY", "TABLE", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        way, table, out = options.way
        sift_by(way, Path(table), Path(out))
        return
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "facts.csv", Plan(facts=options.facts))
        print("| way | wall s | CPU s | largest process MB | all together MB |\n|---|---|---|---|---|")
        ways = options.ways.split(",")
        for way in ways:
            print(measured(way, folder / "facts.csv", folder / way.replace(" ", "-")), flush=True)
        made = {way: folder / way.replace(" ", "-") for way in ways}
        first = made[ways[0]]
        for way in set(ways[1:]) & set(WAYS[:2]):  # Ray Data writes its parts in an order of its own
            same = all(
                (made[way] / file).read_bytes() == (first / file).read_bytes()
                for file in (KEPT_FILE, LEFT_OUT_FILE)
            )
            print(f"{way}: {'the same files' if same else 'other files'}")
        print(f"Load at the end: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
