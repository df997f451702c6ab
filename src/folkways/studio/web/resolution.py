"""A researcher's or expert's decision over an item, read from the same fields in which people answer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData

from folkways.studio.errors import SubmissionError
from folkways.studio.records import Item, Stage
from folkways.studio.web.forms.base import Translate
from folkways.studio.web.forms.registry import form_of
from folkways.studio.workflows.registry import handler_of


def read_decision(stage: Stage, item: Item, fields: FormData, translate: Translate) -> Mapping[str, Any]:
    """What the item's result is to be. SubmissionError where the answer that decides is not a whole one."""
    form, handler = form_of(stage.kind), handler_of(stage.kind)
    submission = form.read(fields, item.content, stage.config)
    problems = form.problems(submission, item.content, stage.config, translate) or form.undecided(submission, translate)
    if problems:
        raise SubmissionError(problems)
    payload = handler.validate(submission, item.content, stage.config)
    return handler.settled(payload, item.content, stage.config)


def can_settle(stage: Stage, item: Item) -> bool:
    """Whether the item can be decided here: what people write themselves has no right answer to put in its place."""
    return item.check is None and not handler_of(stage.kind).authored and stage.kind != "adapt"
