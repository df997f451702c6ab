"""The studies that come with folkways, as files to start from: five of stages of their own kinds, nine of
forms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from folkways.sdk.errors import UnknownNameError
from folkways_studio.errors import Message
from folkways_studio.workflows.definition import Definition, read_definition
from folkways_studio.workflows.yaml_text import parse_yaml

TEMPLATES: Mapping[str, tuple[Message, Message]] = {
    "red-teaming": (
        Message("Red-teaming"),
        Message(
            "People write questions from their culture and try them on a model; others review and verify "
            "them."
        ),
    ),
    "verification": (
        Message("Verification"),
        Message("Five people check every question; what most do not know goes to a finer group."),
    ),
    "everyday-questions": (
        Message("Everyday questions"),
        Message(
            "Questions about daily life are collected, put into each language, and answered in a few words."
        ),
    ),
    "culture-specific-items": (
        Message("Culture-specific items"),
        Message("Sentences are chosen, marked and labelled, then adapted to other cultures."),
    ),
    "judging": (
        Message("Judging model answers"),
        Message("People judge what models answered, and say what is odd about it."),
    ),
    "survey": (
        Message("Survey of opinions"),
        Message("Many people say what they think; how many give which answer is the result."),
    ),
    "best-worst": (
        Message("Best and worst of four"),
        Message("Of four texts at a time people choose the best and the worst: steadier than ratings."),
    ),
    "preference": (
        Message("Which answer is better?"),
        Message("People choose between two answers of models, and say why."),
    ),
    "norms": (
        Message("What one does, and where"),
        Message("People rate how fitting a behaviour is in a situation, country by country."),
    ),
    "cultural-references": (
        Message("What belongs to a culture"),
        Message("People mark the words that belong to their culture, and explain them."),
    ),
    "naming-items": (
        Message("Naming what belongs to a culture"),
        Message("People name the items of a culture in facts about it, and explain each."),
    ),
    "question-translation": (
        Message("Translation of questions"),
        Message("Two people translate a question with its options; an expert settles the text."),
    ),
    "picture-questions": (
        Message("Questions about pictures"),
        Message("People describe pictures from their country and write questions about them."),
    ),
    "dialects": (
        Message("Where do people speak like this?"),
        Message("People listen to recordings and say where somebody could speak like that."),
    ),
    "interface-translation": (
        Message("Translation of an interface"),
        Message("Speakers of a language check its translation of the studio, text by text."),
    ),
}
"""Name -> title, and what the study does."""

PAPERS: Mapping[str, str] = {
    "best-worst": "Kiritchenko and Mohammad (2017), Best-worst scaling more reliable than rating scales, ACL",
    "preference": "Kirk and others (2024), The PRISM alignment dataset, NeurIPS",
    "norms": "Gelfand and others (2011), Differences between tight and loose cultures: a 33-nation study, "
    "Science",
    "cultural-references": "Yao and others (2024), Benchmarking machine translation with cultural "
    "awareness, Findings of EMNLP",
    "naming-items": "Kabir and others (2026), XCR-Bench, section 2.1; Newmark (1988), A textbook of "
    "translation",
    "question-translation": "Harkness (2003), Questionnaire translation, in Cross-cultural survey methods",
    "picture-questions": "Romero and others (2024), CVQA: culturally-diverse multilingual visual question "
    "answering, NeurIPS",
    "dialects": "Keleg and Magdy (2023), Arabic dialect identification under scrutiny, ArabicNLP",
}
"""The gallery: name of a template of forms -> the paper that it follows, in our own words and questions."""


def template_text(name: str) -> str:
    """The YAML text of a template; UnknownNameError."""
    if name not in TEMPLATES:
        raise UnknownNameError("template", name, TEMPLATES)
    return files(__package__).joinpath("templates", f"{name}.yaml").read_text(encoding="utf-8")


@cache
def stage_titles() -> frozenset[str]:
    """The titles of the stages of all templates, in English."""
    described = (parse_yaml(template_text(name), f"template {name}") for name in TEMPLATES)
    return frozenset(stage["title"] for each in described for stage in each["stages"])


def template(name: str, **changes: object) -> Definition:
    """A template as a definition, with top-level settings (name, title, populations, ...) replaced by
    ``changes``."""
    raw = parse_yaml(template_text(name), f"template {name}")
    return read_definition({**raw, **changes}, f"template {name}")
