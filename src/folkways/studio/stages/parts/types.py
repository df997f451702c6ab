"""What a stage can ask: each type of part with its settings, how it is read from a page, what is taken, and what people's answers
come to. Pure functions over JSON values. Marks, orders and groups are in ``arranging``.

A part is a mapping: ``key``, ``type``, ``label``, and the settings of its type. In a form of a study it comes from the study's
file; its field on a page is ``ask-KEY``, one with a field per option has ``ask-KEY-N``, and options are sent by their position,
so that no browser changes them. In a built-in kind it is made by ``ours``, which names what it may have besides.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from folkways.endpoints.clean import storable
from folkways.studio.errors import Message
from folkways.studio.rules.consensus import Found, each_option, middle, same_value
from folkways.studio.stages.fields import NO_LINES, text_of
from folkways.studio.stages.fields import options_of as options_of_item
from folkways.studio.stages.parts.form_fields import FormFields, text, texts, whole

Part = Mapping[str, Any]
Translate = Callable[..., str]
Content = Mapping[str, Any]

LONGEST_TEXT, LONGEST_LINE = 4000, 200
MOST_LINES = 20
THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+")
MOST_STEPS = 11
"""Points of a scale: more than eleven fit on no phone."""


class UnfitError(ValueError):
    """An answer that cannot be taken; says what to do. named: the same for who sees no page: what was sent, what is valid."""

    def __init__(self, message: str, named: str = "", **values: object) -> None:
        self.message = Message(message, **values)
        self.named = named or self.message
        super().__init__(self.message)


def ours(key: str, kind: str, label: str = "", **settings: Any) -> Part:
    """A part of a built-in kind. Its field on a page has its key as name, and its options are sent as they are stored.

    settings: those of the type (``kind``) of part; ``missing``: what is said where nothing, or too little, is given;
    ``required``: also a condition ({key, is}); ``starts_as``: the field of the content with which the page begins, and
    ``otherwise``: the same, which also stands where nothing is given; ``language``: of the answer, the population's where it is
    left out; ``rows`` of a text, and whether it is a ``remark``; ``layout``, ``numbered``, ``group`` and ``alone`` of options on
    the page; ``told`` and ``compared``: whether it is told of a judgement, and compared in agreement.
    """
    return {"key": key, "field": key, "type": kind, "label": label, **settings}


def option(value: str, label: str, press: str = "", about: str = "") -> Part:
    """An option of such a part, with the key to press for it, and what it means."""
    return {"value": value, "label": label, "press": press, "about": about}


COMMENT = ours("comment", "text", Message("Anything to add?"), required=False, remark=True)
"""What anybody may add to an answer."""


def field_of(part: Part) -> str:
    """The name of a part's field on a page."""
    return str(part.get("field") or f"ask-{part['key']}")


def options_of(part: Part, content: Content) -> list[tuple[Any, Any]]:
    """The options of a part: the value that is stored, and its text or texts by language."""
    if "options_from" in part:
        found = content.get(part["options_from"], ())
        if part.get("positions"):
            return [*enumerate(found)]
        return [(each["id"], each["text"]) if isinstance(each, Mapping) else (each, each) for each in found]
    if "between" in part:
        fields = [(name, content.get(name, "")) for name in part["between"]]
        return [*fields, *([("tie", Message("No difference"))] if part.get("tie") else [])]
    return [(each["value"], each["label"]) if isinstance(each, Mapping) else (each, each) for each in part.get("options", ())]


def values_of(part: Part, content: Content) -> list[Any]:
    """The values of a part's options."""
    return [value for value, _ in options_of(part, content)]


def chosen(sent: str, part: Part, content: Content) -> Any:
    """The value of the option that a page sends. None for what is no option of a form; ours leave it as it is, to be refused."""
    values, place = values_of(part, content), whole(sent)
    if "field" in part:
        return place if part.get("positions") else sent or None
    return values[place] if place is not None and place < len(values) else None


def words_of(value: Any, part: Part, content: Content, translate: Translate) -> str:
    """A value of a part of ours in words."""
    words = dict(options_of(part, content)).get(value, value)
    return words.words(translate) if isinstance(words, Message) else str(words)


def text_fields(part: Part) -> list[str]:
    """The columns of the items whose texts a part is about."""
    return [*part.get("between", ()), *([part["of"]] if "of" in part else ())]


