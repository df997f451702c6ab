"""What mutation testing plants, and which tests it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray")

from perf.mutants.mutations import mutated, mutations
from perf.mutants.nearest import nearest

REPOSITORY = Path(__file__).resolve().parents[2]


def changed(tmp_path: Path, source: str, operator: str) -> list[str]:
    """The source with each fault of one operator in it."""
    (tmp_path / "module.py").write_text(source)
    found = [mutation for mutation in mutations(tmp_path, "module.py") if mutation.operator == operator]
    return [text.strip() for text in (mutated(tmp_path, mutation) for mutation in found) if text is not None]


@pytest.mark.parametrize(
    ("operator", "source", "faults"),
    [
        ("DropArgument", "get(rows, id=1, run=2)", ["get(rows, run=2)", "get(rows, id=1)"]),
        ("DropArgument", "rows.where(a == 1, b == 2)", ["rows.where( b == 2)", "rows.where(a == 1)"]),
        ("DropArgument", "get(run=2)", ["get()"]),
        ("DropArgument", "get(rows, 1)", []),
        ("DropTerm", "x = a and b and c", ["x = b and c", "x = a and c", "x = a and b"]),
        ("DropTerm", "x = (a == 1) & (b == 2)", ["x = (b == 2)", "x = (a == 1)"]),
        ("DropCall", "note(event)\nx = note(event)", ["pass\nx = note(event)"]),
        ("NegateMembership", "x = a in b", ["x = a not in b"]),
        ("NegateMembership", "x = a not in b", ["x = a in b"]),
        ("ReplaceComparisonOperator_Lt_LtE", "x = a < b", ["x = a <= b"]),
        (
            "NumberReplacer",
            "x: int = f(1)\nraise ValueError(1)",
            ["x: int = f( 2)\nraise ValueError(1)", "x: int = f( 0)\nraise ValueError(1)"],
        ),
        (
            "ReplaceBinaryOperator_BitOr_BitAnd",
            "def f(x: int | str) -> int | None: return x | 1",
            ["def f(x: int | str) -> int | None: return x & 1"],
        ),
    ],
)
def test_what_is_planted(tmp_path: Path, operator: str, source: str, faults: list[str]) -> None:
    assert changed(tmp_path, source, operator) == faults


def test_tests_that_import_a_module_come_first() -> None:
    found = nearest(REPOSITORY, "stats/kappa.py", ["tests/stats", "tests/reports"])
    assert found[0] == "tests/stats/test_kappa.py"
    assert nearest(REPOSITORY, "benchmarks/summary.py", ["tests/benchmarks"])[0] == "tests/benchmarks/test_summary.py"
