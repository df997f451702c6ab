"""What commands print and write over one workspace, as it was when somebody last read it: tests/cli/recorded.

``FOLKWAYS_RECORD=1`` records it anew (tests/support/fingerprints.py). Times, addresses and identifiers made by
chance are left out.
"""

from __future__ import annotations

import json
import re
import shlex
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import folkways as folkways_package
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from tests.support.chat_server import ChatServer
from tests.support.command_line import environment, folkways
from tests.support.fingerprints import check_text

RECORDED = Path(__file__).parent / "recorded"
SOURCE = str(Path(folkways_package.__file__).parents[1])
"""Where the package that is tested lies: not in the repository where a fault is planted in a copy."""

REPLIES = ("{gold}", "tea", "I cannot answer that.", "", "It is {gold}, of course.")
"""To the demo's items in turn; every seventh has none."""

ASKED = """
run demo/saq demo/mcq -m SERVER#lab/able -m baseline/first -m replay:replies.jsonl --cultures KR,US,ET --name three --prices prices.toml
run demo/mcq -m baseline/random --limit 9 --name small --system 'You live in {country}.' --seed 3
plan demo/saq -m openai/gpt-4o-mini --name planned --limit 5 --max-tokens 20
"""

LOOKED_AT = """
runs
runs --json
runs --recipe three
runs --recipe small
show demo/mcq:KR/school-1
show demo/saq:US/holidays-1 --json
show demo:US/holidays-1
show demo/mcq:KR/school-1 --run small
show nothing
estimate demo/saq demo/mcq -m openai/gpt-4o-mini -m SERVER#lab/able -m hf/org/x -m SERVER#lab/new --prices prices.toml
estimate demo/saq -m openai/gpt-4o-mini --json --samples 3 --until 5
compare --run three --task demo/mcq
compare --run three --task demo/mcq --by topic --format md
compare able@three random@small --task demo/mcq --format csv
compare able first --run three --task demo/saq --json
gate three --min demo/saq=40 --min demo/mcq:KR=1 --junit gate.xml
gate three --min demo/saq=40 --github --strict --coverage 50 -m first -m replies
gate small --max-drop-vs three=2
gate
published --run three
published --paper blend --place 'Table 13'
published --model gpt-4o --culture ET --format csv
score three --out scores.csv
analyse three
report three --brief
report three --out report --format md --prices prices.toml
tasks demo/mcq blend/saq culture-suite-lite
endpoints --prices prices.toml
cultures --benchmark blend
data list
data where demo
submit demo three --out submission
probe demo/mcq -m baseline/first --limit 4 --seed 3 -w probe.db
plan demo/mcqq -m baseline/first
work planned
runs archive small
runs
runs restore small
runs delete planned --yes
"""

EXPORTED = """
export hub three --out hub
export inspect three --out inspect
export every-eval-ever three --out every-eval-ever
export eval-results three --model able --dataset lab/demo --incomplete --out eval-results
export lm-eval demo/mcq --out lm-eval
"""

READ_BACK = """
compare inspect/*demo-mcq*.eval
compare inspect/*demo-saq*.eval --by culture --format csv
compare every-eval-ever/data/demo/lab/able/*_samples.jsonl every-eval-ever/data/demo/unknown/replies/*_samples.jsonl --json
compare inspect/*demo-saq*.eval --metric exact
compare inspect/*demo-saq*.eval --run three
report every-eval-ever --out read-back --format md
report inspect/*demo-mcq*.eval --brief
"""

EXPORTS = ("hub", "inspect", "every-eval-ever", "eval-results", "lm-eval")

