"""Reads the file that describes a study: its populations, its stages and their rules. Every mistake is reported, with its place.

name: verify-2026
title: Questions from three regions, verified
licence: CC-BY-4.0
consent: |
  What you are asked to do, what is stored, and how you can leave.
populations:
  - {name: korea, culture: KR, language: ko, criteria: [{name: nationality, ask: "Your nationality?", accept: [South Korean]}]}
stages:
  - {name: verify, kind: vote, answers: 5, majority: 4}
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkways.cultures import get_culture, get_language
from folkways.errors import DataError, MissingExtraError, UnknownNameError
from folkways.studio.records import Role
from folkways.studio.workflows.base import COMMON_OPTIONS, Handler, Option
from folkways.studio.workflows.registry import HANDLERS

NAME = re.compile(r"[a-z][a-z0-9-]{0,47}")
STUDY_KEYS = (
    "name", "title", "workflow", "about", "licence", "consent", "populations", "stages", "models", "prolific",
)  # fmt: skip
POPULATION_KEYS = ("name", "title", "culture", "language", "part_of", "people", "criteria")
CRITERION_KEYS = ("name", "ask", "options", "accept", "least", "most", "optional")
STAGE_KEYS = ("name", "title", "kind", "role", "next")
MODEL_KEYS = ("helper", "verifier", "most_calls")
PROLIFIC_KEYS = ("completed", "screened_out", "no_work", "signed", "reward")
WORK_ROLES = (Role.ANNOTATOR, Role.REVIEWER, Role.EXPERT, Role.RESEARCHER)


class DefinitionError(DataError):
    """A study's description that cannot be used. ``problems``: what is wrong, each with its place in the file."""

    def __init__(self, problems: Sequence[str], file: Path | str | None = None) -> None:
        self.problems = tuple(problems)
        count = f"{len(self.problems)} thing{'s are' if len(self.problems) > 1 else ' is'} wrong in the description of the study"
        super().__init__("\n".join((f"{count}:", *(f"  {problem}" for problem in self.problems))), file=file)


@dataclass(frozen=True, slots=True)
class PopulationDefinition:
    """One population as described; ``part_of`` names the wider one."""

    name: str
    title: str
    culture: str
    language: str
    part_of: str | None
    people: int | None
    criteria: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class StageDefinition:
    """One stage as described, with every setting filled in; ``config["next"]`` maps a branch to the stage it leads to."""

    name: str
    title: str
    kind: str
    role: str
    config: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Definition:
    """One study as described. raw: the file's contents."""

    name: str
    title: str
    workflow: str
    licence: str
    consent: str
    populations: tuple[PopulationDefinition, ...]
    stages: tuple[StageDefinition, ...]
    raw: Mapping[str, Any]

    @property
    def consent_version(self) -> str:
        """12 hexadecimal digits over the text that people agree to."""
        return hashlib.sha256(self.consent.encode()).hexdigest()[:12]


