"""Studies for tests: made through the services like any other, with people who are in already."""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database.backups import ALL_TABLES, Backup, put_back, unpacked
from folkways_studio.database.opening import open_workspace
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem
from folkways_studio.models.offered import OfferedModel
from folkways_studio.people import accounts, invites, participants
from folkways_studio.records import Item, Participant, Role, Study, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import assignments, judgements, training
from folkways_studio.work.assignments import NoWork, Work
from folkways_studio.work.judgements import SubmissionReceipt
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.manuals import cases_of

PASSWORD = "a password of the tests"
QUESTION = {"question": "What do people eat first?", "options": ["soup", "rice", "fruit", "bread"]}


@pytest.fixture(scope="session")
def studio_server(postgres_base_url: str) -> Iterator[Workspace]:
    """A workspace on a server, made once: a database for every test would keep the server busy with making
    and dropping them."""
    engine = sa.create_engine(f"{postgres_base_url}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE DATABASE studio_tests")
    engine.dispose()
    workspace = open_workspace(f"{postgres_base_url}/studio_tests")
    yield workspace
    workspace.close()


@cache
def empty_file() -> bytes:
    """A SQLite workspace with no row in it: to copy one costs a tenth of making its tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        open_workspace(path).close()
        return path.read_bytes()


def new_workspace(path: Path) -> Workspace:
    """A new workspace in a file, as ``open_workspace`` makes it."""
    path.write_bytes(empty_file())
    path.chmod(0o600)
    return open_workspace(path)


@pytest.fixture(scope="session")
def studio_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace in a file alone in its folder, opened once: what SQLAlchemy has compiled stays with it."""
    workspace = new_workspace(tmp_path_factory.mktemp("studio") / "studio.db")
    yield workspace
    workspace.close()


@contextmanager
def no_space() -> Iterator[None]:
    """No file of this process grows any more; nor is a compiled module written, which would be cut off."""
    before = sys.dont_write_bytecode, resource.getrlimit(resource.RLIMIT_FSIZE)
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1][1]))
    try:
        yield
    finally:
        sys.dont_write_bytecode = before[0]
        resource.setrlimit(resource.RLIMIT_FSIZE, before[1])


@contextmanager
def failing(workspace: Workspace, table: sa.Table, rows: int) -> Iterator[None]:
    """A workspace in a file whose table takes no more than these rows, as on a disk that fails."""
    with workspace.write() as connection:
        connection.exec_driver_sql(
            f"CREATE TRIGGER failing BEFORE INSERT ON {table.name} WHEN (SELECT count(*) FROM {table.name}) "
            f">= {rows} BEGIN SELECT RAISE(ABORT, 'the disk has failed'); END"
        )
    try:
        yield
    finally:
        with workspace.write() as connection:
            connection.exec_driver_sql("DROP TRIGGER failing")


def restored_from(file: Path, workspace: Workspace, *, replace: bool = False) -> Backup:
    """The description of a backup that was put into a workspace."""
    with unpacked(file) as (description, source):
        put_back(description, source, workspace, replace=replace)
    return description


def content_of(workspace: Workspace) -> bytes:
    """All that a workspace in a file holds, for ``filled``."""
    workspace.close()
    return Path(workspace.location).read_bytes()


def filled(workspace: Workspace, content: bytes) -> Workspace:
    """The same workspace in a file with that content, and without what lay beside it."""
    workspace.close()
    path = Path(workspace.location)
    shutil.rmtree(path.parent)
    path.parent.mkdir()
    path.write_bytes(content)
    path.chmod(0o600)
    return workspace


def emptied(workspace: Workspace) -> Workspace:
    """The same workspace without a row, and without what lay beside its file."""
    if workspace.engine.dialect.name == "sqlite":
        return filled(workspace, empty_file())
    with workspace.write() as connection:
        # To truncate fifty small tables takes ten times as long.
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        connection.exec_driver_sql("; ".join(f"DELETE FROM {table.name}" for table in ALL_TABLES))
        connection.exec_driver_sql("SELECT setval(seqrelid, seqstart, false) FROM pg_sequence")
    return workspace


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.nightly])]
)
def studio_workspace(request: pytest.FixtureRequest) -> Workspace:
    """An empty workspace: a file, and at night one on a server as well."""
    kind = "studio_file" if request.param == "sqlite" else "studio_server"
    workspace: Workspace = request.getfixturevalue(kind)
    return emptied(workspace)


