"""What a run of a few questions imports and reads: its start is most of what it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.command_line import environment

CODE = """
import sys
opened = []
sys.addaudithook(lambda event, values: opened.append(str(values[0])) if event == "open" else None)
from folkways.cli.main import main
try:
    main()
finally:
    print(*sorted(sys.modules), sep="\\n")
    print(*["file " + name for name in opened if name.endswith("METADATA")], sep="\\n")
"""

OWN_PIECES = """
import ctypes, os, sys
from folkways.cli.main import main
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks pieces bytes usmblks".split()]
libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info
try:
    main()
finally:
    block = b"." * (8 << 20)
    del block  # from here on glibc would keep blocks up to this size together with small ones
    before = libc.mallinfo2().bytes
    block = b"." * (2 << 20)
    print(libc.mallinfo2().bytes - before, os.environ[sys.argv[2]])
"""


NOT_NEEDED = (
    "aiohttp",
    "folkways.runs.gate",
    "folkways.runs.judging",
    "folkways.runs.on_ray",
    "folkways.runs.results.compare",
    "jinja2",
    "matplotlib",
    "ray",
    "scipy",
    "torch",
)


def test_a_run_imports_its_own_benchmark_alone_and_nothing_of_other_commands(tmp_path: Path) -> None:
    command = ["run", "demo/saq", "--limit", "1", "--model", "baseline/first", "-w", str(tmp_path / "w.db")]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *command],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "folkways.benchmarks.demo.tasks" in lines
    packages = {line.split(".")[2] for line in lines if line.startswith("folkways.benchmarks.")}
    assert not packages & {"blend", "culturalbench", "include", "normad", "semeval2026", "xcr"}
    assert [name for name in NOT_NEEDED if name in lines] == []
    metadata = [line for line in lines if line.startswith("file ")]
    assert len(metadata) == len(set(metadata)), "the metadata of a package are read once"


def test_large_blocks_of_memory_can_be_returned_to_the_system() -> None:
    polars = "_RJEM_MALLOC_CONF"  # what its allocator reads
    done = subprocess.run(
        [sys.executable, "-c", OWN_PIECES, "--version", polars],
        env={name: value for name, value in environment().items() if name != polars},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    taken, settings = done.stdout.splitlines()[-1].split()
    assert int(taken) >= 2 << 20
    assert "dirty_decay_ms:0" in settings


VERDICT = """
import sys
import folkways
def says_rice(prompt):
    return "Rice"
print(folkways.run("demo/saq", models=[says_rice], limit=1, workspace=sys.argv[1]).brief())
print(*sorted(name for name in sys.modules if name.startswith("folkways.benchmarks.")), sep="\\n")
"""


def test_a_verdict_imports_no_benchmark_that_was_not_asked(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", VERDICT, str(tmp_path / "w.db")],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "says_rice scores" in done.stdout
    assert "folkways.benchmarks.demo.tasks" in done.stdout.splitlines()
    packages = {line.split(".")[2] for line in done.stdout.splitlines() if line.startswith("folkways.b")}
    assert not packages & {"blend", "culturalbench", "include", "normad", "semeval2026", "xcr"}
