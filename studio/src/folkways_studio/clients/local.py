"""Access to the studies of a workspace on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from folkways.sdk.errors import UnknownNameError
from folkways.sdk.workspace import Workspace
from folkways_studio.exports.archive import export_files
from folkways_studio.items.peer_rows import Annotations, table_rows
from folkways_studio.items.reading import OnProgress, import_items
from folkways_studio.items.stage_assignments import assign_stage, assigned_items
from folkways_studio.media import service as media
from folkways_studio.models.drawing import draw_answers
from folkways_studio.people import invites, participants
from folkways_studio.records import Role, StudyState
from folkways_studio.studies import agreement, progress
from folkways_studio.studies import service as studies
from folkways_studio.studies.remaining_work import remaining_work
from folkways_studio.work.assignment_files import assign_rows
from folkways_studio.work.assignment_rules import AssignmentRule
from folkways_studio.work.offline import export_workbook, import_workbook

Rows = Sequence[Mapping[str, str]]
MediaFiles = Mapping[str, tuple[str, bytes]]
"""Name -> type and contents."""


class LocalStudyClient:
    """Studies of a workspace; ``remote.RemoteStudyClient`` does the same on a server. Studies are named,
    people are pseudonyms. Unknown names raise FolkwaysError with the valid ones."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def _study(self, name: str) -> int:
        return study_id(self.workspace, name)

    def _person(self, study: str, pseudonym: str) -> int:
        people = participants.list_participants(self.workspace, self._study(study))
        for each in people:
            if each.pseudonym == pseudonym:
                return each.id
        raise UnknownNameError("participant", pseudonym, [each.pseudonym for each in people])

    def studies(self) -> list[dict[str, Any]]:
        """Name, state, workflow and title of each, newest first."""
        return [asdict(study) for study in studies.list_studies(self.workspace)]

    def definition(self, study: str) -> Mapping[str, Any]:
        """The file that describes a study."""
        return studies.get_study(self.workspace, self._study(study)).definition

    def set_state(self, study: str, state: str) -> str:
        """Open, pause or close a study; returns its state."""
        return studies.set_state(self.workspace, self._study(study), StudyState(state)).state

    def invite(
        self, study: str, role: str, population: str | None, uses: int | None, days: float, note: str
    ) -> str:
        """A link into a study for a role, from a population, for up to ``uses`` people and ``days``, with a
        note: its whole address, or the path if the server's address is unknown."""
        how: dict[str, Any] = {"population": population, "uses": uses, "days": days, "note": note}
        return f"/join/{invites.create_invite(self.workspace, self._study(study), Role(role), **how)[1]}"

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
        """Add rows to a stage of a study; returns their number, and sentences on what was left out.
        population: for rows that name none. file: for errors. on_progress: reports progress. annotations:
        what becomes of people's answers in the rows."""
        number = self._study(study)
        table = table_rows(rows, studies.get_stage(self.workspace, number, stage), annotations, file)
        how: dict[str, Any] = {"population": population, "file": file, "on_progress": on_progress}
        return len(import_items(self.workspace, number, stage, table.rows, **how)), table.notes

    def media(self, study: str) -> list[dict[str, Any]]:
        """Name, type, bytes and sha256 of every picture and recording."""
        return [asdict(each) for each in media.list_media(self.workspace, self._study(study))]

    def add_media(self, study: str, files: MediaFiles) -> int:
        """Add pictures and recordings, all or none, and return how many are new."""
        return media.add_media(self.workspace, self._study(study), files)

    def delete_media(self, study: str, name: str) -> None:
        """Delete a picture or recording that no item shows."""
        media.delete_media(self.workspace, self._study(study), name)

    def draw(self, study: str, **how: Any) -> Mapping[str, tuple[int, int]]:
        """Draw model answers: culture -> how many, and of how many."""
        return draw_answers(
            self.workspace, self._study(study), how.pop("stage"), how.pop("run"), **how
        ).counts

    def export(self, study: str, format: str, discussion: bool = False) -> Mapping[str, bytes]:
        """File name -> contents; with comments if ``discussion``."""
        return export_files(self.workspace, self._study(study), format, discussion=discussion)

    def progress(self, study: str) -> list[dict[str, Any]]:
        """Items and answers by stage and population."""
        return [asdict(row) for row in progress.progress(self.workspace, self._study(study))]

    def agreement(self, study: str) -> list[dict[str, Any]]:
        """Coefficients by stage, population and field."""
        return [asdict(row) for row in agreement.agreement(self.workspace, self._study(study))]

    def payments(self, study: str) -> list[dict[str, Any]]:
        """What each person is owed for."""
        return [asdict(row) for row in progress.read_payments(self.workspace, self._study(study))]

    def assign(self, study: str, rows: Rows, file: str, **how: bool) -> dict[str, int]:
        """Assign items by the rows of a file: how many items, and tasks taken back. how: add, take_back and
        preview of ``assign_rows``. study: where they are."""
        receipt = assign_rows(self.workspace, self._study(study), rows, file=file, **how)
        return {"items": receipt.items, "taken_back": receipt.taken_back}

    def assign_by_rule(self, study: str, **rule: Any) -> dict[str, Any]:
        """Assign the items of a study's stage by a rule, or with ``preview`` say what it would do: the
        response of the API. rule: fields of its body."""
        others = {name: rule.pop(name) for name in ("stage", "population", "stalled", "preview", "take_back")}
        rule["again"] = rule["again"] or others["stalled"]
        plan = assign_stage(self.workspace, self._study(study), rule=AssignmentRule(**rule), **others)
        loads = [{**asdict(each), "person": each.person.name} for each in plan.loads]
        return {**asdict(plan), "loads": loads}

    def assignments(self, study: str, *, stalled: bool) -> list[dict[str, Any]]:
        """The items of a study that are assigned, or only those that are ``stalled``."""
        rows = assigned_items(self.workspace, self._study(study), stalled=stalled)
        return [asdict(row) for row in rows]

    def remaining_work(self, study: str, person: str) -> list[dict[str, Any]]:
        """What a person of a study may still be asked, by stage."""
        participant = participants.get_participant(self.workspace, self._person(study, person))
        rows = remaining_work(self.workspace, participant)
        return [{**asdict(row), "stage": row.stage.name} for row in rows]

    def export_workbook(self, study: str, person: str, stage: str, count: int, hours: float) -> bytes:
        """A workbook of up to ``count`` items of a study's stage, reserved for a person for some hours."""
        return export_workbook(self.workspace, self._person(study, person), stage, count, hours=hours)

    def import_workbook(self, study: str, person: str, rows: Rows, file: str) -> dict[str, int]:
        """Submit the rows of a person's workbook: how many were stored, repeated, empty. study, file: where
        it belongs."""
        return asdict(import_workbook(self.workspace, self._person(study, person), rows, file=file))


def study_id(workspace: Workspace, name: str) -> int:
    """The id of the study of that name; UnknownNameError."""
    ids = {study.name: study.id for study in studies.list_studies(workspace)}
    if name not in ids:
        raise UnknownNameError("study", name, ids)
    return ids[name]
