"""Reads the file that describes a study: its populations, its stages and their rules. Every mistake is
reported, with its place.

name: verify-2026
title: Questions from three regions, verified
licence: CC-BY-4.0
consent: |
  What you are asked to do, what is stored, and how you can leave.
populations:
  - {name: korea, culture: KR, language: ko, criteria: [{name: nationality, ask: "Your nationality?", accept:
    [South Korean]}]}
stages:
  - {name: verify, kind: vote, answers: 5, majority: 4}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkways.sdk.cultures import get_culture, get_language, languages
from folkways.sdk.errors import DataError, UnknownNameError
from folkways_studio.records import EXTERNAL, RETURN_CODE, Role
from folkways_studio.stages.base import COMMON_OPTIONS, Option
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.registry import STAGE_KINDS
from folkways_studio.workflows.fields import FieldReader
from folkways_studio.workflows.known_answers import SETTINGS, read_known_answers
from folkways_studio.workflows.manuals import cases_of
from folkways_studio.workflows.wordings import Wording, in_own_language
from folkways_studio.workflows.yaml_text import parse_yaml

CRITERION_NAME = re.compile(r"[a-z][a-z0-9_-]{0,47}")
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
STUDY_KEYS = (
    "name",
    "title",
    "language",
    "workflow",
    "about",
    "licence",
    "consent",
    "populations",
    "stages",
    "models",
    "prolific",
    "pay",
)
POPULATION_KEYS = ("name", "title", "culture", "language", "part_of", "people", "criteria")
CRITERION_KEYS = (
    "name",
    "ask",
    "options",
    "accept",
    "least",
    "most",
    "of",
    "over",
    "optional",
    "quota",
    "margins",
)
STAGE_KEYS = ("name", "title", "kind", "role", "next")
MODEL_KEYS = ("helper", "verifier", "suggester", "most_calls", "most_calls_per_person", "most_usd")
PROLIFIC_KEYS = ("completed", "screened_out", "no_work", "signed")
PAY_KEYS = ("per_hour", "per_answer", "currency", "training", "budget", "wages")
WAGE_KEYS = ("population", "per_hour", "currency", "exchange", "source")
WORK_ROLES = (Role.ANNOTATOR, Role.REVIEWER, Role.EXPERT, Role.RESEARCHER)


class DefinitionError(DataError):
    """A study's description that cannot be used. ``problems``: what is wrong, each with its place in the
    file."""

    def __init__(self, problems: Sequence[str], file: Path | str | None = None) -> None:
        self.problems = tuple(problems)
        count = (
            f"{len(self.problems)} thing{'s are' if len(self.problems) > 1 else ' is'} wrong in the "
            "description of the study"
        )
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
    """One stage as described, with every setting filled in; ``config["next"]`` maps a branch to the stage it
    leads to."""

    name: str
    title: str
    kind: str
    role: str
    config: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Definition:
    """One study as described, its texts in its own language. raw: the file's contents, with the texts in
    every language."""

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
        """12 hexadecimal digits over the text that people agree to, in the study's own language."""
        return Wording(self.consent, None).version


def load_definition(path: Path) -> Definition:
    """Read a YAML file. DefinitionError, or DataError if it is not YAML."""
    return read_definition(parse_yaml(read_description(path), path), path)


