"""The form of every kind of stage."""

from __future__ import annotations

from collections.abc import Mapping

from folkways.errors import UnknownNameError
from folkways.studio.web.forms.base import Form
from folkways.studio.web.forms.vote import VoteForm

FORMS: Mapping[str, Form] = {form.kind: form for form in (VoteForm(),)}


def form_of(kind: str) -> Form:
    """The form of a kind of stage; UnknownNameError."""
    if kind not in FORMS:
        raise UnknownNameError("kind of stage with a page", kind, FORMS)
    return FORMS[kind]
