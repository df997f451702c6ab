"""One study with every stage of every shipped study, people of every role, and something of everything that pages
show; at a time and with random names that are the same in each run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows
from folkways_studio.items import discussion, imports
from folkways_studio.items import service as items
from folkways_studio.items.reading import content_of
from folkways_studio.items.service import NewItem
from folkways_studio.media import service as media
from folkways_studio.people import accounts, invites, participants
from folkways_studio.programs import ml_backends, tokens, webhooks
from folkways_studio.records import Participant, Role, Stage, StudyState
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.work.assignments import Work
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.templates import TEMPLATES, template_text
from studio.tests.support.fixed_clock import Clock
from studio.tests.support.studies import PASSWORD, StudyFixture, described, next_work
from studio.tests.web.test_templates_walked import FIRST, MEDIA, answer_of

BEGIN = 1_780_000_000.0
WORKERS = (Role.ANNOTATOR, Role.REVIEWER, Role.EXPERT, Role.RESEARCHER)
TESTED = "verification-verify"
"""The stage with a test before it, and with questions of known answer."""

KEPT = (
    *("red-teaming-write", "red-teaming-review", TESTED),
    *(f"everyday-questions-{name}" for name in ("collect", "curate", "localise", "answer", "review")),
    *(
        "judging-judge",
        "preference-prefer",
        "norms-rate",
        "cultural-references-mark",
        "cultural-references-decide",
    ),
)
"""Stages of shipped studies of which each shows something that no other does."""

IN_BOTH = ("judging-judge", "preference-prefer", "norms-rate")
"""Those of them that the neighbour has as well."""


FEW = {
    "answers": 2,
    "majority": 2,
    "per_category": 3,
    "least_per_category": 2,
    "people_per_category": 1,
    "most_idk": 2,
}
TEST = {"questions": 2, "pass_mark": 0.5, "tries": 2, "feedback": True}
GOLD = {"every": 2, "rules": [{"then": "warn", "below": 0.9, "after": 1}]}
POPULATIONS = [
    {
        "name": "korea",
        "title": "South Korea",
        "culture": "KR",
        "language": "ko",
        "people": 40,
        "criteria": [
            {"name": "nationality", "ask": "What is your nationality?", "options": ["Korean", "Another"], "accept": ["Korean"]},
            {"name": "age", "ask": "How old are you, in years?", "least": 18},
            {"name": "years", "ask": "How many years have you lived there?", "of": "age", "over": 0.5, "optional": True},
        ],
    },
]  # fmt: skip

SETTINGS: dict[str, Any] = {
    "populations": POPULATIONS,
    "pay": {"per_hour": 12, "currency": "EUR", "budget": 500},
    "prolific": {"completed": "DONE1", "screened_out": "OUT1", "no_work": "NOWORK1"},
}


def every_stage() -> list[dict[str, Any]]:
    """Those stages, each named after its study too, with few answers wanted."""
    stages = []
    for template in [name for name in TEMPLATES if any(kept.startswith(name) for kept in KEPT)]:
        for stage in yaml.safe_load(template_text(template))["stages"]:
            name = f"{template}-{stage['name']}"
            few = {setting: most for setting, most in FEW.items() if setting in stage}
            ends = {end: f"{template}-{target}" for end, target in (stage.get("next") or {}).items()}
            leads = {end: target for end, target in ends.items() if target in KEPT}
            named = {"name": name, "title": f"{stage['title']} ({template})", "next": leads}
            stages.append({**stage, **few, **named, "training": template == "judging"})
    stages = [stage for stage in stages if stage["name"] in KEPT]
    (verify,) = [stage for stage in stages if stage["name"] == TESTED]
    del verify["check_every"]
    verify |= {"qualification": TEST, "gold": GOLD}
    return stages


@dataclass
class RichStudy:
    """The study while it is made. people: by role. numbers: of something
    of each sort that pages have, by the name that addresses have for it."""

    study: StudyFixture
    clock: Clock
    people: dict[str, list[Participant]] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)

    @property
    def workspace(self) -> Workspace:
        return self.study.workspace

    @property
    def stages(self) -> tuple[Stage, ...]:
        return studies.stages(self.workspace, self.study.record.id)

    def first_items(self) -> None:
        """Two items for each stage whose items come from outside, three and questions of known answer where there
        is a test."""
        stages = self.stages
        reached = {target for stage in stages for target in stage.config["next"].values()}
        for stage in stages:
            kind = stage_kind(stage.kind)
            if kind.authored or stage.name in reached:
                continue
            template = next(name for name in TEMPLATES if stage.name.startswith(name))
            content = FIRST.get(template) or content_of(kind.example_row(stage.config), kind.own_columns)
            population = "korea" if stage.role == Role.ANNOTATOR else None
            count = 3 if stage.name == TESTED else 2
            new = [NewItem(f"{template}-{number}", content, population) for number in range(count)]
            if stage.name == TESTED:
                right = {"choices": [2]}
                new += [
                    NewItem(f"known-{number}", content, population, right, number < 2) for number in range(4)
                ]
            items.add_items(self.workspace, self.study.record.id, stage.name, new)

    def come(self) -> None:
        """Two people of each role, and a third who answers what others wrote."""
        self.people = {role: [self.study.person(role=role) for _ in range(2)] for role in WORKERS}
        self.people[Role.ANNOTATOR].append(self.study.person())
        for person in self.people[Role.ANNOTATOR]:
            why = "known in person"
            participants.waive_eligibility(
                self.workspace, self.study.record.id, person.id, why, by=self.study.owner
            )

    def walk(self, look: Callable[[Stage, Participant, Work], None]) -> None:
        """Everybody answers what they are given, stage by stage; the first task of each stage is looked at."""
        for stage in self.stages:
            authored = stage_kind(stage.kind).authored
            for number, person in enumerate(self.people[stage.role]):
                if stage.config["training"]:
                    self.study.train(person, stage.name)
                for turn in range(1 if authored else 6):
                    work = next_work(self.workspace, person.id, stage=stage.name)
                    if not isinstance(work, Work):
                        break
                    if (number, turn) == (0, 0):
                        look(stage, person, work)
                    self.clock.wait(7 + number)
                    differs = work.item.key.endswith(("0", "1")) and "-1" not in work.item.key
                    answer = answer_of(stage, work.item.content, number * differs)
                    if stage.name == TESTED:  # the others pass the test with one of two, and are warned later
                        answer = {"choices": [2 if number == 0 or turn == 0 else 0]}
                    self.study.submit(person, work, answer)

    def talk(self) -> None:
        """What stands beside the work: comments, invitations, files, programs."""
        study, owner, item = self.study.record.id, self.study.owner, self.numbers["item"]
        workspace = self.workspace
        first = discussion.add_comment(workspace, study, item, owner, "Is <this> meant?")
        self.clock.wait(60)
        discussion.edit_comment(workspace, study, first.id, owner, "Is <that> meant?")
        discussion.add_comment(workspace, study, item, self.people[Role.EXPERT][0].account_id, "It is.")
        invite, self.numbers["token"] = invites.create_invite(workspace, study, population="korea")
        token, _ = tokens.create_token(workspace, owner, study_id=study, by=owner)
        backend = ml_backends.create_backend(
            workspace, study, TESTED, "toner", "https://example.org/ml", private=False
        )
        job = ml_backends.begin_job(workspace, study, backend.id, "predict")
        ml_backends.cancel_job(workspace, study, job.id)
        hook, _ = webhooks.create_webhook(workspace, study, "http://127.0.0.1:9/", ["study.created"])
        table = imports.begin(workspace, study, TESTED, "table.csv")
        with workspace.write() as connection:  # its command is at work for as long as anybody looks
            change_rows(connection, schema.jobs, {"id": table.id}, seen=2 * BEGIN)
        self.numbers |= {
            **{"invite": invite.id, "api_token": token.id, "backend": backend.id, "job": job.id},
            **{"webhook": hook.id, "import": table.id, "comment": first.id},
        }


def rich_study(
    workspace: Workspace, clock: Clock, look: Callable[[RichStudy, Stage, Participant, Work], None]
) -> RichStudy:
    """Make it in an empty workspace. look: is called at the first task of each stage, before it is answered."""
    owner = accounts.create_account(workspace, "olga@example.org", PASSWORD, name="Olga Owner")
    described_as = described(
        every_stage(), name="rich", title="A rich study", about="What it is about.", **SETTINGS
    )
    study = studies.create_study(workspace, read_definition(described_as), owner=owner.id)
    media.add_media(workspace, study.id, MEDIA)
    opened = studies.set_state(workspace, study.id, StudyState.OPEN)
    rich = RichStudy(StudyFixture(workspace, opened, owner.id, {}), clock)
    rich.first_items()
    rich.come()
    rich.walk(lambda stage, person, work: look(rich, stage, person, work))
    (rich.numbers["item"], *_) = [
        item.id for item in items.list_items(workspace, study.id) if item.key == "norms-0"
    ]
    rich.talk()
    return rich


def neighbour_of(workspace: Workspace, owner: int, clock: Clock, name: str) -> None:
    """Another study of that owner: some of the same stages, answered by others, of whom one leaves."""
    stages = [{**stage, "next": {}} for stage in every_stage() if stage["name"] in IN_BOTH]
    described_as = described(stages, name=name, title="The study next door", **SETTINGS)
    study = studies.create_study(workspace, read_definition(described_as), owner=owner)
    opened = studies.set_state(workspace, study.id, StudyState.OPEN)
    neighbour = RichStudy(StudyFixture(workspace, opened, owner, {}), clock)
    neighbour.first_items()
    neighbour.come()
    neighbour.walk(lambda stage, person, work: None)
    participants.withdraw(workspace, study.id, neighbour.people[Role.ANNOTATOR][2].id)
