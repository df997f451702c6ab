"""Benchmarks of other packages: what they bring is shown; one that cannot be loaded costs a line of warning
and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.benchmark_packages import installed
from tests.support.command_line import environment, folkways, folkways_process, rows
from tests.support.doc_pages import REPOSITORY, blocks


def install(folder: Path, module: str, source: str, benchmark: str, entry: str = "") -> None:
    """Put a package into a folder as pip would with --target. entry: its entry points, if not that of a
    benchmark."""
    (folder / f"{module}.py").write_text(source)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        entry or f"[folkways.benchmarks]\n{benchmark} = {module}:BENCHMARK\n"
    )


BROKEN = {
    "raises": ("raise RuntimeError('no licence key')\n", "no licence key"),
    "needs what is not there": ("import no_such_module\n", "no_such_module"),
    "names nothing": ("TASKS = ()\n", "BENCHMARK"),
    "names something else": ("BENCHMARK = 3\n", "int"),
}


@pytest.mark.parametrize("why", BROKEN)
def test_a_broken_package_costs_one_line(tmp_path: Path, why: str) -> None:
    source, message = BROKEN[why]
    install(tmp_path, "their_package", source, "theirs")
    settings = environment()
    without = folkways("tasks", env=settings)
    done = folkways_process(
        "tasks", env={**settings, "PYTHONPATH": f"{tmp_path}:{settings.get('PYTHONPATH', '')}"}
    )
    assert (done.returncode, done.stdout) == (0, without.stdout)
    (line,) = done.stderr.splitlines()
    for part in ("warning: ", "'theirs'", "their_package", message, "uninstall"):
        assert part in line


def test_a_benchmark_has_the_name_of_its_entry_point_and_tasks_of_its_own(tmp_path: Path) -> None:
    source = (
        "from folkways.benchmarks.base import Benchmark\nfrom folkways.benchmarks.demo import "
        "BENCHMARK as sample\n"
    )
    install(tmp_path, "renamed", f"{source}BENCHMARK = Benchmark('other', 'Other', ())\n", "renamed")
    install(
        tmp_path,
        "borrowing",
        f"{source}BENCHMARK = Benchmark('borrowing', 'Borrowed', sample.tasks)\n",
        "borrowing",
    )
    settings = environment()
    done = folkways_process(
        "tasks", env={**settings, "PYTHONPATH": f"{tmp_path}:{settings.get('PYTHONPATH', '')}"}
    )
    first, second = done.stderr.splitlines()
    assert "borrowing/..." in first
    assert "demo/saq" in first
    assert "'other'" in second


SUITES = """
from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.suites import Suite

class Tool:
    name, version = "theirs-sw", "3"
    def tokens(self, text):
        return text.lower().split("-")

class Nameless(Tool):
    name = None

class Numbered(Tool):
    version = 3

