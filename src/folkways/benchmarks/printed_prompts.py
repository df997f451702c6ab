"""Texts that users bring for prompts (``--prompts``): how they are read, and a file for those that papers
print and folkways does not ship (``published.PrintedPrompt``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from folkways.benchmarks.build import Option
from folkways.benchmarks.published import PrintedPrompt
from folkways.benchmarks.templates import Template, missing_places
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.toml_files import read_toml


def check_filled(table: str, texts: Mapping[str, str], printed: Iterable[PrintedPrompt]) -> None:
    """Raise FolkwaysError for an empty text, with where to find it. texts: of this table of the file."""
    at = {prompt.name: f"fill it in from {prompt.at}, or" for prompt in printed if prompt.table == table}
    for name, text in texts.items():
        if not text.strip():
            raise FolkwaysError(f"{table}: the prompt text {name!r} is empty; {at.get(name, '')} delete it")


HEAD = (
    "# Prompts that papers print and folkways does not ship. Copy each text from its paper into the quotes;",
    '# for several lines, write three of them: """. Put the {names} where the paper has the part, and delete',
    "# what you do not need. Then give the file to folkways run or folkways build: --prompts FILE",
)


def file_to_fill(printed: Sequence[PrintedPrompt], titles: Mapping[str, str]) -> str:
    """A prompts file with an empty text for each prompt. titles: table -> the benchmark whose paper it is."""
    lines = [*HEAD]
    table = None
    for prompt in printed:
        if prompt.table != table:
            table = prompt.table
            lines += ["", f'["{table}"]']
        parts = ", ".join(f"{{{part}}}" for part in prompt.parts)
        lines += [f"# {titles[table]}: {prompt.at}.", f"# Needs: {parts}", f'{prompt.name} = ""']
    return "\n".join(lines) + "\n"


def read_prompt_texts(value: str | Path | Mapping[str, Any]) -> dict[str, str]:
    """Prompt texts by template name (``TASK:NAME`` for a template of one task), from a TOML file or a table.

    DataError where there is none, or one is not a text.
    """
    file = None if isinstance(value, Mapping) else Path(value)
    table = (
        value
        if isinstance(value, Mapping)
        else read_toml(Path(value), 'prompts file, with a line name = "text" per template')
    )
    texts: dict[str, Any] = {}
    for key, entry in table.items():
        texts |= (
            {f"{key}:{name}": text for name, text in entry.items()}
            if isinstance(entry, dict)
            else {key: entry}
        )
    for name, text in texts.items():
        if not isinstance(text, str):
            raise DataError(f"template {name!r} must be a text in quotes, got {text!r}", file=file)
    if not texts:
        raise DataError("has no template; write one 'name = \"text\"' per template", file=file)
    return texts


PROMPTS_OPTION = Option(
    "--prompts", "Your prompt texts instead of ours; as in the paper: folkways init --prompts.", "file"
)
"""Of builders, for ``texts_for_builder``."""


def texts_for_builder(file: Path | None, table: str, printed: Iterable[PrintedPrompt]) -> dict[str, Template]:
    """The texts that a prompts file has in the table of a builder, with their sources; none without a file.

    printed: what the papers print; texts of other names are errors.
    Raises DataError for a file without the table and a place that is missing, UnknownNameError for an unknown
    text, FolkwaysError for an empty one or an unknown place.
    """
    if file is None:
        return {}
    prefix = f"{table}:"
    texts = {
        name.removeprefix(prefix): text
        for name, text in read_prompt_texts(file).items()
        if name.startswith(prefix)
    }
    prompts = {prompt.name: prompt for prompt in printed if prompt.table == table}
    if not texts:
        raise DataError(f'has no table ["{table}"]; valid texts there: {", ".join(prompts)}', file=file)
    check_filled(table, texts, prompts.values())
    chosen = {}
    for name, text in texts.items():
        if name not in prompts:
            raise UnknownNameError(f"text of {table} in {file}", name, prompts)
        prompt = prompts[name]
        if absent := missing_places(text, prompt.parts):
            raise DataError(f"{table}: the text {name!r} has no {' and no '.join(absent)}", file=file)
        chosen[name] = Template(text, prompt.source_of(text))
        chosen[name].fill(dict.fromkeys(prompt.parts, ""))
    return chosen
