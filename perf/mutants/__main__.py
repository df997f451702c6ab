"""Plant a seeded sample of small faults, one at a time, and see whether the nearest tests notice.

python -m perf.mutants                       # 300 faults, seeded by today's date
python -m perf.mutants --sample 20 --area stats --seed 7
python -m perf.mutants --write               # and writes RESULTS.md

A fault that no test notices is a survivor: write the test that it asks for, or list it in equivalent.toml
with the reason why no test can notice it. What was found is kept in .tools/mutants, so that a run that was
stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import compileall
import datetime
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from typing import Any

from perf.mutants.mutations import Mutation, mutated, mutations
from perf.mutants.nearest import LEFT_OUT, SOURCES, TESTS, trace
from perf.mutants.processes import PytestRun, run_tests

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = ROOT / ".tools" / "mutants"
CPU_SECONDS, SECONDS = 60, 600
"""A fault counts as noticed after this much work, or this long a wait: tests that ended no longer end. On a busy
machine the work decides."""


@dataclass(frozen=True)
class FaultResult:
    """Of one mutation: ``killed`` (by which test), ``survived``, ``timeout`` or ``equivalent`` (why), and the
    changed lines. Seconds of the clock, and of CPU."""

    mutation: Mutation
    area: str
    outcome: str
    detail: str
    before: str
    after: str
    seconds: float = 0.0
    cpu: float = 0.0


def main() -> int:
    """Exit code 1 if a fault went unnoticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=300, help="how many faults (default 300)")
    parser.add_argument("--seed", default=datetime.date.today().isoformat(), help="default: today's date")
    parser.add_argument("--area", help="only this area of areas.toml")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="faults at a time (default: one per processor)"
    )
    parser.add_argument("--write", action="store_true", help="write RESULTS.md")
    options = parser.parse_args()
    names = [area["name"] for area in areas()]
    if options.area not in (None, *names):
        parser.error(f"no area {options.area!r}; there are {', '.join(names)}")
    if stale := stale_equivalents(ROOT):
        parser.error(f"equivalent.toml has rows whose lines are gone: {'; '.join(stale)}")
    area_of = {path: name for path, name in areas_of_files(ROOT).items() if options.area in (None, name)}
    everything = sorted(mutation for path in area_of for mutation in mutations(ROOT, path))
    drawn = _draw(everything, options.sample, str(options.seed))
    print(
        f"{len(everything):,} possible faults in {len(area_of)} files; {len(drawn)} drawn with seed "
        f"{options.seed}",
        flush=True,
    )
    kept = KEPT / f"{options.seed}-{options.area or 'all'}.jsonl"
    results = _run(drawn, area_of, options.jobs, kept)
    _tell(results)
    if options.write:
        (HERE / "RESULTS.md").write_text(_page(results, str(options.seed), len(everything)), encoding="utf-8")
    return int(any(result.outcome == "survived" for result in results))


def areas() -> list[dict[str, Any]]:
    """The areas of areas.toml, in their order: ``name`` and ``modules`` (patterns below the folders of sources)."""
    return _listed("area")


def areas_of_files(root: Path) -> dict[str, str]:
    """Every source file that an area has, with the first area that has it."""
    area_of: dict[str, str] = {}
    for area in areas():
        for path in _files(root, area["modules"]):
            area_of.setdefault(path, area["name"])
    return area_of


def named_tests(root: Path) -> dict[str, list[str]]:
    """Source file -> the tests that areas.toml names for it: no trace shows that they look at it."""
    tests: defaultdict[str, list[str]] = defaultdict(list)
    for row in _listed("beside"):
        for path in _files(root, row["modules"]):
            tests[path] += row["tests"]
    return dict(tests)


