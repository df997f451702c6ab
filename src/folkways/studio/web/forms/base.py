"""What every kind of task's form does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.services.assignments import Work

Translate = Callable[..., str]


class Form(ABC):
    """The page of one kind of stage. What it reads is both the draft that is kept and the submission."""

    kind: ClassVar[str]
    template: ClassVar[str]

    @abstractmethod
    def read(self, fields: FormData, work: Work) -> Mapping[str, Any]:
        """The submission, as far as it has been filled in. Never raises: half a form is a fine draft."""

    def context(self, work: Work, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the template needs besides content, config and draft."""
        return {}

    def problems(self, submission: Mapping[str, Any], work: Work, translate: Translate) -> Mapping[str, str]:
        """What keeps the submission from being sent, in the reader's language: field -> what to do. The stage's own rules are
        checked afterwards by its handler; here is only what people run into, so that they read it in their own language.
        """
        return {}


def text(fields: FormData, name: str) -> str:
    """One field as text without outer white space."""
    value = fields.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def texts(fields: FormData, name: str) -> list[str]:
    """All fields of a name as texts without outer white space, empty ones included."""
    return [value.strip() for value in fields.getlist(name) if isinstance(value, str)]


def whole(value: Any) -> int | None:
    """A whole number of up to six digits; None for anything else."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 6 else None
