"""What suggestions do to answers, measured: with people who follow them as often as the test says."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.activity import Exposure, PreAnnotation
from folkways_studio.database import schema
from folkways_studio.exports.archive import export_files
from folkways_studio.items.preannotations import NewPreAnnotation, add_suggestions
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from folkways_studio.records import Role
from folkways_studio.studies import suggestion_effects
from folkways_studio.studies.suggestion_effects import suggestion_figures
from studio.tests.support.studies import (
    ON_A_FILE,
    QUESTION,
    StudyFixture,
    content_of,
    emptied,
    filled,
    open_study,
)
from studio.tests.work.test_exposures import Browser, visit

VOTE = {"name": "verify", "kind": "vote", "answers": 6, "majority": 4, "suggestions": "half"}


@pytest.fixture(scope="module")
def answered(studio_file: Workspace) -> tuple[bytes, StudyFixture]:
    """Twenty items answered by six people: who sees the suggestion takes it, others choose at random. With the
    content of the workspace."""
    study = open_study(emptied(studio_file), [VOTE])
    suggestion = NewPreAnnotation("small", {"choices": [1]}, "2", 0.5)
    known = NewItem("known", QUESTION, "korea", check={"choices": [1]}, suggestions=(suggestion,))
    new = [NewItem(f"q{number}", QUESTION, "korea", suggestions=(suggestion,)) for number in range(20)]
    add_items(study.workspace, study.record.id, "verify", [*new, known])
    chance = random.Random(11)
    for person in [study.person() for _ in range(6)]:
        for _ in range(20):
            work, task = visit(study, person)
            choice = 1 if task.exposure.shown else chance.randrange(4)
            study.submit(person, work, {"choices": [choice]})
    return content_of(studio_file), study


@pytest.fixture
def study(answered: tuple[bytes, StudyFixture]) -> StudyFixture:
    """That study as it was."""
    content, study = answered
    filled(study.workspace, content)
    return study


def test_people_who_follow_what_they_see_are_measured_with_intervals(study: StudyFixture) -> None:
    figures = suggestion_figures(study.workspace, study.record.id)
    (made,) = figures.acceptance
    assert (made.stage, made.model, made.version) == ("verify", "small", "2")
    assert made.shown + made.hidden == 120 and made.accepted == made.shown
    assert (made.changed, made.rejected, made.share_accepted) == (0, 0, 1.0)
    assert made.low is not None and 0.5 < made.low < 1.0 == made.high
    kept, agreement, seconds = figures.effects
    assert [each.measure for each in figures.effects] == ["kept", "agreement", "seconds"]
    assert (
        kept.shown == 1.0
        and kept.hidden < 0.45
        and (kept.n_shown, kept.n_hidden) == (made.shown, made.hidden)
    )
    assert kept.low is not None and 0.3 < kept.low < kept.effect < kept.high <= 1.1
    assert kept.effect == pytest.approx(kept.shown - kept.hidden) and kept.p < 0.001
    assert agreement.shown == 1.0 and agreement.hidden < 0.5 and agreement.low > 0
    assert agreement.n_shown <= kept.n_shown, "who is alone in their half agrees with nobody"
    assert seconds.effect == pytest.approx(seconds.shown / seconds.hidden) and seconds.low < seconds.effect


def test_all_of_it_is_on_the_page_in_the_tables_and_on_the_hub(study: StudyFixture) -> None:
    owner = participants.add_staff(study.workspace, study.record.id, study.owner, Role.RESEARCHER)
    page = Browser(study, owner).page(f"/studies/{study.record.name}/quality")
    assert "Suggestions that forms begin with" in page and "agreement with others of the same half" in page
    files = export_files(study.workspace, study.record.id, "csv")
    rows = list(csv.DictReader(io.StringIO(files["judgements.csv"].decode())))
    shown = [row for row in rows if row["suggestion"] == "shown"]
    hidden = [row for row in rows if row["suggestion"] == "hidden"]
    assert len(shown) + len(hidden) == 120 == len(rows)
    about = (
        "suggestion_drawn",
        "suggestion_model",
        "suggestion_version",
        "suggestion_score",
        "suggestion_parts",
    )
    assert {tuple(row[name] for name in about) for row in rows} == {("True", "small", "2", "0.5", "1")}
    assert {row["suggestion_outcome"] for row in shown} == {"accepted"}
    assert {row["suggestion_outcome"] for row in hidden} == {""}
    assert {row["suggestion_kept"] for row in hidden} == {"0", "1"}
    record = json.loads(files["study.json"])["pre_annotations"]
    assert record["acceptance"][0]["shown"] == len(shown)
    assert [each["measure"] for each in record["effects"]] == ["kept", "agreement", "seconds"]
    suggested = list(csv.DictReader(io.StringIO(files["pre_annotations.csv"].decode())))
    assert len(suggested) == 20, "none of the question with a known answer"
    assert json.loads(suggested[0]["content"]) == {"choices": [1]}
    hub = export_files(study.workspace, study.record.id, "hub")
    croissant = json.loads(hub["croissant.json"])
    assert croissant["rai:machineAnnotationTools"] == ["small"]


def test_who_leaves_leaves_the_figures(study: StudyFixture) -> None:
    for person in study.people()[:5]:
        participants.withdraw(study.workspace, study.record.id, person.id)
    figures = suggestion_figures(study.workspace, study.record.id)
    assert figures.acceptance[0].shown + figures.acceptance[0].hidden == 20
    assert [each.measure for each in figures.effects] == ["kept", "seconds"]
    assert figures.effects[0].low is None and figures.effects[0].reason == "none: under 3 items or people"


@ON_A_FILE
def test_without_suggestions_there_are_no_figures_and_empty_columns(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "suggestions": "shown", "answers": 1, "majority": 1}])
    study.add("verify", [QUESTION] * 2)
    study.answer(study.person(), {"choices": [1]})
    assert suggestion_figures(study.workspace, study.record.id) == suggestion_effects.SuggestionFigures(
        (), ()
    )
    files = export_files(study.workspace, study.record.id, "csv")
    assert "pre_annotations.csv" not in files
    row = next(csv.DictReader(io.StringIO(files["judgements.csv"].decode())))
    assert {row[name] for name in row if name.startswith("suggestion")} == {""}


@ON_A_FILE
def test_a_stage_that_shows_them_to_all_has_shares_and_no_effect(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "suggestions": "shown"}])
    (item,) = study.add("verify", [QUESTION])
    add_suggestions(study.workspace, study.record.id, "verify", [(item, NewPreAnnotation("m", "b"))])
    for choice in (1, 1, 2):
        person = study.person()
        work, _ = visit(study, person)
        study.submit(person, work, {"choices": [choice]})
    figures = suggestion_figures(study.workspace, study.record.id)
    assert figures.effects == ()
    (made,) = figures.acceptance
    assert (made.shown, made.hidden, made.accepted, made.rejected) == (3, 0, 2, 1)
    assert made.share_accepted == pytest.approx(2 / 3)
    assert suggestion_figures(study.workspace, study.record.id, items=[]).acceptance == ()
    with study.workspace.write() as connection:
        config = {**work.stage.config, "suggestions": "hidden"}
        connection.execute(sa.update(schema.stages).values(config=config))
    for choice in (1, 1, 2):
        person = study.person()
        work, _ = visit(study, person)
        study.submit(person, work, {"choices": [choice]})
    figures = suggestion_figures(study.workspace, study.record.id)
    assert (figures.acceptance[0].shown, figures.acceptance[0].hidden) == (3, 3)
    assert figures.effects == (), "who saw it was not drawn"


@ON_A_FILE
def test_questions_of_known_answer_are_in_no_figure(studio_workspace: Workspace) -> None:
    stage = {**VOTE, "suggestions": "shown", "answers": 1, "majority": 1, "check_every": 2}
    study = open_study(studio_workspace, [stage])
    suggestion = (NewPreAnnotation("m", "b"),)
    new = [NewItem(f"q{number}", QUESTION, "korea", suggestions=suggestion) for number in range(3)]
    known = NewItem("known", QUESTION, "korea", check={"choices": [1]}, suggestions=suggestion)
    add_items(study.workspace, study.record.id, "verify", [*new, known])
    person, keys = study.person(), []
    for _ in range(4):
        work, task = visit(study, person)
        keys.append(work.item.key)
        assert task.prefilled == {"choices": [1]}, "it looks like any other"
        study.submit(person, work, {"choices": [1]})
    assert "known" in keys
    (made,) = suggestion_figures(study.workspace, study.record.id).acceptance
    assert made.shown == 3


def answer(item: int, person: int, shown: bool, label: Any, seconds: float | None, kept: int = 1) -> Any:
    exposure = Exposure(item, person, 1, "half", shown, None, 2, kept, 0.0)
    suggestion = PreAnnotation(1, item, "m", "", None, {}, "file", 0.0)
    labels = {} if label is None else {"choices": label, "tone": "x"}
    return suggestion_effects.SuggestedAnswer(1, item, person, seconds, labels, exposure, suggestion)


def test_agreement_is_with_the_others_of_ones_own_half() -> None:
    rows = [
        answer(1, 1, True, "a", 1),
        answer(1, 2, True, "a", 1),
        answer(1, 3, True, "b", 1),
        answer(1, 4, False, "a", 1),
        answer(1, 5, False, None, 1),
        answer(2, 1, True, "a", 1),
    ]
    assert suggestion_effects.agreement_in_half(rows) == [0.75, 0.75, 0.5, None, None, None]
    assert suggestion_effects.kept_shares([answer(1, 1, True, "a", 1, kept=1)]) == [0.5]


def test_times_are_logarithms_without_breaks() -> None:
    rows = [answer(number, 1, True, "a", 10.0) for number in range(9)]
    rows += [answer(9, 1, False, "a", 4000.0), answer(10, 2, False, "a", None), answer(11, 2, True, "a", 0.0)]
    logs = suggestion_effects.log_seconds(rows)
    assert logs[:10] == [math.log(10.0)] * 10 and logs[10:] == [None, None]
    assert suggestion_effects.log_seconds([answer(1, 1, True, "a", None)]) == [None]


def test_times_are_compared_as_how_many_times_as_long() -> None:
    rows = [
        answer(
            item, person, (item + person) % 2 == 0, "a", 20.0 + item if (item + person) % 2 else 10.0 + item
        )
        for item in range(6)
        for person in range(6)
    ]
    effect = suggestion_effects.effect_of("s", "seconds", rows, suggestion_effects.log_seconds(rows))
    assert effect is not None and effect.low is not None and effect.high is not None
    assert effect.effect == pytest.approx(effect.shown / effect.hidden) and 0.5 < effect.effect < 0.6
    assert effect.low < effect.effect < effect.high < 1
    assert suggestion_effects.effect_of("s", "kept", rows[:1], [1.0]) is None
