"""``folkways new-benchmark``: write a package with a working benchmark, to fill in."""

from __future__ import annotations

import json
import keyword
import re
import sys
from importlib.machinery import PathFinder
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from folkways.errors import FolkwaysError, quoted

KINDS = {
    "choice": "multiple choice: a TOML file says which columns are question, options and answer; no code",
    "short": "short answers, compared with several accepted ones, in many languages",
    "rule": "a rule of your own that scores a reply",
}
WORDINGS = {
    "choice": """
# [instructions] adds to folkways' 38 languages of "answer with the letter", or replaces one:
# [instructions]
# yo = "..."
""",
    "short": """
[saq]
en = "{question}\\nAnswer with one word or a few words and nothing else."
es = "{question}\\nResponde con una palabra o unas pocas, y nada más."
""",
    "rule": """
[numbers]
en = "{question}\\nAnswer with one number and nothing else."
""",
}
RIGHT = {"choice": 'item["gold_letter"]', "short": 'item["answers"][-1]', "rule": 'str(item["lowest"])'}
WRONG = {
    "choice": '("I cannot answer that.", "Z", "")',
    "short": '("I cannot answer that.", "a pogo stick", "")',
    "rule": '("I cannot answer that.", "-7", "")',
}


@click.command("new-benchmark")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    help="The kind of questions; on a terminal you are asked for it.",
)
@click.option("--title", help="Its title in reports. Default: the name.")
@click.option("--out", type=click.Path(path_type=Path), help="The folder to write. Default: the name.")
def command(name: str, kind: str | None, title: str | None, out: Path | None) -> None:
    """Write a package with a benchmark called NAME and a test for it. It runs at once; replace the questions
    in its CSV file by yours.

    Kinds: choice (a TOML file and no code), short (short answers), rule (a rule of your own).
    """
    from folkways.files import write_bytes

    module = check_name(name)
    folder = out or Path(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolkwaysError(f"{folder} exists already and was not changed; name another folder with --out")
    chosen = kind or _ask()
    for path, text in package_files(
        name, module, chosen, title or name.replace("-", " ").capitalize()
    ).items():
        write_bytes(folder / path, text.encode())
    click.echo(
        f"wrote {folder}: your questions go into {folder / module / 'data' / 'questions.csv'}. Try it:"
    )
    click.echo(f"  pip install -e {quoted(folder)}\n  folkways run {name} --model baseline/first")


def check_name(name: str) -> str:
    """The name of the package's module; FolkwaysError for an invalid name, or one that is taken."""
    from folkways.benchmarks.registry import benchmarks

    module = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise FolkwaysError(
            f"the name of a benchmark has lower-case letters, digits and hyphens (market-days); got {name!r}"
        )
    if name in benchmarks():
        raise FolkwaysError(f"a benchmark called {name} exists already; choose another name")
    spec = PathFinder.find_spec(module)
    is_installed = spec is not None and spec.origin is not None  # a mere folder has no origin
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or is_installed:
        raise FolkwaysError(
            f"Python has another meaning for {module}, a module or a word of its own; choose another name"
        )
    return module


def package_files(name: str, module: str, kind: str, title: str) -> dict[str, str]:
    """Path in the package -> text.

    name: of the benchmark; module: of its Python package; kind: one of KINDS; title: its title in reports.
    """
    heading = " ".join(title.split())
    quoted = json.dumps(heading, ensure_ascii=False)[1:-1]  # as Python and TOML write it between quotes
    parts = {"name": name, "module": module, "heading": heading, "title": quoted}
    parts |= {"wordings": WORDINGS[kind], "right": RIGHT[kind], "wrong": WRONG[kind]}
    paths = {
        "common/pyproject.toml": "pyproject.toml",
        "common/README.md": "README.md",
        "common/record.toml": f"{module}/records/{name}-1.toml",
        "common/wordings.toml": f"{module}/wordings.toml",
        "common/test.py": f"tests/test_{module}.py",
        f"{kind}/questions.csv": f"{module}/data/questions.csv",
        f"{kind}/init.py": f"{module}/__init__.py",
        **({"choice/mcq.toml": f"{module}/mcq.toml"} if kind == "choice" else {}),
    }
    scaffold = files("folkways.cli") / "scaffold"
    return {
        target: Template((scaffold / f"{source}.txt").read_text(encoding="utf-8")).safe_substitute(parts)
        for source, target in paths.items()
    }


def _ask() -> str:
    if not sys.stdin.isatty():
        raise FolkwaysError(f"choose the kind of questions with --kind: {', '.join(KINDS)}")
    for kind, about in KINDS.items():
        click.echo(f"{kind:7} {about}")
    answer: str = click.prompt("Which kind of questions?", type=click.Choice(list(KINDS)), default="choice")
    return answer
