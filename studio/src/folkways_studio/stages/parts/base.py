"""What a part is: something that a stage asks, of a type that says how it is read from a page, what is taken,
and what people's answers come to. Pure functions over JSON values. The types are in ``types`` and
``arranging``.

A part is a mapping: ``key``, ``type``, ``label``, and the settings of its type. In a form of a study its
field on a page is ``ask-KEY``, one with a field per option has ``ask-KEY-N``, and options are sent by their
position, so that no browser changes them. A part of a built-in kind has a ``field`` (its key, unless the
description names another), and its options are sent as they are stored; each is a mapping of ``value``,
``label``, ``press`` (a key) and ``about``. Such a part may also have:

missing: the sentence if nothing, or too little, is given.
required: also a condition ({key, is}).
starts_as, otherwise: the field of the content with which the page begins; the latter is stored by default.
from_settings: setting of the part -> setting of the stage that replaces it. ``press``: label -> key.
language: of the answer; the population's by default.
direction: of its field.
rows, longest: of a text's field.
remark: the text is quoted.
every: how many lines of short texts have to be filled in, each with another text.
positions: options are stored by position, from 0. reversed: options are shown in reverse.
numbered: digits choose its options; so they do where no option has a ``press``. lettered: letters do.
layout, group, alone: how options look on the page, and which exclude each other.
told, compared: whether it is part of a judgement in words, and compared in agreement.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from folkways_studio.errors import Message
from folkways_studio.stages.consensus import Found
from folkways_studio.stages.parts.form_fields import FormFields, whole

Part = Mapping[str, Any]
Translate = Callable[..., str]
Content = Mapping[str, Any]


ORDER = "_order"
"""A field of shown content: whose order of pairs it is."""

ALT, TRANSCRIPT = "_alt", "_transcript"
"""What is added to the name of a column with a picture or a recording: the column with its words, for who
cannot see or hear."""

WORDS_FOR = {"image": ALT, "audio": TRANSCRIPT}
"""The same by what is shown."""


class UnfitError(ValueError):
    """An answer that cannot be taken; says what to do. named: as in a ``Message``, or that of one."""

    def __init__(self, message: str, named: str = "", **values: object) -> None:
        if isinstance(message, Message):
            self.message, self.named = Message(message.message, "", **message.values), message
        else:
            self.message, self.named = Message(message, "", **values), Message(message, named, **values)
        super().__init__(self.message)


def field_of(part: Part) -> str:
    """The name of a part's field on a page."""
    return str(part.get("field") or f"ask-{part['key']}")


def options_of(part: Part, content: Content) -> list[tuple[Any, Any]]:
    """The options of a part: the value that is stored, and its text or texts by language."""
    if "options_from" in part:
        options = content.get(part["options_from"], ())
        if part.get("positions"):
            return [*enumerate(options)]
        return [(each["id"], each["text"]) if isinstance(each, Mapping) else (each, each) for each in options]
    if "between" in part:
        fields = [(name, content.get(name, "")) for name in part["between"]]
        return [*fields, *([("tie", Message("No difference"))] if part.get("tie") else [])]
    return [
        (each["value"], each["label"]) if isinstance(each, Mapping) else (each, each)
        for each in part.get("options", ())
    ]


def values_of(part: Part, content: Content) -> list[Any]:
    """The values of a part's options."""
    return [value for value, _ in options_of(part, content)]


def chosen(sent: str, part: Part, content: Content) -> Any:
    """The value of the option that a page sends; None for an unknown option of a form. Others are returned
    as they are, to be refused."""
    values, index = values_of(part, content), whole(sent)
    if "field" in part:
        return index if part.get("positions") else sent or None
    return values[index] if index is not None and index < len(values) else None


def words_of(value: Any, part: Part, content: Content, translate: Translate) -> str:
    """A value of a built-in part in words. content: of the item, which may have the options. translate:
    into the reader's language."""
    words = dict(options_of(part, content)).get(value, value)
    return words.words(translate) if isinstance(words, Message) else str(words)


def shown_options(part: Part, content: Content) -> list[tuple[Any, Any, Any]]:
    """(what is sent, value, words). Each person sees the two of a pair in an order of their own, because
    the first is chosen more often."""
    options = enumerate(options_of(part, content))
    shown = [(value if "field" in part else index, value, words) for index, (value, words) in options]
    if "between" in part and random.Random(f"{content.get(ORDER)}|{shown[0][2]}").random() < 0.5:  # noqa: S311 - no secret
        shown[:2] = shown[1::-1]
    if part.get("reversed"):
        shown.reverse()
    return shown


def text_fields(part: Part) -> list[str]:
    """The columns of the items whose texts a part is about."""
    return [*part.get("between", ()), *part.get("placeholders", ()), *([part["of"]] if "of" in part else ())]


class PartType(ABC):
    """One type of part. settings: what it has besides those of every part. needs: groups of settings, one of
    each being needed."""

    settings: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[tuple[str, ...], ...]] = ()
    empty: ClassVar[Any] = None  # stored if nothing is given; a form keeps only empty lists

    @abstractmethod
    def read(self, fields: FormFields, part: Part, content: Content) -> Any:
        """The answer as a page sends it; None or empty where there is none, and never an exception."""

    @abstractmethod
    def clean(self, value: Any, part: Part, content: Content) -> Any:
        """The answer as it is stored; UnfitError where it cannot be taken."""

    @abstractmethod
    def settle(self, values: Sequence[Any], part: Part, content: Content, needed: int) -> Found:
        """The common answer to a part; see ``stages.consensus``.

        values: people's answers, None for people who gave none. content: of the item. needed: how many
        people have to agree.
        """

    def label(self, value: Any) -> Any:
        """What agreement is computed over (``stats.raters.graded.fitting``); None where answers are not meant
        to agree."""
        return value

    def line(self, value: Any) -> str:
        """The answer in a line, for researchers and in a cell of a table."""
        return str(value)

    def told(self, value: Any, part: Part, content: Content, translate: Translate) -> list[str]:
        """The answer (value) to a built-in part in words, one line per value; a remark in quotes. content:
        of the item. translate: into the reader's language."""
        lines = [
            words_of(each, part, content, translate)
            for each in (value if isinstance(value, list) else [value])
        ]
        return [f"“{each}”" for each in lines] if part.get("remark") else lines
