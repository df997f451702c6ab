"""Releases that follow a branch: what it gave first is written down, and nothing else is taken unasked."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from folkways.errors import DataError, FolkwaysError
from folkways.releases import registry
from folkways.releases.fetching.adopt import adopt
from folkways.releases.fetching.fetch import fetch
from folkways.releases.registry import read_record
from folkways.releases.release_records import Release
from folkways.releases.stored_releases import locate, root_of
from tests.support.command_line import environment, folkways
from tests.support.hub_server import HubServer, commit_of
from tests.support.published_files import BRISK

RECORD = """
name = "{name}"
benchmark = "demo"
revision = "main"
source = "{source}"
repository = "lab/{name}"
licence = "Apache-2.0"
homepage = ""
about = "A release that follows a branch."
citation = ""
aliases = []
languages = []
files = [{{ path = "a.csv", remote = "data/a.csv" }}, {{ path = "b.csv", remote = "data/b.csv" }}]
"""
FIRST = {"a.csv": b"first a", "b.csv": b"first b"}
SECOND = {"a.csv": b"first a", "b.csv": b"second b"}
AT_FIRST, MOVED = commit_of("main"), commit_of("another")


@pytest.fixture(params=["hub", "github"])
def followed(
    request: pytest.FixtureRequest, tmp_path: Path, published: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The name of a release of two files that follows the branch main, at a host that tells commits and one that
    does not."""
    name = f"followed-{request.param}"
    file = tmp_path / "records" / f"{name}.toml"
    file.parent.mkdir()
    file.write_text(RECORD.format(name=name, source=request.param), encoding="utf-8")
    record = read_record(file)
    monkeypatch.setattr(registry, "records_by_name", lambda: {name: record})
    write(published / "lab" / name, FIRST)
    return name


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "data" / name).write_bytes(content)


def move(hub: HubServer, published: Path, name: str) -> None:
    """Let the branch point to other files; those of its first commit stay at that."""
    shutil.copytree(published / "lab" / name, published / "lab" / f"{name}@{AT_FIRST}")
    write(published / "lab" / name, SECOND)
    hub.control(commits={"main": MOVED}, forget=True)


def written_down(release: Release) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((release.root / "release.json").read_text(encoding="utf-8"))
    return content


def contents(release: Release) -> dict[str, bytes]:
    return {name: release.path(name).read_bytes() for name in FIRST}


def tells_commits(name: str) -> bool:
    return name == "followed-hub"


def test_the_first_fetch_writes_down_commit_and_checksums(hub: HubServer, followed: str) -> None:
    release = fetch(followed, options=BRISK)
    down = written_down(release)
    commit = AT_FIRST if tells_commits(followed) else "main"
    assert (down["revision"], release.record.revision) == (commit, commit)
    assert {name: entry["sha256"] for name, entry in down["files"].items()} == {
        name: hashlib.sha256(content).hexdigest() for name, content in FIRST.items()
    }
    assert release.verified == tells_commits(followed)  # GitHub's raw files come without a content hash


def test_the_part_of_another_state_is_no_beginning_of_this_one(hub: HubServer, followed: str) -> None:
    part = root_of(registry.records_by_name()[followed]) / "a.csv.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"another")
    assert contents(fetch(followed, options=BRISK)) == FIRST


