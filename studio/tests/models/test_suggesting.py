"""Suggestions from the question to the model to what people made of it, with a real server, limits and
faults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from folkways.endpoints.prices import user_prices_file
from folkways.workspace.database import Workspace
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.exports.archive import export_files
from folkways_studio.items.preannotations import list_suggestions
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.models import modelling, suggesting
from folkways_studio.models.offered import OfferedModel
from folkways_studio.people import participants
from folkways_studio.programs import ml_backends
from folkways_studio.programs.backend_runs import run_job
from folkways_studio.programs.backend_worker import BackendWorker
from folkways_studio.records import Participant, Role
from folkways_studio.work import drafts, redaction, suggestions
from folkways_studio.work.assignments import Work
from folkways_studio.work.exposures import exposed
from folkways_studio.work.task_pages import get_task_page
from folkways_studio.workflows.definition import DefinitionError, read_definition
from folkways_studio.workflows.suggesting import SUGGESTERS
from studio.tests.support.studies import ON_A_FILE, StudyFixture, described, open_study
from studio.tests.work.test_redaction import SECRET, everything
from tests.support.chat_server import ChatServer

STAGES = [
    {"name": "answer", "kind": "short_answers", "answers": 2, "next": {"done": "group"}},
    {"name": "group", "kind": "group_answers", "role": "reviewer"},
    {"name": "localise", "kind": "localise", "role": "reviewer", "for_each_population": False},
    {
        "name": "alone",
        "kind": "localise",
        "role": "reviewer",
        "for_each_population": False,
        "suggestions": "hidden",
    },
]
ASKED = {"local": "무엇을 먹나요?", "english": "What do people eat?", "category": "Food"}
MADE = {"groups": [{"answers": [1, 2], "english": ["rice cake soup"]}], "invalid": [3]}


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(mode=f"fixed:{json.dumps(MADE)}") as server:
        yield server


@pytest.fixture
def study(studio_workspace: Workspace, server: ChatServer) -> StudyFixture:
    return make_study(studio_workspace, server)


def make_study(workspace: Workspace, server: ChatServer, **limits: Any) -> StudyFixture:
    server.control(mode=f"fixed:{json.dumps(MADE)}", faults={}, forget=True)
    offered = {"small": OfferedModel(f"{server.url}/v1#small")}
    return open_study(workspace, STAGES, offered=offered, models={"suggester": "small", **limits})


def to_group(study: StudyFixture, *, extra: str = "x") -> tuple[Participant, Work]:
    """Two people's answers, and a reviewer who is to group them."""
    add_items(
        study.workspace, study.record.id, "answer", [NewItem(f"q{len(study.people())}", ASKED, "korea")]
    )
    for answers in (["떡국", "떡 국"], ["떡국", "떡 국", extra]):
        study.answer(study.person(), {"answers": answers}, "answer")
    reviewer = study.person(role=Role.REVIEWER)
    return reviewer, study.work(reviewer, "group")


