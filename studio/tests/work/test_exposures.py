"""Who sees what models suggested beforehand: settled before the task is shown, the same on every visit, and
compared with the answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from threading import Barrier, Thread
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.activity import PreAnnotation
from folkways_studio.database import schema
from folkways_studio.errors import SubmissionError
from folkways_studio.items.preannotations import NewPreAnnotation
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.items.table import suggestion_counts
from folkways_studio.people import participants, sessions
from folkways_studio.records import Participant
from folkways_studio.stages.registry import STAGE_KINDS, stage_kind
from folkways_studio.web.app import create_app
from folkways_studio.work import drafts
from folkways_studio.work.exposures import chosen, exposed, exposures_of_study
from folkways_studio.work.task_pages import get_task_page
from folkways_studio.workflows.definition import DefinitionError, read_definition
from studio.tests.stages.test_kinds import GOOD, config_of
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import (
    ON_A_FILE,
    ON_BOTH,
    QUESTION,
    StudyFixture,
    described,
    open_study,
    stored,
)

VOTE = {"name": "verify", "kind": "vote", "answers": 2, "majority": 2}
SUGGESTED = (NewPreAnnotation("small", {"choices": [1]}, "2", 0.5),)


def made(workspace: Workspace, *, items: int = 1, **settings: Any) -> StudyFixture:
    """A study with items for which a model suggests the second option."""
    study = open_study(workspace, [{**VOTE, **settings}])
    new = [NewItem(f"q{number}", QUESTION, "korea", suggestions=SUGGESTED) for number in range(items)]
    add_items(workspace, study.record.id, "verify", new)
    return study


class Browser(AppClient):
    """One person's browser."""

    def __init__(self, study: StudyFixture, person: Participant, app: Any = None) -> None:
        super().__init__(app or create_app(study.workspace), headers={"Origin": "http://localhost"})
        session = sessions.open_session(study.workspace, person.account_id)
        self.cookies.set("folkways_session", session)
        self.home = f"/work/{study.record.name}"

    def fields(self, text: str) -> dict[str, str]:
        return dict(re.findall(r'name="(csrf|key|revision)" value="([^"]*)"', text))

    def begin(self) -> str:
        """Take a task; its address."""
        fields = self.fields(self.get(self.home).text)
        return self.post(f"{self.home}/next", data=fields).headers["location"]

    def page(self, address: str) -> str:
        reply = self.get(address)
        assert reply.status_code == 200
        return reply.text

    def press(self, address: str, to: str, **values: Any) -> Any:
        fields = self.fields(self.page(address))
        return self.post(f"{address}/{to}", data={**fields, **values})


def ticked(page: str) -> list[str]:
    """The options that are ticked on a page."""
    boxes = re.findall(r'<input[^>]*name="choices"[^>]*>', page)
    return [re.search(r'value="(\d)"', box)[1] for box in boxes if " checked" in box]  # type: ignore[index]


def settled(study: StudyFixture) -> list[dict[str, Any]]:
    return stored(study.workspace, schema.exposures, "created", "preannotation_id")


@ON_A_FILE
def test_a_form_begins_with_what_is_suggested_and_says_by_whom(studio_workspace: Workspace) -> None:
    study = made(studio_workspace)
    person = study.person()
    browser = Browser(study, person)
    task = browser.begin()
    assert settled(study) == [], "before the page"
    page = browser.page(task)
    assert ticked(page) == ["1"] and "Made by small · 2 · 0.50. It may be wrong" in page
    assert "It is in your form now" in page and "Empty my form" in page
    (row,) = settled(study)
    assert (row["setting"], row["shown"], row["outcome"]) == ("shown", True, None)
    assert stored(study.workspace, schema.drafts) == [], "nothing is theirs until they save it"
    assert browser.press(task, "suggest", step="back", choices="1", comment="mine").status_code == 303
    page = browser.page(task)
    assert ticked(page) == [] and "Put it into my form" in page and "Empty my form" not in page
    browser.press(task, "suggest", step="take", comment="mine", choices="3")
    page = browser.page(task)
    assert ticked(page) == ["1"] and "mine" in page and "Empty my form" in page
    browser.press(task, "submit", choices="1")
    (row,) = settled(study)
    assert (row["outcome"], row["parts"], row["unchanged"]) == ("accepted", 1, 1)
    assert suggestion_counts(study.workspace, [row["item_id"]]) == {row["item_id"]: (1, 1)}


