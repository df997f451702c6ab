"""A package of somebody else's with all that a benchmark can have, installed as docs/extending.md says: every
command shows it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.benchmark_packages import installed
from tests.support.command_line import Done, environment, folkways, folkways_process
from tests.support.doc_pages import REPOSITORY

PACKAGE = REPOSITORY / "tests" / "packages" / "tea"


class InstalledPackage:
    """folkways beside the package. there: its workspace, with a run of the package's endpoint on the
    package's task."""

    def __init__(self, folder: Path) -> None:
        source = shutil.copytree(PACKAGE, folder / "source")
        self.home = folder / "installed"
        pip = (
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            "--target",
            self.home,
            source,
        )
        subprocess.run([sys.executable, "-m", *map(str, pip)], check=True, timeout=120)
        self.there = ("--workspace", folder / "w.db")
        self.output("run", "tea", "--model", "teapot/A", "--model", "teapot/B", *self.there)

    def does(self, *arguments: object) -> Done:
        with installed(self.home):
            return folkways(*arguments)

    def output(self, *arguments: object) -> str:
        done = self.does(*arguments)
        assert (done.returncode, done.stderr if "warning" in done.stderr else "") == (0, ""), done.stderr
        return done.stdout

    def tables(self, *arguments: object) -> list[list[dict[str, object]]]:
        return [table["rows"] for table in json.loads(self.output(*arguments, "--json"))["tables"]]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> InstalledPackage:
    return InstalledPackage(tmp_path_factory.mktemp("tea"))


def test_its_task_file_is_short() -> None:
    assert len((PACKAGE / "tea" / "task.py").read_text(encoding="utf-8").splitlines()) < 100


def test_its_data_are_listed_and_checked(package: InstalledPackage) -> None:
    assert "tea@1   (or: tea)" in package.output("data", "list")
    (issue,) = json.loads(package.output("data", "check", "tea", "--json"))["issues"]
    assert (issue["kind"], issue["row"], issue["value"]) == ("repeated-id", 4, "CN-1")


def test_its_task_and_its_endpoint_are_listed(package: InstalledPackage) -> None:
    assert "How people drink tea" in package.output("tasks", "tea")
    assert "says one letter" in package.output("endpoints")
    assert "3" in package.output("estimate", "tea", "--model", "teapot/A", *package.there)


def test_its_builder_is_a_command(package: InstalledPackage, tmp_path: Path) -> None:
    assert "Have a model write questions about tea." in package.output("build", "--help")
    out = tmp_path / "tea.csv"
    done = package.output(
        "build",
        "tea",
        "--model",
        "teapot/Why?",
        "--cultures",
        "GB,CN",
        "--out",
        out,
        "--workspace",
        tmp_path / "b.db",
    )
    assert (done, out.read_text()) == ("2 questions\n", "GB,Why?\nCN,Why?")


def test_its_tables_stand_beside_what_it_published(package: InstalledPackage) -> None:
    (counted,) = package.tables("tables", "tea", "1")
    compared = [(row["culture"], row["value"], row["published"], row["reproduced"]) for row in counted]
    assert compared == [("CN", 2.0, 2.0, True), ("GB", 1.0, 3.0, False), ("MA", 1.0, None, None)]
    assert "Model-T" in package.output("published", "--paper", "tea")
    (beside,) = package.tables("published", "--run", "last", *package.there)
    assert [(row["model"], row["published"]) for row in beside] == 2 * [
        ("Model-T", 61.5)
    ]  # beside each of two models


def test_its_analyses_are_made_of_runs(package: InstalledPackage) -> None:
    assert "Who knows tea?" in package.output("analyse", "--list")
    both = [
        package.tables("analyse", "--only", "shares", *package.there),
        package.tables("tables", "tea", "shares", "--run", "last", *package.there),
    ]
    for (shares,) in both:
        assert {row["endpoint"]: row["share"] for row in shares} == pytest.approx(
            {"teapot/A": 2 / 3, "teapot/B": 1 / 3}
        )


def test_the_report_shows_all_of_it(package: InstalledPackage, tmp_path: Path) -> None:
    package.output("report", "last", *package.there, "--format", "md", "--out", tmp_path / "report")
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    for part in (
        "## Tea",
        "teapot/A",
        "### Shares of tea (section 2)",
        "Teas of the world, Table 2",
        "tea@1",
    ):
        assert part in page, part
    compared = package.output("compare", "teapot/A", "teapot/B", *package.there)
    assert "tea/mcq, Accuracy" in compared
    assert package.does("gate", "last", "--min", "tea/mcq=99", *package.there).returncode == 1
    assert "CN-1" in package.output("show", "tea/mcq:CN-1", *package.there)


def test_figures_that_cannot_be_read_cost_a_line(package: InstalledPackage, tmp_path: Path) -> None:
    home = shutil.copytree(package.home, tmp_path / "installed")
    (home / "tea" / "published" / "figures.csv").write_text("nonsense")
    settings = environment() | {"PYTHONPATH": str(home)}
    done = folkways_process("published", "--place", "Table 4", env=settings)
    assert (done.returncode, "Table 4" in done.stdout) == (0, True)
    (line,) = done.stderr.splitlines()
    assert "the published figures of the benchmark 'tea' are left out: tea" in line
