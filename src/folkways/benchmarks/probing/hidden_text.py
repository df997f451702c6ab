"""Signals of hidden text: an option, a word or the rest of an item, and how far a reply gives it again.

The prompts end where the hidden text begins, so that models that only continue a text can be asked too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from typing import ClassVar

from folkways.benchmarks.base import Task
from folkways.benchmarks.build import Prompt
from folkways.benchmarks.probing.signal import LETTERS, ItemGroup, Measure, Row, Signal, Unit, wording
from folkways.text.scripts import RANGES

WITHOUT_SPACES = "".join(RANGES[script] for script in ("Hani", "Kana", "Thai", "Laoo", "Khmr", "Mymr"))
"""Letters of scripts that put no space between words: each is a token of its own."""

FEWEST_WORDS, FEWEST_LETTERS = 6, 12
"""Below FEWEST_WORDS words a text is cut between letters; below FEWEST_LETTERS letters it is not cut."""

SHORTEST_WORD = 4
"""Letters that a hidden word has at least."""

LEAST_ALIKE = 0.3
"""Share of a question's words that its rewording keeps at least: names and numbers have to stay."""

_TOKEN = re.compile(rf"[{WITHOUT_SPACES}]|[^\s{WITHOUT_SPACES}]+")
_LABEL = re.compile(r"^\W*[A-Za-z]\s*[.):]\s+")


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation at their ends; single letters for scripts
    without spaces."""
    words = _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())
    return [word for word in map(_bare, words) if word]


def _bare(word: str) -> str:
    """The word without punctuation at its ends. Vowel signs of many scripts are marks, and belong to it."""
    inner = [index for index, letter in enumerate(word) if unicodedata.category(letter)[0] in "LMN"]
    return word[inner[0] : inner[-1] + 1] if inner else ""


def overlap(reply: str, hidden: str) -> float:
    """ROUGE-L (Lin 2004) of a reply and the hidden text: 0 for no common word, 1 for the same words in the
    same order.

    The F-measure of the longest common subsequence of tokens. Models write past the end: only as many
    tokens of the reply count as were hidden. Single letters count on neither side: most are labels of
    options, the same in every item.
    """
    wanted = _without_labels(tokens(hidden))
    replied = _without_labels(tokens(reply))[: len(wanted)]
    if not replied:
        return 0.0
    row = [0] * (len(wanted) + 1)
    for word in replied:
        before = row[:]
        for column, other in enumerate(wanted, 1):
            row[column] = before[column - 1] + 1 if word == other else max(before[column], row[column - 1])
    return 2 * row[-1] / (len(replied) + len(wanted))


def after(reply: str, beginning: str) -> str:
    """What a reply adds to a beginning that it may repeat first, as many models do."""
    wanted, position = tokens(beginning), 0
    for match in _TOKEN.finditer(reply):
        words = tokens(match.group())
        if words != wanted[position : position + len(words)]:
            return reply
        position += len(words)
        if position == len(wanted):
            return reply[match.end() :]
    return reply


def first_line(reply: str) -> str:
    """The first line of a reply that is not blank."""
    return next((line for line in reply.splitlines() if line.strip()), "")


def room(text: str) -> int:
    """Output tokens at most for a reply about as long as a text in any script: two bytes a token, in steps of
    32, up to 256."""
    return min(256, 32 * (1 + (len(text.encode("utf-8", "surrogatepass")) // 2 + 16) // 32))


def reworded(reply: str, text: str) -> str | None:
    """A reply as the same question in other words; None if it repeats the question or says something else.

    It has to end as the text does (with a question mark) and to share some words with it: models that
    cannot reword answer the question instead, or never stop.
    """
    line = first_line(reply).strip().strip('"“”*').strip()
    if not line or tokens(line) == tokens(text) or line[-1] != text.strip()[-1:]:
        return None
    alike = len(set(tokens(line)) & set(tokens(text))) / len(set(tokens(text)) or {""})
    return line if alike >= LEAST_ALIKE and len(line) < 3 * len(text) else None


def _without_labels(words: list[str]) -> list[str]:
    """The tokens without single letters from a to z; all of them if there are no others."""
    return [word for word in words if len(word) > 1 or not word.isascii() or word.isdigit()] or words


def same(reply: str, hidden: str) -> bool:
    """Whether the first line of a reply is the hidden text, apart from case, punctuation and a label before
    it."""
    line = first_line(reply)
    return tokens(hidden) in (tokens(line), tokens(_LABEL.sub("", line)))


def cut(text: str, name: str) -> tuple[str, str] | None:
    """The first 40 to 70 % of a text and the rest, cut at a point drawn by its name (Golchin and Surdeanu
    2024, 3.1).

    None for a text that is too short to be cut.
    """
    pieces = re.findall(r"\S+\s*", text)
    if len(pieces) < FEWEST_WORDS:
        pieces = list(text)
        if len(pieces) < FEWEST_LETTERS:
            return None
    position = round(len(pieces) * (0.4 + 0.3 * drawn(name, 1001) / 1000))
    return "".join(pieces[:position]).rstrip(), "".join(pieces[position:])


def keyword(text: str) -> str | None:
    """The longest word that occurs once in a text, the first of several; None if none has SHORTEST_WORD
    letters."""
    words = [
        word
        for word in map(_bare, re.findall(rf"[^\s{WITHOUT_SPACES}]+", text))
        if len(word) >= SHORTEST_WORD
    ]
    once = [word for word in words if text.count(word) == 1]
    return max(once, key=len, default=None)


def drawn(name: str, outcomes: int) -> int:
    """A number from 0 to below ``outcomes``, always the same for a name."""
    return (
        int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        % outcomes
    )


MASK = "[MASK]"


SHORT = 32
"""Output tokens that a hidden word needs at most."""


class MaskedOption(Signal):
    """TS-Guessing with options (Deng et al., arXiv 2311.09783, 3.2): one wrong option is hidden."""

    name: ClassVar[str] = "masked-option"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("exact", "%"), Measure("overlap", "%"))
    about: ClassVar[str] = "One wrong option of each question is hidden, and the model writes it."
    cannot_say: ClassVar[str] = (
        "how the model knows: options can be guessed from the question and from each other, and the control "
        "items may be harder or easier to guess than these"
    )

    def lacks(self, task: Task) -> str:
        return "" if task.permutes_options else "its questions list no options"

    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
        units = []
        for row in group.rows:
            listed = group.task.options_of(row)
            options, right = listed.texts, listed.right
            wrong = [index for index in range(len(options)) if index != right]
            if right is None or not wrong or not row["asked"]:
                continue
            index = wrong[drawn(f"{row['item']}\0option", len(wrong))]
            lines = [f"{label}. {option}" for label, option in zip(LETTERS, options, strict=False)]
            masked = [
                line if number != index else f"{LETTERS[index]}. {MASK}" for number, line in enumerate(lines)
            ]
            beginning = "\n".join([*lines[:index], f"{LETTERS[index]}."])
            before = f"{row['asked']}\n{beginning}"
            text = wording("masked-option").format(
                mask=MASK, question=row["asked"], masked="\n".join(masked), before=before
            )
            units.append(
                Unit(
                    row["question"],
                    (group.prompt(row, self.name, text, room(before)),),
                    (options[index], before, beginning),
                )
            )
        return units

    def values(
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        values: list[tuple[float, ...]] = []
        for unit, (reply,) in zip(units, replies, strict=True):
            hidden, before, listed = unit.about
            answer = first_line(after(after(reply, before), listed))
            values.append((float(same(answer, hidden)), overlap(answer, hidden)))
        return values


class MaskedWord(Signal):
    """TS-Guessing with a keyword (Deng et al., arXiv 2311.09783, 3.1): the longest word of the question is
    hidden."""

    name: ClassVar[str] = "masked-word"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("exact", "%"),)
    about: ClassVar[str] = "The longest word of each question is hidden, and the model writes it."
    cannot_say: ClassVar[str] = (
        "how the model knows: a word can be guessed from the rest of its sentence, and the control items may "
        "be harder or easier to guess than these"
    )

    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
        units = []
        for row in group.rows:
            if (word := keyword(row["asked"])) is not None:
                text = wording("masked-word").format(mask=MASK, text=row["asked"].replace(word, MASK))
                units.append(Unit(row["question"], (group.prompt(row, self.name, text, SHORT),), word))
        return units

    def values(
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        return [(float(same(reply, unit.about)),) for unit, (reply,) in zip(units, replies, strict=True)]


class Continuation(Signal):
    """An item is cut, and the model continues it without knowing where it is from."""

    name: ClassVar[str] = "continuation"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("overlap", "%"),)
    about: ClassVar[str] = "Each item stops in the middle, and the model goes on with it."
    cannot_say: ClassVar[str] = (
        "that nothing is remembered: models are trained not to recite, and an item can be known without its "
        "wording; and items of one mould (the same question for many countries) are easy to go on with"
    )

    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
        return [
            Unit(row["question"], (_general(group, row, first, rest),), (first, rest))
            for row, first, rest in _pieces(group)
        ]

    def values(
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        return [(_given_again(reply, *unit.about),) for unit, (reply,) in zip(units, replies, strict=True)]


class DataSetName(Signal):
    """Guided against general instruction (Golchin and Surdeanu, ICLR 2024, 3.1): what the name of the data
    set adds."""

    name: ClassVar[str] = "named"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("overlap", "points"),)
    about: ClassVar[str] = (
        "How much better the model goes on with an item when it is told which data set it is from."
    )
    cannot_say: ClassVar[str] = (
        "that nothing is remembered: an item can be known without the name of its data set; and the name "
        "itself tells of what kind the items are, which helps with items that nobody has seen too"
    )

    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
        units = []
        for row, first, rest in _pieces(group):
            text = wording("guided").format(name=group.task.title, first=first)
            guided = group.prompt(row, "guided", text, room(first + rest))
            units.append(Unit(row["question"], (guided, _general(group, row, first, rest)), (first, rest)))
        return units

    def values(
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        trios = [
            (guided, general, unit.about) for unit, (guided, general) in zip(units, replies, strict=True)
        ]
        return [
            (_given_again(guided, *text) - _given_again(general, *text),) for guided, general, text in trios
        ]


def _pieces(group: ItemGroup) -> list[tuple[Row, str, str]]:
    cuts = ((row, cut(group.whole_text(row), row["item"])) for row in group.rows)
    return [(row, *piece) for row, piece in cuts if piece is not None]


def _general(group: ItemGroup, row: Row, first: str, rest: str) -> Prompt:
    return group.prompt(row, "general", wording("general").format(first=first), room(first + rest))


def _given_again(reply: str, first: str, rest: str) -> float:
    return overlap(after(reply, first), rest)
