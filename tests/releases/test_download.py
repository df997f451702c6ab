"""Downloads from a real local server with the hub's addresses: resumed, verified, patient, and careful with the token."""

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
from folkways.releases.adopt import adopt
from folkways.releases.base import Release
from folkways.releases.download import Fetched, FetchOptions, Transfer, fetch_all
from folkways.releases.fetch import fetch
from folkways.releases.progress import Progress
from folkways.releases.registry import get_record
from tests.support.hub_server import HubServer

EASY, HARD = "CulturalBench-Easy.csv", "CulturalBench-Hard.csv"
BRISK = FetchOptions(attempts=3, backoff=0.02, longest_wait=1.5, stall=1.0)


def bring(force: bool = False, options: FetchOptions = BRISK) -> Release:
    return fetch("culturalbench", force=force, options=options)


def same_as_published(release: Release, published: Path) -> bool:
    repository = published / "kellycyy" / "CulturalBench"
    return all(release.path(name).read_bytes() == (repository / name).read_bytes() for name in (EASY, HARD))


def requests_of(hub: HubServer, name: str) -> list[dict[str, object]]:
    return [entry for entry in hub.log() if name in entry["path"]]


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
    easy = told["files"][EASY]
    assert easy["origin"].startswith(hub.url)
    assert easy["proof"] == "host"
    assert easy["sha256"] == hashlib.sha256(release.path(EASY).read_bytes()).hexdigest()


def test_nothing_is_fetched_twice(hub: HubServer) -> None:
    bring()
    hub.control(forget=True)
    bring()
    assert hub.log() == []


def test_force_fetches_again(hub: HubServer) -> None:
    bring()
    hub.control(forget=True)
    bring(force=True)
    assert len(hub.log()) == 2


def test_a_file_that_was_changed_on_disk_is_fetched_again_and_no_other(hub: HubServer, published: Path) -> None:
    release = bring()
    release.path(HARD).write_bytes(b"changed")
    hub.control(forget=True)
    assert same_as_published(bring(), published)
    assert len(requests_of(hub, HARD)) == 1
    assert requests_of(hub, EASY) == []


def test_a_connection_that_breaks_is_resumed_where_it_stopped(hub: HubServer, published: Path) -> None:
    hub.control(faults={HARD: ["cut+at=200000", "cut+at=300000"]})
    assert same_as_published(bring(), published)
    assert [entry["range"] for entry in requests_of(hub, HARD)] == [None, "bytes=200000-", "bytes=500000-"]
    assert sum(entry["sent"] for entry in requests_of(hub, HARD)) == 700_000


def test_large_files_come_from_the_cdn_and_are_verified_by_the_linked_hash(hub: HubServer, published: Path) -> None:
    hub.control(lfs=True, faults={HARD: ["cut+at=1000"]})
    release = bring()
    assert same_as_published(release, published)
    assert release.verified
    assert [entry["range"] for entry in requests_of(hub, HARD) if entry["port"] == "cdn"] == [None, "bytes=1000-"]
    assert all(entry["path"].endswith("?signature=a%2Fb%3D") for entry in hub.log() if entry["port"] == "cdn")


def test_wrong_bytes_from_the_cdn_are_refused(hub: HubServer, data_home: Path) -> None:
    hub.control(lfs=True, faults={HARD: ["wrong"]})
    with pytest.raises(
        FolkwaysError, match=r"(?s)not the file that was released.*expected SHA-256 [0-9a-f]{64}.*got      SHA-256 "
    ):
        bring()
    assert list(data_home.rglob(f"{HARD}*")) == []


def test_wrong_bytes_of_a_small_file_are_refused_by_the_git_hash(hub: HubServer, data_home: Path) -> None:
    hub.control(faults={HARD: ["wrong"]})
    with pytest.raises(FolkwaysError, match=r"(?s)expected git hash [0-9a-f]{40}.*deleted"):
        bring()
    assert list(data_home.rglob(f"{HARD}*")) == []


def test_a_captive_portal_is_not_taken_for_data(hub: HubServer, tmp_path: Path) -> None:
    hub.control(faults={HARD: ["html"]})
    pinned = transfer(hub, tmp_path, sha256="0" * 64)
    with pytest.raises(FolkwaysError, match=rf"(?s)expected SHA-256 {'0' * 64}"):
        run(pinned)


