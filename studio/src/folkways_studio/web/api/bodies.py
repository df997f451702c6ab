"""Request bodies of the API. Unknown fields are refused, because a misspelt one would be lost silently."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StringConstraints

from folkways.sdk.errors import FolkwaysError
from folkways_studio.items.peer_rows import Annotations
from folkways_studio.records import Role

Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Cell = str | int | float | bool | list[Any] | dict[str, Any] | None
MOST_ROWS = 20_000
MOST_VALUES, MOST_FIELDS = 500_000, 100
"""Of a body, however deep they lie, and of its outermost object. Python reads JSON and checks it without a
pause for other requests: 20 MB of empty lists would hold up everybody for many seconds."""
NO_TEXT = re.compile("[\0\ud800-\udfff]")


def read_json(content: bytes) -> Any:
    """The value of a body. FolkwaysError for no JSON, for more than MOST_VALUES or MOST_FIELDS, and for
    characters and numbers that no database takes (NaN)."""
    if _count_values(content) > MOST_VALUES:
        raise FolkwaysError(f"this has more than {MOST_VALUES:,} values; send it in parts")
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FolkwaysError(f"this is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise FolkwaysError("this is nested too deeply") from None
    except ValueError as error:
        why = error if isinstance(error, json.JSONDecodeError) else "a number has too many digits"
        raise FolkwaysError(f"this could not be read as JSON ({why})") from None
    if isinstance(value, dict) and len(value) > MOST_FIELDS:
        raise FolkwaysError(f"this has more than {MOST_FIELDS} fields")
    _check_values(value)
    return value


def _count_values(content: bytes) -> int:
    """How many values a body has, about, without reading it: commas and brackets outside of texts; if texts
    alone are too many, half of them, as each is a value or a name of one."""
    texts = (content.count(b'"') - content.count(rb"\"")) // 2
    if texts // 2 > MOST_VALUES:
        return texts // 2
    outside = content.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')[::2]
    return sum(part.count(b",") + part.count(b"[") + part.count(b"{") for part in outside)


def _check_values(given: Any) -> None:
    """Refuse NUL, lone surrogates, NaN and infinity anywhere in a value (FolkwaysError)."""
    waiting = [given]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and NO_TEXT.search(value):
            raise FolkwaysError("a text has an invalid character (NUL, or half of a pair)")
        elif isinstance(value, float) and not isfinite(value):
            raise FolkwaysError("a number is not finite (such as NaN); write null where there is none")


def _row(given: object) -> object:
    if not isinstance(given, dict):
        raise ValueError("a row is an object: column -> cell")
    return given


Row = Annotated[dict[str, Cell], PlainValidator(_row, json_schema_input_type=dict[str, Cell])]
"""A row of a table. Whatever JSON has may be in a cell, so that cells are not looked at one by one."""


class Body(BaseModel):
    """Any request body, as ``read_json`` gives it."""

    model_config = ConfigDict(extra="forbid")


class NewStudy(Body):
    """A study to make: the file that describes it, as YAML text or JSON."""

    definition: Annotated[str, StringConstraints(max_length=200_000)] | dict[str, Any]


class NewState(Body):
    """The new state of a study."""

    state: Literal["open", "paused", "closed"]


class NewItems(Body):
    """Rows of a table of items, as in a file: column -> cell; or tasks of Label Studio, records of Argilla,
    or texts with entities. population: for rows that name none. annotations: what becomes of the answers of
    people in them; needed where there are any."""

    stage: Name
    rows: list[Row] = Field(min_length=1, max_length=MOST_ROWS)
    population: Name | None = None
    annotations: Annotations | None = None


class NewDecision(Body):
    """A decision about an item. answer: fields of the form that people of its stage fill in; drop: leave the
    item out instead."""

    reason: Reason
    answer: dict[str, str | int | list[str | int]] = {}
    drop: bool = False


class NewRedaction(Body):
    """Fields whose words are removed; all with words if none is named."""

    fields: list[Name] = Field(default=[], max_length=50)


class NewDraw(Body):
    """Model answers to draw at random from a run that is stored on the server."""

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


class NewExclusion(Body):
    """Why somebody is excluded, which they are shown."""

    reason: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class NewAdmission(Body):
    """Whether somebody who waits is let in, or screened out."""

    let_in: bool


class NewWorkbook(Body):
    """Items for somebody who works off line, reserved for some hours."""

    stage: Name
    count: int = Field(default=50, ge=1, le=500)
    hours: float = Field(default=72, ge=0.1, le=24 * 90)


class FilledRows(Body):
    """The filled rows of an exported workbook: column -> cell. file: the workbook's name, where all of its
    columns have to be there."""

    rows: list[Row] = Field(min_length=1, max_length=500)
    file: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None


class NewAssignments(Body):
    """Rows of a table of assignments: column -> cell, with the columns item (or item_id), stage, person and
    population. add: keep those to whom an item is assigned already. take_back: also take tasks back from
    others who are at them. preview: only check the rows."""

    rows: list[Row] = Field(min_length=1, max_length=MOST_ROWS)
    add: bool = False
    take_back: bool = False
    preview: bool = False


Condition = dict[Name, Annotated[str, StringConstraints(min_length=1, max_length=200)]]


class NewRuleAssignments(Body):
    """A rule that assigns the items of a stage, of one population if it is named. language: people know the
    language of the item. has: personal detail -> its value. matches: personal detail -> the field of the item
    that says the same. each: people per item; null for as many as answers are missing. most: items per
    person, those of before included. among: pseudonyms and populations. active_days: only people who took a
    task within that many days. again: items that are assigned already go to others. stalled: only items that
    are stalled. preview: only make the plan. digest: of the plan that was looked at; another one is
    refused."""

    stage: Name
    population: Name | None = None
    language: bool = False
    has: Condition = Field(default={}, max_length=20)
    matches: Condition = Field(default={}, max_length=20)
    each: int | None = Field(default=None, ge=1, le=1000)
    most: int | None = Field(default=None, ge=1, le=1_000_000)
    among: list[Name] = Field(default=[], max_length=1000)
    active_days: int | None = Field(default=None, ge=1, le=3650)
    again: bool = False
    stalled: bool = False
    take_back: bool = False
    preview: bool = False
    digest: Annotated[str, StringConstraints(max_length=64)] | None = None


class NewMember(Body):
    """An account, by its sign-in name, and the role it gets."""

    login: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    role: Literal["owner", "researcher", "reviewer", "expert"]


class NewWebhook(Body):
    """An address to send events to. events: kinds, such as `item.done`; none for all."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    events: list[Name] = Field(default=[], max_length=50)
