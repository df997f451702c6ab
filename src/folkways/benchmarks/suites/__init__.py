"""Suites: tasks of several benchmarks under one name (``culture-suite``), and how much of each is asked.

A suite is a TOML file in this folder, or in that of another package (``read_suites``), with the key ``tasks``
of a recipe; the comment at its head says what it is. A recipe of a user's own with that key is a suite too,
named by its path.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from folkways.errors import FolkwaysError, UnknownNameError

SEPARATOR = "?"
LISTS = ("cultures", "languages", "variants")
SETTINGS = ("limit", *LISTS)
"""Settings that a task can have of its own, after its name: ``blend/saq?limit=400&languages=local,en``."""

TaskSettings = Mapping[str, int | tuple[str, ...]]


@dataclass(frozen=True)
class Suite:
    """A list of tasks.

    about: what it is, in sentences.
    tasks: names of tasks and benchmarks, as ``split_task`` reads them.
    """

    name: str
    about: str
    tasks: tuple[str, ...]


@cache
def suites() -> Mapping[str, Suite]:
    """Every suite that comes with folkways, by name."""
    return MappingProxyType({suite.name: suite for suite in read_suites(__name__)})


def read_suites(package: str) -> tuple[Suite, ...]:
    """The suites of a package, one for each of its TOML files: ``Benchmark(...,
    suites=read_suites("markets.suites"))``."""
    by_name = {}
    for file in sorted(files(package).iterdir(), key=lambda file: file.name):
        name, _, ending = file.name.rpartition(".")
        if ending == "toml":
            text = file.read_text(encoding="utf-8")
            head = text.partition("tasks =")[0]
            about = " ".join(line.removeprefix("#").strip() for line in head.splitlines())
            by_name[name] = Suite(name, about, tuple(map(task_text, tomllib.loads(text)["tasks"])))
    return tuple(by_name.values())


def task_text(entry: Any) -> str:
    """A task as a recipe has it, a text or a table of its name and own settings, as one text. Raises
    FolkwaysError for anything else."""
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise FolkwaysError(
            f'a task is a name in quotes, or a table with one: {{ name = "blend/saq", limit = 400 }}; got '
            f"{entry!r}"
        )
    settings = {
        key: tuple(map(str, value)) if isinstance(value, list) else value
        for key, value in entry.items()
        if key != "name"
    }
    text = joined(entry["name"], settings)
    split_task(text)
    return text


def split_task(text: str) -> tuple[str, TaskSettings]:
    """The name of a task, benchmark or suite, and the settings after it.

    Raises UnknownNameError for an unknown setting, and FolkwaysError for one without a valid value.
    """
    name, _, tail = text.partition(SEPARATOR)
    settings: dict[str, int | tuple[str, ...]] = {}
    for pair in filter(None, tail.split("&")):
        key, _, value = pair.partition("=")
        if key not in SETTINGS:
            raise UnknownNameError(f"setting of the task {name}", key, SETTINGS)
        parts = tuple(part.strip() for part in value.split(",") if part.strip())
        if not parts:
            raise FolkwaysError(
                f"the setting {key} of the task {name} has no value; write it {name}?{key}=VALUE"
            )
        settings[key] = parts if key in LISTS else _limit(name, value)
    return name, settings


def _limit(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise FolkwaysError(f"the limit of the task {name} must be a whole number from 1 on, got {value!r}")
    return int(value)


def joined(name: str, own: TaskSettings) -> str:
    """The text that ``split_task`` reads, from its parts."""
    pairs = [f"{key}={','.join(value) if isinstance(value, tuple) else value}" for key, value in own.items()]
    return name + (SEPARATOR + "&".join(pairs) if pairs else "")


def narrowed(own: TaskSettings, further: TaskSettings) -> TaskSettings:
    """Both settings at once: the smaller of two limits; otherwise ``further`` wins."""
    limits = [int(one["limit"]) for one in (own, further) if "limit" in one]  # type: ignore[arg-type]
    return {**own, **further, **({"limit": min(limits)} if limits else {})}
