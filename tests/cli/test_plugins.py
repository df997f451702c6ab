"""Benchmarks of other packages: what they bring is shown; one that cannot be loaded costs a line of warning and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from folkways.benchmarks.registry import get_task
from folkways.releases.store import locate
from tests.support.doc_pages import REPOSITORY, blocks
from tests.support.river import environment, folkways_process, rows


def install(folder: Path, module: str, source: str, benchmark: str, entry: str = "") -> None:
    """Put a package into a folder as pip would with --target. entry: its entry points, if not that of a benchmark."""
    (folder / f"{module}.py").write_text(source)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry or f"[folkways.benchmarks]\n{benchmark} = {module}:BENCHMARK\n")


BROKEN = {
    "raises": ("raise RuntimeError('no licence key')\n", "no licence key"),
    "needs what is not there": ("import no_such_module\n", "no_such_module"),
    "names nothing": ("TASKS = ()\n", "BENCHMARK"),
    "names something else": ("BENCHMARK = 3\n", "int"),
}


@pytest.mark.parametrize("why", BROKEN)
def test_a_broken_package_costs_one_line(tmp_path: Path, why: str) -> None:
    source, said = BROKEN[why]
    install(tmp_path, "their_package", source, "theirs")
    settings = environment()
    without = folkways_process("tasks", env=settings)
    done = folkways_process("tasks", env={**settings, "PYTHONPATH": f"{tmp_path}:{settings.get('PYTHONPATH', '')}"})
    assert (done.returncode, done.stdout) == (0, without.stdout)
    (line,) = done.stderr.splitlines()
    for part in ("warning: ", "'theirs'", "their_package", said, "uninstall"):
        assert part in line


def test_a_benchmark_has_the_name_of_its_entry_point_and_tasks_of_its_own(tmp_path: Path) -> None:
    source = "from folkways.benchmarks.base import Benchmark\nfrom folkways.benchmarks.demo import BENCHMARK as sample\n"
    install(tmp_path, "renamed", f"{source}BENCHMARK = Benchmark('other', 'Other', ())\n", "renamed")
    install(tmp_path, "borrowing", f"{source}BENCHMARK = Benchmark('borrowing', 'Borrowed', sample.tasks)\n", "borrowing")
    settings = environment()
    done = folkways_process("tasks", env={**settings, "PYTHONPATH": f"{tmp_path}:{settings.get('PYTHONPATH', '')}"})
    first, second = done.stderr.splitlines()
    assert "borrowing/..." in first
    assert "demo/saq" in first
    assert "'other'" in second


def test_a_package_brings_builders(tmp_path: Path) -> None:
    """The one of the page on extending: a command among ours, whose models are asked once, within a budget."""
    (builder,) = (block.text for block in blocks(REPOSITORY / "docs" / "extending.md") if block.file == "greetings/builders.py")
    benchmark = "from folkways.benchmarks.base import Benchmark\nBENCHMARK = Benchmark('{0}', 'Theirs', (), builders=BUILDERS)\n"
    install(tmp_path, "greetings", builder + benchmark.format("greetings"), "greetings")
    install(tmp_path, "others", builder + benchmark.format("others"), "others")
    settings = environment()
    settings["PYTHONPATH"] = f"{tmp_path}:{settings.get('PYTHONPATH', '')}"
    listed = folkways_process("build", "--help", env=settings)
    for name in ("greetings", "mcq", "topics", "csi-corpus"):
        assert f"\n  {name} " in listed.stdout
    (line,) = listed.stderr.splitlines()
    assert "the builder 'greetings' of the benchmark 'others' is left out" in line
    out = ("--out", tmp_path / "new" / "q.csv", "-w", tmp_path / "w.db")
    build = ("build", "greetings", "--model", "baseline/constant:Why?", "--cultures", "KR, FR", *out)
    stopped = folkways_process(*build, "--budget", "1requests", env=settings)
    assert (stopped.returncode, "budget" in stopped.stderr, "run the same command again" in stopped.stderr) == (1, True, True)
    for _ in range(2):
        done = folkways_process(*build, env=settings)
        assert (done.returncode, done.stdout) == (0, "2 questions\n"), done.stderr
    assert (tmp_path / "new" / "q.csv").read_text() == "KR,Why?\nFR,Why?"
    assert rows(tmp_path / "w.db", "SELECT count(*) FROM responses") == [(2,)]
    assert [state for (state,) in rows(tmp_path / "w.db", "SELECT state FROM runs")] == ["finished", "finished"]


def test_a_package_whose_module_is_gone_is_warned_of_once(tmp_path: Path) -> None:
    """Its releases are looked up and its tasks loaded."""
    install(tmp_path, "their_package", "", "theirs")
    (tmp_path / "their_package.py").unlink()
    settings = environment()
    run = ("run", "demo/mcq", "--model", "baseline/first", "--limit", "2", "--workspace", tmp_path / "w.db")
    done = folkways_process(*run, env={**settings, "PYTHONPATH": f"{tmp_path}:{settings.get('PYTHONPATH', '')}"})
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if "their_package" in line)
    assert line.startswith("warning: the benchmark 'theirs'")


ENDPOINT = """
from folkways.endpoints.base import Completion, EndpointKind
class Loud:
    item_addressed, local, default_concurrency = False, True, 4
    def __init__(self, name): self.name = self.identity = name
    async def open(self, concurrency): pass
    async def close(self): pass
    async def complete(self, request): return Completion(text="B!", finish_reason="stop", model=self.name)
