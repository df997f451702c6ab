"""What a form can ask: each type of part with its settings, how it is read from a page, what is taken, and what people's answers
come to. Pure functions over JSON values. Marks, orders and groups are in ``arranging``.

A part is a mapping of the study's file: ``key``, ``type``, ``label``, and the settings of its type. Its field on a page is
``ask-KEY``; one with a field per option has ``ask-KEY-N``. Options are sent by their position, so that no browser changes them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.endpoints.clean import storable
from folkways.studio.errors import Message
from folkways.studio.rules.consensus import Found, each_option, middle, same_value
from folkways.studio.stages.parts.form_fields import FormFields, text, whole, wholes

Part = Mapping[str, Any]
Content = Mapping[str, Any]

LONGEST_TEXT = 4000
THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+")
MOST_STEPS = 11
"""Points of a scale: more than eleven fit on no phone."""


class UnfitError(ValueError):
    """An answer that cannot be taken; says what to do."""

    def __init__(self, message: str, **values: object) -> None:
        self.message = Message(message, **values)
        super().__init__(self.message)


def field_of(part: Part) -> str:
    """The name of a part's field on a page."""
    return f"ask-{part['key']}"


def options_of(part: Part, content: Content) -> list[tuple[str, Any]]:
    """The options of a part: the value that is stored, and its text or texts by language."""
    if "options_from" in part:
        return [(each, each) for each in content.get(part["options_from"], ())]
    if "between" in part:
        fields = [(name, content.get(name, "")) for name in part["between"]]
        return [*fields, *([("tie", Message("No difference"))] if part.get("tie") else [])]
    return [(each["value"], each["label"]) if isinstance(each, Mapping) else (each, each) for each in part.get("options", ())]


def values_of(part: Part, content: Content) -> list[str]:
    """The values of a part's options."""
    return [value for value, _ in options_of(part, content)]


def text_fields(part: Part) -> list[str]:
    """The columns of the items whose texts a part is about."""
    return [*part.get("between", ()), *([part["of"]] if "of" in part else ())]


class PartType(ABC):
    """One type of part. settings: what it has besides those of every part. needs: groups of settings, one of each being needed."""

    settings: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[tuple[str, ...], ...]] = ()
    empty: ClassVar[Any] = None  # what is stored where somebody was asked and gave nothing; None for nothing

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


class Choice(PartType):
    """One of several options. unlike: key of an earlier choice that it has to differ from."""

    settings: ClassVar[tuple[str, ...]] = ("options", "options_from", "unlike")
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("options", "options_from"),)

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """The option at the position that was sent."""
        values, place = values_of(part, content), whole(text(fields, field_of(part)))
        return values[place] if place is not None and place < len(values) else None

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """One of the values."""
        if value not in values_of(part, content):
            raise UnfitError("Choose one of the answers.")
        return value

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
        values = values_of(part, content)
        return [values[place] for place in wholes(fields, field_of(part)) if place < len(values)]

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """Values among the options, in their order, each once."""
        values = values_of(part, content)
        if not isinstance(value, list) or any(each not in values for each in value):
            raise UnfitError("Choose among the answers.")
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

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """What was typed."""
        return text(fields, field_of(part))

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """The text without outer white space."""
        found = storable(value).strip() if isinstance(value, str) else ""
        least, most = part.get("least", 1), part.get("most", LONGEST_TEXT)
        if len(found) < least:
            raise UnfitError("Write at least %(least)s characters.", least=least)
        if len(found) > most:
            raise UnfitError("Write at most %(most)s characters.", most=most)
        return found

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """All of them."""
        return [value for value in values if value] or None, True

    def label(self, value: Any) -> Any:
        """None: people say it in their own words."""
        return None
