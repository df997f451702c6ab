"""Which tests are nearest to a module: those beside it or with its name, those that import it, then those that import its users."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

MOST_FILES = 8
"""Files of tests that are run for one fault at most."""

SLOW = ("browser", "postgres", "local_model", "nightly")
"""Marks of tests that are left out: they take longer than all others together, and the same rules have faster ones."""


def nearest(root: Path, module: str, folders: Sequence[str]) -> list[str]:
    """Files of tests, nearest first. module: path of the module below ``src/folkways``; folders: the area's tests."""
    name = "folkways." + module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    files = [path for folder in folders for path in _test_files(root, folder)]
    users = {name, *(user for user, imports in _modules(root).items() if name in imports)}
    own, mirrored = Path(module).stem, root / "tests" / Path(module).parent

    def distance(path: Path) -> tuple[int, bool, int, str]:
        imports = _imports(path)
        direct = any(found == name or found.startswith(f"{name}.") for found in imports)
        titled, beside = own in path.stem, path.parent == mirrored
        orders = (direct and (titled or beside), titled, beside, direct, bool(users & imports), True)
        return orders.index(True), not titled, -len(users & imports), path.as_posix()

    ranked = sorted(dict.fromkeys(files), key=distance)
    return [path.relative_to(root).as_posix() for path in ranked[:MOST_FILES]]


@cache
def _modules(root: Path) -> dict[str, frozenset[str]]:
    """Module of folkways -> what it imports."""
    source = root / "src"
    found = {}
    for path in (source / "folkways").rglob("*.py"):
        name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        found[name] = _imports(path)
    return found


@cache
def _imports(path: Path) -> frozenset[str]:
    """Names of modules of folkways that a file imports, and of what it imports from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("folkways"):
            found.add(node.module)
            found.update(f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            found.update(name.name for name in node.names if name.name.startswith("folkways"))
    return frozenset(found)


@cache
def _test_files(root: Path, folder: str) -> Iterable[Path]:
    place = root / folder
    return [place] if place.is_file() else sorted(place.rglob("test_*.py"))
