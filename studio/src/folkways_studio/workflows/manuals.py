"""Guidelines in full: a short form for the task page, the text itself, and the cases of a training round.

A manual is text in a small part of Markdown, written by a study or shipped in
``manuals/WORKFLOW/STAGE.LANG.md``:

    The short form, for the page of a task.

    ## steps                       # one of SECTIONS, or a title of one's own
    1. Read the question.
    ## good
    - An example.
      Why it is good, on indented lines.
    ## training
    ### A case: what somebody did, or what one is asked.
    - [x] An answer that is right.
      Why it is right.
    - [ ] One that is not.
      Why not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

SECTIONS = ("steps", "good", "bad", "avoid", "sensitive", "checklist")
"""Sections with a title in the reader's language, in the order in which they are shown."""

TRAINING = "training"
COMMON = "common"
"""The shipped text that every shipped manual takes in: what not to write, taboos, the checklist's last
lines."""

SHIPPED = re.compile(r"[a-z][a-z-]*/[a-z][a-z-]*")
ENTRY = re.compile(r"(?:-|\d+\.)\s+(?:\[([ xX])\]\s+)?(.+)")
CHECKED = re.compile(r"<!-- checked by .+ -->\s*")
OWN = "en"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a list. reason: the indented lines below it. right: of an answer in a case, else None."""

    text: str
    reason: str = ""
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a manual. name: one of SECTIONS, or its own title. lines: paragraphs before its list."""

    name: str
    lines: tuple[str, ...]
    entries: tuple[Entry, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a training round: a text and answers, one or more of them right."""

    text: str
    options: tuple[Entry, ...]

    @property
    def right(self) -> frozenset[int]:
        """The positions of the right answers."""
        return frozenset(at for at, each in enumerate(self.options) if each.right)


@dataclass(frozen=True, slots=True)
class Manual:
    """The guidelines of a stage in one language. language: None where a study does not say. is_draft: a model
    wrote this translation and no speaker has checked it.
    """

    short: str
    sections: tuple[Section, ...]
    cases: tuple[Case, ...]
    language: str | None
    is_draft: bool = False

    @property
    def text(self) -> str:
        """All but the training as plain text, for a workbook."""
        lines = [self.short]
        for section in self.sections:
            lines += ["", f"{section.name.upper()}", *section.lines]
            lines += [
                f"- {each.text}{f' ({each.reason})' if each.reason else ''}" for each in section.entries
            ]
        return "\n".join(lines).strip()


def read_manual(text: str, language: str | None, *, is_draft: bool = False) -> Manual:
    """A manual of its text in that language; ValueError names the first line that cannot be read."""
    head, *parts = re.split(r"^## +", text.strip(), flags=re.MULTILINE)
    sections: list[Section] = []
    cases: list[Case] = []
    for part in parts:
        title, _, body = part.partition("\n")
        if title.strip().lower() == TRAINING:
            cases += [
                _case(each) for each in re.split(r"^### +", body.strip(), flags=re.MULTILINE) if each.strip()
            ]
        else:
            name = title.strip()
            sections.append(_section(name.lower() if name.lower() in SECTIONS else name, body))
    return Manual(head.strip(), tuple(sections), tuple(cases), language, is_draft)


def _lines(body: str) -> tuple[tuple[str, ...], tuple[Entry, ...], bool]:
    paragraphs: list[str] = []
    entries: list[Entry] = []
    numbered = False
    for line in body.splitlines():
        entry = ENTRY.fullmatch(line.strip()) if not line.startswith((" ", "\t")) else None
        if entry:
            numbered |= line[0].isdigit()
            entries.append(Entry(entry[2].strip(), right=None if entry[1] is None else entry[1] != " "))
        elif line.strip() and entries:
            last = entries[-1]
            entries[-1] = Entry(last.text, f"{last.reason} {line.strip()}".strip(), last.right)
        elif line.strip():
            paragraphs.append(line.strip())
    return tuple(paragraphs), tuple(entries), numbered


def _section(name: str, body: str) -> Section:
    return Section(name, *_lines(body))


def _case(text: str) -> Case:
    title, _, body = text.partition("\n")
    paragraphs, options, _ = _lines(body)
    case = Case(" ".join((title.strip(), *paragraphs)), options)
    if len(options) < 2 or any(each.right is None for each in options) or not case.right:
        raise ValueError(
            f"the case {title.strip()[:60]!r} needs two or more answers, '- [x] text' or '- [ ] text', "
            "one of them right"
        )
    if missing := next((each.text for each in options if not each.reason), None):
        raise ValueError(
            f"the answer {missing[:60]!r} of the training needs its reason on an indented line below"
        )
    return case


def is_shipped(value: object) -> bool:
    """Whether a study's ``manual`` is the name of a shipped one, such as ``verification/verify``."""
    return isinstance(value, str) and SHIPPED.fullmatch(value.strip()) is not None


@cache
def shipped_languages() -> Mapping[str, tuple[str, ...]]:
    """Name of a shipped manual -> the languages that it is there in."""
    languages: dict[str, list[str]] = {}
    for folder in (files(__package__) / "manuals").iterdir():
        for file in folder.iterdir() if folder.is_dir() else ():
            stage, language, _ = file.name.split(".")
            languages.setdefault(f"{folder.name}/{stage}", []).append(language)
    return {name: tuple(sorted(codes)) for name, codes in sorted(languages.items())}


@cache
def shipped(name: str, language: str) -> Manual:
    """A shipped manual in a language that it is there in, with what all of them share."""
    stage, common = _shipped_part(name, language), _shipped_part(COMMON, language)
    sections = {each.name: each for each in stage.sections}
    for each in common.sections:
        first = sections.get(each.name, Section(each.name, (), ()))
        sections[each.name] = Section(
            each.name, (*first.lines, *each.lines), (*first.entries, *each.entries), first.numbered
        )
    order = [*SECTIONS, *(each for each in sections if each not in SECTIONS)]
    parts = tuple(sections[each] for each in order if each in sections)
    return Manual(stage.short, parts, stage.cases, language, stage.is_draft or common.is_draft)


def _shipped_part(name: str, language: str) -> Manual:
    text = (files(__package__) / "manuals" / f"{name}.{language}.md").read_text(encoding="utf-8")
    checked = CHECKED.match(text)
    plain = text[checked.end() :] if checked else text
    return read_manual(plain, language, is_draft=language != OWN and checked is None)


def shipped_for(name: str, wanted: Sequence[str | None]) -> Manual:
    """A shipped manual in the first of the wanted languages that it is there in, else in English."""
    languages = shipped_languages().get(name, ())
    return shipped(name, next((each for each in wanted if each in languages), OWN))


def cases_of(value: object) -> tuple[Case, ...]:
    """The training cases of a study's ``manual`` (a name or a text in its own language); empty where the
    manual cannot be read, which ``check_manual`` says."""
    try:
        if is_shipped(value):
            return shipped(str(value).strip(), OWN).cases
        return read_manual(str(value or ""), None).cases
    except (ValueError, FileNotFoundError):
        return ()


def check_manual(value: Any, place: str, say: Callable[[str, str], None]) -> None:
    """``say(place, problem)`` what is wrong with a study's ``manual``: a name that is not shipped, text that
    cannot be read, languages whose training differs."""
    if is_shipped(value):
        if value.strip() not in shipped_languages():
            say(
                place,
                f"{value!r} is no shipped manual; valid: {', '.join(shipped_languages())}, or your own text",
            )
        return
    texts = value if isinstance(value, Mapping) else {"": value}
    right: dict[str, list[tuple[int, frozenset[int]]]] = {}
    for language, text in texts.items():
        at = f"{place}.{language}" if language else place
        try:
            cases = read_manual(text, None).cases if isinstance(text, str) else ()
        except ValueError as error:
            say(at, str(error))
            continue
        right[at] = [(len(case.options), case.right) for case in cases]
        first = next(iter(right))
        if right[at] != right[first]:
            say(
                at,
                f"has another training than {first}: the same cases with the same right answers are needed",
            )
