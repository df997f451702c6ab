"""Signals of what a model gives again: a hidden option, a hidden word, the rest of an item.

The prompts end where the hidden text begins, so that models that only go on with a text can be asked too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from folkways.benchmarks.base import Task
from folkways.benchmarks.build import Prompt
from folkways.benchmarks.probing.signal import LETTERS, Group, Measure, Row, Signal, Unit, wording
from folkways.benchmarks.probing.texts import after, cut, drawn, first_line, keyword, overlap, room, same

MASK = "[MASK]"

SHORT = 32
"""Output tokens that a hidden word needs at most."""


class MaskedOption(Signal):
    """TS-Guessing with options (Deng et al., arXiv 2311.09783, 3.2): one wrong option is hidden."""

    name: ClassVar[str] = "masked-option"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("exact", "%"), Measure("overlap", "%"))
    about: ClassVar[str] = "One wrong option of each question is hidden, and the model writes it."
    cannot_say: ClassVar[str] = (
        "how the model knows: options can be guessed from the question and from each other, and the "
        "control items may be harder "
        "or easier to guess than these"
    )

    def lacks(self, task: Task) -> str:
        return "" if task.permutes_options else "its questions list no options"

    def units(self, group: Group, told: Sequence[str]) -> list[Unit]:
        found = []
        for row in group.rows:
            listed = group.task.options_of(row)
            options, right = listed.texts, listed.right
            wrong = [place for place in range(len(options)) if place != right]
            if right is None or not wrong or not row["asked"]:
                continue
            place = wrong[drawn(f"{row['item']}\0option", len(wrong))]
            lines = [f"{label}. {option}" for label, option in zip(LETTERS, options, strict=False)]
            masked = [
                line if number != place else f"{LETTERS[place]}. {MASK}" for number, line in enumerate(lines)
            ]
            beginning = "\n".join([*lines[:place], f"{LETTERS[place]}."])
            before = f"{row['asked']}\n{beginning}"
            text = wording("masked-option").format(
                mask=MASK, question=row["asked"], masked="\n".join(masked), before=before
            )
            found.append(
                Unit(
                    row["question"],
                    (group.prompt(row, self.name, text, room(before)),),
                    (options[place], before, beginning),
                )
            )
        return found

    def values(
        self, group: Group, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = []
        for unit, (reply,) in zip(units, replies, strict=True):
            hidden, before, listed = unit.about
            said = first_line(after(after(reply, before), listed))
            found.append((float(same(said, hidden)), overlap(said, hidden)))
        return found


class MaskedWord(Signal):
    """TS-Guessing with a keyword (Deng et al., arXiv 2311.09783, 3.1): the longest word of the question is
    hidden."""

    name: ClassVar[str] = "masked-word"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("exact", "%"),)
    about: ClassVar[str] = "The longest word of each question is hidden, and the model writes it."
    cannot_say: ClassVar[str] = (
        "how the model knows: a word can be guessed from the rest of its sentence, and the control items "
        "may be harder or easier "
        "to guess than these"
    )

    def units(self, group: Group, told: Sequence[str]) -> list[Unit]:
        found = []
        for row in group.rows:
            if (word := keyword(row["asked"])) is not None:
                text = wording("masked-word").format(mask=MASK, text=row["asked"].replace(word, MASK))
                found.append(Unit(row["question"], (group.prompt(row, self.name, text, SHORT),), word))
        return found

    def values(
        self, group: Group, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        return [(float(same(reply, unit.about)),) for unit, (reply,) in zip(units, replies, strict=True)]


class Continuation(Signal):
    """An item is cut, and the model goes on with it, without being told where it is from."""

    name: ClassVar[str] = "continuation"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("overlap", "%"),)
    about: ClassVar[str] = "Each item stops in the middle, and the model goes on with it."
    cannot_say: ClassVar[str] = (
        "that nothing is remembered: models are trained not to recite, and an item can be known without "
        "its wording; and items of "
        "one mould (the same question for many countries) are easy to go on with"
    )

    def units(self, group: Group, told: Sequence[str]) -> list[Unit]:
        return [
            Unit(row["question"], (_general(group, row, first, rest),), (first, rest))
            for row, first, rest in _pieces(group)
        ]

    def values(
        self, group: Group, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        return [(_given_again(reply, *unit.about),) for unit, (reply,) in zip(units, replies, strict=True)]


class Named(Signal):
    """Guided against general instruction (Golchin and Surdeanu, ICLR 2024, 3.1): what the name of the data
    set adds."""

    name: ClassVar[str] = "named"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("overlap", "points"),)
    about: ClassVar[str] = (
        "How much better the model goes on with an item when it is told which data set it is from."
    )
    cannot_say: ClassVar[str] = (
        "that nothing is remembered: an item can be known without the name of its data set; and the name "
        "itself tells of what kind "
        "the items are, which helps with items that nobody has seen too"
    )

    def units(self, group: Group, told: Sequence[str]) -> list[Unit]:
        found = []
        for row, first, rest in _pieces(group):
            text = wording("guided").format(name=group.task.title, first=first)
            guided = group.prompt(row, "guided", text, room(first + rest))
            found.append(Unit(row["question"], (guided, _general(group, row, first, rest)), (first, rest)))
        return found

    def values(
        self, group: Group, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        trios = [
            (guided, general, unit.about) for unit, (guided, general) in zip(units, replies, strict=True)
        ]
        return [
            (_given_again(guided, *text) - _given_again(general, *text),) for guided, general, text in trios
        ]


def whole_text(group: Group, row: Row) -> str:
    """An item as one text: the question, and its options with their letters."""
    options = group.task.options_of(row).texts
    return "\n".join(
        [row["asked"], *(f"{label}. {option}" for label, option in zip(LETTERS, options, strict=False))]
    )


def _pieces(group: Group) -> list[tuple[Row, str, str]]:
    cuts = ((row, cut(whole_text(group, row), row["item"])) for row in group.rows)
    return [(row, *found) for row, found in cuts if found is not None]


def _general(group: Group, row: Row, first: str, rest: str) -> Prompt:
    return group.prompt(row, "general", wording("general").format(first=first), room(first + rest))


def _given_again(reply: str, first: str, rest: str) -> float:
    return overlap(after(reply, first), rest)
