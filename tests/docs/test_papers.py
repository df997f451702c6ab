"""The page about the three papers: its commands exist, those of figures and tables run, and its rows are
counted."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import polars as pl
import pytest
import yaml
from click.testing import CliRunner

from folkways.benchmarks.registry import benchmarks, tasks
from folkways.cli.main import COMMANDS, cli, other_commands
from folkways.evidence.groups import OF_ANY_BENCHMARK
from folkways.releases.registry import known_releases
from tests.support.doc_pages import REPOSITORY, command_of
from tests.support.fingerprints import check_fingerprints
from tests.support.papers_data import run_models, write_papers_data

PAGE = REPOSITORY / "docs" / "reference" / "papers.md"
TEMPLATES = REPOSITORY / "studio" / "src" / "folkways_studio" / "workflows" / "templates"
PAPERS = {"CulturalBench": 53, "BLEnD": 74, "XCR-Bench": 50}
"""Paper -> how many of its sentences have a row."""
STATES = ("works", "in part", "otherwise", "not")
RECORDED = Path(__file__).parent / "recorded"
REAL = {"blend": "blend/3e4dcbd", "xcr": "xcr"}
"""Benchmark -> its folder in the reference data."""


def rows_under(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    text = f"\n{PAGE.read_text(encoding='utf-8')}".split(f"{heading}\n", 1)[1].split("\n#", 1)[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def figure_rows() -> list[list[str]]:
    return [row for paper in PAPERS for row in rows_under(f"\n### {paper}")]


def sentence_rows() -> dict[str, list[list[str]]]:
    return {paper: rows_under(f"\n### {paper}, its text") for paper in PAPERS}


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def keys(value: object) -> Iterator[str]:
    """Every key in what a YAML file says."""
    if isinstance(value, dict):
        yield from map(str, value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(inner)


def is_placeholder(word: str) -> bool:
    return word.isupper()


def fault_of_cell(cell: str) -> str | None:
    """What in a cell does not exist, or None: a command, a task, a template of the studio, its stage or its
    setting."""
    template: dict[str, object] = {}
    for name in names(cell):
        first, _, stage = name.partition("/")
        if name.split()[0] in {*COMMANDS, *other_commands()}:
            fault = fault_of_command(shlex.split(name))
        elif name in tasks():
            continue
        elif (file := TEMPLATES / f"{first}.yaml").exists():
            template = yaml.safe_load(file.read_text(encoding="utf-8"))
            stages = [each["name"] for each in template["stages"]]  # type: ignore[attr-defined]
            fault = f"{first} has no stage {stage!r}" if stage and stage not in stages else None
        else:
            fault = None if name in set(keys(template)) else f"{name!r} is nothing"
        if fault:
            return fault
    return None


def fault_of_command(words: list[str]) -> str | None:
    """Why the program would not take a command, or None. Words in capitals stand for the reader's values."""
    try:
        command, rest = command_of(list(words))
        context = click.Context(command, parent=click.Context(cli, **cli.context_settings))
        options, left, _ = command.make_parser(context).parse_args(rest)
        for parameter in command.params:
            given = options.get(parameter.name or "")
            values = given if isinstance(given, list) else [given]
            for value in values:
                if isinstance(value, str) and not is_placeholder(value.split("=")[-1]):
                    parameter.type.convert(value, parameter, context)
        valid = valid_values(words)
        unknown = [value for value in (*left, *arguments(options)) if valid and value not in valid]
    except (AssertionError, click.ClickException) as error:
        return f"{shlex.join(words)}: {error or error.format_message()}"  # type: ignore[union-attr]
    return f"{shlex.join(words)}: no {unknown[0]!r}" if unknown else None


def arguments(options: dict[str, object]) -> Iterator[str]:
    """What is named in options whose values a registry has, and in arguments."""
    for name in ("names", "benchmark", "paper", "variants", "profile"):
        value = options.get(name)
        for each in value if isinstance(value, (list, tuple)) else [value]:
            yield from each.split(",") if isinstance(each, str) and not is_placeholder(each) else ()


def valid_values(words: list[str]) -> set[str]:
    """The names that a command takes; none where it takes anything."""
    results = {name: benchmark.results for name, benchmark in benchmarks().items()}
    match words[:2]:
        case ["tables", name]:
            return {
                each for one in results[name] for each in (*one.names, *one.aliases) if name in benchmarks()
            }
        case ["analyse", *_]:
            of_runs = [one for several in results.values() for one in several if one.tasks]
            return {one.name for one in (*of_runs, *OF_ANY_BENCHMARK)}
        case ["cultures" | "published", *_]:
            return set(benchmarks())
        case ["data", "fetch"]:
            return {name for each in known_releases() for name in (each.name, *each.aliases)}
        case ["run" | "score", *_]:
            variants = {name for task in tasks().values() for name in task.variants}
            return {"paper", "strict", "all", "strict-format", *variants}
        case ["studio", "template"]:
            return {file.stem for file in TEMPLATES.glob("*.yaml")}
    return set()


def test_every_name_on_the_page_exists() -> None:
    cells = [row[1] for row in figure_rows()]
    cells += [row[2] for rows in sentence_rows().values() for row in rows]
    assert sum(len(names(cell)) for cell in cells) > 177
    assert {cell: fault for cell in cells if (fault := fault_of_cell(cell))} == {}


