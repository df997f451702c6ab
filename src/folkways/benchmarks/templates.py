"""Prompt templates: which ones are used, whose wording they are, and how the parts of an item are put into them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any

from folkways.benchmarks.base import PromptOptions
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.toml_files import packaged_toml


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt text with {names} for the parts of an item, and where its wording comes from (records.PROMPTS.prompt_source)."""

    text: str
    source: str

    def fill(self, parts: Mapping[str, str]) -> str:
        """The text with its {names} replaced, in one pass: braces inside a part, and names that are no part, stay as they are."""
        return _PLACE.sub(lambda place: parts.get(SHORT.get(place[1], place[1]), place[0]), self.text)


SHORT = {"q": "question"}
"""What BLEnD's released prompts call a part -> its name."""

_PLACE = re.compile(r"\{(\w+)\}")


def missing_places(text: str, needed: Sequence[str]) -> list[str]:
    """The {names} of ``needed`` that a text has no place for."""
    there = {SHORT.get(name, name) for name in _PLACE.findall(text)}
    return [f"{{{name}}}" for name in needed if name not in there]


def choose_templates(
    task: str,
    options: PromptOptions,
    known: Mapping[str, Callable[[], Template | None]],
    default: tuple[str, ...],
    needed: Sequence[str],
) -> dict[str, Template]:
    """Variant -> template, for the variants asked for; the default ones, or those the user brought texts for, if none are.

    known:  variant -> what gives its template, or None where this release does not have it.
    needed: the {names} that every text brought by the user must contain.
    Raises UnknownNameError for a variant that is neither known nor brought, FolkwaysError for one that is not there.
    """
    for name, text in options.prompt_texts.items():
        if absent := missing_places(text, needed):
            raise FolkwaysError(
                f"{task}: the prompt text {name!r} has no place for the item; write {' and '.join(absent)} where it belongs:"
                f"\n{text}"
            )
    wanted = options.variants or tuple(options.prompt_texts) or default
    if "all" in wanted:
        wanted = (*known, *options.prompt_texts)
    chosen: dict[str, Template] = {}
    for name in dict.fromkeys(wanted):
        if name in options.prompt_texts:
            chosen[name] = Template(options.prompt_texts[name], f"file:{name}")
        elif name in known:
            template = known[name]()
            if template is not None:
                chosen[name] = template
            elif "all" not in (options.variants or ()):
                raise FolkwaysError(f"{task}: this release does not contain the authors' prompts, so there is no variant {name!r}")
        else:
            raise UnknownNameError(f"variant of {task}", name, {*known, *options.prompt_texts, "all"})
    return chosen


@cache
def wordings(package: str) -> Mapping[str, Any]:
    """The prompt texts of a benchmark: ``wordings.toml`` in its package, nested as there, without space at the ends of a text."""
    stripped: dict[str, Any] = _stripped(packaged_toml(package, "wordings.toml"))
    return stripped


def _stripped(texts: Any) -> Any:
    return texts.strip() if isinstance(texts, str) else {name: _stripped(text) for name, text in texts.items()}


def digest_of(wording: str | Mapping[str, str]) -> str:
    """8 hexadecimal digits over our wording, or several, for the record of what was made with it."""
    text = wording if isinstance(wording, str) else json.dumps(wording, sort_keys=True)
    return blake2b(text.encode(), digest_size=4).hexdigest()