CHANGING = {
    r"http://127\.0\.0\.1:\d+": "http://SERVER",
    r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d(:\d\d|-\d\d)?(\.\d+)?([+-]00[:-]00|Z)?": "TIME",
    r"(?m)^err: .*: [\d,]+ of [\d,]+, .*\n": "",  # how far it is
    r"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}": "UUID",
    r"(?<=_)[\dA-Za-z]{22}(?=\.eval)": "ID",
    r'("(?:eval|run|task)_id"|"uuid"|\b(?:eval|run|task)_id|\buuid): "[\dA-Za-z]{22}"': r"\1: ID",
    r'\b(time|latency_ms|seconds)("?: )[\d.e-]+': r"\1\2N",
    r" +(\d+ min )?\d+(\.\d)? s\b": " N s",
    r'(?<=Made )\d{4}-\d\d-\d\d|(?<=begun on )\d{4}-\d\d-\d\d|(?<=datePublished: ")\d{4}-\d\d-\d\d': "DATE",
    r'(checksum: )"[\da-f]{64}"': r"\1DIGEST",
    r"\b1[789]\d{8}\b": "SECONDS",
}
"""What changes from run to run -> what stands for it."""


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(mode="letter") as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands are called: a file of replies and one of prices."""
    folder = tmp_path_factory.mktemp("recorded")
    items = [
        row
        for task in ("demo/saq", "demo/mcq")
        for row in get_task(task).items(open_release("demo")).iter_rows(named=True)
    ]
    replies = [
        {
            "task": row["task"],
            "item": row["item"],
            "response": REPLIES[place % 5].format(gold=row["gold"].partition(".")[0]),
        }
        for place, row in enumerate(items, 1)
        if place % 7
    ]
    (folder / "replies.jsonl").write_text(
        "".join(f"{json.dumps(reply)}\n" for reply in replies), encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def asked_output(server: ChatServer, folder: Path) -> str:
    """What the commands that ask printed."""
    (folder / "prices.toml").write_text(
        f'[usd_per_million_tokens]\n"{server.url}/v1#lab/able" = {{ input = 100.0, output = 200.0 }}\n',
        encoding="utf-8",
    )
    return session(ASKED, folder, server)


def session(lines: str, folder: Path, server: ChatServer) -> str:
    """What each command printed, on standard output and behind ``err:`` on standard error."""
    nothing = str(folder / "nothing")
    settings = environment(COLUMNS="110", HOME=nothing, XDG_CONFIG_HOME=nothing, FOLKWAYS_DATA=nothing)
    text = ""
    for line in lines.strip().splitlines():
        words = shlex.split(line.replace("SERVER", f"{server.url}/v1"))
        paths = [[str(path.relative_to(folder)) for path in named(folder, word)] or [word] for word in words]
        done = folkways(*chain.from_iterable(paths), cwd=folder, env=settings)
        errors = "".join(f"err: {part}\n" for part in done.stderr.splitlines())
        code = f"exit code {done.returncode}\n" if done.returncode else ""
        text += f"$ folkways {line}\n{done.stdout}{errors}{code}\n"
    return text.replace(str(folder), "FOLDER").replace(SOURCE, "SOURCE")


def named(folder: Path, word: str) -> list[Path]:
    """The files of a pattern, as a shell finds them, but those of the model ``able`` first."""
    found = sorted(folder.glob(word)) if "*" in word and " " not in word else []
    return sorted(found, key=lambda path: "lab/able" not in content(path))


def steady(text: str) -> str:
    for changing, name in CHANGING.items():
        text = re.sub(changing, name, text)
    text = re.sub(
        r"\d+\.\d{9,}", lambda number: f"{float(number[0]):.9g}", text
    )  # the last digits are the machine's
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def test_commands_that_ask(asked_output: str) -> None:
    check_text(steady(asked_output), RECORDED / "asked.txt")


def test_commands_over_a_workspace(asked_output: str, folder: Path, server: ChatServer) -> None:
    text = session(LOOKED_AT, folder, server)
    scores = (folder / "scores.csv").read_text(encoding="utf-8").splitlines()
    files = f"== gate.xml\n{(folder / 'gate.xml').read_text(encoding='utf-8')}\n== scores.csv\n"
    files += "\n".join([*scores[:4], f"{len(scores)} lines"])
    check_text(steady(text + files), RECORDED / "commands.txt")


@pytest.fixture(scope="module")
def exported(asked_output: str, folder: Path, server: ChatServer) -> str:
    """What the commands that export printed."""
    return session(EXPORTED, folder, server)


def test_what_exports_write(exported: str, folder: Path) -> None:
    files = [path for kind in EXPORTS for path in (folder / kind).rglob("*") if path.is_file()]
    texts = [steady(f"== {path.relative_to(folder)}\n{content(path)}") for path in files]
    check_text(steady(exported) + "\n".join(sorted(texts)), RECORDED / "exports.txt")


def test_exports_as_logs_of_other_programs(exported: str, folder: Path, server: ChatServer) -> None:
    text = session(READ_BACK, folder, server)
    report = (folder / "read-back" / "report.md").read_text(encoding="utf-8")
    check_text(steady(f"{text}== read-back/report.md\n{report}"), RECORDED / "read_back.txt")


def content(path: Path) -> str:
    """A file as text: of tables and lines the first rows, of a log its documents and a sample."""
    if path.suffix == ".parquet":
        rows = pl.read_parquet(path)
        types = ", ".join(f"{name} {kind}" for name, kind in rows.schema.items())
        return f"{types}\n{lines_of(rows.to_dicts())}"
    if path.suffix == ".jsonl":
        return lines_of([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as log:
            names = ["header.json", next(name for name in log.namelist() if name.startswith("samples/"))]
            return "".join(f"-- {name}\n{lines_of(json.loads(log.read(name)))}" for name in names)
    if path.suffix == ".json":
        return lines_of(json.loads(path.read_bytes()))
    return path.read_text(encoding="utf-8")


def lines_of(value: Any, name: str = "", indent: str = "") -> str:
    """A document with a line for each short part, and the first two of a long list."""
    short = json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, dict | list) or len(short) < 120:
        return f"{indent}{name}{short}\n"
    parts = (
        value.items() if isinstance(value, dict) else ((f"- {n}", each) for n, each in enumerate(value[:2]))
    )
    text = "".join(lines_of(part, f"{key}: ", f"{indent} ") for key, part in parts)
    more = f"{indent} {len(value)} in all\n" if isinstance(value, list) else ""
    return f"{indent}{name}\n{text}{more}"
