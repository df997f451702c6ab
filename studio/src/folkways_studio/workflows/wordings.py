"""Texts of a study in several languages: what people read may be one text, or a mapping of languages to
texts.

language: en                  # the study's own: every mapping has it, and who reads none of the others reads
          it
title: {en: Food in four countries, ar: الطعام في أربعة بلدان}
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from folkways.sdk.cultures import languages
from folkways_studio.workflows.manuals import Manual, check_manual, is_shipped, read_manual, shipped_for

OWN = "en"
"""The own language of a study that has texts by language and does not name it."""

STUDY_TEXTS = ("title", "about", "consent")
STAGE_TEXTS = ("title", "guidelines", "manual")


@dataclass(frozen=True, slots=True)
class Wording:
    """A text and the code of its language; None where the study does not say in which it is."""

    text: str
    language: str | None

    @property
    def sha256(self) -> str:
        """64 hexadecimal digits over the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def version(self) -> str:
        """The first 12 of them, which forms and tables carry."""
        return self.sha256[:12]


def wordings(value: Any, own: str | None) -> tuple[Wording, ...]:
    """Every version of a text as the file has it, in the file's order; a plain text is in the study's own
    language, or in nobody knows which.
    """
    if isinstance(value, Mapping):
        return tuple(Wording(str(text).strip(), str(language)) for language, text in value.items())
    return (Wording(str(value).strip(), own),)


class StudyTexts:
    """The texts of a study for one reader. definition: as ``workflows.definition`` checked it. wanted:
    languages, best first. shipped: an English text of a template -> the same in the language of the page;
    None for any other text."""

    def __init__(
        self,
        definition: Mapping[str, Any],
        wanted: Sequence[str],
        shipped: Callable[[str], Wording | None] = lambda text: None,
    ) -> None:
        self.definition = definition
        self.wanted = tuple(wanted)
        self.shipped = shipped
        named = definition.get("language")
        self.own = str(named) if named else None

    def pick(self, value: Any) -> Wording:
        """The version that the reader wants most, else the one in the study's own language."""
        by_language = {each.language: each for each in wordings(value, self.own)}
        return next(
            (by_language[language] for language in (*self.wanted, self.own, OWN) if language in by_language),
            next(iter(by_language.values())),
        )

    def say(self, value: Any) -> str:
        """What ``pick`` finds, without its language."""
        return self.pick(value).text

    def is_fallback(self, found: Wording, locale: str) -> bool:
        """Whether a text is in a language that the reader of a page in ``locale`` did not ask for."""
        return found.language is not None and found.language != next(iter(self.wanted), locale)

    @property
    def title(self) -> Wording:
        """Of the study."""
        return self.pick(self.definition.get("title") or self.definition["name"])

    @property
    def about(self) -> Wording | None:
        """What the study is, for those who are invited; None where it does not say."""
        return self.pick(self.definition["about"]) if self.definition.get("about") else None

    @property
    def consent(self) -> Wording:
        """What people agree to."""
        return self.pick(self.definition["consent"])

    @property
    def consents(self) -> tuple[Wording, ...]:
        """The same in every language."""
        return wordings(self.definition["consent"], self.own)

    def stage_title(self, name: str) -> Wording:
        """Of the stage of that name. What a template calls it is said in the language of the page."""
        title = self.pick(self._named("stages", name).get("title") or name)
        return (self.shipped(title.text) if title.language in (None, OWN) else None) or title

    def guidelines(self, name: str) -> Wording | None:
        """What people read with a task of the stage of that name: the study's text, else the short form of
        the manual; None where there is neither."""
        value = self._named("stages", name).get("guidelines")
        if value:
            return self.pick(value)
        manual = self.manual(name)
        return Wording(manual.short, manual.language) if manual is not None and manual.short else None

    def manual(self, name: str) -> Manual | None:
        """The guidelines in full of the stage of that name; None where the study has none."""
        value = self._named("stages", name).get("manual")
        if not value:
            return None
        if is_shipped(value):
            return shipped_for(str(value).strip(), (*self.wanted, self.own))
        picked = self.pick(value)
        return read_manual(picked.text, picked.language)

    def criteria(self, population: str) -> list[tuple[Mapping[str, Any], Wording, list[tuple[str, Wording]]]]:
        """Each criterion of a population, its question, and its options with the value stored for each: the
        own language's."""
        plain = StudyTexts(self.definition, ())
        return [
            (
                each,
                self.pick(each["ask"]),
                [(plain.pick(option).text, self.pick(option)) for option in each.get("options", ())],
            )
            for each in self._named("populations", population).get("criteria") or ()
        ]

    def _named(self, part: str, name: str) -> Mapping[str, Any]:
        return next((entry for entry in self.definition[part] if entry["name"] == name), {})


