"""A plugin of pytest that notes which lines of folkways each test executes. nearest.py starts it."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

import folkways

try:
    import folkways_studio
except ModuleNotFoundError:  # where the core is traced alone
    folkways_studio = None
from perf.mutants.nearest import SETUP


class Tracer:
    """Writes two files for its process: lines by test, and seconds of each test."""

    def __init__(self, folder: Path) -> None:
        self._target = folder / f"{os.getpid()}.json"
        packages = [folkways, *([folkways_studio] if folkways_studio else [])]
        self._coverage = coverage.Coverage(
            data_file=str(folder / f"{os.getpid()}.coverage"),
            include=[f"{Path(str(package.__file__)).parent}/*" for package in packages],
            config_file=False,
            messages=False,
        )
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._failed: list[str] = []
        self._coverage.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Lines from here on belong to what comes before the test."""
        self._coverage.switch_context(item.nodeid + SETUP)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Lines from here on belong to the test."""
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Seconds of setting up, running and taking down."""
        self._seconds[report.nodeid] += report.duration
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """All tests of this process have run."""
        self._coverage.stop()
        self._coverage.save()
        self._target.write_text(
            json.dumps({"seconds": self._seconds, "failed": self._failed}), encoding="utf-8"
        )


def pytest_configure(config: pytest.Config) -> None:
    """Trace in each process that runs tests."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        config.pluginmanager.register(Tracer(Path(os.environ["FOLKWAYS_TRACES"])))
