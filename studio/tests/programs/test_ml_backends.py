"""ML backends of Label Studio's shape: asked by a real process, interrupted, wrong, slow, retrained."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items.imports import STALE_SECONDS
from folkways_studio.items.preannotations import list_suggestions
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from folkways_studio.programs import backend_client, backend_runs, ml_backends
from folkways_studio.programs.backend_client import BackendClient, BackendError
from folkways_studio.programs.backend_runs import run_job
from folkways_studio.programs.backend_worker import BackendWorker
from folkways_studio.programs.ml_backends import BackendJob, MlBackend
from studio.tests.support.ml_backend import MlBackendServer
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, StudyFixture, failing, open_study, stored
from tests.support.frozen_time import at_time

FORM = {
    "name": "tone",
    "kind": "form",
    "answers": 2,
    "show": [{"field": "text", "type": "text"}],
    "ask": [
        {"key": "tone", "type": "choice", "label": "Tone?", "options": ["warm", "cold"]},
        {"key": "why", "type": "text", "label": "Why?", "required": False},
    ],
}
WARM, COLD = ({"answers": {"tone": tone}} for tone in ("warm", "cold"))


@pytest.fixture(scope="module")
def server() -> Iterator[MlBackendServer]:
    with MlBackendServer() as running:
        yield running


@pytest.fixture
def study(studio_workspace: Workspace, server: MlBackendServer) -> StudyFixture:
    server.control()
    return open_study(studio_workspace, [FORM, {"name": "write", "kind": "write_question"}])


def add(study: StudyFixture, *texts: str) -> None:
    first = len(stored(study.workspace, schema.items))
    new = [NewItem(f"t{first + number}", {"text": text}, "korea") for number, text in enumerate(texts)]
    add_items(study.workspace, study.record.id, "tone", new)


def backend(study: StudyFixture, server: MlBackendServer) -> MlBackend:
    return ml_backends.create_backend(
        study.workspace, study.record.id, "tone", "toner", server.url, by=study.owner
    )


def do(study: StudyFixture, of: MlBackend, work: Any, **options: Any) -> BackendJob:
    """Do a job at once; how it ended."""
    job = ml_backends.begin_job(study.workspace, study.record.id, of.id, work, by=study.owner)
    claimed = ml_backends.claim_job(study.workspace)
    assert claimed is not None and claimed.id == job.id
    run_job(study.workspace, claimed, **{"private": True, **options})
    return ml_backends.get_job(study.workspace, study.record.id, job.id)


def suggested(study: StudyFixture) -> list[Any]:
    return [
        (each.model, each.version, each.score, each.content["answers"], each.source)
        for each in list_suggestions(study.workspace, study.record.id)
    ]


def test_it_suggests_for_open_items_learns_from_answers_and_suggests_anew(
    study: StudyFixture, server: MlBackendServer
) -> None:
    add(study, "one", "two", "three")
    toner = backend(study, server)
    job = do(study, toner, "predict")
    assert (job.state, job.total, job.done, job.added, job.problems, job.error) == ("done", 3, 3, 3, (), None)
    assert suggested(study) == [("toner", "v1", 0.75, {"tone": "warm"}, "backend")] * 3
    (request,) = server.seen("/predict")
    assert request["project"] == "test-study.tone" and 'Choice value="warm"' in request["label_config"]
    assert [task["data"]["text"] for task in request["tasks"]] == ["one", "two", "three"]
    assert all(task["annotations"] == [] == task["predictions"] and task["id"] for task in request["tasks"])
    assert do(study, toner, "predict").total == 0, "nothing is asked twice"
    for person in (study.person(), study.person()):
        study.answer(person, COLD, "tone")
    before = len(server.seen("/setup"))
    job = do(study, toner, "train")
    assert (job.state, job.total, job.done) == ("done", 2, 2)
    assert len(server.seen("/setup")) == before + 2, "before it is sent anything, and for its new version"
    assert [event["action"] for event in server.seen("/webhook")] == [
        *["ANNOTATION_CREATED"] * 2,
        "START_TRAINING",
    ]
    sent = server.seen("/webhook")[:2]
    assert [each["annotation"]["result"][0]["value"] for each in sent] == [{"choices": ["cold"]}] * 2
    people = {person.pseudonym for person in study.people()}
    assert not any(name in str(sent) for name in people)
    known = ml_backends.get_backend(study.workspace, study.record.id, toner.id)
    assert known.version == "v2" and known.trained is not None
    job = do(study, toner, "predict")
    assert job.total == job.added == 2, "one of the three is done"
    assert suggested(study)[3:] == [("toner", "v2", 0.75, {"tone": "cold"}, "backend")] * 2
    kinds = [row["kind"] for row in stored(study.workspace, schema.events) if "backend" in row["kind"]]
    assert kinds == [
        "backend.created",
        "backend.predict",
        "backend.predict",
        "backend.train",
        "backend.predict",
    ]


@ON_A_FILE
def test_every_answer_is_sent_once_and_goes_on_where_it_was_interrupted(
    study: StudyFixture, server: MlBackendServer
) -> None:
    add(study, "one", "two")
    toner = backend(study, server)
    first, second = study.person(), study.person()
    study.answer(first, COLD, "tone")
    study.answer(first, WARM, "tone")
    turns = iter([True, False, False])
    assert do(study, toner, "train", going=lambda: next(turns)).state == "waiting"
    claimed = ml_backends.claim_job(study.workspace)
    assert claimed is not None
    run_job(study.workspace, claimed, private=True)
    study.answer(second, COLD, "tone")
    assert do(study, toner, "train").done == 1
    events = server.seen("/webhook")
    assert [event["action"] for event in events] == [
        *["ANNOTATION_CREATED"] * 2, "START_TRAINING", "ANNOTATION_CREATED", "START_TRAINING",
    ]  # fmt: skip
    assert events[0]["task"]["data"]["text"] == "one" and events[0]["task"]["annotations"] == []
    assert [each["annotation"]["result"][0]["value"]["choices"] for each in events if "annotation" in each] == [
        ["cold"], ["warm"], ["cold"],
    ]  # fmt: skip
    assert 'Choice value="warm"' in events[0]["project"]["label_config"]
    assert do(study, toner, "predict").added > 0 and suggested(study)[0][1] == "v3"
    for person in (first, second):
        participants.withdraw(study.workspace, study.record.id, person.id)
    assert "no answers yet" in (do(study, toner, "train").error or "")


@ON_A_FILE
def test_an_older_server_without_events_is_sent_all_answers_at_once(
    study: StudyFixture, server: MlBackendServer
) -> None:
    server.control(no_events=True)
    add(study, "one")
    toner = backend(study, server)
    for person in (study.person(), study.person()):
        study.answer(person, COLD, "tone")
    job = do(study, toner, "train")
    assert (job.state, job.total, job.done, job.error) == ("done", 2, 2, None)
    (sent,) = server.seen("/train")
    annotations = [each for task in sent["annotations"] for each in task["annotations"]]
    assert [each["result"][0]["value"] for each in annotations if not each["ground_truth"]] == [
        {"choices": ["cold"]}
    ] * 2
    assert ml_backends.get_backend(study.workspace, study.record.id, toner.id).version == "v2"
    server.control(faults={"/webhook": 500})
    add(study, "two")
    study.answer(study.person(), WARM, "tone")
    assert "/webhook answered 500" in (do(study, toner, "train").error or "")


@ON_A_FILE
def test_what_cannot_be_used_is_named_by_its_item_and_the_rest_is_stored(
    study: StudyFixture, server: MlBackendServer
) -> None:
    server.control(score=7.5)
    add(study, "one", "odd", "nothing", "two")
    job = do(study, backend(study, server), "predict")
    assert (job.state, job.total, job.done, job.added) == ("done", 4, 4, 2)
    ((key, problem),) = job.problems
    assert key == "t1" and "none of these" in problem
    assert [each[2] for each in suggested(study)] == [None, None], "a score outside of 0 to 1 ranks nothing"


OTHERWISE, NOTHING = "the prediction is not written as Label Studio writes them", "answer: says nothing; "
REGION = '{"result": [{"from_name": "tone", "to_name": "text", "type": "choices"'
GARBLED = {
    '{"result": 7}': OTHERWISE,
    '{"result": [7]}': OTHERWISE,
    '{"result": "cold"}': OTHERWISE,
    '{"result": [{}]}': NOTHING,
    f"{REGION}}}]}}": NOTHING,
    f'{REGION}, "value": null}}]}}': NOTHING,
    f'{REGION}, "value": {{"choices": null}}}}]}}': "'None' is no option of tone",
    f'{REGION}, "value": {{"choices": 3}}}}]}}': "'3' is no option of tone",
}


@ON_A_FILE
def test_a_prediction_of_another_shape_is_named_by_its_item_and_stops_nothing(
    study: StudyFixture, server: MlBackendServer
) -> None:
    server.control(garbled=[*GARBLED])
    add(study, *(f"garbled {number}" for number in range(len(GARBLED))), "one")
    job = do(study, backend(study, server), "predict")
    assert (job.state, job.error, job.done, job.added) == ("done", None, len(GARBLED) + 1, 1)
    problems = dict(job.problems)
    assert {*problems} == {f"t{number}" for number in range(len(GARBLED))}
    for number, problem in enumerate(GARBLED.values()):
        assert problems[f"t{number}"].startswith(problem)


@ON_A_FILE
def test_of_several_predictions_the_one_with_the_highest_score_is_taken(
    study: StudyFixture, server: MlBackendServer
) -> None:
    server.control(several=True, score=0.5)
    add(study, "one")
    assert do(study, backend(study, server), "predict").added == 1
    assert suggested(study)[0][2] == 0.5


@ON_A_FILE
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"/predict": 500}, "/predict answered 500: <p>the model fell over</p>"),
        ({"/setup": 503}, "/setup answered 503"),
        ({"/health": 404}, "/health answered 404"),
        ({"/predict": "shape"}, "one for each of the 1 tasks; it gave 0"),
        ({"/predict": "babble"}, "/predict answered with something other than JSON"),
        ({"/predict": "huge"}, "/predict answered with more than 20 MB"),
        ({"/predict": "slow"}, "answered to /predict within 0.5 s"),
    ],
)
def test_a_server_that_fails_ends_the_job_in_words_for_the_researcher(
    study: StudyFixture, server: MlBackendServer, fault: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "slow" in fault.values():
        monkeypatch.setattr(backend_client, "SECONDS", {**backend_client.SECONDS, "predict": 0.5})
    server.control(faults=fault)
    add(study, "one")
    job = do(study, backend(study, server), "predict")
    assert job.state == "failed" and words in (job.error or "") and suggested(study) == []
    server.control()
    assert do(study, ml_backends.list_backends(study.workspace, study.record.id)[0], "predict").added == 1


@ON_BOTH
def test_it_is_interrupted_between_requests_and_another_worker_goes_on(
    study: StudyFixture, server: MlBackendServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_runs, "AT_ONCE", 2)
    add(study, *[f"text {number}" for number in range(5)])
    toner = backend(study, server)
    turns = iter([True, True, False, False])
    job = do(study, toner, "predict", going=lambda: next(turns))
    assert (job.state, job.done, job.added) == ("waiting", 4, 4)
    worker = BackendWorker(study.workspace, private=True)
    worker.wake()
    worker.wait(20)
    worker.stop()
    job = ml_backends.get_job(study.workspace, study.record.id, job.id)
    assert (job.state, job.added) == ("done", 1) and len(suggested(study)) == 5
    assert [len(each["tasks"]) for each in server.seen("/predict")] == [2, 2, 1]


@ON_A_FILE
def test_a_fault_of_the_studio_ends_the_job_and_is_told_as_such(
    study: StudyFixture, server: MlBackendServer
) -> None:
    add(study, "one")
    job = do(study, backend(study, server), "predict", going=lambda: 1 // 0)
    assert (job.state, job.error) == (
        "failed",
        "something went wrong on our side; the server's log says what",
    )


@ON_A_FILE
def test_a_database_that_fails_ends_no_job(
    study: StudyFixture, server: MlBackendServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_runs, "AT_ONCE", 1)
    add(study, "one", "two")
    begun = ml_backends.begin_job(study.workspace, study.record.id, backend(study, server).id, "predict")
    claimed = ml_backends.claim_job(study.workspace)
    assert claimed is not None
    with (
        failing(study.workspace, schema.preannotations, 1),
        pytest.raises(WorkspaceError, match="the disk has failed"),
    ):
        run_job(study.workspace, claimed, private=True)
    job = ml_backends.get_job(study.workspace, study.record.id, begun.id)
    assert (job.state, job.error, job.added) == ("running", None, 1)
    again = at_time(time.time() + STALE_SECONDS + 1, ml_backends.claim_job, study.workspace)
    assert again is not None and again.id == begun.id
    run_job(study.workspace, again, private=True)
    assert ml_backends.get_job(study.workspace, study.record.id, begun.id).state == "done"
    assert len(suggested(study)) == 2


@ON_A_FILE
def test_a_job_whose_worker_died_is_taken_over_and_a_cancelled_one_stops(
    study: StudyFixture, server: MlBackendServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_runs, "AT_ONCE", 1)
    add(study, "one", "two")
    toner = backend(study, server)
    begun = ml_backends.begin_job(study.workspace, study.record.id, toner.id, "predict")
    assert at_time(1000.0, ml_backends.claim_job, study.workspace) is not None
    with pytest.raises(ConflictError, match="at work"):
        ml_backends.begin_job(study.workspace, study.record.id, toner.id, "train")
    stale = 1000.0 + STALE_SECONDS
    assert at_time(stale, ml_backends.claim_job, study.workspace) is None, "somebody is at it"
    again = at_time(stale + 1, ml_backends.claim_job, study.workspace)
    assert again is not None and again.id == begun.id

    def cancelling() -> bool:
        if ml_backends.get_job(study.workspace, study.record.id, begun.id).done == 1:
            ml_backends.cancel_job(study.workspace, study.record.id, begun.id)
        return True

    run_job(study.workspace, again, private=True, going=cancelling)
    job = ml_backends.get_job(study.workspace, study.record.id, begun.id)
    assert (job.state, job.done) == ("cancelled", 1) and len(suggested(study)) == 1
    with pytest.raises(ConflictError, match="over"):
        ml_backends.cancel_job(study.workspace, study.record.id, begun.id)
    ml_backends.begin_job(study.workspace, study.record.id, toner.id, "predict")
    ml_backends.delete_backend(study.workspace, study.record.id, toner.id)
    assert ml_backends.claim_job(study.workspace) is None and len(suggested(study)) == 1
    with pytest.raises(NotFoundError):
        ml_backends.get_backend(study.workspace, study.record.id, toner.id)


@ON_A_FILE
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9090",
        "https://127.0.0.1:9090",
        "https://①②⑦.⓪.⓪.①:9090",
        "https://10.0.0.1/ml",
        "https://user:pass@example.org",
        "http://example.org",
        "ftp://example.org",
        "https://example.org/ml?to=http://127.0.0.1",
    ],
)
def test_an_address_that_must_not_be_called_is_refused(
    study: StudyFixture, server: MlBackendServer, url: str
) -> None:
    make = (study.workspace, study.record.id, "tone", "toner")
    with pytest.raises(SubmissionError) as caught:
        ml_backends.create_backend(*make, url, private=False)
    assert "url" in caught.value.problems
    assert ml_backends.list_backends(study.workspace, study.record.id) == ()


@ON_A_FILE
def test_what_was_allowed_before_is_refused_when_it_is_called(
    study: StudyFixture, server: MlBackendServer
) -> None:
    add(study, "one")
    toner = backend(study, server)
    job = do(study, toner, "predict", private=False)
    assert job.state == "failed" and server.seen("/health") == []
    assert "has to begin with https://" in (job.error or "")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        port = listener.getsockname()[1]
        hidden = BackendClient(f"https://localhost:{port}", "p", "<View/>", private=False)
        with pytest.raises(BackendError, match="own network"):
            hidden.set_up()
        with pytest.raises(TimeoutError):  # nobody has connected
            listener.accept()


@ON_A_FILE
def test_a_backend_needs_a_name_and_a_stage_with_items(study: StudyFixture, server: MlBackendServer) -> None:
    make = (study.workspace, study.record.id)
    for name in (" ", "x" * 257, "a\nb"):
        with pytest.raises(SubmissionError):
            ml_backends.create_backend(*make, "tone", name, server.url)
    with pytest.raises(SubmissionError, match="write the items of this stage themselves"):
        ml_backends.create_backend(*make, "write", "m", server.url)
    toner = backend(study, server)
    with pytest.raises(ConflictError, match="of that name already"):
        backend(study, server)
    assert "no items yet" in (do(study, toner, "predict").error or "")
    for number in range(ml_backends.MOST - 1):
        ml_backends.create_backend(*make, "tone", f"m{number}", server.url)
    with pytest.raises(ConflictError, match="up to 20"):
        ml_backends.create_backend(*make, "tone", "more", server.url)
    other = open_study(study.workspace, [FORM], name="other")
    with pytest.raises(NotFoundError):
        ml_backends.begin_job(study.workspace, other.record.id, toner.id, "predict")
    with pytest.raises(NotFoundError):
        ml_backends.get_job(study.workspace, other.record.id, 1)
