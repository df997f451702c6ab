"""Access to the studies of a server through its API."""

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from folkways.sdk.display import plural
from folkways.sdk.errors import FolkwaysError, UnknownNameError
from folkways_studio.clients.json_client import JsonClient, ServerRefusedError, segment
from folkways_studio.clients.local import MediaFiles, Rows
from folkways_studio.formats.zip_files import open_zip
from folkways_studio.items.imports import AT_WORK, ImportState
from folkways_studio.items.peer_rows import Annotations
from folkways_studio.items.reading import OnProgress
from folkways_studio.media.reading import LARGEST_BYTES

TOKEN_VARIABLE = "FOLKWAYS_STUDIO_TOKEN"  # noqa: S105 - the name of a variable, not a token
PAGE = 500
SOONEST, LATEST = 0.2, 2.0
"""Seconds between two questions how far an import is: at first, and later."""
PATIENCE = 60.0
"""Seconds for which a silent server is asked again."""
DONE = ImportState.DONE


class RemoteStudyClient:
    """A server; its token comes from the environment. ``local.LocalStudyClient`` documents the methods."""

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

    def _all(self, path: str, **query: object) -> list[dict[str, Any]]:
        """Every page of a list. query: asks for part of it."""
        rows: list[dict[str, Any]] = []
        cursor: int | None = None
        while True:
            page = self.client.ask("GET", path, limit=PAGE, cursor=cursor, **query)
            rows += page["data"]
            cursor = page["next"]
            if cursor is None:
                return rows

    def _person(self, study: str, pseudonym: str) -> int:
        ids = {
            each["pseudonym"]: int(each["id"])
            for each in self._all(f"/studies/{segment(study)}/participants")
        }
        if pseudonym not in ids:
            raise UnknownNameError("participant", pseudonym, ids)
        return ids[pseudonym]

    def create(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        """Make a study, owned by the token's account."""
        return dict(self.client.ask("POST", "/studies", {"definition": dict(definition)}))

    def give_role(self, study: str, login: str, role: str) -> None:
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
        self,
        study: str,
        stage: str,
        rows: Rows,
        population: str | None,
        file: str,
        on_progress: OnProgress,
        annotations: Annotations | None = None,
    ) -> tuple[int, Sequence[str]]:
        """See LocalStudyClient; study, stage, rows, population, file, on_progress and annotations as there.
        Waits while the server imports many rows in the background. FolkwaysError if that fails."""
        body: dict[str, Any] = {"stage": stage, "rows": [dict(row) for row in rows], "population": population}
        if annotations is not None:
            body["annotations"] = annotations
        job = self._ask("POST", study, "/items", body)
        wait = SOONEST
        while job.get("state") in AT_WORK:
            on_progress(job["added"], job["rows"] or len(rows))
            time.sleep(wait)
            wait = min(wait * 2, LATEST)
            job = self._import(study, job["id"])
        if job.get("state", DONE) != DONE:
            lines = [f"  {each['where']}: {each['what']}" for each in job["problems"]]
            raise FolkwaysError(
                "\n".join((f"{file}: {job['error'] or 'the import was cancelled on the server'}", *lines))
            )
        return int(job["added"]), tuple(job.get("notes", ()))

    def _import(self, study: str, number: int) -> Any:
        """The state of an import. A restarted server resumes it, and gets time for that."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self._ask("GET", study, f"/imports/{number}")
            except FolkwaysError as error:
                refused = isinstance(error, ServerRefusedError) and error.status < 500
                if refused or time.monotonic() > until:
                    raise FolkwaysError(
                        f"{error}\nthe server goes on with the import by itself; its page is Data, import "
                        f"{number}"
                    ) from None
            time.sleep(LATEST)

    def media(self, study: str) -> list[dict[str, Any]]:
        return self._all(f"/studies/{segment(study)}/media")

    def add_media(self, study: str, files: MediaFiles) -> int:
        """See LocalStudyClient. Files are sent in parts of 20 MB, the size of the largest file, each all or
        none. FolkwaysError says how many were added before."""
        added = size = 0
        parts: list[dict[str, bytes]] = []
        for name, (_, content) in files.items():
            size += len(content)
            if not parts or size > LARGEST_BYTES:
                parts.append({})
                size = len(content)
            parts[-1][name] = content
        for part in parts:
            try:
                added += self.client.send_files(f"/studies/{segment(study)}/media", "file", part)["added"]
            except FolkwaysError as error:
                raise FolkwaysError(
                    f"{error}\n{plural(added, 'file')} had been added before" if added else str(error)
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
            with open_zip(content) as archive:
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

    def assign(self, study: str, rows: Rows, file: str, **how: bool) -> dict[str, int]:
        return dict(self._ask("POST", study, "/assignments", {"rows": [dict(row) for row in rows], **how}))

    def assign_by_rule(self, study: str, **rule: Any) -> dict[str, Any]:
        return dict(self._ask("POST", study, "/assignments/rule", rule))

    def assignments(self, study: str, *, stalled: bool) -> list[dict[str, Any]]:
        return self._all(f"/studies/{segment(study)}/assignments", stalled=str(stalled).lower())

    def remaining_work(self, study: str, person: str) -> list[dict[str, Any]]:
        return list(self._ask("GET", study, f"/participants/{self._person(study, person)}/work"))

    def export_workbook(self, study: str, person: str, stage: str, count: int, hours: float) -> bytes:
        path = f"/studies/{segment(study)}/participants/{self._person(study, person)}/hand-out"
        return self.client.ask_bytes("POST", path, {"stage": stage, "count": count, "hours": hours})

    def import_workbook(self, study: str, person: str, rows: Rows, file: str) -> dict[str, int]:
        body = {"rows": [dict(row) for row in rows], "file": Path(file).name}
        return dict(self._ask("POST", study, f"/participants/{self._person(study, person)}/take-in", body))
