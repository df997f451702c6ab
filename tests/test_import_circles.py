"""No module imports, by whatever way, one that imports it: lazy imports and those for type checkers count as
well."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tests.support.python_source import statements

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "src", ROOT / "studio" / "src")
CURATED = ("folkways",)
"""Packages whose ``__init__`` names for type checkers what other modules of theirs define."""


def files_of(*sources: Path) -> dict[str, Path]:
    """Dotted name -> file of every module below these folders."""
    files = {}
    for source in sources:
        for file in source.rglob("*.py"):
            parts = file.relative_to(source).with_suffix("").parts
            files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return files


def imports_of(module: str, file: Path, modules: set[str]) -> set[str]:
    """Those of ``modules`` that a module imports anywhere in its file."""
    imported: set[str] = set()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in statements(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            members = {f"{base}.{alias.name}" for alias in node.names}
            imported |= {member if member in modules else base for member in members}
    return imported & modules - {module}


def circles(files: dict[str, Path], curated: tuple[str, ...] = ()) -> list[list[str]]:
    """Modules that import each other, one list for each circle. curated: modules whose imports do not count."""
    names, modules = sorted(files), set(files)
    number = {name: index for index, name in enumerate(names)}
    arrows = [
        (number[name], number[imported])
        for name in names
        if name not in curated
        for imported in imports_of(name, files[name], modules)
    ]
    rows, columns = zip(*arrows, strict=True)
    graph = csr_array(([1] * len(arrows), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(graph, connection="strong")
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        groups.setdefault(int(label), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def test_no_modules_import_each_other() -> None:
    files = files_of(*SOURCES)
    assert len(files) > 500
    assert circles(files, CURATED) == []


@pytest.mark.parametrize(
    "way",
    [
        "from app import beta",
        "import app.beta",
        "from . import beta",
        "from .beta import B",
        "from app.beta import B",
        "def f():\n    from app.beta import B",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from app.beta import B",
    ],
)
def test_every_way_of_importing_counts(way: str, tmp_path: Path) -> None:
    texts = {
        "__init__": "",
        "alpha": way,
        "beta": "from app.gamma import C",
        "gamma": "import app.alpha",
        "delta": way,
    }
    (tmp_path / "app").mkdir()
    for name, text in texts.items():
        (tmp_path / "app" / f"{name}.py").write_text(text)
    assert circles(files_of(tmp_path)) == [["app.alpha", "app.beta", "app.gamma"]]


def test_no_benchmark_is_left_out_of_the_rule_that_none_is_known_outside() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    (rule,) = (
        one
        for one in project["tool"]["importlinter"]["contracts"]
        if one["name"] == "Nothing outside benchmarks knows a particular benchmark"
    )
    entries = project["project"]["entry-points"]["folkways.benchmarks"].values()
    assert sorted(rule["forbidden_modules"]) == sorted(entry.partition(":")[0] for entry in entries)