ON_BOTH = pytest.mark.parametrize(
    "studio_workspace", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
"""For what a server does in its own way, on every run: locks, claims, races, deletion, triggers."""

ON_A_FILE = pytest.mark.parametrize("studio_workspace", ["sqlite"], indirect=True)
"""For rules that are not about the database: a copy on a server costs time."""


def stored(workspace: Workspace, table: sa.Table, *leave_out: str, **only: Any) -> list[dict[str, Any]]:
    """Every row of a table (with these values) in the order in which it was added, without some columns."""
    order = [table.c.id] if "id" in table.c else list(table.primary_key)
    with workspace.read() as connection:
        rows = connection.execute(sa.select(table).filter_by(**only).order_by(*order)).all()
    return [{name: value for name, value in row._mapping.items() if name not in leave_out} for row in rows]


def described(stages: Sequence[Mapping[str, Any]], **changes: Any) -> dict[str, Any]:
    """The description of a study of Korea with these stages."""
    return {
        "name": "test-study",
        "title": "A study of the tests",
        "licence": "CC-BY-4.0",
        "consent": "You agree to be a test.",
        "populations": [{"name": "korea", "culture": "KR"}],
        "stages": list(stages),
        **changes,
    }


def next_work(
    workspace: Workspace, participant_id: int, *, stage: str | None = None, after: str | None = None
) -> Work | NoWork:
    """What somebody is given who asks for work, as the page of their task has it."""
    claimed = assignments.claim_slot(workspace, participant_id, stage=stage, after=after)
    return (
        claimed
        if isinstance(claimed, NoWork)
        else assignments.get_work(workspace, participant_id, claimed.assignment.id)
    )


def untrained(stages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Stages of a shipped study without their training, for people who are to work at once."""
    return [{**stage, "training": False} for stage in stages]


@dataclass(frozen=True)
class StudyFixture:
    """A study that is open, and what tests do with it."""

    workspace: Workspace
    record: Study
    owner: int
    offered: Mapping[str, OfferedModel]
    tokens: dict[str, str] = field(default_factory=dict)
    """Population -> the token of the invitation that its people come by. It has to be in the workspace: where
    that is ``filled`` with an earlier content, this begins anew."""
    ids: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Stage -> the ids of the items that were added, in order."""

    def person(self, population: str = "korea", role: Role = Role.ANNOTATOR) -> Participant:
        """Somebody new who has agreed to everything and is let in."""
        if role != Role.ANNOTATOR:
            account = accounts.create_account(
                self.workspace, f"{role}-{len(self.people())}@{self.record.name}.example.org", None
            )
            return participants.add_staff(self.workspace, self.record.id, account.id, role)
        if population not in self.tokens:
            _, self.tokens[population] = invites.create_invite(
                self.workspace, self.record.id, population=population
            )
        joined = participants.join(self.workspace, self.tokens[population])
        return participants.consent(self.workspace, joined.id, self.record.consent_version)

    def people(self) -> tuple[Participant, ...]:
        return participants.list_participants(self.workspace, self.record.id)

    def add(
        self, stage: str, contents: Sequence[Mapping[str, Any]], population: str | None = "korea"
    ) -> list[int]:
        """Items, as a researcher imports them, with the keys q0, q1, ...; their ids."""
        new = [
            NewItem(f"q{number}", content, population)
            for number, content in enumerate(contents, len(self.ids[stage]))
        ]
        added = [item.id for item in items.add_items(self.workspace, self.record.id, stage, new)]
        self.ids[stage] += added
        return added

    def item(self, number: int) -> Item:
        """An item as it is now, by its id."""
        return items.get_item(self.workspace, self.record.id, number)

    def work(self, person: Participant, stage: str | None = None) -> Work:
        found = next_work(self.workspace, person.id, stage=stage)
        assert isinstance(found, Work), found
        return found

    def train(self, person: Participant, stage: str) -> None:
        """Have somebody go through the training of a stage."""
        trained(self.workspace, self.record.id, person.id, stage)

    def nothing(self, person: Participant, stage: str | None = None) -> str:
        """Why there is nothing to do."""
        found = next_work(self.workspace, person.id, stage=stage)
        assert isinstance(found, NoWork), found
        return found.reason

    def submit(self, person: Participant, work: Work, submission: Mapping[str, Any]) -> SubmissionReceipt:
        return judgements.submit(
            self.workspace, person.id, work.assignment.id, submission, f"key-{work.assignment.id}"
        )

    def answer(self, person: Participant, submission: Mapping[str, Any], stage: str | None = None) -> Work:
        """Take the next slot and submit this for it."""
        work = self.work(person, stage)
        self.submit(person, work, submission)
        return work


def open_study(
    workspace: Workspace,
    stages: Sequence[Mapping[str, Any]],
    *,
    offered: Mapping[str, OfferedModel] | None = None,
    **changes: Any,
) -> StudyFixture:
    """A new study with these stages, open for work; ``offered``: the models that it may choose from."""
    owner = accounts.create_account(workspace, f"{changes.get('name', 'test-study')}@example.org", None)
    study = studies.create_study(workspace, read_definition(described(stages, **changes)), owner=owner.id)
    return StudyFixture(
        workspace, studies.set_state(workspace, study.id, StudyState.OPEN), owner.id, offered or {}
    )


def trained(workspace: Workspace, study: int, person: int, stage: str) -> None:
    """Have somebody go through the training of a stage."""
    of = studies.get_stage(workspace, study, stage)
    cases = list(cases_of(of.config["manual"]))
    for number, case in enumerate(cases, 1):
        training.answer_case(workspace, person, of, number, case.right, cases)
