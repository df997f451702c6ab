"""A plugin of pytest that notes which lines of folkways each test executes. nearest.py starts it."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import coverage
import pytest

import folkways

try:
    import folkways_studio
except ModuleNotFoundError:  # where the core is traced alone
    folkways_studio = None
from perf.mutants.nearest import SETUP


class LineMonitor:
    """Notes lines by context as ``coverage.Coverage`` does, by sys.monitoring (Python 3.12 and newer).

    A line is noted once for each context and costs nothing after that: the tests take about as long as they do
    untraced. Coverage's own use of sys.monitoring knows no contexts, and its tracer makes the tests three times
    as slow.
    """

    def __init__(self, folders: list[Path]) -> None:
        self._data = coverage.CoverageData(no_disk=True)
        self._folders = tuple(f"{folder}{os.sep}" for folder in folders)
        self._context = ""
        self._lines: defaultdict[str, set[int]] = defaultdict(set)
        self._monitoring: Any = sys.monitoring

    def start(self) -> None:
        """Look at every function that starts, and at the lines of the packages' own."""
        monitoring, tool = self._monitoring, self._monitoring.COVERAGE_ID
        monitoring.use_tool_id(tool, "folkways mutants")
        monitoring.register_callback(tool, monitoring.events.PY_START, self._function)
        monitoring.register_callback(tool, monitoring.events.LINE, self._line)
        monitoring.set_events(tool, monitoring.events.PY_START)

    def switch_context(self, context: str) -> None:
        """Lines from here on belong to this context."""
        self._flush()
        self._context = context
        self._monitoring.restart_events()

    def stop(self) -> None:
        """Look no further."""
        self._monitoring.free_tool_id(self._monitoring.COVERAGE_ID)

    def get_data(self) -> coverage.CoverageData:
        """The lines of every context."""
        self._flush()
        return self._data

    def _function(self, code: CodeType, _: int) -> object:
        if code.co_filename.startswith(self._folders):
            self._monitoring.set_local_events(
                self._monitoring.COVERAGE_ID, code, self._monitoring.events.LINE
            )
        return self._monitoring.DISABLE

    def _line(self, code: CodeType, line: int) -> object:
        self._lines[code.co_filename].add(line)
        return self._monitoring.DISABLE

    def _flush(self) -> None:
        lines, self._lines = self._lines, defaultdict(set)
        if lines:
            self._data.set_context(self._context)
            self._data.add_lines(lines)


def line_monitor(folders: list[Path]) -> LineMonitor | coverage.Coverage:
    """What notes the lines of these folders: the faster one where this Python has it.

    Both keep them in memory until the end, as there are tests in which files may not grow.
    """
    if hasattr(sys, "monitoring"):
        return LineMonitor(folders)
    return coverage.Coverage(
        data_file=None, include=[f"{folder}/*" for folder in folders], config_file=False, messages=False
    )


class Tracer:
    """Writes two files for its process: lines by test, and the seconds of CPU that each test took.

    Not seconds of a clock: where others work on the machine, a test would seem to take all that is run for a fault.
    """

    def __init__(self, folder: Path) -> None:
        self._target = folder / f"{os.getpid()}.json"
        packages = [folkways, *([folkways_studio] if folkways_studio else [])]
        self._lines = line_monitor([Path(str(package.__file__)).parent for package in packages])
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._reported: set[str] = set()
        self._failed: list[str] = []
        self._lines.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Seconds of setting up, running and taking down, with the programs that the test started and waited for.

        Also called for a whole file of tests (tests/support/by_file.py), which nothing is reported of.
        """
        before = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] += sum(os.times()[:4]) - before

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Lines from here on belong to what comes before the test."""
        self._lines.switch_context(item.nodeid + SETUP)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Lines from here on belong to the test."""
        self._lines.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Which tests there are, and which of them fail."""
        self._reported.add(report.nodeid)
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """All tests of this process have run."""
        self._lines.stop()
        self._target.with_suffix(".coverage").write_bytes(self._lines.get_data().dumps())
        seconds = {test: spent for test, spent in self._seconds.items() if test in self._reported}
        self._target.write_text(json.dumps({"seconds": seconds, "failed": self._failed}), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Trace in each process that runs tests."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        config.pluginmanager.register(Tracer(Path(os.environ["FOLKWAYS_TRACES"])))