@ON_A_FILE
def test_who_is_not_to_see_it_sees_no_trace_and_is_compared_all_the_same(studio_workspace: Workspace) -> None:
    study = made(studio_workspace, suggestions="hidden")
    browser = Browser(study, study.person())
    task = browser.begin()
    page = browser.page(task)
    assert ticked(page) == [] and "small" not in page and "suggestion" not in page
    browser.press(task, "suggest", step="take")
    assert ticked(browser.page(task)) == []
    browser.press(task, "submit", choices="1")
    (row,) = settled(study)
    assert (row["setting"], row["shown"], row["outcome"]) == ("hidden", False, None)
    assert (row["parts"], row["unchanged"]) == (1, 1)
    assert suggestion_counts(study.workspace, [row["item_id"]]) == {}


def visit(study: StudyFixture, person: Participant) -> Any:
    """The task that somebody is given, as its page is made."""
    work = study.work(person)
    return work, exposed(
        study.workspace, person.id, get_task_page(study.workspace, person, work.assignment.id)
    )


def seen_by(study: StudyFixture, people: Sequence[Participant], items: int) -> dict[tuple[int, int], bool]:
    """Whether each of the people was shown the suggestion for each item, once they have answered them all."""
    seen: dict[tuple[int, int], bool] = {}
    for person in people:
        for _ in range(items):
            work, task = visit(study, person)
            assert task.exposure.setting == "half"
            assert bool(task.prefilled) == task.exposure.shown
            seen[work.item.id, person.id] = task.exposure.shown
            again = visit(study, person)[1]
            assert again.exposure == task.exposure and again.preannotation == task.preannotation
            study.submit(person, work, {"choices": [1]})
    stored_exposures = exposures_of_study(study.workspace, study.record.id)
    assert {key: each.shown for key, (each, _) in stored_exposures.items()} == seen
    assert all((each.outcome == "accepted") == each.shown for each, _ in stored_exposures.values())
    return seen


@ON_A_FILE
def test_half_of_the_people_see_it_drawn_anew_for_every_item(studio_workspace: Workspace) -> None:
    study = made(studio_workspace, items=60, suggestions="half")
    people = [study.person(), study.person()]
    seen = seen_by(study, people, 60)
    shown = Counter(seen.values())[True]
    assert 33 <= shown <= 87, f"of 120, {shown}: less likely than 1 in a million"
    pairs = Counter((seen[item, people[0].id], seen[item, people[1].id]) for item, _ in seen)
    assert len(pairs) == 4, "drawn for each person, and not for the item"


def test_what_was_drawn_once_is_stored_and_never_drawn_again(studio_workspace: Workspace) -> None:
    study = made(studio_workspace, items=20, suggestions="half")
    assert len(seen_by(study, [study.person()], 20)) == 20, "each visited twice"


@ON_BOTH
def test_two_tabs_at_once_settle_it_once(studio_workspace: Workspace) -> None:
    study = made(studio_workspace, suggestions="half")
    person = study.person()
    work = study.work(person)
    page = get_task_page(study.workspace, person, work.assignment.id)
    barrier, shown = Barrier(4), []

    def look() -> None:
        barrier.wait()
        shown.append(exposed(study.workspace, person.id, page).exposure)

    threads = [Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shown) == 4 and len(set(shown)) == 1 and len(settled(study)) == 1


@ON_A_FILE
def test_a_setting_that_changes_and_a_suggestion_that_comes_later_change_nothing_for_who_has_seen_the_task(
    studio_workspace: Workspace,
) -> None:
    study = made(studio_workspace)
    first, second = study.person(), study.person()
    work, _ = visit(study, first)
    with study.workspace.write() as connection:
        config = {**work.stage.config, "suggestions": "hidden"}
        connection.execute(sa.update(schema.stages).values(config=config))
        row = {
            "item_id": work.item.id,
            "model": "large",
            "version": "",
            "score": 0.9,
            "content": {"choices": [3]},
            "source": "api",
            "created": 1.0,
        }
        connection.execute(sa.insert(schema.preannotations).values(row))
    assert visit(study, first)[1].prefilled == {"choices": [1]}
    other = visit(study, second)[1]
    assert (other.exposure.setting, other.exposure.shown, other.prefilled) == ("hidden", False, {})
    assert other.preannotation.model == "large"


