"""Checks a catalogue of translations by a study: makes its items, and brings the decisions back with who
checked.

An item is one text: a message, or one plural form of it, with the English, the draft, and where it is shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from babel.messages.catalog import Catalog, Message

from folkways.sdk.errors import FolkwaysError
from folkways_studio.stages.placeholders import misplaced
from folkways_studio.translation.catalogues import CHECKED, SEPARATOR, checkers, texts, translated
from folkways_studio.translation.strings import Appearance

MOST_NUMBERS = 6
NUMBERS = (*range(201), 1000, 1_000_000)


@dataclass(frozen=True, slots=True)
class CatalogueText:
    """One text of a catalogue: a message, or one of its plural forms.

    key: the id of its item. english: the original; of a plural form, the plural unless the form is only for
    one. numbers: examples for which the form is used; empty without a plural.
    """

    key: str
    message: Message
    index: int
    english: str
    draft: str
    numbers: tuple[int, ...] = ()

    @property
    def originals(self) -> tuple[str, ...]:
        """The texts whose placeholders a wording must keep: a plural form may omit the number."""
        return (self.english, self.draft)


@dataclass
class CheckingOutcome:
    """Results of a study of a catalogue: keys of texts.

    accepted: unchanged. reworded: with another wording. open: undecided. unclear: key -> remarks. stale:
    English or draft have changed since people saw them. refused: key -> what is wrong with the wording.
    absent: not in the catalogue.
    """

    accepted: list[str] = field(default_factory=list)
    reworded: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    unclear: dict[str, str] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)


def forms(catalog: Catalog) -> Iterator[CatalogueText]:
    """Every translated text of a catalogue, in order."""
    used = _numbers(catalog)
    for message in texts(catalog):
        if not translated(message, catalog.num_plurals):
            continue
        digest = hashlib.sha256(
            f"{catalog.locale}\x04{message.context or ''}\x04{message.id}".encode()
        ).hexdigest()[:12]
        if not message.pluralizable:
            yield CatalogueText(digest, message, 0, str(message.id), str(message.string))
            continue
        for index, draft in enumerate(message.string or ()):
            numbers = used[index]
            yield CatalogueText(
                f"{digest}-{index}", message, index, message.id[0 if numbers == (1,) else 1], draft, numbers
            )


def _numbers(catalog: Catalog) -> list[tuple[int, ...]]:
    """Plural form -> numbers for which the language uses it."""
    import gettext

    rule = gettext.c2py(str(catalog.plural_expr))
    examples = [
        [number for number in NUMBERS if rule(number) == index] for index in range(catalog.num_plurals)
    ]
    return [tuple(each[:MOST_NUMBERS]) for each in examples]


def study_items(
    catalog: Catalog, shown: Mapping[str, Appearance], *, answering: bool = False
) -> list[dict[str, str]]:
    """Rows to import into the stage ``check``: unchecked texts, those shown to people who answer first.

    shown: string -> where it is shown (``strings.appearances``). answering: only texts shown to people who
    answer.
    """
    rows: list[tuple[tuple[bool, str], dict[str, str]]] = []
    for form in forms(catalog):
        if checkers(form.message):
            continue
        appearance = shown.get(form.english) or shown.get(
            str(form.message.id[0]) if form.message.pluralizable else form.english
        )
        if answering and not (appearance and appearance.answering):
            continue
        row = {
            "item": form.key,
            "context": _context(appearance),
            "english": form.english,
            "draft": form.draft,
        }
        if form.numbers:
            row["numbers"] = ", ".join(map(str, form.numbers))
        rows.append(((not (appearance and appearance.answering), appearance.file if appearance else ""), row))
    return [row for _, row in sorted(rows, key=lambda each: each[0])]


def _context(appearance: Appearance | None) -> str:
    if appearance is None:
        return "A label or topic in a list"
    neighbours = " … ".join(f"“{text}”" for text in (appearance.before, appearance.after) if text)
    readers = "people who answer" if appearance.answering else "researchers"
    return f"Shown to {readers} ({appearance.file})" + (f", near {neighbours}" if neighbours else "")


def bring_back(
    catalog: Catalog,
    items: Sequence[Mapping[str, Any]],
    judgements: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
) -> CheckingOutcome:
    """Put a study's decisions, and who checked them, into ``catalog``.

    items, judgements: the rows of those tables of an export. names: pseudonym -> the name somebody wants to
    be credited by. A message is checked once all its plural forms are decided; a wording that loses
    placeholders is refused. FolkwaysError if the study has no item of the catalogue.
    """
    outcome = CheckingOutcome()
    decided = _decisions(items)
    by_key = {form.key: form for form in forms(catalog)}
    outcome.absent = sorted(key for key in decided if key not in by_key)
    if not by_key.keys() & decided.keys():
        raise FolkwaysError(
            f"none of the study's {len(decided)} items is a text of this catalogue; is it the study's "
            "language?"
        )
    people: dict[str, set[str]] = {}
    for row in judgements:
        people.setdefault(row["item"], set()).add(names.get(row["participant"], row["participant"]))
    checked: dict[int, list[set[str]]] = {}
    needed: dict[int, int] = {}
    for key, form in by_key.items():
        needed[id(form.message)] = needed.get(id(form.message), 0) + 1
        if key in decided and _decide(form, *decided[key], outcome):
            checked.setdefault(id(form.message), []).append(people.get(key, set()))
    for message in {id(form.message): form.message for form in by_key.values()}.values():
        sets = checked.get(id(message), [])
        people_of_message = sorted(set[str]().union(*sets))
        if len(sets) == needed[id(message)] and people_of_message:
            other = [each for each in message.user_comments if not each.startswith(CHECKED)]
            message.user_comments = [*other, f"{CHECKED} {SEPARATOR.join(people_of_message)}"]
    return outcome


def _decisions(items: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Key -> what people saw, and the result, from an expert if the item went on to one."""
    decisions: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    for row in sorted(items, key=lambda each: int(each["item_id"])):
        content, result = json.loads(row["content"]), json.loads(row["result"] or "{}")
        decisions[row["item"]] = (content.get("content", content), result if row["state"] == "done" else {})
    return decisions


def _decide(
    form: CatalogueText, seen: Mapping[str, Any], result: Mapping[str, Any], outcome: CheckingOutcome
) -> bool:
    """Whether a text is now checked; a new wording is put into its message."""
    verdict, wording = result.get("verdict"), result.get("wording")
    if verdict is None or "disputed" in result:
        outcome.open.append(form.key)
    elif (seen.get("english"), seen.get("draft")) != form.originals:
        outcome.stale.append(form.key)
    elif verdict == "accept":
        outcome.accepted.append(form.key)
        return True
    elif verdict != "better" or not isinstance(wording, str):
        remark = result.get("remark")
        outcome.unclear[form.key] = "; ".join(remark) if isinstance(remark, list) else str(remark or "")
    elif any(both := misplaced(wording, form.originals)):
        outcome.refused[form.key] = _problems_of(*both)
    else:
        _set(form, wording)
        outcome.reworded.append(form.key)
        return True
    return False


def _problems_of(missing: Sequence[str], foreign: Sequence[str]) -> str:
    parts = [("lacks", missing), ("must not have", foreign)]
    return ", ".join(f"{word} {' '.join(tokens)}" for word, tokens in parts if tokens)


def _set(form: CatalogueText, wording: str) -> None:
    message = form.message
    if message.pluralizable:
        each = list(message.string or ())
        each[form.index] = wording
        message.string = tuple(each)
    else:
        message.string = wording
