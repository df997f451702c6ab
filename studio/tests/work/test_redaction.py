"""Words that say who somebody is go from an answer and from all that was made of it, and the trail does not
hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from folkways.workspace import schema as kept
from folkways.workspace.database import Workspace, WorkspaceError
from folkways_studio.database import schema
from folkways_studio.database.audit import events
from folkways_studio.database.backups import ALL_TABLES
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.exports import FORMATS
from folkways_studio.exports.archive import export_files
from folkways_studio.models import redteaming
from folkways_studio.records import Participant, Role
from folkways_studio.studies import service as studies
from folkways_studio.work import corrections, drafts, judgements, redaction
from studio.tests.models.test_redteaming import STAGES as RED_TEAMING
from studio.tests.models.test_redteaming import offered_by
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, QUESTION, StudyFixture, open_study, stored
from tests.support.chat_server import ChatServer

SECRET = "Kim Min-su of 12 Jongno"


def everything(workspace: Workspace) -> str:
    """All that the workspace holds, in one text."""
    with workspace.read() as connection:
        return "\n".join(
            str(tuple(row)) for table in ALL_TABLES for row in connection.execute(sa.select(table))
        )


def exported(study: StudyFixture) -> str:
    """Every format that can be read as text."""
    texts = []
    for format in set(FORMATS) - {"parquet", "xlsx", "spacy", "conll"}:
        texts += [
            content.decode("utf-8", "replace")
            for content in export_files(study.workspace, study.record.id, format).values()
        ]
    return "\n".join(texts)


def said(
    study: StudyFixture, person: Participant, submission: Mapping[str, Any], stage: str | None = None
) -> int:
    """The number of the judgement that this person makes."""
    return study.submit(person, study.work(person, stage), submission).judgement.id


def test_a_comment_is_redacted_and_the_vote_stays(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}])
    (item,) = study.add("verify", [QUESTION])
    number = said(study, study.person(), {"choices": [1], "comment": SECRET})
    said(study, study.person(), {"choices": [1], "comment": "as at home"})
    assert SECRET in exported(study)
    found = redaction.redact(study.workspace, study.record.id, number, by=study.owner)
    assert found.payload == {"choices": [1], "abstain": None, "comment": "[redacted]"}
    assert SECRET not in everything(study.workspace)
    assert SECRET not in exported(study) and "as at home" in exported(study)
    told = events(study.workspace, study.record.id)[0]
    assert (told.kind, told.account_id, told.subject) == (
        "answer.redacted",
        study.owner,
        f"judgement:{number}",
    )
    assert told.details == {"fields": ["comment"], "item": item}
    with pytest.raises(ConflictError, match="nothing left"):
        redaction.redact(study.workspace, study.record.id, number)


def test_short_answers_go_with_what_reviewers_made_of_them_but_not_those_of_others(
    studio_workspace: Workspace,
) -> None:
    stages = [
        {"name": "answer", "kind": "short_answers", "answers": 2, "next": {"done": "group"}},
        {"name": "group", "kind": "group_answers", "role": "reviewer"},
    ]
    study = open_study(studio_workspace, stages)
    study.add(
        "answer", [{"local": "누구와 먹나요?", "english": "Who do people eat with?", "category": "Food"}]
    )
    number = said(study, study.person(), {"answers": [SECRET, "family"]})
    said(study, study.person(), {"answers": ["family"]})
    reviewer = study.person(role=Role.REVIEWER)
    work = study.work(reviewer)
    drafts.save_draft(study.workspace, reviewer.id, work.assignment.id, {"invalid": [SECRET]}, 0)
    groups = [{"answers": [each], "en_answers": [each]} for each in (SECRET, "family")]
    study.submit(reviewer, work, {"groups": groups, "invalid": []})
    redaction.redact(study.workspace, study.record.id, number, ["answers"], by=study.owner)
    assert SECRET not in everything(study.workspace)
    release = export_files(study.workspace, study.record.id)
    text = b"".join(release.values()).decode()
    assert SECRET not in text and "family" in text
    assert '"annotations":{"family":1}' in text.replace(" ", "").replace("\n", ""), (
        "what stands in its place is no answer"
    )
    copied = [event for event in events(study.workspace, study.record.id) if event.kind == "answer.redacted"]
    assert len(copied) == 2, "the answer, and what the reviewer made of it"


@ON_BOTH
def test_a_question_goes_with_every_step_of_it_and_what_models_were_asked(
    studio_workspace: Workspace,
) -> None:
    with ChatServer(mode="letter") as server:
        offered = offered_by(server)
        study = open_study(studio_workspace, RED_TEAMING, models={"verifier": "verifier"}, offered=offered)
        author = study.person()
        work = study.work(author)
        steps = (study.workspace, author.id, work.assignment.id)
        scenario, question = f"{SECRET} comes by with an envelope.", f"What does {SECRET} bring?"
        redteaming.write_scenario(*steps, scenario)
        redteaming.edit(*steps, question, ["tea", "rice", "soup", "salt"], [0])
        redteaming.challenge(*steps, offered)
    whole = {
        "scenario": scenario,
        "question": question,
        "options": ["tea", "rice", "soup", "salt"],
        "intended": [0],
    }
    number = study.submit(author, work, whole).judgement.id
    reviewer = study.person(role=Role.RESEARCHER)
    said(study, reviewer, {"decision": "keep", "question": question.replace("bring", "carry")})
    voter = study.person()
    said(study, voter, {"choices": [0], "comment": "tea"}, "verify")
    redaction.redact(study.workspace, study.record.id, number, ["scenario", "question"], by=study.owner)
    left = everything(study.workspace)
    assert scenario not in left and question not in left
    # The reviewer mended the wording: those are other words, and theirs to be redacted.
    (mended,) = (each for each in judged(study) if each.payload.get("decision") == "keep")
    redaction.redact(study.workspace, study.record.id, mended.id, by=study.owner)
    assert SECRET not in everything(study.workspace)
    with study.workspace.read() as connection:
        assert set(connection.scalars(sa.select(schema.items.c.state))) == {"dropped"}


def judged(study: StudyFixture) -> list[Any]:
    with study.workspace.read() as connection:
        return list(connection.execute(sa.select(schema.judgements).order_by(schema.judgements.c.id)))


@ON_BOTH
def test_why_an_item_was_dropped_is_no_part_of_the_trail(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "review", "kind": "review", "role": "researcher"}])
    study.add("review", [QUESTION])
    number = said(
        study, study.person(role=Role.RESEARCHER), {"decision": "drop", "reason": f"names {SECRET}"}
    )
    assert all(SECRET not in str(event.details) for event in events(study.workspace, study.record.id))
    redaction.redact(study.workspace, study.record.id, number, ["reason"])
    assert SECRET not in everything(study.workspace)


def test_what_cannot_be_redacted_is_said(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    other = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], name="another")
    study.add("verify", [QUESTION])
    number = said(study, study.person(), {"choices": [1], "comment": "mine"})
    with pytest.raises(SubmissionError, match="choices holds no words of a person; valid: comment"):
        redaction.redact(study.workspace, study.record.id, number, ["choices"])
    for study_id, judgement in ((other.record.id, number), (study.record.id, number + 1)):
        with pytest.raises(NotFoundError):
            redaction.redact(study.workspace, study_id, judgement)
    with pytest.raises(WorkspaceError, match="added but not changed"), study.workspace.write() as connection:
        connection.execute(sa.update(schema.judgements).values(payload={}))
    assert (
        judgements.list_judgements(study.workspace, study.record.id, judged(study)[0].item_id)[0].payload[
            "comment"
        ]
        == "mine"
    )


def seed(study: StudyFixture, name: str, text: str, author: Participant, parent: int | None = None) -> int:
    """An item with this text in every row that may hold a copy of what somebody said about it; returns its
    number."""
    workspace, stage = study.workspace, studies.get_stage(study.workspace, study.record.id, "verify")
    with workspace.write() as connection:

        def add(table: sa.Table, **values: Any) -> Any:
            (number, *_) = connection.execute(sa.insert(table).values(**values)).inserted_primary_key or ()
            return number

        item = add(
            schema.items,
            study_id=study.record.id,
            stage_id=stage.id,
            parent_id=parent,
            key=name,
            round=1,
            created=0.0,
            content={"question": text, "options": ["x", f"not {text}"]},
            state="open",
            result={"said": [text]},
            reason=f"as {text} says",
        )
        slot = add(
            schema.assignments,
            item_id=item,
            stage_id=stage.id,
            slot=1,
            participant_id=author.id,
            state="done",
        )
        add(schema.assignments, item_id=item, stage_id=stage.id, slot=2, state="open")
        add(
            schema.judgements,
            assignment_id=slot,
            item_id=item,
            stage_id=stage.id,
            participant_id=author.id,
            key=name,
            created=0.0,
            payload={"comment": text, "abstain": text if parent else None},
        )
        add(schema.revisions, item_id=item, number=1, step="placed", content={"question": text}, created=0.0)
        add(
            schema.drafts,
            item_id=item,
            participant_id=author.id,
            revision=1,
            payload={"comment": text},
            saved=0.0,
        )
        add(
            schema.adjudications,
            item_id=item,
            account_id=study.owner,
            decision={"note": text},
            reason=text,
            created=0.0,
        )
        add(
            schema.model_calls,
            study_id=study.record.id,
            item_id=item,
            purpose="helper",
            endpoint="m",
            run=f"run-{name}",
            prompt=f"About {text}",
            reply=text,
            problem=text,
            read={"text": text},
            created=0.0,
        )
        endpoint = add(kept.endpoints, name=name, identity=name)
        settings = add(kept.settings, json=name)
        add(kept.prompts, prompt_hash=f"p-{name}", user=f"About {text}")
        add(
            kept.responses,
            key=f"r-{name}",
            endpoint_id=endpoint,
            prompt_hash=f"p-{name}",
            settings_id=settings,
            sample=0,
            text=text,
            refusal=text,
            seconds=0.0,
            attempts=1,
            created=0.0,
        )
        run = add(
            kept.runs,
            name=f"run-{name}",
            config_hash="",
            config="",
            version="",
            state="finished",
            created=0.0,
        )
        add(
            kept.expected,
            run_id=run,
            ordinal=0,
            endpoint_id=endpoint,
            task="t",
            item="i",
            language="en",
            variant="",
            sample=0,
            key=f"r-{name}",
            prompt_hash=f"p-{name}",
            prompt_source="",
            settings_id=settings,
        )
    return int(item)


@ON_A_FILE
def test_words_go_from_every_row_of_an_item_and_what_descends_from_it_and_from_no_other(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    workspace = studio_workspace
    first, second = study.person(), study.person()
    item = seed(study, "item", SECRET, first)
    child = seed(study, "child", SECRET, second, item)
    grandchild = seed(study, "grandchild", SECRET, first, child)
    seed(study, "sibling", SECRET, first)

    def rows() -> dict[str, list[dict[str, Any]]]:
        left_out = ("studio_events",)
        return {table.name: stored(workspace, table) for table in ALL_TABLES if table.name not in left_out}

    before = rows()
    (judgement,) = (row["id"] for row in before["studio_judgements"] if row["item_id"] == item)
    redaction.redact(workspace, study.record.id, judgement, by=study.owner)
    after = rows()
    family = {item, child, grandchild}
    names = {"item", "child", "grandchild"}
    changed = 0
    for table, old in before.items():
        for was, found in zip(old, after[table], strict=True):
            of = was.get("item_id", was["id"] if table == "studio_items" else None)
            ours = of in family or str(was.get("prompt_hash", "")).removeprefix("p-") in names
            expected = scrubbed(was) if ours else was
            if table == "studio_judgements" and ours:
                expected = {
                    **was,
                    "payload": {**was["payload"], "comment": "[redacted]"},
                }  # a label is none of their words
            assert found == expected, table
            changed += found != was
    told = stored(workspace, schema.events, kind="answer.redacted")
    assert [(row["account_id"], row["subject"], row["details"]) for row in told] == [
        (study.owner, f"judgement:{judgement}", {"fields": ["comment"], "item": item}),
        (study.owner, f"judgement:{judgement + 1}", {"copied_from": item}),
        (study.owner, f"judgement:{judgement + 2}", {"copied_from": item}),
    ]
    assert changed == 3 * 8, (
        "of each item eight rows: itself, judgement, revision, draft, decision, call, prompt, reply"
    )


def scrubbed(value: Any) -> Any:
    """Naively: the words go from every text."""
    if isinstance(value, dict):
        return {name: scrubbed(each) for name, each in value.items()}
    if isinstance(value, list):
        return [scrubbed(each) for each in value]
    return value.replace(SECRET, "[redacted]") if isinstance(value, str) else value


@ON_A_FILE
def test_short_words_go_only_where_they_stand_alone(studio_workspace: Workspace) -> None:
    """Seven characters may be part of anything, eight are looked for inside other texts; the longest
    first."""
    stages = [
        {"name": "answer", "kind": "short_answers", "answers": 1, "next": {"done": "group"}},
        {"name": "group", "kind": "group_answers", "role": "reviewer"},
    ]
    study = open_study(studio_workspace, stages)
    study.add("answer", [{"local": "?", "english": "?", "category": "seventy"}])
    number = said(study, study.person(), {"answers": ["seventy", "eighty-8", "eighty-8 and more"]})
    (item,) = stored(studio_workspace, schema.items, stage_id=2)
    texts = ["seventy", "seventy times", "of eighty-8 people", "eighty-8 and more, eighty-8", "eighty"]
    with studio_workspace.write() as connection:
        content = {
            **item["content"],
            "notes": [*texts, 7, None],
            "idks": {"eighty-8": 2, "idk": 1},
            "seventy": {"eighty-8": True},
        }
        connection.execute(sa.update(schema.items).filter_by(id=item["id"]).values(content=content))
    redaction.redact(studio_workspace, study.record.id, number, ["answers"])
    (found,) = stored(studio_workspace, schema.items, stage_id=2)
    whole = "[redacted]"
    assert found["content"]["notes"] == [
        whole,
        "seventy times",
        f"of {whole} people",
        f"{whole}, {whole}",
        "eighty",
        7,
        None,
    ]
    assert found["content"]["idks"] == {whole: 2, "idk": 1}
    assert found["content"]["seventy"] == {"eighty-8": True}, "names of fields are none of their words"


@ON_BOTH
def test_of_two_redactions_at_once_neither_brings_the_words_of_the_other_back(
    studio_workspace: Workspace,
) -> None:
    """On PostgreSQL the second is through when the first has looked at the answer and waits for its item."""
    study = open_study(studio_workspace, [{"name": "write", "kind": "write_question", "quota": 9}])
    number = said(
        study,
        study.person(),
        {
            **QUESTION,
            "scenario": "Lee Ha-neul of 9 Jongno eats. What then?",
            "question": SECRET,
            "intended": [1],
        },
    )
    waiting = ["question"]

    def meanwhile(_: sa.Connection, statement: sa.Executable, *rest: object) -> None:
        compiled = str(statement.compile(dialect=postgresql.dialect())) if waiting else ""
        if "FROM studio_items" in compiled and "FOR " in compiled:
            redaction.redact(studio_workspace, study.record.id, number, [waiting.pop()])

    if studio_workspace.engine.dialect.name == "postgresql":
        sa.event.listen(studio_workspace.engine, "before_execute", meanwhile)
    else:  # one waits there for the other from its beginning
        redaction.redact(studio_workspace, study.record.id, number, [waiting.pop()])
    try:
        redaction.redact(studio_workspace, study.record.id, number, ["scenario"])
    finally:
        if studio_workspace.engine.dialect.name == "postgresql":
            sa.event.remove(studio_workspace.engine, "before_execute", meanwhile)
    assert not waiting
    assert SECRET not in everything(studio_workspace) and "Lee Ha-neul" not in everything(studio_workspace)


@ON_A_FILE
@pytest.mark.parametrize("corrected", [False, True])
def test_what_another_says_in_the_same_words_stays_until_it_is_redacted_too(
    studio_workspace: Workspace, corrected: bool
) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote", "answers": 3, "majority": 3}])
    study.add("verify", [QUESTION] * 2)
    people = [study.person() for _ in range(2)]
    answer = {"choices": [1], "comment": SECRET}
    first = said(study, people[0], answer)
    work = study.work(people[1])
    second = study.submit(
        people[1], work, {**answer, "comment": "nothing"} if corrected else answer
    ).judgement.id
    if corrected:
        corrections.correct(studio_workspace, people[1].id, work.assignment.id, answer, "again")
    said(study, people[0], {"choices": [1], "comment": "of another item"})
    with studio_workspace.write() as connection:
        connection.execute(sa.update(schema.items).values(reason=f"{SECRET} of another item"))

    def reasons() -> list[str]:
        return [row["reason"] for row in stored(studio_workspace, schema.items)]

    redaction.redact(studio_workspace, study.record.id, first)
    assert reasons() == [f"{SECRET} of another item"] * 2
    redaction.redact(studio_workspace, study.record.id, second)
    assert reasons() == ["[redacted] of another item", f"{SECRET} of another item"]
    comments = [row["payload"]["comment"] for row in stored(studio_workspace, schema.judgements)]
    assert comments == ["[redacted]", "[redacted]", "of another item"]
    assert SECRET not in str(stored(studio_workspace, schema.corrections))


@ON_A_FILE
def test_what_an_author_wrote_is_dropped_with_all_that_descends_from_it(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, RED_TEAMING)
    written = {
        "scenario": f"{SECRET} comes by.",
        "question": "What then?",
        "options": ["a", "b", "c", "d"],
        "intended": [0],
    }
    numbers = [said(study, study.person(), written) for _ in range(2)]
    redaction.redact(studio_workspace, study.record.id, numbers[0], ["scenario"])
    rows = stored(studio_workspace, schema.items)
    gone = {"state": "dropped", "result": None, "reason": "its words were redacted"}
    assert [{name: row[name] for name in gone} == gone for row in rows] == [True, True, False, False]
    slots = [(row["item_id"], row["state"]) for row in stored(studio_workspace, schema.assignments)]
    assert slots == [
        (rows[0]["id"], "done"),
        (rows[1]["id"], "closed"),
        (rows[2]["id"], "done"),
        (rows[3]["id"], "open"),
    ]
    payloads = [row["payload"] for row in stored(studio_workspace, schema.judgements)]
    assert (payloads[0]["scenario"], payloads[0]["question"], payloads[1]["scenario"]) == (
        "[redacted]", "What then?", f"{SECRET} comes by.",
    )  # fmt: skip
