"""The five studies that come with folkways, as files to start from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from folkways.errors import UnknownNameError
from folkways.studio.workflows.definition import Definition, parse_yaml, read_definition

TEMPLATES: Mapping[str, str] = {
    "red-teaming": "write questions, try them on a model, review and verify them (CulturalBench 3.1 to 3.3)",
    "verification": "verify questions by five people each, with a second round for finer groups (CulturalBench 3.2, 3.3)",
    "everyday-questions": "collect questions, put them into languages, answer and review them (BLEnD 3)",
    "culture-specific-items": "choose, mark, label and adapt sentences with culture-specific items (XCR-Bench 2)",
    "judging": "judge what models answered (BLEnD 5)",
}
"""Name -> what the study does."""


def template_text(name: str) -> str:
    """The YAML text of a template; UnknownNameError."""
    if name not in TEMPLATES:
        raise UnknownNameError("template", name, TEMPLATES)
    return files(__package__).joinpath("templates", f"{name}.yaml").read_text(encoding="utf-8")


def template(name: str, **changes: object) -> Definition:
    """A template as a definition, with top-level settings (name, title, populations, ...) replaced by ``changes``."""
    raw = parse_yaml(template_text(name), f"template {name}")
    return read_definition({**raw, **changes}, f"template {name}")