TOOL, NAMELESS, NUMBERED = Tool(), Nameless(), Numbered()
BENCHMARK = Benchmark("theirs", "Theirs", (), suites=(
    Suite("first-look", "A short list.", ("demo/mcq?limit=2", "demo/true-false?limit=1")),
    Suite("demo", "A name that is taken.", ("demo/mcq",)),
    Suite("culture-suite", "Another one.", ("demo/mcq",)),
))
"""


def test_a_package_brings_suites_and_the_text_tool_of_a_language(tmp_path: Path) -> None:
    named = {"sw": "TOOL", "ko": "TOOL", "yo": "Tool", "ig": "NAMELESS", "zu": "NUMBERED"}
    tools = "\n".join(f"{language} = their_package:{name}" for language, name in named.items())
    entry = f"[folkways.benchmarks]\ntheirs = their_package:BENCHMARK\n[folkways.text_tools]\n{tools}\n"
    install(tmp_path, "their_package", SUITES, "", entry)
    settings = environment()
    settings["PYTHONPATH"] = f"{tmp_path}:{settings.get('PYTHONPATH', '')}"
    shown = folkways_process("tasks", "first-look", env=settings)
    assert "A short list." in shown.stdout and "demo/mcq?limit=2" in shown.stdout
    assert [line.split("'")[1] for line in shown.stderr.splitlines()] == ["demo", "culture-suite"]
    ran = folkways_process(
        "run", "first-look", "--model", "baseline/first", "-w", tmp_path / "w.db", cwd=tmp_path, env=settings
    )
    assert ran.returncode == 0, ran.stderr
    asked = dict(rows(tmp_path / "w.db", "SELECT task, count(*) FROM expected GROUP BY task"))
    assert asked == {"demo/mcq": 2, "demo/true-false": 4}
    code = (
        "from folkways.text.tools import get_tool\n"
        f"for one in map(get_tool, {[*named]}): print(one.name, one.tokens('A-B'))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=True
    )
    theirs, ours, *broken = told.stdout.splitlines()
    assert theirs == "theirs-sw ['a', 'b']" and not ours.startswith("theirs")
    assert [line.split()[0] for line in broken] == ["simple"] * 3
    for language in ("yo", "ig", "zu"):
        assert f"{language!r} of the package their_package is left out" in told.stderr
    assert told.stderr.count("is not a text tool") == 3


def test_a_package_brings_builders(tmp_path: Path) -> None:
    """The one of the page on extending: a command among ours, whose models are asked once, within a
    budget."""
    (builder,) = (
        block.text
        for block in blocks(REPOSITORY / "docs" / "extending.md")
        if block.file == "greetings/builders.py"
    )
    benchmark = (
        "from folkways.benchmarks.base import Benchmark\nBENCHMARK = Benchmark('{0}', 'Theirs', "
        "(), builders=BUILDERS)\n"
    )
    install(tmp_path, "greetings", builder + benchmark.format("greetings"), "greetings")
    install(tmp_path, "others", builder + benchmark.format("others"), "others")
    out = ("--out", tmp_path / "new" / "q.csv", "-w", tmp_path / "w.db")
    build = ("build", "greetings", "--model", "baseline/constant:Why?", "--cultures", "KR, FR", *out)
    with installed(tmp_path):
        listed = folkways("build", "--help")
        stopped = folkways(*build, "--budget", "1requests")
        for _ in range(2):
            done = folkways(*build)
            assert (done.returncode, done.stdout) == (0, "2 questions\n"), done.stderr
    for name in ("greetings", "mcq", "topics", "csi-corpus"):
        assert f"\n  {name} " in listed.stdout
    (line,) = listed.stderr.splitlines()
    assert "the builder 'greetings' of the benchmark 'others' is left out" in line
    assert (
        stopped.returncode,
        "budget" in stopped.stderr,
        "run the same command again" in stopped.stderr,
    ) == (1, True, True)
    assert (tmp_path / "new" / "q.csv").read_text() == "KR,Why?\nFR,Why?"
    assert rows(tmp_path / "w.db", "SELECT count(*) FROM responses") == [(2,)]
    assert [state for (state,) in rows(tmp_path / "w.db", "SELECT state FROM runs")] == [
        "finished",
        "finished",
    ]


def test_a_package_whose_module_is_gone_is_warned_of_once(tmp_path: Path) -> None:
    """Its releases are looked up and its tasks loaded."""
    install(tmp_path, "their_package", "", "theirs")
    (tmp_path / "their_package.py").unlink()
    settings = environment()
    run = ("run", "demo/mcq", "--model", "baseline/first", "--limit", "2", "--workspace", tmp_path / "w.db")
    done = folkways_process(
        *run, env={**settings, "PYTHONPATH": f"{tmp_path}:{settings.get('PYTHONPATH', '')}"}
    )
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if "their_package" in line)
    assert line.startswith("warning: the benchmark 'theirs'")


PAGE = REPOSITORY / "docs" / "reference" / "endpoints.md"
(ENDPOINT,) = (block.text for block in blocks(PAGE) if block.file == "loud.py")


def test_an_endpoint_of_another_package_is_asked_and_listed(tmp_path: Path) -> None:
    install(tmp_path, "loud", ENDPOINT, "", "[folkways.endpoints]\nloud = loud:KIND\nbroken = loud:NOTHING\n")
    run = ("run", "demo/mcq", "--limit", "10", "--workspace", tmp_path / "w.db")
    with installed(tmp_path):
        listed = folkways("endpoints")
        done = folkways(*run, "--model", "loud/er")
        wrong = folkways(*run, "--model", "lod/er")
    assert "shouts one letter" in listed.stdout
    (line,) = listed.stderr.splitlines()
    assert line.startswith("warning: the endpoint 'broken' of the package loud")
    assert (done.returncode, "loud/er: 10 of 10" in done.stderr) == (0, True), done.stderr
    assert "warning" not in done.stderr  # what is broken is not loaded where another endpoint is asked
    assert "did you mean 'loud'?" in wrong.stderr


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("    local = True", "    pass", "loud.Loud is no endpoint: it lacks local (bool); docs: Endpoints"),
        ("    default_concurrency = 4", "    default_concurrency = '4'", "lacks default_concurrency (int)"),
        ("    async def close(self): ...", "    def close(self): ...", "it lacks async close()"),
        ("KIND = ", "KIND = 'loud' or ", "'loud' is not an EndpointKind"),
        ("Loud(name))", "Loud())", "loud/er cannot be opened: TypeError"),
    ],
)
def test_an_endpoint_that_is_none_is_told_in_a_line(
    tmp_path: Path, line: str, instead: str, said: str
) -> None:
    assert line in ENDPOINT
    entry = "[folkways.endpoints]\nloud = loud:KIND\n"
    install(tmp_path, "loud", ENDPOINT.replace(line, instead), "", entry)
    with installed(tmp_path):
        done = folkways("run", "demo/mcq", "--model", "loud/er", "--workspace", tmp_path / "w.db")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr
