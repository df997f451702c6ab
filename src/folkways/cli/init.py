"""``folkways init``: a recipe file to fill in."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from folkways.errors import FolkwaysError, quoted

EXAMPLES: dict[str, Any] = {
    "tasks": ["demo"],
    "models": ["baseline/random"],
    "report": "report",
    "workspace": "folkways.db",
    "cultures": ["KR", "ET"],
    "languages": ["local", "en"],
    "variants": ["all"],
    "releases": {"blend": "blend@hub"},
    "limit": 100,
    "afresh": True,
    "skip-missing": True,
    "samples": 3,
    "seed": 1,
    "settings": {"temperature": 0.7, "seed": "none"},
    "system": "You are a helpful assistant.",
    "max-tokens": 512,
    "read": "loglik",
    "prompts": {"plain": "{question}"},
    "treatments": "persona-second",
    "permute-options": 4,
    "shots": 5,
    "profile": "strict",
    "until": 5.0,
    "strata": ["culture"],
    "name": "first-look",
    "embedding-model": "sentence-transformers/all-mpnet-base-v2",
    "bert-models": {"zh": "hfl/chinese-bert-wwm-ext"},
    "device": "cpu",
    "precision": "fp32",
    "concurrency": 8,
    "attempts": 6,
    "max-errors": 50,
    "timeout": 300.0,
    "budget": "5usd",
    "prices": "prices.toml",
    "wait": 60.0,
    "batch": True,
    "max-failed": 5.0,
}
"""Every key of a recipe, in the order of the file, with an example value."""

FILLED_IN = ("tasks", "models", "report")

OPENING = """\
# A study in one file. Run it:           folkways run {name}
# What it would cost, without asking:    folkways estimate {name}
#
# The keys are the options of folkways run. Commented keys use their default; the value shown is an example.
# Command-line options override this file: folkways run {name} --limit 10
"""


@click.command("init")
@click.argument("file", type=click.Path(path_type=Path), default=Path("study.toml"))
@click.option(
    "--prompts",
    "of_papers",
    multiple=True,
    metavar="NAME",
    help="Write a prompts file instead, to fill in from the papers: of a benchmark, task or 'build mcq'; "
    "repeatable.",
)
def command(file: Path, of_papers: tuple[str, ...]) -> None:
    """Write a recipe to FILE (study.toml): every option of `folkways run` with what it does, ready to run and
    to change."""
    from folkways.cli.out import check_text_target
    from folkways.cli.recipe import SUFFIX
    from folkways.files import write_bytes

    if file.suffix != SUFFIX:
        raise FolkwaysError(f"the name of a recipe ends with {SUFFIX}, got {file}")
    check_text_target(file)
    if file.exists():
        raise FolkwaysError(f"{file} exists already and was not changed; name another file")
    if of_papers:
        write_bytes(file, _prompts_file(of_papers).encode())
        click.echo(
            f"wrote {file}; fill it in, and give it to folkways run or build: --prompts {quoted(file)}"
        )
        return
    write_bytes(file, recipe_text(file.name).encode())
    click.echo(f"wrote {file}; run it with: folkways run {quoted(file)}")


def _prompts_file(names: tuple[str, ...]) -> str:
    """The prompts file for benchmarks, tasks and builders of these names."""
    from folkways.benchmarks.printed_prompts import file_to_fill
    from folkways.benchmarks.registry import benchmarks, printed_prompts
    from folkways.errors import UnknownNameError

    chosen, titles = {}, {}
    for name in names:
        prompts = [
            (title, prompt)
            for benchmark, each in benchmarks().items()
            for title, prompt in ((each.title, prompt) for prompt in printed_prompts(benchmark))
            if name in (benchmark, prompt.table)
        ]
        if not prompts:
            tables = dict.fromkeys(prompt.table for prompt in printed_prompts())
            raise UnknownNameError("benchmark, task or builder whose paper prints prompts", name, tables)
        for title, prompt in prompts:
            chosen[prompt] = titles[prompt.table] = title
    return file_to_fill(list(chosen), titles)


def recipe_text(name: str) -> str:
    """The recipe that ``folkways init`` writes, for a file of this name."""
    import tomlkit

    from folkways.cli.recipe import about, keys
    from folkways.cli.run import command as run

    parameters = keys(run)
    lines = [OPENING.format(name=quoted(name))]
    for key, value in EXAMPLES.items():
        item = tomlkit.inline_table() if isinstance(value, dict) else tomlkit.item(value)
        if isinstance(value, dict):
            item.update(value)
        written = f"{key} = {item.as_string()}"
        lines += [
            *(f"# {line}" for line in wrap(about(parameters[key]), 118)),
            written if key in FILLED_IN else f"# {written}",
            "",
        ]
    return "\n".join(lines)
