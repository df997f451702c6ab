"""What a researcher decides stands in place of what people differ on, in the result and in the next stage."""

from __future__ import annotations

from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.items.service import list_items
from folkways_studio.stages.adjudicating import SAID_THE_SAME
from folkways_studio.studies import service as studies
from folkways_studio.work import adjudications
from studio.tests.support.studies import ON_A_FILE, open_study

pytestmark = ON_A_FILE

SENTENCE = {"sentence": "We spent Boxing Day at my aunt's.", "item": "Boxing Day"}
FORM = {
    "show": [{"field": "sentence", "type": "text"}],
    "ask": [
        {"key": "fitting", "type": "choice", "label": "Fitting?", "options": ["yes", "no"]},
        {"key": "why", "type": "text", "label": "Why not?", "if": {"key": "fitting", "is": "no"}},
    ],
}
DISPUTES: list[Any] = [
    (
        {"kind": "form", **FORM},
        [{"answers": {"fitting": "yes"}}, {"answers": {"fitting": "no", "why": "It is rude."}}],
        {"fitting": "yes"},
    ),
    (
        {"kind": "tag_spans"},
        [{"spans": [[9, 19]]}, {"spans": [[9, 15]]}],
        {"spans": [[9, 19]], "tagged": "We spent <CSI> Boxing Day </CSI> at my aunt's."},
    ),
]


def test_what_all_say_alike_goes_on_as_the_content_of_each_stage(studio_workspace: Workspace) -> None:
    """Past the stage in which somebody would decide, which is done on arrival."""
    asked = {"kind": "form", "answers": 2, **FORM}
    study = open_study(
        studio_workspace,
        [
            {**asked, "name": "judge", "next": {"done": "decide"}},
            {"name": "decide", "kind": "adjudicate", "next": {"done": "look"}},
            {**asked, "name": "look"},
        ],
    )
    study.add("judge", [SENTENCE])
    for _ in range(2):
        study.answer(study.person(), {"answers": {"fitting": "yes"}})
    judged, decided, handed_on = list_items(study.workspace, study.record.id)
    assert (judged.state, decided.state, handed_on.state) == ("done", "done", "open")
    assert (decided.parent_id, handed_on.parent_id) == (judged.id, decided.id)
    assert decided.content["content"]["sentence"] == SENTENCE["sentence"] and decided.reason == SAID_THE_SAME
    assert {name: handed_on.content[name] for name in SENTENCE} == SENTENCE
    assert "candidates" not in handed_on.content and handed_on.content["fitting"] == "yes"


@pytest.mark.parametrize(("stage", "submissions", "result"), DISPUTES, ids=["form", "tag_spans"])
def test_a_decision_leaves_nothing_of_the_dispute(
    studio_workspace: Workspace,
    stage: dict[str, Any],
    submissions: list[dict[str, Any]],
    result: dict[str, Any],
) -> None:
    last = {"name": "look", "kind": "form", **FORM}
    first = {"name": "judge", "answers": 2, "next": {"done": "look"}, **stage}
    study = open_study(studio_workspace, [first, last])
    study.add("judge", [SENTENCE])
    for submission in submissions:
        study.answer(study.person(), submission)
    (item,) = list_items(study.workspace, study.record.id)
    assert item.result is not None and "disputed" in item.result

    judged = studies.get_stage(study.workspace, study.record.id, "judge")
    decision = adjudications.decision_of(judged, item, submissions[0])
    adjudications.adjudicate(
        study.workspace, study.record.id, item.id, study.owner, decision, "as the first says"
    )
    decided, handed_on = list_items(study.workspace, study.record.id)
    assert decided.result == {**result, "adjudicated": True}
    assert "disputed" not in handed_on.content and "why" not in handed_on.content
