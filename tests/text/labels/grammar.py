"""Replies to multiple-choice questions made by a grammar that knows, for each, what a person would read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

LABELS = "ABCD"
DRESSES = ("{}", "{}", "**{}**", " {} \n", "“{}”", "{}\n\n", "> {}")
LETTER_DRESSES = ("{}", "{}", "{}", "**{}**", "({})", "'{}'", "`{}`")


@dataclass(frozen=True)
class Reply:
    """A reply, the options that were shown, and the label that a person reads; None for none."""

    language: str
    template: str
    text: str
    choices: dict[str, str]
    label: str | None


def templates() -> dict[str, dict]:
    return tomllib.loads((Path(__file__).parent / "replies.toml").read_text(encoding="utf-8"))


def replies(random: Random, rounds: int) -> Iterator[Reply]:
    """Each template of each language, ``rounds`` times, with other letters, options and dress."""
    for language, grammar in templates().items():
        series = [line.split(",") if "," in line else list(line) for line in grammar["letters"].split("|")]
        for kind in ("settles", "open"):
            for template in grammar[kind]:
                for _ in range(rounds):
                    yield _reply(random, language, template, kind == "settles", series, grammar["texts"])


def _reply(random: Random, language: str, template: str, settles: bool, series: list, texts: list) -> Reply:
    letters = random.choice(series)
    options = random.sample(random.choice(texts), 4)
    x, y, z = random.sample(range(4), 3)
    dress = (
        "{}" if "{{" in template or "\\" in template or "{X}" in template else random.choice(LETTER_DRESSES)
    )
    if "{a}" in template or language in ("ko", "am"):
        dress = "{}"
    named = {"x": dress.format(letters[x]), "y": dress.format(letters[y]), "z": dress.format(letters[z])}
    for place, name in enumerate("abcd"):
        named |= {name: letters[place], name.upper(): options[place]}
    filled = template.format(**named, X=options[x], Y=options[y], Z=options[z])
    outer = "{}" if "{{" in template or "\n" in template else random.choice(DRESSES)
    return Reply(
        language,
        template,
        outer.format(filled),
        dict(zip(LABELS, options, strict=True)),
        LABELS[x] if settles else None,
    )
