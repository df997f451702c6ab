"""The form of every kind of stage."""

from __future__ import annotations

from collections.abc import Mapping

from folkways.errors import UnknownNameError
from folkways.studio.web.forms.answers import GroupAnswersForm, ShortAnswersForm
from folkways.studio.web.forms.base import Form
from folkways.studio.web.forms.judging import AdjudicateForm, JudgeAnswerForm
from folkways.studio.web.forms.reviewing import CollectQuestionForm, CurateForm, LocaliseForm, ReviewForm
from folkways.studio.web.forms.sentences import AdaptForm, ChooseBestForm, LabelItemForm, TagSpansForm
from folkways.studio.web.forms.vote import VoteForm
from folkways.studio.web.forms.writing import WriteQuestionForm

FORMS: Mapping[str, Form] = {
    form.kind: form
    for form in (
        WriteQuestionForm(),
        ReviewForm(),
        VoteForm(),
        CollectQuestionForm(),
        CurateForm(),
        LocaliseForm(),
        ShortAnswersForm(),
        GroupAnswersForm(),
        ChooseBestForm(),
        TagSpansForm(),
        LabelItemForm(),
        AdaptForm(),
        AdjudicateForm(),
        JudgeAnswerForm(),
    )
}


def form_of(kind: str) -> Form:
    """The form of a kind of stage; UnknownNameError."""
    if kind not in FORMS:
        raise UnknownNameError("kind of stage with a page", kind, FORMS)
    return FORMS[kind]