KIND = EndpointKind({"loud/MODEL": "shouts one letter"}, lambda name, options, need_key: Loud(name))
"""


def test_an_endpoint_of_another_package_is_asked_and_listed(tmp_path: Path) -> None:
    install(tmp_path, "loud", ENDPOINT, "", "[folkways.endpoints]\nloud = loud:KIND\nbroken = loud:NOTHING\n")
    settings = environment()
    settings["PYTHONPATH"] = f"{tmp_path}:{settings.get('PYTHONPATH', '')}"
    listed = folkways_process("endpoints", env=settings)
    assert "shouts one letter" in listed.stdout
    (line,) = listed.stderr.splitlines()
    assert line.startswith("warning: the endpoint 'broken' of the package loud")
    run = ("run", "demo/mcq", "--model", "loud/er", "--limit", "10", "--workspace", tmp_path / "w.db")
    done = folkways_process(*run, env=settings)
    assert (done.returncode, "loud/er: 10 of 10" in done.stderr) == (0, True), done.stderr
    assert "warning" not in done.stderr  # what is broken is not loaded where another endpoint is asked
    wrong = folkways_process(*("run", "demo/mcq", "--model", "lod/er", "--workspace", tmp_path / "w.db"), env=settings)
    assert "did you mean 'loud'?" in wrong.stderr


TEAS = """
import polars as pl
from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.demo.choices import MultipleChoice
from folkways.benchmarks.published import Published, beside_published
from folkways.benchmarks.results import DataNeed, Result
from folkways.benchmarks.tables import Table

PUBLISHED = Published("tea_figures")
DATA = DataNeed("release", "The questions.", ("teas",))


class Teas(MultipleChoice):
    name = "teas/mcq"
    release = "teas"


def counted(inputs):
    (release,) = inputs.data_of(DATA)
    rows = pl.DataFrame({"culture": ["KR"], "value": [float(Teas().items(release).height > 0)]})
    cells = PUBLISHED.cells("Table 1", "culture")
    return [Table("counted", "Table 1: counted", "Counts.", beside_published(rows, cells, ["culture"], 0))]


def shares(inputs):
    means = inputs.of("teas/mcq").group_by("endpoint").agg(share=pl.col("correct").mean())
    return [Table("shares", "Shares of tea", "The unit is the question.", means)]


BENCHMARK = Benchmark(
    "teas",
    "Teas of the world",
    (Teas(),),
    results=(
        Result("counted", "Counted", counted, "Table 1", needs=(DATA,), aliases={"1": "counted"}),
        Result("shares", "Shares of tea", shares, "section 2", "Who knows tea?", ("teas/mcq",)),
    ),
    published=PUBLISHED,
)
"""
RECORD = """
name = "teas@1"
aliases = ["teas"]
benchmark = "teas"
revision = "1"
source = "package"
repository = "teas"
licence = "Apache-2.0"
homepage = ""
languages = ["en"]
about = "Questions of ours under another name."
citation = ""
files = [{ path = "multiple_choice.toml", remote = "multiple_choice.toml" }]
"""
FIGURES = """place,task,metric,kind,model,facet,value,language,score,unit
Table 1,,counted,data,,culture,KR,,3,count
Table 2,teas/mcq,correct,model,Model-T,all,all,en,61.5,percent
"""


def test_results_and_published_figures_of_a_package_are_shown_by_every_command(tmp_path: Path) -> None:
    install(tmp_path, "teas", TEAS, "teas")
    for name in ("records", "data", "tea_figures"):
        (tmp_path / name).mkdir()
    (tmp_path / "records" / "teas-1.toml").write_text(RECORD)
    demo = locate("demo")
    (tmp_path / "data" / "multiple_choice.toml").write_bytes(demo.path("multiple_choice.toml").read_bytes())
    figures = tmp_path / "tea_figures"
    (figures / "__init__.py").touch()
    (figures / "figures.csv").write_text(FIGURES)
    (figures / "places.toml").write_text('data = "teas@1"\nprofile = "strict"\nvariants = "plain"\n')
    settings = environment()
    settings |= {"PYTHONPATH": f"{tmp_path}:{settings.get('PYTHONPATH', '')}"}

    def said(*arguments: object) -> str:
        done = folkways_process(*arguments, env=settings)
        assert done.returncode == 0, done.stderr
        return done.stdout

    (table,) = json.loads(said("tables", "teas", "1", "--json"))["tables"]
    assert [(row["value"], row["published"], row["reproduced"]) for row in table["rows"]] == [(1.0, 3.0, False)]
    assert "Model-T" in said("published", "--paper", "teas")
    assert "Who knows tea?" in said("analyse", "--list")
    items = get_task("demo/mcq").items(demo)["item"]
    replies = tmp_path / "replies.jsonl"
    replies.write_text("\n".join(json.dumps({"task": "teas/mcq", "item": item, "response": "A"}) for item in items))
    there = ("--workspace", tmp_path / "w.db")
    said("run", "teas/mcq", "--model", f"replay:{replies}", *there)
    asked = [said("analyse", *there, "--json"), said("tables", "teas", "shares", "--run", "last", *there, "--json")]
    first, second = ([row["share"] for row in json.loads(document)["tables"][0]["rows"]] for document in asked)
    assert first == second and 0 < first[0] < 1
    beside = json.loads(said("published", "--run", "last", *there, "--json"))["tables"][0]["rows"]
    assert [(row["model"], row["published"]) for row in beside] == [("Model-T", 61.5)]
    said("report", "last", *there, "--out", tmp_path / "report")
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "### Shares of tea (section 2)" in page and "Teas of the world, Table 2" in page
    (figures / "figures.csv").write_text("nonsense")
    done = folkways_process("published", "--place", "Table 4", env=settings)
    assert done.returncode == 0 and "Table 4" in done.stdout
    (line,) = done.stderr.splitlines()
    assert "the published figures of the benchmark 'teas' are left out: tea_figures" in line
