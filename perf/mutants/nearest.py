"""Which tests are nearest to a line: those that execute it, the ones that execute the least else first."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

from coverage import CoverageData

MOST_SECONDS, MOST_TESTS = 25.0, 400
"""What is run for one fault at most. Seconds: what the tests took of CPU when they were traced, which leaves time
within CPU_SECONDS for those that look at everything that comes out."""

MOST_FAILED = 50
"""Tests that fail without a fault, at most: a few depend on how busy the machine is, or see that they are traced."""

SOURCES = ("src", "studio/src")
"""Where packages are. Modules in areas.toml and equivalent.toml are named from there:
``folkways/stats/differences.py``."""

TESTS = ("tests", "studio/tests")
"""Folders of tests; those of slow marks are left out."""

HERE = Path(__file__).resolve().parent

LEFT_OUT = ("-m", "not browser and not postgres and not nightly")
"""Tests of these marks are never run: they take longer than all others together, and the same rules have faster
ones."""

NOT_TRACED = ("-m", f"{LEFT_OUT[1]} and not local_model")
"""Those that load a model run only for the modules that areas.toml names them for."""


@dataclass(frozen=True)
class Trace:
    """Which tests executed which lines.

    seconds: of CPU, of each test. executed: file -> line -> its tests. breadth: how many lines each test executed.
    """

    seconds: dict[str, float]
    executed: dict[str, dict[int, list[str]]]
    breadth: dict[str, int]

    def nearest(self, root: Path, path: str, line: int) -> list[str]:
        """Tests of a line, those of one file together.

        A statement that no test executes may run on import alone, or in a program that a test starts; and one
        outside of functions runs in the test that happens to import its module first. For these it is the tests of
        the files that name the module, and those of its function or file.
        """
        lines = self.executed.get(path, {})
        source = (root / path).read_text(encoding="utf-8")
        own, *wider = [{test for at in span for test in lines.get(at, ())} for span in _around(source, line)]
        naming = _naming(root, path, {_file(test) for test in self.seconds})
        if own and _in_function(source, line):
            return self._in_order(root, own, naming)
        named = {test for test in self.seconds if _file(test) in naming}
        return self._in_order(root, named.union(own, next(filter(None, wider), ())), naming)

    def _in_order(self, root: Path, tests: Iterable[str], naming: Collection[str]) -> list[str]:
        """The nearest within the bounds, and those that look at everything that comes out. naming: files whose
        tests come first."""

        def rank(test: str) -> tuple[bool, int, float, str]:
            return _file(test) not in naming, self.breadth[test], self.seconds.get(test, 0.0), test

        ranked = sorted(tests, key=rank)
        chosen: list[str] = []
        left = MOST_SECONDS
        for test in ranked[:MOST_TESTS]:
            left -= self.seconds.get(test, 0.0)
            if left > 0 or not chosen:
                chosen.append(test)
        chosen += [test for test in ranked if test not in chosen and _says(root, _file(test), RECORDED)]
        files = list(dict.fromkeys(_file(test) for test in chosen))
        return sorted(chosen, key=lambda test: files.index(_file(test)))


def trace(root: Path, folders: Iterable[str], kept: Path, jobs: int) -> Trace:
    """Which tests of the folders execute what. Only files of tests that have changed are run again; lines of
    source that have moved are followed, and one that is new has no tests of its own until a file of tests
    changes.
    """
    target = kept / "trace.json"
    raw: dict[str, Any] = {"digests": {}, "sources": {}, "seconds": {}, "executed": {}}
    if target.is_file():
        raw = json.loads(target.read_text(encoding="utf-8"))
    names = list(raw["seconds"])
    digests = {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in _tests(root, folders)
    }
    sources = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for folder in SOURCES
        for path in (root / folder).rglob("*.py")
    }
    if (digests, sources) == (raw["digests"], raw["sources"]):
        executed_by = {
            path: {int(line): [names[number] for number in numbers] for line, numbers in lines.items()}
            for path, lines in raw["executed"].items()
        }
        return _read(raw["seconds"], executed_by)
    stale = {path for path in {*digests, *raw["digests"]} if digests.get(path) != raw["digests"].get(path)}
    seconds = {test: spent for test, spent in raw["seconds"].items() if _file(test) not in stale}
    executed: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, lines in raw["executed"].items():
        moved = _moved(raw["sources"].get(path, ""), sources.get(path, ""))
        for line, numbers in lines.items():
            if int(line) in moved:
                executed[path][moved[int(line)]] |= {names[at] for at in numbers if names[at] in seconds}
    failed = _run(root, sorted(stale & set(digests)), jobs, seconds, executed)
    for test in failed:  # it would notice every fault
        seconds.pop(test, None)
        digests.pop(_file(test), None)
    listed = {
        path: {line: sorted(tests & seconds.keys()) for line, tests in lines.items() if tests}
        for path, lines in executed.items()
    }
    kept.mkdir(parents=True, exist_ok=True)
    number_of = {test: number for number, test in enumerate(seconds)}  # a tenth of the size of their names
    numbered = {
        path: {
            line: [number_of[test] for test in tests if test in number_of] for line, tests in lines.items()
        }
        for path, lines in listed.items()
    }
    target.write_text(
        json.dumps({"digests": digests, "sources": sources, "seconds": seconds, "executed": numbered}),
        encoding="utf-8",
    )
    if len(failed) > MOST_FAILED:
        raise SystemExit(f"tests must pass before faults are planted; these do not: {', '.join(failed)}")
    if failed:
        print(f"left out, as they fail without a fault: {', '.join(failed)}", flush=True)
    return _read(seconds, listed)


def _read(seconds: dict[str, float], executed: dict[str, dict[int, list[str]]]) -> Trace:
    return Trace(
        seconds,
        executed,
        Counter(test for lines in executed.values() for tests in lines.values() for test in tests),
    )


def _moved(before: str, after: str) -> dict[int, int]:
    """Line before -> line after, for the lines that are still there; all from 1."""
    if before == after:
        return {line: line for line in range(1, before.count("\n") + 2)}
    blocks = SequenceMatcher(
        None, before.splitlines(), after.splitlines(), autojunk=False
    ).get_matching_blocks()
    return {block.a + offset + 1: block.b + offset + 1 for block in blocks for offset in range(block.size)}


def _run(
    root: Path,
    files: Sequence[str],
    jobs: int,
    seconds: dict[str, float],
    executed: dict[str, dict[int, set[str]]],
) -> list[str]:
    """Run files of tests, and add what they executed and how long they took. Returns the tests that
    failed."""
    failed: list[str] = []
    if not files:
        return failed
    print(f"running {len(files)} files of tests, to see which lines each executes", flush=True)
    with tempfile.TemporaryDirectory(prefix="trace-") as scratch:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--no-header",
            "-p",
            "perf.mutants.tracing",
            "-p",
            "no:randomly",
        ]
        command += ["-n", str(jobs), "--dist", "loadfile", *NOT_TRACED, *files]
        paths = os.pathsep.join([*(str(root / folder) for folder in SOURCES), str(HERE.parents[1])])
        environment = {**os.environ, "PYTHONPATH": paths, "FOLKWAYS_TRACES": scratch}
        ended = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        if ended.returncode not in (0, TESTS_FAILED, NO_TESTS):
            raise SystemExit(f"the tests do not run:\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}")
        for part in Path(scratch).glob("*.json"):
            told = json.loads(part.read_text())
            seconds.update(told["seconds"])
            failed += told["failed"]
        beside = defaultdict(set)
        for test in seconds:
            beside[_file(test)].add(test)
        for part in Path(scratch).glob("*.coverage"):
            data = CoverageData(no_disk=True)
            data.loads(part.read_bytes())
            for file in data.measured_files():
                lines = executed[Path(file).relative_to(root).as_posix()]
                for line, contexts in data.contexts_by_lineno(file).items():
                    lines[line] |= _tests_in(contexts, beside)
    return failed


def _tests_in(contexts: Iterable[str], beside: Mapping[str, set[str]]) -> set[str]:
    """The tests of a line. What only one test of a file executes while it is set up is a fixture that the
    others share."""
    setups = {context.removesuffix(SETUP) for context in contexts if context.endswith(SETUP)}
    times = Counter(_file(test) for test in setups)
    found = {context for context in contexts if context} - {test + SETUP for test in setups} | setups
    return found.union(*(beside[file] for file, number in times.items() if number == 1))


TESTS_FAILED, NO_TESTS = 1, 5
"""How pytest ends where tests fail, and where every test of the files is left out."""

SETUP = " (setup)"
"""Marks what a test executes before its own first line."""


def _around(source: str, line: int) -> Iterator[range]:
    """The lines of the statement that a line is in, of its function or class, and of the file."""
    tree = ast.parse(source)
    holding = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and _first(node) <= line <= (node.end_lineno or 0)
    ]
    holding.sort(key=lambda node: (node.end_lineno or 0) - _first(node))
    if holding:
        inner = holding[0]
        body = getattr(inner, "body", None)
        yield range(
            inner.lineno, max(inner.lineno + 1, body[0].lineno if body else (inner.end_lineno or 0) + 1)
        )
    for node in holding:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield range(node.body[0].lineno, (node.end_lineno or 0) + 1)
    yield range(1, len(source.splitlines()) + 1)


def _in_function(source: str, line: int) -> bool:
    """Whether a line is in the body of a function."""
    functions = (
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return any(node.body[0].lineno <= line <= (node.end_lineno or 0) for node in functions)


RECORDED = r"\btests\.support\.(fingerprints|migrations)\b"
"""What tests import that compare whole outputs with recorded ones, or all tables with what migrations create."""


def _naming(root: Path, path: str, files: Iterable[str]) -> set[str]:
    """The files of tests that have a module's name, import it, or name it for a program to import."""
    package, _, name = ".".join(Path(path).with_suffix("").parts).rpartition("src.")[2].rpartition(".")
    imported = rf"\b{re.escape(package)}(\.{name}\b| import [^\n]*\b{name}\b)"
    return {file for file in files if file.endswith(f"/test_{name}.py") or _says(root, file, imported)}


@cache
def _says(root: Path, file: str, pattern: str) -> bool:
    return re.search(pattern, (root / file).read_text(encoding="utf-8")) is not None


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])


def _tests(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    for folder in sorted(set(folders)):
        place = root / folder
        yield from [place] if place.is_file() else place.rglob("test_*.py")


def _file(test: str) -> str:
    return test.split("::")[0]
