"""The five studies that come with folkways, as files to start from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from folkways.errors import UnknownNameError
from folkways.studio.errors import Message
from folkways.studio.workflows.definition import Definition, parse_yaml, read_definition

TEMPLATES: Mapping[str, tuple[Message, Message]] = {
    "red-teaming": (
        Message("Red-teaming"),
        Message("People write questions from their culture and try them on a model; others review and verify them."),
    ),
    "verification": (
        Message("Verification"),
        Message("Five people check every question; what most do not know goes to a finer group."),
    ),
    "everyday-questions": (
        Message("Everyday questions"),
        Message("Questions about daily life are collected, put into each language, and answered in a few words."),
    ),
    "culture-specific-items": (
        Message("Culture-specific items"),
        Message("Sentences are chosen, marked and labelled, then adapted to other cultures."),
    ),
    "judging": (
        Message("Judging model answers"),
        Message("People judge what models answered, and say what is odd about it."),
    ),
}
"""Name -> title, and what the study does."""


def template_text(name: str) -> str:
    """The YAML text of a template; UnknownNameError."""
    if name not in TEMPLATES:
        raise UnknownNameError("template", name, TEMPLATES)
    return files(__package__).joinpath("templates", f"{name}.yaml").read_text(encoding="utf-8")


def template(name: str, **changes: object) -> Definition:
    """A template as a definition, with top-level settings (name, title, populations, ...) replaced by ``changes``."""
    raw = parse_yaml(template_text(name), f"template {name}")
    return read_definition({**raw, **changes}, f"template {name}")
