"""Words that say who somebody is go from an answer and from all that was made of it, and the trail does not hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.studio import schema
from folkways.studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways.studio.exports.make import FORMATS, export_files
from folkways.studio.records import Participant, Role
from folkways.studio.services import drafts, judgements, redaction, redteaming
from folkways.studio.services.audit import events
from folkways.workspace.database import Workspace, WorkspaceError
from folkways.workspace.schema import metadata
from tests.studio.services.test_redteaming import STAGES as RED_TEAMING
from tests.studio.services.test_redteaming import offered_by
from tests.support.chat_server import ChatServer
from tests.support.studies import QUESTION, Desk, open_desk

SECRET = "Kim Min-su of 12 Jongno"


def everything(workspace: Workspace) -> str:
    """All that the workspace holds, in one text."""
    with workspace.read() as connection:
        return "\n".join(str(tuple(row)) for table in metadata.sorted_tables for row in connection.execute(sa.select(table)))


def exported(desk: Desk) -> str:
    """Every format that can be read as text."""
    texts = []
    for format in set(FORMATS) - {"parquet", "xlsx"}:
        texts += [content.decode("utf-8", "replace") for content in export_files(desk.workspace, desk.study.id, format).values()]
    return "\n".join(texts)


def said(desk: Desk, person: Participant, submission: Mapping[str, Any], stage: str | None = None) -> int:
    """The number of the judgement that this person makes."""
    return desk.submit(person, desk.work(person, stage), submission).judgement.id


def test_a_comment_is_redacted_and_the_vote_stays(studio_workspace: Workspace) -> None:
    desk = open_desk(studio_workspace, [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}])
    (item,) = desk.add("verify", [QUESTION])
    number = said(desk, desk.person(), {"choices": [1], "comment": SECRET})
    said(desk, desk.person(), {"choices": [1], "comment": "as at home"})
    assert SECRET in exported(desk)
    found = redaction.redact(desk.workspace, desk.study.id, number, by=desk.owner)
    assert found.payload == {"choices": [1], "abstain": None, "comment": "[redacted]"}
    assert SECRET not in everything(desk.workspace)
    assert SECRET not in exported(desk) and "as at home" in exported(desk)
    told = events(desk.workspace, desk.study.id)[0]
    assert (told.kind, told.account_id, told.subject) == ("answer.redacted", desk.owner, f"judgement:{number}")
    assert told.details == {"fields": ["comment"], "item": item}
    with pytest.raises(ConflictError, match="nothing left"):
        redaction.redact(desk.workspace, desk.study.id, number)


def test_short_answers_go_with_what_reviewers_made_of_them_but_not_those_of_others(studio_workspace: Workspace) -> None:
    stages = [
        {"name": "answer", "kind": "short_answers", "answers": 2, "next": {"done": "group"}},
        {"name": "group", "kind": "group_answers", "role": "reviewer"},
    ]
    desk = open_desk(studio_workspace, stages)
    desk.add("answer", [{"local": "누구와 먹나요?", "english": "Who do people eat with?", "category": "Food"}])
    number = said(desk, desk.person(), {"answers": [SECRET, "family"]})
    said(desk, desk.person(), {"answers": ["family"]})
    reviewer = desk.person(role=Role.REVIEWER)
    work = desk.work(reviewer)
    drafts.save_draft(desk.workspace, reviewer.id, work.assignment.id, {"invalid": [SECRET]}, 0)
    groups = [{"answers": [each], "en_answers": [each]} for each in (SECRET, "family")]
    desk.submit(reviewer, work, {"groups": groups, "invalid": []})
    redaction.redact(desk.workspace, desk.study.id, number, ["answers"], by=desk.owner)
    assert SECRET not in everything(desk.workspace)
    release = export_files(desk.workspace, desk.study.id)
    text = b"".join(release.values()).decode()
    assert SECRET not in text and "family" in text
    assert '"annotations":{"family":1}' in text.replace(" ", "").replace("\n", ""), "what stands in its place is no answer"
    copied = [event for event in events(desk.workspace, desk.study.id) if event.kind == "answer.redacted"]
    assert len(copied) == 2, "the answer, and what the reviewer made of it"


def test_a_question_goes_with_every_step_of_it_and_what_models_were_asked(studio_workspace: Workspace) -> None:
    with ChatServer(mode="letter") as server:
        offered = offered_by(server)
        desk = open_desk(studio_workspace, RED_TEAMING, models={"verifier": "verifier"}, offered=offered)
        author = desk.person()
        work = desk.work(author)
        steps = (desk.workspace, author.id, work.assignment.id)
        scenario, question = f"{SECRET} comes by with an envelope.", f"What does {SECRET} bring?"
        redteaming.write_scenario(*steps, scenario)
        redteaming.edit(*steps, question, ["tea", "rice", "soup", "salt"], [0])
        redteaming.challenge(*steps, offered)
    whole = {"scenario": scenario, "question": question, "options": ["tea", "rice", "soup", "salt"], "intended": [0]}
    number = desk.submit(author, work, whole).judgement.id
    reviewer = desk.person(role=Role.RESEARCHER)
    said(desk, reviewer, {"decision": "keep", "question": question.replace("bring", "carry")})
    voter = desk.person()
    said(desk, voter, {"choices": [0], "comment": "tea"}, "verify")
    redaction.redact(desk.workspace, desk.study.id, number, ["scenario", "question"], by=desk.owner)
    left = everything(desk.workspace)
    assert scenario not in left and question not in left
    # The reviewer mended the wording: those are other words, and theirs to be redacted.
    (mended,) = (each for each in judged(desk) if each.payload.get("decision") == "keep")
    redaction.redact(desk.workspace, desk.study.id, mended.id, by=desk.owner)
    assert SECRET not in everything(desk.workspace)
    with desk.workspace.read() as connection:
        assert set(connection.scalars(sa.select(schema.items.c.state))) == {"dropped"}


def judged(desk: Desk) -> list[Any]:
    with desk.workspace.read() as connection:
        return list(connection.execute(sa.select(schema.judgements).order_by(schema.judgements.c.id)))


def test_why_an_item_was_dropped_is_no_part_of_the_trail(studio_workspace: Workspace) -> None:
    desk = open_desk(studio_workspace, [{"name": "review", "kind": "review", "role": "researcher"}])
    desk.add("review", [QUESTION])
    number = said(desk, desk.person(role=Role.RESEARCHER), {"decision": "drop", "reason": f"names {SECRET}"})
    assert all(SECRET not in str(event.details) for event in events(desk.workspace, desk.study.id))
    redaction.redact(desk.workspace, desk.study.id, number, ["reason"])
    assert SECRET not in everything(desk.workspace)


def test_what_cannot_be_redacted_is_said(studio_workspace: Workspace) -> None:
    desk = open_desk(studio_workspace, [{"name": "verify", "kind": "vote"}])
    other = open_desk(studio_workspace, [{"name": "verify", "kind": "vote"}], name="another")
    desk.add("verify", [QUESTION])
    number = said(desk, desk.person(), {"choices": [1], "comment": "mine"})
    with pytest.raises(SubmissionError, match="choices holds no words of a person; valid: comment"):
        redaction.redact(desk.workspace, desk.study.id, number, ["choices"])
    for study, judgement in ((other.study.id, number), (desk.study.id, number + 1)):
        with pytest.raises(NotFoundError):
            redaction.redact(desk.workspace, study, judgement)
    with pytest.raises(WorkspaceError, match="added but not changed"), desk.workspace.write() as connection:
        connection.execute(sa.update(schema.judgements).values(payload={}))
    assert judgements.list_judgements(desk.workspace, desk.study.id, judged(desk)[0].item_id)[0].payload["comment"] == "mine"
