"""Prompt templates: which ones are used, whose wording they have, and how the parts of an item are put into
them."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any

from folkways.benchmarks.base import PromptOptions
from folkways.cultures import cultures, language_name
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.toml_files import packaged_toml


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt text with {names} for the parts of an item, and the source of its wording
    (records.PROMPTS.prompt_source)."""

    text: str
    source: str

    def fill(self, parts: Mapping[str, str]) -> str:
        """The text with its {names} replaced, in one pass: braces inside a part stay as they are, and
        {{name}} becomes {name}.

        Raises UnfilledError for a {name} without a part: a model must never be sent one.
        """

        def part(place: re.Match[str]) -> str:
            if place[1] is not None:
                return f"{{{place[1]}}}"
            name = SHORT.get(place[2], place[2])
            if name not in parts:
                raise UnfilledError(name, self, parts)
            return parts[name]

        return _PLACE.sub(part, self.text)


class UnfilledError(FolkwaysError):
    """A {name} in a template that no part of the item fills."""

    def __init__(self, name: str, template: Template, parts: Mapping[str, str]) -> None:
        close = difflib.get_close_matches(name, parts, n=1)
        meant = (
            f"; did you mean {{{close[0]}}}?"
            if close
            else f"; valid: {', '.join(f'{{{part}}}' for part in parts)}"
        )
        self.what = (
            f"has {{{name}}}, which no part of the item fills{meant} (to send the braces, write "
            f"{{{{{name}}}}})"
        )
        super().__init__(f"the prompt text ({template.source}) {self.what}")


SHORT = {"q": "question"}
"""What BLEnD's released prompts call a part -> its name."""

_PLACE = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")


WORLD = "WORLD"
"""Code of the culture of items that are about no culture."""

_NAMES_WITH_ARTICLE = re.compile(
    r"United |Czech Republic|Netherlands|Philippines|Faroe Islands|Arab world|English-speaking"
)


def with_article(name: str) -> str:
    """The name as a sentence has it: "the Netherlands"."""
    return f"the {name}" if _NAMES_WITH_ARTICLE.match(name) else name


def culture_parts(code: str | None) -> dict[str, str]:
    """The texts for {culture}, {country}, {people} and {language} in a prompt about a culture, in English;
    empty for None.

    {culture} is West Java where {country} is Indonesia, and both are "the Netherlands" with their article;
    {language} is the culture's usual one.
    """
    if code is None:
        return {}
    culture = cultures().get(code)
    country = cultures().get(culture.iso3166_1 or "") if culture else None
    name = "the world" if code == WORLD else with_article(culture.name if culture else code)
    return {
        "culture": name,
        "country": with_article(country.name) if country else name,
        "people": f"people in {name}",
        "language": language_name(culture.languages[0] if culture and culture.languages else "en"),
    }


def missing_places(text: str, needed: Sequence[str]) -> list[str]:
    """The {names} of ``needed`` that a text lacks."""
    named = {SHORT.get(name, name) for _, name in _PLACE.findall(text)}
    return [f"{{{name}}}" for name in needed if name not in named]


def choose_templates(
    task: str,
    options: PromptOptions,
    known: Mapping[str, Callable[[], Template | None]],
    default: tuple[str, ...],
    needed: Sequence[str],
) -> dict[str, Template]:
    """Variant -> template, for the variants in the options; by default those of the user's texts, or else
    ``default``.

    task: its name.
    options: the user's variants and texts.
    known: variant -> function that gives its template, or None if this release lacks it.
    default: variants.
    needed: the {names} that every text of the user must contain.

    Raises UnknownNameError for a variant that is neither known nor the user's, FolkwaysError for one that
    the release lacks.
    """
    for name, text in options.prompt_texts.items():
        if absent := missing_places(text, needed):
            raise FolkwaysError(
                f"{task}: the prompt text {name!r} has no place for the item; write {' and '.join(absent)} "
                "where it belongs:"
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
                raise FolkwaysError(
                    f"{task}: this release does not contain the authors' prompts, so there is no variant "
                    f"{name!r}"
                )
        else:
            raise UnknownNameError(f"variant of {task}", name, {*known, *options.prompt_texts, "all"})
    return chosen


@cache
def wordings(package: str) -> Mapping[str, Any]:
    """The prompt texts of a benchmark: ``wordings.toml`` in its package, nested as there, without space at
    the ends of a text. A name that is not there is a FolkwaysError, with the names that are."""
    return _Wordings(packaged_toml(package, "wordings.toml"), f"wordings.toml of {package}")


def wordings_if_any(package: str) -> Mapping[str, Any]:
    """``wordings`` of a package that need not have any."""
    return wordings(package) if files(package).joinpath("wordings.toml").is_file() else {}


class _Wordings(dict[str, Any]):
    """A table of wordings.toml, which names its place when a name is not in it."""

    def __init__(self, texts: Mapping[str, Any], place: str) -> None:
        self.place = place
        super().__init__(
            (name, text.strip() if isinstance(text, str) else _Wordings(text, f"[{name}] in {place}"))
            for name, text in texts.items()
        )

    def __missing__(self, name: str) -> Any:
        raise FolkwaysError(f"there is no {name!r} in {self.place}; there are {', '.join(self)}")


def digest_of(wording: str | Mapping[str, str]) -> str:
    """8 hexadecimal digits over our wording, or several, for the record of what was made with it."""
    text = wording if isinstance(wording, str) else json.dumps(wording, sort_keys=True)
    return blake2b(text.encode(), digest_size=4).hexdigest()