def ask(
    study: StudyFixture,
    person: Participant,
    work: Work,
    written: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    return suggesting.suggest(
        study.workspace, person.id, work.assignment.id, study.offered, written or {}, **options
    )


@ON_A_FILE
def test_a_suggestion_is_in_nobodys_answer_until_it_is_taken_and_is_counted_when_that_is_sent(
    study: StudyFixture,
) -> None:
    reviewer, work = to_group(study)
    at = (study.workspace, reviewer.id, work.assignment.id)
    found, call = ask(study, reviewer, work)
    assert "1. 떡국" in call.prompt and "South Korea" in call.prompt and "Korean" in call.prompt
    assert (found.model, found.prompt_version, found.taken) == (
        "small",
        SUGGESTERS["group_answers"].version,
        None,
    )
    assert found.content == {
        "groups": [{"answers": ["떡국", "떡 국"], "en_answers": ["rice cake soup"]}],
        "invalid": ["x"],
    }
    assert get_task_page(study.workspace, reviewer, work.assignment.id).draft is None
    mine = {"groups": [], "invalid": ["떡국"]}
    drafts.save_draft(*at, mine, 0)
    assert suggestions.take_suggestion(*at, mine, 1).payload == found.content
    with pytest.raises(ConflictError, match="already"):
        suggestions.take_suggestion(*at, mine, 2)
    assert suggestions.put_back(*at, 2).payload == mine
    with pytest.raises(ConflictError, match="nothing to put back"):
        suggestions.put_back(*at, 3)
    suggestions.take_suggestion(*at, mine, 3)
    study.submit(reviewer, work, found.content)
    (made,) = suggestions.made_of_suggestions(study.workspace, study.record.id)
    assert (made.stage.name, made.accepted, made.changed, made.rejected, made.waiting) == (
        "group",
        1,
        0,
        0,
        0,
    )
    assert (made.parts, made.kept, made.share_accepted) == (2, 2, 1.0)


@ON_A_FILE
def test_what_is_not_taken_is_rejected_and_all_of_it_leaves_in_the_export(
    study: StudyFixture, server: ChatServer
) -> None:
    reviewer = study.person(role=Role.REVIEWER)
    study.add(
        "localise",
        [
            {"template": f"What do people in your country eat at {time}?", "category": "Food"}
            for time in ("noon", "night")
        ],
    )
    server.control(mode='fixed:{"translation": "무엇을 먹나요?"}')
    for taken, local in ((True, "무엇을 먹습니까?"), (False, "무엇을 먹나요?")):
        work = study.work(reviewer, "localise")
        assert ask(study, reviewer, work)[0].content == {"local": "무엇을 먹나요?"}
        if taken:
            draft = suggestions.take_suggestion(
                study.workspace, reviewer.id, work.assignment.id, {"local": "", "english": "E?"}, 0
            )
            assert draft.payload == {"local": "무엇을 먹나요?", "english": "E?"}
        study.submit(reviewer, work, {"local": local})
    record = json.loads(export_files(study.workspace, study.record.id, "csv")["study.json"])
    known = {"stage": "localise", "model": "small", "prompt_version": SUGGESTERS["localise"].version}
    assert record["suggestions"] == [
        {**known, "accepted": 0, "changed": 1, "rejected": 1, "share_accepted": 0.0}
    ]
    rows = export_files(study.workspace, study.record.id, "jsonl")["suggestions.jsonl"].decode().splitlines()
    assert [(json.loads(row)["outcome"], json.loads(row)["kept"]) for row in rows] == [
        ("changed", 1),
        ("rejected", 2),
    ]
    participants.withdraw(study.workspace, study.record.id, reviewer.id)
    assert suggestions.made_of_suggestions(study.workspace, study.record.id) == ()


@ON_A_FILE
def test_a_model_that_is_down_slow_or_babbles_leaves_the_work_as_it_was(
    study: StudyFixture, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewer, work = to_group(study)
    server.control(mode="fixed:I would rather not.")
    assert ask(study, reviewer, work)[1].problem == suggesting.UNREADABLE
    server.control(faults={"chances": {"stall": 1.0}, "seed": 1})
    monkeypatch.setattr(modelling, "TIMEOUT_SECONDS", 0.3)
    # The same words are not asked again, so another answer is among them.
    other, second = to_group(study, extra="y")
    assert ask(study, other, second)[1].problem == modelling.TOO_LATE
    gone = Event()
    gone.set()
    assert ask(study, other, second, gone=gone)[1].problem == modelling.GIVEN_UP
    down = {"small": OfferedModel("http://127.0.0.1:9/v1#small")}
    found, call = suggesting.suggest(study.workspace, other.id, second.assignment.id, down, {})
    assert found is None and call.problem in (modelling.FAILED, modelling.TOO_LATE)
    with pytest.raises(ConflictError, match="none that this server may ask"):
        suggesting.suggest(study.workspace, other.id, second.assignment.id, {}, {})
    with pytest.raises(NotFoundError):
        ask(study, reviewer, second)
    assert suggestions.latest_suggestion(study.workspace, other.id, second.item.id) is None
    study.add("alone", [{"template": "What do people in your country eat?", "category": "Food"}])
    with pytest.raises(ConflictError, match="nothing is suggested"):
        ask(study, reviewer, study.work(reviewer, "alone"))


@ON_A_FILE
def test_a_person_and_a_study_ask_only_so_often(studio_workspace: Workspace, server: ChatServer) -> None:
    study = make_study(studio_workspace, server, most_calls=3, most_calls_per_person=2)
    reviewer, work = to_group(study)
    for _ in range(2):
        ask(study, reviewer, work)
    with pytest.raises(ConflictError, match=r"you have asked models as often as one may \(2\)"):
        ask(study, reviewer, work)
    other, second = to_group(study, extra="y")
    ask(study, other, second)
    with pytest.raises(ConflictError, match=r"this study has asked models as often as it may \(3\)"):
        ask(study, other, second)


@ON_A_FILE
def test_a_study_spends_only_so_much(
    studio_workspace: Workspace,
    server: ChatServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study(studio_workspace, server, most_usd=1.0)
    reviewer, work = to_group(study, extra="z")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("KEY_OF_THE_TEST", "key-of-the-test-123")
    unheard_of = {"small": OfferedModel("openai/unheard-of", "KEY_OF_THE_TEST")}
    _, call = suggesting.suggest(study.workspace, reviewer.id, work.assignment.id, unheard_of, {})
    assert (call.problem, call.usd) == (
        modelling.FAILED,
        None,
    ) and "a budget in usd needs prices" in caplog.text
    prices = user_prices_file()
    assert prices.is_relative_to(tmp_path)
    prices.parent.mkdir(parents=True)
    table = '[usd_per_million_tokens]\n"*#small" = {{input = {price}, output = {price}}}\n'
    prices.write_text(table.format(price=1000.0))
    assert ask(study, reviewer, work)[1].problem == modelling.SPENT
    assert server.stats()["total"] == 0, "the worst case does not fit, so that nothing is sent"
    prices.write_text(table.format(price=100.0))
    server.control(faults={"chances": {"401": 1.0}, "seed": 1})
    assert ask(study, reviewer, work)[1].problem == modelling.FAILED, "within what may be spent"
    server.control(faults={"chances": {}, "seed": 1})
    call = ask(study, reviewer, work)[1]
    assert call.problem is None and call.usd is not None and 0 < call.usd < 1
    with studio_workspace.write() as connection:
        connection.exec_driver_sql("UPDATE studio_model_calls SET usd = 1.0")
    with pytest.raises(ConflictError, match="spent what it may"):
        ask(study, reviewer, work)


@pytest.mark.parametrize(
    ("limit", "problem"),
    [
        ({"most_usd": 0}, "most_usd: has to be a number above 0"),
        ({"most_calls_per_person": 0.5}, "has to be a whole number from 1"),
    ],
)
def test_limits_that_cannot_be_are_named(limit: dict[str, Any], problem: str) -> None:
    with pytest.raises(DefinitionError, match=problem):
        read_definition(described(STAGES, models={"suggester": "small", **limit}))


@ON_A_FILE
def test_words_that_are_redacted_go_from_suggestions_too(study: StudyFixture) -> None:
    reviewer, work = to_group(study, extra=SECRET)
    found, _ = ask(study, reviewer, work)
    assert SECRET in str(found.content)
    with study.workspace.read() as connection:
        number = connection.exec_driver_sql("SELECT max(id) FROM studio_judgements").scalar_one()
    redaction.redact(study.workspace, study.record.id, number, ["answers"])
    assert SECRET not in everything(study.workspace)


@ON_A_FILE
def test_the_studys_model_suggests_beforehand_once_and_within_its_limits(
    studio_workspace: Workspace, server: ChatServer
) -> None:
    study = make_study(studio_workspace, server, most_calls=3)
    template = {"template": "What do people in your country eat?", "category": "Food"}
    study.add("localise", [{**template, "template": f"{template['template']} {n}"} for n in range(4)])
    server.control(mode='fixed:{"translation": "무엇을 먹나요?"}')
    job = ml_backends.begin_suggesting(study.workspace, study.record.id, "localise", by=study.owner)
    with pytest.raises(ConflictError, match="at work"):
        ml_backends.begin_suggesting(study.workspace, study.record.id, "localise")
    with pytest.raises(ConflictError, match="nothing beforehand"):
        ml_backends.begin_suggesting(study.workspace, study.record.id, "answer")
    worker = BackendWorker(study.workspace, private=False, offered=study.offered)
    worker.wake()
    worker.wait(60)
    worker.stop()
    job = ml_backends.get_job(study.workspace, study.record.id, job.id)
    assert (job.state, job.total, job.done, job.added) == ("failed", 4, 3, 3)
    assert "as often as it may" in (job.error or "")
    version = SUGGESTERS["localise"].version
    said = [
        (each.model, each.version, each.source, each.content)
        for each in list_suggestions(study.workspace, study.record.id)
    ]
    assert said == [("small", version, "model", {"local": "무엇을 먹나요?"})] * 3
    again = ml_backends.begin_suggesting(study.workspace, study.record.id, "localise", by=study.owner)
    claimed = ml_backends.claim_job(study.workspace)
    assert claimed is not None
    run_job(study.workspace, claimed, private=False, offered=study.offered)
    again = ml_backends.get_job(study.workspace, study.record.id, again.id)
    assert (again.total, again.added) == (1, 0), "what it has suggested is not asked for again"
    reviewer = study.person(role=Role.REVIEWER)
    work = study.work(reviewer, "localise")
    page = exposed(study.workspace, reviewer.id, get_task_page(study.workspace, reviewer, work.assignment.id))
    assert page.prefilled == {"local": "무엇을 먹나요?"}


@ON_A_FILE
def test_what_the_studys_model_cannot_say_is_noted_by_item(study: StudyFixture, server: ChatServer) -> None:
    study.add("localise", [{"template": "What do people in your country eat?", "category": "Food"}])
    server.control(mode="fixed:I would rather not.")
    ml_backends.begin_suggesting(study.workspace, study.record.id, "localise")
    claimed = ml_backends.claim_job(study.workspace)
    assert claimed is not None
    run_job(study.workspace, claimed, private=False, offered=study.offered)
    job = ml_backends.get_job(study.workspace, study.record.id, claimed.id)
    assert (job.state, job.total, job.added) == ("done", 1, 0)
    assert job.problems == (("q0", suggesting.UNREADABLE),)
