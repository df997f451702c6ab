"""A person in the studio as a script over HTTP: reads a task's page as a browser does, fills in its form and
sends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode

from studio.tests.web.http import Client, Reply

Fields = Sequence[tuple[str, str]]


class TaskPage(HTMLParser):
    """One task's page.

    address: where its form is sent. hidden: fields that go with every answer. subject: the question in words.
    choices: what can be ticked, by what stands beside it -> (field, value). values: field -> what is written
    in it.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.address = self.subject = ""
        self.hidden: list[tuple[str, str]] = []
        self.choices: dict[str, tuple[str, str]] = {}
        self.values: dict[str, list[str]] = {}
        self._inside = False
        self._ticked = ("", "")
        self._reading: str | None = None
        self._text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "form":
            self._inside = "data-task" in given
            self.address = given["action"] if self._inside else self.address
        if not self._inside:
            return
        if tag == "input" and given.get("type") == "hidden":
            self.hidden.append((given["name"], given["value"]))
        elif tag == "input" and given.get("type") in ("checkbox", "radio"):
            self._ticked = (given["name"], given["value"])
        elif tag == "input" and "name" in given:  # the button that Enter presses has none
            self.values.setdefault(given["name"], []).append(given.get("value", ""))
        elif tag == "textarea" or given.get("class") in ("said", "subject"):
            self._reading, self._text = given.get("name") or given["class"], ""

    def handle_data(self, data: str) -> None:
        self._text += data if self._reading else ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        if self._reading is None or tag not in ("textarea", "span", "p", "h2"):
            return
        text = self._text.strip()
        if self._reading == "said":
            self.choices[text] = self._ticked
        elif self._reading == "subject":
            self.subject = text
        else:
            self.values[self._reading] = [text]
        self._reading = None


@dataclass
class Participant(Client):
    """Somebody with a browser. place: the study's address. page: of the task at hand; None where there is
    none."""

    place: str = ""
    page: TaskPage | None = None
    seen: list[str] = field(default_factory=list)

    def come(self, invitation: str, **criteria: str) -> Participant:
        """Follow an invitation, agree to what stands there, and answer the questions of the population."""
        self._post(invitation, self.csrf(invitation))
        self.place = self._where(self.get("/work"))
        consent = self.get(f"{self.place}/consent").text
        version = consent.partition('name="version" value="')[2].partition('"')[0]
        self._post(
            f"{self.place}/consent",
            self.csrf(self.place + "/consent"),
            [("version", version), ("agree", "yes")],
        )
        if criteria:
            answers = [(f"criterion-{name}", answer) for name, answer in criteria.items()]
            self._post(f"{self.place}/eligibility", self.csrf(f"{self.place}/eligibility"), answers)
        return self

    def sign_in(self, login: str, password: str, study: str) -> Participant:
        """Sign in with a password to work on a study."""
        self._post("/signin", self.csrf(), [("login", login), ("password", password)])
        self.place = f"/work/{study}"
        return self

    def next(self, stage: str) -> TaskPage | None:
        """Ask for the next task of a stage; None where there is nothing to do."""
        asked = self._post(f"{self.place}/next", self.csrf(self.place), [("stage", stage)])
        if "/training/" in asked.place:
            self._train(asked.place)
            asked = self._post(f"{self.place}/next", self.csrf(self.place), [("stage", stage)])
        return self._arrive(asked)

    def _train(self, address: str) -> None:
        """Go through the training of a stage, the first option of each case."""
        case = 0
        while self.get(address).status == 200:
            case += 1
            self._post(address, self.csrf(address), [("case", str(case)), ("option", "0")])

    def step(self, name: str, fields: Fields) -> TaskPage:
        """A step on the way (a suggestion, a challenge); the page as it is afterwards."""
        page = self._at_work()
        self._arrive(
            self.send([*page.hidden, *fields, ("step", name)], page.address.removesuffix("/submit") + "/step")
        )
        return self._at_work()

    def submit(self, fields: Fields) -> TaskPage | None:
        """Send the answer, and go where that leads."""
        page = self._at_work()
        return self._arrive(self.send([*page.hidden, *fields], page.address))

    def tick(self, *said: str) -> TaskPage | None:
        """Send an answer that ticks what is said."""
        page = self._at_work()
        return self.submit([page.choices[each] for each in said])

    def give_back(self) -> TaskPage | None:
        """Give the task at hand back, and go where that leads."""
        page = self._at_work()
        return self._arrive(self.send(page.hidden, page.address.removesuffix("/submit") + "/skip"))

    def send(self, fields: Fields, address: str) -> Reply:
        """A form as it is."""
        sent = {"Origin": self.origin or self.url, "Content-Type": "application/x-www-form-urlencoded"}
        reply = self.ask("POST", address, urlencode(fields).encode(), sent)
        assert reply.status == 303, (address, reply.status, reply.text[-2000:])
        return reply

    def _post(self, address: str, csrf: str, fields: Fields = ()) -> Reply:
        return self.send([("csrf", csrf), *fields], address)

    def _where(self, reply: Reply) -> str:
        assert reply.status == 303, reply.text[-2000:]
        return reply.place

    def _arrive(self, reply: Reply) -> TaskPage | None:
        self.seen.append(reply.place)
        self.page = TaskPage(self.get(reply.place).text) if "/tasks/" in reply.place else None
        return self.page

    def _at_work(self) -> TaskPage:
        assert self.page is not None, f"nothing to do: {self.seen[-3:]}"
        return self.page