def _listed(kind: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((HERE / "areas.toml").read_text(encoding="utf-8"))[kind]
    return rows


def _files(root: Path, patterns: list[str]) -> list[str]:
    """The source files of patterns below the folders of sources."""
    return [
        path.relative_to(root).as_posix()
        for pattern in patterns
        for path in sorted(file for source in SOURCES for file in (root / source).glob(pattern))
    ]


def stale_equivalents(root: Path) -> list[str]:
    """Rows of equivalent.toml whose line is not in their file any more, as ``file: line``."""
    stale = []
    for path, before, _ in equivalents():
        files = [root / source / path for source in SOURCES]
        text = " ".join(
            " ".join(file.read_text(encoding="utf-8").split()) for file in files if file.is_file()
        )
        if " ".join(before.split()) not in text:
            stale.append(f"{path}: {before}")
    return stale


def _module(path: str) -> str:
    """A file of the repository as areas.toml names it."""
    return path.removeprefix("studio/").removeprefix("src/")


def _draw(everything: list[Mutation], size: int, seed: str) -> list[Mutation]:
    """Mutations in random order, at most one for each line and operator, without those that are no Python."""
    shuffled = random.Random(seed).sample(everything, len(everything))
    drawn: list[Mutation] = []
    seen: set[tuple[str, int, str]] = set()
    for mutation in shuffled:
        place = (mutation.path, mutation.line, mutation.operator)
        if len(drawn) < size and place not in seen and mutated(ROOT, mutation) is not None:
            seen.add(place)
            drawn.append(mutation)
    return drawn


def _run(drawn: list[Mutation], area_of: dict[str, str], jobs: int, kept: Path) -> list[FaultResult]:
    done = {}
    kept.parent.mkdir(parents=True, exist_ok=True)
    if kept.is_file():
        for line in kept.read_text().splitlines():
            raw = json.loads(line)
            result = FaultResult(**{**raw, "mutation": Mutation(**raw["mutation"])})
            done[result.mutation] = result
    waiting = [mutation for mutation in drawn if mutation not in done]
    if not waiting:
        return [done[mutation] for mutation in drawn]
    traced, beside, reasons = trace(ROOT, TESTS, KEPT, jobs), named_tests(ROOT), equivalents()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        places: Queue[Path] = Queue()
        for number in range(jobs):
            place = Path(scratch) / str(number)
            for source in SOURCES:
                shutil.copytree(ROOT / source, place / source, ignore=shutil.ignore_patterns("__pycache__"))
                compileall.compile_dir(place / source, quiet=1)
            places.put(place)
        broken: set[str] = set()
        sound: set[str] = set()

        def judged(mutation: Mutation) -> FaultResult:
            place = places.get()
            try:
                nearest = traced.nearest(ROOT, mutation.path, mutation.line)
                tests = [
                    test
                    for test in (*nearest, *beside.get(mutation.path, ()))
                    if test.split()[0] not in broken
                ]
                return _judge(mutation, area_of[mutation.path], tests, place, reasons)
            finally:
                places.put(place)

        with ThreadPoolExecutor(jobs) as pool, kept.open("a") as log:
            while waiting:
                began = time.monotonic()
                for number, result in enumerate(pool.map(judged, waiting), start=1):
                    done[result.mutation] = result
                    log.write(json.dumps({**asdict(result)}) + "\n")
                    log.flush()
                    left = (time.monotonic() - began) / number * (len(waiting) - number)
                    where = f"{_module(result.mutation.path)}:{result.mutation.line}"
                    print(
                        f"{number}/{len(waiting)} {result.outcome:10} {where} {result.mutation.operator} "
                        f"({left / 60:.0f} min left)",
                        flush=True,
                    )
                # A test that fails without a fault as well noticed nothing: it is left out, and its faults judged again.
                killers = sorted(
                    {done[each].detail for each in drawn if done[each].outcome == "killed"} - broken - sound
                )
                parts = [
                    killers[first : first + TESTS_AT_ONCE] for first in range(0, len(killers), TESTS_AT_ONCE)
                ]
                failing = set[str]().union(*pool.map(failing_tests, parts))
                broken |= failing
                sound |= {*killers} - failing
                waiting = [each for each in drawn if done[each].detail in failing]
    return [done[mutation] for mutation in drawn]


def _judge(
    mutation: Mutation, area: str, tests: list[str], place: Path, reasons: dict[tuple[str, str, str], str]
) -> FaultResult:
    original = (ROOT / mutation.path).read_text(encoding="utf-8")
    text = mutated(ROOT, mutation)
    assert text is not None  # drawn mutations are Python
    before, after = _changed(original, text)
    began = time.monotonic()
    reason = reasons.get((_module(mutation.path), before, after))
    if reason is not None:
        return FaultResult(mutation, area, "equivalent", reason, before, after)
    target = place / mutation.path
    if not tests:
        return FaultResult(mutation, area, "survived", "no test executes it", before, after)
    kept = target.stat()
    target.write_text(text, encoding="utf-8")
    try:
        ran = _run_tests(tests, place)
        if ran.code == NO_SUCH_TEST and "ImportError" not in ran.output:  # the fault is in a test's name
            ran = _run_tests(list(dict.fromkeys(test.split("::")[0] for test in tests)), place)
    finally:
        target.write_text(original, encoding="utf-8")
        os.utime(target, ns=(kept.st_atime_ns, kept.st_mtime_ns))  # as compiled
    outcome, detail = _outcome(ran)
    return FaultResult(mutation, area, outcome, detail, before, after, time.monotonic() - began, ran.cpu)


def _run_tests(tests: list[str], place: Path, first: bool = True) -> PytestRun:
    """first: whether the first failure ends it."""
    arguments = [
        *(["-x"] if first else []),
        "-q",
        "--no-header",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "--timeout=60",
    ]
    arguments += ["--hypothesis-profile=mutants", *LEFT_OUT, *tests]
    variables = {name: value for name, value in os.environ.items() if name != "FOLKWAYS_REQUIRE_ALL"}
    return run_tests(arguments, ROOT, [place / source for source in SOURCES], variables, CPU_SECONDS, SECONDS)


def failing_tests(tests: list[str]) -> set[str]:
    """Those of the tests, as pytest prints them, that fail on the source as it is."""
    functions = sorted({test.partition("[")[0] for test in tests if "::" in test})
    if not functions:
        return set()
    ran = _run_tests(functions, ROOT, first=False)
    if ran.code not in (0, 1):
        print(f"not run without a fault (pytest ended with {ran.code}): {', '.join(functions)}", flush=True)
    return {*tests} & {*FAILED.findall(ran.output)}


FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
"""A test that failed, as pytest names it, up to the first space in its name."""
TESTS_AT_ONCE = 8
"""Tests that are run again in one process, which may take CPU_SECONDS."""
NO_SUCH_TEST = 4
"""How pytest ends where it is asked for a test that is not there."""


def _outcome(ran: PytestRun) -> tuple[str, str]:
    if ran.code == 0:
        return "survived", ""
    if ran.code is None:
        return "timeout", f"no end within {SECONDS} s"
    if ran.code < 0:
        return "timeout", f"no end within {CPU_SECONDS} s of work"
    if broken := re.search(r"^ImportError while loading conftest '(\S+)'", ran.output, re.MULTILINE):
        return "killed", broken[1]
    failed = FAILED.search(ran.output)
    if failed is None and ran.code not in (1, 2):
        raise RuntimeError(f"pytest ended with {ran.code}:\n{ran.output[-2000:]}")
    detail = failed[1] if failed else ran.output.strip().splitlines()[-1]
    return "timeout" if "Failed: Timeout" in ran.output else "killed", detail


def _changed(original: str, text: str) -> tuple[str, str]:
    """The lines that differ, before and after."""
    lines = list(difflib.unified_diff(original.splitlines(), text.splitlines(), lineterm="", n=0))[2:]
    before = " ".join(line[1:].strip() for line in lines if line.startswith("-"))
    after = " ".join(line[1:].strip() for line in lines if line.startswith("+"))
    return before, after


def equivalents() -> dict[tuple[str, str, str], str]:
    listed = tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8")).get("equivalent", [])
    return {(entry["path"], entry["before"], entry["after"]): entry["reason"] for entry in listed}


def _share(results: list[FaultResult]) -> tuple[int, int]:
    counted = [result for result in results if result.outcome != "equivalent"]
    return sum(result.outcome != "survived" for result in counted), len(counted)


def _tell(results: list[FaultResult]) -> None:
    for result in results:
        if result.outcome == "survived":
            mutation = result.mutation
            print(
                f"\n{mutation.path}:{mutation.line} {mutation.operator}\n- {result.before}\n+ {result.after}"
            )
    killed, counted = _share(results)
    print(
        f"\n{killed} of {counted} noticed ({killed / max(1, counted):.1%}), {len(results) - counted} "
        "equivalent"
    )


def _commit() -> str:
    """The commit that is measured, in short."""
    asked = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _page(results: list[FaultResult], seed: str, possible: int) -> str:
    killed, counted = _share(results)
    spent = sorted(result.cpu for result in results if result.outcome == "killed") or [0.0]
    lines = [
        "# Mutation testing",
        "",
        f"Written by `python -m perf.mutants --write` on {datetime.date.today().isoformat()} of {_commit()} with seed "
        f"{seed}.",
        f"{len(results)} of {possible:,} possible faults were planted, one at a time.",
        f"**{killed} of {counted} ({killed / max(1, counted):.1%}) were noticed** by the nearest tests.",
        f"Half of them were within {spent[len(spent) // 2]:.1f} s of CPU, all within {spent[-1]:.1f} s.",
        f"{len(results) - counted} more change nothing that can be seen; `equivalent.toml` says why.",
        "",
        "| area | planted | noticed | equivalent | survived |",
        "|---|---|---|---|---|",
    ]
    for area in sorted({result.area for result in results}):
        counts = Counter(result.outcome for result in results if result.area == area)
        noticed = counts["killed"] + counts["timeout"]
        lines.append(
            f"| {area} | {counts.total()} | {noticed} | {counts['equivalent']} | {counts['survived']} |"
        )
    survivors = [result for result in results if result.outcome == "survived"]
    if survivors:
        lines += ["", "## Survivors"]
    for result in survivors:
        place = f"`{result.mutation.path}:{result.mutation.line}`"
        lines += ["", place, "", "```diff", f"- {result.before}", f"+ {result.after}", "```"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