def read_description(path: Path) -> str:
    """The text of a YAML file; DataError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 (byte {error.start}); save it as UTF-8", file=path) from None


def read_definition(raw: Any, file: Path | str | None = None) -> Definition:
    """Check a description and fill in what it leaves out. DefinitionError names every mistake."""
    return _Reader(file).read(raw)


def _are_answers(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(each, str | int | float) for each in value)
    )


class _Reader(FieldReader):
    """What a description has to hold, part by part."""

    def __init__(self, file: Path | str | None) -> None:
        super().__init__()
        self.file = file

    def read(self, raw: Any) -> Definition:
        if not isinstance(raw, Mapping):
            raise DefinitionError(
                ["the file has to be a mapping with name, title, licence, consent, populations and stages"],
                self.file,
            )
        self.known(raw, STUDY_KEYS, "")
        written, raw = raw, in_own_language(raw, self.say)
        name = self.name(raw, "")
        title = self.text(raw, "title", "", default=name)
        workflow = self.text(raw, "workflow", "", default="own")
        licence = self.text(raw, "licence", "")
        consent = self.text(raw, "consent", "")
        populations = self._populations(raw.get("populations"))
        stages = self._stages(raw.get("stages"), [each.name for each in populations])
        self._next(stages)
        for key, valid in (("models", MODEL_KEYS), ("prolific", PROLIFIC_KEYS), ("pay", PAY_KEYS)):
            self.known(self.mapping(raw.get(key, {}), key), valid, f"{key}.")
        self._models(raw.get("models") or {})
        self._prolific(raw.get("prolific"))
        self._pay(raw.get("pay"), [each.name for each in populations])
        if self.problems:
            raise DefinitionError(self.problems, self.file)
        return Definition(name, title, workflow, licence, consent, populations, stages, dict(written))

    def _models(self, raw: Any) -> None:
        for key, value in raw.items() if isinstance(raw, Mapping) else ():
            if key in ("most_calls", "most_calls_per_person"):
                self.count(raw, key, "models.")
            elif key == "most_usd":
                self.amount(raw, key, "models.")
            elif key in MODEL_KEYS and not (isinstance(value, str) and MODEL_NAME.fullmatch(value)):
                what = "has to be the name of a model of the server's list (folkways studio --models FILE)"
                self.say(
                    f"models.{key}",
                    f"{what}: letters, digits, points and hyphens; an address belongs into that list, not "
                    f"{value!r}",
                )

    def _prolific(self, raw: Any) -> None:
        for key, value in raw.items() if isinstance(raw, Mapping) else ():
            if key == "signed":
                if not isinstance(value, bool):
                    self.say("prolific.signed", f"has to be true or false, not {value!r}")
            elif key in PROLIFIC_KEYS and (isinstance(value, bool) or not isinstance(value, str | int)):
                self.say(f"prolific.{key}", f"has to be a completion code, not {value!r}")

    def _pay(self, raw: Any, populations: Sequence[str]) -> None:
        if not isinstance(raw, Mapping):
            return
        rates = [key for key in ("per_hour", "per_answer") if key in raw]
        for key in rates:
            self.amount(raw, key, "pay.")
        if not rates:
            self.say("pay", "needs per_hour, per_answer or both")
        self.amount(raw, "budget", "pay.")
        self._currency(raw, "pay.")
        if not isinstance(raw.get("training", False), bool):
            self.say("pay.training", f"has to be true or false, not {raw['training']!r}")
        read_so_far: set[object] = set()
        for path, wage in self.entries(raw.get("wages", []), "pay.wages"):
            self.known(wage, WAGE_KEYS, path)
            for key in ("per_hour", "exchange"):
                self.amount(wage, key, path)
            if wage.get("per_hour") is None:
                self.say(f"{path}per_hour", "is missing: the local wage per hour")
            self.text(wage, "source", path)
            if "currency" in wage:
                self._currency(wage, path)
            if (
                wage.get("currency", raw.get("currency")) != raw.get("currency")
                and wage.get("exchange") is None
            ):
                self.say(
                    f"{path}exchange",
                    f"is missing: how many {raw.get('currency')} one {wage.get('currency')} is worth",
                )
            population = wage.get("population")
            if population is not None and population not in populations:
                self.say(
                    f"{path}population", f"{population!r} is no population; valid: {', '.join(populations)}"
                )
            if population in read_so_far:
                self.say(f"{path}population", "has another wage above")
            read_so_far.add(population)

    def _currency(self, entry: Mapping[str, Any], place: str) -> None:
        if not re.fullmatch(r"[A-Z]{3}", str(entry.get("currency"))):
            self.say(
                f"{place}currency",
                f"has to be three capital letters, such as EUR, not {entry.get('currency')!r}",
            )

    def _populations(self, raw: Any) -> tuple[PopulationDefinition, ...]:
        read_so_far: dict[str, PopulationDefinition] = {}
        for path, entry in self.entries(raw, "populations", least=1):
            self.known(entry, POPULATION_KEYS, path)
            name = self.name(entry, path)
            culture, language = self._place_of(entry, path)
            parent = entry.get("part_of")
            if parent is not None and not (isinstance(parent, str) and parent in read_so_far):
                self.say(
                    f"{path}part_of",
                    f"{parent!r} is no population above it; valid: {', '.join(read_so_far) or '(none)'}",
                )
            people = self.count(entry, "people", path)
            if name in read_so_far:
                self.say(f"{path}name", f"{name!r} is the name of another population as well")
            criteria = tuple(
                self._criterion(where, each)
                for where, each in self.entries(entry.get("criteria", []), f"{path}criteria")
            )
            for index, each in enumerate(criteria):
                others = [other.get("name") for other in criteria if other is not each]
                if "of" in each and each["of"] not in others:
                    self.say(f"{path}criteria[{index}].of", f"{each['of']!r} is no other criterion here")
            title = self.text(entry, "title", path, default=name)
            read_so_far[name] = PopulationDefinition(name, title, culture, language, parent, people, criteria)
        return tuple(read_so_far.values())

    def _place_of(self, entry: Mapping[str, Any], place: str) -> tuple[str, str]:
        try:
            culture = get_culture(self.text(entry, "culture", place) or "KR")
        except UnknownNameError as error:
            self.say(f"{place}culture", str(error).splitlines()[0] + " (all names: folkways cultures)")
            return "", ""
        language = entry.get("language", next(iter(culture.languages), None))
        if language is None:
            valid = ", ".join(sorted(languages()))
            self.say(
                f"{place}language",
                f"is missing, and {culture.code} has no language that it could be; valid: {valid}",
            )
            return culture.code, ""
        try:
            return culture.code, get_language(str(language)).code
        except UnknownNameError as error:
            self.say(f"{place}language", " ".join(str(error).splitlines()[:2]))
            return culture.code, ""

    def _criterion(self, place: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        self.known(entry, CRITERION_KEYS, place)
        if self.name(entry, place, CRITERION_NAME) in (*EXTERNAL, RETURN_CODE):
            self.say(f"{place}name", "is kept for recruitment services; choose another")
        self.text(entry, "ask", place)
        for key in ("options", "accept"):
            if key in entry and not _are_answers(entry[key]):
                self.say(f"{place}{key}", "has to be a list of answers, each a text or a number")
        for key in ("least", "most", "over"):
            if key in entry and (isinstance(entry[key], bool) or not isinstance(entry[key], int | float)):
                self.say(f"{place}{key}", f"has to be a number, not {entry[key]!r}")
        if ("of" in entry) != ("over" in entry):
            self.say(f"{place}of", "belongs with over, the share of another criterion's number")
        both = all(key in entry and _are_answers(entry[key]) for key in ("options", "accept"))
        if both and not {*map(str, entry["accept"])} <= {*map(str, entry["options"])}:
            self.say(f"{place}accept", "accepts an answer that is not among the options")
        for key in ("quota", "margins"):
            if key in entry:
                self._by_answer(place, key, entry)
        return dict(entry)

    def _by_answer(self, place: str, key: str, entry: Mapping[str, Any]) -> None:
        """A number above 0 for some, or of ``margins`` each, of the answers of a criterion with options."""
        numbers = entry[key]
        if not isinstance(numbers, Mapping) or not numbers:
            self.say(f"{place}{key}", "has to name answers with a number each: {women: 50, men: 50}")
            return
        options = {*map(str, entry["options"])} if _are_answers(entry.get("options")) else set()
        valid = {*map(str, entry["accept"])} if _are_answers(entry.get("accept")) else options
        if not {*map(str, numbers)} <= valid:
            self.say(f"{place}{key}", "names an answer that is not among the options that are let in")
        if key == "margins" and {*map(str, numbers)} != valid:
            self.say(f"{place}{key}", "has to give the share of every option that is let in")
        whole = (int,) if key == "quota" else (int, float)
        if any(
            isinstance(one, bool) or not isinstance(one, whole) or not 0 < one < 1e9
            for one in numbers.values()
        ):
            what = "whole numbers of people" if key == "quota" else "shares"
            self.say(f"{place}{key}", f"has to have {what} above 0")

    def _stages(self, raw: Any, populations: Sequence[str]) -> tuple[StageDefinition, ...]:
        read_so_far: dict[str, StageDefinition] = {}
        for path, entry in self.entries(raw, "stages", least=1):
            name = self.name(entry, path)
            kind = str(entry.get("kind"))
            if kind not in STAGE_KINDS:
                self.say(f"{path}kind", f"{kind!r} is no kind of stage; valid: {', '.join(STAGE_KINDS)}")
                continue
            role = entry.get("role", Role.ANNOTATOR)
            if role not in WORK_ROLES:
                self.say(f"{path}role", f"{role!r} is no role that works; valid: {', '.join(WORK_ROLES)}")
            if name in read_so_far:
                self.say(f"{path}name", f"{name!r} is the name of another stage as well")
            title = self.text(entry, "title", path, default=name)
            config = self._config(entry, STAGE_KINDS[kind], path)
            config |= read_known_answers(self, entry, STAGE_KINDS[kind], path, populations)
            read_so_far[name] = StageDefinition(name, title, kind, str(role), config)
        return tuple(read_so_far.values())

    def _config(self, entry: Mapping[str, Any], kind: StageKind, place: str) -> dict[str, Any]:
        options = {**COMMON_OPTIONS, **kind.settings}
        self.known(entry, (*STAGE_KEYS, *options, *SETTINGS), place)
        config = {
            name: self._setting(entry.get(name, option.default), option, f"{place}{name}")
            for name, option in options.items()
        }
        config["training"] = bool(config["training"] and cases_of(config["manual"]))
        config["next"] = self.mapping(entry.get("next") or {}, f"{place}next")
        if not self.problems:
            for name, problem in kind.check_config(config).items():
                self.say(f"{place}{name}", problem)
        return config

    def _setting(self, value: Any, option: Option, place: str) -> Any:
        problem = option.problem(value)
        if problem is not None:
            self.say(place, f"{problem} ({option.about})")
        return value

    def _next(self, stages: Sequence[StageDefinition]) -> None:
        order = {stage.name: number for number, stage in enumerate(stages)}
        for number, stage in enumerate(stages):
            branches = STAGE_KINDS[stage.kind].branches
            for branch, target in stage.config["next"].items():
                path = f"stages[{number}].next.{branch}"
                if branch not in branches:
                    self.say(path, f"{stage.kind} has no such end; valid: {', '.join(branches)}")
                if not isinstance(target, str) or target not in order:
                    self.say(path, f"{target!r} is no stage; valid: {', '.join(order)}")
                elif order[target] <= number:
                    which = "is this stage itself" if target == stage.name else f"comes before {stage.name!r}"
                    self.say(path, f"{target!r} {which}; items only move on")
