"""The discussion of an item between researchers, reviewers and experts. Participants never see it, and
exports leave it out unless asked.

An item has one thread of comments. It is open while one of its comments is; a new comment reopens it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import Comment
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import changed, count, find_row, inserted, read_all
from folkways_studio.errors import ConflictError, Message, NotAllowedError, NotFoundError
from folkways_studio.items.service import get_item, item_within
from folkways_studio.people import accounts
from folkways_studio.records import Role, from_row
from folkways_studio.stages.fields import raise_if, text_of

SPEAKERS = (Role.OWNER, Role.RESEARCHER, Role.EXPERT, Role.REVIEWER)
"""Roles that may comment; of several, the first is shown."""

LONGEST, MOST, MOST_EDITS = 4000, 200, 20
"""Maximum characters of a comment, comments on an item, and versions of a comment."""


_items, _comments = schema.items, schema.comments
_item = sa.select(sa.bindparam("item", type_=sa.Integer).label("id")).cte("family", recursive=True)
_family = _item.union(
    sa.select(_items.c.parent_id)
    .join(_item, _item.c.id == _items.c.id)
    .where(_items.c.parent_id.is_not(None))
)
_COMMENTS = (
    sa.select(_comments, schema.accounts.c.name.label("author"))
    .join(schema.accounts, schema.accounts.c.id == _comments.c.account_id)
    .where(_comments.c.item_id.in_(sa.select(_family.c.id)))
    .order_by(_comments.c.id)
)


@dataclass(frozen=True, slots=True)
class CommentCounts:
    """How many comments an item has, without deleted ones, and how many are open."""

    comments: int
    open: int


def add_comment(workspace: Workspace, study_id: int, item_id: int, account_id: int, text: str) -> Comment:
    """Add a comment to an item. Raises SubmissionError for an empty or too long text, NotAllowedError without
    a role in SPEAKERS, and ConflictError if the item has MOST comments. workspace, study_id: the study.
    item_id: the item. account_id: the account."""
    text = _checked(text)
    with workspace.claim() as connection:
        item = item_within(connection, study_id, item_id, lock="key")
        mine = accounts.roles_within(connection, study_id, account_id)
        role = next((each for each in SPEAKERS if each in mine), None)
        if role is None:
            raise NotAllowedError("only those who run or review the study discuss its items")
        if count(connection, schema.comments, schema.comments.c.item_id == item.id) >= MOST:
            raise ConflictError("there are %(most)s comments on this item already; settle it", most=MOST)
        row: dict[str, Any] = {
            "item_id": item.id,
            "account_id": account_id,
            "role": str(role),
            "text": text,
            "history": [],
        }
        comment = inserted(connection, Comment, schema.comments, {**row, "created": time.time()})
        return _recorded(connection, "comment.added", study_id, comment)


def edit_comment(workspace: Workspace, study_id: int, comment_id: int, account_id: int, text: str) -> Comment:
    """Change the text of one's own comment; the old text stays in its history. comment_id: which comment.
    Raises ConflictError after MOST_EDITS changes. workspace, study_id: the study. account_id: the account."""
    now = time.time()
    text = _checked(text)
    with workspace.claim() as connection:
        comment = _own_comment(connection, study_id, comment_id, account_id)
        if text == comment.text:
            return comment
        if len(comment.history) >= MOST_EDITS:
            raise ConflictError("this comment was changed %(most)s times; write another", most=MOST_EDITS)
        history = [*comment.history, {"text": comment.text, "until": now}]
        edited = changed(
            connection, Comment, schema.comments, comment.id, text=text, history=history, edited=now
        )
        return _recorded(connection, "comment.edited", study_id, edited)


def delete_comment(workspace: Workspace, study_id: int, comment_id: int, account_id: int) -> Comment:
    """Delete one's own comment: only its history keeps the text. comment_id: which comment. workspace,
    study_id: the study. account_id: the account."""
    now = time.time()
    with workspace.claim() as connection:
        comment = _own_comment(connection, study_id, comment_id, account_id)
        history = [*comment.history, {"text": comment.text, "until": now}]
        deleted = changed(
            connection, Comment, schema.comments, comment.id, text="", history=history, deleted=now
        )
        return _recorded(connection, "comment.deleted", study_id, deleted)


def set_resolved(
    workspace: Workspace, study_id: int, item_id: int, resolved: bool, *, by: int | None = None
) -> None:
    """Mark all comments on an item as resolved or open. workspace, study_id: the study. item_id: the item.
    by: the account that acts, for the audit trail."""
    item = get_item(workspace, study_id, item_id)
    table = schema.comments
    changing = table.c.resolved.is_(None) if resolved else table.c.resolved.is_not(None)
    with workspace.write() as connection:
        update = (
            sa.update(table)
            .where(table.c.item_id == item.id, changing)
            .values(resolved=time.time() if resolved else None)
        )
        if connection.execute(update).rowcount:
            kind = "discussion.resolved" if resolved else "discussion.reopened"
            audit.record_event(connection, kind, study_id, by, subject=f"item:{item.id}")


def list_comments(workspace: Workspace, item_id: int) -> tuple[tuple[Comment, str], ...]:
    """The comments on an item and its ancestors, oldest first, each with its author's name."""
    with workspace.read() as connection:
        rows = connection.execute(_COMMENTS, {"item": item_id}).all()
    return tuple((from_row(Comment, row, schema.comments), row.author) for row in rows)


