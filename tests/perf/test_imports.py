"""What perf/ takes from the project is still there: nothing else runs most of it."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = ("folkways", "folkways_studio", "perf", "tests", "studio")


def test_every_name_that_perf_imports_of_the_project_is_there() -> None:
    names, lost = 0, []
    for file in sorted((ROOT / "perf").rglob("*.py")):
        for statement in ast.walk(ast.parse(file.read_text())):
            if isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] in OURS:
                module = import_module(str(statement.module))
                for name in statement.names:
                    names += 1
                    if not hasattr(module, name.name) and not (
                        hasattr(module, "__path__") and find_spec(f"{statement.module}.{name.name}")
                    ):
                        lost.append(f"{file.relative_to(ROOT)}:{statement.lineno}: {name.name}")
    assert names > 100
    assert lost == []