def load_definition(path: Path) -> Definition:
    """Read a YAML file. DefinitionError, or DataError where it is no YAML."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 (byte {error.start}); save it as UTF-8", file=path) from None
    return read_definition(parse_yaml(text, path), path)


def parse_yaml(text: str, file: Path | str | None = None) -> Any:
    """What a YAML text says; DataError with line and column otherwise."""
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("The studio", "studio", "pyyaml") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DataError(f"is not valid YAML{where}: {getattr(error, 'problem', None) or error}", file=file) from None


def read_definition(raw: Any, file: Path | str | None = None) -> Definition:
    """Check a description and fill in what it leaves out. DefinitionError names every mistake."""
    return _Reader(file).read(raw)


class _Reader:
    """Collects problems while reading, so that one look at the file mends them all."""

    def __init__(self, file: Path | str | None) -> None:
        self.file = file
        self.problems: list[str] = []

    def read(self, raw: Any) -> Definition:
        if not isinstance(raw, Mapping):
            raise DefinitionError(
                ["the file has to be a mapping with name, title, licence, consent, populations and stages"], self.file
            )
        self._known(raw, STUDY_KEYS, "")
        name = self._name(raw, "")
        title = self._text(raw, "title", "", default=name)
        workflow = self._text(raw, "workflow", "", default="own")
        licence = self._text(raw, "licence", "")
        consent = self._text(raw, "consent", "")
        populations = self._populations(raw.get("populations"))
        stages = self._stages(raw.get("stages"))
        self._next(stages)
        for key, valid in (("models", MODEL_KEYS), ("prolific", PROLIFIC_KEYS)):
            self._known(self._mapping(raw.get(key, {}), key), valid, f"{key}.")
        self._models(raw.get("models") or {})
        if self.problems:
            raise DefinitionError(self.problems, self.file)
        return Definition(name, title, workflow, licence, consent, populations, stages, dict(raw))

    def _models(self, raw: Any) -> None:
        for key, value in raw.items() if isinstance(raw, Mapping) else ():
            if key == "most_calls":
                self._count(raw, key, "models.")
            elif key in MODEL_KEYS and (not isinstance(value, str) or not value.strip()):
                self._say(f"models.{key}", f"has to be the name of a model (folkways endpoints), not {value!r}")

    def _populations(self, raw: Any) -> tuple[PopulationDefinition, ...]:
        found: dict[str, PopulationDefinition] = {}
        for place, entry in self._entries(raw, "populations"):
            self._known(entry, POPULATION_KEYS, place)
            name = self._name(entry, place)
            culture, language = self._place_of(entry, place)
            parent = entry.get("part_of")
            if parent is not None and parent not in found:
                self._say(f"{place}part_of", f"{parent!r} is no population above it; valid: {', '.join(found) or '(none)'}")
            people = self._count(entry, "people", place)
            if name in found:
                self._say(f"{place}name", f"{name!r} is the name of another population as well")
            criteria = tuple(
                self._criterion(where, each) for where, each in self._entries(entry.get("criteria", []), f"{place}criteria")
            )
            title = self._text(entry, "title", place, default=name)
            found[name] = PopulationDefinition(name, title, culture, language, parent, people, criteria)
        return tuple(found.values())

    def _place_of(self, entry: Mapping[str, Any], place: str) -> tuple[str, str]:
        try:
            culture = get_culture(self._text(entry, "culture", place) or "KR")
        except UnknownNameError as error:
            self._say(f"{place}culture", str(error).splitlines()[0] + " (all names: folkways cultures)")
            return "", ""
        language = entry.get("language", culture.languages[0] if culture.languages else "en")
        try:
            return culture.code, get_language(str(language)).code
        except UnknownNameError as error:
            self._say(f"{place}language", " ".join(str(error).splitlines()[:2]))
            return culture.code, ""

    def _criterion(self, place: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        self._known(entry, CRITERION_KEYS, place)
        self._name(entry, place)
        self._text(entry, "ask", place)
        for key in ("options", "accept"):
            if key in entry and not (isinstance(entry[key], list) and entry[key]):
                self._say(f"{place}{key}", "has to be a list of answers")
        for key in ("least", "most"):
            if key in entry and (isinstance(entry[key], bool) or not isinstance(entry[key], int | float)):
                self._say(f"{place}{key}", f"has to be a number, not {entry[key]!r}")
        if "options" in entry and "accept" in entry and not {*map(str, entry["accept"])} <= {*map(str, entry["options"])}:
            self._say(f"{place}accept", "accepts an answer that is not among the options")
        return dict(entry)

    def _stages(self, raw: Any) -> tuple[StageDefinition, ...]:
        found: dict[str, StageDefinition] = {}
        for place, entry in self._entries(raw, "stages"):
            name = self._name(entry, place)
            kind = str(entry.get("kind"))
            if kind not in HANDLERS:
                self._say(f"{place}kind", f"{kind!r} is no kind of stage; valid: {', '.join(HANDLERS)}")
                continue
            handler = HANDLERS[kind]
            role = entry.get("role", Role.ANNOTATOR)
            if role not in WORK_ROLES:
                self._say(f"{place}role", f"{role!r} is no role that works; valid: {', '.join(WORK_ROLES)}")
            if name in found:
                self._say(f"{place}name", f"{name!r} is the name of another stage as well")
            title = self._text(entry, "title", place, default=name)
            found[name] = StageDefinition(name, title, kind, str(role), self._config(entry, handler, place))
        return tuple(found.values())

    def _config(self, entry: Mapping[str, Any], handler: Handler, place: str) -> Mapping[str, Any]:
        options = {**COMMON_OPTIONS, **handler.options}
        self._known(entry, (*STAGE_KEYS, *options), place)
        config = {
            name: self._setting(entry.get(name, option.default), option, f"{place}{name}") for name, option in options.items()
        }
        config["next"] = self._mapping(entry.get("next") or {}, f"{place}next")
        if not self.problems:
            for name, problem in handler.check_config(config).items():
                self._say(f"{place}{name}", problem)
        return config

    def _setting(self, value: Any, option: Option, place: str) -> Any:
        problem = option.problem(value)
        if problem is not None:
            self._say(place, f"{problem} ({option.about})")
        return value

    def _next(self, stages: Sequence[StageDefinition]) -> None:
        order = {stage.name: number for number, stage in enumerate(stages)}
        for number, stage in enumerate(stages):
            branches = HANDLERS[stage.kind].branches
            for branch, target in stage.config["next"].items():
                place = f"stages[{number}].next.{branch}"
                if branch not in branches:
                    self._say(place, f"{stage.kind} has no such end; valid: {', '.join(branches)}")
                if target not in order:
                    self._say(place, f"{target!r} is no stage; valid: {', '.join(order)}")
                elif order[target] <= number:
                    self._say(place, f"{target!r} comes before {stage.name!r}; items only move on")

    def _entries(self, raw: Any, place: str) -> list[tuple[str, Mapping[str, Any]]]:
        if not isinstance(raw, list) or (not raw and place in ("populations", "stages")):
            self._say(
                place, "has to be a list with at least one entry" if place in ("populations", "stages") else "has to be a list"
            )
            return []
        found = []
        for number, entry in enumerate(raw):
            if isinstance(entry, Mapping):
                found.append((f"{place}[{number}].", entry))
            else:
                self._say(f"{place}[{number}]", "has to be a mapping")
        return found

    def _known(self, entry: Mapping[str, Any], valid: Sequence[str], place: str) -> None:
        for key in entry:
            if key not in valid:
                self._say(f"{place}{key}", f"is no setting here; valid: {', '.join(valid)}")

    def _mapping(self, value: Any, place: str) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return dict(value)
        self._say(place, f"has to be a mapping, not {value!r}")
        return {}

    def _name(self, entry: Mapping[str, Any], place: str) -> str:
        name = entry.get("name")
        pattern = NAME if not place.count("criteria") else re.compile(r"[a-z][a-z0-9_-]{0,47}")
        if not isinstance(name, str) or not pattern.fullmatch(name):
            self._say(f"{place}name", f"has to be small letters, digits and hyphens, not {name!r}")
            return str(name)
        return name

    def _text(self, entry: Mapping[str, Any], key: str, place: str, default: str | None = None) -> str:
        value = entry.get(key, default)
        if not isinstance(value, str) or not value.strip():
            self._say(f"{place}{key}", "is missing" if value is None else f"has to be text, not {value!r}")
            return ""
        return value.strip()

    def _count(self, entry: Mapping[str, Any], key: str, place: str) -> int | None:
        value = entry.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            self._say(f"{place}{key}", f"has to be a whole number from 1, not {value!r}")
            return None
        return value

    def _say(self, place: str, problem: str) -> None:
        self.problems.append(f"{place}: {problem}")
