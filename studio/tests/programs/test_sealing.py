"""Secrets of webhooks in the database, and who may read the files in which a studio keeps what it is told."""

from __future__ import annotations

import asyncio
import stat
import zipfile
from pathlib import Path

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.backups import back_up
from folkways_studio.database.opening import open_workspace
from folkways_studio.media.service import add_media
from folkways_studio.programs import deliveries, webhook_sender, webhooks
from folkways_studio.programs.sealing import KEY_VARIABLE, SEALED, SealError, seal, unseal
from studio.tests.support.studies import ON_BOTH, open_study, restored_from

STAGES = [{"name": "verify", "kind": "vote"}]
KEYS = ("k" * 32, "l" * 32)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def stored(workspace: Workspace) -> list[str]:
    with workspace.read() as connection:
        return list(connection.scalars(sa.select(schema.webhooks.c.secret)))


@ON_BOTH
def test_a_secret_is_sealed_under_the_key_of_the_environment(
    studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEYS[0])
    study = open_study(studio_workspace, STAGES)
    _, secret = webhooks.create_webhook(studio_workspace, study.record.id, "https://example.org/")
    (kept,) = stored(studio_workspace)
    assert kept.startswith(SEALED) and secret.removeprefix("whsec_") not in kept and len(kept) <= 128
    assert unseal(studio_workspace, kept) == secret
    assert kept != seal(studio_workspace, secret)  # a nonce of its own
    monkeypatch.setenv(KEY_VARIABLE, KEYS[1])
    with pytest.raises(SealError, match="another key"):
        unseal(studio_workspace, kept)
    assert unseal(studio_workspace, secret) == secret  # of an earlier folkways, as it was stored
    parcels = deliveries.claim_due(studio_workspace)
    asyncio.run(webhook_sender.send_together(studio_workspace, parcels, True))
    told = deliveries.list_deliveries(studio_workspace, [parcels[0].webhook_id])[-1]
    assert (told.status, told.problem) == (
        None,
        "its secret was sealed with another key of the server; delete it and make it again",
    )
    monkeypatch.setenv(KEY_VARIABLE, "short")
    with pytest.raises(SealError, match="has 5 characters, and needs 32"):
        seal(studio_workspace, secret)


def test_a_key_beside_the_workspace_is_of_its_owner_and_in_no_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    place = tmp_path / "studio.db"
    workspace = open_workspace(place)
    study = open_study(workspace, STAGES)
    _, secret = webhooks.create_webhook(workspace, study.record.id, "https://example.org/")
    key = tmp_path / "studio.db-key"
    assert mode(key) == 0o600 and len(key.read_text().strip()) >= 32
    assert [unseal(workspace, each) for each in stored(workspace)] == [secret]
    file = tmp_path / "backup.zip"
    back_up(workspace, file)
    with zipfile.ZipFile(file) as archive:
        contents = b"".join(archive.read(name) for name in archive.namelist())
    assert key.read_bytes().strip() not in contents and secret.removeprefix("whsec_").encode() not in contents
    again = open_workspace(tmp_path / "again.db")
    restored_from(file, again)
    with pytest.raises(SealError, match="another key"):
        unseal(again, stored(again)[0])
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith(".")) == []
    for each in (workspace, again):
        each.close()


def test_a_workspace_on_a_server_needs_a_key_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    workspace = open_workspace(tmp_path / "studio.db")
    workspace.location = "postgresql://folkways@host/folkways"
    with pytest.raises(SealError, match=f"set {KEY_VARIABLE} to a random text"):
        seal(workspace, "secret")
    workspace.location = str(tmp_path / "gone" / "studio.db")
    with pytest.raises(
        SealError, match=rf"gone/studio\.db-key cannot be written: No .*; or set {KEY_VARIABLE}"
    ):
        seal(workspace, "secret")
    workspace.close()


def test_what_a_studio_keeps_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    place = tmp_path / "studio.db"
    workspace = open_workspace(place)
    study = open_study(workspace, STAGES)
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
    add_media(workspace, study.record.id, {"a.png": ("image/png", png)})
    back_up(workspace, tmp_path / "backup.zip")
    open_workspace(place).close()  # and once more, while it is in use
    files = [each for each in tmp_path.iterdir() if each.is_file()]
    assert {each.name for each in files} >= {"studio.db", "studio.db-wal", "studio.db-shm", "backup.zip"}
    assert {each.name: mode(each) for each in files} == {each.name: 0o600 for each in files}
    assert mode(tmp_path / "studio.db-media") == 0o700
    workspace.close()


def test_a_workspace_that_is_shared_stays_so(tmp_path: Path) -> None:
    place = tmp_path / "studio.db"
    open_workspace(place).close()
    place.chmod(0o660)
    open_workspace(place).close()
    assert mode(place) == 0o660
