"""Imports: a few rows at a time, gone on with after an interruption, cancelled, deleted; and what is left of
a deleted study."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items import imports
from folkways_studio.items.import_runner import ImportWorker, run_import
from folkways_studio.items.imports import Import, ImportState
from folkways_studio.items.reading import FEWEST, checked_rows, import_items
from folkways_studio.items.service import list_items
from folkways_studio.people import participants
from folkways_studio.records import AssignmentState
from folkways_studio.studies import deletion as study_deletion
from folkways_studio.studies import service as studies
from folkways_studio.work import adjudications
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, StudyFixture, failing, open_study, stored
from tests.support.frozen_time import at_time

STAGES = [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}]
ROWS = 3 * FEWEST + 5
TABLE = "item,question,option_a,option_b\n" + "".join(f"q{n},What is {n}?,one,two\n" for n in range(ROWS))


def begun(study: StudyFixture, text: str = TABLE, file: str = "many.csv", **options: Any) -> Import:
    return imports.begin(
        study.workspace,
        study.record.id,
        "verify",
        file,
        population="korea",
        content=text.encode(),
        by=study.owner,
        **options,
    )


def state(study: StudyFixture, found: Import) -> Import:
    return imports.get_import(study.workspace, study.record.id, found.id)


def keys(study: StudyFixture) -> list[str]:
    return [item.key for item in list_items(study.workspace, study.record.id)]


def work_off(study: StudyFixture) -> None:
    background = ImportWorker(study.workspace)
    background.wake()
    background.wait(30)
    background.stop()


def for_some_rows(times: int) -> Callable[[], bool]:
    """True so many times."""
    left = iter([True] * times)
    return lambda: next(left, False)


def test_an_import_is_worked_off_and_its_items_are_like_any_others(study: StudyFixture) -> None:
    found = begun(study)
    assert (found.state, found.rows, found.added) == ("waiting", None, 0)
    work_off(study)
    done = state(study, found)
    assert (done.state, done.rows, done.added, done.error) == ("done", ROWS, ROWS, None)
    assert keys(study) == [f"q{n}" for n in range(ROWS)]
    slots = stored(study.workspace, schema.assignments)
    assert [(slot["slot"], slot["state"]) for slot in slots] == [(1, "open"), (2, "open")] * ROWS
    revisions = stored(study.workspace, schema.revisions)
    assert [each["content"]["question"] for each in revisions] == [f"What is {n}?" for n in range(ROWS)]
    assert study.work(study.person()).item.key == "q0"
    (event,) = (each for each in audit.events(study.workspace, study.record.id) if each.kind == "items.added")
    assert (event.account_id, event.details) == (
        study.owner,
        {"stage": "verify", "n": ROWS, "import": found.id},
    )


@ON_BOTH
def test_what_was_interrupted_goes_on_where_it_was(study: StudyFixture) -> None:
    begun(study)
    taken = imports.claim(study.workspace)
    assert taken is not None and imports.claim(study.workspace) is None  # nobody else takes it up meanwhile
    found, content = taken
    run_import(study.workspace, found, content, going=for_some_rows(1))
    there = len(keys(study))
    assert 0 < there < ROWS and state(study, found).state == "waiting"
    work_off(study)
    assert keys(study) == [f"q{n}" for n in range(ROWS)]
    assert (state(study, found).state, state(study, found).added) == ("done", ROWS)


QUESTIONS = [{"item": f"q{n}", "question": "What?", "option_a": "a", "option_b": "b"} for n in range(ROWS)]


@pytest.mark.parametrize("again", ["import", "server"])
@pytest.mark.parametrize("how", [KeyboardInterrupt, WorkspaceError, SystemExit])
def test_an_import_of_a_command_that_is_interrupted_leaves_nothing(
    study: StudyFixture, how: type[BaseException], again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, or, where the database or the machine failed, with the next import or a server."""

    def add(count: int = ROWS, at: float = 1000.0) -> None:
        at_time(
            at, import_items, study.workspace, study.record.id, "verify", QUESTIONS, population="korea",
            on_progress=lambda added, _: stop(added, count),
        )  # fmt: skip

    def stop(added: int, count: int) -> None:
        if added > count:
            raise how

    with monkeypatch.context() as patch:
        if how is SystemExit:  # nothing can be done any more

            def fail(*_: object, **__: object) -> None:
                raise WorkspaceError("the database has failed")

            patch.setattr(imports, "end", fail)
        with pytest.raises(how):
            add(5)
    (job,) = imports.list_imports(study.workspace, study.record.id)
    if how is SystemExit:
        assert (job.state, len(keys(study))) == ("running", job.added) and 0 < job.added < ROWS
        at_time(1000.0 + imports.STALE_SECONDS, imports.end_abandoned, study.workspace)
        assert state(study, job).state == "running", "it may still be at work"
    if again == "server":
        at_time(1001.0 + imports.STALE_SECONDS, ImportWorker(study.workspace).work)
        assert keys(study) == []
    else:
        add(at=1001.0 + imports.STALE_SECONDS)
        assert keys(study) == [f"q{n}" for n in range(ROWS)]
    assert (state(study, job).state, state(study, job).error) == ("failed", imports.INTERRUPTED)


