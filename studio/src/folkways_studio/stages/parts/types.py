"""Parts in which people choose, rate, count or write; see ``base``. Marks, orders and groups are in
``arranging``."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

from folkways_studio.stages.consensus import Found, each_option, middle, same_value
from folkways_studio.stages.fields import NO_LINES, said, text_of
from folkways_studio.stages.fields import options_of as options_of_item
from folkways_studio.stages.parts.base import Content, Part, PartType, UnfitError, chosen, field_of, values_of
from folkways_studio.stages.parts.form_fields import FormFields, in_digits, text, texts, whole
from folkways_studio.stages.placeholders import misplaced

LONGEST_TEXT, LONGEST_LINE = 4000, 200
MOST_LINES = 20
THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+")
MOST_STEPS = 11
"""Points of a scale: more than eleven fit on no phone."""


class Choice(PartType):
    """One of several options. unlike: key of an earlier choice that it has to differ from."""

    settings: ClassVar[tuple[str, ...]] = ("options", "options_from", "unlike")
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("options", "options_from"),)

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        return chosen(text(fields, field_of(part)), part, content)

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        values = values_of(part, content)
        if isinstance(value, bool) or value not in values:
            raise UnfitError("Choose one of the answers.", f"choose one of: {', '.join(map(str, values))}")
        return value

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        return same_value(values, needed)


class Pairwise(Choice):
    """Which of two fields of the item is the better one; ``tie`` offers neither. The answer is the field's
    name, or ``tie``."""

    settings: ClassVar[tuple[str, ...]] = ("between", "tie")
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("between",),)


class Several(PartType):
    """Any of several options; ``least`` and ``most`` bound how many."""

    settings: ClassVar[tuple[str, ...]] = ("options", "options_from", "least", "most")
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("options", "options_from"),)
    empty: ClassVar[Any] = []

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        values = (chosen(sent, part, content) for sent in texts(fields, field_of(part)))
        return [each for each in values if each is not None]

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        values = values_of(part, content)
        if not isinstance(value, list) or any(isinstance(each, bool) or each not in values for each in value):
            positions = f"has to be a list of positions from 0 to {len(values) - 1}"
            named = positions if part.get("positions") else f"choose among: {', '.join(values)}"
            raise UnfitError("Choose among the answers.", named)
        ordered = [each for each in values if each in value]
        if len(ordered) < part.get("least", 0):
            raise UnfitError("Choose at least %(least)s.", least=part["least"])
        if len(ordered) > part.get("most", len(values)):
            raise UnfitError("Choose at most %(most)s.", most=part["most"])
        return ordered

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        return each_option([each or [] for each in values], values_of(part, content), needed)

    def label(self, value: Any) -> Any:
        return frozenset(value)

    def line(self, value: Any) -> str:
        return ", ".join(value)


class Scale(PartType):
    """A whole number from ``least`` to ``most`` (1 to 5), with words at both ends. within: how far from
    the median counts as agreed; without it the median always counts."""

    settings: ClassVar[tuple[str, ...]] = ("least", "most", "ends", "within")

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        sent = text(fields, field_of(part))
        number = whole(sent.removeprefix("-"))
        return None if number is None else -number if sent.startswith("-") else number

    @staticmethod
    def points(part: Part) -> range:
        return range(part.get("least", 1), part.get("most", 5) + 1)

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        if not isinstance(value, int) or isinstance(value, bool) or value not in self.points(part):
            raise UnfitError("Choose one of the answers.")
        return value

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        return middle([value for value in values if value is not None], part.get("within"), needed)


class Number(Scale):
    """A number within ``least`` and ``most``, if they are given. within: as in a scale."""

    settings: ClassVar[tuple[str, ...]] = ("least", "most", "within")

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        sent = text(fields, field_of(part))
        if THOUSANDS.fullmatch(sent):
            return sent  # 1,000 may mean a thousand or one: ask
        try:
            number = float(sent.replace(",", "."))
        except ValueError:
            return sent or None
        return number if abs(number) < 1e15 else sent  # nan and infinity as well: JSON has neither

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
            raise UnfitError("Give a number, with nothing between its thousands.")
        if value < part.get("least", value):
            raise UnfitError("Give a number of at least %(least)s.", least=part["least"])
        if value > part.get("most", value):
            raise UnfitError("Give a number of at most %(most)s.", most=part["most"])
        return float(value)

    def line(self, value: Any) -> str:
        return in_digits(value)


class Text(PartType):
    """Words of one's own; ``least`` and ``most`` bound how many characters. Answers are all kept, and never
    in dispute; with ``agree`` people have to write the same. placeholders: columns of the item; the text
    keeps the ``%(name)s`` and HTML they share.
    """

    settings: ClassVar[tuple[str, ...]] = ("least", "most", "agree", "placeholders")
    empty: ClassVar[Any] = ""

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        return text(fields, field_of(part))

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        problems: dict[str, str] = {}
        least, most = part.get("least", 1), part.get("most", LONGEST_TEXT)
        cleaned = text_of({"": value}, "", problems, least=least, most=most, ask=part.get("missing"))
        if problems and len(cleaned) > most:
            raise UnfitError("This is too long; characters allowed: %(most)s.", problems[""], most=most)
        if problems:
            raise UnfitError("This is too short; characters needed: %(least)s.", problems[""], least=least)
        if "placeholders" in part:
            missing, foreign = misplaced(cleaned, [content[name] for name in part["placeholders"]])
            if missing:
                raise UnfitError(
                    "This has to be in it as it stands in the original: %(texts)s", texts=" ".join(missing)
                )
            if foreign:
                raise UnfitError("This is not in the original: %(texts)s", texts=" ".join(foreign))
        return cleaned

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        if part.get("agree"):
            return same_value(values, needed)
        return [value for value in values if value] or None, True

    def label(self, value: Any) -> Any:
        return None


class Texts(PartType):
    """Several short texts, a line each; ``most`` bounds how many (3). Answers are all kept, and never in
    dispute.
    """

    settings: ClassVar[tuple[str, ...]] = ("most",)
    empty: ClassVar[Any] = []

    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        lines = texts(fields, field_of(part))
        return lines[: part["every"]] if "every" in part else [each for each in lines if each]

    def clean(self, value: Any, part: Part, content: Content) -> Any:
        if "every" in part:
            problems: dict[str, str] = {}
            cleaned = options_of_item(
                {"options": value}, problems, part["every"], part["every"], part.get("missing") or NO_LINES
            )
            for message in problems.values():
                raise UnfitError(message)
            return cleaned
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UnfitError("This has to be answered.", "has to be a list of texts")
        # Answers are counted, and a letter can be written as one character or as several.
        lines = (said(unicodedata.normalize("NFC", each)) for each in value)
        cleaned, most = [*dict.fromkeys(filter(None, lines))], self.most(part)
        if not cleaned and part.get("required", True):
            raise UnfitError("This has to be answered.")
        if len(cleaned) > most:
            raise UnfitError("Choose at most %(most)s.", f"{most} answers are the most", most=most)
        if any(len(each) > LONGEST_LINE for each in cleaned):
            named = f"an answer is meant to be a word or a few: {LONGEST_LINE} characters are the most"
            raise UnfitError("This is too long; characters allowed: %(most)s.", named, most=LONGEST_LINE)
        return cleaned

    @staticmethod
    def most(part: Part) -> int:
        return int(part.get("every") or part.get("most", 3))

    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        counts = Counter(each for value in values for each in value or ())
        return [each for each, _ in counts.most_common()] or None, True

    def label(self, value: Any) -> Any:
        return frozenset(each.casefold() for each in value)

    def line(self, value: Any) -> str:
        return " | ".join(value)
