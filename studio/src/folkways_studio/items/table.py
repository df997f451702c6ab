"""The table of items: which rows and columns an address asks for, what each row says, and the filters that a
study keeps under a name."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import changing, count, delete_rows
from folkways_studio.errors import ConflictError, Message, SubmissionError
from folkways_studio.items.search import ORDERS
from folkways_studio.records import LEFT_OUT, Item
from folkways_studio.stages.parts.base import ALT, TRANSCRIPT
from folkways_studio.stages.parts.form_fields import FormFields, text, texts

COLUMNS = ("stage", "population", "state", "assigned", "answers", "disagreement", "people", "suggestions")
SHOWN = ("stage", "state", "answers", "disagreement")
"""The columns of who has chosen none."""

NOBODY, SOMEBODY = "-", "*"
"""Values of ``assigned`` that no person or population is called: to nobody, and to anybody at all."""

ONLY = ("disputed", "flagged", "stalled")
"""Values of ``only``: items whose answers differ, that somebody flagged has answered, or that are stalled."""

SIZES = (25, 50, 100)
"""Rows on a page that can be chosen."""

LONGEST_WORDS = 200
LONGEST_NAME = 60
LONGEST_QUERY = 2000
MOST_FILTERS = 50
"""Saved filters of a study."""


def in_words(value: Any) -> str:
    """A value of JSON as a reader reads it: a mapping's text, or its parts by name; a list with semicolons;
    nothing for what is empty."""
    if value is None or value is False:
        return ""
    if value is True:
        return "✓"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if isinstance(value.get("text"), str) and value["text"]:
            return str(value["text"])
        return "; ".join(f"{name}: {words}" for name, each in value.items() if (words := in_words(each)))
    if isinstance(value, Sequence):
        return "; ".join(filter(None, map(in_words, value)))
    return str(value)


def facts_of(subject: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What an item is about, field by field in their order, the texts first, then names of files and the
    like."""

    def comes_later(fact: tuple[str, Any]) -> bool:
        name, value = fact
        return f"{name}{ALT}" in subject or f"{name}{TRANSCRIPT}" in subject or not isinstance(value, str)

    return sorted(subject.items(), key=comes_later)


def title_of(item: Item, subject: Mapping[str, Any]) -> str:
    """The title of an item in a list; its key where its subject says nothing."""
    return next((words for _, value in facts_of(subject) if (words := in_words(value).strip())), item.key)


