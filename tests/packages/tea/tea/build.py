"""Has a model write questions about tea."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from folkways.benchmarks.build import Builder, BuildResult, BuildSession, Option, Prompt
from folkways.files import write_bytes


def _build(session: BuildSession, *, model: str, cultures: Sequence[str], out: Path) -> BuildResult:
    (ask,) = session.models([model], {"build": "tea", "cultures": cultures})
    prompts = [
        Prompt(f"Write a question about tea in {culture}.", "build-tea", culture, 100) for culture in cultures
    ]
    lines = [f"{culture},{reply.said}" for culture, reply in zip(cultures, ask(prompts), strict=True)]
    return BuildResult([f"{len(lines)} questions"], files=[write_bytes(out, "\n".join(lines).encode())])


OPTIONS = (
    Option("--model", "Who writes.", metavar="NAME", required=True),
    Option("--cultures", "Codes, separated by commas.", "list", required=True),
    Option("--out", "Where the questions go (.csv)", "new file", gets="tea.csv", required=True),
)
BUILDERS = (Builder("tea", "Have a model write questions about tea.", OPTIONS, _build, asks=True),)
