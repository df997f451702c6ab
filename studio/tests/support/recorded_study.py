"""One study in which everything has happened once: what its services return and its exports hold is recorded
whole (studio/tests/recorded).

Time stands still but for what is done here, and what is drawn at random is counted, so that two runs make the
same study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from folkways.workspace.database import Workspace
from folkways_studio.items import discussion
from folkways_studio.items.preannotations import NewPreAnnotation, add_suggestions
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, invites, participants, suspension
from folkways_studio.programs import ml_backends, tokens, webhooks
from folkways_studio.records import Participant, Role, Study, StudyState
from folkways_studio.studies import descriptions
from folkways_studio.studies import service as studies
from folkways_studio.work import (
    adjudications,
    assignees,
    corrections,
    drafts,
    gold,
    judgements,
    leases,
    redaction,
)
from folkways_studio.work.assignments import Work
from folkways_studio.work.exposures import exposed
from folkways_studio.work.task_pages import get_task_page
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.yaml_text import as_yaml
from studio.tests.stages.test_form import ANSWERS as FORM_ANSWERS
from studio.tests.stages.test_form import ASK, CONTENT
from studio.tests.support.fixed_clock import Clock
from studio.tests.support.studies import next_work

START = 1_700_000_000.0
AGE = {"name": "age", "ask": "How old are you?", "least": 18, "most": 99}
GENDER = {
    "name": "gender",
    "ask": "Your gender?",
    "options": ["woman", "man"],
    "quota": {"woman": 6},
    "margins": {"woman": 1, "man": 1},
}
FORM = [*ASK, {"key": "names", "type": "texts", "label": "Other names", "required": False}]
DESCRIPTION: dict[str, Any] = {
    "name": "village",
    "title": "A village",
    "language": "en",
    "workflow": "verification",
    "about": "What people of a village do.",
    "licence": "CC-BY-4.0",
    "consent": {"en": "You agree that your answers are published.", "ko": "답변이 공개되는 것에 동의합니다."},
    "populations": [
        {
            "name": "uk",
            "title": "United Kingdom",
            "culture": "GB",
            "language": "en",
            "people": 9,
            "criteria": [AGE, GENDER],
        },
        {"name": "wales", "title": "Wales", "culture": "GB", "language": "cy", "part_of": "uk"},
        {"name": "korea", "title": "Korea", "culture": "KR"},
    ],
    "stages": [
        {
            "name": "verify",
            "title": "Verify questions",
            "kind": "vote",
            "answers": 2,
            "majority": 2,
            "second_round": True,
            "min_seconds": 5,
            "least": 3,
            "cap": 6,
            "minutes": 0.5,
            "suggestions": "half",
            "qualification": {"questions": 1, "pass_mark": 1, "tries": 2, "populations": ["korea"]},
            "gold": {"every": 3, "rules": [{"then": "warn", "after": 1}, {"then": "pause", "after": 2}]},
        },
        {
            "name": "etiquette",
            "kind": "form",
            "answers": 2,
            "ask": FORM,
            "lease_minutes": 5,
            "next": {"disagree": "decide"},
        },
        {"name": "decide", "kind": "adjudicate", "role": "expert"},
        {"name": "opinions", "kind": "survey_question", "answers": 3},
        {"name": "everyday", "kind": "collect_question", "quota": 4},
    ],
    "models": {"suggester": "small", "most_calls": 9, "most_usd": 2.5},
    "prolific": {"completed": "C-DONE", "screened_out": "C-OUT", "no_work": "C-NONE"},
    "pay": {
        "per_hour": 12,
        "per_answer": 0.1,
        "currency": "GBP",
        "training": True,
        "budget": 40,
        "wages": [
            {"per_hour": 11.44, "source": "National living wage 2024"},
            {
                "population": "korea",
                "per_hour": 9860,
                "currency": "KRW",
                "exchange": 0.0006,
                "source": "Minimum wage 2024",
            },
        ],
    },
}
QUESTIONS = [
    {"question": "What do people eat first?", "options": ["soup", "rice", "fruit", "bread"]},
    {"question": "Who pours the tea?", "options": ["the host", "the youngest", "the eldest", "nobody"]},
    {"question": "When do guests leave?", "options": ["at ten", "after tea", "at dawn", "when asked"]},
    {"question": "What do people eat first of all?", "options": ["soup", "rice", "fish", "=bread"]},
]
CHOICES = {"q1": [0], "q2": [1], "q3": [3], "any": [1]}
KNOWN = {"question": "Which day is after Monday?", "options": ["Tuesday", "Friday", "Sunday", "Saturday"]}
ANSWERS: dict[str, Any] = {**FORM_ANSWERS, "names": ["kitchen", "hearth"]}
OTHERS = {
    **ANSWERS,
    "polite": "yes",
    "fit": -2,
    "order": ["soup", "cake", "broth"],
    "words": [[7, 12], [15, 20]],
}
OPINION = {"text": "Guests call first.", "options": ["Agree", "Neither", "Disagree"], "ordered": "yes"}


@dataclass
class RecordedStudy:
    """The study, and who is in it by name."""

    workspace: Workspace
    clock: Clock
    study: Study
    accounts: dict[str, int]
    people: dict[str, Participant]
    items: dict[str, int]
    description: dict[str, Any]
    left: float = START
    """When all had happened."""

    def person(self, name: str) -> Participant:
        """Somebody as they are now."""
        return participants.get_participant(self.workspace, self.people[name].id)

    def join(self, name: str, population: str, **about: Any) -> Participant:
        """Let somebody in by an invitation."""
        self.clock.wait(60)
        by = self.accounts["owner"]
        _, token = invites.create_invite(self.workspace, self.study.id, population=population, uses=2, by=by)
        joined = participants.join(self.workspace, token, external=about.get("external"))
        self.people[name] = participants.consent(self.workspace, joined.id, self.study.consent_version)
        if population == "uk":
            answers = {"age": about["age"], "gender": about["gender"]}
            self.people[name] = participants.answer_eligibility(self.workspace, joined.id, answers)
        return self.people[name]

    def staff(self, name: str, role: Role) -> None:
        """An account of the study's staff."""
        self.accounts[name] = accounts.create_account(
            self.workspace,
            f"{name}@{self.study.name}.example.org",
            None,
            name=f"{name.title()} Jones",
            locale="cy",
        ).id
        self.people[name] = participants.add_staff(
            self.workspace, self.study.id, self.accounts[name], role, by=self.accounts["owner"]
        )

    def add(self, stage: str, new: list[NewItem]) -> None:
        """Items of a stage, by key."""
        added = add_items(self.workspace, self.study.id, stage, new, by=self.accounts["owner"])
        self.items |= {item.key: item.id for item in added}

    def take(self, name: str, stage: str) -> Work:
        """The next task of somebody."""
        work = next_work(self.workspace, self.people[name].id, stage=stage)
        assert isinstance(work, Work), (name, stage, work)
        return work

    def answer(self, name: str, stage: str, submission: Mapping[str, Any], seconds: float) -> Work:
        """Somebody answers their next task after so many seconds; a question of known answer rightly."""
        work = self.take(name, stage)
        person = self.people[name]
        exposed(self.workspace, person.id, get_task_page(self.workspace, person, work.assignment.id))
        self.clock.wait(seconds)
        said = {"choices": [0]} if work.item.check else submission
        judgements.submit(self.workspace, person.id, work.assignment.id, said, f"key-{work.assignment.id}")
        return work


