"""What researchers and reviewers say of an item to one another: on its page, and beside the task in which one
of them decides."""

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

    names: account -> name, for those who may know them. task: the number in the address of the task on whose
    page it stands; None on the item's own.
    """

    item: Item
    comments: tuple[Comment, ...]
    names: Mapping[int, str]
    task: int | None

    @property
    def is_open(self) -> bool:
        """Whether anything on this very item waits for an answer."""
        return any(
            each.resolved is None and each.deleted is None
            for each in self.comments
            if each.item_id == self.item.id
        )

    @property
    def can_be_reopened(self) -> bool:
        """Whether there is something, and all of it is resolved."""
        return not self.is_open and any(
            each.deleted is None for each in self.comments if each.item_id == self.item.id
        )


def discussion_of(context: RequestContext, item: Item, task: int | None = None) -> Discussion:
    """What is said of the item and of what it descends from. Only those who run the study are told names, as
    in the log."""
    found = discussion.list_comments(context.workspace, item.id)
    names = {comment.account_id: name for comment, name in found} if context.roles & RUNS_STUDIES else {}
    return Discussion(item, tuple(comment for comment, _ in found), names, task)


def discussion_beside(context: RequestContext, task: TaskPage) -> Discussion | None:
    """The discussion for somebody who reviews or decides; None for those who answer, whatever else they are
    in the study, and where several people answer independently.
    """
    work = task.work
    if work.stage.role == Role.ANNOTATOR or not context.roles & (ADJUDICATORS.roles or frozenset()):
        return None
    if is_independent(work.item, work.stage, others_answered=task.others_answered):
        return None
    return discussion_of(context, work.item, shown_number(work.assignment.id, context.participant.pseudonym))


def _back(context: RequestContext, item_id: int, say: str) -> Response:
    """To the task that the form stood on, or to the page of the item."""
    task = whole(context.text("task"))
    place = (
        f"/studies/{context.study.name}/items/{item_id}"
        if task is None
        else f"/work/{context.study.name}/tasks/{task}"
    )
    return context.go(f"{place}#discussion", say)


@routes.post("/studies/{study}/items/{item}/comments", ADJUDICATORS)
def add(context: RequestContext) -> Response:
    """Say something."""
    item_id = context.number("item")
    require_sight(context.workspace, context.study.id, context.me.id, item_id)
    discussion.add_comment(
        context.workspace, context.study.id, item_id, context.me.id, context.text("comment")
    )
    return _back(context, item_id, "comment-added")


@routes.post("/studies/{study}/items/{item}/discussion", ADJUDICATORS)
def settle(context: RequestContext) -> Response:
    """Call the discussion resolved, or open again."""
    item_id = context.number("item")
    require_sight(context.workspace, context.study.id, context.me.id, item_id)
    discussion.set_resolved(
        context.workspace, context.study.id, item_id, context.text("resolved") == "yes", by=context.me.id
    )
    return _back(context, item_id, "saved")


@routes.post("/studies/{study}/comments/{comment}/edit", ADJUDICATORS)
def edit(context: RequestContext) -> Response:
    """Change the words of one's own comment."""
    found = discussion.edit_comment(
        context.workspace, context.study.id, context.number("comment"), context.me.id, context.text("comment")
    )
    return _back(context, found.item_id, "saved")


@routes.post("/studies/{study}/comments/{comment}/delete", ADJUDICATORS)
def delete(context: RequestContext) -> Response:
    """Take one's own comment back."""
    found = discussion.delete_comment(
        context.workspace, context.study.id, context.number("comment"), context.me.id
    )
    return _back(context, found.item_id, "comment-deleted")
