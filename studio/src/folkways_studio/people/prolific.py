"""Client of Prolific: makes and publishes studies there, approves people, pays bonuses and adds places.

See https://docs.prolific.com/api-reference. The token comes from the environment and is sent only to
``ADDRESS``. As in that API, rewards are in hundredths of the account's currency and bonuses in its units.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from folkways.sdk.errors import FolkwaysError
from folkways_studio.clients.json_client import JsonClient, segment

ADDRESS = "https://api.prolific.com"
TOKEN_VARIABLE = "PROLIFIC_API_TOKEN"  # noqa: S105 - the name of a variable, not a token
PARAMETERS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
"""Prolific fills these in when it sends somebody to our link."""

AWAITING = "AWAITING REVIEW"
MOST_BONUSES = 200
"""People in one bonus payment."""

CODES = {
    "completed": ("COMPLETED", {"action": "MANUALLY_REVIEW"}),
    "screened_out": (
        "OTHER",
        {"action": "REQUEST_RETURN", "return_reason": "You do not meet the criteria of this study."},
    ),
    "no_work": ("OTHER", {"action": "MANUALLY_REVIEW"}),
}
"""Key of a study's ``prolific`` -> type of the completion code there, and what happens when it is entered.
Only ``approve`` pays people."""


@dataclass(frozen=True, slots=True)
class ProlificSubmission:
    """One person's part in a study at Prolific."""

    id: str
    participant: str
    status: str


@dataclass(frozen=True, slots=True)
class Recruitment:
    """How a study is offered. reward: per person, in hundredths. minutes: the announced duration."""

    title: str
    description: str
    link: str
    places: int
    reward: int
    minutes: int
    codes: Mapping[str, str]


class Prolific:
    """The Prolific account of the token in the environment; FolkwaysError without one."""

    def __init__(self) -> None:
        token = os.environ.get(TOKEN_VARIABLE, "")
        if not token:
            raise FolkwaysError(
                f"Prolific needs a token; make one in its settings and set {TOKEN_VARIABLE} to it"
            )
        self.client = JsonClient(ADDRESS, "Prolific", f"Token {token}")

    def _ask(self, method: str, path: str, body: object = None, **query: object) -> Any:
        return self.client.ask(method, f"/api/v1{path}", body, **query)

    def create(self, recruitment: Recruitment) -> str:
        """Make an unpublished study and return its id there."""
        codes = [
            {"code": str(recruitment.codes[name]), "code_type": kind, "actions": [action]}
            for name, (kind, action) in CODES.items()
            if recruitment.codes.get(name)
        ]
        body = {
            "name": recruitment.title,
            "description": recruitment.description,
            "external_study_url": f"{recruitment.link}?{PARAMETERS}",
            "prolific_id_option": "url_parameters",
            "completion_codes": codes,
            "total_available_places": recruitment.places,
            "estimated_completion_time": recruitment.minutes,
            "reward": recruitment.reward,
            "device_compatibility": ["desktop", "tablet", "mobile"],
        }
        return str(self._ask("POST", "/studies/", body)["id"])

    def show(self, study: str) -> dict[str, Any]:
        """The study there: name, status, total_available_places, places_taken, reward, and more."""
        return dict(self._ask("GET", f"/studies/{segment(study)}/"))

    def publish(self, study: str) -> str:
        """Publish a study and return its status."""
        return str(
            self._ask("POST", f"/studies/{segment(study)}/transition/", {"action": "PUBLISH"})["status"]
        )

    def top_up(self, study: str, places: int) -> int:
        """Set the number of places to ``places`` and return the old one. FolkwaysError unless it grows."""
        before = int(self.show(study)["total_available_places"])
        if places <= before:
            raise FolkwaysError(f"the study has {before} places already; give a larger number, of all places")
        self._ask("PATCH", f"/studies/{segment(study)}/", {"total_available_places": places})
        return before

    def submissions(self, study: str) -> list[ProlificSubmission]:
        """Everybody who took a place."""
        rows = self._ask("GET", f"/studies/{segment(study)}/submissions/")["results"]
        return [
            ProlificSubmission(str(each["id"]), str(each["participant_id"]), str(each["status"]))
            for each in rows
        ]

    def approve(self, submissions: Iterable[ProlificSubmission]) -> None:
        self._ask("POST", "/submissions/bulk-approve/", {"submission_ids": [each.id for each in submissions]})

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> tuple[str, Decimal]:
        """Prepare bonuses (participant at Prolific -> amount) without paying them. Returns the id of the
        payment and its cost with fees."""
        lines = "\n".join(f"{person},{amount:.2f}" for person, amount in amounts.items())
        payment = self._ask("POST", "/submissions/bonus-payments/", {"study_id": study, "csv_bonuses": lines})
        return str(payment["id"]), Decimal(str(payment["total_amount"])) / 100

    def pay_bonuses(self, payment: str) -> None:
        """Pay prepared bonuses. Never retried: Prolific would pay twice."""
        self._ask("POST", f"/bulk-bonus-payments/{segment(payment)}/pay/", {})


def review(
    submissions: Iterable[ProlificSubmission],
    payments: Iterable[Mapping[str, Any]],
    study: str,
    completed: object = None,
) -> tuple[list[ProlificSubmission], dict[ProlificSubmission, str]]:
    """The submissions to a study there that await review: those of people who have answered here since they
    came by it (even if they left later) and are to have the code ``completed`` (of the study's file; None
    where it has none), and of the others, each with the reason. payments: what each person is owed for.
    study: its id there."""
    reasons = {
        each["external"]: "who has not answered here"
        if not each["answers"] or each["state"] == "screened_out"
        else "who has not answered here since they came by this study of Prolific"
        if not _answers_by(each["answers_by_study"], study)
        else ""
        if str(each["code"]) == str(completed)
        else f"who is to have {_code(each['code'])} ({each['state']})"
        for each in payments
        if each["external"]
    }
    waiting = [each for each in submissions if each.status == AWAITING]
    why = {each: reasons.get(each.participant, "who has not answered here") for each in waiting}
    return [each for each in waiting if not why[each]], {each: why[each] for each in waiting if why[each]}


def _answers_by(answers: Mapping[str, int], study: str) -> int:
    """The answers that somebody gave after they came by a study; links may name none."""
    return answers.get(study, answers.get("", 0))


def _code(code: object) -> str:
    return "no code" if code is None else f"the code {code}"


def batches(amounts: Mapping[str, Decimal]) -> Iterable[dict[str, Decimal]]:
    """Bonuses in groups of MOST_BONUSES."""
    people = list(amounts)
    for start in range(0, len(people), MOST_BONUSES):
        yield {person: amounts[person] for person in people[start : start + MOST_BONUSES]}
