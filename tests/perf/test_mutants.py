"""What mutation testing plants, and which tests it runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

pytest.importorskip("cosmic_ray")

from perf.mutants.__main__ import (
    areas,
    areas_of_files,
    equivalents,
    failing_tests,
    named_tests,
    stale_equivalents,
)
from perf.mutants.mutations import mutated, mutations
from perf.mutants.nearest import MOST_TESTS, SOURCES, Trace, trace
from perf.mutants.processes import PytestRun, run_tests

ROOT = Path(__file__).resolve().parents[2]


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
        (
            "DropArgument",
            "zip(a, b, strict=True)\nzip(a, b, strict=False)\nget(strict=True)",
            ["zip(a, b, strict=True)\nzip(a, b, strict=False)\nget()"],
        ),
        (
            "ReplaceTrueWithFalse",
            "zip(a, b, strict=True)\nget(strict=True)",
            ["zip(a, b, strict=True)\nget(strict=False)"],
        ),
        ("ReplaceFalseWithTrue", "zip(a, b, strict=False)", ["zip(a, b, strict=True)"]),
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
        (
            "DropTerm",
            "Row = Mapping[str, int | None]\nTold = int | None\nT = list[A | B]\n_Of: TypeAlias = A | B\nFLAGS = re.A | re.I",
            [
                f"Row = Mapping[str, int | None]\nTold = int | None\nT = list[A | B]\n_Of: TypeAlias = A | B\nFLAGS = {left}"
                for left in ("re.I", "re.A")
            ],
        ),
        (
            "DropArgument",
            'T = TypeVar("T", bound=A)\nMade = make(bound=A)',
            ['T = TypeVar("T", bound=A)\nMade = make()'],
        ),
        (
            "NumberReplacer",
            "Level = Literal[1]\nLow = levels[1] + x\nlow = levels[1]",
            [
                f"Level = Literal[1]\nLow = levels[{one}] + x\nlow = levels[{other}]"
                for one, other in ((" 2", "1"), (" 0", "1"), ("1", " 2"), ("1", " 0"))
            ],
        ),
    ],
)
def test_what_is_planted(tmp_path: Path, operator: str, source: str, faults: list[str]) -> None:
    assert changed(tmp_path, source, operator) == faults


@pytest.mark.nightly  # seconds of imports
def test_tests_that_execute_a_line_and_little_else_come_first(tmp_path: Path) -> None:
    source, tests = tmp_path / "src" / "folkways", tmp_path / "tests"
    source.mkdir(parents=True)
    tests.mkdir()
    (source / "__init__.py").write_text("")
    (source / "sums.py").write_text(
        "def double(x, times=2):\n    return x * times\n\n\ndef lone(x):\n    return x\n\n\ndef "
        "unused():\n    return 0\n"
    )
    (tests / "test_broad.py").write_text(
        "import pytest, resource\nfrom folkways.sums import double, lone\n\n\n"
        "@pytest.fixture\ndef full_disk():\n    before = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))\n    yield lone(0)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, before)\n\n\n"
        "@pytest.fixture(scope='module')\ndef four():\n    return lone(double(2))\n\n\n"
        "def test_first(four):\n    assert four == 4\n\n\ndef test_second(four, full_disk):\n    assert four > 3\n"
    )
    (tests / "test_narrow.py").write_text(
        "import time\nfrom folkways.sums import double\n\n\ndef test_one():\n    time.sleep(0.5)\n    assert double(1) == 2\n"
    )
    (source / "names.py").write_text("NAME = 'sums'\n")
    (tests / "test_names.py").write_text(
        "from folkways import names\n\n\ndef test_name():\n    assert names.NAME\n"
    )
    found = trace(tmp_path, ["tests"], tmp_path / "kept", 1)
    narrow, first, second = (
        "tests/test_narrow.py::test_one",
        "tests/test_broad.py::test_first",
        "tests/test_broad.py::test_second",
    )
    assert 0 <= found.seconds[narrow] < 0.4, (
        "work, and no wait: neither the test's own nor for a busy machine"
    )
    path = "src/folkways/sums.py"
    assert found.nearest(tmp_path, path, 2)[0] == narrow
    assert set(found.nearest(tmp_path, path, 2)) == {narrow, first, second}
    assert set(found.nearest(tmp_path, path, 1)) == {
        narrow,
        first,
        second,
    }  # a default is read on import: the function's
    assert set(found.nearest(tmp_path, path, 6)) == {first, second}  # a fixture that both share
    assert set(found.nearest(tmp_path, path, 10)) == {narrow, first, second}  # executed by none: the file's
    names = found.nearest(tmp_path, "src/folkways/names.py", 1)  # nothing in it runs but on import
    assert names == ["tests/test_names.py::test_name"]
    kept = trace(tmp_path, ["tests"], tmp_path / "kept", 1)
    assert kept == found, "what was kept is read as it was written"


def test_a_constant_is_not_left_to_the_test_that_imports_its_module_first(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text(
        "X = 1\n\n\nclass C:\n    y = 2\n\n    def f(self):\n        return X\n\n\ndef g(): return 3\n"
    )
    imports, named, calls, other = (f"t/test_{name}.py::test" for name in ("a", "sums", "b", "c"))
    (tmp_path / "t").mkdir()
    for test in (imports, named, calls, other):
        (tmp_path / test.split("::")[0]).write_text("")
    on_import = {number: [imports] for number in (1, 4, 5, 7)}
    lines = {"sums.py": {**on_import, 8: [calls], 11: [imports, other]}}
    breadth = Counter({imports: 4, calls: 1, other: 1})
    found = Trace(dict.fromkeys((imports, named, calls, other), 0.1), lines, breadth)
    assert found.nearest(tmp_path, "sums.py", 1)[0] == named
    assert set(found.nearest(tmp_path, "sums.py", 1)) == {imports, named, calls, other}
    assert set(found.nearest(tmp_path, "sums.py", 5)) == {imports, named, calls}
    assert found.nearest(tmp_path, "sums.py", 8) == [calls]
    assert set(found.nearest(tmp_path, "sums.py", 11)) == {imports, other}


def test_tests_of_whole_outputs_are_always_among_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text("x = 1\n")
    for name in ("test_lone.py", "test_whole.py"):
        (tmp_path / name).write_text(
            "from tests.support.fingerprints import check_fingerprints\n" * (name[5] == "w")
        )
    lone, whole = [f"test_lone.py::test_{number}" for number in range(MOST_TESTS + 1)], "test_whole.py::test"
    lines = {"sums.py": {1: [*lone, whole]}}
    nearest = Trace({}, lines, Counter({whole: 9, **dict.fromkeys(lone, 1)})).nearest(tmp_path, "sums.py", 1)
    assert len(nearest) == MOST_TESTS + 1 and whole in nearest


def test_every_file_of_both_packages_is_in_an_area() -> None:
    area_of = areas_of_files(ROOT)
    files = {
        path.relative_to(ROOT).as_posix() for source in SOURCES for path in (ROOT / source).rglob("*.py")
    }
    assert files - set(area_of) == set()
    assert {area["name"] for area in areas()} == set(area_of.values()), "an area has no file of its own"


def test_tests_are_run_for_modules_that_they_look_at_from_without() -> None:
    """What is named there exists; the nearest files of tests need not be told."""
    beside = named_tests(ROOT)
    assert {
        file for tests in beside.values() for file in tests if not (ROOT / file.split("::")[0]).is_file()
    } == set()
    assert beside["src/folkways/cli/gate.py"] == [
        "tests/docs/test_reference.py::test_reference_is_what_the_commands_say"
    ]
    assert beside["src/folkways/endpoints/generation.py"] == ["tests/endpoints/test_local.py"]
    for module in ("web/api/bodies.py", "people/api.py", "items/assignment_api.py"):
        assert "studio/tests/web/api/test_api_bounds.py" in beside[f"studio/src/folkways_studio/{module}"]
    assert "src/folkways/runs/work.py" not in beside


def test_faults_that_change_nothing_are_of_lines_that_exist() -> None:
    assert stale_equivalents(ROOT) == []


def test_a_line_that_is_gone_is_named(tmp_path: Path) -> None:
    """In an empty tree no line is there."""
    assert len(stale_equivalents(tmp_path)) == len(equivalents())


@pytest.mark.nightly  # seconds of imports
def test_a_run_tells_how_it_ended_and_what_it_cost(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "planted.py").write_text("VALUE = 2\n")
    cases = {
        "good": "assert planted.VALUE == 2",
        "bad": "assert planted.VALUE == 3",
        "endless": "while True: pass",
    }
    for name, line in cases.items():
        (tmp_path / f"test_{name}.py").write_text(f"import planted\n\ndef test_{name}():\n    {line}\n")

    def run(name: str) -> PytestRun:
        arguments = ["-q", "-p", "no:cacheprovider", f"test_{name}.py"]
        return run_tests(arguments, tmp_path, [tmp_path / "source"], dict(os.environ), 2, 60)

    good, bad, endless = run("good"), run("bad"), run("endless")
    assert (good.code, bad.code, endless.code) == (0, 1, -signal.SIGKILL)
    assert "FAILED test_bad.py::test_bad" in bad.output
    assert 0 < good.cpu < 2 and endless.cpu == 2
    assert not list((tmp_path / "source").glob("__pycache__"))


@pytest.mark.nightly
def test_the_page_of_results_is_not_too_old() -> None:
    written = re.search(
        r" of ([0-9a-f]{12}) ", (ROOT / "perf/mutants/RESULTS.md").read_text(encoding="utf-8")
    )
    assert written, "python -m perf.mutants --write"
    since = ["git", "rev-list", "--count", f"{written[1]}..HEAD"]
    commits = subprocess.run(since, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert int(commits) <= 300, "python -m perf.mutants --write"


@pytest.mark.nightly  # seconds of imports
def test_tests_that_fail_without_a_fault_are_told_from_those_that_do_not() -> None:
    tools = ROOT / ".tools"
    tools.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=tools) as folder:  # below conftest.py, which pytest reads first
        file = Path(folder) / "test_alone.py"
        file.write_text(
            "import pytest\n\n@pytest.mark.parametrize('word', ['one two', 'two'])\n"
            "def test_a(word):\n    assert word == 'two'\n\n"
            "def test_b():\n    assert True\n\ndef test_c():\n    assert False\n"
        )
        path = file.relative_to(ROOT)
        names = [f"{path}::{test}" for test in ("test_a[one", "test_a[two]", "test_b", "test_c")]
        assert failing_tests(names) == {names[0], names[3]}
