"""Studies of a server, through its API."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from folkways.errors import FolkwaysError, UnknownNameError
from folkways.studio.clients.desk import Rows
from folkways.studio.clients.json_client import JsonClient, segment

TOKEN_VARIABLE = "FOLKWAYS_STUDIO_TOKEN"  # noqa: S105 - the name of a variable, not a token
PAGE = 500


class RemoteDesk:
    """A server; its token comes from the environment alone. See ``desk.Desk``."""

    def __init__(self, address: str) -> None:
        token = os.environ.get(TOKEN_VARIABLE, "")
        if not token:
            raise FolkwaysError(
                f"the server wants a token; make one on the study's page API and put it into the environment as {TOKEN_VARIABLE}"
            )
        self.client = JsonClient(f"{address.rstrip('/')}/api/v1", "the studio", f"Bearer {token}")

    def _ask(self, method: str, study: str, path: str = "", body: object = None, **query: object) -> Any:
        return self.client.ask(method, f"/studies/{segment(study)}{path}", body, **query)

    def _all(self, path: str) -> list[dict[str, Any]]:
        """Every page of a list."""
        found: list[dict[str, Any]] = []
        cursor: int | None = None
        while True:
            page = self.client.ask("GET", path, limit=PAGE, cursor=cursor)
            found += page["data"]
            cursor = page["next"]
            if cursor is None:
                return found

    def _person(self, study: str, pseudonym: str) -> int:
        found = {each["pseudonym"]: int(each["id"]) for each in self._all(f"/studies/{segment(study)}/participants")}
        if pseudonym not in found:
            raise UnknownNameError("participant", pseudonym, found)
        return found[pseudonym]

    def create(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        """Make a study; its owner is the token's account."""
        made: dict[str, Any] = self.client.ask("POST", "/studies", {"definition": dict(definition)})
        return made

    def give_role(self, study: str, login: str, role: str) -> None:
        """Give an account of the server a role."""
        self._ask("POST", study, "/members", {"login": login, "role": role})

    def studies(self) -> list[dict[str, Any]]:
        """See Desk."""
        return self._all("/studies")

    def definition(self, study: str) -> Mapping[str, Any]:
        """See Desk."""
        found: Mapping[str, Any] = self._ask("GET", study)["definition"]
        return found

    def set_state(self, study: str, state: str) -> str:
        """See Desk."""
        return str(self._ask("PUT", study, "/state", {"state": state})["state"])

    def invite(self, study: str, role: str, population: str | None, uses: int | None, days: float, note: str) -> str:
        """See Desk."""
        body = {"role": role, "population": population, "uses": uses, "days": days, "note": note}
        return str(self._ask("POST", study, "/invites", body)["link"])

    def import_items(self, study: str, stage: str, rows: Rows, population: str | None, file: str) -> int:
        """See Desk."""
        body = {"stage": stage, "rows": [dict(row) for row in rows], "population": population}
        return int(self._ask("POST", study, "/items", body)["added"])

    def draw(self, study: str, **how: Any) -> Mapping[str, tuple[int, int]]:
        """See Desk."""
        models = how.pop("models")
        counts = self._ask("POST", study, "/draws", {**how, "models": list(models) if models is not None else None})["counts"]
        return {culture: (taken, there) for culture, (taken, there) in counts.items()}

    def export(self, study: str, format: str, discussion: bool = False) -> Mapping[str, bytes]:
        """See Desk."""
        content = self.client.ask_bytes(
            "GET", f"/studies/{segment(study)}/export", format=format, discussion=str(discussion).lower()
        )
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if any(PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name for name in names):
                    raise FolkwaysError("the server's export names files outside of its folder; nothing was written")
                return {name: archive.read(name) for name in names}
        except zipfile.BadZipFile:
            raise FolkwaysError("the server's export is no ZIP; try again, and check the address") from None

    def progress(self, study: str) -> list[dict[str, Any]]:
        """See Desk."""
        found: list[dict[str, Any]] = self._ask("GET", study, "/progress")
        return found

    def agreement(self, study: str) -> list[dict[str, Any]]:
        """See Desk."""
        found: list[dict[str, Any]] = self._ask("GET", study, "/agreement")
        return found

    def payments(self, study: str) -> list[dict[str, Any]]:
        """See Desk."""
        return self._all(f"/studies/{segment(study)}/payments")

    def hand_out(self, study: str, person: str, stage: str, count: int, hours: float) -> bytes:
        """See Desk."""
        path = f"/studies/{segment(study)}/participants/{self._person(study, person)}/hand-out"
        return self.client.ask_bytes("POST", path, {"stage": stage, "count": count, "hours": hours})

    def take_in(self, study: str, person: str, rows: Rows, file: str) -> dict[str, int]:
        """See Desk."""
        body = {"rows": [dict(row) for row in rows]}
        taken: dict[str, int] = self._ask("POST", study, f"/participants/{self._person(study, person)}/take-in", body)
        return taken
