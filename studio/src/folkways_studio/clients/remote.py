"""Studies of a server, through its API."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from folkways.sdk.errors import FolkwaysError, UnknownNameError
from folkways_studio.clients.json_client import JsonClient, segment
from folkways_studio.clients.local import MediaFiles, Rows
from folkways_studio.items.imports import AT_WORK, ImportState
from folkways_studio.items.reading import OnProgress
from folkways_studio.media.reading import LARGEST_BYTES, MOST_FILES

TOKEN_VARIABLE = "FOLKWAYS_STUDIO_TOKEN"  # noqa: S105 - the name of a variable, not a token
PAGE = 500
SOONEST, LATEST = 0.2, 2.0
"""Seconds until it is asked again how far an import is: at first, and after a while."""
PATIENCE = 60.0
"""Seconds for which a server that does not answer is asked again."""
DONE = ImportState.DONE


class RemoteStudyClient:
    """A server; its token comes from the environment alone. ``local.LocalStudyClient`` says what each question is."""

    def __init__(self, address: str) -> None:
        token = os.environ.get(TOKEN_VARIABLE, "")
        if not token:
            raise FolkwaysError(
                "the server wants a token; make one on the study's page API and put it into the "
                f"environment as {TOKEN_VARIABLE}"
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
        found = {
            each["pseudonym"]: int(each["id"])
            for each in self._all(f"/studies/{segment(study)}/participants")
        }
        if pseudonym not in found:
            raise UnknownNameError("participant", pseudonym, found)
        return found[pseudonym]

    def create(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        """Make a study; its owner is the token's account."""
        return dict(self.client.ask("POST", "/studies", {"definition": dict(definition)}))

    def give_role(self, study: str, login: str, role: str) -> None:
        """Give an account of the server a role."""
        self._ask("POST", study, "/members", {"login": login, "role": role})

    def studies(self) -> list[dict[str, Any]]:
        return self._all("/studies")

    def definition(self, study: str) -> Mapping[str, Any]:
        return dict(self._ask("GET", study)["definition"])

    def set_state(self, study: str, state: str) -> str:
        return str(self._ask("PUT", study, "/state", {"state": state})["state"])

    def invite(
        self, study: str, role: str, population: str | None, uses: int | None, days: float, note: str
    ) -> str:
        body = {"role": role, "population": population, "uses": uses, "days": days, "note": note}
        return str(self._ask("POST", study, "/invites", body)["link"])

    def import_items(
        self, study: str, stage: str, rows: Rows, population: str | None, file: str, on_progress: OnProgress
    ) -> int:
        """See LocalStudyClient. Many rows are imported by the server in the background, which is waited for."""
        body = {"stage": stage, "rows": [dict(row) for row in rows], "population": population}
        found = self._ask("POST", study, "/items", body)
        wait = SOONEST
        while found.get("state") in AT_WORK:
            on_progress(found["added"], found["rows"] or len(rows))
            time.sleep(wait)
            wait = min(wait * 2, LATEST)
            found = self._import(study, found["id"])
        if found.get("state", DONE) != DONE:
            lines = [f"  {each['where']}: {each['what']}" for each in found["problems"]]
            raise FolkwaysError(
                "\n".join((f"{file}: {found['error'] or 'the import was cancelled on the server'}", *lines))
            )
        return int(found["added"])

    def _import(self, study: str, number: int) -> Any:
        """How far an import is. A server that is started again goes on with it, and is given time for
        that."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self._ask("GET", study, f"/imports/{number}")
            except FolkwaysError as error:
                if getattr(error, "status", 503) < 500 or time.monotonic() > until:
                    raise FolkwaysError(
                        f"{error}\nthe server goes on with the import by itself; its page is Data, import "
                        f"{number}"
                    ) from None
            time.sleep(LATEST)

    def media(self, study: str) -> list[dict[str, Any]]:
        return self._all(f"/studies/{segment(study)}/media")

    def add_media(self, study: str, files: MediaFiles) -> int:
        """See LocalStudyClient. They are sent in parts of 20 MB, of each part all or none: as large as the
        largest file, which a server takes with room to spare. FolkwaysError says how many are there already.
        """
        added, waiting = 0, list(files)
        while waiting:
            part: dict[str, bytes] = {}
            size = 0
            while (
                waiting
                and len(part) < MOST_FILES
                and (size := size + len(files[waiting[0]][1])) <= LARGEST_BYTES
            ):
                name = waiting.pop(0)
                part[name] = files[name][1]
            try:
                added += self.client.send_files(f"/studies/{segment(study)}/media", "file", part)["added"]
            except FolkwaysError as error:
                raise FolkwaysError(
                    f"{error}\n{added} files had been added before" if added else str(error)
                ) from None
        return added

    def delete_media(self, study: str, name: str) -> None:
        self._ask("DELETE", study, f"/media/{segment(name)}")

    def draw(self, study: str, **how: Any) -> Mapping[str, tuple[int, int]]:
        models = how.pop("models")
        counts = self._ask(
            "POST", study, "/draws", {**how, "models": list(models) if models is not None else None}
        )["counts"]
        return {culture: (taken, there) for culture, (taken, there) in counts.items()}

    def export(self, study: str, format: str, discussion: bool = False) -> Mapping[str, bytes]:
        content = self.client.ask_bytes(
            "GET", f"/studies/{segment(study)}/export", format=format, discussion=str(discussion).lower()
        )
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if any(
                    PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name
                    for name in names
                ):
                    raise FolkwaysError(
                        "the server's export names files outside of its folder; nothing was written"
                    )
                return {name: archive.read(name) for name in names}
        except zipfile.BadZipFile:
            raise FolkwaysError("the server's export is no ZIP; try again, and check the address") from None

    def progress(self, study: str) -> list[dict[str, Any]]:
        return list(self._ask("GET", study, "/progress"))

    def agreement(self, study: str) -> list[dict[str, Any]]:
        return list(self._ask("GET", study, "/agreement"))

    def payments(self, study: str) -> list[dict[str, Any]]:
        return self._all(f"/studies/{segment(study)}/payments")

    def export_workbook(self, study: str, person: str, stage: str, count: int, hours: float) -> bytes:
        path = f"/studies/{segment(study)}/participants/{self._person(study, person)}/hand-out"
        return self.client.ask_bytes("POST", path, {"stage": stage, "count": count, "hours": hours})

    def import_workbook(self, study: str, person: str, rows: Rows, file: str) -> dict[str, int]:
        body = {"rows": [dict(row) for row in rows]}
        return dict(self._ask("POST", study, f"/participants/{self._person(study, person)}/take-in", body))
