"""Prolific's published API as far as folkways uses it (https://docs.prolific.com/api-reference), as a process
of its own.

It refuses what Prolific refuses: another token, unknown fields' lack, places taken back, bonuses of
strangers. What it was asked is at ``/_stats``; ``/_control`` sets the submissions of the only study.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from tests.support.server_process import Handler, ServerProcess, serve

TOKEN = "prolific-token-of-the-tests"
ID = "64395e9c2332b8a59a65d51e"
NEEDED = (
    "name",
    "description",
    "external_study_url",
    "prolific_id_option",
    "completion_codes",
    "total_available_places",
    "estimated_completion_time",
    "reward",
    "device_compatibility",
)
ACTIONS = ("AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "REQUEST_RETURN")
Answer = tuple[int, Any]


class ProlificServer(ServerProcess):
    """Use as a context manager."""

    module: ClassVar[str] = "studio.tests.support.prolific_server"


class ResearcherAccount:
    """One researcher's account."""

    def __init__(self) -> None:
        self.study: dict[str, Any] = {}
        self.submissions: list[dict[str, Any]] = []
        self.bonuses: dict[str, dict[str, int]] = {}
        self.paid: list[str] = []
        self.asked: list[str] = []

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        self.asked.append(f"{method} {path}")
        if path == "/api/v1/studies/" and method == "POST":
            return self.create(body)
        if path == "/api/v1/submissions/bulk-approve/" and method == "POST":
            return self.approve(body)
        if path == "/api/v1/submissions/bonus-payments/" and method == "POST":
            return self.set_up(body)
        if (found := re.fullmatch(r"/api/v1/bulk-bonus-payments/(\w+)/pay/", path)) and method == "POST":
            self.paid.append(found[1])
            return (
                (202, "Bonus payments are being paid")
                if found[1] in self.bonuses
                else (404, error("Not found"))
            )
        if not self.study or not path.startswith(f"/api/v1/studies/{ID}/"):
            return 404, error("No Study matches the given query.")
        return self.of_the_study(method, path.removeprefix(f"/api/v1/studies/{ID}/"), body)

    def create(self, body: dict[str, Any]) -> Answer:
        missing = [name for name in NEEDED if name not in body]
        if missing:
            return 400, error({name: ["This field is required."] for name in missing})
        codes = [code["code"] for code in body["completion_codes"]]
        if len(set(codes)) < len(codes) or any(
            each["action"] not in ACTIONS for code in body["completion_codes"] for each in code["actions"]
        ):
            return 400, error({"completion_codes": ["Each code must be unique within a study."]})
        if "{{%PROLIFIC_PID%}}" not in body["external_study_url"]:
            return 400, error({"external_study_url": ["The participant's id is missing."]})
        self.study = {**body, "id": ID, "status": "UNPUBLISHED"}
        return 201, self.study

    def of_the_study(self, method: str, rest: str, body: dict[str, Any]) -> Answer:
        if (method, rest) == ("GET", ""):
            return 200, self.study
        if (method, rest) == ("PATCH", ""):
            if (
                set(body) != {"total_available_places"}
                or body["total_available_places"] < self.study["total_available_places"]
            ):
                return 400, error(
                    {"total_available_places": ["Places of a published study can only be increased."]}
                )
            self.study |= body
            return 200, self.study
        if (method, rest) == ("POST", "transition/") and body == {"action": "PUBLISH"}:
            if self.study["status"] != "UNPUBLISHED":
                return 400, error("The study cannot be published.")
            self.study["status"] = "ACTIVE"
            return 200, self.study
        if (method, rest) == ("GET", "submissions/"):
            return 200, {"results": self.submissions}
        return 405, error("Method not allowed")

    def approve(self, body: dict[str, Any]) -> Answer:
        for each in self.submissions:
            if each["id"] in body["submission_ids"]:
                each["status"] = "APPROVED"
        return 200, "Bulk approve in progress"

    def set_up(self, body: dict[str, Any]) -> Answer:
        known = {each["participant_id"] for each in self.submissions}
        amounts = {
            person: round(float(amount) * 100)
            for person, amount in (line.split(",") for line in body["csv_bonuses"].split("\n"))
        }
        wrong = sorted(set(amounts) - known)
        if wrong or body["study_id"] != ID:
            return 400, error(f"These participants have not taken part: {', '.join(wrong)}")
        number = f"bonus{len(self.bonuses)}"
        self.bonuses[number] = amounts
        total = sum(amounts.values())
        return 201, {
            "id": number,
            "study": ID,
            "amount": total,
            "fees": total / 4,
            "vat": 0,
            "total_amount": total * 5 / 4,
        }


def error(detail: Any) -> dict[str, Any]:
    """A refusal as Prolific writes it."""
    return {"error": {"status": 400, "error_code": 140100, "title": "Error", "detail": detail}}


def main() -> None:
    account = ResearcherAccount()

    class Answers(Handler):
        def answer(self, sent: bytes) -> None:
            body = json.loads(sent or b"{}")
            if self.path == "/_control":
                account.submissions = body["submissions"]
                self.say(200, {})
            elif self.path == "/_stats":
                self.say(200, vars(account))
            elif self.headers.get("authorization") != f"Token {TOKEN}":
                self.say(401, error("Authentication credentials were not provided."))
            else:
                self.say(*account.answer(self.command, self.path, body))

    serve(Answers)


if __name__ == "__main__":
    main()