def comments_of_study(workspace: Workspace, study_id: int) -> Sequence[Comment]:
    """Every comment of a study, oldest first."""
    table, items = schema.comments, schema.items
    query = sa.select(table).join(items, items.c.id == table.c.item_id).where(items.c.study_id == study_id)
    return read_all(workspace, Comment, query.order_by(table.c.id))


def comment_counts(workspace: Workspace, study_id: int) -> Mapping[int, CommentCounts]:
    """Item id -> counts of comments; items without comments are absent."""
    table, items = schema.comments, schema.items
    unresolved = sa.func.sum(sa.case((table.c.resolved.is_(None), 1), else_=0))
    query = (
        sa.select(table.c.item_id, sa.func.count().label("n"), unresolved.label("open"))
        .join(items, items.c.id == table.c.item_id)
        .where(items.c.study_id == study_id, table.c.deleted.is_(None))
        .group_by(table.c.item_id)
    )
    with workspace.read() as connection:
        return {row.item_id: CommentCounts(row.n, int(row.open)) for row in connection.execute(query)}


def _checked(text: str) -> str:
    problems: dict[str, str] = {}
    checked = text_of(
        {"text": text.replace("\r\n", "\n")},
        "text",
        problems,
        most=LONGEST,
        ask=Message("Write your comment."),
    )
    if "text" in problems and checked:
        problems["text"] = Message("A comment has %(most)s characters at most.", most=LONGEST)
    raise_if(problems)
    return checked


def _own_comment(connection: sa.Connection, study_id: int, comment_id: int, account_id: int) -> Comment:
    """A comment of this study and account, locked; NotFoundError for any other."""
    row = find_row(connection, schema.comments, id=comment_id, lock="row")
    item = find_row(connection, schema.items, id=row.item_id) if row is not None else None
    if row is None or item is None or item.study_id != study_id:
        raise NotFoundError("there is no such comment")
    if row.account_id != account_id:
        raise NotAllowedError("only who wrote a comment can change it")
    if row.deleted is not None:
        raise ConflictError("this comment was deleted")
    return from_row(Comment, row)


def _recorded(connection: sa.Connection, kind: str, study_id: int, comment: Comment) -> Comment:
    """The comment, once it is in the trail what its author did."""
    details = {"comment": comment.id}
    audit.record_event(
        connection, kind, study_id, comment.account_id, subject=f"item:{comment.item_id}", details=details
    )
    return comment
