"""Every kind of stage by name."""

from __future__ import annotations

from collections.abc import Mapping

from folkways.errors import UnknownNameError
from folkways.studio.workflows.adapting import AdaptHandler, AdjudicateHandler
from folkways.studio.workflows.answers import GroupAnswersHandler, ShortAnswersHandler
from folkways.studio.workflows.base import Handler
from folkways.studio.workflows.judging import JudgeAnswerHandler
from folkways.studio.workflows.reviewing import CurateHandler, LocaliseHandler, ReviewHandler
from folkways.studio.workflows.sentences import ChooseBestHandler, LabelItemHandler, TagSpansHandler
from folkways.studio.workflows.vote import VoteHandler
from folkways.studio.workflows.writing import CollectQuestionHandler, WriteQuestionHandler

HANDLERS: Mapping[str, Handler] = {
    handler.kind: handler
    for handler in (
        WriteQuestionHandler(),
        ReviewHandler(),
        VoteHandler(),
        CollectQuestionHandler(),
        CurateHandler(),
        LocaliseHandler(),
        ShortAnswersHandler(),
        GroupAnswersHandler(),
        ChooseBestHandler(),
        TagSpansHandler(),
        LabelItemHandler(),
        AdaptHandler(),
        AdjudicateHandler(),
        JudgeAnswerHandler(),
    )
}


def handler_of(kind: str) -> Handler:
    """The handler of a kind of stage; UnknownNameError."""
    if kind not in HANDLERS:
        raise UnknownNameError("kind of stage", kind, HANDLERS)
    return HANDLERS[kind]