def build_recorded_study(workspace: Workspace, clock: Clock, name: str = "village") -> RecordedStudy:
    """The study of that name; any but the first is without the last stage, and has titles of its own."""
    description = {**DESCRIPTION, "name": name}
    if name != "village":
        clock.drawn = 1000  # whatever was drawn before
        for key, parts in (
            ("populations", DESCRIPTION["populations"]),
            ("stages", DESCRIPTION["stages"][:-1]),
        ):
            description[key] = [{**each, "title": f"{each['name']} of the {name}"} for each in parts]
    owner = accounts.create_account(workspace, f"owner@{name}.example.org", None, name="Olga Owner").id
    study = studies.create_study(workspace, read_definition(description), owner=owner)
    recorded = RecordedStudy(workspace, clock, study, {"owner": owner}, {}, {}, description)
    for member, role in (("rae", Role.RESEARCHER), ("rhys", Role.REVIEWER), ("eve", Role.EXPERT)):
        recorded.staff(member, role)
    recorded.add("verify", [NewItem(f"q{number}", each, "korea") for number, each in enumerate(QUESTIONS, 1)])
    recorded.add("verify", [NewItem("uk1", QUESTIONS[0], "uk"), NewItem("any", QUESTIONS[1])])
    recorded.add("verify", [NewItem("test", KNOWN, None, {"choices": [0]}, True)])
    recorded.add(
        "verify",
        [NewItem("gold", KNOWN, None, {"choices": [0]}), NewItem("gold2", KNOWN, "korea", {"choices": [0]})],
    )
    recorded.add(
        "etiquette", [NewItem("e1", CONTENT, "korea"), NewItem("e2", {**CONTENT, "one": "Coffee?"}, "korea")]
    )
    recorded.add("opinions", [NewItem("calls", OPINION, "uk")])
    _suggest(recorded)
    recorded.study = study = studies.set_state(workspace, study.id, StudyState.OPEN, by=owner)

    recorded.join("kim", "korea")
    recorded.join("lee", "korea", external={"prolific_pid": "PID-1", "session_id": "S-1"})
    recorded.join("bob", "uk", age="41", gender="man")
    recorded.join("sue", "uk", age="29", gender="woman")
    recorded.join("tot", "uk", age="7", gender="woman")
    recorded.join("cai", "wales")
    recorded.join("gone", "korea")
    _work(recorded)
    _decide(recorded)
    recorded.study, recorded.left = studies.get_study(workspace, name), clock.now
    return recorded