@pytest.mark.parametrize(
    "wrong",
    [
        "`tables blend 77`", "`tables blended 7`", "`analyse --only langauges`", "`build mcq --exclusion texts`",
        "`published --papers blend`", "`studio drawn --per-culture 120`", "`blend/sqa`", "`cultures --benchmark blends`",
        "`verification/verified`", "`verification` (`part`)", "`tables blend 7 --figures`", "`build easy --threshold four`",
        "`run --profile papers`", "`data fetch blendd`",
    ],
)  # fmt: skip
def test_a_name_that_is_gone_is_seen(wrong: str) -> None:
    assert fault_of_cell(wrong)


OF_RESULTS = {
    command: paper.lower().removesuffix("-bench")
    for paper in PAPERS
    for row in rows_under(f"\n### {paper}")
    for command in names(row[1])
    if command.split()[0] in ("tables", "analyse")
}
"""Command of a figure or table -> the benchmark that it is about."""
DRAWN_AS_OTHERS = [
    f"analyse --only {name} --figures DIR"
    for name in ("region-providers", "hall-elements", "csi-categories", "hall-levels", "gains")
]
"""Commands whose figures, two seconds of work, are of the kinds that those of the others are."""


@pytest.fixture(scope="module")
def papers_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with made data of each benchmark, and a workspace with a run of each, under their names."""
    folder = tmp_path_factory.mktemp("papers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOLKWAYS_DATA", str(folder / "releases"))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        run_models(write_papers_data(folder), folder / "folkways.db")
        yield folder


def as_frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None)


def tables_of(
    words: list[str], figures: Path, values: Mapping[str, str] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table that a command writes as JSON; DIR is the folder, and gets figures if the
    command says so. values: what stands for other words in capitals. An error fails the test."""
    values = {"DIR": str(figures), **(values or {})}
    arguments = [values.get(word, word) for word in words]
    done = CliRunner().invoke(cli, [*arguments, "--json"], catch_exceptions=False, standalone_mode=False)
    assert "--figures" not in words or list(figures.glob("*.svg"))
    return {table["name"]: table["rows"] for table in json.loads(done.stdout)["tables"]}


def test_every_figure_and_table_is_made_of_made_data(papers_folder: Path, tmp_path: Path) -> None:
    """And holds the numbers that it held before."""
    tables = {}
    for number, (command, name) in enumerate(OF_RESULTS.items()):
        words = shlex.split(command)
        data = [
            "--release",
            str(papers_folder / name),
            *(["--ready-made", str(papers_folder / name)] if name == "blend" else []),
        ]
        words += [name] if words[0] == "analyse" else data
        words += ["--workspace", str(papers_folder / "folkways.db")]
        if command in DRAWN_AS_OTHERS:
            words = [word for word in words if word not in ("--figures", "DIR")]
        values = {"RUN": name, "FILE": str(papers_folder / "markers.csv")}
        of_command = tables_of(words, tmp_path / str(number), values)
        assert of_command and all(of_command.values()), command
        tables |= {f"{command}: {table}": as_frame(rows) for table, rows in of_command.items()}
    check_fingerprints(tables, RECORDED / "made.json")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.nightly if name == "blend" else ()) for name in REAL]
)
def test_every_figure_and_table_of_data_is_made_of_the_real_data(
    name: str, shared: Path, tmp_path: Path
) -> None:
    commands = [shlex.split(each) for each in OF_RESULTS if each.startswith(f"tables {name} ")]
    commands = [each for each in commands if "--run" not in each]
    wanted = dict.fromkeys(word for each in commands for word in each[2:] if word not in ("--figures", "DIR"))
    release = ["--release", str(shared / "data" / REAL[name]), "--figures", "DIR"]
    made_tables = tables_of(["tables", name, *wanted, *release], tmp_path / "figures")
    table, least = {"blend": ("overlap", 120), "xcr": ("element-levels", 25)}[name]
    assert len(made_tables[table]) >= least
    frames = {table: as_frame(rows) for table, rows in made_tables.items()}
    check_fingerprints(frames, RECORDED / f"{name}.json")


def test_published_places_have_figures() -> None:
    commands = {name for row in figure_rows() for name in names(row[1]) if name.startswith("published")}
    assert len(commands) > 3
    for command in commands:
        done = CliRunner().invoke(cli, [*shlex.split(command), "--json"], catch_exceptions=False)
        assert '"score"' in done.stdout, command


def test_each_sentence_has_a_row_and_the_counts_are_those_of_the_rows() -> None:
    rows = sentence_rows()
    assert {paper: len(several) for paper, several in rows.items()} == PAPERS
    states = {paper: Counter(row[3] for row in several) for paper, several in rows.items()}
    assert {state for counts in states.values() for state in counts} <= set(STATES)
    states["all"] = sum(states.values(), Counter())
    computed = [
        [paper, str(counts.total()), *(str(counts[state]) for state in STATES)]
        for paper, counts in states.items()
    ]
    assert rows_under("\n# The three papers") == computed, "the counts at the top are old"


def test_what_works_says_where() -> None:
    for paper, rows in sentence_rows().items():
        for row in rows:
            where = names(row[2]) or re.search(r"\]\(\S+\)", row[2]) or "headline" in row[2]
            assert where or row[3] not in ("works", "in part"), f"{paper}: {row}"