@pytest.mark.parametrize("force", [False, True])
def test_what_is_missing_has_to_be_what_was_there(
    hub: HubServer, followed: str, published: Path, force: bool
) -> None:
    release = fetch(followed, options=BRISK)
    before = written_down(release)["files"]["b.csv"]["sha256"]
    if not force:
        release.path("b.csv").unlink()
    move(hub, published, followed)
    if tells_commits(followed):  # which has the first files still
        assert contents(fetch(followed, force=force, options=BRISK)) == FIRST
        asked = [f"/resolve/{AT_FIRST}/" in entry["path"] for entry in hub.log()]
        assert asked == [True] * (2 if force else 1)
        return
    with pytest.raises(FolkwaysError) as refused:
        fetch(followed, force=force, options=BRISK)
    message = str(refused.value)
    assert f"data/b.csv is not what {followed} was when it was fetched" in message
    assert before in message and hashlib.sha256(SECOND["b.csv"]).hexdigest() in message
    assert message.endswith(f"folkways data fetch {followed} --revision main")
    assert written_down(release)["files"]["b.csv"]["sha256"] == before
    assert not (release.root / "b.csv.part").exists()  # a.csv was stopped where it was, which may be anywhere
    if force:
        assert contents(locate(followed)) == FIRST


def test_another_state_is_taken_when_asked_for_and_back_again(
    hub: HubServer, followed: str, published: Path
) -> None:
    first = fetch(followed, options=BRISK)
    fingerprint = first.fingerprint
    move(hub, published, followed)
    second = fetch(followed, revision="main", options=BRISK)
    assert contents(second) == SECOND and second.fingerprint != fingerprint
    assert second.record.revision == (MOVED if tells_commits(followed) else "main")
    assert contents(fetch(followed, force=True, options=BRISK)) == SECOND
    back = fetch(followed, revision=AT_FIRST, options=BRISK)
    assert (contents(back), back.record.revision, back.fingerprint) == (FIRST, AT_FIRST, fingerprint)


def test_another_state_is_taken_whole_or_not_at_all(hub: HubServer, followed: str, published: Path) -> None:
    release = fetch(followed, options=BRISK)
    before = written_down(release)
    move(hub, published, followed)
    hub.control(faults={"b.csv": ["404"]})
    with pytest.raises(FolkwaysError, match="not there"):
        fetch(followed, revision="main", options=BRISK)
    assert contents(locate(followed)) == FIRST and written_down(release) == before
    if tells_commits(followed):
        hub.control(faults={"b.csv": ["moved"]})
        with pytest.raises(FolkwaysError, match="main of lab/followed-hub was moved while it was fetched"):
            fetch(followed, revision="main", options=BRISK)
        assert contents(locate(followed)) == FIRST and written_down(release) == before


@pytest.mark.parametrize("followed", ["hub"], indirect=True)
def test_a_first_fetch_never_mixes_two_commits(hub: HubServer, followed: str) -> None:
    hub.control(faults={"b.csv": ["moved"], "a.csv": []})
    slowly = BRISK.__class__(attempts=1, parallel=1)
    with pytest.raises(FolkwaysError, match="was moved while it was fetched"):
        fetch(followed, options=slowly)
    hub.control(forget=True)
    release = fetch(followed, options=BRISK)
    assert contents(release) == FIRST and release.record.revision == AT_FIRST
    assert [f"/resolve/{AT_FIRST}/data/b.csv" in entry["path"] for entry in hub.log()] == [True]


def test_a_changed_file_is_named_with_the_state_that_it_should_be_of(hub: HubServer, followed: str) -> None:
    release = fetch(followed, options=BRISK)
    release.path("b.csv").write_bytes(b"edited here")
    with pytest.raises(DataError) as changed:
        locate(followed)
    commit = AT_FIRST if tells_commits(followed) else "main"
    assert f"not what was fetched from {commit}: b.csv" in str(changed.value)
    assert f"data fetch {followed} --revision main" in str(changed.value)
    assert contents(fetch(followed, options=BRISK)) == FIRST


def test_a_copy_has_to_be_what_was_fetched_too(hub: HubServer, followed: str, tmp_path: Path) -> None:
    release = fetch(followed, options=BRISK)
    write(tmp_path / "same", FIRST)
    write(tmp_path / "other", SECOND)
    with pytest.raises(FolkwaysError, match=f"(?s)1 with contents other .*--revision main --from {tmp_path}"):
        adopt(followed, tmp_path / "other", force=True)
    assert contents(locate(followed)) == FIRST
    adopted = adopt(followed, tmp_path / "same", force=True)
    assert adopted.unverified == () and adopted.release.verified == release.verified
    taken = adopt(followed, tmp_path / "other", revision="v2").release
    assert (contents(taken), taken.record.revision, taken.verified) == (SECOND, "v2", False)


