"""Workers that collect only the files they run leave no test out, and run none twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
FEW_PLUGINS = {"PYTHONPATH": str(REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
PLAIN = """
import pytest

@pytest.mark.parametrize("number", range(5))
def test_numbers(number, once):
    assert number != 3

@pytest.mark.slow
def test_long(once):
    pass

@pytest.fixture
def absent():
    raise LookupError

@pytest.fixture
def left_open():
    yield
    raise OSError

def test_setup_fails(absent): pass
def test_teardown_fails(left_open): pass

class TestOfAClass:
    def test_one(self, once): pass
    def test_two(self): pass
    def test_three(self): pytest.skip("not here")
    def test_four(self): pytest.xfail("not yet")
"""
FILES = {
    "pytest.ini": "[pytest]\nmarkers = slow: long\n",
    "conftest.py": """
import os, pathlib, pytest

pytest_plugins = ["tests.support.by_file"]

@pytest.fixture(scope="session")
def once():
    with pathlib.Path(os.environ["STARTED"]).open("a") as file:
        print("started", file=file)
""",
    **{f"test_{name}.py": PLAIN for name in ("a", "b", "c")},
    "test_absent.py": "import pytest\n\npytest.importorskip('no_such_module')\n",
    "test_broken.py": "import no_such_module\n\ndef test_nothing(): pass\n",
    "test_empty.py": "",
    "under/test_deep.py": "def test_deep(): pass\n",
    "tests/reports/test_shown.py": PLAIN,  # of those that go to one worker
    "tests/reports/test_drawn.py": "def test_drawn(): pass\n",
}
CRASHING = "import os\n\ndef test_good(): pass\n\ndef test_crash(): os._exit(3)\n\ndef test_after(): pass\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


def run(project: Path, *arguments: str) -> tuple[int, list[str], str]:
    """The exit code, one line for each test with what happened to it, and all that pytest printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "xdist", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env={
            **{name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER")},
            **FEW_PLUGINS,
            "STARTED": str(project / "started"),
        },  # in CI pytest does not shorten its summary to one line for each test
        capture_output=True,
        text=True,
        check=False,
    )
    summary = done.stdout.partition("short test summary info")[2].splitlines()[1:-1]
    return done.returncode, sorted(line.partition(" - ")[0] for line in summary), done.stdout


def test_two_workers_report_what_one_process_reports(project: Path) -> None:
    chosen = ("-m", "not slow", "-k", "not test_two")
    code, alone, _ = run(project, *chosen, "-n0", "--continue-on-collection-errors")
    assert code == 1
    counts = {word: sum(line.startswith(word) for line in alone) for word in ("PASSED", "FAILED", "ERROR")}
    assert counts == {"PASSED": 4 * 6 + 2, "FAILED": 4, "ERROR": 4 * 2 + 1}
    (project / "started").unlink()
    code, lines, _ = run(project, *chosen, "-n2", "--dist=loadfile")
    assert (code, lines) == (1, alone)
    # A session's fixture lives from file to file.
    assert len((project / "started").read_text().splitlines()) <= 2


def test_a_file_without_chosen_tests_between_two_folders_ends_what_its_folder_began(project: Path) -> None:
    (project / "far").mkdir()
    (project / "far" / "test_first.py").write_text("def test_first(): pass\n")
    (project / "far" / "test_nothing.py").write_text(
        "import pytest\n\n@pytest.mark.slow\ndef test_long(): pass\n"
    )
    code, lines, _ = run(project, "-n1", "--dist=loadfile", "-m", "not slow", "far", "under")
    assert (code, lines) == (
        0,
        ["PASSED far/test_first.py::test_first", "PASSED under/test_deep.py::test_deep"],
    )


def test_a_crash_fails_the_run_and_names_the_test(project: Path) -> None:
    (project / "test_crash.py").write_text(CRASHING)
    code, lines, printed = run(project, "-n1", "--dist=loadfile", "--max-worker-restart=0", "test_crash.py")
    assert code == 1
    assert lines == ["FAILED test_crash.py", "PASSED test_crash.py::test_good"]
    assert "crashed while running 'test_crash.py', in test_crash.py::test_crash\n" in printed
