"""The prompts that lm-evaluation-harness sends for the questions of a task, byte for byte, with the examples
that it shows before them.

The declarations of tasks have its shapes (question, lettered options, "Answer:"). Texts (INCLUDE's
descriptions, Global PIQA's instruction) are its authors': they are read from the task files of the installed
program when a prompt is made. A prompt is the text that the program sends without a chat template.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from folkways.benchmarks.multiple_choice.declaration import PLACE, Declaration, fill
from folkways.benchmarks.templates import Template
from folkways.errors import FolkwaysError, FolkwaysWarning
from folkways.releases.release_records import Release

SEED = 1234
"""The program's own seed of examples, which its users seldom change."""

_SHOTS = re.compile(r"~shots-[1-9]\d*(?:-itself)?$")


def variant_with(variant: str, shots: int, *, itself: bool) -> str:
    """Name of a variant with examples: ``lm-eval~shots-5``, or ``lm-eval~shots-5-itself`` where the question
    is one of its own, with its answer; unchanged for 0."""
    return f"{variant}~shots-{shots}{'-itself' if itself else ''}" if shots else variant


def template_of(variant: str) -> str:
    """The variant without its examples; the inverse of ``variant_with``."""
    return _SHOTS.sub("", variant)


@dataclass(frozen=True)
class HarnessPrompt:
    """A prompt of the program. itself: whether its examples show the question itself, with its answer."""

    text: str
    itself: bool = False


@dataclass(frozen=True)
class HarnessText:
    """What a task file of the program says. description: how prompts begin. shape: of a question."""

    description: str
    shape: Template


@dataclass(frozen=True)
class _Example:
    parts: Mapping[str, str]
    answer: str


class HarnessPrompts:
    """The prompts of lm-evaluation-harness, by the table ``lm_eval`` of a declaration.

    Its keys: ``version`` (that the shapes follow), ``task`` (the program's task, within which examples are
    drawn, as a text with {names}), ``examples`` (the files of the examples; without it they are drawn among
    the questions themselves, as the program does where its task names no split for them), ``draw`` ("random",
    the default, or "first"), and ``variants``: name -> ``text`` (a shape of ours, with the {names} of a
    prompt and {stripped}) or ``template`` (a file below the program's folder of tasks), and ``continues``
    (true where the options themselves follow the prompt, in place of their letters).
    """

    def __init__(self, declared: Declaration) -> None:
        self._declared = declared
        self._keys: Mapping[str, Any] = declared.keys["lm_eval"]
        self._examples: tuple[Release, Mapping[str, list[_Example]]] | None = None
        self._draws: dict[tuple[int, int], _Draws] = {}
        self._texts: dict[tuple[str, str], HarnessText | None] = {}

    @cached_property
    def variants(self) -> Mapping[str, Mapping[str, Any]]:
        """Name -> its keys."""
        table: Mapping[str, Mapping[str, Any]] = self._keys["variants"]
        return table

    def continues(self, variant: str) -> bool:
        """Whether the options follow the prompts of a variant, with its examples or without: a cloze."""
        return bool(self.variants.get(template_of(variant), {}).get("continues"))

    def source(self, variant: str) -> str:
        """Whose wording it is, with the version: the followed one of a shape, the installed one of a text.

        FolkwaysError where a text is needed and the program is not installed.
        """
        if "text" in self.variants[variant]:
            return f"lm-eval {self._keys['version']}"
        _tasks_folder()
        try:
            return f"lm-eval {version('lm_eval')}"
        except PackageNotFoundError:
            return "lm-eval, unknown version"

    def prompt(
        self, item: Mapping[str, Any], parts: Mapping[str, str], variant: str, shots: int, release: Release
    ) -> HarnessPrompt | None:
        """The prompt of an item; None, after a FolkwaysWarning, where the program has no task for it.

        item: with ``lm_eval_task`` and ``lm_eval_place``, its row in that task, from 0. parts: of the item as
        it is shown. variant: one of ``variants``. shots: number of examples, from 0. release: that has them.
        FolkwaysError where there are fewer.
        """
        task = item["lm_eval_task"]
        if (task, variant) not in self._texts:
            self._texts[task, variant] = self._text(task, variant)
            if self._texts[task, variant] is None:
                message = f"lm-evaluation-harness has no task of {task}: {variant} leaves its questions out"
                warnings.warn(message, FolkwaysWarning, stacklevel=2)
        text = self._texts[task, variant]
        if text is None:
            return None
        question = text.shape.fill(_with_stripped(parts))
        shown, itself = "", False
        for example in self._drawn(task, item["lm_eval_place"], shots, release):
            before = text.shape.fill(example.parts)
            answer = example.parts[example.answer.lower()] if self.continues(variant) else example.answer
            shown += f"{before} {answer}\n\n"
            itself = itself or before == question
        return HarnessPrompt(f"{text.description}{shown}{question}", itself)

    def _text(self, task: str, variant: str) -> HarnessText | None:
        keys = self.variants[variant]
        if "text" in keys:
            return HarnessText("", Template(keys["text"], ""))
        names = PLACE.findall(self._keys["task"])
        values = dict(zip(names, task.split("/", len(names) - 1), strict=True))
        folder, _, file = fill(keys["template"], values).rpartition("/")
        file = file.lower().replace(" & ", "_").replace(" ", "_")
        entry = _task_file(f"{folder}/{file}")
        if entry is None:
            return None
        shape = followed_template(entry.get("doc_to_text", ""), self._names_of_columns)
        return HarnessText(entry.get("description", ""), shape)

    @cached_property
    def _names_of_columns(self) -> Mapping[str, str]:
        """Column of the data -> what a prompt calls it."""
        columns = {str(self._declared.keys["question"]).strip("{}"): "question"}
        options = self._declared.keys["options"]
        for label, option in zip(self._declared.labels, options, strict=True):
            columns[option.strip("{}")] = label.lower()
        return columns

    def _drawn(self, task: str, place: int, shots: int, release: Release) -> list[_Example]:
        if shots == 0:
            return []
        pool = self._pools(release).get(task, [])
        if len(pool) < shots:
            raise FolkwaysError(
                f"{self._declared.keys['name']} has {len(pool)} examples for {task} in {release.name}, and "
                f"{shots} are wanted: lower the number of shots, or fetch the release again"
            )
        if self._keys.get("draw") == "first":
            return pool[:shots]
        draws = self._draws.setdefault((len(pool), shots), _Draws(len(pool), shots))
        return [pool[index] for index in draws.of(place)]

    def _pools(self, release: Release) -> Mapping[str, list[_Example]]:
        """Task -> its examples, in the order of the data; read once for all prompts of a release."""
        if self._examples is None or self._examples[0] is not release:
            pools: dict[str, list[_Example]] = {}
            labels = self._declared.labels
            for entry in self._declared.entries(release, self._keys.get("examples")):
                shown = dict(zip(map(str.lower, labels), entry["shown_options"], strict=False))
                parts = _with_stripped({"question": entry["text"], **shown})
                pools.setdefault(entry["lm_eval_task"], []).append(_Example(parts, entry["gold_letter"]))
            self._examples = release, pools
        return self._examples[1]


