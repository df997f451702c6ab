"""What researchers, reviewers and experts say of an item to one another. Participants never see it, and
exports leave it out unless it is asked for.

An item has one line of comments. It is open while a comment in it is: a new one opens it again.
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
from folkways_studio.database.rows import changed, count, find_row, get_row, inserted, read_all
from folkways_studio.errors import ConflictError, Message, NotAllowedError, NotFoundError
from folkways_studio.items.service import get_item
from folkways_studio.people import accounts
from folkways_studio.records import Role, from_row
from folkways_studio.stages.fields import raise_if, text_of

SPEAKERS = (Role.OWNER, Role.RESEARCHER, Role.EXPERT, Role.REVIEWER)
"""Who may take part, and of several roles the first is shown."""

LONGEST, MOST, MOST_EDITS = 4000, 200, 20
"""Characters of a comment, comments on an item, wordings of a comment."""


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
    """How many comments an item has, without deleted ones, and how many of them are open."""

    comments: int
    open: int


def add_comment(workspace: Workspace, study_id: int, item_id: int, account_id: int, text: str) -> Comment:
    """Say something of an item. SubmissionError for no text or too long a one; NotAllowedError without a role
    that may speak."""
    said = _checked(text)
    item = get_item(workspace, study_id, item_id)
    with workspace.claim() as connection:
        mine = accounts.roles_within(connection, study_id, account_id)
        role = next((each for each in SPEAKERS if each in mine), None)
        if role is None:
            raise NotAllowedError("only those who run or review the study discuss its items")
        get_row(connection, schema.items, id=item.id, lock="key")
        if count(connection, schema.comments, schema.comments.c.item_id == item.id) >= MOST:
            raise ConflictError("there are %(most)s comments on this item already; settle it", most=MOST)
        row: dict[str, Any] = {
            "item_id": item.id,
            "account_id": account_id,
            "role": str(role),
            "text": said,
            "history": [],
        }
        made = inserted(connection, Comment, schema.comments, {**row, "created": time.time()})
        return _noted(connection, "comment.added", study_id, made)


def edit_comment(workspace: Workspace, study_id: int, comment_id: int, account_id: int, text: str) -> Comment:
    """Give one's own comment another wording; the earlier one stays in its history."""
    now = time.time()
    said = _checked(text)
    with workspace.claim() as connection:
        found = _own(connection, study_id, comment_id, account_id)
        if said == found.text:
            return found
        if len(found.history) >= MOST_EDITS:
            raise ConflictError("this comment was changed %(most)s times; write another", most=MOST_EDITS)
        history = [*found.history, {"text": found.text, "until": now}]
        made = changed(connection, Comment, schema.comments, found.id, text=said, history=history, edited=now)
        return _noted(connection, "comment.edited", study_id, made)


def delete_comment(workspace: Workspace, study_id: int, comment_id: int, account_id: int) -> Comment:
    """Take one's own comment back: its place stays, its words are in its history alone."""
    now = time.time()
    with workspace.claim() as connection:
        found = _own(connection, study_id, comment_id, account_id)
        history = [*found.history, {"text": found.text, "until": now}]
        made = changed(connection, Comment, schema.comments, found.id, text="", history=history, deleted=now)
        return _noted(connection, "comment.deleted", study_id, made)


def set_resolved(
    workspace: Workspace, study_id: int, item_id: int, resolved: bool, *, by: int | None = None
) -> None:
    """Call all comments on an item resolved, or open again."""
    item = get_item(workspace, study_id, item_id)
    table = schema.comments
    wanted = table.c.resolved.is_(None) if resolved else table.c.resolved.is_not(None)
    with workspace.write() as connection:
        done = (
            sa.update(table)
            .where(table.c.item_id == item.id, wanted)
            .values(resolved=time.time() if resolved else None)
        )
        if connection.execute(done).rowcount:
            kind = "discussion.resolved" if resolved else "discussion.reopened"
            audit.record_event(connection, kind, study_id=study_id, account_id=by, subject=f"item:{item.id}")


def list_comments(workspace: Workspace, item_id: int) -> tuple[tuple[Comment, str], ...]:
    """The comments on an item and on those that it descends from, the oldest first, each with the name of its
    author's account."""
    with workspace.read() as connection:
        rows = connection.execute(_COMMENTS, {"item": item_id}).all()
    return tuple((from_row(Comment, row, schema.comments), row.author) for row in rows)


def comments_of_study(workspace: Workspace, study_id: int) -> Sequence[Comment]:
    """Every comment of a study, the oldest first."""
    table, items = schema.comments, schema.items
    query = sa.select(table).join(items, items.c.id == table.c.item_id).where(items.c.study_id == study_id)
    return read_all(workspace, Comment, query.order_by(table.c.id))


def comment_counts(workspace: Workspace, study_id: int) -> Mapping[int, CommentCounts]:
    """Item id -> how much is said of it; items of which nothing is said are absent."""
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
    said = text_of(
        {"text": text.replace("\r\n", "\n")},
        "text",
        problems,
        most=LONGEST,
        ask=Message("Write your comment."),
    )
    if "text" in problems and said:
        problems["text"] = Message("A comment has %(most)s characters at most.", most=LONGEST)
    raise_if(problems)
    return said


def _own(connection: sa.Connection, study_id: int, comment_id: int, account_id: int) -> Comment:
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


def _noted(connection: sa.Connection, kind: str, study_id: int, made: Comment) -> Comment:
    """The comment, once it is in the trail what its author did."""
    details = {"comment": made.id}
    audit.record_event(
        connection,
        kind,
        study_id=study_id,
        account_id=made.account_id,
        subject=f"item:{made.item_id}",
        details=details,
    )
    return made