def test_a_part_of_wrong_bytes_is_thrown_away_once_and_fetched_anew(hub: HubServer, data_home: Path, published: Path) -> None:
    part = data_home / "culturalbench@996d62a" / f"{HARD}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 1000)
    assert same_as_published(bring(), published)
    assert [entry["range"] for entry in requests_of(hub, HARD)] == ["bytes=1000-", None]


def test_a_part_that_is_complete_is_not_fetched_again(hub: HubServer, data_home: Path, published: Path) -> None:
    part = data_home / "culturalbench@996d62a" / f"{HARD}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes((published / "kellycyy" / "CulturalBench" / HARD).read_bytes())
    assert same_as_published(bring(), published)
    assert [entry["status"] for entry in requests_of(hub, HARD)] == [416]


def test_a_part_that_is_longer_than_the_file_is_thrown_away(hub: HubServer, data_home: Path, published: Path) -> None:
    part = data_home / "culturalbench@996d62a" / f"{HARD}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 700_001)
    assert same_as_published(bring(), published)
    assert [entry["status"] for entry in requests_of(hub, HARD)] == [416, 200]


@pytest.mark.parametrize(("fault", "asked"), [("no-range", [200, 200]), ("shift", [200, 206, 200])])
def test_a_server_that_cannot_resume_gives_the_whole_file(hub: HubServer, published: Path, fault: str, asked: list[int]) -> None:
    hub.control(faults={HARD: ["cut+at=200000", fault]})
    assert same_as_published(bring(), published)
    assert [entry["status"] for entry in requests_of(hub, HARD)] == asked


def test_a_server_that_forever_breaks_and_never_resumes_is_given_up(hub: HubServer) -> None:
    hub.control(faults={HARD: ["cut+at=1000", "shift"] * 20})
    with pytest.raises(FolkwaysError, match="resumed at the wrong place"):
        bring()


def test_trouble_that_passes_is_waited_for(hub: HubServer, published: Path) -> None:
    hub.control(faults={HARD: ["500", "429"], EASY: ["429+after=1"]})
    began = time.monotonic()
    assert same_as_published(bring(), published)
    assert time.monotonic() - began >= 1.0
    assert [entry["status"] for entry in requests_of(hub, HARD)] == [500, 429, 200]


def test_a_wait_beyond_our_patience_is_told(hub: HubServer) -> None:
    hub.control(faults={HARD: ["429+after=3600"]})
    with pytest.raises(FolkwaysError, match=r"(?s)answered 429.*asks to wait 3600 s"):
        bring()


def test_a_server_that_stays_broken_is_given_up_and_what_came_is_kept(hub: HubServer, data_home: Path, published: Path) -> None:
    hub.control(faults={HARD: ["cut+at=5000", "500", "500", "500"]})
    with pytest.raises(FolkwaysError, match=r"(?s)answered 500 \(tried 3 times in a row\).*is kept"):
        bring()
    assert (data_home / "culturalbench@996d62a" / f"{HARD}.part").stat().st_size == 5000
    hub.control(forget=True)
    assert same_as_published(bring(), published)
    assert [entry["range"] for entry in requests_of(hub, HARD)] == ["bytes=5000-"]


def test_a_server_that_always_cuts_before_the_first_byte_is_given_up(hub: HubServer) -> None:
    hub.control(faults={HARD: ["cut+at=0"] * 9})
    with pytest.raises(FolkwaysError, match="connection broke after 0 bytes"):
        bring()


def test_a_server_that_says_nothing_is_given_up(hub: HubServer) -> None:
    hub.control(faults={HARD: ["stall"] * 2})
    with pytest.raises(FolkwaysError, match="connection broke"):
        bring(options=FetchOptions(attempts=2, backoff=0.01, stall=0.3))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("401", "accept the terms at http://.*/datasets/kellycyy/CulturalBench and set HF_TOKEN"),
        ("403", "accept the terms at .* and set HF_TOKEN"),
        ("404", r"(?s)not there \(404\).*--from DIR"),
        ("loop", "redirects more than 5 times"),
        ("gzip", "compressed although it was asked not to be"),
    ],
)
def test_what_asking_again_cannot_mend_is_said_at_once(hub: HubServer, fault: str, message: str) -> None:
    hub.control(faults={HARD: [fault] * 9})
    with pytest.raises(FolkwaysError, match=message):
        bring()
    assert len(requests_of(hub, HARD)) == (6 if fault == "loop" else 1)