def test_a_release_of_one_revision_takes_no_other(hub: HubServer, data_home: Path, published: Path) -> None:
    refused = folkways("data", "fetch", "culturalbench", "--revision", "main", env=environment())
    assert refused.returncode == 2
    assert "is always that of revision 996d62a55f6a49c13596f0a31b772812a1aacd67" in refused.stderr
    with pytest.raises(FolkwaysError, match="leave out revision='v2'"):
        adopt("culturalbench", published, revision="v2")


@pytest.mark.parametrize("followed", ["hub"], indirect=True)
@pytest.mark.parametrize("adopted", [False, True])
def test_a_file_that_nobody_publishes_stays_as_it_is_when_another_state_is_taken(
    hub: HubServer,
    followed: str,
    tmp_path: Path,
    published: Path,
    monkeypatch: pytest.MonkeyPatch,
    adopted: bool,
) -> None:
    """Whether a copy of it was adopted before or not."""
    file = tmp_path / "records" / f"{followed}.toml"
    more = '}, { path = "c.csv", remote = "", optional = true }]'
    file.write_text(file.read_text(encoding="utf-8").replace("}]", more), encoding="utf-8")
    record = read_record(file)
    monkeypatch.setattr(registry, "records_by_name", lambda: {followed: record})
    first = fetch(followed, options=BRISK)
    if adopted:
        write(tmp_path / "copy", {"c.csv": b"c from a copy"})
        assert adopt(followed, tmp_path / "copy").copied == ("c.csv",)
    before = written_down(first)["files"]
    assert ("c.csv" in before) == adopted
    move(hub, published, followed)
    second = fetch(followed, revision="main", options=BRISK)
    after = written_down(second)["files"]
    assert (contents(second), second.has("c.csv")) == (SECOND, adopted)
    assert after.get("c.csv") == before.get("c.csv")
    assert after["b.csv"]["sha256"] == hashlib.sha256(SECOND["b.csv"]).hexdigest()
    assert {entry["path"].rsplit("/", 1)[1] for entry in hub.log()} == set(SECOND)


@pytest.mark.parametrize("followed", ["hub"], indirect=True)
def test_what_does_not_fit_on_the_disk_is_said_before_anything_is_asked(
    hub: HubServer, followed: str, tmp_path: Path, published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has come already of a commit, in a fetch that was broken off, needs no room again."""
    whole = {"a.csv": bytes(2_500_000), "b.csv": bytes(1_000_000)}
    write(published / "lab" / followed, whole)
    file = tmp_path / "records" / f"{followed}.toml"
    text = file.read_text(encoding="utf-8").replace('revision = "main"', f'revision = "{AT_FIRST}"')
    for name, content in whole.items():
        text = text.replace(f'path = "{name}"', f'path = "{name}", size = {len(content)}')
    file.write_text(text, encoding="utf-8")
    record = read_record(file)
    monkeypatch.setattr(registry, "records_by_name", lambda: {followed: record})

    def free(size: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=size))

    free(3_499_999)
    with pytest.raises(FolkwaysError, match=r"^3\.5 MB are needed in .*, but only 3\.5 MB are free\nFree"):
        fetch(followed, options=BRISK)
    assert hub.log() == []
    (root,) = (path.parent for path in tmp_path.rglob(".lock"))
    (root / "a.csv.part").write_bytes(bytes(2_000_000))
    free(1_499_999)
    with pytest.raises(FolkwaysError, match=r"^1\.5 MB are needed"):
        fetch(followed, options=BRISK)
    free(1_500_000)
    assert contents(fetch(followed, options=BRISK)) == whole
