"""What every kind of task's form does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

Translate = Callable[..., str]
Content = Mapping[str, Any]
Config = Mapping[str, Any]


class Form(ABC):
    """The fields of one kind of stage. What it reads is both the draft that is kept and the submission."""

    kind: ClassVar[str]

    @property
    def template(self) -> str:
        """The part of the page with its fields."""
        return f"tasks/kinds/{self.kind}.html.j2"

    @property
    def help(self) -> str:
        """The part of the page with its guidelines and keys."""
        return f"tasks/help/{self.kind}.html.j2"

    @abstractmethod
    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The submission, as far as it has been filled in. Never raises: half a form is a fine draft."""

    def context(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the template needs besides content, config and draft."""
        return {}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """A judgement in words, for reviewers and researchers: one line per thing said."""
        return [f"{name}: {value}" for name, value in payload.items() if value not in (None, "", [], {})]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """What keeps the submission from being sent, in the reader's language: field -> what to do.

        The stage's own rules are checked afterwards by its handler; here is what people run into.
        """
        return {}

    def undecided(self, submission: Mapping[str, Any], translate: Translate) -> Mapping[str, str]:
        """Why a whole answer still decides nothing, where somebody settles an item by it: field -> what to do."""
        return {}


def text(fields: FormData, name: str) -> str:
    """One field as text without outer white space; line ends as \\n."""
    value = fields.get(name, "")
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def texts(fields: FormData, name: str) -> list[str]:
    """All fields of a name as texts without outer white space, empty ones included."""
    return [value.replace("\r\n", "\n").strip() for value in fields.getlist(name) if isinstance(value, str)]


def whole(value: Any) -> int | None:
    """A whole number of up to nine digits, which any column of a database holds; None for anything else."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9 else None


def wholes(fields: FormData, name: str) -> list[int]:
    """All fields of a name that are whole numbers."""
    return [number for value in texts(fields, name) if (number := whole(value)) is not None]


def spans(fields: FormData, name: str) -> list[list[int]]:
    """Marks as the page sends them ("4:11,20:25"), each [start, end) in code points."""
    found = []
    for part in text(fields, name).split(",")[:50]:
        start, _, end = part.partition(":")
        first, last = whole(start), whole(end)
        if first is not None and last is not None:
            found.append([first, last])
    return found