def in_own_language(raw: Mapping[str, Any], say: Callable[[str, str], None]) -> Mapping[str, Any]:
    """The description with every text in the study's own language alone. ``say(place, problem)`` is told what
    is wrong with the others: languages that folkways does not know, texts that are none, and none in the
    study's own language.
    """
    made = deepcopy(dict(raw))
    study_language = made.get("language", OWN)
    if not isinstance(study_language, str) or study_language not in languages():
        say("language", f"{study_language!r} is no language; {_valid()}")
        study_language = OWN
    _flatten(made, STUDY_TEXTS, "", study_language, say)
    for number, population in _entries(made.get("populations")):
        path = f"populations[{number}]."
        _flatten(population, ("title",), path, study_language, say)
        for index, criterion in _entries(population.get("criteria")):
            criterion_path = f"{path}criteria[{index}]."
            _flatten(criterion, ("ask",), criterion_path, study_language, say)
            if isinstance(criterion.get("options"), list):
                options = enumerate(criterion["options"])
                criterion["options"] = [
                    _own(option, f"{criterion_path}options[{at}]", study_language, say)
                    for at, option in options
                ]
    for number, stage in _entries(made.get("stages")):
        check_manual(stage.get("manual"), f"stages[{number}].manual", say)
        _flatten(stage, STAGE_TEXTS, f"stages[{number}].", study_language, say)
        _check_parts(stage, f"stages[{number}].", study_language, say)
    return made


def _entries(raw: Any) -> list[tuple[int, dict[str, Any]]]:
    return (
        [(number, each) for number, each in enumerate(raw) if isinstance(each, dict)]
        if isinstance(raw, list)
        else []
    )


def _flatten(
    entry: dict[str, Any], names: Sequence[str], place: str, own: str, say: Callable[[str, str], None]
) -> None:
    for name in names:
        if name in entry:
            entry[name] = _own(entry[name], f"{place}{name}", own, say)


def _check_parts(stage: Mapping[str, Any], place: str, own: str, say: Callable[[str, str], None]) -> None:
    """The texts of a form's parts stay as they are: its page shows each reader theirs."""
    for name in ("show", "ask"):
        for number, part in _entries(stage.get(name)):
            texts = {f"{name}[{number}].{key}": part[key] for key in ("label", "help") if key in part}
            for key in ("options", "ends"):
                for at, each in enumerate(part[key] if isinstance(part.get(key), list) else ()):
                    texts[f"{name}[{number}].{key}[{at}]"] = (
                        each.get("label") if isinstance(each, Mapping) and "label" in each else each
                    )
            for where, value in texts.items():
                _own(value, f"{place}{where}", own, say)


def _own(value: Any, place: str, own: str, say: Callable[[str, str], None]) -> Any:
    if not isinstance(value, Mapping):
        return value
    for language, text in value.items():
        if language not in languages():
            say(f"{place}.{language}", f"{language!r} is no language; {_valid()}")
        elif not isinstance(text, str) or not text.strip():
            say(f"{place}.{language}", f"has to be text, not {text!r}")
    if own not in value:
        say(place, f"has no text in {own}, the study's own language; add one, or name another under language")
    return value.get(own) or next(
        (text for text in value.values() if isinstance(text, str) and text.strip()), "?"
    )


def _valid() -> str:
    return f"valid: {', '.join(sorted(languages()))}"