@ON_A_FILE
def test_who_has_begun_to_answer_and_who_is_tested_is_shown_nothing(studio_workspace: Workspace) -> None:
    study = made(studio_workspace)
    person = study.person()
    work = study.work(person)
    drafts.save_draft(study.workspace, person.id, work.assignment.id, {"choices": [0]}, 0)
    assert visit(study, person)[1].exposure is None
    testing = made_test(studio_workspace)
    assert visit(testing, testing.person())[1].exposure is None
    assert settled(study) == []


def made_test(workspace: Workspace) -> StudyFixture:
    """A study whose test has a question for which something is suggested."""
    qualification = {"questions": 1, "pass_mark": 1.0, "tries": 1}
    study = open_study(workspace, [{**VOTE, "qualification": qualification}], name="tested")
    new = NewItem("t", QUESTION, "korea", check={"choices": [1]}, test=True, suggestions=SUGGESTED)
    add_items(workspace, study.record.id, "verify", [new])
    study.add("verify", [QUESTION])
    return study


@ON_A_FILE
def test_an_answer_without_the_page_of_its_task_was_shown_nothing(studio_workspace: Workspace) -> None:
    study = made(studio_workspace)
    study.answer(study.person(), {"choices": [1]})
    assert settled(study) == []


@ON_A_FILE
def test_those_who_left_are_in_no_figure(studio_workspace: Workspace) -> None:
    study = made(studio_workspace)
    person = study.person()
    work, _ = visit(study, person)
    study.submit(person, work, {"choices": [2]})
    ((exposure, suggestion),) = exposures_of_study(study.workspace, study.record.id).values()
    assert (exposure.outcome, suggestion.model) == ("rejected", "small")
    assert suggestion_counts(study.workspace, [work.item.id]) == {work.item.id: (1, 0)}
    participants.withdraw(study.workspace, study.record.id, person.id)
    assert exposures_of_study(study.workspace, study.record.id) == {}
    assert suggestion_counts(study.workspace, [work.item.id]) == {}


def one(number: int, model: str, score: float | None) -> PreAnnotation:
    return PreAnnotation(number, 1, model, "", score, {}, "file", 0.0)


def test_the_highest_score_is_shown_or_the_newest_of_the_model_that_is_named() -> None:
    several = [one(1, "a", 0.2), one(2, "b", 0.9), one(3, "c", None), one(4, "b", 0.1), one(5, "d", 0.9)]

    def number(config: str, suggestions: Any = several) -> int | None:
        best = chosen(suggestions, {"suggestions_from": config})
        return None if best is None else best.id

    assert number("") == 5 and number("b") == 4 and number("c") == 3 and number("z") is None
    assert number("", [one(1, "a", None), one(2, "b", 0.0), one(3, "c", None)]) == 2
    assert number("", [one(1, "a", None), one(3, "c", None)]) == 3 and number("", []) is None


def test_a_setting_is_one_of_three() -> None:
    for value in (True, "some", None, ["half"]):
        with pytest.raises(DefinitionError, match="has to be one of shown, hidden, half, not"):
            read_definition(described([{**VOTE, "suggestions": value}]))
    assert read_definition(described([VOTE])).stages[0].config["suggestions"] == "shown"


@pytest.mark.parametrize("kind", [name for name, kind in STAGE_KINDS.items() if not kind.authored])
def test_the_form_of_every_kind_begins_with_each_field_and_with_all_and_reads_them_as_the_same_answer(
    kind: str,
) -> None:
    handler, config = stage_kind(kind), config_of(kind)
    content = handler.check_content(GOOD[kind][0], config)
    submission: Mapping[str, Any] = GOOD[kind][1]
    if kind == "adjudicate":
        submission = {name: value for name, value in submission.items() if name != "reason"}
    whole = handler.check_suggestion(handler.read_suggestion(submission, content, config), content, config)
    fields = submission["answers"] if kind == "form" else submission
    alone = [{name: value} for name, value in fields.items()]
    for given in (submission, *alone):
        try:
            draft = handler.check_suggestion(given, content, config)
        except SubmissionError:
            assert kind in ("adapt", "group_answers"), "its fields make sense together alone"
            continue
        shown = handler.presented(content, "p-1")
        assert handler.form_values(shown, config, draft)
        parts = handler.answer_parts(draft, content, config)
        everything = handler.answer_parts(whole, content, config)
        assert parts and all(everything[name] == each for name, each in parts.items())
