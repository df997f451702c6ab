"""Whoever does something on a page or by the API is told to what does it: the audit trail names them."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import folkways_studio

BY_THEMSELVES = {f"folkways_studio.people.entry_pages: {name}" for name in ("withdraw", "delete_attributes")}
"""Module and function: people do it to what is theirs."""


def calls(module: ModuleType) -> Iterator[tuple[ast.Call, Any]]:
    """The calls of functions that the module names, with the function."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call):
            path = ast.unparse(node.func).split(".")
            called: Any = module
            for name in path:
                called = getattr(called, name, None)
            if inspect.isfunction(called):
                yield node, called


def test_what_a_page_or_the_api_has_done_is_done_by_somebody() -> None:
    found, alone = 0, set()
    for info in pkgutil.walk_packages(folkways_studio.__path__, "folkways_studio."):
        if not info.name.endswith(("pages", "api")):
            continue
        for node, called in calls(importlib.import_module(info.name)):
            by = inspect.signature(called).parameters.get("by")
            if by is not None and by.default is None:
                found += 1
                if all(keyword.arg not in ("by", None) for keyword in node.keywords):
                    alone.add(f"{info.name}: {called.__name__}")
    assert found > 30
    assert alone == BY_THEMSELVES
