"""``folkways new-benchmark``: what it writes is installed, run, tested, checked and reported at once, in each
kind."""

from __future__ import annotations

import ast
import csv
import io
import json
import subprocess
import sys
import tomllib
from contextlib import chdir
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.build import build_wheel

from folkways.cli.new_benchmark import KINDS, package_files
from tests.support.benchmark_packages import installed
from tests.support.command_line import environment, finish, folkways
from tests.support.forked_programs import start_module

RIGHT = {
    "choice": "A\nB\nC\nA",
    "short": "a spoon\nrosca de reyes\nturkey\nbaguette",
    "rule": "18\n50\n13\n12",
}
IDS = {"choice": "KR-1 FR-1 NZ-1 MX-1", "short": "KR-1 MX-1 US-1 FR-1", "rule": "KR-1 US-1 FR-1 NZ-1"}


def install(source: Path, target: Path, by_pip: bool) -> None:
    """As pip does, or by pip, which takes long."""
    if by_pip:
        options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", target)
        pip = [sys.executable, "-m", "pip", "install", *map(str, (*options, source))]
        subprocess.run(pip, check=True)
    else:
        with chdir(source):
            wheel = build_wheel(str(target))
        with ZipFile(target / wheel) as packed:
            packed.extractall(target)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.nightly if kind == "short" else ()) for kind in KINDS]
)
@pytest.mark.parametrize(
    "by_pip", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["unpacked", "by pip"]
)
def test_a_new_package_runs_at_once(tmp_path: Path, kind: str, by_pip: bool) -> None:
    name = f"{kind}{'-pip' * by_pip}-days"  # of its own: what a package says is read once by each process
    made = folkways("new-benchmark", name, "--kind", kind, "--title", "Market days", cwd=tmp_path)
    assert made.returncode == 0 and f"pip install -e {name}" in made.stdout
    install(tmp_path / name, tmp_path / "plugins", by_pip=by_pip)
    replies = "".join(
        f'{item},"{reply}"\n' for item, reply in zip(IDS[kind].split(), RIGHT[kind].split("\n"), strict=True)
    )
    (tmp_path / "replies.csv").write_text(f"item,response\n{replies}")
    models = ("--model", "replay:replies.csv", "--model", "baseline/first")
    with installed(tmp_path / "plugins"):
        ran = folkways("run", name, *models, "--report", "report", cwd=tmp_path)
        checked = folkways("data", "check", name, cwd=tmp_path)
        kept = folkways("benchmarks", "check", name, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "warning" not in ran.stderr
    assert "100.0" in ran.stdout and "Market days" in ran.stdout
    assert "Market days" in (tmp_path / "report" / "report.html").read_text("utf-8")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert kept.returncode == 0, kept.stdout + kept.stderr
    settings = environment()
    settings["PYTHONPATH"] = f"{tmp_path / 'plugins'}:{settings.get('PYTHONPATH', '')}"
    own = ("pytest", "-q", "-p", "no:cacheprovider", f"{name}/tests")
    settings["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    tested = finish(start_module(*own, cwd=tmp_path, env=settings, **pipes))
    assert tested.returncode == 0, tested.stdout
    assert "5 passed" in tested.stdout


def test_a_new_package_of_short_answers_has_prompts(tmp_path: Path) -> None:
    """To judge them, as is done at night, loads the text tools of four languages."""
    assert folkways("new-benchmark", "noted", "--kind", "short", cwd=tmp_path).returncode == 0
    install(tmp_path / "noted", tmp_path / "plugins", by_pip=False)
    with installed(tmp_path / "plugins"):
        done = folkways("estimate", "noted", "--model", "openai/gpt-4o-mini", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (estimate,) = json.loads(done.stdout)
    assert estimate["requests"] == len(IDS["short"].split())


@pytest.mark.parametrize("kind", KINDS)
def test_questions_are_read_as_a_spreadsheet_writes_them(tmp_path: Path, kind: str) -> None:
    name = f"{kind}-of-a-sheet"
    assert folkways("new-benchmark", name, "--kind", kind, cwd=tmp_path).returncode == 0
    questions = tmp_path / name / name.replace("-", "_") / "data" / "questions.csv"
    rows = list(csv.reader(questions.read_text("utf-8").splitlines()))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\r\n").writerows(rows)
    questions.write_bytes(b"\xef\xbb\xbf" + text.getvalue().encode())
    install(tmp_path / name, tmp_path / "plugins", by_pip=False)
    with installed(tmp_path / "plugins"):
        done = folkways("estimate", name, "--model", "openai/gpt-4o-mini", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (estimate,) = json.loads(done.stdout)
    assert estimate["requests"] == len(IDS[kind].split())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("title", ['Die "Feste"', "C:\\new", "أعياد\n2", '"""', "$name {q}", "ends in \\"])
def test_any_title_is_quoted(kind: str, title: str) -> None:
    texts = package_files("market-days", "market_days", kind, title)
    heading = " ".join(title.split())
    assert texts["README.md"].startswith(f"# {heading}\n")
    calls = [
        node for node in ast.walk(ast.parse(texts["market_days/__init__.py"])) if isinstance(node, ast.Call)
    ]
    (named,) = [call for call in calls if ast.unparse(call.func) == "Benchmark"]
    assert ast.literal_eval(named.args[1]) == heading
    if kind == "choice":
        assert tomllib.loads(texts["market_days/mcq.toml"])["title"] == heading


def test_what_is_there_stays_and_names_are_checked(tmp_path: Path) -> None:
    (tmp_path / "market-days").mkdir()
    (tmp_path / "market-days" / "mine.txt").write_text("mine")
    refused = folkways("new-benchmark", "market-days", "--kind", "choice", cwd=tmp_path)
    assert refused.returncode == 2 and "exists already" in refused.stderr
    assert [path.name for path in (tmp_path / "market-days").iterdir()] == ["mine.txt"]
    for name, why in (
        ("blend", "choose another name"),
        ("Market", "lower-case letters"),
        ("class", "another meaning for class"),
        ("json", "another meaning for json"),
        ("numpy", "another meaning for numpy"),
        ("../x", "lower-case"),
    ):
        done = folkways("new-benchmark", name, "--kind", "rule", cwd=tmp_path)
        assert done.returncode == 2 and why in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["market-days"]
    silent = folkways("new-benchmark", "tea-houses", cwd=tmp_path)
    assert silent.returncode == 2 and "--kind" in silent.stderr and "choice, short, rule" in silent.stderr
