"""Two people do two things to one study at once. Whatever is decided is decided by what is so when it is stored,
not by what was read before: ``overtaken`` has the other one do theirs in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import sqlalchemy as sa
import yaml

from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database import schema
from folkways_studio.database.deletion import AT_ONCE
from folkways_studio.database.schema import metadata
from folkways_studio.errors import ConflictError, NotAllowedError, NotFoundError, StudioError, SubmissionError
from folkways_studio.exports.archive import export_files
from folkways_studio.items import discussion, imports, table
from folkways_studio.items.imports import ImportState
from folkways_studio.items.preannotations import NewPreAnnotation, add_suggestions
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.media.reading import MediaError
from folkways_studio.media.service import add_media, delete_media, find_media, read_bytes
from folkways_studio.media.stores import Folder
from folkways_studio.people import accounts, invites, participants
from folkways_studio.programs import ml_backends, tokens, webhooks
from folkways_studio.records import Role, StudyState
from folkways_studio.studies import deletion, descriptions
from folkways_studio.studies import service as studies
from folkways_studio.work.assignees import assign
from folkways_studio.work.assignments import ClaimedSlot, NoWork, claim_slot
from folkways_studio.work.judgements import submit
from studio.tests.support.studies import (
    ON_A_FILE,
    ON_BOTH,
    PASSWORD,
    QUESTION,
    StudyFixture,
    described,
    open_study,
    stored,
)
from tests.support.overtaking import overtaken

STAGES: list[dict[str, Any]] = [
    {"name": "verify", "kind": "vote"},
    {"name": "look", "kind": "form", "show": [{"field": "shot", "type": "image"}],
     "ask": [{"key": "seen", "type": "text", "label": "What?"}]},
    {"name": "talk", "kind": "vote"},
]  # fmt: skip
POPULATIONS = [{"name": "korea", "culture": "KR"}, {"name": "wales", "culture": "GB"}]


def edit(study: StudyFixture, stages: list[dict[str, Any]], **changes: Any) -> None:
    text = yaml.safe_dump(described(stages, **{"populations": POPULATIONS, **changes}))
    descriptions.edit_study(study.workspace, study.record.id, text)


def delete(study: StudyFixture) -> None:
    deletion.delete_study(study.workspace, study.record.id, study.record.name)
    deletion.finish_deletions(study.workspace)


@ON_BOTH
def test_a_study_that_was_closed_meanwhile_is_not_paused(study: StudyFixture) -> None:
    number = study.record.id
    words = "a study that is closed cannot become paused"

    def close() -> None:
        studies.set_state(study.workspace, number, StudyState.CLOSED)

    with overtaken(study.workspace, close), pytest.raises(ConflictError, match=words):
        studies.set_state(study.workspace, number, StudyState.PAUSED)
    assert studies.get_study(study.workspace, number).state == StudyState.CLOSED


@ON_BOTH
def test_of_two_owners_who_take_each_others_role_away_one_stays(study: StudyFixture) -> None:
    workspace, number = study.workspace, study.record.id
    other = accounts.create_account(workspace, "other@example.org", None)
    accounts.give_role(workspace, number, other.id, Role.OWNER)

    def take() -> None:
        accounts.take_role(workspace, number, other.id, Role.OWNER)

    with overtaken(workspace, take), pytest.raises(NotAllowedError, match="only owner"):
        accounts.take_role(workspace, number, study.owner, Role.OWNER)
    assert [account.id for account, _ in accounts.members(workspace, number, Role.OWNER)] == [study.owner]


@ON_A_FILE
@pytest.mark.parametrize("disabled", [False, True])
def test_the_old_password_lets_nobody_in_who_signs_in_while_it_is_changed(
    studio_workspace: Workspace, disabled: bool
) -> None:
    """A session that began then would outlast the change, which ends all that there are."""
    workspace = studio_workspace
    account = accounts.create_account(workspace, "kim@example.org", PASSWORD)

    def change() -> None:
        if disabled:
            accounts.set_disabled(workspace, account.id, disabled=True)
        else:
            accounts.set_password(workspace, account.id, "another password of the tests")

    assert accounts.verify_password(workspace, "kim@example.org", PASSWORD) == account
    with overtaken(workspace, change, after=1):
        assert accounts.verify_password(workspace, "kim@example.org", PASSWORD) is None


@ON_BOTH
def test_the_last_place_goes_to_one_of_two_who_agree_at_once(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES[:1], populations=[{**POPULATIONS[0], "people": 1}])
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    late, early = (participants.join(study.workspace, token).id for _ in range(2))

    def agree(person: int) -> str:
        return participants.consent(study.workspace, person, study.record.consent_version).state

    with overtaken(study.workspace, lambda: agree(early)):
        assert agree(late) == "screened_out"
    assert {each.id: each.state for each in study.people()}[early] == "active"


@ON_A_FILE
def test_a_word_of_the_form_may_be_mended_while_items_are_added(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES, populations=POPULATIONS)
    new = [NewItem("one", {"shot": "a.png", "shot_alt": "A bowl."})]
    add_media(study.workspace, study.record.id, {"a.png": ("image/png", b"a picture")})
    words = [STAGES[0], {**PART, "ask": [{**PART["ask"][0], "label": "What do you see?"}]}, STAGES[2]]
    with overtaken(study.workspace, lambda: edit(study, words)):
        add_items(study.workspace, study.record.id, "look", new)
    assert len(stored(study.workspace, schema.items)) == 1


PART = STAGES[1]
MEANWHILE: Mapping[str, tuple[Callable[[StudyFixture], object], type[StudioError], str]] = {
    "the study is deleted": (delete, NotFoundError, "no such study"),
    "the stage is taken out": (lambda study: edit(study, [STAGES[0]]), ConflictError, "add them again"),
    "it asks something else": (
        lambda study: edit(
            study, [STAGES[0], {**PART, "ask": [{**PART["ask"][0], "key": "other"}]}, STAGES[2]]
        ),
        ConflictError,
        "add them again",
    ),
    "the population is taken out": (
        lambda study: edit(study, STAGES, populations=POPULATIONS[:1]),
        ConflictError,
        "add them again",
    ),
    "the picture is deleted": (
        lambda study: delete_media(study.workspace, study.record.id, "a.png"),
        SubmissionError,
        "no picture or recording 'a.png'",
    ),
}


@ON_A_FILE
@pytest.mark.parametrize("event", MEANWHILE)
def test_items_are_added_to_what_they_were_checked_by(studio_workspace: Workspace, event: str) -> None:
    act, error, words = MEANWHILE[event]
    study = open_study(studio_workspace, STAGES, populations=POPULATIONS)
    workspace, number = study.workspace, study.record.id
    add_media(workspace, number, {"a.png": ("image/png", b"a picture")})
    new = [NewItem("one", {"shot": "a.png", "shot_alt": "A bowl."}, "wales")]
    with overtaken(workspace, lambda: act(study)), pytest.raises(error, match=words):
        add_items(workspace, number, "look", new)
    assert stored(workspace, schema.items) == []


@ON_A_FILE
def test_an_import_that_is_overtaken_fails_in_words_and_adds_nothing(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES, populations=POPULATIONS)
    workspace, number = study.workspace, study.record.id
    job = imports.begin(workspace, number, "verify", "a.csv", by=study.owner)
    stage = studies.get_stage(workspace, number, "verify")
    checked = [(NewItem("one", QUESTION, "korea"), 1, QUESTION)]
    edit(study, [{**STAGES[0], "kind": "review"}, *STAGES[1:]])
    with pytest.raises(ConflictError, match="add them again"):
        imports.add_batch(workspace, job, stage, checked, rows=1)
    delete(study)
    assert imports.end(workspace, job, ImportState.FAILED, error="it was overtaken") == job
    assert stored(workspace, schema.jobs) == []


@ON_A_FILE
def test_more_answers_that_are_wanted_meanwhile_are_asked_for(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES, populations=POPULATIONS)
    more = [{**STAGES[0], "answers": 7, "guidelines": "As at home."}, *STAGES[1:]]
    with overtaken(study.workspace, lambda: edit(study, more)):
        study.add("verify", [QUESTION])
    assert len(stored(study.workspace, schema.assignments)) == 7


@ON_A_FILE
def test_what_is_added_after_more_answers_are_wanted_has_no_more_than_these(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, STAGES, populations=POPULATIONS)
    study.add("verify", [QUESTION])
    more = [{**STAGES[0], "answers": 7}, *STAGES[1:]]

    def add() -> None:
        add_items(study.workspace, study.record.id, "verify", [NewItem("late", QUESTION)])

    with overtaken(study.workspace, add, after=1):
        edit(study, more)
    slots = Counter(each["item_id"] for each in stored(study.workspace, schema.assignments))
    assert [*slots.values()] == [7, 7]


def image(study: StudyFixture) -> None:
    add_media(study.workspace, study.record.id, {"a.png": ("image/png", b"a picture")})


ADDING: Mapping[str, Callable[[StudyFixture, Workspace, int], object]] = {
    "an invitation": lambda study, w, n: invites.create_invite(w, n, population="korea"),
    "a role": lambda study, w, n: accounts.give_role(w, n, study.owner, Role.REVIEWER),
    "staff": lambda study, w, n: participants.add_staff(w, n, study.owner, Role.REVIEWER),
    "an import": lambda study, w, n: imports.begin(w, n, "verify", "a.csv"),
    "a webhook": lambda study, w, n: webhooks.create_webhook(w, n, "http://127.0.0.1/", private=True),
    "a token": lambda study, w, n: tokens.create_token(w, study.owner, study_id=n),
    "an ML backend": lambda study, w, n: ml_backends.create_backend(w, n, "verify", "m", "http://127.0.0.1"),
    "a saved filter": lambda study, w, n: table.save_filter(w, n, "mine", table.TableView(q="rice")),
    "a picture": lambda study, w, n: image(study),
    "another description": lambda study, w, n: edit(study, STAGES[:2], populations=POPULATIONS[:1]),
    "a comment": lambda study, w, n: discussion.add_comment(w, n, 1, study.owner, "Is it so?"),
    "an assignment": lambda study, w, n: assign(w, n, {1: []}),
    "a suggestion": lambda study, w, n: add_suggestions(
        w, n, "verify", [("q0", NewPreAnnotation("m", {"choices": [0]}))]
    ),
}


@ON_A_FILE
@pytest.mark.parametrize("what", ADDING)
def test_nothing_is_added_to_a_study_that_was_deleted_meanwhile(
    studio_workspace: Workspace, what: str
) -> None:
    study = open_study(studio_workspace, STAGES, populations=POPULATIONS)
    study.add("verify", [QUESTION])
    with overtaken(study.workspace, lambda: delete(study)), pytest.raises(NotFoundError):
        ADDING[what](study, study.workspace, study.record.id)
    kept = {"studio_studies", "studio_events", "studio_accounts", "studio_participants"}
    left = [
        each.name
        for each in metadata.sorted_tables
        if stored(study.workspace, each) and each.name not in kept
    ]
    assert left == []


@ON_A_FILE
def test_a_backend_is_deleted_with_the_job_that_was_begun_or_ended_meanwhile(study: StudyFixture) -> None:
    workspace, number = study.workspace, study.record.id
    made = ml_backends.create_backend(workspace, number, "verify", "m", "http://127.0.0.1")

    def begin() -> None:
        ml_backends.begin_job(workspace, number, made.id, "predict")

    with overtaken(workspace, begin):
        ml_backends.delete_backend(workspace, number, made.id)
    (job,) = ml_backends.list_jobs(workspace, number)
    assert job.state == ImportState.CANCELLED
    again = ml_backends.create_backend(workspace, number, "verify", "m", "http://127.0.0.1")

    def gone() -> None:
        ml_backends.delete_backend(workspace, number, again.id)

    with overtaken(workspace, gone), pytest.raises(NotFoundError, match="no such ML backend"):
        ml_backends.begin_job(workspace, number, again.id, "predict")
    third = ml_backends.create_backend(workspace, number, "verify", "m", "http://127.0.0.1")
    running = ml_backends.begin_job(workspace, number, third.id, "train")
    claimed = ml_backends.claim_job(workspace)
    assert claimed is not None and claimed.id == running.id
    with overtaken(workspace, lambda: ml_backends.end_job(workspace, claimed)):
        ml_backends.delete_backend(workspace, number, third.id)
    assert ml_backends.list_backends(workspace, number) == ()


@ON_BOTH
def test_an_export_has_nobody_who_came_while_it_was_read(study: StudyFixture) -> None:
    """On PostgreSQL every statement sees what was stored until then; an answer without its person ended in a
    traceback."""
    study.add("verify", [QUESTION])
    came: list[str] = []

    def come(*arguments: Any) -> None:
        if "FROM studio_participants" in arguments[2] and not came:
            came.append("came")
            somebody = Thread(target=lambda: study.answer(study.person(), {"choices": [0]}))
            somebody.start()
            somebody.join()

    study.person()  # who invites first writes more
    sa.event.listen(study.workspace.engine, "after_cursor_execute", come)
    try:
        files = export_files(study.workspace, study.record.id, "csv")
    finally:
        sa.event.remove(study.workspace.engine, "after_cursor_execute", come)
    assert came
    assert len(files["judgements.csv"].splitlines()) == 1
    files = export_files(study.workspace, study.record.id, "csv")
    assert len(files["judgements.csv"].splitlines()) == 2


@ON_A_FILE
def test_two_processes_that_delete_one_import_count_it_once_and_whole(study: StudyFixture) -> None:
    workspace, number = study.workspace, study.record.id
    job = imports.begin(workspace, number, "verify", "a.csv", by=study.owner)
    stage = studies.get_stage(workspace, number, "verify")
    new = [(NewItem(f"n{each}", QUESTION), None, QUESTION) for each in range(AT_ONCE + 10)]
    imports.add_batch(workspace, job, stage, new, rows=len(new))
    imports.end(workspace, job, ImportState.DONE)
    imports.delete_import(workspace, number, job.id, by=study.owner)
    with overtaken(workspace, lambda: imports.finish_deletions(workspace), after=1):
        imports.finish_deletions(workspace)
    assert imports.get_import(workspace, number, job.id).deleted == len(new)
    (event,) = stored(workspace, schema.events, kind="items.deleted")
    assert event["details"] == {"stage": "verify", "n": len(new), "kept": 0, "import": job.id}


@ON_A_FILE
def test_what_a_failed_import_added_is_counted_once_where_it_is_deleted_meanwhile(
    study: StudyFixture,
) -> None:
    workspace, number = study.workspace, study.record.id
    job = imports.begin(workspace, number, "verify", "a.csv", by=study.owner)
    stage = studies.get_stage(workspace, number, "verify")
    new = [(NewItem(f"n{each}", QUESTION), None, QUESTION) for each in range(AT_ONCE + 10)]
    imports.add_batch(workspace, job, stage, new, rows=len(new))

    def delete_it() -> None:
        imports.delete_import(workspace, number, job.id, by=study.owner)
        imports.finish_deletions(workspace)

    with overtaken(workspace, delete_it, after=2):
        imports.end(workspace, job, ImportState.FAILED, error="no")
    assert imports.get_import(workspace, number, job.id).deleted == len(new)


@ON_A_FILE
@pytest.mark.parametrize("state", [ImportState.DONE, ImportState.FAILED])
def test_an_import_whose_study_is_deleted_as_it_ends_says_nothing(
    study: StudyFixture, state: ImportState
) -> None:
    workspace = study.workspace
    job = imports.begin(workspace, study.record.id, "verify", "a.csv", by=study.owner)
    read = workspace.read

    def read_later() -> Any:
        patch.undo()
        delete(study)
        return read()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workspace, "read", read_later)
        assert imports.end(workspace, job, state).id == job.id
    assert stored(workspace, schema.jobs) == []


@ON_A_FILE
def test_contents_that_are_refused_are_not_kept(study: StudyFixture) -> None:
    """But for those that another study has, or had before."""
    workspace, number = study.workspace, study.record.id
    old, new, shared = (("image/png", content) for content in (b"old", b"new", b"shared"))
    other = open_study(workspace, STAGES, populations=POPULATIONS, name="other")
    add_media(workspace, number, {"a.png": old})
    add_media(workspace, other.record.id, {"c.png": shared})
    folder = Path(f"{workspace.location}-media")

    def contents() -> set[bytes]:
        return {path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    with pytest.raises(MediaError, match="other contents"):
        add_media(workspace, number, {"b.png": ("image/png", b"more"), "a.png": new, "c.png": shared})
    assert contents() == {b"old", b"shared"}

    def same_elsewhere() -> None:
        add_media(workspace, other.record.id, {"d.png": new})
        delete(study)

    with overtaken(workspace, same_elsewhere), pytest.raises(NotFoundError):
        add_media(workspace, number, {"a.png": new, "e.png": ("image/png", b"more")})
    assert contents() == {b"new", b"shared"}


@ON_A_FILE
@pytest.mark.parametrize("whole_study", [False, True])
def test_contents_stay_that_another_study_got_while_they_were_deleted(
    study: StudyFixture, whole_study: bool
) -> None:
    workspace, number = study.workspace, study.record.id
    other = open_study(workspace, STAGES, populations=POPULATIONS, name="other")
    add_media(workspace, number, {"a.png": ("image/png", b"a picture")})

    def late(folder: Folder, sha256: str) -> None:
        patch.undo()
        add_media(workspace, other.record.id, {"b.png": ("image/png", b"a picture")})
        folder.delete(sha256)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Folder, "delete", late)
        delete(study) if whole_study else delete_media(workspace, number, "a.png")
    assert read_bytes(workspace, find_media(workspace, other.record.id, "b.png")) == b"a picture"


@pytest.mark.parametrize(
    "studio_workspace", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_nobody_begins_an_item_in_a_stage_that_was_taken_out_meanwhile(studio_workspace: Workspace) -> None:
    """On a file, these two take turns."""
    study = open_study(studio_workspace, [STAGES[0], {"name": "write", "kind": "write_question"}])
    person, came = study.person(), []

    def take_out(*arguments: Any) -> None:
        if "FROM studio_participants" in arguments[2] and not came:
            came.append("came")
            owner = Thread(target=lambda: edit(study, [STAGES[0]], populations=POPULATIONS[:1]))
            owner.start()
            owner.join()

    sa.event.listen(study.workspace.engine, "after_cursor_execute", take_out)
    try:
        assert claim_slot(study.workspace, person.id, stage="write") == NoWork("none_left")
    finally:
        sa.event.remove(study.workspace.engine, "after_cursor_execute", take_out)
    assert [each.name for each in studies.stages(study.workspace, study.record.id)] == ["verify"]


@pytest.mark.parametrize(
    "studio_workspace", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_a_study_is_deleted_while_somebody_begins_an_item_of_theirs(studio_workspace: Workspace) -> None:
    """Each waited for what the other had locked, and the deletion failed."""
    study = open_study(studio_workspace, [{"name": "write", "kind": "write_question"}])
    person, engine = study.person(), study.workspace.engine
    failed: list[WorkspaceError] = []
    waiting = sa.text("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")

    def delete_it() -> None:
        try:
            deletion.delete_study(study.workspace, study.record.id, study.record.name)
        except WorkspaceError as error:
            failed.append(error)

    owner = Thread(target=delete_it)

    def come(*arguments: Any) -> None:
        if "FROM studio_participants" in arguments[2] and owner.ident is None:
            owner.start()
            with engine.connect() as other:
                while owner.is_alive() and not other.scalar(waiting):
                    other.rollback()

    sa.event.listen(engine, "after_cursor_execute", come)
    try:
        assert isinstance(claim_slot(study.workspace, person.id), ClaimedSlot)
    finally:
        sa.event.remove(engine, "after_cursor_execute", come)
        owner.join()
    assert failed == []
    assert claim_slot(study.workspace, person.id) == NoWork("not_active")


@pytest.mark.parametrize(
    "studio_workspace", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_one_key_sent_for_two_items_at_once_is_refused_for_the_second(studio_workspace: Workspace) -> None:
    """The second waits for the person's row, and has looked for the key before. On a file, these two take
    turns."""
    study = open_study(studio_workspace, [STAGES[0], STAGES[2]], populations=POPULATIONS)
    study.add("verify", [QUESTION])
    study.add("talk", [QUESTION])
    person, said = study.person(), []
    first, second = (study.work(person, stage).assignment.id for stage in ("verify", "talk"))

    def send(slot: int) -> None:
        try:
            submit(study.workspace, person.id, slot, {"choices": [0]}, "one key")
            said.append("stored")
        except (StudioError, WorkspaceError) as error:
            said.append(f"{type(error).__name__}: {error}")

    other = Thread(target=send, args=(second,))

    def overtake(*arguments: Any) -> None:
        if "INSERT INTO studio_judgements" in arguments[2] and other.ident is None:
            other.start()
            waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            for _ in range(500):
                with study.workspace.engine.connect() as connection:
                    if connection.scalar(waiting):
                        return
                other.join(0.01)

    sa.event.listen(study.workspace.engine, "after_cursor_execute", overtake)
    try:
        send(first)
        other.join()
    finally:
        sa.event.remove(study.workspace.engine, "after_cursor_execute", overtake)
    assert sorted(said) == [
        "ConflictError: this form was used for another item; load the page again",
        "stored",
    ]