class PartType(ABC):
    """One type of part. settings: what it has besides those of every part. needs: groups of settings, one of each being needed."""

    settings: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[tuple[str, ...], ...]] = ()
    empty: ClassVar[Any] = None  # what stands for nothing given; a form keeps only empty lists

    @abstractmethod
    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """The answer as a page sends it; None or empty where there is none, and never an exception."""

    @abstractmethod
    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """The answer as it is stored; UnfitError where it cannot be taken."""

    @abstractmethod
    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """What the answers come to, None standing for people who gave none; see ``rules.consensus``."""

    def label(self, value: Any) -> Any:
        """What agreement is computed over (``stats.raters.graded.fitting``); None where answers are not meant to agree."""
        return value

    def line(self, value: Any) -> str:
        """The answer in a line, for researchers and in a cell of a table."""
        return str(value)

    def told(self, value: Any, part: Part, content: Content, translate: Translate) -> list[str]:
        """The answer to a part of ours in words, one line per thing said."""
        return [self.line(value)]


class Choice(PartType):
    """One of several options. unlike: key of an earlier choice that it has to differ from."""

    settings: ClassVar[tuple[str, ...]] = ("options", "options_from", "unlike")
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("options", "options_from"),)

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """The option that was sent."""
        return chosen(text(fields, field_of(part)), part, content)

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """One of the values."""
        values = values_of(part, content)
        if value not in values:
            raise UnfitError("Choose one of the answers.", f"choose one of: {', '.join(values)}")
        return value

    def told(self, value: Any, part: Part, content: Content, translate: Translate) -> list[str]:
        """The option in words."""
        return [words_of(value, part, content, translate)]

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """What most chose."""
        return same_value(values, needed)


class Pairwise(Choice):
    """Which of two fields of the item is the better one; ``tie`` offers neither. The answer is the field's name, or ``tie``."""

    settings: ClassVar[tuple[str, ...]] = ("between", "tie")
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("between",),)


class Several(PartType):
    """Any of several options; ``least`` and ``most`` bound how many."""

    settings: ClassVar[tuple[str, ...]] = ("options", "options_from", "least", "most")
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("options", "options_from"),)
    empty: ClassVar[Any] = []

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """The options that were ticked."""
        found = (chosen(sent, part, content) for sent in texts(fields, field_of(part)))
        return [each for each in found if each is not None]

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """Values among the options, in their order, each once."""
        values = values_of(part, content)
        if not isinstance(value, list) or any(isinstance(each, bool) or each not in values for each in value):
            positions = f"has to be a list of positions from 0 to {len(values) - 1}"
            named = positions if part.get("positions") else f"choose among: {', '.join(values)}"
            raise UnfitError("Choose among the answers.", named)
        found = [each for each in values if each in value]
        if len(found) < part.get("least", 0):
            raise UnfitError("Choose at least %(least)s.", least=part["least"])
        if len(found) > part.get("most", len(values)):
            raise UnfitError("Choose at most %(most)s.", most=part["most"])
        return found

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """Option by option."""
        return each_option([each or [] for each in values], values_of(part, content), needed)

    def label(self, value: Any) -> Any:
        """A set."""
        return frozenset(value)

    def line(self, value: Any) -> str:
        """The values."""
        return ", ".join(value)

    def told(self, value: Any, part: Part, content: Content, translate: Translate) -> list[str]:
        """Each option in words."""
        return [words_of(each, part, content, translate) for each in value]


class Scale(PartType):
    """A whole number from ``least`` to ``most`` (1 to 5), with words at both ends. within: how far from the median counts as
    agreed; without it the median always stands.
    """

    settings: ClassVar[tuple[str, ...]] = ("least", "most", "ends", "within")

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """The point of the scale."""
        sent = text(fields, field_of(part))
        number = whole(sent.removeprefix("-"))
        return None if number is None else -number if sent.startswith("-") else number

    @staticmethod
    def points(part: Part) -> range:
        """The points of the scale."""
        return range(part.get("least", 1), part.get("most", 5) + 1)

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """A point of the scale."""
        if not isinstance(value, int) or isinstance(value, bool) or value not in self.points(part):
            raise UnfitError("Choose one of the answers.")
        return value

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """The median."""
        return middle([value for value in values if value is not None], part.get("within"), needed)


