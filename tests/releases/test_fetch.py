"""Fetching whole releases: nothing twice, nothing lost by a crash, and a record of where everything came
from."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from folkways.errors import FolkwaysError
from folkways.releases.fetching.adopt import adopt
from folkways.releases.fetching.fetch import fetch
from folkways.releases.fetching.fetch_progress import FetchProgress
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from tests.support.hub_server import HubServer
from tests.support.published_files import BRISK, EASY, HARD, bring, requests_of, same_as_published


def test_fetches_from_the_address_that_the_environment_names(hub: HubServer, published: Path) -> None:
    release = bring()
    assert same_as_published(release, published)
    assert release.verified
    revision = get_record("culturalbench").revision
    assert {entry["path"] for entry in hub.log()} == {
        f"/datasets/kellycyy/CulturalBench/resolve/{revision}/{name}" for name in (EASY, HARD)
    }


def test_the_ready_made_questions_of_blend_come_from_the_hub(hub: HubServer) -> None:
    release = fetch("blend-mcq", options=BRISK)
    assert release.verified
    assert release.path("mc_questions_file.csv").read_text(encoding="utf-8") == "MCQID,ID\n"


def test_provenance_tells_where_each_file_came_from(hub: HubServer) -> None:
    release = bring()
    told = json.loads((release.root / "release.json").read_text(encoding="utf-8"))
    assert told["files"].keys() == {EASY, HARD}
    for name, file in told["files"].items():
        assert file["origin"].startswith(hub.url) and file["origin"].endswith(name)
        assert file["proof"] == "host"
        assert file["sha256"] == hashlib.sha256(release.path(name).read_bytes()).hexdigest()


def test_nothing_is_fetched_twice(hub: HubServer) -> None:
    bring()
    hub.control(forget=True)
    bring()
    assert hub.log() == []


def test_what_is_complete_needs_no_right_to_write(hub: HubServer, data_home: Path, published: Path) -> None:
    """A folder that may only be read cannot hold a lock. (A folder in its place stops root as well.)"""
    bring()
    root = data_home / "culturalbench@996d62a"
    (root / ".lock").unlink()
    (root / ".lock").mkdir()
    assert bring().verified
    assert set(adopt("culturalbench", published).present) == {EASY, HARD}


def test_force_fetches_again(hub: HubServer) -> None:
    bring()
    hub.control(forget=True)
    bring(force=True)
    assert len(hub.log()) == 2


def test_a_file_that_was_changed_on_disk_is_fetched_again_and_no_other(
    hub: HubServer, published: Path
) -> None:
    release = bring()
    release.path(HARD).write_bytes(b"changed")
    hub.control(forget=True)
    assert same_as_published(bring(), published)
    assert len(requests_of(hub, HARD)) == 1
    assert requests_of(hub, EASY) == []


def test_a_release_on_github_comes_from_its_raw_files(hub: HubServer) -> None:
    with pytest.raises(FolkwaysError, match="not there"):
        fetch("xcr", options=BRISK)
    assert hub.log()[0]["path"].startswith(
        "/mohsinulkabir14/xcr_bench/990429201c5581e4d7be4226ce93f0dec91f30a8/c"
    )


def test_what_another_release_has_is_not_fetched(hub: HubServer, published: Path, shared: Path) -> None:
    repository = published / "nlee0212" / "BLEnD"
    repository.mkdir(parents=True)
    (repository / "data").symlink_to(shared / "data" / "blend" / "3e4dcbd")
    adopt("blend@24e7d73", shared / "data")
    assert fetch("blend@3e4dcbd", options=BRISK).verified
    newer = {entry.sha256 for entry in get_record("blend@24e7d73").files}
    different = {entry.remote for entry in get_record("blend@3e4dcbd").files if entry.sha256 not in newer}
    assert 0 < len(different) < 48
    assert {entry["path"].split("/", 4)[4] for entry in hub.log()} == different


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs /dev/full, a device on which every write finds no space"
)
def test_a_full_disk_is_told_in_words(hub: HubServer, data_home: Path) -> None:
    root = data_home / "culturalbench@996d62a"
    root.mkdir(parents=True)
    (root / f"{HARD}.part").symlink_to("/dev/full")
    with pytest.raises(FolkwaysError, match=r"(?s)no space left in .*FOLKWAYS_DATA.*is kept") as full:
        bring()
    assert isinstance(full.value.__cause__, OSError)
    assert full.value.__cause__.errno == errno.ENOSPC


def test_works_inside_a_running_event_loop(hub: HubServer, published: Path) -> None:
    async def notebook() -> Release:
        return bring()

    assert same_as_published(asyncio.run(notebook()), published)


def test_progress_adds_up_to_what_lies_there(hub: HubServer) -> None:
    class Count(FetchProgress):
        present = got = size = files = 0

        def started(self, label: str, files: int, size: int, present: int) -> None:
            self.present += present

        def grew(self, size: int) -> None:
            self.size += size

        def received(self, size: int) -> None:
            self.got += size

        def finished(self, label: str) -> None:
            self.files += 1

    count = Count()
    hub.control(faults={HARD: ["cut+at=200000", "cut+at=300000", "no-range"]})
    fetch("culturalbench", options=BRISK, progress=count)
    assert (count.size, count.present + count.got, count.files) == (1_000_000, 1_000_000, 2)


def test_a_killed_fetch_is_taken_up_by_the_next_one(hub: HubServer, data_home: Path, published: Path) -> None:
    hub.control(rate=400_000)
    command = [sys.executable, "-m", "folkways.cli.main", "data", "fetch", "culturalbench"]
    root = data_home / "culturalbench@996d62a"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 20
        while sum(part.stat().st_size for part in root.glob("*.part")) < 100_000 and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    kept = {part.name.removesuffix(".part"): part.stat().st_size for part in root.glob("Cult*.part")}
    assert kept
    hub.control(rate=None, forget=True)
    hub.control(faults={})
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "already on this disk" in done.stderr
    asked = {entry["path"].rsplit("/", 1)[1]: entry["range"] for entry in hub.log()}
    assert {name: asked[name] for name, size in kept.items() if size} == {
        name: f"bytes={size}-" for name, size in kept.items() if size
    }
    for name in (EASY, HARD):
        assert (root / name).read_bytes() == (published / "kellycyy" / "CulturalBench" / name).read_bytes()


def test_two_processes_fetch_one_release_without_getting_in_each_others_way(
    hub: HubServer, data_home: Path, published: Path
) -> None:
    hub.control(rate=1_500_000)
    command = [sys.executable, "-m", "folkways.cli.main", "data", "fetch", "culturalbench"]
    processes = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outcomes = [(process.communicate(timeout=60)[1], process.returncode) for process in processes]
    assert [code for _, code in outcomes] == [0, 0], outcomes
    assert sum(entry["sent"] for entry in hub.log()) == 1_000_000
    for name in (EASY, HARD):
        assert (data_home / "culturalbench@996d62a" / name).read_bytes() == (
            published / "kellycyy" / "CulturalBench" / name
        ).read_bytes()
