"""Files that lie in a zip archive at their source, and files that the source does not have."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from folkways.errors import FolkwaysError
from folkways.releases import registry
from folkways.releases.fetching.adopt import adopt
from folkways.releases.fetching.fetch import fetch
from folkways.releases.registry import get_record
from folkways.releases.release_records import ReleaseFile, ReleaseRecord
from tests.support.hub_server import HubServer
from tests.support.published_files import BRISK

GOLD = b"id\tanswer\nen-US_0001\tA\n"


@pytest.fixture
def record(published: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> ReleaseRecord:
    """A release of one file in an archive and of one that only a copy brings, in place of SemEval-2026's."""
    known = get_record("semeval2026")
    archive = published / known.repository / "gold.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("__MACOSX/._gold.tsv", "nothing")
        packed.writestr("inside/gold.tsv", GOLD)
    checksums = (hashlib.sha256(content).hexdigest() for content in (GOLD, archive.read_bytes()))
    of_gold, of_archive = checksums
    files = (
        ReleaseFile("gold.tsv", "gold.zip", of_gold, len(GOLD), archive=of_archive),
        ReleaseFile("questions.tsv", "", optional=True),
    )
    own = replace(known, files=files)
    monkeypatch.setattr(registry, "records_by_name", lambda: {own.name: own})
    return own


def test_the_member_is_stored_and_not_the_archive(hub: HubServer, record: ReleaseRecord) -> None:
    release = fetch(record.name, options=BRISK)
    assert release.path("gold.tsv").read_bytes() == GOLD
    assert release.verified
    assert sorted(
        path.name for path in release.root.iterdir() if path.suffix in (".tsv", ".zip", ".part")
    ) == ["gold.tsv"]
    assert len(hub.log()) == 1
    assert fetch(record.name, options=BRISK).verified
    assert len(hub.log()) == 1, (
        "what is here is not fetched again, and what its source does not have is not asked for"
    )


def test_another_archive_is_refused(hub: HubServer, record: ReleaseRecord, published: Path) -> None:
    (published / record.repository / "gold.zip").write_bytes(b"PK other")
    with pytest.raises(FolkwaysError, match="not the file that was released"):
        fetch(record.name, options=BRISK)


def test_what_is_not_published_comes_with_a_copy(
    hub: HubServer, record: ReleaseRecord, tmp_path: Path
) -> None:
    release = fetch(record.name, options=BRISK)
    with pytest.raises(
        FolkwaysError,
        match=r"has no file questions.tsv[^\n]*\nIt is not published with the rest: get it from https://www",
    ):
        release.path("questions.tsv")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "questions.tsv").write_text("id\ttext\n", encoding="utf-8")
    adopted = adopt(record.name, mine)
    assert (adopted.copied, adopted.present) == (("questions.tsv",), ("gold.tsv",))
    assert adopted.release.path("questions.tsv").is_file()
    assert not adopted.release.verified  # nobody has told its checksum