class Number(Scale):
    """A number within ``least`` and ``most``, if they are given. within: as in a scale."""

    settings: ClassVar[tuple[str, ...]] = ("least", "most", "within")

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """The number, or what was typed in its place."""
        sent = text(fields, field_of(part))
        if THOUSANDS.fullmatch(sent):
            return sent  # a thousand here is a one there: whoever wrote it is asked
        try:
            number = float(sent.replace(",", "."))
        except ValueError:
            return sent or None
        return number if abs(number) < 1e15 else sent  # nan and infinity as well: JSON has neither

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """A number within the bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
            raise UnfitError("Give a number, with nothing between its thousands.")
        if value < part.get("least", value):
            raise UnfitError("Give a number of at least %(least)s.", least=part["least"])
        if value > part.get("most", value):
            raise UnfitError("Give a number of at most %(most)s.", most=part["most"])
        return float(value)

    def line(self, value: Any) -> str:
        """The number without needless zeros."""
        return f"{value:g}"


class Text(PartType):
    """Words of one's own; ``least`` and ``most`` bound how many characters. Answers are all kept, and never in dispute."""

    settings: ClassVar[tuple[str, ...]] = ("least", "most")
    empty: ClassVar[Any] = ""

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """What was typed."""
        return text(fields, field_of(part))

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """The text without outer white space."""
        problems: dict[str, str] = {}
        least, most = part.get("least", 1), part.get("most", LONGEST_TEXT)
        found = text_of({"": value}, "", problems, least=least, most=most, ask=part.get("missing"))
        if problems and len(found) > most:
            raise UnfitError("Write at most %(most)s characters.", problems[""], most=most)
        if problems:
            raise UnfitError("Write at least %(least)s characters.", problems[""], least=least)
        return found

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """All of them."""
        return [value for value in values if value] or None, True

    def label(self, value: Any) -> Any:
        """None: people say it in their own words."""
        return None

    def told(self, value: Any, part: Part, content: Content, translate: Translate) -> list[str]:
        """The text, in quotes where it is a remark."""
        return [f"“{value}”" if part.get("remark") else value]


class Texts(PartType):
    """Several short texts, a line each; ``most`` bounds how many (3). Answers are all kept, and never in dispute. Of ours,
    ``every`` is how many lines have to be filled in, each with another text.
    """

    settings: ClassVar[tuple[str, ...]] = ("most",)
    empty: ClassVar[Any] = []

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """What stands in the lines; empty ones only where every line has its place."""
        found = texts(fields, field_of(part))
        return found[: part["every"]] if "every" in part else [each for each in found if each]

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """The texts without outer white space, each once."""
        if "every" in part:
            problems: dict[str, str] = {}
            found = options_of_item({"options": value}, problems, part["every"], part["every"], part.get("missing") or NO_LINES)
            if problems:
                raise UnfitError(problems["options"])
            return found
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UnfitError("This has to be answered.", "has to be a list of texts")
        found, most = [*dict.fromkeys(each.strip() for each in map(storable, value) if each.strip())], self.most(part)
        if not found and part.get("required", True):
            raise UnfitError("This has to be answered.")
        if len(found) > most:
            raise UnfitError("Choose at most %(most)s.", f"{most} answers are the most", most=most)
        if any(len(each) > LONGEST_LINE for each in found):
            named = f"an answer is meant to be a word or a few: {LONGEST_LINE} characters are the most"
            raise UnfitError("Write at most %(most)s characters.", named, most=LONGEST_LINE)
        return found

    @staticmethod
    def most(part: Part) -> int:
        """How many lines there are."""
        return int(part.get("every") or part.get("most", 3))

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """All of them, what most people gave first."""
        counts = Counter(each for value in values for each in value or ())
        return [each for each, _ in counts.most_common()] or None, True

    def label(self, value: Any) -> Any:
        """The set of texts, case aside."""
        return frozenset(each.casefold() for each in value)

    def line(self, value: Any) -> str:
        """The texts."""
        return " | ".join(value)

    def told(self, value: Any, part: Part, content: Content, translate: Translate) -> list[str]:
        """Each of them."""
        return list(value)