def test_gated_data_need_the_token(hub: HubServer, monkeypatch: pytest.MonkeyPatch, published: Path) -> None:
    hub.control(token="hf_right")
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(FolkwaysError, match="with the account of HF_TOKEN") as refused:
        bring()
    assert "hf_wrong" not in str(refused.value)
    monkeypatch.setenv("HF_TOKEN", "hf_right\n")
    assert same_as_published(bring(), published)


def test_the_token_does_not_travel_to_another_host(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.control(lfs=True, token="hf_secret")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    bring()
    assert {entry["authorization"] for entry in hub.log() if entry["port"] == "home"} == {"Bearer hf_secret"}
    assert {entry["authorization"] for entry in hub.log() if entry["port"] == "cdn"} == {None}


def test_a_token_with_a_line_break_inside_is_refused_unseen(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_a\nX-Header: b")
    with pytest.raises(FolkwaysError, match="HF_TOKEN has") as refused:
        bring()
    assert "hf_a" not in str(refused.value)


def test_a_host_without_content_hashes_leaves_the_release_unverified(hub: HubServer, published: Path) -> None:
    hub.control(etag=False)
    release = bring()
    assert same_as_published(release, published)
    assert not release.verified
    assert release.label == f"culturalbench@996d62a#{release.fingerprint}"


def test_no_network_names_the_ways_out(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(FolkwaysError, match=r"(?s)cannot reach 127\.0\.0\.1.*proxy.*HF_ENDPOINT.*--from DIR"):
        bring(options=FetchOptions(attempts=1))


def test_an_endpoint_that_is_no_address_is_named(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "huggingface.co")
    with pytest.raises(FolkwaysError, match=r"HF_ENDPOINT is not a web address: 'huggingface\.co'"):
        bring()


def test_a_body_larger_than_the_record_says_is_refused(hub: HubServer, tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="at most 1000 were expected"):
        run(transfer(hub, tmp_path, size=1000))
    with pytest.raises(FolkwaysError, match="at most 5000 were expected"):
        run(transfer(hub, tmp_path), FetchOptions(max_bytes=5000))


def test_a_release_on_github_comes_from_its_raw_files(hub: HubServer) -> None:
    with pytest.raises(FolkwaysError, match="not there"):
        fetch("xcr", options=BRISK)
    assert hub.log()[0]["path"].startswith("/mohsinulkabir14/xcr_bench/9904292/c")


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device on which every write finds no space")
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
    class Count(Progress):
        present = got = size = files = 0

        def started(self, label: str, files: int, size: int, present: int) -> None:
            self.present += present

        def grew(self, size: int) -> None:
            self.size = max(self.size, size)

        def received(self, size: int) -> None:
            self.got += size

        def finished(self, label: str) -> None:
            self.files += 1

    count = Count()
    hub.control(faults={HARD: ["cut+at=200000", "no-range"]})
    fetch("culturalbench", options=BRISK, progress=count)
    assert (count.present + count.got, count.files) == (1_000_000, 2)


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
    assert "here already" in done.stderr
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
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    outcomes = [(process.communicate(timeout=60)[1], process.returncode) for process in processes]
    assert [code for _, code in outcomes] == [0, 0], outcomes
    assert sum(entry["sent"] for entry in hub.log()) == 1_000_000
    for name in (EASY, HARD):
        assert (data_home / "culturalbench@996d62a" / name).read_bytes() == (
            published / "kellycyy" / "CulturalBench" / name
        ).read_bytes()


def transfer(hub: HubServer, folder: Path, sha256: str | None = None, size: int | None = None) -> Transfer:
    url = f"{hub.url}/datasets/kellycyy/CulturalBench/resolve/main/{HARD}"
    return Transfer(label=HARD, url=url, target=folder / HARD, sha256=sha256, size=size)


def run(wanted: Transfer, options: FetchOptions = BRISK) -> Fetched:
    kept: list[Fetched] = []
    asyncio.run(fetch_all([wanted], options, Progress(), lambda _, fetched: kept.append(fetched)))
    return kept[0]