@dataclass(frozen=True, slots=True)
class TableView:
    """Which items the table shows, in which order, and what of them. Whatever an address says, size is one of
    SIZES, order one of ORDERS (``-`` before it turns it round), and columns some of COLUMNS. assigned:
    NOBODY, SOMEBODY, or the name of a person or population."""

    stage: str = ""
    population: str = ""
    state: str = ""
    only: str = ""
    assigned: str = ""
    q: str = ""
    order: str = ORDERS[0]
    size: int = SIZES[0]
    columns: tuple[str, ...] = SHOWN

    @classmethod
    def of(cls, fields: FormFields) -> TableView:
        """The view that an address or a form asks for; what is not valid in it is ignored."""
        order = text(fields, "order")
        size = next((each for each in SIZES if str(each) == text(fields, "size")), SIZES[0])
        wanted = texts(fields, "column")
        stage, population, state, only, assigned, q = (
            text(fields, name)[:LONGEST_WORDS]
            for name in ("stage", "population", "state", "only", "assigned", "q")
        )
        columns = tuple(name for name in COLUMNS if name in wanted) or SHOWN
        return cls(
            stage, population, state, only, assigned, q,
            order if order.removeprefix("-") in ORDERS else ORDERS[0], size, columns,
        )  # fmt: skip

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The fields of a form or an address that ask for this view; what is usual is left out."""
        usual = TableView()
        named = [
            (name, str(getattr(self, name)))
            for name in ("stage", "population", "state", "only", "assigned", "q", "order", "size")
            if getattr(self, name) != getattr(usual, name)
        ]
        return named + ([("column", name) for name in self.columns] if self.columns != SHOWN else [])

    @property
    def query(self) -> str:
        """The query of an address that asks for this view."""
        return urlencode(self.fields)

    def page(self, number: int) -> str:
        """The query for a page of it, numbered from 1."""
        return urlencode([*self.fields, ("page", number)])

    def sorted_by(self, order: str) -> str:
        """The query for the same items sorted by one of ORDERS; turned round where they are already."""
        return replace(self, order=f"-{order}" if self.order == order else order).query


def people_of(workspace: Workspace, numbers: Collection[int]) -> dict[int, str]:
    """Participant id -> pseudonym, of those whose ids are ``numbers``."""
    people = schema.participants
    query = sa.select(people.c.id, people.c.pseudonym).where(people.c.id.in_(numbers))
    with workspace.read() as connection:
        return {row.id: row.pseudonym for row in connection.execute(query)}


def suggestion_counts(workspace: Workspace, numbers: Collection[int]) -> dict[int, tuple[int, int]]:
    """Item id -> how often people saw what a model suggests for it, and how often they accepted that as it
    was; of the items whose ids are ``numbers``, without people who left."""
    people = schema.participants

    def outcomes(table: sa.Table) -> sa.Select[Any]:
        return (
            sa.select(table.c.item_id, table.c.outcome)
            .join(people, people.c.id == table.c.participant_id)
            .where(table.c.item_id.in_(numbers), people.c.state.not_in(LEFT_OUT))
        )

    prefilled = outcomes(schema.exposures).where(schema.exposures.c.shown)
    rows = sa.union_all(outcomes(schema.suggestions), prefilled).subquery()
    accepted = sa.func.sum(sa.case((rows.c.outcome == "accepted", 1), else_=0))
    query = sa.select(rows.c.item_id, sa.func.count().label("n"), accepted.label("accepted"))
    with workspace.read() as connection:
        return {
            row.item_id: (row.n, int(row.accepted))
            for row in connection.execute(query.group_by(rows.c.item_id))
        }


def saved_filters(workspace: Workspace, study_id: int) -> list[tuple[str, str]]:
    """The name and the query of every saved filter of a study, by name."""
    table = schema.filters
    query = sa.select(table.c.name, table.c.query).where(table.c.study_id == study_id).order_by(table.c.name)
    with workspace.read() as connection:
        return [(row.name, row.query) for row in connection.execute(query)]


def save_filter(workspace: Workspace, study_id: int, name: str, view: TableView) -> None:
    """Keep a view under a name for everybody who sees the items of a study; one of that name is replaced.

    workspace, study_id: the study. SubmissionError for a name that is empty or longer than LONGEST_NAME.
    ConflictError for more than MOST_FILTERS, or for a view that is longer than LONGEST_QUERY.
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise SubmissionError(
            {"name": Message("Give the filter a name of at most %(most)s characters.", most=LONGEST_NAME)}
        )
    if len(view.query) > LONGEST_QUERY:
        raise ConflictError("this filter is too long to be saved; use fewer words")
    table = schema.filters
    with changing(workspace, study_id) as connection:
        delete_rows(connection, table, study_id=study_id, name=name)
        if count(connection, table, table.c.study_id == study_id) >= MOST_FILTERS:
            raise ConflictError(
                "a study has at most %(most)s saved filters; delete one first", most=MOST_FILTERS
            )
        row = {"study_id": study_id, "name": name, "query": view.query, "created": time.time()}
        connection.execute(sa.insert(table).values(row))


def delete_filter(workspace: Workspace, study_id: int, name: str) -> None:
    """Delete a saved filter of a study of the workspace; does nothing where there is none of that name."""
    with workspace.write() as connection:
        delete_rows(connection, schema.filters, study_id=study_id, name=name)
