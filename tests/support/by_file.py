"""Workers that read only the files they run: what a worker is given is a file, which it collects then.

pytest-xdist makes every worker collect every test, which for 10,000 tests costs each more than ten seconds.
Here each worker lists the files, one entry for each, and the tests of a file are collected by the worker that
it falls to. So it is with ``--dist loadfile``, unless single tests are named (``FILE::TEST``).

It also makes a worker send five messages for each test. Here it sends that a test begins and how its call went;
setup and teardown only where they failed, printed something or took time.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

LONGEST = (
    "tests/runs/test_on_ray.py",
    "tests/runs/test_deployment_on_ray.py",
    "tests/docs/test_examples.py",
    "tests/runs/test_culturalbench_models.py",
    "tests/runs/test_misbehaving.py",
    "tests/benchmarks/blend/build/test_model.py",
    "studio/tests/people/test_accounts.py",
)
"""Files that take a minute or so each: begun first, so that no worker is left alone with one at the end."""

OF_MANY_LANGUAGES = (
    "tests/text/",
    *(f"tests/benchmarks/{name}/" for name in ("blend", "free_answers", "semeval2026")),
)
"""Folders of tests that read the tables of words of many languages, which takes four seconds."""

SHORT = 0.005
"""Seconds that ``pytest --durations`` leaves out unless it is asked for all."""


def shared_by(file: str, text: str) -> str:
    """What many files use and each worker would begin anew, so that they go to one worker; empty if there is
    none."""
    if file in LONGEST:
        return ""
    if file.startswith("tests/reports/"):
        return "drawings"
    if "mark.local_model" in text:
        return "torch"
    return "tables of words" if file.startswith(OF_MANY_LANGUAGES) else ""


class FileOfTests(pytest.Item):
    """A file whose tests were not collected yet. What its node id has before ``::`` goes to one worker."""

    def runtest(self) -> None:
        raise AssertionError("a file is run by pytest_runtest_protocol")

    @property
    def rank(self) -> int:
        """The longest files first, then those that share something, those that open a browser, and all others."""
        file, text = self.nodeid.rpartition("::")[2], self.path.read_text(encoding="utf-8")
        if file in LONGEST:
            return LONGEST.index(file)
        return len(LONGEST) + (0 if self.nodeid != file else 1 if "mark.browser" in text else 2)

    def collected(self) -> list[pytest.Item]:
        """The tests of the file that the options choose; a failure to import it is reported."""
        assert self.parent is not None and self.parent.parent is not None
        module: pytest.Module = pytest.Module.from_parent(self.parent.parent, path=self.path)
        items = list(self.session.genitems(module))
        self.config.hook.pytest_collection_modifyitems(session=self.session, config=self.config, items=items)
        return items


class UnreadModule(pytest.File):
    """A module that is listed and not imported."""

    def collect(self) -> Iterator[FileOfTests]:
        shared = shared_by(self.nodeid, self.path.read_text(encoding="utf-8"))
        nodeid = f"{shared}::{self.nodeid}" if shared else self.nodeid
        yield FileOfTests.from_parent(self, name=self.name, nodeid=nodeid)


class Distribution:
    """In the process that hands out the files: says so to the workers, and which test one crashed in."""

    def __init__(self) -> None:
        self.files = 1
        self.tests = 0
        self.begun: dict[str, str] = {}
        """The test of each file that began last."""

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session = session

    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["by_file"] = True

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.files = max(1, len(ids))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Progress is the share of the files that were begun: how many tests there are, nobody knows."""
        self.begun[nodeid.partition("::")[0]] = nodeid
        self.tests += 1
        self.session.testscollected = self.tests * self.files // len(self.begun)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After all others, as at the end of a test, of which the workers say nothing."""
        if report.when == "call" or not report.passed:
            self.session.config.hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)

    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        report.longrepr = (
            f"{report.longrepr}, in {self.begun.get(crashitem.rpartition('::')[2], 'its import')}"
        )


def pytest_configure(config: pytest.Config) -> None:
    by_file = config.getoption("dist", "no") == "loadfile" and not any("::" in name for name in config.args)
    if by_file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Distribution())


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> UnreadModule | None:
    by_file = getattr(parent.config, "workerinput", {}).get("by_file", False)
    return UnreadModule.from_parent(parent, path=module_path) if by_file else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """What chooses tests by name or mark sees tests, never a file."""
    files = sorted((item for item in items if isinstance(item, FileOfTests)), key=lambda file: file.rank)
    items[:] = [item for item in items if not isinstance(item, FileOfTests)]
    yield
    items[:0] = files


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not isinstance(item, FileOfTests):
        by_file = getattr(item.config, "workerinput", {}).get("by_file", False)
        return _run_and_tell(item, nextitem) if by_file else None
    session, tests = item.session, item.collected()
    index = session.items.index(item)
    for number, test in enumerate(tests, start=1):
        session.items[index] = test  # of which xdist tells the other process
        following = tests[number] if number < len(tests) else nextitem
        item.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
        if session.shouldfail or session.shouldstop:
            break
    if not tests:  # what the file before it shares with this one is not shared with the next
        session._setupstate.teardown_exact(nextitem)
    session.items[index] = item
    return True


def _run_and_tell(test: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test as pytest does, and report what somebody could want to know."""
    test.ihook.pytest_runtest_logstart(nodeid=test.nodeid, location=test.location)
    runner: Any = test.config.pluginmanager.get_plugin("runner")
    for report in runner.runtestprotocol(test, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed or report.sections or report.duration > SHORT:
            test.ihook.pytest_runtest_logreport(report=report)
    return True
