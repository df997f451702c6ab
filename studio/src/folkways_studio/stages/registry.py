"""Every kind of stage by name. A new one is one file with its parts (``asking.Asking``) and rules, one line
here, and a template with its guidelines (``templates/help``); another (``templates/kinds``) where it shows
more than ``show`` can.
"""

from __future__ import annotations

from collections.abc import Mapping

from folkways.sdk.errors import UnknownNameError
from folkways_studio.stages.adapting import Adapt
from folkways_studio.stages.adjudicating import Adjudicate
from folkways_studio.stages.answers import GroupAnswers, ShortAnswers
from folkways_studio.stages.base import StageKind
from folkways_studio.stages.form import Form
from folkways_studio.stages.judging import JudgeAnswer
from folkways_studio.stages.reviewing import Curate, Localise, Review
from folkways_studio.stages.sentences import ChooseBest, LabelItem, TagSpans
from folkways_studio.stages.voting import Voting
from folkways_studio.stages.writing import CollectQuestion, WriteQuestion


def stage_kind(name: str) -> StageKind:
    """The kind of stage of that name; UnknownNameError."""
    if name not in STAGE_KINDS:
        raise UnknownNameError("kind of stage", name, STAGE_KINDS)
    return STAGE_KINDS[name]


STAGE_KINDS: Mapping[str, StageKind] = {
    kind.name: kind
    for kind in (
        WriteQuestion(),
        Review(),
        Voting(),
        CollectQuestion(),
        Curate(),
        Localise(),
        ShortAnswers(),
        GroupAnswers(),
        ChooseBest(),
        TagSpans(),
        LabelItem(),
        Adapt(),
        Adjudicate(stage_kind),
        JudgeAnswer(),
        Form(),
    )
}
