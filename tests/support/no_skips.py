"""Turns skips into failures where nothing may be skipped: set FOLKWAYS_REQUIRE_ALL=1, as CI does.

A test that skips for want of reference data, a browser, a database server or torch says nothing; on the
machine that guards the project it must run.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _refuse_skip(report: Report) -> Report:
    if os.environ.get("FOLKWAYS_REQUIRE_ALL") == "1" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason}\nNothing may be skipped here (FOLKWAYS_REQUIRE_ALL=1)."
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _refuse_skip((yield))