def _suggest(recorded: RecordedStudy) -> None:
    about, items = (recorded.workspace, recorded.study.id), recorded.items
    for model, version, score, places in (
        ("tagger", "2", 0.75, (0, 1, 0, 2)),
        ("reader", "", None, (0, 0, 2, 2)),
    ):
        new: list[tuple[int | str, NewPreAnnotation]] = [
            (items[f"q{number}"], NewPreAnnotation(model, {"choices": [place]}, version, score))
            for number, place in enumerate(places, 1)
        ]
        add_suggestions(*about, "verify", new)
    first = NewPreAnnotation("tagger", {"polite": "no", "words": [[7, 12, "Küche"]]}, "2", 0.5)
    add_suggestions(*about, "etiquette", [(items["e1"], first)])


def _work(recorded: RecordedStudy) -> None:
    for name in ("kim", "lee", "gone"):
        recorded.answer(name, "verify", {"choices": [0]}, 12)  # the test
    for name, keys, least in (
        ("kim", {"q1", "q2"}, 4),
        ("lee", {"q1", "q2"}, 3),
        ("gone", set(), 1),
        ("cai", {"uk1", "any"}, 2),
    ):
        number = 0
        while keys or number < least:  # where those of known answer come is drawn
            key = recorded.take(name, "verify").item.key
            choices = [1, 2] if (name, key) == ("lee", "q2") else CHOICES.get(key, [0])
            recorded.answer(
                name, "verify", {"choices": choices, "comment": f"{name} said so"}, 4 + 7 * number
            )
            keys.discard(key)
            number += 1
    for name, age in (("bob", 1), ("sue", 2)):
        recorded.answer(name, "opinions", {"answer": age}, 30)
    recorded.answer("kim", "etiquette", {"answers": ANSWERS}, 95.5)
    recorded.answer("lee", "etiquette", {"answers": OTHERS}, 61)
    recorded.answer("kim", "etiquette", {"answers": ANSWERS}, 40)
    work = recorded.take("lee", "etiquette")
    drafts.save_draft(
        recorded.workspace, recorded.people["lee"].id, work.assignment.id, {"answers": {"polite": "yes"}}, 0
    )


def _decide(recorded: RecordedStudy) -> None:
    workspace, study, clock, people = recorded.workspace, recorded.study.id, recorded.clock, recorded.people
    owner, items = recorded.accounts["owner"], recorded.items
    clock.wait(3600)
    discussion.add_comment(workspace, study, items["q2"], recorded.accounts["eve"], "Is tea meant?")
    clock.wait(10)
    answer = discussion.add_comment(workspace, study, items["q2"], owner, "Yes.")
    discussion.edit_comment(workspace, study, answer.id, owner, "Yes: green tea.")
    discussion.set_resolved(workspace, study, items["q2"], True, by=owner)
    discussion.add_comment(workspace, study, items["e1"], owner, "Too loud for what?")
    adjudications.drop(workspace, study, items["q4"], owner, "like the first")
    clock.wait(60)
    work = recorded.take("kim", "verify")
    leases.release(workspace, people["kim"].id, work.assignment.id, skip=True, reason="I know the author")
    first = corrections.sent_by(workspace, people["bob"].id)[0]
    corrected = {"no_answer": "dont_know"}
    corrections.correct(workspace, people["bob"].id, first.judgement.assignment_id, corrected, "again")
    answered = {each.item.key: each.judgement.id for each in corrections.sent_by(workspace, people["lee"].id)}
    redaction.redact(workspace, study, answered["q2"], by=owner)
    everybody = assignees.people_of(workspace, study).assignees()
    wanted = {
        items["q3"]: [everybody[people["lee"].pseudonym], everybody["uk"]],
        items["any"]: [everybody[people["sue"].pseudonym], everybody["korea"]],
        items["e2"]: [everybody["korea"]],
    }
    assignees.assign(workspace, study, wanted, by=owner)
    gold.make_gold(workspace, study, items["q1"], by=owner)
    accounts.take_role(workspace, study, recorded.accounts["rhys"], Role.REVIEWER, by=owner)
    clock.wait(60)
    participants.withdraw(workspace, study, people["gone"].id)
    suspension.exclude(workspace, study, people["cai"].id, "two accounts", by=owner)
    participants.finish(workspace, people["sue"].id)
    webhooks.create_webhook(workspace, study, "http://127.0.0.1:9/hook", ["study.edited"], by=owner)
    tokens.create_token(workspace, owner, study_id=study, name="notebook", days=7, by=owner)
    ml_backends.create_backend(workspace, study, "verify", "toner", "https://example.org/ml", by=owner)
    text = as_yaml({**recorded.description, "title": "A village in the hills"})
    descriptions.edit_study(workspace, study, text, by=owner)
