"""What the construction of multiple-choice questions costs, and how far its judging modes agree.

python -m perf.blend.mcq                   # a minute; needs the reference data beside the checkout
python -m perf.blend.mcq --json out.json

The authors' seconds and calls are those of their own program with the same stand-in as judge, from the
reference set's stats.json: CPU seconds for choosing (their ``choices``), measured on another machine. Ours
are read from the kernel on this one: choosing, with the data read and nothing written, and the whole command
with start, items and files. A row is only shown when the items are the authors', byte for byte.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from folkways.benchmarks.blend.build.items import RELEASED, agreement
from folkways.benchmarks.blend.data.files import read_csv

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
JUNE = "3e4dcbd"
SETS = {"head_overlap": ("24e7d73", "overlap"), "june_hash04": (JUNE, "hash04")}
COMMAND = (sys.executable, "-m", "folkways.cli.main", "build", "mcq")
CHOOSING = """
import sys, time
from folkways.benchmarks.blend.build.choosing import Memory, choose
from folkways.benchmarks.blend.build.sources import select_sources
from folkways.benchmarks.blend.build.calls import RuleOracle
from folkways.benchmarks.blend import data as blend
from folkways.releases.stored_releases import open_release
data, texts, judge = open_release(sys.argv[1]), open_release(sys.argv[2]), RuleOracle(sys.argv[3])
began = time.process_time()
memory = Memory()
for source in select_sources(blend.read_annotations(data), blend.read_questions(texts)).sources:
    choose(source, memory, lambda call: judge.recall(call)[0])
print(time.process_time() - began)
"""


@dataclass(frozen=True)
class Cost:
    """One reference set: CPU seconds of choosing by both, of our whole command, and judge calls by both
    procedures."""

    name: str
    items: int
    theirs: float
    choosing: float
    command: float
    their_calls: int
    strict_calls: int

    @property
    def ratio(self) -> float:
        """How many times theirs is ours."""
        return self.theirs / self.choosing


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.blend.mcq", description="Cost of building multiple-choice questions."
    )
    parser.add_argument("--repeat", type=int, default=3, help="the least of so many measurements counts")
    parser.add_argument("--json", type=Path, help="also write the numbers there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        costs = [measure(set_name, folder, options.repeat) for set_name in SETS]
        print(
            "| set | items | theirs, CPU s | choosing, CPU s | times | whole command, CPU s | judge calls: "
            "theirs | strict |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        for cost in costs:
            print(
                f"| {cost.name} | {cost.items:,} | {cost.theirs:.1f} | {cost.choosing:.2f} | "
                f"{cost.ratio:.0f} | {cost.command:.1f} "
                f"| {cost.their_calls:,} | {cost.strict_calls} |"
            )
        print()
        print(
            "| judge | first | second | items | items | in both | Jaccard | questions with the same items |"
        )
        print("|---|---|---|---:|---:|---:|---:|---:|")
        modes = [row for judge in ("overlap", "hash04") for row in compare(judge, folder)]
        for row in modes:
            print(
                f"| {row['judge']} | {row['one']} | {row['other']} | {row['first']:,} | {row['second']:,} "
                f"| {row['common']:,} "
                f"| {row['jaccard']:.3f} | {row['equal']} of {row['questions']} |"
            )
    if options.json is not None:
        options.json.write_text(
            json.dumps({"costs": [asdict(cost) for cost in costs], "modes": modes}, indent=1) + "\n"
        )


def measure(name: str, folder: Path, repeat: int) -> Cost:
    """One reference set. RuntimeError when what was built is not what the authors built."""
    data, judge = SETS[name]
    reference = SHARED / "parity" / "blend_mcq" / name
    stats = json.loads((reference / "stats.json").read_text())
    release, texts = (str(SHARED / "data" / "blend" / state) for state in (data, JUNE))
    choosing = [float(_run([sys.executable, "-c", CHOOSING, release, texts, judge])) for _ in range(repeat)]
    arguments = ["--release", release, "--question-text", texts, "--judge", f"stand-in:{judge}"]
    spent = []
    for _ in range(repeat):
        before = _children()
        _run([*COMMAND, *arguments, "--wording-of", str(reference), "--out", str(folder / name)])
        spent.append(_children() - before)
    built = (folder / name / "mc_questions_file.csv").read_bytes()
    if built != gzip.decompress((reference / "mc_questions_file.csv.gz").read_bytes()):
        raise RuntimeError(f"{name}: the items are not the authors'")
    _run([*COMMAND, *arguments, "--profile", "strict", "--out", str(folder / f"{name}-strict")])
    strict = json.loads((folder / f"{name}-strict" / "mc_questions_file.build.json").read_text())
    return Cost(
        name,
        stats["n_mcq"],
        stats["choices_cpu_s"],
        min(choosing),
        min(spent),
        stats["judge_calls"],
        strict["judge_calls"],
    )


def compare(judge: str, folder: Path) -> list[dict[str, Any]]:
    """Agreement of the strict modes with one another and with the paper's procedure, on the newest data."""
    texts = str(SHARED / "data" / "blend" / JUNE)
    modes = {
        "paper": ("--profile", "paper"),
        "strict, by question": ("--profile", "strict"),
        "strict, 25 pairs": ("--profile", "strict", "--judge-batch", "25"),
        "strict, 1 pair": ("--profile", "strict", "--judge-batch", "1"),
    }
    tables = {}
    for place, (mode, arguments) in enumerate(modes.items()):
        out = folder / f"{judge}-{place}.csv"
        release = str(SHARED / "data" / "blend" / "24e7d73")
        common = [
            "--release",
            release,
            "--question-text",
            texts,
            "--judge",
            f"stand-in:{judge}",
            "--out",
            str(out),
        ]
        _run([*COMMAND, *common, *arguments])
        tables[mode] = read_csv(out, RELEASED)
    rows = []
    for other in ("strict, 25 pairs", "strict, 1 pair", "paper"):
        found = agreement(tables["strict, by question"], tables[other])
        counts = {
            "first": found.first,
            "second": found.second,
            "common": found.common,
            "jaccard": found.jaccard,
        }
        names = {"judge": judge, "one": "strict, by question", "other": other}
        rows.append({**names, **counts, "equal": found.equal_questions, "questions": found.questions})
    return rows


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    began = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - began:.0f} s in all")
