"""Runs: what is asked of whom, written down before it is asked, and scored from what was stored."""

import sys
from types import ModuleType
from typing import Any


class _Runs(ModuleType):
    """The package, which is also the function ``folkways.runs()``: Python binds the name of a package that is
    imported."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """As ``folkways.runs.results.run_list.runs``."""
        from folkways.runs.results.run_list import runs

        return runs(*arguments, **named)


sys.modules[__name__].__class__ = _Runs