class _Draws:
    """The examples of each question of a task. The program draws them one question after the other with one
    generator, so that those of a question depend on its row."""

    def __init__(self, size: int, shots: int) -> None:
        self._size, self._shots = size, shots
        self._random = Random(SEED)  # noqa: S311 - the program's own draw
        self._done: list[list[int]] = []

    def of(self, place: int) -> list[int]:
        while len(self._done) <= place:
            self._done.append(self._random.sample(range(self._size), self._shots))
        return self._done[place]


def _with_stripped(parts: Mapping[str, str]) -> dict[str, str]:
    return {**parts, "stripped": parts["question"].strip()}


_EXPRESSION = re.compile(r"\{\{\s*(\w+)(\.strip\(\))?\s*\}\}")


def followed_template(text: str, names: Mapping[str, str]) -> Template:
    """The template of ours that gives what the program makes of ``text``, a template of its task files.

    names: column of the data -> its {name}. FolkwaysError for what goes beyond columns and a stripped
    question.
    """
    shape, end = "", 0
    for match in _EXPRESSION.finditer(text):
        name = names.get(match[1], "")
        if match[2]:
            name = "stripped" if name == "question" else ""
        if not name:
            break
        shape += f"{_literal(text[end : match.start()])}{{{name}}}"
        end = match.end()
    rest = text[end:]
    if not shape or "{{" in rest or "{%" in text:
        raise FolkwaysError(
            f"the installed lm-evaluation-harness has a prompt that folkways cannot follow: {text[:80]!r}; "
            "install the version that docs/reference/tasks.md names"
        )
    return Template(shape + _literal(rest), "")


def _literal(text: str) -> str:
    return re.sub(r"\{(\w+)\}", r"{{\1}}", text)


def _tasks_folder() -> Path:
    spec = find_spec("lm_eval")
    if spec is None or spec.origin is None:
        raise FolkwaysError(
            "these prompts are lm-evaluation-harness's own texts and are read from it: install it "
            "beside folkways (pip install lm_eval), or leave the variant out"
        )
    return Path(spec.origin).parent / "tasks"


@cache
def _task_file(path: str) -> Mapping[str, str] | None:
    """The texts of a task file below the program's folder of tasks, with those that it includes; None without
    the file."""
    import yaml  # comes with the program

    class Loader(yaml.SafeLoader):
        """Reads names of functions as text: nothing of the program is run."""

    Loader.add_constructor("!function", lambda _, node: str(node.value))
    file = _tasks_folder() / path
    if not file.is_file():
        return None
    keys: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), Loader) or {}  # noqa: S506 - a SafeLoader
    included = keys.get("include")
    base = (_task_file(f"{path.rpartition('/')[0]}/{included}") or {}) if isinstance(included, str) else {}
    return {**base, **{name: value for name, value in keys.items() if isinstance(value, str)}}