@ON_BOTH
def test_what_a_killed_server_was_at_is_taken_up_by_the_next_and_never_by_both(study: StudyFixture) -> None:
    begun(study)
    first = at_time(1000.0, imports.claim, study.workspace)
    assert first is not None
    stage = studies.get_stage(study.workspace, study.record.id, "verify")
    new = checked_rows(study.workspace, study.record.id, "verify", QUESTIONS, population="korea")
    assert at_time(1001.0, imports.add_batch, study.workspace, first[0], stage, new[:4], rows=ROWS)
    assert at_time(1001.0 + imports.STALE_SECONDS, imports.claim, study.workspace) is None
    second = at_time(1002.0 + imports.STALE_SECONDS, imports.claim, study.workspace)
    assert second is not None and second[0].id == first[0].id
    assert not imports.add_batch(
        study.workspace, first[0], stage, new[4:8], rows=ROWS
    )  # it was not dead after all
    assert imports.end(study.workspace, first[0], ImportState.FAILED, error="too late").state == "running"
    run_import(study.workspace, *second)
    assert keys(study) == [f"q{n}" for n in range(ROWS)]


@ON_A_FILE
def test_an_import_goes_on_by_itself_once_the_database_does_and_says_nothing_of_it(
    study: StudyFixture, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "STALE_SECONDS", 0.4)
    found = begun(study)
    background = ImportWorker(study.workspace)
    with failing(study.workspace, schema.items, ROWS // 2):
        background.start()
        background.wait(30)
        halfway = state(study, found)
        assert (halfway.state, halfway.error, halfway.added < ROWS) == ("running", None, True)
    assert "could not do the background work: cannot write to the workspace" in caplog.messages[0]
    assert not any(each.exc_info for each in caplog.records), "a traceback has what is in the rows"
    deadline = time.monotonic() + 30
    while state(study, found).state == "running" and time.monotonic() < deadline:
        time.sleep(0.05)
    background.stop()
    assert (state(study, found).state, keys(study)) == ("done", [f"q{n}" for n in range(ROWS)])


def test_a_wrong_row_keeps_all_out_and_is_named(study: StudyFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    found = begun(study, TABLE + "q1,Again?,a,b\nq99,,a,b\n")
    work_off(study)
    ended = state(study, found)
    assert (ended.state, ended.error, ended.added) == ("failed", "2 rows cannot be used", 0)
    assert [row for row, _ in ended.problems] == [ROWS + 1, ROWS + 2] and "already" in ended.problems[0][1]
    assert keys(study) == []
    monkeypatch.setattr(imports, "MOST_PROBLEMS", 1)
    found = begun(study, TABLE + "q1,Again?,a,b\nq99,,a,b\n")
    work_off(study)
    ended = state(study, found)
    assert (ended.error, len(ended.problems)) == ("2 rows cannot be used; the first 1 of them are named", 1)
    broken = begun(study, "{", file="mine.json")
    work_off(study)
    assert "mine.json: is not valid JSON" in str(state(study, broken).error)


@ON_BOTH
def test_a_key_that_came_in_between_undoes_the_import(study: StudyFixture) -> None:
    begun(study)
    taken = imports.claim(study.workspace)
    assert taken is not None

    def going() -> bool:
        if len(keys(study)) == 25:
            with study.workspace.write() as connection:
                last = {**stored(study.workspace, schema.items, "id", "job_id")[0], "key": f"q{ROWS - 1}"}
                connection.execute(sa.insert(schema.items).values(last))
        return True

    run_import(study.workspace, *taken, going=going)
    ended = state(study, taken[0])
    assert ended.state == "failed" and f"there is an item 'q{ROWS - 1}'" in str(ended.error)
    assert keys(study) == [f"q{ROWS - 1}"]


@ON_BOTH
def test_a_cancelled_import_stops_and_what_it_added_can_be_deleted_but_for_what_is_begun(
    study: StudyFixture,
) -> None:
    begun(study)
    taken = imports.claim(study.workspace)
    assert taken is not None
    found, content = taken
    with pytest.raises(ConflictError, match="cancel it first"):
        imports.delete_import(study.workspace, study.record.id, found.id)

    def going() -> bool:
        if keys(study):
            imports.cancel(study.workspace, study.record.id, found.id, by=study.owner)
        return True

    run_import(study.workspace, found, content, going=going)
    there = len(keys(study))
    assert 0 < there < ROWS and (state(study, found).state, state(study, found).added) == ("cancelled", there)
    with pytest.raises(ConflictError, match="over"):
        imports.cancel(study.workspace, study.record.id, found.id)
    study.answer(study.person(), {"choices": [0]})
    study.answer(other := study.person(), {"choices": [0]})
    study.work(other)
    assert imports.remaining_items(study.workspace, study.record.id, found.id) == imports.RemainingItems(
        there - 2, 2
    )
    imports.delete_import(study.workspace, study.record.id, found.id, by=study.owner)
    work_off(study)
    assert keys(study) == ["q0", "q1"] and state(study, found).deleted == there - 2
    assert {slot["item_id"] for slot in stored(study.workspace, schema.assignments)} == {
        item["id"] for item in stored(study.workspace, schema.items)
    }
    event, *_ = audit.events(study.workspace, study.record.id)
    told = {"stage": "verify", "n": there - 2, "kept": 2, "import": found.id}
    assert (event.kind, event.account_id, event.details) == ("items.deleted", study.owner, told)
    again = begun(study, "item,question,option_a,option_b\nq5,What?,a,b\n")  # its key is free again
    work_off(study)
    assert state(study, again).state == "done"


@ON_BOTH
def test_nothing_of_a_deleted_study_is_left_but_what_the_trail_names(study: StudyFixture) -> None:
    workspace, record = study.workspace, study.record
    other = open_study(
        workspace, [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}], name="other"
    )
    other.add("verify", [{"question": "What?", "options": ["a", "b"]}])
    other.answer(other.person(), {"choices": [0]})
    begun(study)
    work_off(study)
    person = study.person()
    study.answer(person, {"choices": [0]})
    held = study.work(person)
    with pytest.raises(SubmissionError, match="not the name"):
        study_deletion.delete_study(workspace, record.id, "Test-Study", by=study.owner)
    before = {table.name: len(stored(workspace, table)) for table in (schema.events, schema.participants)}
    study_deletion.delete_study(workspace, record.id, "test-study", by=study.owner)
    with pytest.raises(NotFoundError):
        studies.get_study(workspace, record.id)
    assert [each.name for each in studies.list_studies(workspace)] == ["other"]
    assert study.nothing(person) == "not_active"
    with pytest.raises(ConflictError, match="closed"):
        study.submit(person, held, {"choices": [0]})
    work_off(study)
    for name in ("items", "stages", "populations", "jobs", "roles", "invites", "descriptions"):
        left = {row["study_id"] for row in stored(workspace, getattr(schema, name))}
        assert left <= {other.record.id}, name
    kept = [row["item_id"] for row in stored(workspace, schema.assignments, state=AssignmentState.DONE)]
    assert len(kept) == 1 == len(stored(workspace, schema.judgements))
    assert len(stored(workspace, schema.participants)) == before["studio_participants"]
    assert len(stored(workspace, schema.events)) == before["studio_events"] + 1
    assert open_study(
        workspace, [{"name": "verify", "kind": "vote"}], name="test-study2"
    ).record.id  # and the name is free
    event = next(each for each in stored(workspace, schema.events) if each["kind"] == "study.deleted")
    assert (event["account_id"], event["details"]) == (study.owner, {"name": "test-study"}) and event[
        "at"
    ] <= time.time()


def _leased(study: StudyFixture, item: int) -> None:
    study.work(study.person())


def _answered(study: StudyFixture, item: int) -> None:
    study.answer(study.person(), {"choices": [0]})


def _answered_by_one_who_left(study: StudyFixture, item: int) -> None:
    study.answer(person := study.person(), {"choices": [0]})
    participants.withdraw(study.workspace, study.record.id, person.id)


def _returned(study: StudyFixture, item: int) -> None:
    study.work(person := study.person())
    participants.finish(study.workspace, person.id)


def _decided(study: StudyFixture, item: int) -> None:
    adjudications.drop(study.workspace, study.record.id, item, study.owner, "about no culture")


def _derived(study: StudyFixture, item: int) -> None:
    with study.workspace.write() as connection:
        child = {
            **stored(study.workspace, schema.items, "id", "job_id", id=item)[0],
            "key": "child",
            "parent_id": item,
        }
        connection.execute(sa.insert(schema.items).values(child))


USES = {
    "untouched": (lambda study, item: None, False),
    "leased": (_leased, True),
    "given back": (_returned, False),
    "answered": (_answered, True),
    "answered by one who left": (_answered_by_one_who_left, True),
    "decided": (_decided, True),
    "derived from": (_derived, True),
}
"""What became of an item, and whether it stays when its import goes."""


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("end", ["deleted", "failed"])
def test_what_an_import_leaves_behind_when_it_goes(study: StudyFixture, use: str, end: str) -> None:
    """The first of its two items is used in one way; an item of another import stays whatever happens."""
    about = study.workspace, study.record.id
    stage = studies.get_stage(*about, "verify")
    rows = [{"item": f"q{n}", "question": "What?", "option_a": "a", "option_b": "b"} for n in range(3)]
    new = checked_rows(*about, "verify", rows, population="korea")
    job, other = (imports.begin(*about, "verify", "a.csv", by=study.owner) for _ in range(2))
    assert imports.add_batch(study.workspace, job, stage, new[:2], rows=2)
    assert imports.add_batch(study.workspace, other, stage, new[2:], rows=1)
    act, stays = USES[use]
    act(study, stored(study.workspace, schema.items)[0]["id"])
    assert imports.remaining_items(*about, job.id) == imports.RemainingItems(2 - stays, int(stays))
    if end == "failed":
        imports.end(study.workspace, job, ImportState.FAILED, error="a row is wrong")
    else:
        imports.end(study.workspace, job, ImportState.DONE)
        imports.delete_import(*about, job.id, by=study.owner)
        imports.finish_deletions(study.workspace)
    left = state(study, job)
    assert (left.state, left.added, left.deleted) == (end, 2, 2 - stays)
    assert keys(study) == ["q0"] * stays + ["q2"] + ["child"] * (use == "derived from")
    assert imports.remaining_items(*about, job.id) == imports.RemainingItems(0, int(stays))
    assert imports.remaining_items(*about, other.id).unused == 1
    there = {row["id"] for row in stored(study.workspace, schema.items)}
    for table in (schema.assignments, schema.revisions, schema.judgements, schema.adjudications):
        assert {row["item_id"] for row in stored(study.workspace, table)} <= there, table.name
