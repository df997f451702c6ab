"""How many people, how fast, how often something goes wrong; and the study that they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from folkways.workspace.database import Workspace
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, invites
from folkways_studio.records import Role, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.workflows.definition import read_definition

ANSWERS = 5
POPULATION = "everybody"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One measurement.

    people, items: how many. seconds: that a person takes for an item, on average. arrival: seconds within
    which all come. lease: seconds for which a slot is kept. leave, late, tabs, twice: how often (0 to 1)
    somebody leaves a task for good, sends it after its lease, works in two tabs, sends twice. drafts: every
    answer is saved as a draft before it is sent, as the page does for those who take seconds. kills: times
    that the server, or one of its processes, is killed, spread over the answers. workers: processes that
    answer. most: seconds for everything.
    """

    name: str
    people: int
    items: int
    seconds: float
    arrival: float
    lease: float
    leave: float = 0.01
    late: float = 0.01
    tabs: float = 0.05
    twice: float = 0.1
    drafts: bool = False
    kills: int = 2
    workers: int = 1
    most: float = 180.0
    seed: int = 0
    study: str = "load"

    @property
    def answers(self) -> int:
        """Judgements that there have to be in the end."""
        return self.items * ANSWERS

    @property
    def stayers(self) -> int:
        """People who wait for slots that others leave: enough that somebody has not answered the item yet."""
        return max(2 * ANSWERS, self.people // 20)

    def described(self) -> Mapping[str, Any]:
        """The study as its file would describe it."""
        return {
            "name": self.study,
            "title": "A study under load",
            "licence": "CC0-1.0",
            "consent": "Nobody is asked here.",
            "populations": [{"name": POPULATION, "culture": "KR"}],
            "stages": [
                {"name": "verify", "kind": "vote", "answers": ANSWERS, "lease_minutes": self.lease / 60}
            ],
        }


def prepare(workspace: Workspace, scenario: Scenario) -> str:
    """Make the study with its items, open it, and return the address of an invitation for everybody."""
    owner = accounts.create_account(workspace, "owner@example.org", "a password for the load")
    study = studies.create_study(workspace, read_definition(scenario.described()), owner=owner.id)
    options = ["soup", "rice", "fruit", "bread"]
    new = [
        NewItem(
            f"q{number}",
            {"question": f"What do people eat at feast {number}?", "options": options},
            POPULATION,
        )
        for number in range(scenario.items)
    ]
    add_items(workspace, study.id, "verify", new)
    studies.set_state(workspace, study.id, StudyState.OPEN)
    _, token = invites.create_invite(workspace, study.id, Role.ANNOTATOR, population=POPULATION)
    return f"/join/{token}"


FAST = Scenario("50 people, 0.15 s an item", people=50, items=200, seconds=0.15, arrival=2.0, lease=10.0)
SLOW = Scenario(
    "500 people, 15 s an item", people=500, items=400, seconds=15.0, arrival=30.0, lease=45.0, most=240.0
)
DRAFTS = replace(SLOW, name="500 people, 15 s an item, drafts", drafts=True)
MANY = replace(
    SLOW,
    name="2,000 people, 15 s an item",
    people=2000,
    items=1600,
    arrival=120.0,
    lease=60.0,
    most=400.0,
    workers=4,
)
