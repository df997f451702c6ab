"""What packages may import of folkways, and what they can add: small, documented, and there."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import tomllib
from collections import defaultdict

import folkways.sdk
from folkways import plugins
from tests.support.doc_pages import REPOSITORY
from tests.support.python_source import statements

PAGE = (REPOSITORY / "docs" / "reference" / "sdk.md").read_text(encoding="utf-8")
MODULES = [f"folkways.sdk.{each.name}" for each in pkgutil.iter_modules(folkways.sdk.__path__)]


def imported_by_the_studio() -> dict[str, set[str]]:
    """Module of folkways -> names that folkways-studio imports from it."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for path in (REPOSITORY / "studio" / "src").rglob("*.py"):
        for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "folkways":
                names[str(node.module)] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Import):
                names.update(
                    {alias.name: set() for alias in node.names if alias.name.split(".")[0] == "folkways"}
                )
    return names


def test_the_interface_is_small_and_every_name_is_used_by_the_studio() -> None:
    imported = imported_by_the_studio()
    assert imported.pop("folkways") == {"__version__"}
    assert {name: set(importlib.import_module(name).__all__) for name in MODULES} == imported
    assert len(imported) <= 12 and sum(map(len, imported.values())) <= 120


def test_the_page_lists_every_name() -> None:
    rows = {
        row[0]: row[1]
        for row in re.findall(r"^\| `(folkways\.sdk\.\w+)` \| (.*) \|$", PAGE, flags=re.MULTILINE)
    }
    assert set(rows) == set(MODULES)
    for name in MODULES:
        listed = set(re.findall(r"`([\w.]+)`", rows[name]))
        assert set(importlib.import_module(name).__all__) <= listed, name


def test_extension_points_take_what_they_say() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for point in plugins.EXTENSION_POINTS:
        module, name = point.value.split(":")
        assert hasattr(importlib.import_module(module), name)
        assert f"`{point.group}`" in PAGE
    groups = {point.group for point in plugins.EXTENSION_POINTS}
    assert {group for group in project["entry-points"] if group.startswith("folkways.")} <= groups
