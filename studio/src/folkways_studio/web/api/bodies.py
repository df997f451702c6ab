"""What programs send. Fields that are not known are refused: a misspelt one would be lost without a word."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from folkways_studio.records import Role

Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Cell = str | int | float | bool | list[Any] | dict[str, Any] | None
MOST_ROWS = 20_000
NO_TEXT = re.compile("[\0\ud800-\udfff]")


class Body(BaseModel):
    """Any body. Texts have no characters that a database refuses."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def check_characters(cls, given: Any) -> Any:
        """Refuse NUL and lone surrogates, wherever they are."""
        waiting = [given]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                waiting += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                waiting += value
            elif isinstance(value, str) and NO_TEXT.search(value):
                raise ValueError("a text holds a character that is none (NUL, or half of one)")
        return given


class NewStudy(Body):
    """A study to be made, as the file that describes it: its text (YAML), or the same as JSON."""

    definition: Annotated[str, StringConstraints(max_length=200_000)] | dict[str, Any]


class NewState(Body):
    """What a study is to become."""

    state: Literal["open", "paused", "closed"]


class NewItems(Body):
    """Rows of a table of items, as in a file: column -> cell. population: for rows that name none."""

    stage: Name
    rows: list[dict[str, Cell]] = Field(min_length=1, max_length=MOST_ROWS)
    population: Name | None = None


class NewDecision(Body):
    """A decision over an item. answer: fields of the form that people of its stage fill in; drop: leave the
    item out instead."""

    reason: Reason
    answer: dict[str, str | int | list[str | int]] = {}
    drop: bool = False


class NewRedaction(Body):
    """Fields whose words are taken out; all that have words where none is named."""

    fields: list[Name] = Field(default=[], max_length=50)


class NewDraw(Body):
    """Answers of models to be drawn at random from a run that is stored on the server."""

    stage: Name
    run: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    per_culture: int = Field(default=120, ge=1, le=10_000)
    wrong_only: bool = True
    models: list[str] | None = Field(default=None, max_length=100)
    seed: int = Field(default=0, ge=-(2**31), le=2**31 - 1)


class NewInvite(Body):
    """A link that lets people in. population: where participants come from. uses: how many people; null for
    no limit."""

    role: Role = Role.ANNOTATOR
    population: Name | None = None
    uses: int | None = Field(default=None, ge=1, le=100_000)
    days: float = Field(default=30, gt=0, le=365)
    note: Annotated[str, StringConstraints(max_length=200)] = ""


class NewWaiver(Body):
    """Why the criteria do not apply to somebody."""

    reason: Reason


class NewWorkbook(Body):
    """Items for somebody who works off line, kept for them for some hours."""

    stage: Name
    count: int = Field(default=50, ge=1, le=500)
    hours: float = Field(default=72, ge=0.1, le=24 * 90)


class FilledRows(Body):
    """The rows of a workbook that was handed out, filled in: column -> cell."""

    rows: list[dict[str, Cell]] = Field(min_length=1, max_length=500)


class NewMember(Body):
    """An account, by the name with which it signs in, and the role that it is to have."""

    login: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    role: Literal["owner", "researcher", "reviewer", "expert"]


class NewWebhook(Body):
    """An address that is to be told of events. events: kinds, such as `item.done`; none for all."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    events: list[Name] = Field(default=[], max_length=50)
