"""Every kind of stage by name, read from the descriptions in ``kinds``.

A new kind is a description there and its guidelines (``templates/help``). If it needs code, it names a rule:
a subclass of ``StageKind`` in RULES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from folkways.sdk.errors import UnknownNameError
from folkways_studio.errors import Message
from folkways_studio.stages.adapting import Adaptation
from folkways_studio.stages.adjudicating import Adjudication
from folkways_studio.stages.answers import GroupAnswers, ShortAnswers
from folkways_studio.stages.base import Option
from folkways_studio.stages.form import Consensus
from folkways_studio.stages.judging import Judging
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.base import Part
from folkways_studio.stages.parts.settings import form_problems
from folkways_studio.stages.reviewing import Curate, Review
from folkways_studio.stages.sentences import BestOf, Marks, Unanimous
from folkways_studio.stages.survey import SurveyQuestion
from folkways_studio.stages.votes import Voting
from folkways_studio.stages.writing import AuthoredItem, RedTeaming
from folkways_studio.workflows.yaml_text import parse_yaml

KINDS = Path(__file__).parent / "kinds"
TEXTS = ("label", "help", "missing", "about")
"""Keys in ``show`` and ``ask`` whose texts are shown in the reader's language."""


def stage_kind(name: str) -> StageKind:
    """The kind of stage of that name; UnknownNameError."""
    if name not in STAGE_KINDS:
        raise UnknownNameError("kind of stage", name, STAGE_KINDS)
    return STAGE_KINDS[name]


RULES: Mapping[str, Callable[..., StageKind]] = {
    "last": StageKind,
    "adaptation": Adaptation,
    "adjudication": partial(Adjudication, kind_named=stage_kind),
    "best_of": BestOf,
    "consensus": Consensus,
    "curate": Curate,
    "group_answers": GroupAnswers,
    "judging": Judging,
    "marks": Marks,
    "red_teaming": RedTeaming,
    "review": Review,
    "short_answers": ShortAnswers,
    "survey": SurveyQuestion,
    "unanimous": Unanimous,
    "vote": Voting,
    "written": AuthoredItem,
}
"""What a description may name as ``rule``: how its answers are checked and decided, where no setting of a
description says it."""


def read_kind(description: Mapping[str, Any]) -> StageKind:
    """The kind of stage that a description says; ValueError names what is wrong with it."""
    valid = {"rule", *(each.name for each in fields(StageKind))}
    problems = {name: "is not a setting of a kind" for name in description if name not in valid}
    if description.get("rule", "last") not in RULES:
        problems["rule"] = f"has to be one of: {', '.join(RULES)}"
    show, ask = description.get("show", ()), description.get("ask", ())
    problems |= form_problems(show, ask, built_in=True)
    if problems:
        lines = "; ".join(f"{name}: {problem}" for name, problem in problems.items())
        raise ValueError(f"kind of stage {description.get('name')}: {lines}")
    settings = {name: Option(**option) for name, option in description.get("settings", {}).items()}
    parsed = {
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in description.items()
            if name != "rule"
        },
        "settings": settings,
        "show": [_with_messages(entry) for entry in show],
        "ask": [_part(entry) for entry in ask],
    }
    return RULES[description.get("rule", "last")](**parsed)


def _part(entry: Mapping[str, Any]) -> Part:
    """A part whose field on a page has its key as name, unless the description names another."""
    part = {"field": entry["key"], "label": "", **_with_messages(entry)}
    if "options" in entry:
        part["options"] = [
            _with_messages(option) if isinstance(option, Mapping) else option for option in entry["options"]
        ]
    return part


def _with_messages(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: Message(value) if name in TEXTS else value for name, value in entry.items()}


def _read_kinds() -> dict[str, StageKind]:
    descriptions = (parse_yaml(path.read_text("utf-8"), path) for path in sorted(KINDS.glob("*.yaml")))
    return {kind.name: kind for kind in map(read_kind, descriptions)}


STAGE_KINDS: Mapping[str, StageKind] = _read_kinds()
