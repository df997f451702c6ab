"""Pages of an item's discussion: on the item's page, and next to the task of those who review or decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response

from folkways_studio.activity import Comment
from folkways_studio.items import discussion
from folkways_studio.records import Item, Role
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.web.request_context import ADJUDICATORS, RUNS_STUDIES, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work.blinding import is_independent, require_sight
from folkways_studio.work.task_numbers import shown_number
from folkways_studio.work.task_pages import TaskPage

routes = Routes()


@dataclass(frozen=True, slots=True)
class Discussion:
    """The comments on an item as one reader sees them.

    names: account -> name, for readers who may know them. task: number of the task in whose page it is shown;
    None on the item's own page.
    """

    item: Item
    comments: tuple[Comment, ...]
    names: Mapping[int, str]
    task: int | None

    @property
    def is_open(self) -> bool:
        """Whether a comment on this very item is open."""
        return any(
            each.resolved is None and each.deleted is None
            for each in self.comments
            if each.item_id == self.item.id
        )

    @property
    def can_be_reopened(self) -> bool:
        """Whether there are comments and all are resolved."""
        return not self.is_open and any(
            each.deleted is None for each in self.comments if each.item_id == self.item.id
        )


def discussion_of(context: RequestContext, item: Item, task: int | None = None) -> Discussion:
    """The discussion of the item and its ancestors. Only those who run the study see names, as in the log."""
    comments = discussion.list_comments(context.workspace, item.id)
    names = {comment.account_id: name for comment, name in comments} if context.roles & RUNS_STUDIES else {}
    return Discussion(item, tuple(comment for comment, _ in comments), names, task)


def discussion_beside(context: RequestContext, task: TaskPage) -> Discussion | None:
    """The discussion for those who review or decide; None for those who answer, whatever other roles they
    have, and where several people answer independently."""
    work = task.work
    if work.stage.role == Role.ANNOTATOR or not context.roles & (ADJUDICATORS.roles or frozenset()):
        return None
    if is_independent(work.item, work.stage, others_answered=task.others_answered):
        return None
    return discussion_of(context, work.item, shown_number(work.assignment.id, context.participant.pseudonym))


def _back(context: RequestContext, item_id: int, say: str) -> Response:
    """Back to the task, or to the item's page."""
    task = whole(context.text("task"))
    address = (
        f"/studies/{context.study.name}/items/{item_id}"
        if task is None
        else f"/work/{context.study.name}/tasks/{task}"
    )
    return context.go(f"{address}#discussion", say)


@routes.post("/studies/{study}/items/{item}/comments", ADJUDICATORS)
def add(context: RequestContext) -> Response:
    """Add a comment."""
    item_id = context.number("item")
    require_sight(context.workspace, context.study.id, context.me.id, item_id)
    discussion.add_comment(
        context.workspace, context.study.id, item_id, context.me.id, context.text("comment")
    )
    return _back(context, item_id, "comment-added")


@routes.post("/studies/{study}/items/{item}/discussion", ADJUDICATORS)
def settle(context: RequestContext) -> Response:
    """Mark the discussion as resolved or open."""
    item_id = context.number("item")
    require_sight(context.workspace, context.study.id, context.me.id, item_id)
    discussion.set_resolved(
        context.workspace, context.study.id, item_id, context.text("resolved") == "yes", by=context.me.id
    )
    return _back(context, item_id, "saved")


@routes.post("/studies/{study}/comments/{comment}/edit", ADJUDICATORS)
def edit(context: RequestContext) -> Response:
    """Edit one's own comment."""
    comment = discussion.edit_comment(
        context.workspace, context.study.id, context.number("comment"), context.me.id, context.text("comment")
    )
    return _back(context, comment.item_id, "saved")


@routes.post("/studies/{study}/comments/{comment}/delete", ADJUDICATORS)
def delete(context: RequestContext) -> Response:
    """Delete one's own comment."""
    comment = discussion.delete_comment(
        context.workspace, context.study.id, context.number("comment"), context.me.id
    )
    return _back(context, comment.item_id, "comment-deleted")
